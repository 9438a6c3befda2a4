"""One user that does everything at once, while the daemon has little memory and two users buy and restore."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import time
from dataclasses import dataclass
from typing import Any

import hostile_user
from hostile_honest import PURCHASES, WAITS, Diary, Shopper, slowest, verify
from hostile_stage import Judge, Stage
from hostile_user import CASES, HOSTILE, Case
from io_faults import MIB, limit_memory, memory_group

MEMORY = 256 * MIB
# Processes of the hostile user at a time, and how long each does one kind of harm, in seconds.
PROCESSES, TURN_SECONDS = 6, 3
QUIET_SECONDS = 10
# How long the daemon is watched after the hostile user has left, in seconds.
AFTER_SECONDS = 15
SEED = 1
# It may look and buy. With more it could answer questions, or change the account, which nothing can undo.
ROLES = {"roles": {"users": {str(HOSTILE): ["observe", "buy"]}}}
# What waits and purchases may take at least, in milliseconds; otherwise four times the quiet time.
LEAST_MS = {"waits": 20, "purchases": 80}
KINDS = {"waits": WAITS, "purchases": PURCHASES}


def pool() -> list[Case]:
    """The kinds of harm that go together: not what its role permits, nor what takes other limits."""
    return [case for case in CASES
            if not case.stops and not case.config and "the honest client" not in case.name]


@dataclass
class Slot:
    """A process of the hostile user."""

    child: int
    source: int
    until: float


class Worst:
    """The run."""

    def __init__(self, judge: Judge, seconds: float) -> None:
        self.judge = judge
        self.seconds = seconds
        self.wrong: list[str] = []
        self.most = 0.0
        self.sent = 0
        self.answered = 0
        self._codes: set[int] = set()
        self._dice = random.Random(SEED)
        self._pool = pool()

    def run(self) -> int:
        """Runs it, and prints what was seen; 1 if anything is wrong."""
        stage = Stage(self.judge.program, self.judge.folder / "worst", ROLES)
        shutil.copytree(self.judge.full(), stage.daemon.state)
        group = memory_group()
        try:
            self._start(stage, group)
            self._measure(stage)
        finally:
            stage.close()
            if group:
                group.rmdir()
        for text in self.wrong:
            print(f"BAD  {text}")
        print(f"{'BAD ' if self.wrong else 'ok  '} everything at once for {self.seconds:.0f} s: {self.sent} sent, "
              f"{self.answered} answered, the daemon took at most {self.most:.0f} MiB", flush=True)
        return 1 if self.wrong else 0

    def _start(self, stage: Stage, group: Any) -> None:
        """Starts the daemon with little memory."""
        if group:
            limit_memory(group, MEMORY)
            # As a service manager does: the limit is there before the program.
            enter = f'echo $$ >{group}/cgroup.procs; exec "$@"'
            stage.daemon.before = ("sh", "-c", enter, "sh", *stage.daemon.before)
            stage.start()
            print(f"note the daemon has {MEMORY // MIB} MiB of memory, by a control group")
        else:
            stage.start()
            resource.prlimit(stage.pid, resource.RLIMIT_DATA, (MEMORY, MEMORY))
            print(f"note the daemon has {MEMORY // MIB} MiB of data, by a limit of the process")

    def _measure(self, stage: Stage) -> None:
        path = str(stage.daemon.socket)
        shoppers = {"root": Shopper(path, stage.folder, user=0, number=0, restores=True),
                    "user 20001": Shopper(path, stage.folder, user=20001, number=1, restores=True)}
        time.sleep(1)
        begin = time.monotonic()
        time.sleep(QUIET_SECONDS)
        attacked = time.monotonic()
        self._attack(stage, attacked + self.seconds)
        left = time.monotonic()
        self._watch(stage)
        diaries = {name: shopper.end() for name, shopper in shoppers.items()}
        if stage.ended():
            self.wrong.append(f"the daemon has ended: {stage.daemon.text()[-400:]}")
            return
        for name, diary in diaries.items():
            self._compare(name, diary, begin, attacked, left)
            if diary.wrong:
                self.wrong.append(f"{name}: {diary.wrong}")
            client = stage.daemon.connect()
            if lost := verify(client, diary):
                self.wrong.append(f"{name}: {lost}")
            client.close()
        if strange := self._codes - self.judge.codes - hostile_user.HTTP:
            self.wrong.append(f"the hostile user was answered {sorted(strange)}, which is not documented")

    def _attack(self, stage: Stage, until: float) -> None:
        """Keeps processes of the hostile user at work, each with another kind of harm again and again."""
        slots: list[Slot] = []
        while time.monotonic() < until and not stage.ended():
            self.most = max(self.most, stage.memory())
            slots = [slot for slot in slots if not self._ended(slot)]
            while len(slots) < PROCESSES:
                case = self._dice.choice(self._pool)
                seconds = min(TURN_SECONDS, max(0.1, until - time.monotonic()))
                child, source = hostile_user.run(case, str(stage.folder), stage.pid, seconds)
                slots.append(Slot(child, source, time.monotonic() + seconds + 10))
            time.sleep(0.05)
        for slot in slots:
            os.kill(slot.child, signal.SIGKILL)
            os.waitpid(slot.child, 0)
            os.close(slot.source)

    def _ended(self, slot: Slot) -> bool:
        """Whether a process has ended; then its report is counted."""
        if not os.waitpid(slot.child, os.WNOHANG)[0]:
            if time.monotonic() > slot.until:
                os.kill(slot.child, signal.SIGKILL)
            return False
        with open(slot.source, "rb") as reports:
            text = reports.read()
        if text:
            report = json.loads(text)
            self.sent += report["sent"]
            self.answered += report["answered"]
            self._codes |= set(report["codes"])
        return True

    def _watch(self, stage: Stage) -> None:
        """The daemon's memory must not grow when the hostile user has left."""
        if stage.ended():
            return
        time.sleep(AFTER_SECONDS / 3)
        before = stage.memory()
        time.sleep(2 * AFTER_SECONDS / 3)
        after = stage.memory()
        print(f"note memory of the daemon: {stage.first:.0f} MiB at first, {self.most:.0f} at most, {before:.0f} "
              f"after the hostile user left, {after:.0f} in the end; {stage.files()} descriptors")
        if after > before + 8:
            self.wrong.append(f"the daemon's memory grows from {before:.0f} to {after:.0f} MiB afterwards")

    def _compare(self, name: str, diary: Diary, begin: float, attacked: float, left: float) -> None:
        for kind, words in KINDS.items():
            quiet = slowest(diary.between(begin, attacked, words))
            times = diary.between(attacked, left, words)
            beside = slowest(times)
            limit = max(4 * quiet, LEAST_MS[kind])
            isGood = beside <= limit
            print(f"{'ok  ' if isGood else 'BAD '} {name}: {len(times)} {kind}: p99 {quiet:.1f} → {beside:.1f} ms, "
                  f"maximum {times[-1] if times else 0:.1f}")
            if not isGood:
                self.wrong.append(f"{name}: {kind} take {beside:.1f} ms, more than {limit:.1f}")
        for kind in (*WAITS, "restored"):
            if times := diary.between(attacked, left, (kind,)):
                print(f"note   {kind}: {len(times)}, p50 {times[len(times) // 2]:.1f}, p99 {slowest(times):.1f}, "
                      f"maximum {times[-1]:.1f} ms")
