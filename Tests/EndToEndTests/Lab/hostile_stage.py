"""A daemon, an honest client and a hostile user, and the verdict on a case."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import statistics
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Optional

import hostile_user
from fairness import request
from faults import Daemon
from hostile_honest import CATALOGUE, FIRST, PURCHASES, WAITS, Diary, Shopper, slowest, verify
from hostile_user import Case, Hostile
from machine import eventually

QUIET_SECONDS, WARM_SECONDS = 0.3, 0.1
# How much longer a wait may take than without harm, and a purchase, which is four waits, in milliseconds.
MORE_MS = {"waits": 10, "purchases": 40}
# Memory that the allocator may keep in all, however many cases a daemon has seen, in MiB, and descriptors for
# files of the log, after the hostile user left.
MOST_MEMORY, MOST_FILES = 64, 4
# How long memory and descriptors may take to return, in seconds.
RETURN_SECONDS = 8
LOG_BYTES, ORDERS = 40_000_000, 2_000
ROOT = Path(__file__).resolve().parents[3]


def documented() -> set[int]:
    """The codes of the table of errors in the documentation; an internal error is never right."""
    text = (ROOT / "Sources/payqueued/Documentation.docc/Methods.md").read_text()
    return {int(code) for code in re.findall(r"^\| `(-?\d+)` \|", text, re.M)} - {-32603}


class Stage:
    """A daemon whose socket everybody may use, with one state directory."""

    def __init__(self, program: Path, folder: Path, config: dict[str, Any]) -> None:
        self.folder = folder
        folder.mkdir()
        folder.chmod(0o755)
        catalogue = folder / "catalogue.json"
        catalogue.write_text(json.dumps(CATALOGUE))
        catalogue.chmod(0o600)
        self.held: list[object] = []
        self.daemon = Daemon(program, folder / "state", folder, json.dumps(
            {"catalog": str(catalogue), "socketMode": "0666", "metricsSocket": str(folder / "metrics"),
             **config}))
        self.daemon.before = ("chrt", "--fifo", str(FIRST))

    def start(self) -> None:
        """Starts the daemon."""
        self.daemon.start()
        self.pid = self.daemon.process.pid
        # It can be connected to before it has its mode.
        eventually("everybody may connect", lambda: self.daemon.socket.stat().st_mode & 0o777 == 0o666)
        client = self.daemon.connect()
        # A name that belongs to another user than the hostile one.
        client.call("subscribe", name="honest", after="now")
        client.close()
        self.first = self.memory()
        if (self.folder / "metrics").exists():
            (self.folder / "metrics").chmod(0o666)

    def memory(self) -> float:
        """The daemon's own resident memory, in MiB; mapped files are not counted."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.split("RssAnon:")[1].split()[0]) / 1024

    def files(self) -> int:
        """The descriptors that the daemon has open."""
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def ended(self) -> bool:
        """Whether the daemon has ended."""
        return self.daemon.process.poll() is not None

    def fill(self) -> None:
        """Makes a long log, and an account with many orders."""
        observer, buyer = self.daemon.connect(), self.daemon.connect()
        number = 0

        def batch(**more: object) -> list[str]:
            nonlocal number
            number += 1
            replies = buyer.batch([request(i, "add", product="coins.100", key=f"fill-{number}-{i}", **more)
                                   for i in range(100)])
            return [reply["result"]["transaction"] for reply in replies]

        observer.call("subscribe", after="now")
        threading.Thread(target=lambda: all(iter(lambda: observer.lines.readline(), b"")), daemon=True).start()
        for _ in range(ORDERS // 100):
            names = batch()
            for name in names:
                buyer.call("wait", transaction=name, timeout=60)
            buyer.batch([request(i, "finish", transaction=name) for i, name in enumerate(names)])
        observer.socket.shutdown(2)
        while buyer.call("status")["result"]["log"]["bytes"] < LOG_BYTES:
            for _ in range(10):
                names = batch(appAccountToken="t" * 250)
                buyer.batch([request(i, "finish", transaction=name) for i, name in enumerate(names)])
        # Some remain open, and wait for an observer.
        for _ in range(20):
            batch()
        buyer.close()

    def close(self) -> None:
        """Ends the daemon and removes everything."""
        self.daemon.kill()
        shutil.rmtree(self.folder)


@dataclass
class Run:
    """What was seen in one run of a case."""

    quiet: dict[str, float]
    beside: dict[str, float]
    wrong: list[str]
    sent: int
    answered: int
    grown: float
    # The kind of wait that took longest beside the harm.
    slowest: str = ""

    def excess(self, kinds: list[str]) -> float:
        """How near to its limit the slower kind is; above 1 it is beyond."""
        return max(self.beside[kind] / max(2 * self.quiet[kind], self.quiet[kind] + MORE_MS[kind])
                   for kind in kinds)


class Judge:
    """Runs cases and counts."""

    def __init__(self, program: Path, folder: Path, seconds: float) -> None:
        self.program = program
        self.folder = folder
        self.seconds = seconds
        self.codes = documented()
        self.passed = 0
        self.failed: list[str] = []
        self.worst: tuple[float, str] = (0, "none")
        self._stage: Optional[tuple[object, Stage]] = None
        self._number = 0
        self._began = time.monotonic()
        self._full: Optional[Path] = None

    # Daemons

    def stage(self, case: Case) -> Stage:
        """The daemon of the case before, if it will do, or another one."""
        wanted = (json.dumps(case.config), case.full)
        if self._stage and self._stage[0] == wanted:
            return self._stage[1]
        self.drop()
        self._number += 1
        stage = Stage(self.program, self.folder / str(self._number), case.config)
        if case.full:
            shutil.copytree(self.full(), stage.daemon.state)
        self._stage = (wanted, stage)
        stage.start()
        return stage

    def drop(self) -> None:
        """Ends the daemon."""
        if self._stage:
            self._stage[1].close()
            self._stage = None

    def full(self) -> Path:
        """A state directory with a long log; made once."""
        if not self._full:
            stage = Stage(self.program, self.folder / "full", {})
            stage.start()
            stage.fill()
            stage.daemon.stop()
            self._full = stage.daemon.state
        return self._full

    def close(self) -> None:
        """Ends what runs."""
        self.drop()

    # Cases

    def judge(self, case: Case) -> None:
        """Runs a case, three times if it seems too slow, and prints the verdict."""
        kinds = ["waits"] if case.stops else ["waits", "purchases"]
        runs = [self.run(case)]
        if runs[0].excess(kinds) > 1 and not runs[0].wrong and case.family != "control":
            runs += [self.run(case), self.run(case)]
        excess = statistics.median(run.excess(kinds) for run in runs)
        shown = min(runs, key=lambda run: abs(run.excess(kinds) - excess))
        wrong = [text for run in runs for text in run.wrong]
        if excess > 1:
            wrong.append(f"the honest client waits too long, longest for {shown.slowest}")
        if case.family == "control":
            wanted, wrong = wrong, []
            if not any(CONTROL[case.name].finds in text for text in wanted):
                wrong = [f"'{CONTROL[case.name].finds}' was not noticed, only {wanted}"]
        else:
            self.worst = max(self.worst, (excess, f"{case.family}: {case.name}"))
        figures = ", ".join(f"{kind} {shown.quiet[kind]:.1f} → {shown.beside[kind]:.1f}" for kind in kinds)
        print(f"{'BAD ' if wrong else 'ok  '} {case.family}: {case.name}: {figures} ms; "
              f"{shown.sent} sent, {shown.answered} answered, {shown.grown:+.1f} MiB"
              + (f"; {len(runs)} runs" if len(runs) > 1 else "")
              + "".join(f"\n     {text}" for text in wrong[:5]), flush=True)
        if wrong:
            self.failed.append(f"{case.family}: {case.name}")
        else:
            self.passed += 1
        if wrong or case.lasts or case.family == "control":
            self.drop()

    def run(self, case: Case) -> Run:
        """Runs a case once."""
        if case.lasts and self._stage:
            self.drop()
        stage = self.stage(case)
        shopper = Shopper(str(stage.daemon.socket), stage.folder, whole=not case.stops)
        time.sleep(WARM_SECONDS)
        begin = time.monotonic()
        time.sleep(QUIET_SECONDS)
        files = stage.files()
        attacked = time.monotonic()
        report, wrong = self.attack(case, stage)
        left = time.monotonic()
        if stage.ended():
            shopper.end()
            return Run({"waits": 1, "purchases": 1}, {"waits": 0, "purchases": 0},
                       [f"the daemon has ended: {stage.daemon.text()[-400:]}"], 0, 0, 0)
        grown = self.returned(case, stage, files, wrong)
        diary = shopper.end()
        if diary.wrong:
            wrong.append(diary.wrong)
        if case.family == "control":
            CONTROL[case.name].forges(diary)
        client = stage.daemon.connect()
        if lost := verify(client, diary, mayBeHidden=case.stops):
            wrong.append(lost)
        client.close()
        # A user who may stop purchases may also have everything redelivered again and again.
        waits = tuple(kind for kind in WAITS if kind != "caughtUp" or not (case.stops or case.redelivers))
        kinds = {"waits": waits, "purchases": PURCHASES}
        return Run({kind: slowest(diary.between(begin, attacked, names)) for kind, names in kinds.items()},
                   {kind: slowest(diary.between(attacked, left, names)) for kind, names in kinds.items()},
                   wrong, report.get("sent", 0), report.get("answered", 0), grown,
                   max(waits, key=lambda kind: max(diary.between(attacked, left, (kind,)), default=0)))

    def attack(self, case: Case, stage: Stage) -> tuple[dict[str, Any], list[str]]:
        """Does the harm; the hostile user's report, and what is wrong in it."""
        if case.family == "control":
            CONTROL[case.name].harm(stage, time.monotonic() + self.seconds)
            return {}, []
        child, source = hostile_user.run(case, str(stage.folder), stage.pid, self.seconds)
        with open(source, "rb") as reports:
            text = reports.read()
        os.waitpid(child, 0)
        if not text:
            return {}, ["the hostile user has crashed"]
        report = json.loads(text)
        wrong = list(report["wrong"])
        seen = set(report["codes"])
        known = self.codes | hostile_user.HTTP
        if strange := seen - known:
            wrong.append(f"it was answered {sorted(strange)}, which is not documented")
        if missing := case.codes - seen:
            wrong.append(f"it was answered {sorted(seen)}, never {sorted(missing)}")
        if not report["sent"]:
            wrong.append("it has done nothing")
        return report, wrong

    def returned(self, case: Case, stage: Stage, files: int, wrong: list[str]) -> float:
        """Waits until memory and descriptors are back; how much memory is not, in MiB."""
        end = time.monotonic() + RETURN_SECONDS
        while True:
            grown, more = stage.memory() - stage.first, stage.files() - files
            isBack = grown <= MOST_MEMORY + case.grows and more <= MOST_FILES
            if isBack or time.monotonic() > end:
                break
            time.sleep(0.05)
        if grown > MOST_MEMORY + case.grows:
            wrong.append(f"the daemon's memory has grown from {stage.first:.0f} by {grown:.0f} MiB")
        if more > MOST_FILES:
            wrong.append(f"the daemon has {more} descriptors more than the {files} before")
        return grown

    def summary(self) -> int:
        """The closing lines; 1 if anything failed."""
        print(f"note worst: {self.worst[0]:.2f} of what is allowed, {self.worst[1]}")
        print(f"note {time.monotonic() - self._began:.0f} s in all")
        for name in self.failed:
            print(f"FAIL {name}")
        print(f"{self.passed} passed, {len(self.failed)} failed", flush=True)
        return 1 if self.failed else 0


# Harm that must be noticed.

def pauses(stage: Stage, until: float) -> None:
    """Stops the daemon for 50 ms again and again."""
    while time.monotonic() < until:
        os.kill(stage.pid, signal.SIGSTOP)
        time.sleep(0.05)
        os.kill(stage.pid, signal.SIGCONT)
        time.sleep(0.02)


def death(stage: Stage, until: float) -> None:
    """Ends the daemon."""
    stage.daemon.kill()


def held(stage: Stage, until: float) -> None:
    """Keeps connections open, as if the daemon had forgotten to close them."""
    stage.held = [stage.daemon.connect() for _ in range(40)]


def harmless(_: Stage, until: float) -> None:
    """Does nothing."""
    time.sleep(max(0, until - time.monotonic()))


def lose(diary: Diary) -> None:
    """Adds a purchase that was never made."""
    diary.bought["never"] = ("honest.1", "0" * 36, None)


def double(diary: Diary) -> None:
    """Gives two purchases one transaction."""
    diary.bought["twice"] = next(iter(diary.bought.values()))


def nothing(_: Hostile) -> None:
    """The harm of a control is not done by the hostile user."""


@dataclass(frozen=True)
class Control:
    """Harm, or a false report of the honest client, and a part of the text that must come of it."""

    finds: str
    harm: Callable[[Stage, float], None] = harmless
    forges: Callable[[Diary], None] = lambda _: None


CONTROL: dict[str, Control] = {
    "a daemon that is stopped for 50 ms again and again": Control("waits too long", pauses),
    "a daemon that is killed": Control("the daemon has ended", death),
    "a daemon that keeps connections open": Control("descriptors more", held),
    "a purchase that was never made": Control("is lost", forges=lose),
    "two purchases with one transaction": Control("have one transaction", forges=double),
}
CONTROLS = [Case("control", name, nothing) for name in CONTROL]
