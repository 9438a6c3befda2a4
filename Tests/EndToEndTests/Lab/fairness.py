#!/usr/bin/env python3
"""Measures how long an honest client waits beside a user that floods the daemon.

    fairness.py --payqueued PROGRAM [--adds N] [--seconds S]

Starts a daemon of its own in a temporary directory. The honest client is root; the flood comes from 64
connections of another user. Prints a line for each flood: the honest client's adds, one at a time, at rest
and beside the flood, in milliseconds. Exits 1 if a p99 is above 4 times that at rest and above 20 ms, if an
add takes more than 100 ms, if a purchase behind 40,000 waiting adds of the other user takes more than
1 s, or if 256 calls of signedHistory at once, of an account with 2,000 orders, take the daemon's memory to
128 MiB; exits 77, with the reason, where it cannot run.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Callable, Iterator

CONNECTIONS, WAITING = 64, 40_000
HISTORIES, ORDERS, MEMORY_MIB = 256, 2_000, 128
LOG_BYTES = 40_000_000
STRANGER = 65534


class Client:
    """A connection that asks one thing at a time."""

    def __init__(self, path: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rb")
        self.number = 0

    def call(self, method: str, /, **params: object) -> dict:
        """The reply to a request; notifications on the way are dropped."""
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        while True:
            message = json.loads(self.lines.readline())
            if message.get("id") == self.number:
                return message

    def batch(self, requests: list[dict]) -> list[dict]:
        """The replies to a batch."""
        self.socket.sendall(json.dumps(requests).encode() + b"\n")
        while True:
            message = json.loads(self.lines.readline())
            if isinstance(message, list):
                return message

    def event(self) -> dict:
        """The next notification's parameters."""
        while True:
            message = json.loads(self.lines.readline())
            if "method" in message:
                return message["params"]

    def close(self) -> None:
        """Closes it."""
        self.lines.close()
        self.socket.close()


