"""The package: what installing it does, what its units say, what is left when it goes."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

from machine import Machine, Trouble, eventually
from report import Report

SOCKET = "/run/payqueued/payqueued.sock"
SERVICE = "payqueued.service"
UNITS = "/usr/lib/systemd/system"


class PackageChecks:
    """From `apt install` to `apt purge`."""

    def __init__(self, machine: Machine, report: Report, package: Path, libraries: set[str]) -> None:
        self.machine = machine
        self.report = report
        self.package = package
        self.libraries = libraries
        self.before: set[str] = set()
        known = machine.run("systemctl", "--version").stdout
        self.manager = int(re.search(r"systemd (\d+)", known).group(1))  # type: ignore[union-attr]

    def put_package(self) -> None:
        """Lays the package where the documentation has it: in the folder of who installs it."""
        with self.package.open("rb") as source:
            place = self.machine.path("/tmp/package")
            place.mkdir(exist_ok=True)
            (place / self.package.name).write_bytes(source.read())

    def install(self) -> None:
        """`apt install` gives a running daemon."""
        machine, report = self.machine, self.report
        self.put_package()
        if self.libraries:
            # A build for debugging takes its libraries from where the compiler is.
            for unit in (SERVICE, "payqueued@.service"):
                machine.drop_in(unit, f"[Service]\nExecPaths={' '.join(sorted(self.libraries))}\n",
                                "libraries")
        self.before = self.files()
        done = self.apt("install", f"/tmp/package/{self.package.name}")
        report.check("the package installs", done.returncode == 0, done.stdout + done.stderr)
        report.check("nothing complains while it does", "rror" not in done.stderr, done.stderr)
        for database, name in (("passwd", "payqueued"), ("passwd", "payqueue-store"),
                               ("group", "payqueued-clients")):
            found = machine.run("getent", database, name, check=False)
            report.check(f"{name} is in {database}", found.returncode == 0)
        for unit in ("payqueued.socket", SERVICE):
            report.same(f"{unit} is enabled",
                        machine.systemctl("is-enabled", unit, check=False).stdout.strip(), "enabled")
            report.same(f"{unit} runs", machine.show(unit, "ActiveState"), "active")

    def apt(self, *words: str) -> Any:
        """apt, without questions and without the network."""
        return self.machine.run(
            "apt-get", "-q", "-y", "--no-install-recommends", "-o", "Dpkg::Use-Pty=0",
            "-o", "APT::Sandbox::User=root", *words, check=False,
            env={"DEBIAN_FRONTEND": "noninteractive"})

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
            "payqueue-store.service")]
        users = [f"/usr/lib/systemd/user/payqueued.{kind}" for kind in ("service", "socket")]
        self._verify([u for u in units if machine.path(u).exists()], [])
        self._verify(users, ["--user"])
        for site in sorted(machine.path("/usr/share/payqueued/drop-ins/site").iterdir()):
            self._verify_site(site)
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

    def _verify_site(self, site: Path) -> None:
        """A drop-in for a site, with what it only proposes taken at its word."""
        unit = "payqueued.socket" if site.stem == "sockets" else SERVICE
        text = re.sub(r"(?m)^#(?=[A-Z]\w+=)", "", site.read_text())
        folder = f"/tmp/verify/{site.stem}"
        # A copy: a socket unit that is read again with other places loses those that it had.
        self.machine.write(f"{folder}/{unit}", self.machine.path(f"{UNITS}/{unit}").read_text())
        self.machine.write(f"{folder}/{unit}.d/site.conf", text)
        done = self.machine.run("systemd-analyze", "verify", "--recursive-errors=no", "--man=no",
                                f"{folder}/{unit}", check=False)
        self.report.check(f"nothing is wrong with {site.name}",
                          done.returncode == 0 and not done.stderr.strip(), done.stderr)

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

    def upgrade(self) -> None:
        """Another version over it: the socket never closes and the process changes once."""
        machine, report = self.machine, self.report
        pid = machine.show(SERVICE, "MainPID")
        since = machine.show("payqueued.socket", "ActiveEnterTimestampMonotonic")
        stops = len(machine.journal("-u", SERVICE, "MESSAGE_ID=de5b426a63be47a7b6ac3eaac82e2f6f"))
        began = time.monotonic()
        done = self.dpkg("--install", f"/tmp/package/{self.package.name}")
        report.check("the package installs over itself", done.returncode == 0,
                     done.stdout + done.stderr)
        report.note(f"reinstalling took {time.monotonic() - began:.1f} s")
        report.check("another process serves then", machine.show(SERVICE, "MainPID")
                     not in (pid, "0"))
        report.same("the socket has been open all the time",
                    machine.show("payqueued.socket", "ActiveEnterTimestampMonotonic"), since)
        again = len(machine.journal("-u", SERVICE, "MESSAGE_ID=de5b426a63be47a7b6ac3eaac82e2f6f"))
        report.check("the service was restarted once", again - stops <= 1, f"{stops} {again}")

    def purge(self) -> None:
        """Removing stops everything; purging leaves the state, unless it is to go as well."""
        machine, report = self.machine, self.report
        report.same("the package is removed", self.dpkg("--remove", "payqueued").returncode, 0)
        for unit in ("payqueued.socket", SERVICE):
            report.same(f"{unit} is gone", machine.show(unit, "LoadState"), "not-found")
        uid = int(machine.run("id", "-u", "payqueued").stdout)
        report.same("nobody runs it any more", [
            process.name for process in machine.path("/proc").iterdir()
            if process.name.isdigit() and process.stat().st_uid == uid], [])
        machine.run("rm", "-rf", "/run/systemd/system/payqueued.service.d",
                    "/run/systemd/system/payqueued@.service.d")
        report.same("the package is purged", self.dpkg("--purge", "payqueued").returncode, 0)
        left = self.files() - self.before
        report.same("only the state is left", {top(path) for path in left},
                    {"/var/lib/payqueued"})
        user = machine.run("getent", "passwd", "payqueued", check=False)
        report.same("and the user that owns it", user.returncode, 0)
        machine.run("sh", "-c", "echo payqueued payqueued/postrm_purge_data boolean true"
                                " | debconf-set-selections")
        self.dpkg("--install", f"/tmp/package/{self.package.name}")
        report.same("it installs once more", machine.systemctl(
            "is-enabled", SERVICE, check=False).stdout.strip(), "enabled")
        self.dpkg("--purge", "payqueued")
        report.same("the state goes if one asks for it", self.files() - self.before, set())
        user = machine.run("getent", "passwd", "payqueued", check=False)
        report.check("and the user with it", user.returncode != 0)

    def files(self) -> set[str]:
        """What there is of us: every path that names the product, but what apt and dpkg keep."""
        out = self.machine.run(
            "find", "/etc", "/usr/bin", "/usr/lib", "/usr/share", "/var", "/run", "/opt", "/root",
            "-xdev", "-not", "-path", "/var/lib/dpkg/*", "-not", "-path", "/var/cache/*",
            "-name", "*payqueue*", check=False).stdout
        etc = self.machine.run("grep", "-l", "payqueue", "/etc/passwd", "/etc/group", check=False)
        return {line for line in out.splitlines() if "/Lab" not in line} - set(etc.stdout.split())


def top(path: str) -> str:
    """The topmost folder below which a path has the product's name."""
    found = re.match(r"(.*?/[^/]*payqueue[^/]*)", path)
    return found.group(1) if found else path
