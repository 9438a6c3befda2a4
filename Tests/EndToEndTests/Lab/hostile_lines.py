"""Harm by bytes: lines that never end, come in pieces, are too long, or are no text."""

from __future__ import annotations

import itertools
import json
import random
import socket
import time
from typing import Iterator

from fairness import line, request
from hostile_user import ROOM, Hostile, case, many, rows, same

LIMIT = 65536
PING = line(request(1, "ping"))
PARSE, INVALID, LONG = -32700, -32600, -32001
CONNECTIONS, SHARE = -32005, -32013


def whole_line(size: int) -> bytes:
    """A ping that is so many bytes long without its line feed."""
    return PING[:-1].ljust(size) + b"\n"


# What is sent on every connection, again and again, as fast as it is taken.
rows("framing", {
    "lines of exactly the limit": (whole_line(LIMIT),),
    "lines one byte above the limit": (whole_line(LIMIT + 1), LONG),
    "lines of a megabyte": (b"x" * (1 << 20) + b"\n", LONG),
    "lines of the limit that are no JSON": (b"x" * LIMIT + b"\n", PARSE),
    "NUL bytes for text": (many(b"\0" * 200 + b"\n"), PARSE),
    "a NUL behind every request": (many(PING[:-1] + b"\0\n"), PARSE),
    "bytes that are no UTF-8": (many(b'{"jsonrpc":"2.0","id":"\xff\xfe\xc0","method":"ping"}\n'), PARSE),
    "overlong forms of characters": (many(b'{"jsonrpc":"2.0","id":"\xc0\xaf","method":"ping"}\n'), PARSE),
    "surrogates as bytes": (many(b'{"jsonrpc":"2.0","id":"\xed\xa0\x80","method":"ping"}\n'), PARSE),
    "characters beyond Unicode": (many(b'{"jsonrpc":"2.0","id":"\xf4\x90\x80\x80","method":"ping"}\n'), PARSE),
    "a byte order mark before every line": (many(b"\xef\xbb\xbf" + PING), PARSE),
    "UTF-16": (many(PING.decode().encode("utf-16-be")), PARSE),
    "every mixture of CR and LF": (many(b"\r\n\n\r\r\n" + PING[:-1] + b"\r\n\n\r\n"),),
    "nothing but line feeds": (b"\n" * LIMIT + PING,),
    "nothing but carriage returns": (b"\r" * (LIMIT - 1) + b"\n" + PING,),
    "lines of spaces": (b" " * LIMIT + b"\n" + PING,),
    "one letter a line": (b"x\n" * 4096, PARSE),
    "two requests in a line": (many(PING[:-1] + PING), PARSE),
    "requests of HTTP": (many(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), PARSE),
    "a greeting of TLS": (many(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(11, 256)) + b"\n"),
                          PARSE),
    "a thousand requests in one write": (PING * 1000,),
}, lambda user, text: user.flood(same(text)))


@case("framing", "random bytes", PARSE)
def noise(user: Hostile) -> None:
    dice = random.Random(1)
    chunks = [dice.randbytes(LIMIT) for _ in range(20)]
    user.flood(lambda _: itertools.cycle(chunks))


@case("framing", "real requests with bytes changed", PARSE)
def mutations(user: Hostile) -> None:
    dice = random.Random(2)

    def source(_: int) -> Iterator[bytes]:
        while True:
            text = bytearray(PING * 500)
            for _ in range(300):
                text[dice.randrange(len(text))] = dice.randrange(256)
            yield bytes(text) + b"\n"

    user.flood(source)


@case("framing", "lines that never end, and are held")
def held_lines(user: Hostile) -> None:
    user.flood(lambda _: iter([b'{"jsonrpc":"2.0","method":"']))


@case("framing", "almost a full line, held on every connection")
def held_full_lines(user: Hostile) -> None:
    user.flood(lambda _: iter([b" " * (LIMIT - 1)]))


@case("framing", "a line without an end, as fast as it is taken")
def endless_lines(user: Hostile) -> None:
    user.flood(same(b"x" * (1 << 18)))


@case("framing", "a line feed every two megabytes", LONG)
def rare_line_feeds(user: Hostile) -> None:
    user.flood(lambda _: itertools.cycle([b"y" * (1 << 20)] * 2 + [b"\n"]))


@case("framing", "requests byte by byte")
def bytes_one_by_one(user: Hostile) -> None:
    user.flood(lambda _: (PING[n:n + 1] for n in itertools.cycle(range(len(PING)))))


@case("framing", "a byte now and then on every connection")
def dripping(user: Hostile) -> None:
    peers = [user.connect() for _ in range(ROOM)]
    for byte in itertools.cycle(range(len(PING))):
        for peer in peers:
            peer.sendall(PING[byte:byte + 1])
        time.sleep(0.02)


