"""What clients of one queue were told, and whether it still holds after a crash."""

from __future__ import annotations

import random
import threading
import time
from typing import Iterable, Optional

from fairness import Client, request
from faults import Daemon
from machine import Trouble

BUYERS, MOST_IN_BATCH = 6, 12
STATES = ["purchasing", "purchased", "restored", "failed", "finished"]


class World:
    """Buyers, an observer, and every answer that they have had from one state directory."""

    def __init__(self, daemon: Daemon, dice: random.Random) -> None:
        self.daemon = daemon
        self.dice = dice
        # The transaction that each key was answered with; None while no answer came.
        self.answered: dict[str, Optional[str]] = {}
        self.finished: set[str] = set()
        # Transactions whose finish was sent and never answered.
        self.perhaps_finished: set[str] = set()
        # Transactions that an event showed as purchased, with their order.
        self.purchased: dict[str, str] = {}
        self.epoch = ""
        self.last_seen = 0
        # Adds and finishes that were answered, and what was wrong, by what it is about.
        self.acknowledged = 0
        self.lost: set[str] = set()
        self.doubled: set[str] = set()
        self.refused: list[object] = []
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []

    # Load

    def begin(self) -> None:
        """Starts the load; it ends with the connections."""
        observer = self.daemon.connect()
        observer.call("subscribe", after="now")
        self._threads = [threading.Thread(target=self._observe, args=(observer,), daemon=True)]
        for _ in range(BUYERS):
            self._threads.append(threading.Thread(
                target=self._buy, args=(self.daemon.connect(), random.Random(self.dice.random())),
                daemon=True))
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Waits until every connection has been read to its end, after the daemon's."""
        for thread in self._threads:
            thread.join()

    def buyers_ended(self, seconds: float) -> bool:
        """Whether every buyer has met a refusal or the end of its connection in time."""
        end = time.monotonic() + seconds
        for thread in self._threads[1:]:
            thread.join(max(0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads[1:])

    def finish(self, part: float = 1) -> list[object]:
        """Finishes a part of the purchases that are settled, on a connection; what was refused."""
        client = self.daemon.connect()
        refused = []
        with self._lock:
            names = list(self.purchased.keys() - self.finished)
        names = names[:int(len(names) * part)]
        for requests in hundreds(request(0, "finish", transaction=name) for name in names):
            for asked, reply in zip(requests, client.batch(requests)):
                before = len(self.refused)
                self._note_reply("finish", asked["params"], reply)
                refused += self.refused[before:]
        client.close()
        return refused

    def _observe(self, observer: Client) -> None:
        try:
            while True:
                self._note_event(observer.event())
        except (OSError, ValueError):
            observer.close()

    def _note_event(self, event: dict) -> None:
        with self._lock:
            self.last_seen = max(self.last_seen, event.get("seq", 0))
            for transaction in event.get("transactions", []):
                if transaction.get("transactionState") == "purchased":
                    name, order = transaction["id"], transaction["transactionIdentifier"]
                    if self.purchased.setdefault(name, order) != order:
                        self.doubled.add(f"{name} changed its order")

    def _buy(self, client: Client, dice: random.Random) -> None:
        try:
            while self.trade(client, dice):
                pass
        except (OSError, ValueError):
            pass
        client.close()

    def trade(self, client: Client, dice: random.Random) -> bool:
        """Sends one batch; whether nothing of it was refused."""
        with self._lock:
            requests = [self._request(number, dice)
                        for number in range(dice.randint(1, MOST_IN_BATCH))]
        replies = client.batch(requests)
        with self._lock:
            for asked, reply in zip(requests, replies):
                self._note_reply(asked["method"], asked["params"], reply)
            return not self.refused

    def _request(self, number: int, dice: random.Random) -> dict:
        chance = dice.random()
        if chance < 0.4:
            open_ones = self.purchased.keys() - self.finished - self.perhaps_finished
            if open_ones:
                name = next(iter(open_ones))
                self.perhaps_finished.add(name)
                return request(number, "finish", transaction=name)
        if chance > 0.9 and self.answered:
            return self._add(number, dice.choice(list(self.answered)))
        key = f"key-{len(self.answered)}"
        self.answered[key] = None
        return self._add(number, key)

    @staticmethod
    def _add(number: int, key: str) -> dict:
        return request(number, "add", product="coins.100", key=key)

    def _note_reply(self, method: str, params: dict, reply: dict, isCheck: bool = False) -> None:
        if not (result := reply.get("result")):
            self.refused.append(reply)
            return
        self.last_seen = max(self.last_seen, result["seq"])
        self.acknowledged += not isCheck
        if method == "add":
            known = self.answered[params["key"]]
            # Under load, the reply to a repeat may be read before the reply that it repeats.
            if known and (known != result["transaction"] or isCheck and not result["duplicate"]):
                self.lost.add(params["key"])
            self.answered[params["key"]] = result["transaction"]
        elif result["disposition"] in ("removed", "completing", "alreadyFinished"):
            self.finished.add(params["transaction"])
            self.perhaps_finished.discard(params["transaction"])
        else:
            self.refused.append(reply)

    # Checks

    def check(self) -> None:
        """Asks a daemon that was started again for everything that was acknowledged."""
        client = self.daemon.connect()
        # A cut may have come before the login that a new state directory begins with.
        client.call("login", account="demo")
        self._check_log(client.call("hello")["result"])
        self._check_redelivery(client)
        for requests in hundreds(self._add(0, key) for key in self.answered):
            for asked, reply in zip(requests, client.batch(requests)):
                self._note_reply("add", asked["params"], reply, isCheck=True)
        names = list(self.answered.values())
        if len(set(names)) != len(names):
            self.doubled.add("two keys name one transaction")
        self._check_orders(client)
        client.close()

    def settle(self) -> None:
        """Waits until the store has settled everything: a transaction has exactly one order."""
        client = self.daemon.connect()
        client.call("subscribe", after="now")
        for name in set(filter(None, self.answered.values())) - self.finished:
            if "result" not in (reply := client.call("wait", transaction=name, timeout=60)):
                raise Trouble(f"{name} is not settled: {reply}")
        for requests in hundreds(request(0, "finish", transaction=name) for name in self.finished):
            for asked, reply in zip(requests, client.batch(requests)):
                self._note_reply("finish", asked["params"], reply, isCheck=True)
        listed: list[dict] = []
        for page in pages(client, "transactions", states=STATES, limit=500):
            listed += page["transactions"]
        orders = self._check_orders(client)
        if len({entry["id"] for entry in listed}) != len(listed):
            self.doubled.add("a transaction is listed twice")
        for name in {entry["id"] for entry in listed} ^ set(filter(None, self.answered.values())):
            self.lost.add(f"{name} is listed or acknowledged, not both")
        for entry in listed:
            if orders.get(entry["id"]) != entry.get("transactionIdentifier"):
                self.lost.add(f"order of {entry['id']}")
        if len(orders) != len(listed):
            self.doubled.add(f"{len(orders)} orders of {len(listed)} transactions")
        client.close()

    def _check_log(self, hello: dict) -> None:
        if self.epoch and hello["epoch"] != self.epoch:
            self.lost.add("epoch")
        self.epoch = hello["epoch"]
        if hello["head"] < self.last_seen:
            self.lost.add(f"sequence {self.last_seen}, the log ends at {hello['head']}")

    def _check_redelivery(self, client: Client) -> None:
        client.call("subscribe")
        shown: set[str] = set()
        while "kind" in (event := client.event()):
            self._note_event(event)
            if event["kind"] == "transactionsUpdated":
                shown.update(entry["id"] for entry in event["transactions"])
        open_ones = set(filter(None, self.answered.values())) - self.finished
        self.lost |= open_ones - self.perhaps_finished - shown
        self.lost |= {f"finish of {name}" for name in self.finished & shown}
        self.finished |= self.perhaps_finished - shown
        self.perhaps_finished.clear()

    def _check_orders(self, client: Client) -> dict[str, str]:
        """The order of each transaction at the store, at most one each."""
        orders: dict[str, str] = {}
        for page in pages(client, "test.orders"):
            for order in page["orders"]:
                if orders.setdefault(order["transaction"], order["order"]) != order["order"]:
                    self.doubled.add(order["transaction"])
        for name, order in self.purchased.items():
            if orders.get(name) != order:
                self.lost.add(f"order {order} of {name}")
        return orders


def hundreds(requests: Iterable[dict]) -> Iterable[list[dict]]:
    """Batches of requests, numbered."""
    everything = list(requests)
    for start in range(0, len(everything), 100):
        yield [{**entry, "id": number} for number, entry in enumerate(everything[start:start + 100])]


def pages(client: Client, method: str, **params: object) -> Iterable[dict]:
    """Each page of a list."""
    while True:
        reply = client.call(method, **params)
        if "result" not in reply:
            raise Trouble(f"{method}: {reply}")
        yield reply["result"]
        if not (page := reply["result"].get("next")):
            return
        params["page"] = page
