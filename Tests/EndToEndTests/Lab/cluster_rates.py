#!/usr/bin/env python3
"""Compares what a cluster can do with what etcd can do.

    cluster_rates.py --payqueued PROGRAM [--adds N] [--events N] [--repeat N] [--members N]

Starts a node over members of etcd, and measures:

- One client that adds payments one after the other, against a bare loop of transactions with as many bytes: the
  medians of the latencies, in turn.
- 50 clients with 16 adds in flight each, against a bare loop of transactions with the same bytes.

Then two more nodes start, read the log, and follow:

- A subscriber at a follower that is many events behind.
- The processor time of the owner while clients read at a follower without a pause, against the time before.

A bare transaction has the form of an append of the daemon: it compares two keys and puts two. Prints the figures of
each repetition and checks the medians. Exits 1 if a target is missed; 77, with the reason, where it cannot run.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import selectors
import socket
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

from cluster_handovers import settled_owner
from cluster_stage import PATIENCE, Cluster, Connection, Etcd, decoded, encoded, keep, obstacle
from report import Report

CONNECTIONS, IN_FLIGHT = 50, 16
# The targets: adds and events a second, times of a bare loop, and percent of a processor.
ADDS, EVENTS, ALONE, BATCHES, READS = 5_000, 300_000, 1.5, 1.3, 1.0


class Bare:
    """A loop of transactions at the leader of etcd, each in the form of an append."""

    def __init__(self, etcd: Etcd, member: int) -> None:
        """Creates the keys that the transactions compare."""
        self.connection = http.client.HTTPConnection("127.0.0.1", etcd.ports[member][0], timeout=PATIENCE)
        self.connection.connect()
        self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.put("kv/put", json.dumps({"key": encoded("bare/owner"), "value": encoded("me")}))
        self.owner = self.range("bare/owner")["create_revision"]
        self.put("kv/put", json.dumps({"key": encoded("bare/head"), "value": encoded("end")}))
        self.head = self.range("bare/head")["mod_revision"]
        self.number = 0

    def put(self, path: str, body: str) -> dict:
        """The answer to a call."""
        self.connection.request("POST", f"/v3/{path}", body, {"Content-Type": "application/json"})
        return json.loads(self.connection.getresponse().read())

    def range(self, key: str) -> dict:
        """A key that exists."""
        return self.put("kv/range", json.dumps({"key": encoded(key)}))["kvs"][0]

    def append(self, size: int) -> float:
        """One transaction with so many bytes of lines; returns its seconds."""
        self.number += 1
        body = json.dumps({
            "compare": [
                {"key": encoded("bare/owner"), "target": "CREATE", "create_revision": self.owner},
                {"key": encoded("bare/head"), "target": "MOD", "mod_revision": self.head}],
            "success": [
                {"request_put": {"key": encoded(f"bare/log/{self.number:020}"), "value": encoded("x" * size)}},
                {"request_put": {"key": encoded("bare/head"), "value": encoded("e" * 100)}}]})
        began = time.monotonic()
        answer = self.put("kv/txn", body)
        ended = time.monotonic()
        if not answer.get("succeeded"):
            raise OSError(f"a bare transaction failed: {answer}")
        self.head = answer["header"]["revision"]
        return ended - began


def add(key: str) -> bytes:
    """The line of an add."""
    params = {"product": "coins.100", "key": key}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "add", "params": params}).encode() + b"\n"


def alone(connection: Connection, bare: Bare, size: int, turns: int, name: str) -> float:
    """Adds and bare transactions in turn; returns the ratio of the medians."""
    ours, theirs = [], []
    for turn in range(turns):
        for place in range(10):
            began = time.monotonic()
            reply = connection.call("add", product="coins.100", key=f"{name}-{turn}-{place}")
            ours.append(time.monotonic() - began)
            if "result" not in reply:
                raise OSError(f"an add is refused: {reply}")
        theirs += [bare.append(size) for _ in range(10)]
    mine, its = statistics.median(ours), statistics.median(theirs)
    print(f"note one client: {1000 * mine:.2f} ms, bare {1000 * its:.2f} ms, {mine / its:.2f}", flush=True)
    return mine / its


def crowd(path: str, count: int, name: str) -> float:
    """Adds over many connections with some in flight on each; returns the seconds."""
    selector, left, waiting, sent = selectors.DefaultSelector(), count, 0, 0
    sockets = []
    for _ in range(CONNECTIONS):
        client = socket.socket(socket.AF_UNIX)
        client.connect(path)
        selector.register(client, selectors.EVENT_READ)
        sockets.append(client)
    lines = [add(f"{name}-{number}") for number in range(count)]
    began = time.monotonic()
    for client in sockets:
        client.sendall(b"".join(lines[sent:sent + IN_FLIGHT]))
        sent += IN_FLIGHT
        waiting += IN_FLIGHT
    while left:
        for key, _ in selector.select(PATIENCE):
            received = key.fileobj.recv(1 << 16)
            if not received or b'"error"' in received:
                raise OSError(f"adds are refused: {received[:300]}")
            answered = received.count(b"\n")
            left -= answered
            more = lines[sent:sent + answered]
            sent += len(more)
            if more:
                key.fileobj.sendall(b"".join(more))
    seconds = time.monotonic() - began
    for client in sockets:
        client.close()
    return seconds


def appended(cluster: Cluster, revision: int) -> list[int]:
    """The size of the lines in each transaction after a revision."""
    answer = cluster.etcd.ask("kv/range", PATIENCE, key=encoded(f"{cluster.prefix}/log/"),
                              range_end=encoded(f"{cluster.prefix}/log0"), min_mod_revision=str(revision + 1))
    return [len(decoded(entry["value"])) for entry in answer["kvs"]]


def batches(cluster: Cluster, owner: int, bare: Bare, count: int, name: str) -> tuple[float, float]:
    """Many clients, then a bare loop; returns the adds a second and the ratio of the times."""
    revision = cluster.etcd.revision()
    seconds = crowd(cluster.path(owner), count, name)
    sizes = appended(cluster, revision)
    bare_seconds = sum(bare.append(size) for size in sizes)
    print(f"note many clients: {count / seconds:,.0f} adds a second in {len(sizes)} transactions, {sum(sizes):,} bytes, "
          f"{seconds:.2f} s, bare {bare_seconds:.2f} s, {seconds / bare_seconds:.2f}", flush=True)
    return count / seconds, seconds / bare_seconds


def catch_up(path: str, count: int) -> float:
    """The events a second that a subscriber gets that is so many behind."""
    request = {"jsonrpc": "2.0", "id": 1, "method": "subscribe", "params": {"after": "start", "passive": True}}
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(PATIENCE)
    client.connect(path)
    began = time.monotonic()
    client.sendall(json.dumps(request).encode() + b"\n")
    got = 0
    while got <= count:
        received = client.recv(1 << 20)
        if not received or (got == 0 and b'"error"' in received):
            raise OSError(f"the subscription has ended: {received[:300]!r}")
        got += received.count(b"\n")
    seconds = time.monotonic() - began
    client.close()
    print(f"note a subscriber {count:,} events behind: {got / seconds:,.0f} events a second", flush=True)
    return got / seconds


def processor_time(pid: int) -> float:
    """The seconds that a process has used."""
    words = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def read_without_pause(path: str, until: float, counts: list[int]) -> None:
    """Reads at a node until a time, and notes how often."""
    connection, count = Connection(path, PATIENCE), 0
    while time.monotonic() < until:
        if "result" not in connection.call("transactions", limit=10):
            raise OSError("a read is refused")
        count += 1
    connection.close()
    counts.append(count)


def reads(cluster: Cluster, owner: int) -> float:
    """The share of a processor that the owner uses more while clients read at a follower."""
    pid = cluster.nodes[owner].process.pid
    used, seconds, counts = processor_time(pid), 5.0, []
    time.sleep(seconds)
    quiet = processor_time(pid) - used
    used, until = processor_time(pid), time.monotonic() + seconds
    follower = (owner + 1) % cluster.count
    readers = [threading.Thread(target=read_without_pause, args=(cluster.path(follower), until, counts))
               for _ in range(4)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    busy = processor_time(pid) - used
    more = 100 * (busy - quiet) / seconds
    print(f"note {sum(counts) / seconds:,.0f} reads a second at a follower: the owner uses {100 * busy / seconds:.1f} % "
          f"of a processor, without them {100 * quiet / seconds:.1f} %", flush=True)
    return more


def main() -> int:
    """Runs the lab."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--payqueued", type=Path, required=True)
    parser.add_argument("--adds", type=int, default=50_000)
    parser.add_argument("--events", type=int, default=200_000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--members", type=int, default=3)
    options = parser.parse_args()
    if reason := obstacle():
        print(f"skipped: {reason}")
        return 77
    report = Report()
    with tempfile.TemporaryDirectory(prefix="payqueued-rates-") as folder:
        etcd = Etcd(Path(folder), options.members)
        cluster = Cluster(Path(folder), options.payqueued.resolve(), etcd, lease=5)
        etcd.start()
        cluster.nodes[0].start()
        report.check("the account logs in", cluster.log_in())
        owner = 0
        # The daemon asks the first member as long as that answers.
        bare, single, many = Bare(etcd, 0), [], []
        print(f"note the leader of etcd is m{etcd.leader()}, the transactions are sent to m0", flush=True)
        with cluster.connected(owner, PATIENCE) as connection:
            revision = etcd.revision()
            for number in range(200):
                connection.call("add", product="coins.100", key=f"first-{number}")
            size = int(statistics.median(appended(cluster, revision)))
            for number in range(options.repeat):
                single.append(alone(connection, bare, size, 30, f"alone-{number}"))
        for number in range(options.repeat):
            many.append(batches(cluster, owner, bare, options.adds, f"many-{number}"))
        ratio = statistics.median(single)
        report.check(f"the latency of one client is at most {ALONE} times that of a bare loop", ratio <= ALONE, f"{ratio:.2f}")
        rate, ratio = (statistics.median(figures) for figures in zip(*many))
        report.check(f"at least {ADDS:,} adds a second", rate >= ADDS, f"{rate:,.0f}")
        report.check(f"batches take at most {BATCHES} times as long as a bare loop", ratio <= BATCHES, f"{ratio:.2f}")
        for node in cluster.nodes[1:]:
            node.start()
        settled_owner(cluster)
        follower = cluster.path(1)
        there = min(options.events, options.adds * options.repeat)
        rate = statistics.median(catch_up(follower, there) for _ in range(options.repeat))
        report.check(f"a subscriber at a follower gets {EVENTS:,} events a second", rate >= EVENTS, f"{rate:,.0f}")
        more = reads(cluster, owner)
        report.check(f"reads at a follower cost the owner less than {READS:.0f} % of a processor", more < READS, f"{more:.1f} %")
        cluster.stop()
        etcd.stop()
        if report.failed:
            keep(Path(folder), Path(".build") / "rates")
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
