"""Buyers and readers of a cluster, and what they find out, for labs that take nodes away from them."""

from __future__ import annotations

import random
import re
import threading
import time
from array import array
from typing import Optional

from cluster_stage import LATER, PATIENCE, Cluster, Connection
from report import Report

CURSOR_AHEAD = 1302
EVENT = re.compile(rb'\{"jsonrpc":"2.0","method":"event","params":\{"subscription":"[^"]*","prev":(\d+),"seq":(\d+),')
# What a finish is answered with, if it was taken.
TAKEN = ("removed", "completing", "alreadyFinished")


class World:
    """What happened, for the judgement in the end."""

    def __init__(self) -> None:
        """Nothing has happened yet."""
        # Buyers end first, so that readers can reach the end of the log.
        self.is_sold, self.is_over = threading.Event(), threading.Event()
        self._lock = threading.Lock()
        self._bought = threading.Condition(self._lock)
        self.payments: dict[str, str] = {}
        self.finished: set[str] = set()
        # When the latest add that was answered was sent.
        self.last = time.monotonic()
        self.faults: list[str] = []
        # What a node did not have when it had just acknowledged it.
        self.stale: list[str] = []

    def acknowledged(self, key: str, transaction: str, sent: float) -> None:
        """Notes that an add was answered, which was sent at a time."""
        with self._bought:
            if self.payments.setdefault(key, transaction) != transaction:
                self.faults.append(f"key {key} stands for {self.payments[key]} and {transaction}")
            self.last = max(self.last, sent)
            self._bought.notify_all()

    def wrong(self, text: str) -> None:
        """Notes a broken promise."""
        with self._lock:
            self.faults.append(text)

    def await_answer(self, seconds: float) -> None:
        """Waits until the next add is answered, or the time is over."""
        with self._bought:
            self._bought.wait(seconds)

    def await_purchase(self) -> float:
        """Waits until an add that is sent from now on is answered; returns the seconds."""
        began = time.monotonic()
        # Until then a former owner that ends in order may answer.
        while self.last < began + 0.25:
            if time.monotonic() > began + PATIENCE:
                raise TimeoutError("no purchase is made")
            self.await_answer(0.25)
        return time.monotonic() - began


class Buyer(threading.Thread):
    """Adds payments at one node, each until it is acknowledged, and finishes them."""

    def __init__(
        self, name: str, cluster: Cluster, world: World, node: int, pause: float, stays: bool = False,
        open_ones: int = 3,
    ) -> None:
        """A buyer that does not stay goes on at the next node when one does not take a payment."""
        super().__init__(daemon=True)
        self.name, self.cluster, self.world, self.node, self.pause = name, cluster, world, node, pause
        self.stays, self.open_ones = stays, open_ones
        # The payments that are not finished yet.
        self.bought: list[str] = []
        self.count = 0

    def run(self) -> None:
        """Buys until the world says that it is enough."""
        connection: Optional[Connection] = None
        while not self.world.is_sold.wait(self.pause):
            try:
                connection = connection or Connection(self.cluster.path(self.node), 10 if self.stays else 2)
                is_content = self._buy(connection)
            except (OSError, ValueError):
                is_content = False
            if not is_content and connection:
                connection.close()
                connection = None
            if not is_content and not self.stays:
                self.node = (self.node + 1) % self.cluster.count

    def _buy(self, connection: Connection) -> bool:
        """Buys once; returns whether the payment was taken."""
        key = f"{self.name}-{self.count}"
        sent = time.monotonic()
        reply = connection.call("add", product="coins.100", key=key)
        if "result" not in reply:
            code = reply["error"]["code"]
            if code not in LATER:
                self.world.wrong(f"add was refused at n{self.node} with {reply['error']}")
            return False
        transaction = reply["result"]["transaction"]
        self.world.acknowledged(key, transaction, sent)
        self.count += 1
        self.bought.append(transaction)
        if self.count % 8 == 0:
            found = connection.call("transactions", ids=[transaction])
            if not found.get("result", {}).get("transactions"):
                self.world.stale.append(f"n{self.node} does not have {transaction}, which it has acknowledged: {found}")
        if len(self.bought) > self.open_ones:
            finished = connection.call("finish", transaction=self.bought[0]).get("result", {})
            # What is refused, not answered, or not purchased yet is finished later.
            if finished.get("disposition") in TAKEN:
                self.world.finished.add(self.bought.pop(0))
            else:
                self.bought.append(self.bought.pop(0))
        return True


