"""Harm beside the protocol: passed descriptors, the socket for metrics, files, and the process itself."""

from __future__ import annotations

import ctypes
import itertools
import os
import resource
import signal
import socket
import stat
import struct
import time
from pathlib import Path
from typing import Callable

from fairness import line, request
from hostile_lines import PING
from hostile_user import Hostile, case, rights, rows, same

PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206


# Descriptors

@case("descriptors", "as many descriptors as a message takes, with every request")
def passed(user: Hostile) -> None:
    file = os.open("/dev/null", os.O_RDONLY)

    def once(_: int) -> None:
        peer = user.connect()
        for _ in range(20):
            peer.sendmsg([PING], rights(253, file))
            user.sent += 1
            user.read(peer.recv(65536))
        peer.close()

    user.each(8, once)


@case("descriptors", "descriptors in messages that are never a line")
def passed_within_lines(user: Hostile) -> None:
    file = os.open("/dev/null", os.O_RDONLY)
    peers = [user.connect() for _ in range(60)]
    for peer in itertools.cycle(peers):
        if not user.goes_on:
            break
        peer.sendmsg([b" "], rights(100, file))
        user.sent += 1


@case("descriptors", "a connection passed over itself")
def passed_itself(user: Hostile) -> None:
    def once(_: int) -> None:
        peer = user.connect()
        peer.sendmsg([PING], rights(1, peer.fileno()))
        user.read(peer.recv(65536))
        peer.close()

    user.each(8, once)


@case("descriptors", "pipes that nobody reads, passed by the hundred")
def passed_pipes(user: Hostile) -> None:
    def once(_: int) -> None:
        peer = user.connect()
        source, sink = os.pipe()
        for _ in range(10):
            peer.sendmsg([PING], rights(200, sink))
            user.sent += 1
        user.read(peer.recv(65536))
        os.close(source)
        os.close(sink)
        peer.close()

    user.each(8, once)


@case("descriptors", "credentials of root in a message")
def forged_credentials(user: Hostile) -> None:
    root = [(socket.SOL_SOCKET, 2, struct.pack("3i", 1, 0, 0))]

    def once(_: int) -> None:
        peer = user.connect()
        try:
            peer.sendmsg([line(request(1, "drain", on=True))], root)
            user.wrong.append("the kernel lets a user be root")
        except PermissionError:
            pass
        peer.sendall(line(request(1, "hello")))
        user.require(b'"uid":65534' in peer.recv(65536), "the peer is another than the user")
        peer.close()

    user.each(8, once)


# The socket for metrics

def get(path: str = "/metrics", *headers: str, method: str = "GET") -> bytes:
    """A request of HTTP."""
    return "\r\n".join([f"{method} {path} HTTP/1.1", *(headers or ("Host: localhost",)), "", ""]).encode()


HTTP = {
    "scrapes without a pause": (get(),),
    "scrapes of health": (get("/healthz") + get("/readyz"),),
    "a hundred requests in one write": (get() * 100,),
    "paths that do not exist": (get("/../../etc/passwd"), 404),
    "paths of thirty thousand letters": (get("/" + "p" * 30000),),
    "methods that are not for reading": (get(method="DELETE"), 405),
    "no host": (get("/metrics", "Accept: */*"), 400),
    "two hosts": (get("/metrics", "Host: a", "Host: b"), 400),
    "hosts that are no host": (get("/metrics", "Host: 127.0.0.1:80@evil.example"), 400),
    "headers beyond every limit": (get("/metrics", "Host: x", *[f"X-{n}: {'v' * 500}" for n in range(200)]),),
    "one header of a megabyte": (get("/metrics", "Host: x", "X: " + "v" * (1 << 20)),),
    "bodies beyond the limit": (get("/metrics", "Host: x", "Content-Length: 999999999") + b"x" * 65536,),
    "lengths that contradict each other": (
        get("/metrics", "Host: x", "Content-Length: 1", "Content-Length: 2") + b"xx", 400),
    "bad sizes of chunks": (get("/metrics", "Host: x", "Transfer-Encoding: chunked") + b"zz\r\n", 400),
    "unknown transfer codings": (get("/metrics", "Host: x", "Transfer-Encoding: gzip"),),
    "the protocol of the other socket": (PING * 100,),
    "bytes that are no HTTP": (bytes(range(256)) * 64,),
}
rows("metrics", HTTP, lambda user, text: user.flood(same(text), connections=16, again=True, path=user.metrics))


@case("metrics", "headers byte by byte, on every connection")
def slow_headers(user: Hostile) -> None:
    text = get()[:-2]
    user.flood(lambda _: (text[n:n + 1] for n in range(len(text))), connections=16, path=user.metrics)


@case("metrics", "connections that ask nothing, held")
def idle_scrapers(user: Hostile) -> None:
    user.flood(lambda _: iter([]), connections=200, path=user.metrics)


@case("metrics", "answers that nobody reads")
def unread_answers(user: Hostile) -> None:
    user.flood(same(get() * 50), connections=16, reads=False, path=user.metrics)


@case("metrics", "connections that leave at once")
def fleeting_scrapers(user: Hostile) -> None:
    user.each(8, lambda _: user.connect(user.metrics).close())


# Files and processes: everything must be denied.

def denied(user: Hostile, what: str, attempt: Callable[[], object]) -> None:
    """Tries what the user must not be able to do."""
    user.sent += 1
    try:
        attempt()
    except OSError:
        return
    user.wrong.append(f"{what} is permitted")


