"""Faults for a daemon that clients use: each is begun, lasts a while, and is over."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from typing import Callable

from clock_jumps import OFFSETS, Clock
from fairness import CONNECTIONS, FLOODS, STRANGER, flood
from faults import NO_LOG_FLUSH, Daemon, FileSystem, run
from history_wire import Gone, Recorder, Wire
from io_faults import fill
from machine import Trouble, eventually
from queue_world import pages

# Limits that make shares matter, and others for reloads.
LIMITS = {"unfinishedTransactions": 2000, "unfinishedRestores": 64, "namedObservers": 64,
          "subscriptions": 160, "waitingCallsInAll": 256, "connections": 256}
OTHERS: dict[str, tuple[int, ...]] = {
    "unfinishedTransactions": (300, 1000, 4000), "unfinishedRestores": (16, 128), "namedObservers": (40, 200),
    "subscriptions": (80, 400), "waitingCallsInAll": (64, 512), "connections": (160, 400)}
# The settings of a store without faults, and each fault of it.
SOUND = {"failTransactionsEnabled": False, "askToBuyEnabled": False, "interruptedPurchasesEnabled": False,
         "latencyMs": 0, "storeDown": False,
         "simulatedErrors": {"purchase": None, "completion": None, "restore": None, "reconciliation": None}}
STORE_FAULTS: tuple[dict, ...] = (
    {"storeDown": True}, {"latencyMs": 300}, {"failTransactionsEnabled": True, "failureError": "declined"},
    {"failTransactionsEnabled": True, "failureError": "unknown"}, {"askToBuyEnabled": True},
    {"interruptedPurchasesEnabled": True}, {"simulatedErrors": {"purchase": "connectionError"}},
    {"simulatedErrors": {"completion": "serviceUnavailable"}}, {"simulatedErrors": {"restore": "connectionError"}},
    {"simulatedErrors": {"reconciliation": "serviceUnavailable"}, "storeDown": True})
CALM_FLOODS = [name for name in FLOODS if "add" not in name]


class Faults:
    """What happens to one daemon, in the order that the dice say."""

    def __init__(self, daemon: Daemon, system: FileSystem, clock: Clock, recorder: Recorder,
                 dice: random.Random, wire: Callable[[], Wire]) -> None:
        self.daemon = daemon
        self.system = system
        self.clock = clock
        self.recorder = recorder
        self.dice = dice
        # A connection of root that is recorded.
        self.wire = wire
        self.counts: dict[str, int] = {}
        self._limits = dict(LIMITS)

    # The daemon's life

    def start(self) -> None:
        """Starts it and notes where its log ends."""
        self.configure()
        self.daemon.start()
        self._is_up()

    def _is_up(self) -> None:
        client = self.daemon.connect()
        hello = client.call("hello")["result"]
        client.close()
        numbers = {name: hello["limits"][name] for name in LIMITS}
        self.recorder.write("up", head=hello["head"], epoch=hello["epoch"])
        self.recorder.write("settled", numbers=numbers)

    def configure(self) -> None:
        """Writes the configuration with the limits that are wanted."""
        self.daemon.config.write_text(json.dumps({
            "socketMode": "0666", "logLevel": "warning", "limits": self._limits,
            "timeouts": {"drainSeconds": 1, "restoreSeconds": 10, "reconciliationSeconds": 2}}))

    def is_alive(self) -> bool:
        """Whether it still runs; notes it if not."""
        process = self.daemon.process
        if process and process.poll() is not None:
            self.recorder.write("died", code=process.returncode, log=self.daemon.text()[-2000:])
            return False
        return True

    def down(self, way: Callable[[], object]) -> None:
        """Ends it; that it has ended by itself is noted."""
        self.is_alive()
        way()
        self.recorder.write("down")

    def kill(self) -> None:
        """SIGKILL at a random moment."""
        self.down(self.daemon.kill)
        if self.dice.random() < 0.3:
            # The next start is cut short as well.
            self.daemon.spawn()
            time.sleep(self.dice.uniform(0, 0.06))
            self.daemon.kill()
        self.start()

    def stop(self) -> None:
        """SIGTERM, with the clients told."""
        self.down(self._stop)
        self.start()

    def _stop(self) -> None:
        if code := self.daemon.stop():
            self.recorder.write("died", code=code, log=self.daemon.text()[-2000:])

    def power(self) -> None:
        """SIGKILL, and what was not synced is gone."""
        self.down(self.daemon.kill)
        self.system.cut(NO_LOG_FLUSH)
        # What others removed shortly before the cut has come back.
        self._make_room()
        self.start()

    def hang(self) -> None:
        """The process stands still for a moment."""
        if self.daemon.process:
            self.daemon.process.send_signal(signal.SIGSTOP)
            time.sleep(self.dice.uniform(0.05, 0.5))
            self.daemon.process.send_signal(signal.SIGCONT)

    # What surrounds it

    def jump(self) -> None:
        """The wall clock is set; in some cases the daemon is killed in that time."""
        self.clock.set(self.dice.choice((*OFFSETS, 40 * 86_400, -40 * 86_400)))
        if self.dice.random() < 0.3:
            self.kill()

    def full_disk(self) -> None:
        """Others fill the disk; in some cases the daemon is killed in that time."""
        filler = self.system.place / "filler"
        try:
            with contextlib.suppress(Trouble):
                free = os.statvfs(self.system.place)
                run("fallocate", "--length", max(free.f_bavail * free.f_frsize - (1 << 20), 4096), filler)
            fill(self.system.place / "rest")
            time.sleep(self.dice.uniform(0.3, 1.5))
            if self.dice.random() < 0.3:
                self.kill()
        finally:
            self._make_room()

    def _make_room(self) -> None:
        """Removes what fills the disk."""
        for name in ("filler", "rest"):
            (self.system.place / name).unlink(missing_ok=True)

    def store(self) -> None:
        """The store is away, slow, refuses, or asks; in some cases the daemon is killed in that time."""
        self.set(self.dice.choice(STORE_FAULTS))
        time.sleep(self.dice.uniform(0.2, 1.5))
        if self.dice.random() < 0.2:
            self.kill()
        self.set(SOUND)
        self.decide()

    def set(self, settings: dict) -> None:
        """Changes settings of the embedded store, as soon as the disk takes them."""
        def isSet() -> bool:
            client = self.daemon.connect()
            reply = client.call("test.set", **settings)
            client.close()
            # The log has no room, or the embedded store has none.
            if "result" not in reply and reply["error"]["code"] not in (-32008, -32009):
                raise Trouble(f"test.set {settings}: {reply}")
            return "result" in reply
        eventually(f"test.set {settings}", isSet)

    def decide(self) -> None:
        """Decides what waits for an approval."""
        client = self.daemon.connect()
        for page in list(pages(client, "transactions", waitingFor=["approval"], limit=500)):
            for entry in page["transactions"]:
                client.call("decide", transaction=entry["id"],
                            outcome=self.dice.choice(("approve", "approve", "decline")))
        client.close()

    def session(self) -> None:
        """The account logs out and in again; in some cases the daemon is killed in that time."""
        self._ask("logout")
        time.sleep(self.dice.uniform(0, 0.8))
        if self.dice.random() < 0.2:
            self.kill()
        self._ask("login", account="demo")

    def _ask(self, method: str, **params: object) -> None:
        def isDone() -> bool:
            try:
                wire = self.wire()
                try:
                    return "result" in wire.call(method, **params)
                finally:
                    wire.close()
            except Gone:
                return False
        eventually(method, isDone)

    def reload(self) -> None:
        """Limits change while they are used, by a signal."""
        name = self.dice.choice(list(OTHERS))
        self._limits = {**LIMITS, name: self.dice.choice(OTHERS[name])}
        self._reload()

    def _reload(self) -> None:
        self.recorder.write("limits", numbers=self._limits)
        self.configure()
        if self.dice.random() < 0.3:
            self.kill()
        elif self.daemon.process:
            self.daemon.process.send_signal(signal.SIGHUP)
        eventually("the limits are reloaded", self._are_set)
        self.recorder.write("settled", numbers=self._limits)

    def _are_set(self) -> bool:
        client = self.daemon.connect()
        limits = client.call("hello")["result"]["limits"]
        client.close()
        return all(limits[name] == number for name, number in self._limits.items())

    def neighbour(self) -> None:
        """Another user floods the daemon."""
        seconds = self.dice.uniform(0.5, 1.5)
        self.recorder.write("fault", what="flood", user=STRANGER, connections=CONNECTIONS, seconds=seconds)
        subprocess.run([sys.executable, __file__, self.daemon.socket, self.dice.choice(CALM_FLOODS), str(seconds)],
                       check=False, stderr=subprocess.DEVNULL)

    # The course of things

    FAULTS: tuple[tuple[int, Callable[[Faults], None]], ...] = (
        (8, kill), (4, stop), (3, power), (3, hang), (4, jump), (3, full_disk), (6, store), (4, reload),
        (2, neighbour), (2, session))

    def one(self) -> None:
        """The next fault."""
        weights, faults = zip(*self.FAULTS)
        fault = self.dice.choices(faults, weights)[0]
        self.counts[fault.__name__] = self.counts.get(fault.__name__, 0) + 1
        self.recorder.write("fault", what=fault.__name__)
        fault(self)

    def over(self) -> None:
        """All faults end; the last is a kill."""
        self.clock.set(0)
        self._limits = dict(LIMITS)
        self._reload()
        self.kill()
        self.set(SOUND)
        self.decide()


def main() -> None:
    """The neighbour, a process of its own: SOCKET FLOOD SECONDS."""
    path, name, seconds = sys.argv[1:]
    os.waitpid(flood(path, FLOODS[name], float(seconds)), 0)


if __name__ == "__main__":
    main()
