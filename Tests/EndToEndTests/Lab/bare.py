#!/usr/bin/env python3
"""Installs what is packed on machines that have neither Swift nor a compiler, and buys something there.

    bare.py --lower ROOT [--package DEB] [--archive TGZ] [--image TAR] [--debug]

ROOT is a Debian made by debootstrap, with systemd. What was built for debugging may be large. Prints a line for each check, with what it took, and
exits 1 if one failed; exits 77, with the reason, where a machine cannot be booted.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from load import SERVICE
from machine import HERE, Machine, Trouble, obstacle
from report import Report
from story import Story

ROOT = HERE.parent.parent.parent
PROGRAMS = ["payqueued", "payqueuectl", "payqueue-store"]
# Bytes that a program, and a package with all of them, may have.
PROGRAM_LIMIT, PACKAGE_LIMIT = 25_000_000, 20_000_000
# How long it may take until something is bought, in seconds.
PATIENCE = 60.0
MEDIA = "application/vnd.oci.image"


class Limits:
    """How large files may be; none, if they are for debugging."""

    def __init__(self, report: Report, is_debug: bool) -> None:
        self.report = report
        self.is_debug = is_debug

    def check(self, file: Path, limit: int) -> None:
        """Says whether a file is small enough."""
        size = file.stat().st_size
        self.report.note(f"{file.name} has {size / 1e6:.1f} MB")
        if not self.is_debug:
            self.report.check(f"{file.name} has {limit} bytes at most", size <= limit, size)


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--lower", required=True)
    words.add_argument("--package", type=Path)
    words.add_argument("--archive", type=Path)
    words.add_argument("--image", type=Path)
    words.add_argument("--debug", action="store_true")
    options = words.parse_args()
    if reason := obstacle(options.lower):
        print(f"skip everything: {reason}")
        return 77
    report = Report()
    limits = Limits(report, options.debug)
    for kind, file in (("package", options.package), ("archive", options.archive),
                       ("image", options.image)):
        if not file:
            continue
        if kind != "package":
            report.note(f"{file.name} has {file.stat().st_size / 1e6:.1f} MB")
        with Machine.booted(options.lower) as machine:
            report.explain = lambda: machine.run(
                "journalctl", "--no-pager", "-n", "20", check=False).stdout
            report.part(f"{kind} on {Path(options.lower).name}",
                        partial(globals()[f"try_{kind}"], machine, report, limits, file))
    return report.close()


def try_package(machine: Machine, report: Report, limits: Limits, file: Path) -> None:
    """`apt install` of the package."""
    limits.check(file, PACKAGE_LIMIT)
    machine.path("/tmp/packages").mkdir()
    (machine.path("/tmp/packages") / file.name).write_bytes(file.read_bytes())
    machine.run("useradd", "alice")
    bought(report, lambda: Story(
        ROOT / "Sources/payqueued/Documentation.docc/Installing.md").tell(
            machine, "Install", "/tmp/packages"))
    for name in PROGRAMS:
        limits.check(machine.path("/usr/bin") / name, PROGRAM_LIMIT)
    documents(machine, report, "/usr/share/doc/payqueued")


def try_archive(machine: Machine, report: Report, limits: Limits, file: Path) -> None:
    """What INSTALL.md in the archive says, from its top to its bottom."""
    machine.path("/srv/a.tar.gz").write_bytes(file.read_bytes())
    machine.run("tar", "-xzf", "/srv/a.tar.gz", "-C", "/srv")
    folder = next(machine.path("/srv").glob("payqueued-*"))
    inside = f"/srv/{folder.name}"
    story = Story(folder / "INSTALL.md")
    bought(report, lambda: story.tell(machine, "Try it in place", inside))
    bought(report, lambda: story.tell(machine, "Install it", inside))
    report.same("the service runs what was installed", machine.run(
        "readlink", f"/proc/{machine.show(SERVICE, 'MainPID')}/exe").stdout.strip(),
        "/usr/local/bin/payqueued")
    for name in PROGRAMS:
        limits.check(machine.path("/usr/local/bin") / name, PROGRAM_LIMIT)
    documents(machine, report, "/usr/local/share/doc/payqueued")
    story.tell(machine, "Remove it", "/")
    left = machine.run("find", "/usr/local", "-name", "payqueue*", "-not", "-type", "d").stdout
    report.same("removing leaves nothing but completions",
                [line for line in left.split() if "complet" not in line and "zsh" not in line], [])


def try_image(machine: Machine, report: Report, limits: Limits, file: Path) -> None:
    """The image as an engine would take it: its layers unpacked, its configuration obeyed."""
    blobs, config = checked(report, file)
    inside = "/srv/image"
    machine.path(inside).mkdir()
    for digest in blobs:
        with tarfile.open(fileobj=io.BytesIO(blobs[digest])) as layer:
            layer.extractall(machine.path(inside), numeric_owner=True)
    for folder, kind in (("proc", ["-t", "proc", "proc"]), ("dev", ["--bind", "/dev"])):
        machine.path(f"{inside}/{folder}").mkdir()
        machine.run("mount", *kind, f"{inside}/{folder}")
    container = ["env", "-i", *config["Env"], "/usr/sbin/chroot", f"--userspec={config['User']}", inside]
    tool = [*container, "/usr/bin/payqueuectl"]

    def run() -> str:
        machine.run("systemd-run", "--quiet", "--unit=image", *container, *config["Entrypoint"], "--demo",
                    "--socket", "/run/payqueued/payqueued.sock")
        machine.run("timeout", "60", "sh", "-c", 'until "$@"; do sleep 0.1; done', "sh", *tool, "ping")
        return machine.run(*tool, "buy", "coins.100", "--finish").stdout

    bought(report, run)
    for name in PROGRAMS:
        limits.check(machine.path(f"{inside}/usr/bin") / name, PROGRAM_LIMIT)
    version = machine.run(*container, "/usr/bin/payqueue-store", "--version").stdout
    report.same("the store server of the image starts", version.strip(),
                config["Labels"]["org.opencontainers.image.version"])
    machine.systemctl("stop", "image")


def bought(report: Report, run: Any) -> None:
    """Runs what ends with a purchase, in time."""
    began = time.monotonic()
    said = run()
    seconds = time.monotonic() - began
    report.check("something was bought and finished", "finished" in said.lower(), said)
    report.check(f"that took {PATIENCE:.0f} s at most", seconds <= PATIENCE, seconds)
    report.note(f"{seconds:.1f} s until it was bought")


def documents(machine: Machine, report: Report, folder: str) -> None:
    """What a reader is sent to by the pages is there."""
    place = machine.path(folder)
    for name in ("README.md", "documentation/Tutorial.md", "documentation/Protocol.md",
                 "clients/python/payqueued/client.py", "clients/node/index.js",
                 "clients/shell/payqueued.sh"):
        report.check(f"{name} is there", (place / name).is_file())
    pages = [place / "README.md", *place.glob("documentation/**/*.md"), *place.glob("clients/**/*.md")]
    for page in sorted(pages):
        missing = [target for target in links(page.read_text()) if not (page.parent / target).exists()]
        report.same(f"{page.relative_to(place)} leads nowhere in vain", missing, [])


def links(text: str) -> list[str]:
    """The relative links of a page, without the place in the target."""
    found = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    return [target for target in found if "://" not in target]


def checked(report: Report, file: Path) -> tuple[dict[str, bytes], dict[str, Any]]:
    """The layers of an image, unpacked, and its configuration, after everything in it was checked."""
    with tarfile.open(file) as archive:
        files = {entry.name: archive.extractfile(entry).read()  # type: ignore[union-attr]
                 for entry in archive if entry.isfile()}

    def blob(description: dict[str, Any]) -> bytes:
        kind, name = description["digest"].split(":")
        content = files[f"blobs/{kind}/{name}"]
        if len(content) != description["size"] or hashlib.sha256(content).hexdigest() != name:
            raise Trouble(f"the blob {name} is not what its name says")
        return content

    index = json.loads(files["index.json"])
    report.same("the layout has a version", json.loads(files["oci-layout"]),
                {"imageLayoutVersion": "1.0.0"})
    report.same("there is one image", [m["mediaType"] for m in index["manifests"]],
                [f"{MEDIA}.manifest.v1+json"])
    manifest = json.loads(blob(index["manifests"][0]))
    config = json.loads(blob(manifest["config"]))
    layers: dict[str, bytes] = {}
    for layer in manifest["layers"]:
        content = gzip.decompress(blob(layer))
        layers["sha256:" + hashlib.sha256(content).hexdigest()] = content
    report.same("the layers are those of the configuration", list(layers),
                config["rootfs"]["diff_ids"])
    used = {d["digest"].split(":")[1] for d in
            [index["manifests"][0], manifest["config"], *manifest["layers"]]}
    report.same("there is no other blob",
                {name.split("/")[-1] for name in files if name.startswith("blobs/")}, used)
    if shutil.which("skopeo"):
        said = subprocess.run(["skopeo", "inspect", f"oci-archive:{file}"], capture_output=True,
                              text=True)
        report.check("skopeo reads it", said.returncode == 0 and json.loads(said.stdout)["Layers"]
                     == [layer["digest"] for layer in manifest["layers"]], said.stderr)
        said = subprocess.run(["skopeo", "inspect", f"docker-archive:{file}"], capture_output=True,
                              text=True)
        report.check("skopeo reads it as `docker load` does", said.returncode == 0, said.stderr)
    else:
        report.skip("skopeo reads it", "skopeo is not installed")
    return layers, config["config"]


if __name__ == "__main__":
    sys.exit(main())
