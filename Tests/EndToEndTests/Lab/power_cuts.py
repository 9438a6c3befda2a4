#!/usr/bin/env python3
"""Cuts the power of file systems under a daemon that sells, and looks for what was acknowledged.

    power_cuts.py --payqueued PROGRAM --payqueuectl PROGRAM [--cuts N] [--results FILE] [--seed N]

Two file systems, ext4 and XFS, in images on loop devices. In each round buyers add and finish, the daemon is
killed at a random moment, in some rounds during its start, and the file system is stopped by FS_IOC_SHUTDOWN
before it writes what was not synced. After the file system has replayed its journal, `journal verify` and the
start must agree; each acknowledged add must be there once, each acknowledged finish must hold, no transaction
may have two orders, and the log must not have lost what was seen of it. As a control, the same runs with
syncs disabled (eatmydata) must lose something.

Appends one line of JSON for each round to the file of results and prints the totals of all runs in it. Exits
1 if anything was lost or doubled, or if a control lost nothing; 77, with the reason, where it cannot run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from faults import LOG_FLUSH, NO_LOG_FLUSH, Daemon, FileSystem, in_own_namespace, obstacle, run
from machine import Trouble
from queue_world import World

KINDS = ("ext4", "xfs")
# So many cuts in one state directory, then a new file system.
CUTS_IN_WORLD = 12
CONTROLS = 5
# The load runs at most so long before a cut, in seconds, and a start that is cut.
LOAD, START = 0.15, 0.06
# A small log has many snapshots and removed segments; without a watchdog it is looked at every second.
CONFIG = '{"retention": {"logBytes": 1048576}, "logLevel": "warning"}'
ENVIRONMENT = {"WATCHDOG_USEC": "200000"}


class Cuts:
    """The rounds on one file system."""

    def __init__(self, kind: str, options: argparse.Namespace, folder: Path) -> None:
        self.kind = kind
        self.options = options
        self.folder = folder
        self.dice = random.Random(f"{options.seed}-{kind}")

    def rounds(self) -> None:
        """As many cuts as wanted, then the control."""
        with FileSystem(self.kind) as system:
            left = self.options.cuts
            while left > 0:
                if not self._world(system, min(left, CUTS_IN_WORLD)):
                    sys.exit(1)
                left -= CUTS_IN_WORLD
            for _ in range(CONTROLS):
                self._control(system)

    def _daemon(self, system: FileSystem) -> Daemon:
        system.unmount()
        system.format()
        system.mount()
        return Daemon(self.options.payqueued, system.place / "state", self.folder, CONFIG,
                      ENVIRONMENT)

    def _world(self, system: FileSystem, cuts: int) -> bool:
        """Cuts in one state directory, until something is wrong; whether nothing was."""
        world = World(self._daemon(system), self.dice)
        for left in range(cuts, -1, -1):
            began, before = time.monotonic(), world.acknowledged
            try:
                self._round(world, isLast=left == 0)
            except Trouble as trouble:
                world.lost.add(str(trouble))
            finally:
                # Before the cut: a sync that races with it may report success.
                world.daemon.kill()
            world.end()
            flags = NO_LOG_FLUSH if self.dice.random() < 0.8 else LOG_FLUSH
            self._keep(world, flags if left else None, world.acknowledged - before, began)
            if world.lost or world.doubled or world.refused:
                self._show(world)
                return False
            if left:
                system.cut(flags)
        return True

    def _round(self, world: World, isLast: bool) -> None:
        """From a start to the moment of a cut; the last one ends when everything is settled."""
        isWhole = self._is_whole(world.daemon.state)
        if not isLast and self.dice.random() < 0.15:
            world.daemon.spawn()
            time.sleep(self.dice.uniform(0, START))
            return
        world.daemon.start()
        if not isWhole:
            world.refused.append("the daemon starts with what verify calls damaged")
        world.check()
        if isLast:
            return world.settle()
        world.begin()
        time.sleep(self.dice.uniform(0, LOAD))

    def _control(self, system: FileSystem) -> None:
        """What was there before the syncs were disabled is on the disk; what came after should not be."""
        world = World(self._daemon(system), self.dice)
        began = time.monotonic()
        world.daemon.before = ("eatmydata",)
        world.daemon.start()
        run("sync", "--file-system", system.place)
        world.begin()
        time.sleep(LOAD)
        world.daemon.kill()
        world.end()
        system.cut(NO_LOG_FLUSH)
        world.daemon.before = ()
        try:
            world.daemon.start()
            world.check()
        except Trouble as trouble:
            world.lost.add(str(trouble))
        world.daemon.kill()
        self._keep(world, NO_LOG_FLUSH, world.acknowledged, began, isControl=True)

    def _is_whole(self, state: Path) -> bool:
        """What `journal verify` says; what is not there yet is nothing damaged."""
        if not (state / "format.json").exists():
            return True
        words = [self.options.payqueuectl, "journal", "verify", state]
        return subprocess.run(words, capture_output=True).returncode == 0

    def _keep(self, world: World, flags: int | None, acknowledged: int, began: float,
              isControl: bool = False) -> None:
        line = {"fileSystem": self.kind, "flags": flags, "control": isControl,
                "seed": self.options.seed, "acknowledged": acknowledged, "lost": len(world.lost),
                "doubled": len(world.doubled), "refused": len(world.refused),
                "seconds": round(time.monotonic() - began, 3)}
        with open(self.options.results, "a") as results:
            results.write(json.dumps(line) + "\n")

    def _show(self, world: World) -> None:
        """Keeps the state directory of a failure beside the results."""
        kept = self.options.results.with_name(f"power-cut-{self.kind}-{int(time.time())}")
        shutil.copytree(world.daemon.state.parent, kept, ignore=shutil.ignore_patterns("lost+found"))
        for name in ("lost", "doubled", "refused"):
            for what in list(getattr(world, name))[:5]:
                print(f"FAIL {self.kind}, seed {self.options.seed}: {name} {what}", flush=True)
        print(f"note the file system's content is in {kept}", flush=True)


def totals(results: Path) -> list[dict]:
    """Every round of all runs."""
    return [json.loads(line) for line in results.read_text().splitlines()]


def report(rounds: list[dict], title: str) -> None:
    """One line for each file system."""
    for kind in KINDS:
        mine = [entry for entry in rounds if entry["fileSystem"] == kind]
        cuts = [entry for entry in mine if not entry["control"] and entry["flags"] is not None]
        controls = [entry for entry in mine if entry["control"]]
        figures = {name: sum(entry[name] for entry in mine if not entry["control"])
                   for name in ("acknowledged", "lost", "doubled", "refused")}
        print(f"note {title} {kind}: {len(cuts):,} cuts, {figures['acknowledged']:,} acknowledged, "
              f"{figures['lost']:,} lost, {figures['doubled']:,} doubled, {figures['refused']:,} refused; "
              f"control: {sum(entry['lost'] > 0 for entry in controls)} of {len(controls)} lost records",
              flush=True)


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--payqueued", type=Path, required=True)
    words.add_argument("--payqueuectl", type=Path, required=True)
    words.add_argument("--cuts", type=int, default=100, help="on each file system")
    words.add_argument("--results", type=Path, default=Path(".build/power-cuts.ndjson"))
    words.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    options = words.parse_args()
    in_own_namespace(__file__, sys.argv[1:])
    if reason := obstacle("mkfs.xfs", "eatmydata"):
        print(f"skip everything: {reason}")
        return 77
    options.results.parent.mkdir(parents=True, exist_ok=True)
    options.results.touch()
    before = len(totals(options.results))
    children: list[int] = []
    # As if asked from the keyboard: the file systems and daemons go with the process.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="power-cuts-") as folder:
        for kind in KINDS:
            place = Path(folder) / kind
            place.mkdir()
            if (child := os.fork()) == 0:
                try:
                    Cuts(kind, options, place).rounds()
                    os._exit(0)
                except SystemExit:
                    os._exit(1)
                except Exception as error:
                    print(f"FAIL {kind}: {type(error).__name__} {error}", flush=True)
                    os._exit(1)
            children.append(child)
        isGood = True
        try:
            while children:
                isGood &= os.waitpid(children[0], 0)[1] == 0
                children.pop(0)
        finally:
            for child in children:
                os.kill(child, signal.SIGTERM)
    rounds = totals(options.results)
    new = rounds[before:]
    isGood &= not any(entry["lost"] or entry["doubled"] or entry["refused"]
                      for entry in new if not entry["control"])
    for kind in KINDS:
        controls = [entry["lost"] for entry in new if entry["control"] and entry["fileSystem"] == kind]
        if not controls or not all(controls):
            print(f"FAIL {kind}: a control lost nothing, so these cuts prove nothing")
            isGood = False
    report(new, "this run,")
    report(rounds, "all runs,")
    return 0 if isGood else 1


if __name__ == "__main__":
    sys.exit(main())
