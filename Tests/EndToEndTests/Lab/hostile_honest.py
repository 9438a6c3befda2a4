"""An honest client, which makes whole purchases all the time and notes how long everything takes."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterator, Optional

from fairness import Client, p99, request
from hostile_user import become
from queue_world import hundreds, pages

# An answer or an event that takes longer is lost.
PATIENCE = 20
KEY_REUSE = 1102
# The real-time priority of the daemon and the honest client: how long they wait for the processor, behind the
# hostile user or other programs of this machine, is not what is measured.
FIRST = 1
# Purchases on one connection.
ROUNDS = 8
# How long it rests between two purchases, in seconds.
REST = 0.001
CATALOGUE = {
    "version": 1, "defaultCountry": "DE",
    "accounts": [{"name": "demo", "country": "DE"}, {"name": "alice", "country": "DE"},
                 {"name": "carol", "country": "DE", "credential": "open-sesame"}],
    "products": [
        {"productIdentifier": name, "type": kind, "localizedTitle": name, **more,
         "prices": {"DE": {"amount": "1.99", "currencyCode": "EUR"}}}
        for name, kind, more in [
            *[(f"honest.{n}", "consumable", {}) for n in range(3)],
            *[(f"map.{n}", "nonConsumable", {}) for n in range(3)],
            ("coins.100", "consumable", {}), ("book", "nonConsumable", {}),
            *[(name, "autoRenewableSubscription",
               {"subscriptionGroupIdentifier": "club",
                "subscriptionPeriod": {"unit": unit, "numberOfUnits": 1}})
              for name, unit in (("club.monthly", "month"), ("club.yearly", "year"))],
        ]
    ],
}


class Lost(Exception):
    """Something that the honest client must get did not come, or came twice."""


class Buyer(Client):
    """A connection that keeps the events that come between replies."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.socket.settimeout(PATIENCE)
        self.events: list[dict] = []

    def message(self) -> dict:
        """The next line."""
        if not (text := self.lines.readline()):
            raise Lost("the daemon has closed the connection of the honest client")
        return json.loads(text)

    def call(self, method: str, /, **params: object) -> dict:
        """The result of a call."""
        self.number += 1
        self.socket.sendall(json.dumps(request(self.number, method, **params)).encode() + b"\n")
        while (message := self.message()).get("id") != self.number:
            self.events.append({"method": message["method"], **message["params"]})
        if "result" not in message:
            raise Lost(f"{method} of the honest client was refused: {message['error']}")
        return message["result"]

    def next(self) -> dict:
        """The next event."""
        if self.events:
            return self.events.pop(0)
        message = self.message()
        return {"method": message["method"], **message["params"]}


class Honest:
    """What it does. It exists in the process of the honest user only."""

    def __init__(self, path: str, user: int, number: int, whole: bool, restores: bool) -> None:
        self.path = path
        self.tag = f"{user}-{os.getpid()}"
        self.product = f"honest.{number}"
        self.map = f"map.{number}"
        # Whether purchases are settled and finished, or only added and withdrawn.
        self.whole = whole
        self.restores = restores
        self.ends = False
        # When something began, its kind, and how long it took in milliseconds.
        self.samples: list[tuple[float, str, float]] = []
        # The product, the transaction and the order of each key.
        self.bought: dict[str, tuple[str, str, Optional[str]]] = {}
        self.hasMap = False
        self.removed: set[str] = set()

    @contextlib.contextmanager
    def timed(self, kind: str) -> Iterator[None]:
        """Notes how long something takes."""
        begin = time.monotonic()
        yield
        self.samples.append((begin, kind, (time.monotonic() - begin) * 1000))

    def run(self) -> None:
        """Buys until the end."""
        while not self.ends:
            with self.timed("connect"):
                buyer = Buyer(self.path)
            if self.whole:
                with self.timed("login"):
                    buyer.call("login", account="demo")
            with self.timed("subscribe"):
                buyer.call("subscribe", products=[self.product, self.map], passive=not self.whole)
            with self.timed("caughtUp"):
                while (event := buyer.next())["method"] != "caughtUp":
                    self.look(event)
            for _ in range(ROUNDS):
                if not self.ends:
                    self.buy(buyer, self.product)
                    time.sleep(REST)
            if self.restores and not self.ends:
                self.restore(buyer)
            buyer.close()

    def buy(self, buyer: Buyer, product: str, **more: object) -> None:
        """One purchase, from the intent to the removal."""
        key = f"{self.tag}-{len(self.bought)}"
        begin = time.monotonic()
        with self.timed("add"):
            name = buyer.call("add", product=product, key=key, **more)["transaction"]
        order = self.settled(buyer, name) if self.whole else None
        self.bought[key] = (product, name, order)
        with self.timed("finish"):
            found = buyer.call("finish", transaction=name)["disposition"]
        if not self.whole:
            return
        if found == "ignoredInFlight":
            raise Lost("what was purchased cannot be finished")
        with self.timed("removed"):
            while name not in self.removed:
                self.look(buyer.next())
        self.samples.append((begin, "purchase", (time.monotonic() - begin) * 1000))

    def settled(self, buyer: Buyer, name: str) -> str:
        """Waits until a transaction is purchased; its order."""
        with self.timed("settled"):
            while True:
                for entry in self.look(buyer.next()):
                    if entry["id"] == name and entry["transactionState"] == "purchased":
                        return entry["transactionIdentifier"]
                    if entry["id"] == name and entry["transactionState"] == "failed":
                        raise Lost(f"a purchase has failed: {entry}")

    def look(self, event: dict) -> list[dict]:
        """The transactions of an event, after comparing it with what is known."""
        found = event.get("transactions", [])
        if event.get("kind") == "transactionsRemoved":
            names = [entry["id"] if isinstance(entry, dict) else entry for entry in found]
            if twice := self.removed.intersection(names):
                raise Lost(f"{twice} was removed twice")
            self.removed.update(names)
            return []
        for entry in found:
            if entry["id"] in self.removed:
                raise Lost(f"{entry['id']} comes after its removal")
        return found

    def restore(self, buyer: Buyer) -> None:
        """Restores what was bought with its own token, and finishes it."""
        if not self.hasMap:
            self.buy(buyer, self.map, appAccountToken=self.tag)
            self.hasMap = True
        begin = time.monotonic()
        with self.timed("restore"):
            name = buyer.call("restore", appAccountToken=self.tag)["restore"]
        restored: list[str] = []
        while True:
            event = buyer.next()
            restored += [entry["id"] for entry in self.look(event)
                         if entry["transactionState"] == "restored"]
            if event.get("restore") == name:
                break
        if event["kind"] != "restoreCompleted":
            raise Lost(f"a restore has failed: {event}")
        for entry in restored:
            buyer.call("finish", transaction=entry)
        self.samples.append((begin, "restored", (time.monotonic() - begin) * 1000))


