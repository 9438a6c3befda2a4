"""How soon the daemon is ready, and how little it takes while nobody wants anything.

These are figures, told and not judged: they are those of the machine and of how the programs were built.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Iterator, Optional

from load import SERVICE
from machine import Machine
from report import Report

HERE = Path(__file__).resolve().parent
ROUNDS = 15
PROBE = "lab-probe.service"


def readiness(report: Report, programs: Path) -> None:
    """READY=1 with an empty state, beside a probe in C that does nothing else."""
    compiler = c_compiler()
    if not compiler:
        return report.skip("how soon it is ready", "there is no C compiler")
    with tempfile.TemporaryDirectory(prefix="lab-probe-") as folder:
        probe = compiled(compiler, f"{folder}/probe")
        # In turns, so that both meet the same machine.
        times: dict[str, list[float]] = {"probe": [], "daemon": []}
        for number in range(ROUNDS):
            times["probe"].append(ready([probe], folder))
            times["daemon"].append(ready(
                [str(programs / "payqueued"), "--socket", f"{folder}/s", "--state-directory",
                 f"{folder}/state-{number}"], folder))
    least, taken = (statistics.median(times[name]) * 1000 for name in ("probe", "daemon"))
    report.note(f"READY=1 with an empty state after {taken:.1f} ms, {taken / least:.1f} times the "
                f"{least:.2f} ms of a probe in C")


def readiness_as_units(machine: Machine, report: Report) -> None:
    """The same as the service manager sees it, in the same sandbox: what `systemctl start` waits for."""
    compiler = c_compiler()
    if not compiler:
        return report.skip("how soon it is ready as a unit", "there is no C compiler")
    with tempfile.TemporaryDirectory(prefix="lab-probe-") as folder:
        program = compiled(compiler, f"{folder}/probe", "-static")
        place = machine.path("/usr/bin/lab-probe")
        shutil.copy(program, place)
    # Whatever the unit demands of the manager, it demands for both.
    lines = machine.path(machine.show(SERVICE, "FragmentPath")).read_text()
    lines = re.sub(r"/usr/bin/payqueued\b", "/usr/bin/lab-probe", lines)
    own = ("Requires=payqueued.socket", "After=payqueued.socket", "ExecReload=")
    machine.write(f"/run/systemd/system/{PROBE}", "\n".join(
        line for line in lines.splitlines() if not line.startswith(own)))
    machine.systemctl("daemon-reload")
    try:
        times: dict[str, list[int]] = {PROBE: [], SERVICE: []}
        for _ in range(ROUNDS):
            for unit, taken in times.items():
                machine.systemctl("stop", unit)
                machine.run("rm", "-rf", "/var/lib/payqueued")
                machine.systemctl("start", unit)
                taken.append(int(machine.show(unit, "ActiveEnterTimestampMonotonic"))
                             - int(machine.show(unit, "InactiveExitTimestampMonotonic")))
        least, most = (statistics.median(times[unit]) / 1000 for unit in (PROBE, SERVICE))
        report.note(f"as a unit, READY=1 with an empty state after {most:.1f} ms, {most / least:.1f} "
                    f"times the {least:.1f} ms of a probe in C with the same unit")
    finally:
        machine.systemctl("stop", PROBE)
        machine.path(f"/run/systemd/system/{PROBE}").unlink()
        place.unlink()
        machine.systemctl("daemon-reload")


def c_compiler() -> Optional[str]:
    """The C compiler of this machine."""
    return shutil.which("cc") or shutil.which("clang")


def compiled(compiler: str, output: str, *flags: str) -> str:
    """The probe, as a program."""
    subprocess.run([compiler, "-O2", *flags, "-o", output, str(HERE / "probe.c")], check=True)
    return output


def idleness(machine: Machine, report: Report, seconds: float) -> None:
    """An idle daemon takes no memory and no time to speak of."""
    machine.systemctl("stop", SERVICE)
    machine.run("rm", "-rf", "/var/lib/payqueued")
    machine.systemctl("start", SERVICE)
    process = machine.path(f"/proc/{machine.show(SERVICE, 'MainPID')}")

    def ticks() -> int:
        fields = (process / "stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    def nanoseconds() -> int:
        return sum(int((task / "schedstat").read_text().split()[0])
                   for task in (process / "task").iterdir())
    # What the start left is let go after a quarter of a minute.
    time.sleep(20)
    before, spent = ticks(), nanoseconds()
    time.sleep(seconds)
    after, spent = ticks(), nanoseconds() - spent
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines()
                  if ":" in line)
    rss = int(status["VmRSS"].split()[0])
    report.note(f"an idle daemon has {rss / 1024:.1f} MiB resident, of them "
                f"{int(status['RssAnon'].split()[0]) / 1024:.1f} of its own, in {status['Threads'].strip()} "
                f"threads; in {seconds:.0f} s it took {after - before} ticks, {spent / 1e6:.1f} ms")


def ready(command: list[str], folder: str) -> float:
    """Seconds from the start of a program to its READY=1."""
    with listening(f"{folder}/notify") as ear:
        began = time.monotonic()
        child = subprocess.Popen(
            command, env={"NOTIFY_SOCKET": f"{folder}/notify", "PATH": os.environ["PATH"]},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while b"READY=1" not in ear.recv(8192):
                pass
            return time.monotonic() - began
        finally:
            child.kill()
            child.wait()


@contextlib.contextmanager
def listening(path: str) -> Iterator[socket.socket]:
    """A socket for notifications."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.settimeout(60)
        ear.bind(path)
        try:
            yield ear
        finally:
            os.unlink(path)
