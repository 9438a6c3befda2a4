"""112 subscribed clients of four users, and what they notice when the process behind them changes."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
import time
from typing import Any, Callable

from load import SERVICE, SOCKET, Load
from machine import Client, Machine, Trouble, eventually
from report import Report

# Four users may have thirty connections each before one of them has more than its share.
SIZE = 112
USERS = 4
# So many connect before the lab looks whether they are kept.
GROUP = 16
RESUMED = "4f6ac4c2dedf4c84b9a81d895d5585a3"
# What systemd calls the end of a process.
EXITED = "98e322203f7a4ed290d09fe03c09fe15"


class Follower:
    """A subscribed client that checks what it is told: each event names the one before it."""

    def __init__(self, machine: Machine, user: tuple[int, int]) -> None:
        self.machine = machine
        self.user = user
        self.client = machine.connect(SOCKET, user)
        self.head = self.client.call("subscribe", after="now", passive=True)["head"]
        self.seen: list[int] = []
        self.broken: list[Any] = []

    def follow(self, until: int) -> bool:
        """Reads events up to a position, and an answer behind them; connects again if it was closed.

        False if it was.
        """
        try:
            self._follow(until)
            return True
        except OSError:
            self.broken += self.client.broken()
            self.client.close()
            self.client = self.machine.connect(SOCKET, self.user)
            self.client.call("subscribe", after=(self.seen or [self.head])[-1], passive=True)
            self._follow(until)
            return False

    def take(self) -> bool:
        """Takes what is there, and looks at it later; false when the connection is at its end."""
        with contextlib.suppress(BlockingIOError):
            more = self.client.socket.recv(65536, socket.MSG_DONTWAIT)
            self.client.unread += more
            return bool(more)
        return True

    def _follow(self, until: int) -> None:
        number = 0
        # What was said before a connection was closed can still be read.
        with contextlib.suppress(OSError):
            number = self.client.send("ping")
        answered = False
        while not answered or (self.seen or [self.head])[-1] < until:
            line = self.client.line()
            answered = answered or line.get("id") == number
            self._note(line)

    def _note(self, line: dict[str, Any]) -> None:
        """Compares an event with the one before it."""
        if line.get("method") != "event":
            return
        params = line["params"]
        if params["prev"] != (self.seen or [self.head])[-1]:
            self.broken.append((params["prev"], self.seen[-1:]))
        self.seen.append(params["seq"])


class Pulse:
    """A client that asks all the time, to see how long nobody answers."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        # The longest time without an answer, in seconds, and when it was over.
        self.pause = 0.0
        self.ended = 0.0
        self.closed = 0
        self._halt = threading.Event()
        self._client: Client = self._connect()
        self._thread = threading.Thread(target=self._ask)

    def __enter__(self) -> Pulse:
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._halt.set()
        self._thread.join()
        self._client.close()

    def _connect(self) -> Client:
        client = self.machine.connect(SOCKET)
        # Who is subscribed is kept from then on.
        client.call("subscribe", after="now", passive=True, products=["nothing"])
        return client

    def _ask(self) -> None:
        while not self._halt.is_set():
            asked = time.monotonic()
            while True:
                try:
                    self._client.call("ping")
                    break
                except OSError:
                    self.closed += 1
                    self._client.close()
                    self._client = self._connect()
            now = time.monotonic()
            if now - asked > self.pause:
                self.pause, self.ended = now - asked, now
            time.sleep(0.002)


class Ears:
    """Reads what followers are told while nobody looks at it: one who never reads would be given up."""

    def __init__(self, followers: list[Follower]) -> None:
        self._followers = followers
        self._halt = threading.Event()
        self._thread = threading.Thread(target=self._listen)

    def __enter__(self) -> Ears:
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._halt.set()
        self._thread.join()

    def _listen(self) -> None:
        with selectors.DefaultSelector() as sources:
            for follower in self._followers:
                sources.register(follower.client.socket, selectors.EVENT_READ, follower)
            while not self._halt.is_set():
                for key, _ in sources.select(timeout=0.05):
                    if not key.data.take():
                        sources.unregister(key.fileobj)


