"""Harm by holding: all connections, subscriptions, names, transactions, restores and waiting calls, and logins."""

from __future__ import annotations

import itertools
import time

from fairness import line, request
from hostile_calls import TOO_MANY, calls
from hostile_json import PARAMS
from hostile_lines import CONNECTIONS, SHARE
from hostile_user import ROOM, Hostile, case, many, rows, same

SUBSCRIPTIONS, ATTEMPTS = -32004, -32012
KINDS = ["transactionsUpdated", "transactionsRemoved", "restoreCompleted", "restoreFailed", "storefrontChanged",
         "entitlementsRevoked", "productsChanged", "questionOpened", "questionClosed"]


@case("shares", "every connection it can get, held", CONNECTIONS)
def connections(user: Hostile) -> None:
    user.flood(same(b" " * 10), connections=ROOM + 20)


@case("shares", "every connection it can get, each asking", CONNECTIONS)
def asking_connections(user: Hostile) -> None:
    user.flood(same(calls("status")), connections=ROOM + 20, again=True)


@case("shares", "every subscription it can get", SHARE)
def subscriptions(user: Hostile) -> None:
    text = b"".join(line(request(n, "subscribe", after="now")) for n in range(17))
    user.flood(lambda _: iter([text]), connections=ROOM - 1)


@case("shares", "more subscriptions than a connection has", SUBSCRIPTIONS)
def seventeen(user: Hostile) -> None:
    text = b"".join(line(request(n, "subscribe", after="now")) for n in range(17))
    user.flood(same(text), connections=4)


@case("shares", "every subscription it can get, while it buys", SHARE)
def watched_purchases(user: Hostile) -> None:
    text = b"".join(line(request(n, "subscribe", after="now", passive=True)) for n in range(16))
    user.flood(lambda index: iter([text]) if index else itertools.repeat(
        line([request(n, "add", product="coins.100") for n in range(20)])), connections=ROOM - 2)


@case("shares", "every name of an observer", SHARE, lasts=True)
def observer_names(user: Hostile) -> None:
    def once(index: int) -> None:
        client = user.client()
        for number in range(100):
            name = f"n{index}-{number}-{time.monotonic_ns()}"
            if result := user.ask(client, "subscribe", after="now", name=name).get("result"):
                user.ask(client, "unsubscribe", subscription=result["subscription"])
        client.close()

    user.each(32, once)


@case("shares", "names of observers, taken and given up", lasts=True)
def returned_names(user: Hostile) -> None:
    def once(index: int) -> None:
        client = user.client()
        for number in range(100):
            name = f"given-{index}-{number}"
            result = user.ask(client, "subscribe", after="now", name=name)["result"]
            user.ask(client, "ack", name=name, forget=True)
            user.ask(client, "unsubscribe", subscription=result["subscription"])
        client.close()

    user.each(8, once)


@case("shares", "every restore it can get", SHARE, lasts=True)
def restores(user: Hostile) -> None:
    user.flood(lambda index: (line([request(n, "restore", appAccountToken=f"{index}-{number}-{n}")
                                    for n in range(20)]) for number in itertools.count()))


@case("shares", "restores without an end, while an observer is there", lasts=True)
def observed_restores(user: Hostile) -> None:
    user.drain(user.subscribe(after="now"))
    user.flood(lambda index: (line(request(1, "restore", appAccountToken=f"{index}-{number}"))
                              for number in itertools.count()), connections=16)


@case("shares", "every waiting call it can get, for transactions", TOO_MANY, SHARE, lasts=True)
def waits(user: Hostile) -> None:
    client = user.client()
    name = user.ask(client, "add", product="coins.100")["result"]["transaction"]
    text = b"".join(line(request(n, "wait", transaction=name, timeout=60)) for n in range(9))
    user.flood(lambda _: iter([text]), connections=ROOM - 2)


@case("shares", "every waiting call it can get, for events", TOO_MANY)
def event_waits(user: Hostile) -> None:
    text = b"".join(line(request(n, "events", after="now", wait=60)) for n in range(9))
    user.flood(lambda _: itertools.repeat(text), connections=ROOM - 2)


@case("shares", "waiting calls on connections that are closed at once")
def abandoned_waits(user: Hostile) -> None:
    text = b"".join(line(request(n, "events", after="now", wait=60, kinds=["productsChanged"])) for n in range(8))

    def once(_: int) -> None:
        peer = user.connect()
        peer.sendall(text)
        peer.close()

    user.each(8, once)


@case("shares", "every place for a transaction", SHARE, lasts=True,
      config={"limits": {"unfinishedTransactions": 20000}}, grows=16)
def transactions(user: Hostile) -> None:
    user.flood(lambda index: (line([request(n, "add", product="coins.100", key=f"{index}-{number}-{n}")
                                    for n in range(100)]) for number in itertools.count()))


@case("shares", "every place for a transaction, taken and left", lasts=True,
      config={"limits": {"unfinishedTransactions": 2000}})
def places(user: Hostile) -> None:
    def once(_: int) -> None:
        client = user.client()
        for _ in range(10):
            replies = user.ask_all(client, [request(n, "add", product="coins.100") for n in range(100)])
            user.ask_all(client, [request(n, "finish", transaction=reply["result"]["transaction"])
                                  for n, reply in enumerate(replies) if "result" in reply] or [request(0, "ping")])
        client.close()

    user.each(8, once)


