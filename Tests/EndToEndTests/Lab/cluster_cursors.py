#!/usr/bin/env python3
"""Has subscribers go on at another node when theirs dies, and compares what they saw with the log.

    cluster_cursors.py --payqueued PROGRAM [--moves N] [--readers N] [--lease S] [--seed N] [--plant drop|repeat]

Starts three members of etcd and three nodes on this machine. Buyers add and finish payments at all nodes. Readers are
subscribed at one node each. In each round a node is killed, the owner too, or the connections to a node break. Its
readers go on at another node, by the number of the last event that they have read.

Each event must be linked with the one that was read before it, over all moves: no gap, none twice, and no refusal. In
the end what each reader has read must be the events in the journal, from the first to its last. Prints each round, what
went wrong, and the totals. With a planted defect one reader loses or repeats an event, and both checks must find it.
Exits 1 if anything went wrong; 77, with the reason, where it cannot run.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from cluster_clients import Buyer, Reader, World, end_all, judge_views, reach_end
from cluster_stage import Cluster, Etcd, Supervisor, keep, obstacle, percentiles
from report import Report

# The types of lines that observers get as events, and those that they do not get.
EVENTS = {"added", "submitted", "purchased", "removed", "sessionChanged"}
OTHERS = {"segment", "seal", "mark", "started", "productRecorded", "completing"}


def rounds(cluster: Cluster, world: World, readers: list[Reader], moves: int, chance: random.Random) -> Counter[str]:
    """Kills nodes and breaks connections until readers have moved so often; returns how often each thing happened."""
    events: Counter[str] = Counter()
    began = time.monotonic()
    while not world.faults:
        done = sum(len(reader.moves) for reader in readers)
        # A planted defect shows itself only at an event after a move.
        if done >= moves and not any(reader.plant for reader in readers):
            break
        node = chance.randrange(cluster.count)
        here = [reader for reader in readers if reader.node == node]
        name = chance.choice(["the owner is killed", "a node is killed", "a node is killed", "connections break"])
        if name == "the owner is killed":
            node = cluster.owner()
        if name == "connections break":
            for reader in here:
                if reader.connection:
                    reader.connection.cut()
        else:
            cluster.nodes[node].kill()
        events[name] += 1
        seconds = time.monotonic() - began
        print(f"note {seconds:.0f} s: {name}, n{node}; {done} moves, {len(world.payments)} payments", flush=True)
        # The nodes are killed in all states: while they start, follow, and own.
        time.sleep(0.3 + 3 * chance.random() ** 2 + (4 * chance.random() if "owner" in name else 0))
    return events


def compare(cluster: Cluster, report: Report, readers: list[Reader], is_planted: bool) -> bool:
    """Compares what was read with the journal of each node; returns whether all are equal."""
    is_equal = True
    for number in range(cluster.count):
        words = {line["s"]: line["t"] for line in cluster.journal(number)}
        unknown = {word for word in words.values() if not word.startswith("store.")} - EVENTS - OTHERS
        report.check(f"the types of the lines of n{number} are known", not unknown, unknown)
        events = [seq for seq, word in words.items() if word in EVENTS]
        oldest = min(words, default=0)
        different = []
        for reader in readers:
            seen = [seq for seq in reader.seen if seq >= oldest]
            # Each began with the oldest event.
            wanted = [seq for seq in events if seen and seq <= seen[-1]]
            if not seen or seen != wanted:
                odd = Counter(seen) - Counter(wanted), Counter(wanted) - Counter(seen)
                different.append(f"r{reader.number} has {list(odd[0])[:5]} too much, {list(odd[1])[:5]} too little")
        is_equal = is_equal and not different
        if not is_planted:
            report.check(f"all {len(readers)} readers have read the {len(events)} events in the journal of n{number}, "
                         "each once and in order", not different, different[:5])
    return is_equal


def main() -> int:
    """Runs the lab."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--payqueued", type=Path, required=True)
    parser.add_argument("--moves", type=int, default=200)
    parser.add_argument("--readers", type=int, default=45)
    parser.add_argument("--lease", type=int, default=5)
    parser.add_argument("--pause", type=float, default=0.2, help="seconds between two payments of a buyer")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--plant", choices=["drop", "repeat"])
    options = parser.parse_args()
    if reason := obstacle():
        print(f"skipped: {reason}")
        return 77
    print(f"note seed {options.seed}", flush=True)
    report, world = Report(), World()
    with tempfile.TemporaryDirectory(prefix="payqueued-cursors-") as folder:
        etcd = Etcd(Path(folder))
        # The owner counts the readers of all nodes, and for a moment those twice that move.
        limits = {"connections": 1024, "connectionsPerUser": 512}
        cluster = Cluster(Path(folder), options.payqueued.resolve(), etcd, options.lease, limits=limits)
        etcd.start()
        cluster.start()
        report.check("the account logs in", cluster.log_in())
        readers = [Reader(number, cluster, world) for number in range(options.readers)]
        if options.plant:
            readers[0].plant = options.plant
        buyers = [
            Buyer(f"b{number}", cluster, world, number, options.pause, stays=True) for number in range(cluster.count)]
        for thread in [Supervisor(etcd.members + cluster.nodes, world.is_over), *readers, *buyers]:
            thread.start()
        time.sleep(2)
        events = rounds(cluster, world, readers, options.moves, random.Random(options.seed))
        world.is_sold.set()
        for buyer in buyers:
            buyer.join(20)
        reach_end(world, readers)
        end_all(world, readers, cluster)
        judge_views(world, readers, report)
        is_equal = compare(cluster, report, readers, bool(options.plant))
        if options.plant:
            report.check("the links show the planted defect", any("r0 " in fault for fault in world.faults))
            report.check("the journal shows the planted defect", not is_equal)
            world.faults = [fault for fault in world.faults if not fault.startswith("r0 ")]
        for fault in world.faults[:10]:
            report.check("a promise", False, fault)
        if report.failed:
            keep(Path(folder), Path(".build") / f"cursors-{options.seed}")
    moves = [seconds for reader in readers for seconds in reader.moves]
    print(f"note {', '.join(f'{name}: {count}' for name, count in events.items())}")
    print(f"note a reader reads again after: {percentiles(moves)}")
    print(f"note {len(moves)} moves, {len(world.faults)} faults, {sum(len(reader.seen) for reader in readers)} events "
          f"read, {len(world.payments)} payments, {report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
