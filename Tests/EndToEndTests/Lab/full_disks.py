#!/usr/bin/env python3
"""Fills disks by adds until they are refused, then to the last byte by others, and finishes everything.

    full_disks.py --payqueued PROGRAM [--sizes MIB,…] [PART]…

For each size of an ext4 file system in an image: with an observer and without one while it fills, with a
quarter of the disk taken by others, and left to itself. The daemon is killed while it fills, on the full disk
before anything is finished, when half is, and when all is. Each part checks that every restart works, that
each accepted transaction can be purchased and finished while nothing is free, that keys are known afterwards,
and that adds go on without a restart once there is room.

Prints a line for each check. Exits 1 if one failed; 77, with the reason, where it cannot run.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Callable, Optional

from fairness import Client, request
from faults import Daemon, FileSystem, in_own_namespace, obstacle, run
from io_faults import fill
from machine import Trouble, eventually
from queue_world import hundreds
from report import Report

MIB = 1 << 20
NOT_DURABLE = -32008
ADDERS = 4
# Seconds in which room that was made must be used; the daemon measures every second.
SOON = 30
# Seconds for the slowest step of the largest disk.
LONG = 1800


class Disk:
    """One file system, its daemon, and everything that was accepted."""

    def __init__(self, title: str, system: FileSystem, daemon: Daemon, report: Report) -> None:
        self.title = title
        self.system = system
        self.daemon = daemon
        self.report = report
        self.accepted: dict[str, str] = {}
        self.refusals: list[dict] = []
        self._lock = threading.Lock()

    def check(self, name: str, is_so: object, detail: object = "") -> None:
        """Says whether something is as its name says, and on which disk."""
        self.report.check(f"{self.title}: {name}", is_so, detail)

    def start(self, when: str) -> None:
        """Starts the daemon, which must work."""
        began = time.monotonic()
        self.daemon.start()
        self.check(f"a start works {when}", True)
        self.report.note(f"{self.title}: start {when} {time.monotonic() - began:.2f} s")
        client = self.daemon.connect()
        client.call("login", account="demo")
        client.close()

    def restart(self, when: str) -> None:
        """Kills the daemon and starts it again."""
        self.daemon.kill()
        self.start(when)

    # Filling

    def add_until(self, is_enough: Callable[[], bool]) -> None:
        """Adds on several connections until each was refused, or until it is enough."""
        threads = [threading.Thread(target=self._add, args=(is_enough,)) for _ in range(ADDERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LONG)

    def _add(self, is_enough: Callable[[], bool]) -> None:
        client = self.daemon.connect()
        dice = random.Random(id(client))
        try:
            while not is_enough() and self._add_batch(client, dice):
                pass
        except (OSError, ValueError) as error:
            self.refusals.append({"error": {"code": 0, "message": f"{error}"}})
        client.close()

    def _add_batch(self, client: Client, dice: random.Random) -> bool:
        keys = [f"{dice.getrandbits(128):032x}-add" for _ in range(100)]
        replies = client.batch(
            [request(n, "add", product="coins.100", key=key) for n, key in enumerate(keys)])
        with self._lock:
            for key, reply in zip(keys, replies):
                if "result" in reply:
                    self.accepted[key] = reply["result"]["transaction"]
                else:
                    self.refusals.append(reply)
            return not self.refusals

    # Finishing

    def observe(self) -> Client:
        """Subscribes and throws every event away."""
        client = self.daemon.connect()
        client.call("subscribe", after="now")

        def read() -> None:
            try:
                while client.socket.recv(MIB):
                    pass
            except OSError:
                pass
        threading.Thread(target=read, daemon=True).start()
        return client

    @staticmethod
    def leave(observer: Client) -> None:
        """Ends a subscription, and with it the thread that reads."""
        with contextlib.suppress(OSError):
            observer.socket.shutdown(socket.SHUT_RDWR)
        observer.close()

    def status(self) -> dict:
        """What the daemon says about itself."""
        client = self.daemon.connect()
        reply = client.call("status")["result"]
        client.close()
        return reply

    def settle(self) -> None:
        """Waits until the store has answered every order."""
        eventually("orders are settled",
                   lambda: self.status()["queue"]["byState"]["purchasing"] == 0, LONG)

    def finish(self, part: float) -> None:
        """Finishes a part of what was accepted, and waits until that is gone."""
        names = list(self.accepted.values())
        names = names[:int(len(names) * part)]
        client = self.daemon.connect()
        refused = []
        for requests in hundreds(request(0, "finish", transaction=name) for name in names):
            refused += [reply for reply in client.batch(requests) if "result" not in reply]
        client.close()
        self.check(f"{part:.0%} of {len(self.accepted)} can be finished", not refused, refused[:2])
        left = len(self.accepted) - len(names)
        try:
            eventually("what is finished leaves",
                       lambda: self.status()["queue"]["unfinished"] <= left, LONG)
        except Trouble as trouble:
            self.check("what is finished leaves the queue", False,
                       f"{trouble}: {self.status()['queue']} {self.daemon.text()[-400:]}")

    def known(self) -> None:
        """Whether every key still names its transaction, which was purchased and finished."""
        client = self.daemon.connect()
        wrong = []
        keys = list(self.accepted)
        for requests in hundreds(request(0, "add", product="coins.100", key=key) for key in keys):
            for asked, reply in zip(requests, client.batch(requests)):
                result = reply.get("result", {})
                if (result.get("transaction") != self.accepted[asked["params"]["key"]]
                        or result.get("state") != "purchased"
                        or result.get("removed", {}).get("reason") != "finished"):
                    wrong.append(reply)
        client.close()
        self.check(f"each of {len(keys)} keys names a purchase that was finished", not wrong, wrong[:2])

    def goes_on(self, when: str) -> None:
        """Whether adds are accepted again, by the same process."""
        pid = self.daemon.process.pid if self.daemon.process else 0
        client = self.daemon.connect()
        last: dict = {}

        def accepted() -> bool:
            nonlocal last
            key = f"again-{random.getrandbits(64)}"
            last = client.call("add", product="coins.100", key=key)
            if "result" in last:
                self.accepted[key] = last["result"]["transaction"]
            return "result" in last
        try:
            eventually("an add is accepted", accepted, SOON)
            isSame = bool(self.daemon.process) and self.daemon.process.pid == pid
            self.check(f"adds go on {when}, without a restart", isSame)
        except (Trouble, OSError, ValueError) as error:
            self.check(f"adds go on {when}, without a restart", False,
                       f"{error} {last} {self.daemon.text()[-600:]}")
        client.close()

    # The whole story

    def fill_by_adds(self, observed: bool) -> None:
        """Adds until the disk takes no more, with a kill on the way."""
        self.start("on an empty disk")
        observer = self.observe() if observed else None
        half = self.system_bytes() // (2 * 14 << 10)
        self.add_until(lambda: len(self.accepted) >= half)
        if observer:
            self.leave(observer)
        self.restart("while it fills")
        observer = self.observe() if observed else None
        self.add_until(lambda: False)
        self.check(f"{len(self.accepted)} adds were accepted before one was refused",
                   len(self.accepted) > half, self.refusals[:1])
        codes = {reply["error"]["code"] for reply in self.refusals}
        self.check("adds are refused as not durable", codes == {NOT_DURABLE}, self.refusals[:2])
        data = self.refusals[0]["error"].get("data", {})
        self.check("a refusal says when to try again, and what is missing",
                   {"retryAfterMs", "shortage", "claimed", "free", "advice"} <= data.keys(), data)
        if observer:
            self.leave(observer)

    def system_bytes(self) -> int:
        """The bytes that are free for others than root."""
        space = os.statvfs(self.system.place)
        return space.f_bavail * space.f_frsize

    def finish_all(self) -> None:
        """Everything that was accepted is purchased and finished, with kills on the way."""
        self.restart("on the full disk")
        observer = self.observe()
        self.settle()
        self.finish(0.5)
        self.leave(observer)
        self.restart("when half is finished")
        observer = self.observe()
        self.settle()
        self.finish(1)
        self.leave(observer)
        self.restart("when all is finished")
        self.known()


class Disks:
    """The parts."""

    def __init__(self, program: Path, report: Report, folder: Path, sizes: list[int]) -> None:
        self.program = program
        self.report = report
        self.folder = folder
        self.sizes = sizes
        self.daemon: Optional[Daemon] = None

    def story(self, name: str, observed: bool, quarter: bool, others: bool) -> None:
        """One way to fill a disk, on disks of every size."""
        for size in self.sizes:
            title = f"{name} on {size} MiB"
            self.report.part(title, lambda: self._story(title, size, observed, quarter, others))

    def _story(self, title: str, size: int, observed: bool, quarter: bool, others: bool) -> None:
        with FileSystem("ext4", size * MIB) as system:
            self.daemon = Daemon(self.program, system.place / "state", self.folder)
            disk = Disk(title, system, self.daemon, self.report)
            try:
                if quarter:
                    run("fallocate", "--length", size * MIB // 4, system.place / "quarter")
                disk.fill_by_adds(observed)
                filler = system.place / "filler"
                if others:
                    fill(filler)
                disk.finish_all()
                if others:
                    filler.unlink()
                disk.goes_on("after room was made" if others else "after all was finished")
                disk.restart("with room")
                self.report.note(f"{title}: {disk.status()['storage']}")
            finally:
                self.daemon.kill()

    def observed(self) -> None:
        """Purchases are settled while the disk fills."""
        self.story("observed", True, False, True)

    def unobserved(self) -> None:
        """Nothing is sent to the store before the disk is full."""
        self.story("unobserved", False, False, True)

    def quarter(self) -> None:
        """Others have a quarter of the disk from the beginning."""
        self.story("quarter", True, True, True)

    def alone(self) -> None:
        """Nobody else writes: finishing makes the room for more."""
        self.story("alone", True, False, False)


PARTS: dict[str, Callable[[Disks], None]] = {
    "observed": Disks.observed, "unobserved": Disks.unobserved, "quarter": Disks.quarter,
    "alone": Disks.alone,
}


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--payqueued", type=Path, required=True)
    words.add_argument("--sizes", default="48,128,512,2048", help="of the disks, in MiB")
    words.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    options = words.parse_args()
    in_own_namespace(__file__, sys.argv[1:])
    if reason := obstacle("fallocate"):
        print(f"skip: {reason}")
        return 77
    with tempfile.TemporaryDirectory(prefix="full-disks-") as folder:
        report = Report()
        sizes = [int(size) for size in options.sizes.split(",")]
        disks = Disks(options.payqueued.resolve(), report, Path(folder), sizes)
        report.explain = lambda: disks.daemon.text()[-2000:] if disks.daemon else ""
        for part in options.parts or PARTS:
            PARTS[part](disks)
        return report.close()


if __name__ == "__main__":
    sys.exit(main())
