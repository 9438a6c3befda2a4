#!/usr/bin/env python3
"""Sets the clock of a daemon that sells to and fro, kills it, and looks for what was acknowledged.

    clock_jumps.py --payqueued PROGRAM --payqueuectl PROGRAM [--rounds N] [--days N] [--seed N]

In each round buyers add and finish while the wall clock jumps, at most by the given days (800); then the daemon
is killed, and often started with another time than it ended with. No key may be forgotten, however far
the clock was ahead, no purchase may stop, and what was acknowledged must be there once. Only the wall clock of
the daemon jumps, by a preloaded library; the time since boot does not, as on a machine whose clock is set.

Prints what went wrong and the totals. Exits 1 if anything did; 77, with the reason, where it cannot run.
"""

from __future__ import annotations

import argparse
import datetime
import mmap
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Optional

from faults import Daemon, run
from machine import Trouble, eventually
from queue_world import World

SOURCE = Path(__file__).with_name("clock.c")
DAY = 86_400
# Where the clock is put, in seconds from the true time, or half as many days as wanted.
OFFSETS = (-DAY, -3600, -1, 0, 1, 3600, DAY)
# So many kills in one state directory.
KILLS_IN_WORLD = 12
CONFIG = '{"retention": {"logBytes": 1048576}, "logLevel": "warning"}'


class Clock:
    """The wall clock of a daemon."""

    def __init__(self, folder: Path) -> None:
        self.offset = 0
        self.jumps = 0
        self.log: list[tuple[float, int]] = []
        with open(folder / "clock", "w+b") as file:
            file.write(bytes(8))
            file.flush()
            self._memory = mmap.mmap(file.fileno(), 8)
        library = folder / "clock.so"
        run(compiler() or "cc", "-shared", "-fPIC", "-O2", "-o", library, SOURCE)
        # Ticks of the watchdog that are so close have the retention and the log looked at often.
        self.environment = {"LD_PRELOAD": str(library), "CLOCK_OFFSET": str(folder / "clock"),
                            "WATCHDOG_USEC": "200000"}

    def set(self, offset: int) -> None:
        """Puts the clock so many seconds from the true time."""
        self.jumps += offset != self.offset
        self.log.append((round(time.time(), 2), offset))
        self.offset = offset
        self._memory[:] = struct.pack("=q", offset)

    def check(self, since: str) -> None:
        """Fails if a daemon that was just started has another time."""
        shown = datetime.datetime.fromisoformat(since.replace("Z", "+00:00")).timestamp()
        if abs(shown - time.time() - self.offset) > 60:
            raise Trouble(f"the clock does not jump here: {since} with {self.offset:+d} s")


def compiler() -> Optional[str]:
    """A compiler of C; Swift brings one."""
    return shutil.which("clang") or shutil.which("cc")


def live(world: World, clock: Clock, kills: int, options: argparse.Namespace) -> None:
    """Kills in one state directory; what was wrong stays in the world."""
    dice = world.dice
    offsets = (*OFFSETS, options.days * DAY // 2, -options.days * DAY // 2)
    for left in range(kills, -1, -1):
        # At first the clock is wrong for a moment only, between two starts with the right time.
        if left < kills - 1 and dice.random() < 0.5:
            clock.set(dice.choice(offsets))
        words = [options.payqueuectl, "journal", "verify", world.daemon.state]
        isWhole = (not world.daemon.state.exists()
                   or subprocess.run(words, capture_output=True).returncode == 0)
        world.daemon.start()
        client = world.daemon.connect()
        clock.check(client.call("status")["result"]["since"])
        client.close()
        if not isWhole:
            world.refused.append("the daemon starts with what verify calls damaged")
        world.check()
        if not left or world.lost or world.doubled or world.refused:
            return world.settle()
        world.begin()
        jumps = [dice.choice(offsets) for _ in range(dice.randint(1, 3))]
        for offset in jumps if left < kills else (offsets[-1], 0):
            clock.set(offset)
            before = len(world.finished)
            eventually("purchases go on after a jump", lambda: len(world.finished) > before + 5)
        time.sleep(dice.uniform(0, 0.05))
        world.daemon.kill()
        world.end()


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--payqueued", type=Path, required=True)
    words.add_argument("--payqueuectl", type=Path, required=True)
    words.add_argument("--rounds", type=int, default=100)
    words.add_argument("--days", type=int, default=800, help="the largest jump")
    words.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    options = words.parse_args()
    if not compiler():
        print("skip everything: there is no compiler of C")
        return 77
    dice = random.Random(options.seed)
    done = acknowledged = jumps = lost = doubled = refused = 0
    while done < options.rounds and not (lost or doubled or refused):
        with tempfile.TemporaryDirectory(prefix="clock-jumps-") as folder:
            clock = Clock(Path(folder))
            daemon = Daemon(options.payqueued, Path(folder) / "state", Path(folder), CONFIG,
                            clock.environment)
            world = World(daemon, dice)
            kills = min(KILLS_IN_WORLD, options.rounds - done)
            try:
                live(world, clock, kills, options)
            except Trouble as trouble:
                world.lost.add(str(trouble))
            finally:
                daemon.kill()
                world.end()
            done += kills
            jumps += clock.jumps
            acknowledged += world.acknowledged
            lost += len(world.lost)
            doubled += len(world.doubled)
            refused += len(world.refused)
            for name in ("lost", "doubled", "refused"):
                for what in list(getattr(world, name))[:5]:
                    print(f"FAIL seed {options.seed}: {name} {what}", flush=True)
            if world.lost or world.doubled or world.refused:
                kept = Path(".build").joinpath(f"clock-jump-{options.seed}")
                shutil.copytree(daemon.state, kept)
                print(f"note the state directory is in {kept}; the jumps: {clock.log}", flush=True)
    print(f"note {done:,} kills, {jumps:,} jumps of the clock, {acknowledged:,} acknowledged, {lost:,} lost, "
          f"{doubled:,} doubled, {refused:,} refused")
    return 1 if lost or doubled or refused else 0


if __name__ == "__main__":
    sys.exit(main())