@dataclass
class Diary:
    """What an honest client reports."""

    samples: list[tuple[float, str, float]] = field(default_factory=list)
    bought: dict[str, tuple[str, str, Optional[str]]] = field(default_factory=dict)
    wrong: str = ""

    def between(self, begin: float, end: float, kinds: tuple[str, ...]) -> list[float]:
        """How long things of some kinds took that were under way in a time, sorted, in milliseconds."""
        return sorted(took for at, kind, took in self.samples
                      if at < end and at + took / 1000 > begin and kind in kinds)


# What it waits for: the answer to a call, or the event that a call causes.
WAITS = ("connect", "login", "subscribe", "caughtUp", "add", "settled", "finish", "removed", "restore")
PURCHASES = ("purchase",)


def slowest(times: list[float]) -> float:
    """The time that 99 of 100 do not exceed; of fewer, the longest."""
    return p99(times) if len(times) >= 100 else times[-1] if times else float("inf")


class Shopper:
    """The honest client, seen from the process that started it."""

    def __init__(self, path: str, folder: Path, user: int = 20001, number: int = 1, whole: bool = True,
                 restores: bool = False) -> None:
        self._report = folder / f"honest-{user}-{time.monotonic_ns()}.json"
        self._report.write_text("")
        self._report.chmod(0o666)
        self._child = os.fork()
        if not self._child:
            self._live(path, user, number, whole, restores)

    def _live(self, path: str, user: int, number: int, whole: bool, restores: bool) -> None:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(FIRST))
        become(user)
        gc.disable()
        honest = Honest(path, user, number, whole, restores)

        def end(*_: object) -> None:
            honest.ends = True

        signal.signal(signal.SIGTERM, end)
        wrong = ""
        try:
            honest.run()
        except (Lost, OSError, ValueError, KeyError) as error:
            wrong = f"{type(error).__name__} {error}"
        self._report.write_text(json.dumps(
            {"samples": honest.samples, "bought": honest.bought, "wrong": wrong}))
        os._exit(0)

    def end(self) -> Diary:
        """Lets it finish its purchase; what it reports."""
        os.kill(self._child, signal.SIGTERM)
        end = time.monotonic() + PATIENCE
        while not os.waitpid(self._child, os.WNOHANG)[0]:
            if time.monotonic() > end:
                os.kill(self._child, signal.SIGKILL)
                os.waitpid(self._child, 0)
                return Diary(wrong="the honest client waits for ever")
            time.sleep(0.005)
        text = self._report.read_text()
        self._report.unlink()
        return Diary(**json.loads(text)) if text else Diary(wrong="the honest client has crashed")


def verify(client: Client, diary: Diary, mayBeHidden: bool = False) -> Optional[str]:
    """Asks the daemon for every purchase of an honest client: what is lost or doubled.

    Keys of other accounts are in use, and do not say for what.
    """
    client.call("login", account="demo")
    names = [name for _, name, _ in diary.bought.values()]
    orders = [order for _, _, order in diary.bought.values() if order]
    if len(set(names)) != len(names) or len(set(orders)) != len(orders):
        return "two purchases have one transaction or one order"
    for asked in hundreds(request(0, "add", product=product, key=key)
                          for key, (product, _, _) in diary.bought.items()
                          if product.startswith("honest")):
        for sent, reply in zip(asked, client.batch(asked)):
            key = sent["params"]["key"]
            if mayBeHidden and reply.get("error", {}).get("code") == KEY_REUSE:
                continue
            result = reply.get("result", {})
            if (result.get("transaction"), result.get("duplicate")) != (diary.bought[key][1], True):
                return f"the purchase of {key} is lost: {reply}"
    settled = {name: order for _, name, order in diary.bought.values() if order}
    found: dict[str, Any] = {}
    for start in range(0, len(settled), 500):
        names = list(settled)[start:start + 500]
        for page in pages(client, "transactions", ids=names, states=["finished"], limit=500):
            for entry in page["transactions"]:
                if entry["id"] in found:
                    return f"{entry['id']} is listed twice"
                found[entry["id"]] = entry.get("transactionIdentifier")
    if found != settled:
        return f"{len(settled)} purchases were finished, {len(found)} of them are listed, or with other orders"
    return None