class Crowd:
    """All of them together."""

    def __init__(self, machine: Machine, report: Report) -> None:
        self.machine = machine
        self.report = report
        group = int(machine.run("getent", "group", "payqueued-clients").stdout.split(":")[2])
        self.followers: list[Follower] = []
        while len(self.followers) < SIZE:
            self._connect([(20000 + n % USERS, group) for n in range(GROUP)])

    def _connect(self, users: list[tuple[int, int]]) -> None:
        """Connects followers until systemd keeps all of them.

        The daemon does not keep a connection that systemd does not take within 100 ms, which a busy machine may cause.
        """
        before = self._kept()
        wanted = 2 * (len(self.followers) + len(users))
        for _ in range(10):
            group = [Follower(self.machine, user) for user in users]
            with contextlib.suppress(Trouble):
                eventually("all are kept", lambda: self._kept() >= wanted, seconds=10)
                self.followers += group
                return
            for follower in group:
                follower.client.close()
            # Those that are still in the store must not count for the next.
            eventually("the closed ones are removed", lambda: self._kept() <= before)
        raise Trouble(f"{len(self.followers)} connections are kept, and no more")

    def _kept(self) -> int:
        return int(self.machine.show(SERVICE, "NFileDescriptorStore"))

    def outlive(self, way: str, end: Callable[[], Any], kills: bool = False) -> None:
        """The process ends in some way while purchases are made, and nobody notices but by waiting.

        A kill closes exactly those of whom the next process finds that a write was under way.
        """
        machine, report = self.machine, self.report
        began = time.monotonic()
        before = len(machine.journal(f"MESSAGE_ID={RESUMED}", "-u", SERVICE))
        load = Load(machine, report, buyers=2, pause=0.02, subscribed=True)
        # Settling makes records for longer than a peer may read nothing, if the machine is slow.
        with Ears(self.followers):
            with Pulse(machine) as pulse, load:
                eventually("purchases are made", lambda: load.acknowledged > 8)
                end()
                load.await_more(8)
            found = eventually("the log tells of it", lambda: machine.journal(
                f"MESSAGE_ID={RESUMED}", "-u", SERVICE)[before:])
            load.settle(f"over {way} with kept connections")
        head = self._buy()
        closed = sum(not follower.follow(head) for follower in self.followers)
        told = sum(int(entry["PAYQUEUED_CLOSED"]) for entry in found)
        writing = sum(int(entry["PAYQUEUED_WRITING"]) for entry in found)
        every = closed + load.closed + pulse.closed
        report.note(f"{way}: a client waits {pulse.pause * 1000:.0f} ms at most{self._since(pulse, began)}; "
                    f"{writing} connections had a write under way, {every} were closed")
        # Those with a write under way may be of the crowd.
        report.check(f"the next process went on with everybody over {way}",
                     len(found) == 1 and int(found[0]["PAYQUEUED_RESTORED"]) >= SIZE - writing, found)
        if kills:
            report.same(f"over {way} exactly those are closed who had a write under way",
                        (every, told), (writing, writing))
        else:
            report.same(f"no connection of {SIZE} is closed over {way}", (every, told), (0, 0))
        report.same(f"nobody missed or doubled a record over {way}",
                    [f.broken for f in self.followers if f.broken], [])

    def _since(self, pulse: Pulse, began: float) -> str:
        """How much of a pause was after a kill; a process that hangs lives for a while."""
        ends = [int(entry["__MONOTONIC_TIMESTAMP"]) / 1e6 for entry in self.machine.journal(
            f"MESSAGE_ID={EXITED}", f"UNIT={SERVICE}")]
        if not ends or not began < ends[-1] < pulse.ended:
            return ""
        return f", {(pulse.ended - ends[-1]) * 1000:.0f} ms of it after the process has ended"

    def close(self) -> None:
        """Everybody hangs up."""
        report = self.report
        report.same("all have seen the same",
                    len({tuple(f.seen) for f in self.followers}), 1)
        for follower in self.followers:
            follower.client.close()
        eventually("the manager lets go of who hung up",
                   lambda: int(self.machine.show(SERVICE, "NFileDescriptorStore")) <= 4)
        report.check("who hangs up is kept no longer", True)

    def _buy(self) -> int:
        """One more purchase; the newest position afterwards."""
        client: Client = self.machine.connect(SOCKET)
        client.call("subscribe", after="now", passive=True)
        seq = int(client.call("add", product="coins.100")["seq"])
        client.close()
        return seq
