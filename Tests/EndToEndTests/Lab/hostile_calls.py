"""Harm by calls: batches, identifiers, names and parameters that JSON-RPC allows, or does not."""

from __future__ import annotations

import itertools
import random
from typing import Iterator

from fairness import line, request
from hostile_json import METHOD, PARAMS
from hostile_lines import INVALID, PARSE, PING
from hostile_user import Hostile, case, many, rows, same

FORBIDDEN, VERSION, TOO_MANY = -32007, 1002, -32000
METHODS = ("hello", "ping", "help", "status", "metrics", "rpc.discover", "check", "products", "entitlements",
           "signedHistory", "keys", "login", "logout", "storefront", "add", "restore", "finish",
           "transactions", "wait", "subscribe", "unsubscribe", "events", "ack", "observers", "delegate",
           "questions", "answer", "cancel", "cluster")
ADMINISTRATION = ("drain", "reload", "backup", "handover", "decide", "test.get", "test.set", "test.orders", "test.buy",
                  "test.refund", "test.resolve", "test.renew", "test.expire", "test.autoRenew",
                  "test.priceIncrease", "test.deleteOrder", "test.clear", "test.reset", "test.clock.get",
                  "test.clock.advance")


def batch(method: str, count: int = 100, /, **params: object) -> bytes:
    """A batch of the same call."""
    return line([request(n, method, **params) for n in range(count)])


def calls(method: str, /, **params: object) -> bytes:
    """Many calls, one to a line."""
    return many(line(request(1, method, **params)))


def notice(method: str, /, **params: object) -> bytes:
    """Many notifications."""
    return many(line({"jsonrpc": "2.0", "method": method, "params": params}))


