#!/usr/bin/env python3
"""Has nodes share a queue over etcd while owners, etcd's members and nodes are killed, stopped and cut off.

    cluster.py --payqueued PROGRAM [--payqueuectl PROGRAM] [--rounds N | --minutes N] [--seed N] [--lease S]
               [--only PATTERN] [--without PATTERN] [--keep]

Starts three members of etcd and three nodes on this machine; each node reaches each member by a way that can be cut.
Buyers add payments at all nodes, each with a key, repeat what was not answered, and finish what was bought; nodes that
do not own the queue pass that on. Some buyers stay at their node, others go on at the next one. What was acknowledged
must be found at the same node at once. An observer on each node reads the events. In each round one or two things
happen: nodes and members are killed, stopped, cut off in one direction or both, refused or replaced, nodes do not
reach each other, leases are revoked, etcd is compacted or full (the list is in cluster_faults.py). What has ended is
started again. The round ends when purchases are made.

In the end every acknowledged payment must be in the queue of each node, once; each key must stand for one payment, and
each payment for one order of the embedded store; what was finished must be finished; the observers must have seen no
gap and nothing twice; the files of the nodes must be equal, and `journal verify` must find them sound. Prints each
round, what went wrong, the times without an owner, and the totals. Exits 1 if anything went wrong; 77, with the
reason, where it cannot run.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Optional

from cluster_clients import Buyer, Reader, World, end_all, judge_views, reach_end
from cluster_faults import Faults
from cluster_links import enter_own_network
from cluster_stage import PATIENCE, Cluster, Etcd, Supervisor, keep, obstacle, percentiles
from report import Report

BUYERS, STAYING = 9, 6
# The payments of a buyer that are not finished yet.
OPEN = 20


class Times:
    """The seconds without purchases, by what has happened."""

    def __init__(self) -> None:
        """No times yet."""
        # Of rounds with one fault that takes the owner away, by whether etcd's leader lived.
        self.taken: dict[bool, list[float]] = {True: [], False: []}
        # Of those with another fault at once.
        self.taken_with: dict[bool, list[float]] = {True: [], False: []}
        # Of rounds in which etcd takes nothing for a while, whoever the owner is; and of the rest.
        self.full: list[float] = []
        self.others: list[float] = []


def rounds(
    cluster: Cluster, world: World, faults: Faults, options: argparse.Namespace, times: Times,
) -> Counter[str]:
    """Has things happen; returns how often each has happened."""
    began, happened, number = time.monotonic(), Counter[str](), 0
    election = cluster.etcd.election()

    def is_over() -> bool:
        """Whether enough has happened."""
        if options.minutes is None:
            return number >= options.rounds
        return time.monotonic() > began + 60 * options.minutes

    while not is_over() and not world.faults:
        chosen = faults.choose(1 if faults.chance.random() < 0.5 else 2)
        begin = time.monotonic()
        for fault in chosen:
            fault.happen()
            happened[fault.name] += 1
        seconds = time.monotonic() - begin + world.await_purchase()
        before, election = election, max(election, cluster.etcd.election())
        has_leader = before == election
        if any(fault.fills_etcd for fault in chosen):
            times.full.append(seconds)
        elif any(fault.takes_owner for fault in chosen):
            (times.taken if len(chosen) == 1 else times.taken_with)[has_leader].append(seconds)
        else:
            times.others.append(seconds)
        number += 1
        print(f"note {time.monotonic() - began:.0f} s, round {number}: {', '.join(fault.name for fault in chosen)}; "
              f"purchases after {seconds:.2f} s{'' if has_leader else ', with a new leader of etcd'}, "
              f"{len(world.payments)} in all", flush=True)
        time.sleep(faults.chance.random())
    return happened


def settle(cluster: Cluster, world: World) -> None:
    """Waits until nothing is being purchased or completed."""
    deadline = time.monotonic() + PATIENCE
    states = {}
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError, ValueError), cluster.connected(cluster.owner(), 10) as connection:
            status = connection.call("transactions", states=["purchasing", "purchased"], limit=500)
            states = Counter(
                "completing" if one.get("completing") else one["transactionState"]
                for one in status.get("result", {}).get("transactions", [{"transactionState": "unknown"}]))
            if not set(states) - {"purchased"}:
                return
        time.sleep(0.5)
    world.wrong(f"payments do not come to an end: {dict(states)}")


def judge_payments(cluster: Cluster, world: World, report: Report) -> None:
    """Compares what each node lists with what was acknowledged, and with the orders of the store."""
    listed = cluster.pages(cluster.owner(), "test.orders", "orders", limit=500)
    orders = Counter(order["transaction"] for order in listed)
    double = [transaction for transaction, count in orders.items() if count > 1]
    report.check(f"the store has one order for each of {len(orders)} payments", orders and not double, double[:5])
    for number in range(cluster.count):
        found = cluster.transactions(number)
        states = {one["id"]: one for one in found}
        missing = set(world.payments.values()) - set(states)
        report.check(f"n{number} has every acknowledged payment", not missing, sorted(missing)[:5])
        report.check(f"n{number} has each payment once", len(found) == len(states))
        unfinished = [one for one in world.finished if "finishedAt" not in states.get(one, {})]
        report.check(f"n{number} has finished what it was to finish", not unfinished, unfinished[:5])
        charged = {one["id"]: one["transactionIdentifier"] for one in found if "charged" in one}
        report.check(f"the orders of n{number} are those of the store", set(charged) == set(orders),
                     sorted(set(charged) ^ set(orders))[:5])
        report.check(f"n{number} has each order once", len(set(charged.values())) == len(charged))


def judge_files(cluster: Cluster, report: Report, control: Optional[Path]) -> None:
    """Judges the files of the nodes that have ended."""
    logs = []
    for number in range(cluster.count):
        state = cluster.state(number)
        logs.append({path.name: path.read_bytes().rstrip(b"\n\0") for path in state.glob("journal-*.ndjson")})
        keys = Counter(line["d"].get("key") for line in cluster.journal(number) if line["t"] == "added")
        double = [key for key, count in keys.items() if count > 1]
        report.check(f"n{number} has each of {len(keys)} keys once in its files", not double, double[:5])
        if control:
            verified = subprocess.run(
                [control, "journal", "verify", "--state-directory", state], capture_output=True, check=False)
            report.check(f"the files of n{number} are sound", verified.returncode == 0, verified.stdout)
    common = set.intersection(*(set(log) for log in logs))
    report.check("the nodes have segments in common", common)
    for name in sorted(common):
        report.check(f"{name} is the same on all nodes", len({log[name] for log in logs}) == 1)


def can_hand_over(cluster: Cluster) -> bool:
    """Whether the nodes have the method for it."""
    with cluster.connected(0) as connection:
        methods = connection.call("rpc.discover").get("result", {}).get("methods", [])
    return any(method["name"] == "handover" for method in methods)


def main() -> int:
    """Runs the lab."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--payqueued", type=Path, required=True)
    parser.add_argument("--payqueuectl", type=Path)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--lease", type=int, default=5)
    parser.add_argument("--only", default="", help="only the faults whose name has this")
    parser.add_argument("--without", default="$^", help="no faults whose name has this")
    parser.add_argument("--keep", action="store_true", help="keep the files also if all is well")
    options = parser.parse_args()
    can_cut_ports = enter_own_network()
    if reason := obstacle():
        print(f"skipped: {reason}")
        return 77
    print(f"note seed {options.seed}", flush=True)
    if not can_cut_ports:
        print("note nodes are not cut off from each other: that needs a network of this program alone")
    report, world, times = Report(), World(), Times()
    happened: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="payqueued-cluster-") as folder:
        etcd = Etcd(Path(folder), has_links=True)
        cluster = Cluster(Path(folder), options.payqueued.resolve(), etcd, options.lease, has_links=True)
        etcd.start()
        cluster.start()
        report.check("the account logs in", cluster.log_in())
        faults = Faults(cluster, random.Random(options.seed), can_hand_over(cluster), can_cut_ports)
        faults.all = [fault for fault in faults.all if re.search(options.only, fault.name)
                      and not re.search(options.without, fault.name)]
        buyers = [
            Buyer(f"b{number}", cluster, world, number % cluster.count, 0.08, number < STAYING, OPEN)
            for number in range(BUYERS)]
        readers = [Reader(number, cluster, world, stays=True) for number in range(cluster.count)]
        for thread in [Supervisor(etcd.members + cluster.nodes, world.is_over), *buyers, *readers]:
            thread.start()
        began = time.monotonic()
        try:
            world.await_purchase()
            happened = rounds(cluster, world, faults, options, times)
            faults.heal()
            # What the last faults have begun to do is done then.
            time.sleep(2 * options.lease)
            world.await_purchase()
        except TimeoutError as failure:
            world.wrong(str(failure))
        seconds = time.monotonic() - began
        world.is_sold.set()
        for buyer in buyers:
            buyer.join(20)
        settle(cluster, world)
        reach_end(world, readers)
        report.part("payments", lambda: judge_payments(cluster, world, report))
        end_all(world, readers, cluster)
        judge_views(world, readers, report)
        for wrong in world.faults[:10]:
            report.check("a promise", False, wrong)
        report.part("files", lambda: judge_files(cluster, report, options.payqueuectl))
        if report.failed or options.keep:
            keep(Path(folder), Path(".build") / f"cluster-{options.seed}")
    for name, count in happened.most_common():
        print(f"note {count} times: {name}")
    for has_leader, words in ((True, "etcd's leader lived"), (False, "etcd's leader did not live")):
        print(f"note without an owner, where {words}: {percentiles(times.taken[has_leader])}")
        print(f"note the same, with another fault at once: {percentiles(times.taken_with[has_leader])}")
    print(f"note without purchases where etcd had no room: {percentiles(times.full)}")
    print(f"note without purchases where the owner stayed: {percentiles(times.others)}")
    print(f"note {sum(happened.values())} faults in {seconds:.0f} s, {len(world.payments)} payments, "
          f"{len(world.finished)} finished, {report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