def again(attempts: dict[str, Callable[[Hostile], object]]) -> Callable[[Hostile, object], None]:
    """Tries everything again and again."""
    def attack(user: Hostile, _: object) -> None:
        while user.goes_on and not user.wrong:
            for name, attempt in attempts.items():
                denied(user, name, lambda: attempt(user))
    return attack


FILES: dict[str, dict[str, Callable[[Hostile], object]]] = {
    "removing or replacing the socket": {
        "removal": lambda user: os.unlink(user.path),
        "renaming": lambda user: os.rename(user.path, user.path + ".old"),
        "a link": lambda user: os.symlink("/etc/passwd", f"{user.folder}/link"),
        "another mode": lambda user: os.chmod(user.path, 0),
        "another owner": lambda user: os.chown(user.path, os.getuid(), -1),
    },
    "a socket of its own at the place of the socket": {
        "binding": lambda user: socket.socket(socket.AF_UNIX).bind(user.path),
        "binding beside it": lambda user: socket.socket(socket.AF_UNIX).bind(f"{user.folder}/other"),
    },
    "pipes, links and directories beside the state directory": {
        "a pipe": lambda user: os.mkfifo(f"{user.folder}/state.new"),
        "a directory": lambda user: os.mkdir(f"{user.folder}/backups"),
        "a hard link": lambda user: os.link(f"{user.folder}/state/format.json", "/tmp/hostile-link"),
        "a device": lambda user: os.mknod(f"{user.folder}/zero", stat.S_IFCHR | 0o666, os.makedev(1, 5)),
    },
    "reading and writing the state directory": {
        "a list": lambda user: os.listdir(f"{user.folder}/state"),
        "reading": lambda user: open(f"{user.folder}/state/format.json"),
        "writing": lambda user: open(f"{user.folder}/state/journal-x.ndjson", "a"),
        "the lock": lambda user: open(f"{user.folder}/state/lock"),
        "keys": lambda user: os.listdir(f"{user.folder}/state/keys"),
    },
    "writing configuration, catalogue and log": {
        "configuration": lambda user: open(f"{user.folder}/payqueued.json", "a"),
        "catalogue": lambda user: open(f"{user.folder}/catalogue.json"),
        "log": lambda user: open(f"{user.folder}/log", "a"),
        "truncation": lambda user: os.truncate(f"{user.folder}/payqueued.json", 0),
    },
}
PROCESS: dict[str, dict[str, Callable[[Hostile], object]]] = {
    "signals to the daemon": {
        str(number): lambda user, number=number: os.kill(user.daemon, number)
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGSTOP, signal.SIGUSR1, 0)
    },
    "debugging the daemon": {
        "attaching": lambda user: trace(PTRACE_ATTACH, user.daemon),
        "seizing": lambda user: trace(PTRACE_SEIZE, user.daemon),
        "memory": lambda user: open(f"/proc/{user.daemon}/mem", "rb"),
        "its map": lambda user: open(f"/proc/{user.daemon}/maps", "rb").read(),
        "environment": lambda user: open(f"/proc/{user.daemon}/environ", "rb").read(),
        "descriptors": lambda user: os.listdir(f"/proc/{user.daemon}/fd"),
    },
    "limits and priority of the daemon": {
        "priority": lambda user: os.setpriority(os.PRIO_PROCESS, user.daemon, 19),
        "policy": lambda user: os.sched_setscheduler(user.daemon, os.SCHED_IDLE, os.sched_param(0)),
        "affinity": lambda user: os.sched_setaffinity(user.daemon, {0}),
        "limits": lambda user: resource.prlimit(user.daemon, resource.RLIMIT_NOFILE, (16, 16)),
        "its score": lambda user: Path(f"/proc/{user.daemon}/oom_score_adj").write_text("1000"),
        "taking a descriptor": lambda user: take_descriptor(user.daemon),
    },
}


def trace(request: int, process: int) -> None:
    """Attaches to a process as a debugger does."""
    library = ctypes.CDLL(None, use_errno=True)
    if library.ptrace(request, process, None, None) < 0:
        raise OSError(ctypes.get_errno(), "ptrace")


def take_descriptor(process: int) -> None:
    """Copies a descriptor out of a process."""
    library = ctypes.CDLL(None, use_errno=True)
    handle = os.pidfd_open(process)
    try:
        # The number of pidfd_getfd is the same on every machine.
        if library.syscall(438, handle, 0, 0) < 0:
            raise OSError(ctypes.get_errno(), "pidfd_getfd")
    finally:
        os.close(handle)


for family, table in (("files", FILES), ("process", PROCESS)):
    for name, attempts in table.items():
        rows(family, {name: (None,)}, again(attempts))


@case("process", "the memory of the machine, in buffers of sockets")
def kernel_memory(user: Hostile) -> None:
    chunk = b" " * 60000
    peers = []
    for _ in range(64):
        peer = user.connect()
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
        peer.setblocking(False)
        peers.append(peer)
    while user.goes_on:
        for peer in peers:
            try:
                peer.send(chunk)
                user.sent += 1
            except BlockingIOError:
                pass
        time.sleep(0.001)


@case("process", "processes that connect and die by the hundred")
def forks(user: Hostile) -> None:
    def once(_: int) -> None:
        child = os.fork()
        if not child:
            with_requests = user.connect()
            with_requests.sendall(PING * 50)
            os._exit(0)
        os.waitpid(child, 0)
        user.sent += 1

    user.each(2, once)