class Reader(threading.Thread):
    """A subscriber that goes on by the number of the last event when its connection ends."""

    def __init__(self, number: int, cluster: Cluster, world: World, stays: bool = False) -> None:
        """A reader that does not stay goes on at another node."""
        super().__init__(daemon=True)
        self.number, self.cluster, self.world, self.stays = number, cluster, world, stays
        self.chance = random.Random(number)
        self.node = number % cluster.count
        self.seen = array("q")
        # The number of the last event that it has read.
        self.cursor: Optional[int] = None
        # The times from the end of a connection to the reply to the next subscription.
        self.moves: list[float] = []
        # How often a node refused to go on, because its copy of the log was behind.
        self.refusals = 0
        self.connection: Optional[Connection] = None
        # A defect, for one time: the next event is not taken ("drop"), or twice ("repeat").
        self.plant = ""

    def run(self) -> None:
        """Reads until everything is over."""
        ended = None
        while not self.world.is_over.is_set():
            try:
                self.connection = Connection(self.cluster.path(self.node), 5)
            except OSError:
                self._move()
                time.sleep(0.02)
                continue
            try:
                self._read(ended)
            except (OSError, ValueError):
                pass
            self.connection.close()
            ended = time.monotonic()
            self._move()

    def _move(self) -> None:
        """Never the same node again, unless the others are not there."""
        if not self.stays:
            self.node = (self.node + self.chance.randrange(1, self.cluster.count)) % self.cluster.count

    def end(self) -> None:
        """Has it read no longer."""
        if self.connection:
            self.connection.cut()
        self.join(10)

    def _read(self, ended: Optional[float]) -> None:
        """Subscribes, and reads until the connection ends."""
        connection = self.connection
        assert connection
        reply = connection.call("subscribe", after="start" if self.cursor is None else self.cursor)
        if reply.get("error", {}).get("code") == CURSOR_AHEAD:
            self.refusals += 1
            time.sleep(0.1)
            return
        if "result" not in reply:
            if reply["error"]["code"] not in LATER:
                self.world.wrong(f"r{self.number}: n{self.node} refuses to go on after {self.cursor}: {reply['error']}")
            time.sleep(0.1)
            return
        if ended is not None:
            self.moves.append(time.monotonic() - ended)
        # The number by which the next event is linked with what was sent before.
        link, is_live = self.cursor, False
        while not self.world.is_over.is_set():
            line = self._line(connection)
            event = EVENT.match(line)
            if event:
                prev, seq = int(event[1]), int(event[2])
                is_again = prev == seq and b'"redelivery":true' in line
                for _ in range(self._times() if is_live and not is_again else 1):
                    self._take(prev, seq, link, is_again)
                    link = seq
            elif b'"method":"caughtUp"' in line:
                is_live = True
            elif b'"method":"closing"' not in line:
                self.world.wrong(f"r{self.number}: n{self.node} sends after {self.cursor}: {line[:300]!r}")

    def _line(self, connection: Connection) -> bytes:
        """The next line. One that does not end within the patience ends the connection."""
        line = connection.lines.readline()
        if not line.endswith(b"\n"):
            raise OSError("the connection has ended")
        return line

    def _times(self) -> int:
        """How often an event is taken: once, unless a defect is planted."""
        if not self.plant or not self.moves:
            return 1
        times = {"drop": 0, "repeat": 2}[self.plant]
        self.plant = ""
        return times

    def _take(self, prev: int, seq: int, link: Optional[int], is_again: bool) -> None:
        """Judges an event, and notes it."""
        where = f"r{self.number} at n{self.node}, after {len(self.moves)} moves"
        if is_again:
            # It is as of a position that is not behind what was read.
            if self.cursor is not None and seq < self.cursor:
                self.world.wrong(f"{where}: a redelivery as of {seq} comes after event {self.cursor}")
            return
        if link is not None and prev != link:
            self.world.wrong(f"{where}: event {seq} is linked with {prev}, and {link} was the last")
        if self.cursor is not None and seq <= self.cursor:
            self.world.wrong(f"{where}: event {seq} comes after {self.cursor}")
        self.cursor = seq
        self.seen.append(seq)


def judge_views(world: World, readers: list[Reader], report: Report) -> None:
    """Judges what clients were refused, and what they did not find."""
    refusals = sum(reader.refusals for reader in readers)
    report.check("no node refuses its readers to go on", not refusals, f"{refusals} times")
    report.check("each node has at once what it has acknowledged", not world.stale,
                 f"{len(world.stale)} times not, such as {world.stale[:3]}")


def reach_end(world: World, readers: list[Reader]) -> None:
    """Waits until all readers have read the same last event, and nothing more comes."""
    deadline = time.monotonic() + PATIENCE
    before: set[Optional[int]] = set()
    while time.monotonic() < deadline:
        time.sleep(2)
        now = {reader.cursor for reader in readers}
        if len(now) == 1 and now == before:
            return
        before = now
    world.wrong(f"the readers end at {sorted(cursor or 0 for cursor in before)}")


def end_all(world: World, readers: list[Reader], cluster: Cluster) -> None:
    """Ends the readers, the nodes and the members of etcd."""
    world.is_over.set()
    for reader in readers:
        reader.end()
    cluster.stop()
    cluster.etcd.stop()
