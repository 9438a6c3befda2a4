"""Harm by not reading: subscribers and callers that take nothing, or little, or stop in the middle."""

from __future__ import annotations

import os
import signal
import socket
import time

from fairness import line, request
from hostile_calls import batch, calls
from hostile_lines import PING
from hostile_user import ROOM, Hostile, case, many, rows, same

# Open transactions stay in memory until they are finished.
OPEN = 64
SMALL = 2048


def buy(user: Hostile) -> None:
    """Makes events: purchases that are added and withdrawn."""
    def once(_: int) -> None:
        client = user.client()
        for _ in range(50):
            replies = user.ask_all(client, [request(n, "add", product="coins.100") for n in range(20)])
            user.ask_all(client, [request(n, "finish", transaction=reply["result"]["transaction"])
                                  for n, reply in enumerate(replies)])
        client.close()

    user.each(4, once)


# Subscribers on many connections, of which nothing is read, while the user makes events.
rows("readers", {
    "subscribers that never read": ((50, {}),),
    "subscribers that never read, with the smallest receive buffer": ((50, {"receives": SMALL}),),
    "subscribers from the start that never read": ((50, {"after": "start"}),),
    "passive subscribers that never read": ((50, {"passive": True, "after": "now"}),),
    "subscribers with heartbeats that never read": ((50, {"heartbeat": 1, "after": "now"}),),
    "named subscribers that never read": ((1, {"name": "mute"}),),
}, lambda user, value: (user.subscribe(value[0], **value[1]), buy(user)), lasts=True, full=True)

# Requests on all connections, of whose replies nothing is read.
rows("readers", {
    "pings whose replies nobody reads": (PING * 1000,),
    "descriptions whose replies nobody reads": (calls("rpc.discover"),),
    "pages of events whose replies nobody reads": (calls("events", after=0, limit=500),),
    "pages of transactions whose replies nobody reads": (calls("transactions", limit=500),),
    "signed histories whose replies nobody reads": (calls("signedHistory"),),
    "batches of 100 status whose replies nobody reads": (batch("status"),),
    "errors that nobody reads": (many(b"x\n"),),
}, lambda user, text: user.flood(same(text), reads=False), full=True)


@case("readers", "sixteen subscriptions on each connection that never read", lasts=True)
def many_mute(user: Hostile) -> None:
    text = b"".join(line(request(n, "subscribe", after="now")) for n in range(16))
    for _ in range(25):
        user.connect(receives=SMALL).sendall(text)
    buy(user)


@case("readers", "a byte now and then from each subscriber", lasts=True, full=True)
def sippers(user: Hostile) -> None:
    peers = user.subscribe(50, receives=SMALL, after="start")
    while user.goes_on:
        for peer in peers:
            peer.recv(1)
        time.sleep(0.05)


@case("readers", "a byte now and then from each large reply", full=True)
def slow_replies(user: Hostile) -> None:
    peers = [user.connect(receives=SMALL) for _ in range(ROOM)]
    for peer in peers:
        peer.sendall(line(request(1, "events", after=0, limit=500)))
    while user.goes_on:
        for peer in peers:
            peer.recv(1)
        time.sleep(0.02)


@case("readers", "reading much, then nothing, in turn", full=True)
def moody(user: Hostile) -> None:
    peers = user.subscribe(40, after="start")
    while user.goes_on:
        for peer in peers:
            user.read(peer.recv(1 << 18))
        time.sleep(0.1)


@case("readers", "half-closed subscribers that never read", lasts=True)
def half_closed(user: Hostile) -> None:
    for peer in user.subscribe(50, after="now"):
        peer.shutdown(socket.SHUT_WR)
    buy(user)


@case("readers", "subscribers whose reading side is shut", lasts=True)
def shut(user: Hostile) -> None:
    for peer in user.subscribe(50, after="now"):
        peer.shutdown(socket.SHUT_RD)
    buy(user)


@case("readers", "subscribers that die in the middle of an event", full=True)
def torn_events(user: Hostile) -> None:
    def once(_: int) -> None:
        peer = user.connect()
        peer.sendall(line(request(1, "subscribe", after="start")))
        peer.recv(700)
        peer.close()

    user.each(16, once)


@case("readers", "a process that is stopped, with everything unread", lasts=True, full=True)
def stopped(user: Hostile) -> None:
    child = os.fork()
    if not child:
        user.subscribe(40, after="start")
        os.kill(os.getpid(), signal.SIGSTOP)
        os._exit(0)
    buy(user)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


@case("readers", "a process that dies again and again, with everything unread", full=True)
def dying(user: Hostile) -> None:
    while user.goes_on:
        child = os.fork()
        if not child:
            for peer in user.subscribe(30, after="start"):
                peer.sendall(calls("status"))
            os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(child, 0)
        user.sent += 1


@case("readers", "replies read from behind, a connection each", full=True)
def piled(user: Hostile) -> None:
    user.flood(same(line(request(1, "transactions", limit=500)) * 8), connections=ROOM, receives=SMALL)