@case("framing", "requests cut at every place")
def cuts(user: Hostile) -> None:
    def source(_: int) -> Iterator[bytes]:
        for place in itertools.cycle(range(1, len(PING))):
            yield PING[:place]
            yield PING[place:]

    user.flood(source)


@case("framing", "a half-close after half a line", PARSE)
def half_lines(user: Hostile) -> None:
    def once(_: int) -> None:
        peer = user.connect()
        peer.sendall(PING[:20])
        peer.shutdown(socket.SHUT_WR)
        while data := peer.recv(65536):
            user.read(data)
        peer.close()

    user.each(8, once)


@case("framing", "a half-close behind a thousand requests")
def half_closes(user: Hostile) -> None:
    def once(_: int) -> None:
        peer = user.connect()
        peer.sendall(PING * 1000)
        peer.shutdown(socket.SHUT_WR)
        count = 0
        while data := peer.recv(1 << 18):
            user.read(data)
            count += data.count(b"\n")
        user.require(count == 1000, f"{count} of 1000 requests were answered after a half-close")
        peer.close()

    user.each(8, once)


@case("framing", "connections that end within a line, with replies unread")
def torn_connections(user: Hostile) -> None:
    def once(_: int) -> None:
        peer = user.connect()
        peer.sendall(PING * 100 + PING[:20])
        peer.close()

    user.each(8, once)


@case("framing", "readers that shut the reading side")
def deaf(user: Hostile) -> None:
    def once(_: int) -> None:
        peer = user.connect()
        peer.shutdown(socket.SHUT_RD)
        for _ in range(50):
            peer.sendall(PING * 20)
        peer.close()

    user.each(8, once)


@case("framing", "thousands of connections that say nothing and leave")
def silent_connections(user: Hostile) -> None:
    user.each(8, lambda _: user.connect().close())


@case("framing", "thousands of connections that say one byte and leave")
def curt_connections(user: Hostile) -> None:
    def once(_: int) -> None:
        peer = user.connect()
        peer.sendall(b"{")
        peer.close()

    user.each(8, once)


@case("framing", "connects while all of its connections are taken", CONNECTIONS)
def too_many_connections(user: Hostile) -> None:
    for _ in range(ROOM):
        user.connect()

    def once(_: int) -> None:
        peer = user.connect()
        while data := peer.recv(65536):
            user.read(data)
        peer.close()

    user.each(4, once)


@case("framing", "three thousand connects at once, none of them closed")
def full_backlog(user: Hostile) -> None:
    peers = []
    while user.goes_on and len(peers) < 3000:
        peer = socket.socket(socket.AF_UNIX)
        peer.setblocking(False)
        try:
            peer.connect(user.path)
            user.sent += 1
            peers.append(peer)
        except BlockingIOError:
            peer.close()
            time.sleep(0.0005)
    time.sleep(max(0, user.until - time.monotonic()))


@case("framing", "bytes out of band")
def urgent(user: Hostile) -> None:
    def once(_: int) -> None:
        peer = user.connect()
        for _ in range(100):
            peer.sendall(PING)
            peer.send(b"!", socket.MSG_OOB)
            user.read(peer.recv(65536))
        peer.close()

    user.each(8, once)


@case("framing", "sockets of other kinds than streams")
def other_sockets(user: Hostile) -> None:
    def once(_: int) -> None:
        for kind in (socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
            with socket.socket(socket.AF_UNIX, kind) as peer:
                try:
                    peer.connect(user.path)
                    user.wrong.append(f"a socket of kind {kind} was taken")
                except OSError:
                    user.sent += 1

    user.each(4, once)


@case("framing", "send buffers of megabytes, full of requests")
def large_buffers(user: Hostile) -> None:
    peers = [user.connect() for _ in range(ROOM)]
    for peer in peers:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)

    def once(index: int) -> None:
        for peer in peers[index::8]:
            peer.sendall(PING * 1000)
            user.sent += 1
            user.read(peer.recv(1 << 18))

    user.each(8, once)


@case("framing", "lines that are skipped, with a request behind each", LONG)
def resynchronised(user: Hostile) -> None:
    def once(_: int) -> None:
        client = user.client()
        for number in range(20):
            client.socket.sendall(b"z" * (LIMIT + 1 + number) + b"\n" + line(request(number, "ping")))
            first, second = (json.loads(client.lines.readline()) for _ in range(2))
            user.note(first)
            user.sent += 1
            user.require(second.get("result") == {"pong": True}, f"behind a long line: {second}")
        client.close()

    user.each(8, once)
