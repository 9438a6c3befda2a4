#!/usr/bin/env python3
"""Installs the package on a machine with a real systemd and tries everything that people do with it.

    lab.py --bins FOLDER [--package FILE] [--lower ROOT] [--only WORD]

Prints a line for each check and exits 1 if one failed; exits 77, with the reason, where a machine cannot
be booted. Without --package a package is built of the programs in the folder, without compressing it.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from journal_checks import JournalChecks
from kept_checks import KeptChecks
from machine import HERE, Machine, obstacle
from package_checks import PackageChecks
from report import Report
from service_checks import ServiceChecks
from story import Story
from unit_checks import UnitChecks

ROOT = HERE.parent.parent.parent
ARTICLE = ROOT / "Sources/payqueued/Documentation.docc/Installing.md"


def libraries(program: Path) -> set[str]:
    """The folders outside of the system's own that a program takes libraries from."""
    listed = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=True).stdout
    found = {os.path.dirname(os.path.realpath(path)) for path in re.findall(r"=> (/\S+)", listed)}
    return {folder for folder in found if not folder.startswith(("/usr/lib", "/lib"))}


def build(programs: Path, output: str) -> Path:
    """A package of the programs that are there."""
    settings = {
        "bins": str(programs), "manuals": str(ROOT / ".build/man"), "output": output,
        "SOURCE_DATE_EPOCH": "0", "compression": "-Znone"}
    built = subprocess.run(
        [str(ROOT / "systemd/debian/build")], env=os.environ | settings, capture_output=True,
        text=True)
    if built.returncode != 0:
        sys.exit(f"the package cannot be built: {built.stderr}")
    return Path(built.stdout.strip())


def successor(package: Path, output: str) -> Path:
    """The same package under a higher version."""
    stage, result = f"{output}/successor", Path(f"{output}/payqueued_successor.deb")
    subprocess.run(["dpkg-deb", "--raw-extract", str(package), stage], check=True)
    control = Path(stage) / "DEBIAN/control"
    control.write_text(re.sub(r"(?m)^(Version: .*)$", r"\1+1", control.read_text()))
    subprocess.run(["dpkg-deb", "-Znone", "--root-owner-group", "--build", stage, str(result)],
                   check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(stage)
    return result


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--bins", type=Path, required=True)
    words.add_argument("--package", type=Path)
    words.add_argument("--lower", default="/")
    words.add_argument("--only", default="")
    options = words.parse_args()
    tools = [tool for tool in ("dpkg-deb", "strip", "ldd") if not shutil.which(tool)]
    if reason := f"{tools[0]} is missing" if tools else obstacle(options.lower):
        print(f"skip everything: {reason}")
        return 77
    report = Report()
    with tempfile.TemporaryDirectory(prefix="lab-package-") as output:
        package = options.package or build(options.bins.resolve(), output)
        outside = set() if options.package else libraries(options.bins / "payqueued")
        packages = [package, successor(package, output)]
        report.note("the packages are built")
        with Machine.booted(options.lower) as machine:
            everything(machine, report, packages, outside, options.only)
    return report.close()


def everything(
    machine: Machine, report: Report, packages: list[Path], outside: set[str], only: str
) -> None:
    """Every part in its order; a machine that could not install the package is of no further use."""
    report.explain = lambda: machine.run(
        "journalctl", "--no-pager", "-n", "20", "-u", "payqueue*", check=False).stdout
    story = Story(ARTICLE)
    packaging = PackageChecks(machine, report, story, packages, outside)
    report.part("install", packaging.install)
    if report.failed:
        return
    service = ServiceChecks(machine, report)
    journal = JournalChecks(machine, report)
    kept = KeptChecks(machine, report)
    units = UnitChecks(machine, report)
    parts = [
        packaging.status, packaging.verify, packaging.exposure, packaging.extras,
        service.buying, service.places, service.credential, service.reloading,
        service.restart_under_load, service.kill, service.watchdog, service.crash_loop,
        service.activation, service.stop_with_clients,
        kept.kept, kept.signalled, journal.journal, journal.scraping,
        units.instances, units.dynamic_user, units.further_sockets, units.store, units.person,
        packaging.told, packaging.upgrade, packaging.remove,
    ]
    for part in parts:
        if only in part.__name__:
            report.part(part.__name__, part)


if __name__ == "__main__":
    sys.exit(main())
