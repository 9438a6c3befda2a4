"""The hostile user: a process of another uid that does harm on many connections and counts the answers."""

from __future__ import annotations

import collections
import contextlib
import gc
import itertools
import json
import os
import re
import resource
import selectors
import socket
import struct
import threading
import time
import traceback
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Optional

from fairness import Client, line, request

HOSTILE = 65534
# One user has at most this many connections.
ROOM = 64
# A flood whose reader is gone for so long has ended.
PATIENCE = 20
# States of HTTP that the socket for metrics answers.
HTTP = {200, 400, 404, 405, 408, 413, 414, 431, 501, 503, 505}
CODES = re.compile(rb'"error":\{"code":(-?\d+),')
STATUS = re.compile(rb"HTTP/1\.1 (\d{3})")

Source = Callable[[int], Iterator[bytes]]


class Wrong(Exception):
    """The daemon did what it must not do, or did not do what it must."""


def become(user: int) -> None:
    """Makes this process one of another user, for good."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


class Hostile:
    """What a case does harm with. It exists in the process of the hostile user only."""

    def __init__(self, folder: str, daemon: int, until: float) -> None:
        self.folder = folder
        self.path = f"{folder}/socket"
        self.metrics = f"{folder}/metrics"
        # The process of the daemon.
        self.daemon = daemon
        # The monotonic time at which it leaves.
        self.until = until
        # Writes, and the replies among the lines that were read.
        self.sent = 0
        self.answered = 0
        self.codes: collections.Counter[int] = collections.Counter()
        self.wrong: list[str] = []
        self._kept: list[Any] = []

    @property
    def goes_on(self) -> bool:
        """Whether it is not yet time to leave."""
        return time.monotonic() < self.until

    # Single connections

    def connect(self, path: Optional[str] = None, receives: int = 0) -> socket.socket:
        """A connection that stays open as long as the process."""
        peer = socket.socket(socket.AF_UNIX)
        if receives:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
        peer.settimeout(PATIENCE)
        peer.connect(path or self.path)
        self._kept.append(peer)
        self.sent += 1
        return peer

    def client(self) -> Client:
        """A connection that asks one thing at a time and stays open."""
        client = Client(self.path)
        client.socket.settimeout(PATIENCE)
        self._kept.append(client)
        return client

    def ask(self, client: Client, method: str, /, **params: object) -> dict:
        """The reply to a request, which is counted."""
        self.sent += 1
        return self.note(client.call(method, **params))

    def ask_all(self, client: Client, requests: list[dict]) -> list[dict]:
        """The replies to a batch, which are counted."""
        self.sent += 1
        return [self.note(reply) for reply in client.batch(requests)]

    def note(self, reply: dict) -> dict:
        """Counts a reply."""
        self.answered += 1
        if error := reply.get("error"):
            self.codes[error["code"]] += 1
        return reply

    def read(self, data: bytes) -> None:
        """Counts the replies in bytes that were read."""
        self.answered += data.count(b"\n")
        for code in CODES.findall(data):
            self.codes[int(code)] += 1
        for code in STATUS.findall(data):
            self.codes[int(code)] += 1

    def require(self, isSo: object, text: str) -> None:
        """Notes what the daemon must not do."""
        if not isSo:
            raise Wrong(text)

    # Many connections

    def each(self, count: int, work: Callable[[int], None]) -> None:
        """Runs something again and again in threads, until it is time to leave; a closed connection is fine."""
        def repeat(index: int) -> None:
            while self.goes_on:
                try:
                    work(index)
                except (OSError, ValueError):
                    time.sleep(0.005)
                except Wrong as wrong:
                    self.wrong.append(str(wrong))
                    return
                except Exception:  # noqa: BLE001 - the case itself is wrong, and says so
                    self.wrong.append(traceback.format_exc(limit=-2))
                    return

        threads = [threading.Thread(target=repeat, args=(n,), daemon=True) for n in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0, self.until - time.monotonic()))

    def flood(self, make: Source, connections: int = ROOM, reads: bool = True, again: bool = False,
              path: Optional[str] = None, receives: int = 0) -> None:
        """Sends what a source gives on each of many connections, until it is time to leave.

        Without `reads` no reply is read. With `again` a connection that was closed is made again.
        """
        chooser = selectors.DefaultSelector()
        wanted = selectors.EVENT_WRITE | (selectors.EVENT_READ if reads else 0)

        def join(index: int) -> None:
            with contextlib.suppress(OSError):
                peer = self.connect(path, receives)
                peer.setblocking(False)
                chooser.register(peer, wanted, [index, make(index), b""])

        for index in range(connections):
            join(index)
        while self.goes_on and chooser.get_map():
            for key, mask in chooser.select(0.05):
                peer: Any = key.fileobj
                try:
                    if mask & selectors.EVENT_READ:
                        if not (data := peer.recv(1 << 18)):
                            raise ConnectionResetError
                        self.read(data)
                    if mask & selectors.EVENT_WRITE:
                        self._write(chooser, peer, key.data, reads)
                except BlockingIOError:
                    pass
                except OSError:
                    chooser.unregister(peer)
                    # The last line may have come just now.
                    with contextlib.suppress(OSError):
                        self.read(peer.recv(1 << 18) if reads else b"")
                    peer.close()
                    self._kept.remove(peer)
                    if again:
                        join(key.data[0])

    def _write(self, chooser: selectors.BaseSelector, peer: socket.socket, data: list[Any],
               reads: bool) -> None:
        """Sends the rest of a chunk, or the next one; a source that has ended sends nothing more."""
        _, source, rest = data
        if not rest:
            rest = next(source, None)
            if rest is None:
                if reads:
                    chooser.modify(peer, selectors.EVENT_READ, data)
                else:
                    chooser.unregister(peer)
                return
            self.sent += 1
        data[2] = rest[peer.send(rest):]

    def subscribe(self, count: int = 1, receives: int = 0, **params: object) -> list[socket.socket]:
        """Connections with a subscription each; nothing of them is read but the reply."""
        peers = []
        for _ in range(count):
            peer = self.connect(receives=receives)
            peer.sendall(line(request(1, "subscribe", **params)))
            self.read(peer.recv(4096))
            peers.append(peer)
        return peers

    def churn(self, connections: int = 32, **params: object) -> None:
        """Subscribes and leaves again and again, on many connections."""
        def once(_: int) -> None:
            client = self.client()
            for _ in range(200):
                if result := self.ask(client, "subscribe", **params).get("result"):
                    self.ask(client, "unsubscribe", subscription=result["subscription"])
            client.close()

        self.each(connections, once)

    def drain(self, peers: list[socket.socket]) -> None:
        """Reads connections in a thread, without looking at what they bring."""
        def read(peer: socket.socket) -> None:
            with contextlib.suppress(OSError):
                while peer.recv(1 << 18):
                    pass

        for peer in peers:
            peer.settimeout(None)
            threading.Thread(target=read, args=(peer,), daemon=True).start()


@dataclass(frozen=True)
class Case:
    """One kind of harm."""

    family: str
    name: str
    attack: Callable[[Hostile], None]
    # Codes, or states of HTTP, each of which the hostile user must be answered.
    codes: frozenset[int] = frozenset()
    # Members of the daemon's configuration.
    config: dict[str, Any] = field(default_factory=dict)
    # Starts with a log of 40 MB and an account with 2,000 orders.
    full: bool = False
    # Leaves something in the daemon, or its log: the next case gets another one.
    lasts: bool = False
    # The hostile user may stop purchases, by its role: of the honest client only the calls are judged.
    stops: bool = False
    # The honest client subscribes to what the hostile user buys, so that more and more is redelivered to it: the
    # time until it is caught up is that of its own reading, and is not judged.
    redelivers: bool = False
    # The most that the daemon's memory may have grown, for what it keeps by contract, in MiB.
    grows: float = 0


CASES: list[Case] = []


def case(family: str, name: str, *codes: int, **more: Any) -> Callable[[Any], Any]:
    """Adds the function below it as a case."""
    def add(attack: Callable[[Hostile], None]) -> Callable[[Hostile], None]:
        CASES.append(Case(family, name, attack, frozenset(codes), **more))
        return attack
    return add


def rows(family: str, table: dict[str, tuple[Any, ...]], attack: Callable[[Hostile, Any], None],
         **more: Any) -> None:
    """Adds a case for each row of a table: a name, what is sent, and the codes that answer it."""
    for name, (value, *codes) in table.items():
        CASES.append(Case(family, name, lambda user, value=value: attack(user, value),
                          frozenset(codes), **more))


def same(text: bytes) -> Source:
    """A source of the same bytes again and again."""
    return lambda _: itertools.repeat(text)


def many(text: bytes, size: int = 1 << 16) -> bytes:
    """A text as often as it fits into so many bytes, at least once."""
    return text * max(1, size // len(text))


def run(case: Case, folder: str, daemon: int, seconds: float, user: int = HOSTILE) -> tuple[int, int]:
    """Does the harm of a case in a process of its own; its number, and where its report will be read."""
    source, sink = os.pipe()
    child = os.fork()
    if child:
        os.close(sink)
        return child, source
    # Before all other programs, and behind the daemon and the honest client: what is fought for is the daemon's
    # time, not the processor's.
    os.setpriority(os.PRIO_PROCESS, 0, -15)
    resource.setrlimit(resource.RLIMIT_NOFILE, (20000, 20000))
    become(user)
    gc.disable()
    hostile = Hostile(folder, daemon, time.monotonic() + seconds)

    def attack() -> None:
        try:
            case.attack(hostile)
        except (OSError, ValueError) as error:
            # The daemon closes connections, and does not take all of them.
            if not hostile.sent:
                hostile.wrong.append(f"it could do nothing: {error!r}")
        except Wrong as wrong:
            hostile.wrong.append(str(wrong))
        except Exception:  # noqa: BLE001 - the case itself is wrong, and says so
            hostile.wrong.append(traceback.format_exc(limit=-2))

    thread = threading.Thread(target=attack, daemon=True)
    thread.start()
    thread.join(seconds + 0.2)
    while hostile.goes_on:
        time.sleep(0.01)
    report = {"sent": hostile.sent, "answered": hostile.answered, "wrong": hostile.wrong[:3],
              "codes": sorted(hostile.codes)}
    os.write(sink, json.dumps(report).encode())
    os._exit(0)


def rights(count: int, descriptor: int) -> list[tuple[int, int, bytes]]:
    """Descriptors that go with a message, as the kernel wants them."""
    return [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack(f"{count}i", *[descriptor] * count))]