rows("calls", {
    "batches of 100 descriptions of everything": (batch("rpc.discover"),),
    "batches of 100 metrics": (batch("metrics"),),
    "batches of 100 greetings": (batch("hello"),),
    "batches of 100 pages of help": (batch("help", method="subscribe"),),
    "batches of 100 lists of products": (batch("products", limit=500),),
    "batches of 100 calls that would wait": (batch("wait", transaction="x" * 36), 1201),
    "batches of 101": (batch("ping", 101), INVALID),
    "batches of two thousand": (line([{}] * 2000), INVALID),
    "empty batches": (many(b"[]\n"), INVALID),
    "batches in batches": (many(line([[request(1, "ping")], [[]]])), INVALID),
    "batches of 100 numbers": (line([7] * 100), INVALID),
    "batches of 100 notifications": (line([{"jsonrpc": "2.0", "method": "ping"}] * 100),),
    "batches of one": (many(line([request(1, "ping")])),),
    "one id for all calls of a batch": (line([request(1, "status")] * 100),),
    "notifications of ping": (notice("ping"),),
    "notifications of methods that do not exist": (notice("none"),),
    "notifications with wrong parameters": (notice("add", product=[]),),
    "methods that do not exist": (calls("none"), METHOD),
    "names of methods of sixty thousand letters": (calls("m" * 60000), METHOD),
    "empty names of methods": (calls(""), METHOD),
    "names of methods one letter off": (b"".join(
        line(request(1, name[:n] + name[n + 1:])) for name in METHODS for n in range(len(name))), METHOD),
    "names of methods in other scripts": (calls("\u0440ing"), METHOD),
    "names that belong to the specification": (calls("rpc.shutdown"), METHOD),
    "answers to questions that were not asked": (
        many(line({"jsonrpc": "2.0", "id": 1, "result": {}})), INVALID),
    "another version of JSON-RPC": (many(line({"jsonrpc": "1.0", "id": 1, "method": "ping"})
                                         + line({"jsonrpc": 2.0, "id": 1, "method": "ping"})
                                         + line({"id": 1, "method": "ping"})), INVALID),
    "ids that are objects, arrays, or true": (many(b"".join(
        line({"jsonrpc": "2.0", "id": value, "method": "ping"}) for value in ({}, [], True, [[1]]))), INVALID),
    "ids of every allowed kind": (many(b"".join(
        line({"jsonrpc": "2.0", "id": value, "method": "ping"})
        for value in (None, 0, -1, 1.5, 1e300, 2**70, "", "\u2028", "i" * 60))),),
    "parameters that are null, numbers or texts": (many(b"".join(
        line({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": value})
        for value in (None, 1, "x", True))), INVALID),
    "lists of parameters that are too long": (many(line(
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": list(range(50))})), PARAMS),
    "lists for methods that take names only": (many(line(
        {"jsonrpc": "2.0", "id": 1, "method": "subscribe", "params": [1, 2, 3, 4]})), PARAMS),
    "every method with parameters of wrong kinds": (b"".join(
        line(request(1, name, **{word: value})) for name in METHODS
        for word in ("product", "after", "ids", "transaction") for value in ([{}], {"a": 1}, -1e300)), PARAMS),
    "every method without parameters that it needs": (b"".join(
        line(request(1, name)) for name in METHODS if name not in ("logout", "login", "restore", "subscribe")),
        PARAMS),
    "every method of administration": (b"".join(line(request(1, name)) for name in ADMINISTRATION), FORBIDDEN),
    "sandbox controls with full parameters": (many(line(
        request(1, "test.set", latencyMs=60000, storeDown=True)) + line(request(2, "test.clear"))
        + line(request(3, "drain", on=True))), FORBIDDEN),
    "help for every method": (b"".join(line(request(1, "help", method=name)) for name in METHODS),),
    "help for methods that do not exist": (calls("help", method="h" * 5000), METHOD),
    "greetings in another version": (calls("hello", api=2), VERSION),
    "greetings with the longest names": (calls("hello", client={"name": "n" * 128, "version": "v" * 128}),),
    "checks of checks": (calls("check", method="check", params={"method": "check"}),),
    "checks of every method": (b"".join(
        line(request(1, "check", method=name, params={})) for name in METHODS), PARAMS),
    "cancellations of calls that do not wait": (calls("cancel", id=99),),
    "cancellations with ids of every kind": (many(b"".join(
        line(request(1, "cancel", id=value)) for value in (None, 1.5, "x" * 1000, {}, []))), PARAMS),
    "pings with the largest payload": (calls("ping", payload="p" * 126),),
    "pings with a payload that is too large": (calls("ping", payload="p" * 60000), PARAMS),
}, lambda user, text: user.flood(same(text)))


@case("calls", "greetings with a new name each time")
def names(user: Hostile) -> None:
    user.flood(lambda index: (b"".join(
        line(request(1, "hello", client={"name": f"client-{index}-{number}-{n}"})) for n in range(100))
        for number in itertools.count()))


@case("calls", "new names of methods each time", METHOD)
def new_methods(user: Hostile) -> None:
    user.flood(lambda index: (b"".join(line(request(1, f"m{index}-{number}-{n}")) for n in range(100))
                              for number in itertools.count()))


@case("calls", "batches of everything at once", METHOD, FORBIDDEN)
def mixtures(user: Hostile) -> None:
    dice = random.Random(4)
    names = [name for name in METHODS + ADMINISTRATION if name not in ("login", "logout", "restore")] + ["none"]

    def source(_: int) -> Iterator[bytes]:
        while True:
            yield line([request(n, dice.choice(names)) for n in range(100)])

    user.flood(source)


@case("calls", "nine calls that wait on each connection", TOO_MANY)
def waiting(user: Hostile) -> None:
    chunk = b"".join(line(request(n, "events", after="now", wait=60, kinds=["productsChanged"]))
                     for n in range(9))
    user.flood(lambda _: iter([chunk]), connections=16)


@case("calls", "calls that wait, cancelled at once", -32010)
def cancelled(user: Hostile) -> None:
    user.flood(same(many(line(request(7, "events", after="now", wait=60, kinds=["productsChanged"]))
                         + line(request(8, "cancel", id=7)))))


@case("calls", "hundreds of requests in flight, their replies read late")
def in_flight(user: Hostile) -> None:
    user.flood(same(PING * 500 + line(request(2, "status")) * 50), reads=False)
    user.note({})


@case("calls", "a wrong line between any two right ones", PARSE)
def interleaved(user: Hostile) -> None:
    user.flood(same(many(PING + b"{\n" + line(request(2, "keys")) + b'"\n')))
