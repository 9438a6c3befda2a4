"""Ways to programs that can be cut in one direction or both, refuse, break, and show what passes.

`Link` is a way through this program. `PortCuts` are for ports that the others reach directly: the system drops the
packets, in a network of this program alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import Callable, Coroutine, Optional, TypeVar

Value = TypeVar("Value")
# What gets the bytes of a connection to its target, and those back.
Ears = tuple[Callable[[bytes], None], Callable[[bytes], None]]
# The bytes that are read at once.
PIECE = 1 << 16


class Link:
    """A port that leads to another one.

    While a direction is cut, its bytes wait, as on a network that loses packets; connections stay, and new ones are
    taken.
    """

    def __init__(self, target: int, listener: Optional[Callable[[], Ears]] = None) -> None:
        """The listener makes two functions for each connection, which get the bytes to the target and back."""
        self.target, self.listener = target, listener
        self.port = 0
        self._refuses = False
        self._there, self._back = asyncio.Event(), asyncio.Event()
        self._pairs: set[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = set()
        self._open()

    # What other threads call.

    def cut(self, there: bool = True, back: bool = True) -> None:
        """Stops the bytes to the target, those from it, or both."""
        Loop.run(lambda: self._cut(there, back))

    def refuse(self) -> None:
        """Ends all connections, and each new one at once."""
        Loop.run(self._refuse)

    def heal(self) -> None:
        """Lets everything pass; what has waited arrives now."""
        Loop.run(self._open)

    def drop(self) -> None:
        """Ends all connections; new ones are taken."""
        Loop.run(self._drop)

    # What runs on the loop.

    def _cut(self, there: bool, back: bool) -> None:
        """Closes the gates."""
        if there:
            self._there.clear()
        if back:
            self._back.clear()

    def _refuse(self) -> None:
        """Takes no connections any more."""
        self._refuses = True
        self._drop()

    def _open(self) -> None:
        """Opens the gates."""
        self._refuses = False
        self._there.set()
        self._back.set()

    def _drop(self) -> None:
        """Ends all connections."""
        for pair in self._pairs:
            for writer in pair:
                writer.transport.abort()

    async def listen(self) -> None:
        """Begins to take connections."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves one connection."""
        if self._refuses:
            writer.transport.abort()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        pair = (writer, far_writer)
        self._pairs.add(pair)
        there, back = self.listener() if self.listener else (None, None)
        try:
            await asyncio.gather(
                self._pump(reader, far_writer, self._there, there), self._pump(far_reader, writer, self._back, back))
        finally:
            self._pairs.discard(pair)
            for one in pair:
                one.close()

    @staticmethod
    async def _pump(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, gate: asyncio.Event,
        hears: Optional[Callable[[bytes], None]],
    ) -> None:
        """Forwards one direction of a connection."""
        with contextlib.suppress(OSError):
            while True:
                piece = await reader.read(PIECE)
                await gate.wait()
                if not piece:
                    break
                if hears:
                    hears(piece)
                writer.write(piece)
                await writer.drain()
        with contextlib.suppress(OSError, RuntimeError):
            writer.write_eof()
        if isinstance(reader.exception(), OSError):
            writer.transport.abort()


class Loop:
    """The thread in which all links run."""

    _loop: Optional[asyncio.AbstractEventLoop] = None

    @classmethod
    def run(cls, work: Callable[[], None]) -> None:
        """Runs something on the thread, and waits for it."""
        async def once() -> None:
            """The work, as what a loop runs."""
            work()

        cls._await(once())

    @classmethod
    def link(cls, target: int, listener: Optional[Callable[[], Ears]] = None) -> Link:
        """A link that takes connections."""
        async def made() -> Link:
            """The link, as what a loop runs."""
            link = Link(target, listener)
            await link.listen()
            return link

        return cls._await(made())

    @classmethod
    def _await(cls, work: Coroutine[object, object, Value]) -> Value:
        """Runs something on the thread, and returns its result."""
        if cls._loop is None:
            cls._loop = asyncio.new_event_loop()
            threading.Thread(target=cls._loop.run_forever, daemon=True).start()
        return asyncio.run_coroutine_threadsafe(work, cls._loop).result(10)


