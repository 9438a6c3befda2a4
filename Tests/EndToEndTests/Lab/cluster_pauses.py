#!/usr/bin/env python3
"""Pauses owners in the middle of purchases, and shows that they write nothing and send nothing when they continue.

    cluster_pauses.py --payqueued PROGRAM --payqueue-store PROGRAM [--pauses N] [--clusters N] [--seconds S]
                      [--lease S] [--seed N] [--plant]

Starts three members of etcd, and several clusters that use them, each with two nodes and a store server of its own.
Each node reaches the store by a way that notes its requests. Buyers add and finish payments. In each round the owner is
stopped for 30 seconds; the other node becomes the owner, with the session of the account, and purchases continue. Then
the former owner continues, ends with status 74, and is started again as a follower.

At the store: from the moment at which an owner continues the store takes no order and no completion from it, nor from
its next process; what was on its way to the socket when the owner was stopped is refused, because it names a former
term. At etcd: a watch of all keys shows that no line and no head is written with a term after the next one has
begun, or by another than the owner. In the end each key stands for one payment, at both nodes, and the store has one
order for each payment that was charged, and no other. With a planted defect, the lab itself appends with a former term
and sends an order by the way of a former owner; the checks must find both, and nothing else.
Prints each round, what went wrong, and the totals. Exits 1 if anything went wrong; 77, with the reason, where it cannot
run.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Callable, Optional

from cluster_clients import Buyer, Reader, World, reach_end
from cluster_history import History, Judgement
from cluster_links import Loop, Request, Requests
from cluster_stage import (
    PATIENCE, Cluster, Etcd, Program, Supervisor, encoded, free_port, keep, obstacle, percentiles)
from report import Report

# The status of a request that the store refuses because it has seen a later term.
REFUSED = 409
# The exit status of an owner that has lost its lease.
STORAGE_FAILED = 74


class Pause:
    """One pause of an owner."""

    def __init__(self, node: int, stopped: float) -> None:
        """A pause that begins."""
        self.node, self.stopped = node, stopped
        self.taken_over = self.continued = self.ended = self.follows = self.end = 0.0
        self.status: Optional[int] = None


class Pair(threading.Thread):
    """A cluster of two nodes with a store server, in which owners are paused."""

    def __init__(self, number: int, folder: Path, options: argparse.Namespace, etcd: Etcd) -> None:
        """Makes the programs of a cluster, which are not started yet."""
        super().__init__(daemon=True)
        self.number, self.options = number, options
        self.chance = random.Random(f"{options.seed}-{number}")
        folder.mkdir()
        self.folder, port = folder, free_port()
        self.store = Program("store", [
            str(options.payqueue_store.resolve()), "--demo", "--listen", f"127.0.0.1:{port}",
            "--state-directory", str(folder / "store")], folder / "store.log")
        self.requests = [Requests(), Requests()]
        self.ways = [Loop.link(port, requests.connection) for requests in self.requests]
        self.cluster = Cluster(
            folder, options.payqueued.resolve(), etcd, options.lease, count=2, prefix=f"lab{number}",
            stores=[f"http://127.0.0.1:{way.port}" for way in self.ways])
        self.history = History(etcd, self.cluster.prefix)
        self.world = World()
        self.pauses: list[Pause] = []
        self.refused = 0
        self.refusals = 0

    def begin(self) -> None:
        """Starts the programs, and logs in."""
        self.history.start()
        self.store.start()
        self.cluster.start()
        Supervisor(self.cluster.nodes, self.world.is_over).start()
        if not self.cluster.log_in():
            raise TimeoutError(f"cluster {self.number} does not log in")

    def run(self) -> None:
        """Pauses owners while a buyer and observers are there."""
        buyer = Buyer("k", self.cluster, self.world, 0, self.options.pause)
        # Orders leave only while somebody observes.
        readers = [Reader(number, self.cluster, self.world, stays=True) for number in range(2)]
        for thread in [buyer, *readers]:
            thread.start()
        try:
            for _ in range(self.options.pauses // self.options.clusters):
                self._pause()
            self.world.is_sold.set()
            self._settle()
            reach_end(self.world, readers)
        except (TimeoutError, OSError, ValueError) as failure:
            self.world.wrong(f"{type(failure).__name__}: {failure}")
        self.world.is_sold.set()
        self.world.is_over.set()
        buyer.join(20)
        for reader in readers:
            reader.end()
        self.refusals = sum(reader.refusals for reader in readers)

    def _await(self, what: str, is_so: Callable[[], bool]) -> float:
        """Waits until something is so; returns the time. All clusters share the machine, so that it may take long."""
        deadline = time.monotonic() + 3 * PATIENCE
        while not is_so():
            if time.monotonic() > deadline:
                raise TimeoutError(f"not within {3 * PATIENCE} s: {what}")
            time.sleep(0.05)
        return time.monotonic()

    def _orders(self, node: int, begin: float, end: float) -> list[Request]:
        """The orders and completions that a node has sent between two times."""
        return [request for request in self.requests[node].between(begin, end) if request.method == "PUT"
                and ("/orders/" in request.path or "/completions/" in request.path)]

    # Pauses

    def _pause(self) -> None:
        """Pauses the owner once."""
        begin = time.monotonic()
        self._await("there is an owner", lambda: self.cluster.known_owner() is not None)
        old = self.cluster.owner()
        node, other = self.cluster.nodes[old], 1 - old
        self._await("the owner sends orders", lambda: len(self._orders(old, begin, time.monotonic())) > 2)
        time.sleep(self.chance.random())
        # In the middle: the order of a payment that was just taken is about to leave, or is on its way.
        self.world.await_answer(5)
        time.sleep(0.02 * self.chance.random() ** 2)
        process = node.process
        assert process
        node.signal(signal.SIGSTOP)
        pause = Pause(old, time.monotonic())
        try:
            pause.taken_over = self._await("the other node owns", lambda: self.cluster.known_owner() == other)
            self._await("the other node sends orders",
                        lambda: len(self._orders(other, pause.taken_over, time.monotonic())) > 2)
            time.sleep(max(0.0, pause.stopped + self.options.seconds - time.monotonic()))
        finally:
            pause.continued = time.monotonic()
            process.send_signal(signal.SIGCONT)
        pause.ended = self._await("the former owner ends", lambda: process.poll() is not None)
        pause.status = process.returncode
        self._await("the former owner follows", lambda: node.process is not process and self._answers(old))
        pause.follows = time.monotonic()
        # What its next process would send as well.
        time.sleep(2)
        pause.end = time.monotonic()
        self.pauses.append(pause)
        print(f"note cluster {self.number}, pause {len(self.pauses)}: n{old} was stopped for "
              f"{pause.continued - pause.stopped:.1f} s, replaced after {pause.taken_over - pause.stopped:.1f} s, and "
              f"ended with {pause.status} after {pause.ended - pause.continued:.2f} s; {len(self.world.payments)} "
              "payments", flush=True)

    def _answers(self, node: int) -> bool:
        """Whether a node serves its clients."""
        with contextlib.suppress(OSError, ValueError), self.cluster.connected(node, 2) as connection:
            return "result" in connection.call("ping")
        return False

    def _settle(self) -> None:
        """Waits until nothing is being purchased."""
        def is_settled() -> bool:
            """Whether the owner has no payment that is being purchased."""
            with contextlib.suppress(OSError, ValueError), self.cluster.connected(self.cluster.owner()) as connection:
                reply = connection.call("transactions", states=["purchasing"])
                return reply.get("result", {}).get("transactions") == []
            return False

        self._await("all payments are purchased", is_settled)

    # Judgement

    def plant_order(self) -> None:
        """Sends an order by the way of the node that was paused last, as if it had not known better."""
        connection = http.client.HTTPConnection("127.0.0.1", self.ways[self.pauses[-1].node].port, timeout=5)
        body = json.dumps({"product": "coins.100"})
        connection.request("PUT", "/store-api/v1/orders/planted", body, {"Content-Type": "application/json"})
        connection.getresponse().read()
        connection.close()
        self.pauses[-1].end = time.monotonic()

    def plant_write(self) -> None:
        """Appends to the log with a former term."""
        former = Judgement(self.history.writes).terms[-2]
        entry = self.cluster.etcd.entry(f"{self.cluster.prefix}/head")
        assert entry
        head = json.loads(entry["value"])
        key = f"{self.cluster.prefix}/log/{head['next']:020}"
        value = json.dumps({**head, "next": head["next"] + 1, "term": former})
        self.cluster.etcd.ask("kv/txn", success=[
            {"requestPut": {"key": encoded(key), "value": encoded("{}\n")}},
            {"requestPut": {"key": encoded(f"{self.cluster.prefix}/head"), "value": encoded(value)}}])

    def judge_store(self) -> list[str]:
        """What former owners have sent to the store."""
        faults = []
        for number, pause in enumerate(self.pauses):
            if pause.status != STORAGE_FAILED:
                faults.append(f"pause {number}: the former owner ended with {pause.status}")
            # What was sent before the stop arrives within this second.
            sent = self._orders(pause.node, pause.stopped + 1, pause.end)
            # A request that was on its way to the socket at the stop leaves at once. The store knows the next term.
            self.refused += sum(request.status == REFUSED for request in sent)
            sent = [request for request in sent if request.status != REFUSED]
            faults += [
                f"pause {number}: {request.method} {request.path}, begun {request.begun - pause.stopped:.4f} s after "
                f"the stop, ended {request.ended - pause.continued:.4f} s after it continued" for request in sent]
        return faults

    def judge_payments(self, listed: list[list[dict]]) -> list[str]:
        """What is wrong with payments and orders; the programs have ended."""
        faults, placed = [], Counter()
        for path in sorted((self.folder / "store" / "sandbox").glob("journal-*.ndjson")):
            lines = (json.loads(line) for line in path.read_bytes().rstrip(b"\n\0").splitlines())
            for order in (line["d"] for line in lines if line["t"] == "orderPlaced"):
                placed[(order["transaction"], order["order"])] += 1
        orders = Counter(transaction for transaction, _ in placed.elements())
        faults += [f"the store has {count} orders for {one}" for one, count in orders.items() if count > 1]
        for node, transactions in enumerate(listed):
            charged = [(one["id"], one["transactionIdentifier"]) for one in transactions if "charged" in one]
            faults += [f"n{node} has {one}, and the store does not" for one in set(charged) - set(placed)]
            faults += [f"the store has {one}, and n{node} does not" for one in set(placed) - set(charged)]
            if len(charged) != len(set(charged)) or len({one["id"] for one in transactions}) != len(transactions):
                faults.append(f"n{node} has a transaction twice")
            missing = set(self.world.payments.values()) - {one["id"] for one in transactions}
            faults += [f"n{node} does not have {one}, which was acknowledged" for one in missing]
            keys = Counter(line["d"]["key"] for line in self.cluster.journal(node) if line["t"] == "added")
            faults += [f"the log of n{node} has key {key} {count} times" for key, count in keys.items() if count > 1]
        return faults

    def end(self, report: Report, is_planted: bool) -> None:
        """Ends the programs, and judges everything."""
        listed = [self.cluster.transactions(node) for node in range(2)] if not self.world.faults else []
        if is_planted:
            self.plant_order()
        self.cluster.stop()
        self.store.signal(signal.SIGTERM)
        if self.store.process:
            self.store.process.wait(PATIENCE)
        if is_planted:
            self.plant_write()
        name = f"cluster {self.number}: "
        report.check(f"{name}the history has arrived", self.history.await_end() and not self.history.trouble,
                     self.history.trouble)
        judgement = Judgement(self.history.writes)
        sent, written = self.judge_store(), judgement.faults
        if is_planted:
            report.check(f"{name}the planted order is found", len(sent) == 1 and "/orders/planted" in sent[0], sent)
            is_found = len(written) == 1 and "writes after" in written[0]
            report.check(f"{name}the planted append is found", is_found, written)
        else:
            report.check(
                f"{name}the store has taken nothing of a former owner in {len(self.pauses)} pauses, and refused "
                f"{self.refused} requests", not sent, sent[:3])
            report.check(f"{name}no former owner has written anything in {len(judgement.terms)} terms and "
                         f"{judgement.lines} appends", not written, written[:3])
        report.check(f"{name}there was a term for each pause", len(judgement.terms) > len(self.pauses), judgement.terms)
        if listed:
            wrong = self.judge_payments(listed)
            report.check(f"{name}each of {len(self.world.payments)} keys has one payment, each payment one order",
                         not wrong, wrong[:5])
        report.check(f"{name}no node refuses its readers to go on", not self.refusals, f"{self.refusals} times")
        stale = self.world.stale
        report.check(f"{name}each node has at once what it has acknowledged", not stale, stale[:3])
        for fault in self.world.faults[:5]:
            report.check("a promise", False, fault)


def main() -> int:
    """Runs the lab."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--payqueued", type=Path, required=True)
    parser.add_argument("--payqueue-store", type=Path, required=True)
    parser.add_argument("--pauses", type=int, default=8)
    parser.add_argument("--clusters", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--lease", type=int, default=5)
    parser.add_argument("--pause", type=float, default=0.5, help="seconds between two payments of a buyer")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--plant", action="store_true")
    options = parser.parse_args()
    if reason := obstacle():
        print(f"skipped: {reason}")
        return 77
    print(f"note seed {options.seed}", flush=True)
    report = Report()
    with tempfile.TemporaryDirectory(prefix="payqueued-pauses-") as folder:
        etcd = Etcd(Path(folder))
        etcd.start()
        pairs = [Pair(number, Path(folder) / f"c{number}", options, etcd) for number in range(options.clusters)]
        for pair in pairs:
            pair.begin()
        for pair in pairs:
            pair.start()
        for pair in pairs:
            pair.join()
        for pair in pairs:
            report.part(f"cluster {pair.number}", lambda pair=pair: pair.end(report, options.plant))
        etcd.stop()
        if report.failed:
            keep(Path(folder), Path(".build") / f"pauses-{options.seed}")
    pauses = [pause for pair in pairs for pause in pair.pauses]
    print(f"note replaced after: {percentiles(pause.taken_over - pause.stopped for pause in pauses)}")
    print(f"note ended after it continued: {percentiles(pause.ended - pause.continued for pause in pauses)}")
    print(f"note follows after it ended: {percentiles(pause.follows - pause.ended for pause in pauses)}")
    print(f"note {len(pauses)} pauses, {sum(len(pair.world.payments) for pair in pairs)} payments, "
          f"{sum(len(pair.history.writes) for pair in pairs)} writes, {report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
