"""The package: what installing it does, what its units say, what is left when it goes."""

from __future__ import annotations

import json
import re
import subprocess
from functools import partial
from pathlib import Path
from typing import Any, Callable

from load import SCRAPED, SERVICE
from machine import Machine, Trouble
from report import Report
from story import Story

UNITS = "/usr/lib/systemd/system"
STORE = "payqueue-store.service"
# What systemd calls the end of a start.
STARTED = "39f53479d3a045ac8e11786248231fbf"


class PackageChecks:
    """From `apt install` to `apt purge`."""

    def __init__(
        self, machine: Machine, report: Report, story: Story, packages: list[Path],
        libraries: set[str],
    ) -> None:
        """The packages are this version's and a newer one's."""
        self.machine = machine
        self.report = report
        self.story = story
        self.package, self.newer = packages
        self.libraries = libraries
        self.before: set[str] = set()
        known = machine.run("systemctl", "--version").stdout
        self.manager = int(re.search(r"systemd (\d+)", known).group(1))  # type: ignore[union-attr]

    def install(self) -> None:
        """`apt install` gives a running daemon."""
        machine, report = self.machine, self.report
        for folder, package in (("older", self.package), ("newer", self.newer)):
            place = machine.path(f"/tmp/{folder}")
            place.mkdir()
            (place / package.name).write_bytes(package.read_bytes())
        machine.run("useradd", "alice")
        if self.libraries:
            # A build for debugging takes its libraries from where the compiler is.
            for unit in (SERVICE, "payqueued@.service", STORE):
                machine.write(f"{UNITS}/{unit}.d/libraries.conf",
                              f"[Service]\nExecPaths={' '.join(sorted(self.libraries))}\n")
        self.before = self.files()
        said = self.story.tell(machine, "Install", "/tmp/older")
        report.check("the package installs", True)
        report.check("nothing complains while it does",
                     not re.search(r"(?i)error|failed|warning", said), said)
        for database, name in (("passwd", "payqueued"), ("passwd", "payqueue-store"),
                               ("group", "payqueued-clients")):
            found = machine.run("getent", database, name, check=False)
            report.check(f"{name} is in {database}", found.returncode == 0)
        for unit in ("payqueued.socket", SERVICE):
            report.same(f"{unit} is enabled",
                        machine.systemctl("is-enabled", unit, check=False).stdout.strip(), "enabled")
            report.same(f"{unit} runs", machine.show(unit, "ActiveState"), "active")

    def dpkg(self, *words: str) -> Any:
        """What apt leaves to dpkg, without the time that apt takes."""
        return self.machine.run("dpkg", *words, check=False,
                                env={"DEBIAN_FRONTEND": "noninteractive"})

    def status(self) -> None:
        """`systemctl status` says how the daemon is."""
        done = self.machine.systemctl("status", SERVICE, check=False)
        self.report.same("systemctl status is content", done.returncode, 0)
        self.report.check("it shows the status line", re.search(r'Status: "\S.*"', done.stdout),
                          done.stdout)
        self.report.check("it names the manual", "man:payqueued(8)" in done.stdout, done.stdout)

    def verify(self) -> None:
        """The manager understands every line of every unit that is installed."""
        machine = self.machine
        units = [f"{UNITS}/{name}" for name in (
            SERVICE, "payqueued.socket", "payqueued@.service", "payqueued@.socket",
            SCRAPED, "payqueued-metrics@.socket", STORE)]
        users = [f"/usr/lib/systemd/user/payqueued.{kind}" for kind in ("service", "socket")]
        self._verify([u for u in units if machine.path(u).exists()], [])
        self._verify(users, ["--user"])
        others = {"sockets": "payqueued.socket", "store-server-tcp": STORE}
        for site in sorted(machine.path("/usr/share/payqueued/drop-ins/site").iterdir()):
            unit = others.get(site.stem, SERVICE)
            if machine.path(f"{UNITS}/{unit}").exists():
                self._verify_drop_in(site, unit)
        for version in sorted(machine.path("/usr/share/payqueued/drop-ins/version").iterdir()):
            if self.manager >= int(version.stem):
                self._verify_drop_in(version, SERVICE)
        for since in (254, 257):
            link = machine.path(f"{UNITS}/{SERVICE}.d/{since}.conf")
            fits = self.manager >= since
            self.report.same(f"{since}.conf is in place if the manager knows its words",
                             link.is_symlink(), fits)

    def _verify(self, units: list[str], manager: list[str]) -> None:
        for unit in units:
            # A template is judged by one of its instances.
            name = re.sub(r"@\.", "@shop.", unit)
            done = self.machine.run(
                "systemd-analyze", *manager, "verify", "--recursive-errors=no", "--man=no", name,
                check=False, env={"XDG_RUNTIME_DIR": "/run", "HOME": "/tmp"})
            said = done.stderr.strip()
            kind = "the user's " if manager else ""
            self.report.check(f"nothing is wrong with {kind}{Path(unit).name}",
                              done.returncode == 0 and not said, said)

    def _verify_drop_in(self, file: Path, unit: str) -> None:
        """A drop-in, with what it only proposes taken at its word."""
        text = re.sub(r"(?m)^#(?=[A-Z]\w+=)", "", file.read_text())
        folder = f"/tmp/verify/{file.stem}"
        # A copy: a socket unit that is read again with other places loses those that it had.
        self.machine.write(f"{folder}/{unit}", self.machine.path(f"{UNITS}/{unit}").read_text())
        self.machine.write(f"{folder}/{unit}.d/it.conf", text)
        done = self.machine.run("systemd-analyze", "verify", "--recursive-errors=no", "--man=no",
                                f"{folder}/{unit}", check=False)
        self.report.check(f"nothing is wrong with {file.name}",
                          done.returncode == 0 and not done.stderr.strip(), done.stderr)

    def programs(self) -> None:
        """The programs are hardened, and the package names what they are made of."""
        if not self.libraries:
            for path in sorted(self.machine.path("/usr/bin").glob("payqueue*")):
                self._hardened(path)
        bill = self.machine.path("/usr/share/doc/payqueued/payqueued.cdx.json").read_text()
        names = {part["name"] for part in json.loads(bill)["components"]}
        self.report.check("the bill of materials names the packages",
                          {"swift-nio", "swift-crypto", "swift-collections"} <= names, names)

    def _hardened(self, path: Path) -> None:
        """Anywhere in memory, nothing to overwrite, and no library from beside the program."""
        said = subprocess.run(["readelf", "-hldW", str(path)], check=True, capture_output=True,
                              text=True).stdout
        for what, holds in {
            "is position independent": re.search(r"Type:\s+DYN", said),
            "has its relocations read-only": "GNU_RELRO" in said,
            "is bound at the start": re.search(r"\(FLAGS(_1)?\).*\bNOW\b", said)
            or "BIND_NOW" in said,
            "searches no folder for libraries": not re.search(r"\((RPATH|RUNPATH)\)", said),
            "has no stack that runs": not re.search(r"GNU_STACK.*RWE", said),
        }.items():
            self.report.check(f"{path.name} {what}", holds, said)

    def exposure(self) -> None:
        """How much the sandbox leaves open."""
        bound = 0.4 if self.manager < 257 else 0.2
        for kind, words in (("as installed", ["--offline=true", f"{UNITS}/{SERVICE}"]),
                            ("as it runs", [SERVICE])):
            level = self._exposure(*words)
            self.report.check(f"the exposure {kind} is {bound} at most", level <= bound, level)
        text = self.machine.path("/usr/share/payqueued/drop-ins/site/store-tcp.conf").read_text()
        self.machine.drop_in(SERVICE, text.replace("#IPAddressAllow", "IPAddressAllow"))
        level = self._exposure(SERVICE)
        self.report.check("with store-tcp.conf it is 1.2 at most", 0.4 < level <= 1.2, level)
        self.machine.undrop(SERVICE)

    def _exposure(self, *words: str) -> float:
        out = self.machine.run("systemd-analyze", "security", "--no-pager", *words, check=False)
        found = re.search(r"exposure level for .*: ([\d.]+)", out.stdout)
        if not found:
            raise Trouble(out.stdout + out.stderr)
        return float(found.group(1))

    def extras(self) -> None:
        """Completions can be read, examples are valid."""
        machine, report = self.machine, self.report
        words = machine.run(
            "bash", "-c", "source /usr/share/bash-completion/completions/payqueuectl && complete -p",
            check=False)
        report.check("bash completes payqueuectl", "payqueuectl" in words.stdout, words.stderr)
        for path in ("zsh/vendor-completions/_payqueuectl",
                     "fish/vendor_completions.d/payqueuectl.fish"):
            report.check(f"{path.split('/')[0]} gets completions",
                         "payqueuectl" in machine.path(f"/usr/share/{path}").read_text())
        example = machine.run("payqueued", "--check-config", "--config",
                              "/usr/share/doc/payqueued/examples/payqueued.json", check=False)
        report.check("the example configuration can be used", example.returncode == 0,
                     example.stderr)

    def told(self) -> None:
        """What the documentation tells of configuring, backing up and restoring."""
        for title in ("Configure", "Back up", "Restore a backup"):
            self.story.tell(self.machine, title)
            self.report.check(f"the documentation's commands work: {title}", True)
        machine = self.machine
        epochs = [json.loads(machine.path(f"{place}/format.json").read_text())["epoch"]
                  for place in ("/var/lib/payqueued", sorted(machine.path("/srv/backups").iterdir())
                                [-1].relative_to(machine.root).as_posix())]
        self.report.check("a restored backup begins a new epoch", epochs[0] != epochs[1], epochs)
        machine.run("rm", "-rf", "/etc/payqueued/payqueued.json", "/var/lib/payqueued-shop",
                    "/etc/payqueued-shop", "/run/payqueued-shop")
        machine.systemctl("restart", SERVICE)

    def change_versions(self, outlive: Callable[[str, Callable[[], Any]], None]) -> None:
        """Another version over it and back: the socket never closes and the process changes once."""
        machine, report = self.machine, self.report
        for title, folder in (("Upgrade", "/tmp/newer"), ("Downgrade", "/tmp/older")):
            pid = machine.show(SERVICE, "MainPID")
            since = machine.show("payqueued.socket", "ActiveEnterTimestampMonotonic")
            starts = self._starts()
            outlive(f"the {title.lower()}", partial(self.story.tell, machine, title, folder))
            report.check(f"another process serves after the {title.lower()}",
                         machine.show(SERVICE, "MainPID") not in (pid, "0"))
            report.same(f"the socket has been open during the {title.lower()}",
                        machine.show("payqueued.socket", "ActiveEnterTimestampMonotonic"), since)
            report.same(f"the {title.lower()} started the service once", self._starts() - starts, 1)
        version = machine.run("dpkg-query", "-W", "-f", "${Version}", "payqueued").stdout
        report.check("the older version is back", "+" not in version, version)

    def _starts(self) -> int:
        """How often the manager has started the service."""
        return len(self.machine.journal(f"UNIT={SERVICE}", f"MESSAGE_ID={STARTED}"))

    def remove(self) -> None:
        """Removing stops everything; purging leaves the state, unless it is to go as well."""
        machine, report = self.machine, self.report
        # With a scraper's socket, which could bring the service back.
        machine.systemctl("enable", SCRAPED)
        machine.systemctl("restart", SERVICE)
        report.same("the package is removed", self.dpkg("--remove", "payqueued").returncode, 0)
        for unit in ("payqueued.socket", SCRAPED, SERVICE):
            states = [machine.show(unit, name) for name in ("LoadState", "ActiveState")]
            report.same(f"{unit} is gone", states, ["not-found", "inactive"])
        uid = int(machine.run("id", "-u", "payqueued").stdout)
        report.same("nobody runs it any more", [
            process.name for process in machine.path("/proc").iterdir()
            if process.name.isdigit() and process.stat().st_uid == uid], [])
        report.same("the package is purged", self.dpkg("--purge", "payqueued").returncode, 0)
        left = {top(path) for path in self.files() - self.before}
        report.same("only the state is left", left, {"/var/lib/payqueued"})
        user = machine.run("getent", "passwd", "payqueued", check=False)
        report.same("and the user that owns it", user.returncode, 0)
        self.dpkg("--install", f"/tmp/older/{self.package.name}")
        report.same("it installs once more", machine.systemctl(
            "is-enabled", SERVICE, check=False).stdout.strip(), "enabled")
        self.story.tell(machine, "Remove")
        left = {top(path) for path in self.files() - self.before}
        report.same("the state goes if one asks for it", left, set())
        user = machine.run("getent", "passwd", "payqueued", check=False)
        report.check("and the user with it", user.returncode != 0)
        known = (machine.path("/etc/passwd").read_text() + machine.path("/etc/group").read_text())
        report.check("no user or group of ours is left", "payqueue" not in known, known)

    def files(self) -> set[str]:
        """What there is of us: every path that names the product, but what apt and dpkg keep."""
        # Deeper than that the host has too much of its own.
        out = self.machine.run(
            "find", "/etc", "/usr/bin", "/usr/lib/systemd", "/usr/lib/sysusers.d", "/usr/share",
            "/var/lib", "/var/log", "/srv", "/run", "-xdev", "-maxdepth", "4",
            "-not", "-path", "/var/lib/dpkg/*", "-name", "*payqueue*", check=False).stdout
        return set(out.splitlines())


def top(path: str) -> str:
    """The topmost folder below which a path has the product's name."""
    found = re.match(r"(.*?/[^/]*payqueue[^/]*)", path)
    return found.group(1) if found else path
