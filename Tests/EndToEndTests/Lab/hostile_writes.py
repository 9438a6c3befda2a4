"""Harm by changes: purchases, finishes, restores and acknowledgements without end."""

from __future__ import annotations

import itertools
import time
from typing import Iterator

from fairness import adds, line, request
from hostile_calls import calls, notice
from hostile_json import PARAMS
from hostile_user import Hostile, case, many, rows, same

FORBIDDEN = -32007
# Open transactions stay in memory until they are finished.
OPEN = 96


def purchases(index: int, **more: object) -> Iterator[bytes]:
    """Batches of adds, each with keys of the greatest length."""
    for number in itertools.count():
        yield line([request(n, "add", product="coins.100", key=f"{index}-{number}-{n}-".ljust(128, "k"), **more)
                    for n in range(40)])


@case("writes", "batches of 100 purchases", lasts=True, grows=OPEN)
def batches(user: Hostile) -> None:
    user.flood(lambda index: adds(f"flood-{index}"))


@case("writes", "purchases without a key, one to a line", lasts=True, grows=OPEN)
def keyless(user: Hostile) -> None:
    user.flood(same(calls("add", product="coins.100")))


@case("writes", "purchases with the longest texts", lasts=True, grows=OPEN)
def long_texts(user: Hostile) -> None:
    user.flood(lambda index: purchases(index, appAccountToken="t" * 256, trace="r" * 256))


@case("writes", "purchases that tell nobody", lasts=True, grows=OPEN)
def silent_purchases(user: Hostile) -> None:
    user.flood(same(notice("add", product="coins.100")))


@case("writes", "purchases that are finished at once", lasts=True)
def withdrawn(user: Hostile) -> None:
    def once(index: int) -> None:
        client = user.client()
        for number in range(20):
            replies = user.ask_all(client, [
                request(n, "add", product="coins.100", key=f"{index}-{time.monotonic_ns()}-{n}".ljust(128, "k"))
                for n in range(100)])
            user.ask_all(client, [request(n, "finish", transaction=reply["result"]["transaction"])
                                  for n, reply in enumerate(replies)])
        client.close()

    user.each(8, once)


@case("writes", "whole purchases, as fast as the store settles them", lasts=True, grows=OPEN)
def settled(user: Hostile) -> None:
    user.drain(user.subscribe(after="now", products=["coins.100"]))

    def once(_: int) -> None:
        client = user.client()
        for _ in range(50):
            name = user.ask(client, "add", product="coins.100")["result"]["transaction"]
            user.ask(client, "wait", transaction=name, timeout=5)
            user.ask(client, "finish", transaction=name)
        client.close()

    user.each(24, once)


@case("writes", "thousands of purchases on their way to the store", lasts=True, grows=OPEN)
def settling(user: Hostile) -> None:
    user.drain(user.subscribe(after="now", products=["coins.100"]))
    user.flood(lambda index: adds(f"settling-{index}"))


@case("writes", "the product of the honest client, so that it sees every purchase", lasts=True, grows=OPEN,
      redelivers=True)
def same_product(user: Hostile) -> None:
    user.flood(same(calls("add", product="honest.1")), connections=1)


@case("writes", "one key for all purchases", lasts=True)
def one_key(user: Hostile) -> None:
    user.flood(same(calls("add", product="coins.100", key="the same")))


@case("writes", "one key for purchases and restores", 1102, lasts=True)
def mixed_keys(user: Hostile) -> None:
    user.flood(same(many(line(request(1, "add", product="coins.100", key="mixed"))
                         + line(request(2, "restore", key="mixed"))
                         + line(request(3, "add", product="book", key="mixed")))))


@case("writes", "a product that is owned once, bought again and again", 1107, lasts=True)
def once_only(user: Hostile) -> None:
    user.flood(same(calls("add", product="book")))


@case("writes", "subscriptions changed to and fro", lasts=True, grows=OPEN)
def changes(user: Hostile) -> None:
    user.drain(user.subscribe(after="now", products=["club.monthly", "club.yearly"]))

    def once(index: int) -> None:
        client = user.client()
        for number in range(50):
            reply = user.ask(client, "add", product=("club.monthly", "club.yearly")[number % 2])
            if "result" in reply:
                name = reply["result"]["transaction"]
                user.ask(client, "wait", transaction=name, timeout=5)
                user.ask(client, "finish", transaction=name)
        client.close()

    user.each(8, once)