def request(number: int, method: str, /, **params: object) -> dict:
    """A request as an element of a batch."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def line(value: object) -> bytes:
    """A value as it is sent."""
    return json.dumps(value).encode() + b"\n"


def adds(tag: str) -> Iterator[bytes]:
    """Batches of a hundred adds, each with keys of its own."""
    number = 0
    while True:
        number += 1
        yield line([request(i, "add", product="coins.100", key=f"{tag}-{os.getpid()}-{number}-{i}")
                    for i in range(100)])


def same(text: bytes) -> Iterator[bytes]:
    """The same line again and again."""
    while True:
        yield text


FLOODS: dict[str, Callable[[int], Iterator[bytes]]] = {
    "hello": lambda _: same(line(request(1, "hello"))),
    "metrics": lambda _: same(line(request(1, "metrics"))),
    "batches of 100 add": lambda index: adds(f"flood-{index}"),
    "batches of 100 rpc.discover": lambda _: same(line([request(i, "rpc.discover") for i in range(100)])),
    "events with a filter, log of 40 MB": lambda _: same(
        line(request(1, "events", after=0, kinds=["productsChanged"]))),
}


def flood(path: str, make: Callable[[int], Iterator[bytes]], seconds: float) -> int:
    """Floods from a process of its own under another user; its number."""
    child = os.fork()
    if child:
        return child
    signal.alarm(int(seconds) + 60)
    os.setgroups([])
    os.setgid(STRANGER)
    os.setuid(STRANGER)
    chooser = selectors.DefaultSelector()
    for index in range(CONNECTIONS):
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(path)
        peer.setblocking(False)
        chooser.register(peer, selectors.EVENT_READ | selectors.EVENT_WRITE, [make(index), b""])
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for key, mask in chooser.select(0.1):
            try:
                if mask & selectors.EVENT_READ and not key.fileobj.recv(1 << 20):
                    chooser.unregister(key.fileobj)
                    continue
                if mask & selectors.EVENT_WRITE:
                    source, rest = key.data
                    rest = rest or next(source)
                    key.data[1] = rest[key.fileobj.send(rest):]
            except BlockingIOError:
                pass
            except OSError:
                chooser.unregister(key.fileobj)
    os._exit(0)


def measure(client: Client, tag: str, count: int) -> list[float]:
    """How long adds take, one after another, in milliseconds, sorted."""
    times = []
    for number in range(count):
        begin = time.perf_counter()
        reply = client.call("add", product="coins.100", key=f"{tag}-{number}")
        times.append((time.perf_counter() - begin) * 1000)
        if "result" not in reply:
            sys.exit(f"an add failed: {reply}")
        time.sleep(0.002)
    return sorted(times)


def p99(times: list[float]) -> float:
    """The time that 99 of 100 do not exceed."""
    return times[int(len(times) * 0.99) - 1]


def fill(client: Client) -> None:
    """Adds until the log has its size."""
    number = 0
    while client.call("status")["result"]["log"]["bytes"] < LOG_BYTES:
        for _ in range(20):
            number += 1
            client.batch([request(i, "add", product="coins.100", key=f"fill-{number}-{i}",
                                  appAccountToken="t" * 200) for i in range(100)])


def behind(path: str) -> float:
    """How long a purchase takes behind the adds of another user that wait, in seconds."""
    child = os.fork()
    if not child:
        os.setgroups([])
        os.setgid(STRANGER)
        os.setuid(STRANGER)
        stranger = Client(path)
        for number in range(WAITING // 100):
            stranger.batch([request(i, "add", product="coins.100", key=f"wait-{number}-{i}")
                            for i in range(100)])
        os._exit(0)
    os.waitpid(child, 0)
    observer = Client(path)
    observer.call("subscribe", after="now")
    threading.Thread(target=lambda: all(iter(lambda: observer.lines.readline(), b"")), daemon=True).start()
    honest = Client(path)
    begin = time.perf_counter()
    wanted = honest.call("add", product="coins.100", key="honest")["result"]["transaction"]
    honest.call("wait", transaction=wanted, timeout=60)
    return time.perf_counter() - begin


def histories(path: str, process: int) -> float:
    """The most memory that a daemon takes for many histories that nobody reads at first, in MiB."""
    observer = Client(path)
    observer.call("subscribe", after="now")
    threading.Thread(target=lambda: all(iter(lambda: observer.lines.readline(), b"")), daemon=True).start()
    buyer = Client(path)
    for number in range(ORDERS // 100):
        added = buyer.batch([request(i, "add", product="coins.100", key=f"order-{number}-{i}")
                             for i in range(100)])
        for reply in added:
            buyer.call("wait", transaction=reply["result"]["transaction"], timeout=60)
    readers = [Client(path) for _ in range(HISTORIES // 2)]
    for reader in readers:
        reader.socket.sendall(line(request(1, "signedHistory")) + line(request(2, "signedHistory")))
    time.sleep(3)
    for reader in readers:
        for _ in range(2):
            if b'"jws"' not in (reply := reader.lines.readline()):
                sys.exit(f"a history failed: {reply[:200]!r}")
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


@contextlib.contextmanager
def daemon(program: Path) -> Iterator[tuple[str, int]]:
    """Runs a daemon whose socket everybody may use; the path and the process."""
    with tempfile.TemporaryDirectory(prefix="fairness-") as folder:
        os.chmod(folder, 0o755)
        path = f"{folder}/socket"
        process = subprocess.Popen(
            [program, "--demo", "--socket", path, "--state-directory", f"{folder}/state"],
            stderr=subprocess.DEVNULL)
        try:
            while not os.path.exists(path):
                if process.poll() is not None:
                    sys.exit(f"the daemon ended with {process.returncode}")
                time.sleep(0.05)
            os.chmod(path, 0o666)
            yield path, process.pid
        finally:
            process.terminate()
            process.wait()


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--payqueued", type=Path, required=True)
    words.add_argument("--adds", type=int, default=500)
    words.add_argument("--seconds", type=float, default=20)
    options = words.parse_args()
    if os.geteuid() != 0:
        print("skip everything: it takes root, to be two users")
        return 77
    failures = 0
    with daemon(options.payqueued) as (path, _):
        honest = Client(path)
        honest.call("hello")
        fill(honest)
        quiet = measure(honest, "quiet", options.adds)
        print(f"at rest: p50 {quiet[len(quiet) // 2]:.1f}, p99 {p99(quiet):.1f}, "
              f"maximum {quiet[-1]:.1f} ms", flush=True)
        limit = max(4 * p99(quiet), 20)
        for name, make in FLOODS.items():
            child = flood(path, make, options.seconds)
            time.sleep(1)
            times = measure(honest, name, options.adds)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            time.sleep(1)
            isGood = p99(times) <= limit and times[-1] <= 100
            failures += not isGood
            print(f"{'ok  ' if isGood else 'BAD '} {name}: p50 {times[len(times) // 2]:.1f}, "
                  f"p99 {p99(times):.1f}, maximum {times[-1]:.1f} ms", flush=True)
    with daemon(options.payqueued) as (path, _):
        took = behind(path)
    failures += took > 1
    print(f"{'ok  ' if took <= 1 else 'BAD '} a purchase behind {WAITING} waiting adds: {took:.2f} s")
    with daemon(options.payqueued) as (path, process):
        most = histories(path, process)
    failures += most >= MEMORY_MIB
    print(f"{'ok  ' if most < MEMORY_MIB else 'BAD '} signedHistory {HISTORIES} at once at {ORDERS:,} orders: "
          f"daemon's peak RSS {most:.0f} MiB")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
