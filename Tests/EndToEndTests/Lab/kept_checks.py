"""Connections that live longer than the process behind them."""

from __future__ import annotations

import time

from crowd import Crowd
from load import SERVICE, SOCKET
from machine import Machine, eventually
from package_checks import PackageChecks
from report import Report


class KeptChecks:
    """Nobody has to connect again."""

    def __init__(self, machine: Machine, report: Report, packaging: PackageChecks) -> None:
        self.machine = machine
        self.report = report
        self.packaging = packaging
        self.successor = ""

    def kept(self) -> None:
        """Subscribed clients stay connected, whatever ends the process."""
        machine = self.machine
        crowd = Crowd(machine, self.report)
        crowd.outlive("a restart", lambda: machine.systemctl("restart", SERVICE))
        crowd.outlive("kill -9", lambda: self._signal("KILL"), kills=True)
        machine.drop_in(SERVICE, "[Service]\nWatchdogSec=1s\n")
        machine.systemctl("restart", SERVICE)
        crowd.outlive("a kill by the watchdog", lambda: self._signal("STOP"), kills=True)
        self._watched()
        machine.undrop(SERVICE)
        machine.systemctl("restart", SERVICE)
        self.packaging.change_versions(crowd.outlive)
        crowd.close()

    def _watched(self) -> None:
        """What the watchdog did, and that it does nothing to a process that takes turns."""
        machine, report = self.machine, self.report
        report.check("a stopped process is replaced by the watchdog", any(
            "watchdog" in str(entry.get("MESSAGE", "")).lower()
            for entry in machine.journal(f"UNIT={SERVICE}", "-n", "50")))
        client = machine.connect(SOCKET)
        report.check("it answers", client.call("ping") is not None)
        client.close()
        began = int(machine.show(SERVICE, "ExecMainStartTimestampMonotonic")) / 1e6
        time.sleep(max(0, began + 2.5 - time.monotonic()))
        report.same("a process that takes turns is left alone",
                    machine.show(SERVICE, "MainPID"), self.successor)

    def _signal(self, name: str) -> None:
        pid = self.machine.show(SERVICE, "MainPID")
        self.machine.systemctl("kill", "-s", name, "--kill-who=main", SERVICE)
        self.successor = self.machine.restarted(SERVICE, pid)

    def signalled(self) -> None:
        """SIGHUP reloads as well, and the manager sees when it is over."""
        machine, report = self.machine, self.report
        pid = machine.show(SERVICE, "MainPID")
        machine.write("/etc/payqueued/payqueued.json", '{"limits": {"batchElements": 9}}')
        machine.systemctl("kill", "-s", "HUP", "--kill-who=main", SERVICE)

        def is_in_force() -> bool:
            client = machine.connect(SOCKET)
            limits = client.call("hello")["limits"]
            client.close()
            return bool(limits["batchElements"] == 9)
        eventually("SIGHUP reloads", is_in_force)
        report.check("SIGHUP reloads the configuration", True)
        eventually("the reload is over", lambda: machine.show(SERVICE, "ActiveState") == "active")
        report.same("in the same process", machine.show(SERVICE, "MainPID"), pid)
        machine.path("/etc/payqueued/payqueued.json").unlink()
        machine.systemctl("reload", SERVICE)
