"""A disk that is slow, and one that does not answer."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Iterator, Optional

from load import SERVICE, SOCKET
from machine import Machine, eventually
from report import Report

STALLED = "8e89114ab8da4970ae7ee209044c0ff9"
# A start may take so long, in seconds, if it makes no progress.
TIMEOUT = 6
# The third read of whoever reads is delayed by so much.
DELAY = 7


def untraceable() -> Optional[str]:
    """Why calls cannot be delayed here; None if they can."""
    if not shutil.which("strace"):
        return "strace is not installed"
    tried = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True)
    return None if tried.returncode == 0 else "this user may not trace processes"


class DiskChecks:
    """Calls of the daemon are delayed from outside, by a tracer that it does not know of."""

    def __init__(self, machine: Machine, report: Report) -> None:
        self.machine = machine
        self.report = report

    def slow_disk(self) -> None:
        """A replay that takes longer than the timeout of the start is not cut short."""
        machine, report = self.machine, self.report
        if reason := untraceable():
            return report.skip("a replay longer than the timeout", reason)
        # It waits for the tracer before it becomes the daemon.
        machine.drop_in(SERVICE, f"""[Service]
TimeoutStartSec={TIMEOUT}s
NoExecPaths=
ExecPaths=
ExecStart=
ExecStart=/bin/sh -c 'kill -STOP $$$$; exec /usr/bin/payqueued'
""")
        machine.systemctl("stop", SERVICE)
        machine.systemctl("start", "--no-block", SERVICE)
        pid = eventually("it was started", lambda: started(machine.show(SERVICE, "MainPID")))
        process = machine.outside(pid)
        eventually("it waits", lambda: "\nState:\tT" in Path(f"/proc/{process}/status").read_text())
        with delayed(process, "pread64", DELAY, when=3):
            os.kill(process, signal.SIGCONT)
            eventually("it is ready", lambda: machine.show(SERVICE, "ActiveState") == "active")
        took = int(machine.show(SERVICE, "ActiveEnterTimestampMonotonic")) - int(
            machine.show(SERVICE, "ExecMainStartTimestampMonotonic"))
        report.check("a replay that takes longer than the timeout of the start",
                     took > TIMEOUT * 1e6, f"it took {took / 1e6:.1f} s")
        report.same("does not get the daemon killed",
                    (machine.show(SERVICE, "MainPID"), machine.show(SERVICE, "Result")),
                    (pid, "success"))
        machine.undrop(SERVICE)
        machine.systemctl("restart", SERVICE)

    def hanging_disk(self) -> None:
        """A disk that does not answer has the daemon ended by the watchdog, and the log says why."""
        machine, report = self.machine, self.report
        if reason := untraceable():
            return report.skip("a disk that hangs", reason)
        machine.drop_in(SERVICE, "[Service]\nWatchdogSec=2s\n")
        machine.systemctl("restart", SERVICE)
        client = machine.connect(SOCKET)
        pid = machine.show(SERVICE, "MainPID")
        before = len(machine.journal(f"MESSAGE_ID={STALLED}", "-u", SERVICE))
        with delayed(machine.outside(pid), "fdatasync", 60):
            # The tracer stops the process while it attaches; a stall then is not that of the disk. The daemon's own
            # sync for the watchdog may hang first, and then the client's connection ends without an answer.
            with contextlib.suppress(ConnectionError):
                client.call("ping")
                client.send("add", product="coins.100", key="hanging")
            # The tracer holds the process, so that it cannot end: no longer than until the manager wants it to. It
            # may have ended between two looks.
            eventually(
                "the watchdog bites", lambda: "watchdog" in machine.show(SERVICE, "SubState")
                or machine.show(SERVICE, "MainPID") != pid)
        machine.restarted(SERVICE, pid)
        stalled = machine.journal(f"MESSAGE_ID={STALLED}", "-u", SERVICE)[before:]
        # On a busy machine the loop may be late before as well.
        named = [entry.get("PAYQUEUED_AT") for entry in stalled]
        report.check("a disk that hangs is named in the log", "sync of the journal" in named, str(named))
        report.check("and the watchdog ends the daemon", True)
        client.close()
        client = machine.connect(SOCKET)
        again = client.call("add", product="coins.100", key="hanging")
        client.call("finish", transaction=again["transaction"])
        report.check("when it answers again, so does the daemon", True)
        client.close()
        machine.undrop(SERVICE)
        machine.systemctl("restart", SERVICE)


def started(pid: str) -> Optional[str]:
    """The process, if there is one: 0 stands for none."""
    return pid if pid != "0" else None


@contextlib.contextmanager
def delayed(process: int, call: str, seconds: float, when: Optional[int] = None) -> Iterator[None]:
    """Delays a call of a process, or each thread's so many-th, by its number on this side."""
    times = "" if when is None else f":when={when}"
    with tempfile.TemporaryFile() as errors:
        tracer = subprocess.Popen(
            ["strace", "-f", "-p", str(process), "-e", f"trace={call}", "-e",
             f"inject={call}:delay_enter={int(seconds * 1e6)}{times}", "-o", "/dev/null"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)

        def is_attached() -> bool:
            errors.seek(0)
            return b"attached" in errors.read()
        try:
            eventually("the tracer is there", is_attached)
            yield
        finally:
            tracer.kill()
            tracer.wait()