@case("shares", "orders in flight at the store, as many as there may be", lasts=True, grows=64)
def orders(user: Hostile) -> None:
    user.drain(user.subscribe(after="now"))
    user.flood(lambda _: itertools.repeat(line([request(n, "add", product="coins.100") for n in range(100)])),
               connections=8)


# Logins

rows("logins", {
    "wrong credentials": (many(line(request(1, "login", account="carol", credential="guess"))), 1502, ATTEMPTS),
    "accounts that do not exist": (many(line(request(1, "login", account="mallory", credential="x"))), 1501),
    "credentials of the longest kind": (
        many(line(request(1, "login", account="carol", credential="c" * 4096))), 1502, ATTEMPTS),
    "names of accounts that are too long": (many(line(request(1, "login", account="a" * 257))), PARAMS),
    "wrong credentials in batches": (
        line([request(n, "login", account="carol", credential=f"guess-{n}") for n in range(100)]), PARAMS),
    "logins of the account in session": (many(line(request(1, "login", account="demo"))),),
}, lambda user, text: user.flood(same(text)), lasts=True)


@case("logins", "wrong credentials on new connections each time", ATTEMPTS, lasts=True)
def new_guesses(user: Hostile) -> None:
    def once(index: int) -> None:
        client = user.client()
        user.ask(client, "login", account="carol", credential=f"guess-{index}-{time.monotonic_ns()}")
        client.close()

    user.each(16, once)


@case("logins", "logins cancelled at once", lasts=True)
def cancelled_logins(user: Hostile) -> None:
    user.flood(same(many(line(request(7, "login", account="carol", credential="x"))
                         + line(request(8, "cancel", id=7)))), connections=16)


@case("logins", "logouts, which its role permits", stops=True, lasts=True)
def logouts(user: Hostile) -> None:
    user.flood(same(many(line(request(1, "logout")) + line(request(2, "login", account="demo")), 2000)),
               connections=8)


@case("logins", "other accounts in turn, which its role permits", stops=True, lasts=True)
def switches(user: Hostile) -> None:
    user.flood(same(line(request(1, "login", account="alice")) + line(request(2, "login", account="demo"))),
               connections=8)


@case("logins", "countries that are assumed, in session", lasts=True)
def assumptions(user: Hostile) -> None:
    user.flood(same(many(line(request(1, "storefront", assume="DE")) + line(request(2, "storefront", assume="FR"))
                         + line(request(3, "storefront", assume="")), 6000)))


# Subscriptions

rows("subscriptions", {
    "subscribing and leaving": ({"after": "now"},),
    "subscribing from the start of the log": ({"after": "start"},),
    "subscribing without a position": ({},),
    "passive subscriptions": ({"passive": True},),
    "one kind of event each": ({"kinds": ["productsChanged"], "after": "start"},),
    "all kinds of events": ({"kinds": KINDS, "after": "start"},),
    "a hundred products": ({"products": [f"product.{n}" for n in range(100)]},),
    "products with the longest names": ({"products": ["p" * 256] * 50},),
    "positions ahead of the log": ({"after": 2**52}, 1302),
    "positions of another log": ({"after": 1, "epoch": "0" * 8}, 1303),
    "filters that do not exist": ({"kinds": ["none"]}, PARAMS),
    "a heartbeat every second": ({"after": "now", "heartbeat": 1},),
    "gaps as errors": ({"after": 0, "onGap": "error"},),
}, lambda user, params: user.churn(**params))


@case("subscriptions", "subscribing on a new connection each time")
def reconnects(user: Hostile) -> None:
    def once(_: int) -> None:
        peer = user.connect()
        peer.sendall(line(request(1, "subscribe")))
        user.read(peer.recv(4096))
        peer.close()

    user.each(8, once)


@case("subscriptions", "resuming one name on a new connection each time", lasts=True)
def resumptions(user: Hostile) -> None:
    def once(index: int) -> None:
        client = user.client()
        head = user.ask(client, "subscribe", name=f"mine-{index}").get("result", {}).get("head")
        if head:
            user.ask(client, "ack", name=f"mine-{index}", seq=head)
        client.close()

    user.each(8, once)


@case("subscriptions", "a name that another of its connections uses", 1304, lasts=True)
def name_in_use(user: Hostile) -> None:
    client = user.client()
    user.ask(client, "subscribe", name="mine", after="now")
    user.flood(same(many(line(request(1, "subscribe", name="mine")))), connections=32)


@case("subscriptions", "leaving subscriptions that do not exist")
def unknown_subscriptions(user: Hostile) -> None:
    user.flood(same(calls("unsubscribe", subscription="s9999")))


@case("subscriptions", "sixteen at once on a connection, given up at once")
def bursts(user: Hostile) -> None:
    text = b"".join(line(request(n, "subscribe", after="start")) for n in range(16))

    def once(_: int) -> None:
        peer = user.connect()
        peer.sendall(text)
        user.read(peer.recv(1 << 16))
        peer.close()

    user.each(8, once)
