"""What `make install` puts in place, on a machine without the package."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path

from load import SERVICE, SOCKET
from machine import HERE, Machine
from report import Report
from story import Story

INSTALL = HERE.parent.parent.parent / "systemd/install"
PREFIX = "/usr/local"


class SourceChecks:
    """From `make install` to a service that runs."""

    def __init__(self, machine: Machine, report: Report, story: Story, package: Path) -> None:
        """The programs are those of the package: what was built may be too big for a machine in memory."""
        self.machine = machine
        self.report = report
        self.story = story
        self.package = package

    def by_hand(self) -> None:
        """The commands of the documentation are all that is missing after `make install`."""
        machine, report = self.machine, self.report
        machine.run("dpkg", "--purge", "payqueued", check=False,
                    env={"DEBIAN_FRONTEND": "noninteractive"})
        with tempfile.TemporaryDirectory(prefix="lab-files-") as folder:
            subprocess.run(["dpkg-deb", "--extract", str(self.package), folder], check=True)
            subprocess.run([str(INSTALL)], check=True, env=os.environ | {
                "bins": f"{folder}/usr/bin", "manuals": f"{folder}/none", "prefix": PREFIX,
                "DESTDIR": str(machine.root)})
        machine.run(f"{PREFIX}/share/payqueued/drop-ins/choose")
        self.story.tell(machine, "Under systemd")
        report.check("what make install has put in place runs after the documentation's commands",
                     machine.connect(SOCKET).call("ping") is not None)
        report.same("from where it was installed", machine.run(
            "readlink", f"/proc/{machine.show(SERVICE, 'MainPID')}/exe").stdout.strip(),
            f"{PREFIX}/bin/payqueued")
        report.check("journalctl knows its messages", "payqueued" in machine.run(
            "journalctl", "--no-pager", "--list-catalog").stdout)
        known = machine.run("systemctl", "--version").stdout
        manager = int(re.search(r"systemd (\d+)", known).group(1))  # type: ignore[union-attr]
        for since in (254, 257):
            link = machine.path(f"{PREFIX}/lib/systemd/system/{SERVICE}.d/{since}.conf")
            report.same(f"{since}.conf is chosen if the manager knows its words",
                        link.is_symlink(), manager >= since)
