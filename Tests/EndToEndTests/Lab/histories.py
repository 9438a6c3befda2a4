#!/usr/bin/env python3
"""Records what many clients of one queue see while it suffers faults, and checks it against the protocol.

    histories.py --payqueued PROGRAM [--seconds N] [--seed N] [--planted CLASS,…|all]

Clients of several users buy, finish, restore, subscribe, acknowledge, read, and take more than their share, while
the daemon is killed, stopped and frozen, the power of its file system is cut, its clock jumps, its disk fills
up, its store fails, its limits change and another user floods it. Every request and every event is recorded.
When the faults are over, all views of the queue are recorded as well, and `history_check.py` looks for a
promise that was broken. That is one round; rounds follow until the time is up.

With --planted, a defect between clients and daemon breaks one promise: each round must find exactly that one, and
within a minute.

Prints violations and totals. The history of a round with violations stays in .build/. A seed repeats the faults
and the choices of the clients, not the moments. Exits 1 if a promise was broken, or a planted defect was not
found; 77, with the reason, where it cannot run.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Iterable

from clock_jumps import Clock, compiler
from faults import Daemon, FileSystem, in_own_namespace, obstacle
from history_check import check
from history_clients import HOSTILE, USERS, Person, Pool, buy, follow, read, restore, take_all, watch
from history_facts import Violation
from history_faults import Faults
from history_plants import PLANTS
from history_wire import Gone, Recorder, Way, Wire
from machine import Trouble, eventually
from queue_world import STATES

MIB = 1 << 20
# So much of a round is faults, in seconds; the rest is settling and checking.
ROUND, PLANTED_ROUND = 75, 14
# Seconds within which a planted defect must be found, from the start of the daemon.
FOUND = 60
# Seconds for all work to end after the last fault.
SETTLE = 120


class Round:
    """One state directory, its clients and faults."""

    def __init__(self, program: Path, folder: Path, seed: str, way: Way) -> None:
        self.recorder = Recorder(folder / "history.ndjson")
        self.dice = random.Random(seed)
        self.system = FileSystem("ext4", 160 * MIB)
        self.clock = Clock(folder)
        self.daemon = Daemon(program, self.system.place / "state", folder, "{}", self.clock.environment)
        self.pool = Pool(random.Random(f"{seed} pool"))
        self.way = way
        self.seed = seed
        self.faults = Faults(self.daemon, self.system, self.clock, self.recorder, self.dice, self._root)

    def run(self, seconds: float) -> list[Violation]:
        """Everything, and what was violated."""
        people: list[Person] = []
        follower = self._person("follow", 0, follow)
        try:
            self.faults.start()
            follower.start()
            people = self._people()
            for person in people:
                person.start()
            self._suffer(seconds, people)
            follower.halt.set()
            follower.join()
        except Trouble as trouble:
            if self.faults.is_alive():
                self.recorder.write("stuck", what=str(trouble))
        finally:
            for person in [*people, follower]:
                person.halt.set()
            self.daemon.kill()
            for person in people:
                person.join(5)
            self.recorder.close()
            self.system.close()
        return check(entries(self.recorder.path))

    def _suffer(self, seconds: float, people: list[Person]) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(self.dice.uniform(0.2, 1.6))
            if not self.faults.is_alive():
                return
            self.faults.one()
        self.faults.over()
        for person in people:
            person.halt.set()
        for person in people:
            person.join()
        if self.faults.is_alive():
            self._rest()

    def _person(self, title: str, user: int, act: object, number: int = 0) -> Person:
        return Person(title, user, str(self.daemon.socket), self.recorder, self.way, self.pool, act,
                      f"{self.seed} {title} {user} {number}")

    def _people(self) -> list[Person]:
        people = []
        for user in USERS:
            people += [self._person(title, user, act)
                       for title, act in (("buy", buy), ("watch", watch), ("read", read))]
        people += [self._person("restore", user, restore) for user in USERS[:2]]
        people += [self._person("take", HOSTILE, take_all), self._person("buy", 0, buy)]
        return people

    def _root(self) -> Wire:
        return Wire(str(self.daemon.socket), 0, self.recorder, self.way, self.pool)

    # At rest

    def _rest(self) -> None:
        wire = self._root()
        try:
            # What was never answered is asked again, and what was answered must be known.
            adds = list(self.pool.adds.values())
            for start in range(0, len(adds), 100):
                wire.ask(*[("add", params) for params in adds[start:start + 100]], batch=True)
            try:
                eventually("all work ends", lambda: self._is_settled(wire), SETTLE)
            except Trouble as trouble:
                self.recorder.write("stuck", what=f"{trouble}: {wire.call('status').get('result')}")
            self.recorder.write("quiet")
            self._views(wire)
        except Gone as gone:
            self.recorder.write("stuck", what=f"a connection of root ended at rest: {gone}")
        finally:
            wire.close()

    def _is_settled(self, wire: Wire) -> bool:
        # An order may have come to its approval since.
        self.faults.decide()
        status = wire.call("status")["result"]
        return not (status["queue"]["byState"]["purchasing"] or status["queue"]["completing"]
                    or status["restores"])

    @staticmethod
    def _views(wire: Wire) -> None:
        def view(method: str, **params: object) -> dict:
            reply = wire.call(method, **params)
            if "error" in reply:
                raise Trouble(f"{method} at rest: {reply}")
            return dict(reply["result"])

        view("hello")
        for method, params in (("products", {}), ("transactions", {"states": STATES, "limit": 500}),
                               ("test.orders", {"limit": 500}), ("signedHistory", {}), ("entitlements", {})):
            page = view(method, **params).get("next")
            while page:
                page = view(method, **params, page=page).get("next")
        after: object = "start"
        while (events := view("events", after=after, limit=500))["events"]:
            after = events["next"]
        view("observers")
        view("status")
        view("subscribe")
        while not any(event["method"] == "caughtUp" for event in wire.listen(0.2)):
            pass


def entries(path: Path) -> Iterable[dict]:
    """The lines of a history."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