@case("writes", "finishes of every transaction that it sees, again and again", lasts=True)
def repeated_finishes(user: Hostile) -> None:
    client = user.client()
    replies = user.ask_all(client, [request(n, "add", product="coins.100") for n in range(100)])
    names = [reply["result"]["transaction"] for reply in replies]
    user.flood(same(line([request(n, "finish", transaction=name) for n, name in enumerate(names)])))


@case("writes", "finishes of what the honest client has bought, which its role permits", stops=True, lasts=True)
def foreign_finishes(user: Hostile) -> None:
    def once(_: int) -> None:
        client = user.client()
        for _ in range(100):
            found = user.ask(client, "transactions")["result"]["transactions"]
            for entry in found:
                user.ask(client, "finish", transaction=entry["id"])
        client.close()

    user.each(8, once)


@case("writes", "acknowledgements of a foreign name", FORBIDDEN, lasts=True)
def foreign_names(user: Hostile) -> None:
    user.flood(same(calls("ack", name="honest", seq=1) + calls("ack", name="honest", forget=True)))


@case("writes", "acknowledgements to and fro", 1302, lasts=True)
def moved_cursors(user: Hostile) -> None:
    client = user.client()
    head = user.ask(client, "subscribe", name="mine", after="now")["result"]["head"]
    user.flood(same(many(b"".join(line(request(1, "ack", name="mine", seq=seq))
                                  for seq in (head, 0, 1, 2**52)))))


@case("writes", "an acknowledgement of every record, as soon as it is there", lasts=True, grows=OPEN)
def eager_acknowledgements(user: Hostile) -> None:
    def once(index: int) -> None:
        client = user.client()
        user.ask(client, "subscribe", name=f"eager-{index}", after="now", passive=True)
        for _ in range(200):
            seq = user.ask(client, "add", product="coins.100")["result"]["seq"]
            user.ask(client, "ack", name=f"eager-{index}", seq=seq)
        client.close()

    user.each(8, once)


@case("writes", "restores of one filter", lasts=True)
def joined_restores(user: Hostile) -> None:
    user.flood(same(calls("restore")))


@case("writes", "restores with a new key each", lasts=True)
def keyed_restores(user: Hostile) -> None:
    user.flood(lambda index: (line([request(n, "restore", key=f"{index}-{number}-{n}") for n in range(50)])
                              for number in itertools.count()))


@case("writes", "questions of the gate, set to and fro", lasts=True)
def gates(user: Hostile) -> None:
    user.flood(same(many(line(request(1, "delegate", mode="ask", timeout=300))
                         + line(request(2, "delegate", mode="continue", timeout=1)), 4000)))


@case("writes", "purchases and cancellations of them", lasts=True, grows=OPEN)
def cancelled_purchases(user: Hostile) -> None:
    user.flood(same(many(line(request(1, "add", product="coins.100")) + line(request(2, "cancel", id=1)))),
               connections=16)


rows("writes", {
    "finishes of transactions that do not exist": (calls("finish", transaction="0" * 36), 1201),
    "finishes of the longest names": (calls("finish", transaction="f" * 60000),),
    "finishes of names that are no ids": (calls("finish", transaction="../../etc/passwd\u0000"),),
    "products that do not exist": (calls("add", product="none"), 1101),
    "products of the longest names": (calls("add", product="p" * 60000),),
    "keys that are too long": (calls("add", product="coins.100", key="k" * 129), PARAMS),
    "tokens that are too long": (calls("add", product="coins.100", appAccountToken="t" * 257), PARAMS),
    "acknowledgements of names that do not exist": (calls("ack", name="none", seq=1), 1305),
    "answers to questions that do not exist": (calls("answer", question="0" * 36, value=True), 1401),
    "answers that are neither true nor false": (calls("answer", question="0" * 36, value="yes"), PARAMS),
}, lambda user, text: user.flood(same(text)))
