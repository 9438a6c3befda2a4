#!/usr/bin/env python3
"""Has the owner give the queue away, again and again, and measures how long nothing can be bought.

    cluster_handovers.py --payqueued PROGRAM [--rounds N] [--members N] [--most MILLISECONDS]

Starts three nodes over members of etcd. A buyer at a node that does not own the queue adds and finishes payments, one
after the other, and waits a millisecond after a refusal. Meanwhile the owner is asked to give the queue away. The
longest time between two answered adds of a round is that of its handover; the buyer continues until an add was sent
after the handover and answered. Another node must own the queue then. An observer at each node must see every
event once and in order, also that of the former owner, whose program starts again.

Prints each round and the totals. Exits 1 if a promise is broken, or a handover takes longer than the most milliseconds;
77, with the reason, where it cannot run.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import threading
import time
from pathlib import Path

from cluster_clients import Reader, World, end_all, reach_end
from cluster_stage import LATER, PATIENCE, Cluster, Connection, Etcd, keep, obstacle
from report import Report

# The seconds of a round before and after the handover.
BEFORE, AFTER = 0.5, 1.5


class Shopper(threading.Thread):
    """Adds and finishes payments at one node, without a pause."""

    def __init__(self, cluster: Cluster, world: World, node: int, round_number: int) -> None:
        """A shopper at a node, whose keys begin with the number of the round."""
        super().__init__(daemon=True)
        self.connection = Connection(cluster.path(node), PATIENCE)
        self.world, self.node, self.round_number = world, node, round_number
        # The time after which it ends, as soon as an add that was sent then is answered.
        self.end_after = math.inf
        # When each add was answered.
        self.times: list[float] = []
        # Whether it has ended as it should.
        self.is_done = False

    def run(self) -> None:
        """Buys until the end. A payment that is not taken is tried again with its key."""
        key, sent = 0, 0.0
        while sent <= self.end_after:
            sent = time.monotonic()
            reply = self.connection.call("add", product="coins.100", key=f"{self.round_number}-{key}")
            if "result" in reply:
                transaction = reply["result"]["transaction"]
                self.world.acknowledged(f"{self.round_number}-{key}", transaction, sent)
                self.times.append(time.monotonic())
                finished = self.connection.call("finish", transaction=transaction)
                if "result" not in finished and finished["error"]["code"] not in LATER:
                    raise ValueError(f"finish was refused at n{self.node} with {finished['error']}")
                key += 1
            elif reply["error"]["code"] in LATER:
                # This add was not answered as the end requires.
                sent = 0.0
                time.sleep(0.001)
            else:
                raise ValueError(f"add was refused at n{self.node} with {reply['error']}")
        self.is_done = True

    def pauses(self) -> tuple[float, float]:
        """Waits for its end; the longest and the usual time between two answers, in milliseconds."""
        self.join(PATIENCE)
        if not self.is_done:
            self.world.wrong(f"n{self.node} does not take payments any more")
            return math.inf, math.inf
        self.connection.close()
        pauses = sorted(1000 * (after - before) for before, after in zip(self.times, self.times[1:]))
        return pauses[-1], pauses[len(pauses) // 2]


def settled_owner(cluster: Cluster) -> int:
    """The owner, when all nodes serve and agree on it."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        owners = set()
        for number in range(cluster.count):
            try:
                with cluster.connected(number, 5) as connection:
                    result = connection.call("cluster").get("result", {})
            except (OSError, ValueError):
                result = {}
            ups = sum(1 for node in result.get("nodes", []) if node.get("up"))
            owners.add(result.get("owner") if ups == cluster.count else None)
        if len(owners) == 1 and None not in owners:
            return int(str(owners.pop())[1:])
        time.sleep(0.1)
    raise TimeoutError("the nodes do not agree on an owner")


def hand_over(cluster: Cluster, world: World, report: Report, number: int) -> float:
    """One round; returns the milliseconds without a purchase."""
    owner = settled_owner(cluster)
    shopper = Shopper(cluster, world, (owner + 1) % cluster.count, number)
    shopper.start()
    time.sleep(BEFORE)
    with cluster.connected(owner, PATIENCE) as connection:
        reply = connection.call("handover")
    if "result" not in reply:
        report.check(f"n{owner} gives the queue away", False, reply)
    shopper.end_after = time.monotonic() + AFTER
    longest, usual = shopper.pauses()
    successor = settled_owner(cluster)
    if successor == owner:
        report.check("another node owns the queue", False, f"n{owner}")
    print(f"note {number}: from n{owner} to n{successor}, {longest:.1f} ms without a purchase, usually {usual:.1f} ms",
          flush=True)
    return longest


def main() -> int:
    """Runs the lab."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--payqueued", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--members", type=int, default=3)
    parser.add_argument("--most", type=float, default=50)
    options = parser.parse_args()
    if reason := obstacle():
        print(f"skipped: {reason}")
        return 77
    report, world = Report(), World()
    with tempfile.TemporaryDirectory(prefix="payqueued-handovers-") as folder:
        etcd = Etcd(Path(folder), options.members)
        cluster = Cluster(Path(folder), options.payqueued.resolve(), etcd, lease=5)
        etcd.start()
        cluster.start()
        report.check("the account logs in", cluster.log_in())
        readers = [Reader(number, cluster, world, stays=True) for number in range(cluster.count)]
        for reader in readers:
            reader.start()
        times = sorted(hand_over(cluster, world, report, number) for number in range(options.rounds))
        world.is_sold.set()
        reach_end(world, readers)
        end_all(world, readers, cluster)
        seen = {tuple(reader.seen) for reader in readers}
        least = min(len(events) for events in seen)
        report.check("the observers of all nodes saw the same events, and each payment",
                     len(seen) == 1 and least >= len(world.payments), f"{len(seen)} views, the least of {least}")
        report.check("no observer was refused", not any(reader.refusals for reader in readers))
        report.check("no connection of an observer ended", not any(reader.moves for reader in readers))
        for fault in world.faults[:10]:
            report.check("a promise", False, fault)
        report.check(f"each handover takes at most {options.most:.0f} ms", times[-1] <= options.most, f"{times[-1]:.1f} ms")
        if report.failed:
            keep(Path(folder), Path(".build") / "handovers")
    print(f"note {len(times)} handovers, {times[0]:.1f} to {times[-1]:.1f} ms, median {times[len(times) // 2]:.1f} ms; "
          f"{len(world.payments)} payments, {report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