class Runs:
    """Rounds, one after another, and their totals."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.totals: dict[str, int] = {}
        self.faults: dict[str, int] = {}

    def round(self, seed: str, way: Way, seconds: float) -> tuple[list[Violation], float]:
        """One round: its violations, and how long they took to find."""
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="histories-") as name:
            folder = Path(name)
            folder.chmod(0o755)
            world = Round(self.options.payqueued.resolve(), folder, seed, way)
            violations = world.run(seconds)
            for totals, more in ((self.totals, world.recorder.written), (self.faults, world.faults.counts)):
                for kind, count in more.items():
                    totals[kind] = totals.get(kind, 0) + count
            if violations and type(way) is Way or self.options.keep:
                kept = Path(".build", f"history-{seed}")
                kept.mkdir(parents=True, exist_ok=True)
                shutil.copy(world.recorder.path, kept)
                (kept / "log").write_text(world.daemon.text())
                print(f"note the history is in {kept}", flush=True)
        return violations, time.monotonic() - began

    def honest(self) -> bool:
        """Rounds without a defect; whether nothing was violated."""
        end, number, broken = time.monotonic() + self.options.seconds, 0, 0
        while not broken and (left := end - time.monotonic()) > 5:
            number += 1
            seed = f"{self.options.seed}-{number}"
            violations, took = self.round(seed, Way(), min(ROUND, left))
            broken += len(violations)
            print(f"note round {seed}: {took:.0f} s, {len(violations)} violations", flush=True)
            for violation in violations[:20]:
                print(f"FAIL seed {seed}: {violation}", flush=True)
        asked = self.totals.get("invoke", 0)
        print(f"note {number} rounds, {asked:,} requests ({self.totals.get('ok', 0):,} ok, "
              f"{self.totals.get('fail', 0):,} refused, {self.totals.get('unknown', 0):,} unknown), "
              f"{self.totals.get('event', 0):,} events, {sum(self.faults.values()):,} faults "
              f"({', '.join(f'{count} {name}' for name, count in sorted(self.faults.items()))}), "
              f"{broken} violations")
        return not broken

    def planted(self, kinds: list[str]) -> bool:
        """A round for each planted defect; whether each was found, and nothing else."""
        missed = 0
        for kind in kinds:
            seed = f"{self.options.seed}-{kind}"
            plant = PLANTS[kind](seed)
            violations, took = self.round(seed, plant, PLANTED_ROUND)
            found = {violation.kind for violation in violations}
            isFound = found == {kind} and took <= FOUND
            missed += not isFound
            print(f"{'ok  ' if isFound else 'FAIL'} planted {kind}, {plant.done} times: found {sorted(found)} "
                  f"in {took:.1f} s", flush=True)
            for violation in violations[:3] if isFound else violations[:20]:
                print(f"note   {violation}", flush=True)
        return not missed


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--payqueued", type=Path, required=True)
    words.add_argument("--seconds", type=float, default=300)
    words.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    words.add_argument("--planted", help="all, or some of " + ", ".join(PLANTS))
    words.add_argument("--keep", action="store_true", help="keep every history in .build/")
    options = words.parse_args()
    in_own_namespace(__file__, sys.argv[1:])
    if reason := obstacle() or (None if compiler() else "there is no compiler of C"):
        print(f"skip everything: {reason}")
        return 77
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    print(f"note seed {options.seed}", flush=True)
    runs = Runs(options)
    if options.planted:
        return 0 if runs.planted(list(PLANTS) if options.planted == "all" else options.planted.split(",")) else 1
    return 0 if runs.honest() else 1


if __name__ == "__main__":
    sys.exit(main())
