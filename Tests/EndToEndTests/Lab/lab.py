#!/usr/bin/env python3
"""Installs the package on a machine with a real systemd and tries everything that people do with it.

    lab.py --bins FOLDER [--package FILE] [--lower ROOT] [--idle SECONDS] [--in-turn] [--only WORD]

Prints a line for each check and exits 1 if one failed; exits 77, with the reason, where a machine cannot
be booted. Without --package a package is built of the programs in the folder, without compressing it.
There are two machines, each for half of it, at the same time; or one after the other, for figures that can
be compared. With --idle it also looks for so long what a daemon takes that has nothing to do.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from functools import partial
from pathlib import Path
from typing import Callable

from disk_checks import DiskChecks
from journal_checks import JournalChecks
from kept_checks import KeptChecks
from machine import HERE, Machine, obstacle
from package_checks import PackageChecks
from report import Report
from service_checks import ServiceChecks
from source_checks import SourceChecks
from story import Story
from thrift_checks import idleness, readiness, readiness_as_units
from unit_checks import UnitChecks

ROOT = HERE.parent.parent.parent
ARTICLE = ROOT / "Sources/payqueued/Documentation.docc/Installing.md"
OPERATING = ARTICLE.with_name("Operating.md")
# What people do with the service, and what they hardly notice: each on a machine of its own.
HALVES = ["people", "trouble"]


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
    words.add_argument("--idle", type=float, default=0)
    words.add_argument("--only", default="")
    words.add_argument("--in-turn", action="store_true")
    words.add_argument("--half", choices=HALVES, help=argparse.SUPPRESS)
    words.add_argument("--newer", type=Path, help=argparse.SUPPRESS)
    options = words.parse_args()
    if options.half:
        return half(options)
    tools = [tool for tool in ("dpkg-deb", "strip", "ldd") if not shutil.which(tool)]
    if reason := f"{tools[0]} is missing" if tools else obstacle(options.lower):
        print(f"skip everything: {reason}")
        return 77
    report = Report()
    with tempfile.TemporaryDirectory(prefix="lab-package-") as output:
        options.package = options.package or build(options.bins.resolve(), output)
        options.newer = successor(options.package, output)
        report.note("the packages are built")
        if options.only in "readiness":
            report.part("readiness", partial(readiness, report, options.bins))
        told = both(report, options)
    if not options.only:
        report.same("every command of the documentation was run", set(Story(ARTICLE).sections) - told,
                    set())
    return report.close()


def both(report: Report, options: argparse.Namespace) -> set[str]:
    """Two machines, one for each half, at the same time or in turn; what they say is said here.

    Returns the sections of the documentation whose commands were run.
    """
    told: set[str] = set()
    children: list[subprocess.Popen[str]] = []
    readers: list[threading.Thread] = []
    for name in HALVES:
        child = subprocess.Popen(
            [sys.executable, __file__, "--half", name, "--bins", str(options.bins), "--package",
             str(options.package), "--newer", str(options.newer), "--lower", options.lower,
             "--idle", str(options.idle), "--only", options.only],
            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        reader = threading.Thread(target=listen, args=(child, report, told))
        reader.start()
        children.append(child)
        readers.append(reader)
        if options.in_turn:
            reader.join()
    for child, reader in zip(children, readers):
        reader.join()
        if child.wait() != 0 and not report.failed:
            report.check("both halves come to their end", False, f"status {child.returncode}")
    return told


def listen(child: subprocess.Popen[str], report: Report, told: set[str]) -> None:
    """Passes on what a half says."""
    assert child.stdout
    for line in child.stdout:
        if line.startswith("told "):
            told.add(line.removeprefix("told ").strip())
        else:
            report.repeat(line.rstrip("\n"))


def half(options: argparse.Namespace) -> int:
    """The parts of one half, on a machine of its own."""
    report = Report()
    with Machine.booted(options.lower) as machine:
        everything(machine, report, options)
    return 1 if report.failed else 0


def everything(machine: Machine, report: Report, options: argparse.Namespace) -> None:
    """Every part in its order; a machine that could not install the package is of no further use."""
    report.explain = lambda: machine.run(
        "journalctl", "--no-pager", "-n", "20", "-u", "payqueue*", "-u", "lab-*", check=False).stdout
    story = Story(ARTICLE)
    packaging = PackageChecks(machine, report, story, [options.package, options.newer],
                              libraries(options.bins / "payqueued"))
    report.part(f"install for {options.half}", packaging.install)
    if report.failed:
        return
    service = ServiceChecks(machine, report)
    journal = JournalChecks(machine, report)
    kept = KeptChecks(machine, report, packaging)
    disk = DiskChecks(machine, report)
    units = UnitChecks(machine, report)
    source = SourceChecks(machine, report, Story(OPERATING), options.package)
    parts: list[Callable[[], None]] = [
        packaging.status, packaging.verify, packaging.programs, packaging.exposure, packaging.extras,
        service.buying, service.places, service.credential, service.reloading,
        service.restart_under_load, service.kill, service.crash_loop,
        service.activation, service.stop_with_clients,
        journal.journal, journal.scraping, packaging.told, packaging.remove,
        source.by_hand,
    ] if options.half == HALVES[0] else [
        kept.kept, kept.signalled, disk.slow_disk, disk.hanging_disk,
        units.instances, units.dynamic_user, units.further_sockets, units.store, units.person,
    ]
    for part in parts:
        if options.only in part.__name__:
            report.part(part.__name__, part)
    if options.half == HALVES[1] and options.only in "readiness":
        report.part("readiness as units", partial(readiness_as_units, machine, report))
    if options.half == HALVES[1] and options.idle:
        report.part("idleness", partial(idleness, machine, report, options.idle))


if __name__ == "__main__":
    sys.exit(main())