class PortCuts:
    """Ports of this machine that can be cut off in one direction or both. Needs `enter_own_network`."""

    def __init__(self) -> None:
        """Nothing is cut."""
        self._lock = threading.Lock()
        self._cuts: set[tuple[str, int]] = set()

    def cut(self, port: int, there: bool = True, back: bool = True) -> None:
        """Drops the packets to a port, those from it, or both, until it is healed."""
        wanted = {(direction, port) for direction, is_cut in (("dport", there), ("sport", back)) if is_cut}
        with self._lock:
            for cut in wanted - self._cuts:
                self._cuts.add(cut)
                self._rule("add", *cut)

    def heal(self, *ports: int) -> None:
        """Lets the packets of these ports pass, or of all."""
        with self._lock:
            for direction, port in list(self._cuts):
                if not ports or port in ports:
                    self._cuts.discard((direction, port))
                    self._rule("del", direction, port)

    @staticmethod
    def _rule(action: str, direction: str, port: int) -> None:
        """Adds or removes a rule of routing."""
        subprocess.run(
            ["ip", "rule", action, "pref", "1", "ipproto", "tcp", direction, str(port), "blackhole"], check=True)


def enter_own_network() -> bool:
    """Starts this program anew in a network of its own; returns there, and whether ports can be cut."""
    mark = "LAB_OWN_NETWORK"
    # Rules apply before the one that finds this machine's own addresses only if that one comes later.
    steps = "ip link set lo up && ip rule add pref 100 lookup local && ip rule del pref 0"
    if mark in os.environ:
        return subprocess.run(["sh", "-c", steps], check=False).returncode == 0
    unshare = ["unshare", "--net", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    if all(map(shutil.which, ("ip", "unshare"))) and subprocess.run(
            [*unshare, "sh", "-c", steps], capture_output=True, check=False).returncode == 0:
        os.environ[mark] = "1"
        os.execvp(unshare[0], [*unshare, sys.executable, *sys.argv])
    return False


@dataclass
class Request:
    """A request over HTTP, with the times at which its first and its last byte passed, and the status of the answer."""

    begun: float
    ended: float
    method: str
    path: str
    status: Optional[int] = None


class Requests:
    """The requests over HTTP that pass a link."""

    def __init__(self) -> None:
        """No request has passed yet."""
        self.seen: list[Request] = []

    def connection(self) -> Ears:
        """The functions that read the requests of one connection, and the answers."""
        waiting, answers, open_ones = bytearray(), bytearray(), deque[Request]()
        rest, begun = 0, 0.0
        line: list[str] = []

        def hears(piece: bytes) -> None:
            """Takes the next bytes of the connection."""
            nonlocal rest, begun
            if not waiting and not line:
                begun = time.monotonic()
            waiting.extend(piece)
            while True:
                if line:
                    if len(waiting) < rest:
                        return
                    del waiting[:rest]
                    request = Request(begun, time.monotonic(), line[0], line[1])
                    open_ones.append(request)
                    self.seen.append(request)
                    line.clear()
                end = waiting.find(b"\r\n\r\n")
                if end < 0:
                    return
                head = waiting[:end].decode("latin-1").split("\r\n")
                del waiting[:end + 4]
                rest = 0
                for header in head[1:]:
                    name, _, value = header.partition(":")
                    if name.lower() == "content-length":
                        rest = int(value)
                line.extend(head[0].split(" ")[:2])

        def hears_answer(piece: bytes) -> None:
            """Takes the next bytes of the answers. They come in the order of the requests."""
            answers.extend(piece)
            for found in re.finditer(rb"HTTP/1\.1 (\d{3}) ", bytes(answers)):
                if open_ones:
                    open_ones.popleft().status = int(found[1])
                del answers[:]

        return hears, hears_answer

    def between(self, begin: float, end: float) -> list[Request]:
        """Those whose last byte passed between two times."""
        return [request for request in list(self.seen) if begin < request.ended < end]
