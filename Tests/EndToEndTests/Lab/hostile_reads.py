"""Harm by reading: a long log, many orders, everything that is shown, and always from the start."""

from __future__ import annotations

import itertools
import socket
import time

from fairness import line, request
from hostile_calls import batch, calls
from hostile_json import PARAMS
from hostile_shares import KINDS
from hostile_user import Hostile, case, rows, same

FINISHED = ["purchasing", "purchased", "restored", "failed", "finished"]

rows("reads", {
    "events that no record is": (calls("events", after=0, kinds=["productsChanged"]),),
    "events that no record is, in batches": (batch("events", after=0, kinds=["restoreFailed"]),),
    "the largest pages of events from the start": (calls("events", after=0, limit=500),),
    "the smallest pages of events": (calls("events", after=0, limit=1),),
    "batches of 100 of the largest pages of events": (batch("events", after=0, limit=500),),
    "events of every kind by name": (calls("events", after="start", kinds=KINDS, limit=100),),
    "events ahead of the log": (calls("events", after=2**52), 1302),
    "events of another log": (calls("events", after=0, epoch="f" * 8), 1303),
    "all transactions, the largest pages": (calls("transactions", limit=500),),
    "finished transactions, the largest pages": (calls("transactions", states=FINISHED, limit=500),),
    "a search that finds nothing": (calls("transactions", search="nothing-like-this"),),
    "a search that finds nothing among finished ones": (
        calls("transactions", search="nothing-like-this", states=["finished"]),),
    "a search that finds everything": (calls("transactions", search="c", states=FINISHED, limit=500),),
    "searches of the longest texts": (calls("transactions", search="s" * 256, states=FINISHED),),
    "transactions that wait for something": (
        calls("transactions", waitingFor=["approval", "gate", "login"], limit=500),),
    "five hundred transactions that do not exist": (
        calls("transactions", ids=[f"00000000-0000-4000-8000-{n:012}" for n in range(500)], states=FINISHED),),
    "pages that do not exist": (calls("transactions", page="p" * 128), 1203),
    "pages with tokens that are too long": (calls("transactions", page="p" * 129), PARAMS),
    "signed histories": (calls("signedHistory"),),
    "signed histories, a purchase each": (calls("signedHistory", limit=1),),
    "signed histories, pages that do not exist": (calls("signedHistory", page="x" * 100), 1203),
    "signed histories in batches": (batch("signedHistory", limit=10), PARAMS),
    "entitlements": (calls("entitlements"),),
    "the whole catalogue": (calls("products"),),
    "a hundred products that do not exist": (calls("products", ids=[f"none.{n}" for n in range(100)]),),
    "products with empty names": (calls("products", ids=[""]), 1109),
    "keys": (calls("keys"),),
    "status": (calls("status"),),
    "observers": (calls("observers"),),
    "metrics": (calls("metrics"),),
    "descriptions of everything": (calls("rpc.discover"),),
    "help": (calls("help"),),
    "questions": (calls("questions"),),
    "storefronts": (calls("storefront"),),
    "checks of adds": (calls("check", method="add", params={"product": "coins.100", "key": "k" * 128}),),
    "checks of finishes that are unknown": (
        calls("check", method="finish", params={"transaction": "x" * 36}), 1201),
    "waits without time": (calls("wait", transaction="x" * 36, timeout=0), 1201),
    "a little of everything, again and again": (b"".join(
        line(request(n, name)) for n, name in enumerate(
            ("status", "observers", "metrics", "rpc.discover", "keys", "questions", "entitlements", "products",
             "help", "storefront", "transactions", "signedHistory"))),),
}, lambda user, text: user.flood(same(text)), full=True)


@case("reads", "the log from the start, page by page, on all connections", full=True)
def walks(user: Hostile) -> None:
    def once(_: int) -> None:
        client = user.client()
        place: object = "start"
        for _ in range(1000):
            result = user.ask(client, "events", after=place, limit=500)["result"]
            place = result["next"]
            if not result["events"]:
                break
        client.close()

    user.each(16, once)


@case("reads", "finished transactions, page by page, on all connections", full=True)
def finished(user: Hostile) -> None:
    def once(_: int) -> None:
        client = user.client()
        page: dict[str, object] = {}
        for _ in range(1000):
            result = user.ask(client, "transactions", states=["finished"], limit=500, **page)["result"]
            if "next" not in result:
                break
            page = {"page": result["next"]}
        client.close()

    user.each(16, once)


@case("reads", "the signed history, page by page, on all connections", full=True)
def histories(user: Hostile) -> None:
    def once(_: int) -> None:
        client = user.client()
        page: dict[str, object] = {}
        for _ in range(100):
            result = user.ask(client, "signedHistory", limit=100, **page).get("result", {})
            if "next" not in result:
                break
            page = {"page": result["next"]}
        client.close()

    user.each(16, once)


@case("reads", "subscriptions from the start of a long log, on all connections", full=True)
def replays(user: Hostile) -> None:
    def once(_: int) -> None:
        peer = user.connect()
        peer.sendall(line(request(1, "subscribe", after="start")))
        for _ in range(200):
            if not (data := peer.recv(1 << 18)):
                break
            user.read(data)
        peer.close()

    user.each(32, once)


@case("reads", "subscriptions from the start whose filter finds nothing", full=True)
def filtered_replays(user: Hostile) -> None:
    user.churn(after="start", kinds=["productsChanged"], passive=True)


@case("reads", "sixteen filtered replays at once on each connection", full=True)
def many_filtered_replays(user: Hostile) -> None:
    text = b"".join(line(request(n, "subscribe", after="start", kinds=["restoreFailed"], passive=True))
                    for n in range(16))

    def once(_: int) -> None:
        peer = user.connect()
        peer.sendall(text)
        time.sleep(0.2)
        user.read(peer.recv(1 << 16))
        peer.close()

    user.each(30, once)


@case("reads", "observers, while it holds hundreds of subscriptions", full=True)
def long_lists(user: Hostile) -> None:
    text = b"".join(line(request(n, "subscribe", after="now", passive=True)) for n in range(16))
    user.flood(lambda index: iter([text]) if index < 25 else itertools.repeat(calls("observers")))


@case("reads", "the largest reply, asked for and torn", full=True)
def torn_replies(user: Hostile) -> None:
    text = line(request(1, "events", after=0, limit=500)) + line(request(2, "signedHistory"))

    def once(_: int) -> None:
        peer = user.connect(receives=4096)
        peer.sendall(text * 4)
        peer.recv(1000)
        peer.shutdown(socket.SHUT_RDWR)
        peer.close()

    user.each(16, once)
