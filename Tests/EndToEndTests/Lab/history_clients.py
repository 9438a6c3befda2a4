"""Clients of several users who buy, finish, restore, follow, read, and take more than their share."""

from __future__ import annotations

import random
import threading
import time
from typing import Any, Callable, Optional

from history_wire import Gone, Recorder, Way, Wire

USERS = (20001, 20002, 20003, 20004)
HOSTILE = 20005
PRODUCTS = ("coins.100",) * 17 + ("remove-ads", "map.berlin", "season.pass", "nope")
TOKENS = (None, None, None, "red", "blue")
NAMES_OF_USER = 1
SHARE = -32013


class Pool:
    """What clients know of the queue from what they were told, to choose what they do next."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        # The parameters of each add with a key that was accepted, or perhaps.
        self.adds: dict[str, dict] = {}
        self._accepted: set[str] = set()
        self.settled: dict[str, None] = {}
        self.finished: list[str] = []
        self.newest = 0
        self._gone: set[str] = set()
        self._recent: list[dict] = []
        self._lock = threading.Lock()

    def answered(self, method: str, result: dict) -> None:
        """Takes a result."""
        if method == "finish" and result["disposition"] != "ignoredInFlight":
            self._finish(result["transaction"])

    def saw(self, kind: str, params: dict) -> None:
        """Takes a notification."""
        self.newest = max(self.newest, params.get("seq", 0))
        for entry in params.get("transactions", []):
            if params["kind"] == "transactionsRemoved":
                self._finish(entry["id"])
            elif entry["state"] != "purchasing":
                with self._lock:
                    if entry["id"] not in self._gone:
                        self.settled[entry["id"]] = None

    def _finish(self, transaction: str) -> None:
        with self._lock:
            self.settled.pop(transaction, None)
            if transaction not in self._gone:
                self._gone.add(transaction)
                self.finished.append(transaction)

    def sent(self, params: dict) -> None:
        """An add with a key is sent, and may be repeated."""
        with self._lock:
            self._recent.append(params)
            if len(self._recent) > 400:
                del self._recent[self.dice.randrange(400)]

    def kept(self, params: dict, isSure: bool = False) -> None:
        """An add was accepted, or perhaps."""
        with self._lock:
            self.adds.setdefault(params["key"], params)
            if isSure:
                self._accepted.add(params["key"])

    def repeat(self) -> Optional[dict]:
        """An add that was sent before."""
        with self._lock:
            return self.dice.choice(self._recent) if self._recent else None

    def accepted(self) -> Optional[dict]:
        """The newest add, if it was accepted."""
        with self._lock:
            return self._recent[-1] if self._recent and self._recent[-1]["key"] in self._accepted else None

    def first(self) -> Optional[str]:
        """The first transaction that can be finished, if there is one."""
        with self._lock:
            return next(iter(self.settled), None)

    def settle(self) -> Optional[str]:
        """A transaction that can be finished; more often the oldest."""
        with self._lock:
            if not self.settled:
                return None
            names = list(self.settled) if self.dice.random() < 0.1 else [next(iter(self.settled))]
            name = self.dice.choice(names)
            # Behind the others: it may be refused, and is tried again.
            self.settled[name] = self.settled.pop(name)
            return name


class Person(threading.Thread):
    """A client that connects again and again."""

    def __init__(self, title: str, user: int, path: str, recorder: Recorder, way: Way, pool: Pool,
                 act: Callable[[Person, Wire], None], seed: str) -> None:
        super().__init__(name=f"{title} of {user}", daemon=True)
        self.user = user
        self.pool = pool
        self.dice = random.Random(seed)
        self.halt = threading.Event()
        # The position of the newest event, for those who come back.
        self.cursor: Optional[int] = None
        self.wire: Callable[[], Wire] = lambda: Wire(path, user, recorder, way, pool)
        self._act = act
        self._recorder = recorder

    def run(self) -> None:
        while not self.halt.is_set():
            try:
                wire = self.wire()
                try:
                    self._act(self, wire)
                finally:
                    wire.close()
            except Gone:
                time.sleep(self.dice.uniform(0.01, 0.05))
            except Exception as error:  # noqa: BLE001 - whatever it is, the history says that a client stopped
                self._recorder.write("stuck", what=f"{self.name} stopped: {error!r}")
                return

    # Buying

    def purchases(self, count: int) -> list[tuple[str, dict]]:
        """Requests of one who buys."""
        return [self._purchase() for _ in range(count)]

    def _purchase(self) -> tuple[str, dict]:
        chance, dice, pool = self.dice.random(), self.dice, self.pool
        if chance < 0.42 and (name := pool.settle()):
            return "finish", {"transaction": name}
        if chance < 0.45 and pool.finished:
            return "finish", {"transaction": dice.choice(pool.finished)}
        if chance < 0.58 and (params := pool.repeat()):
            return "add", params
        if chance < 0.60 and (params := pool.accepted()):
            return "add", {**params, "appAccountToken": "other"}
        params = {"product": dice.choice(PRODUCTS)}
        if token := dice.choice(TOKENS):
            params["appAccountToken"] = token
        if chance < 0.98:
            params["key"] = f"{dice.getrandbits(64):016x}"
            pool.sent(params)
        else:
            # By this, it is known again if its reply is lost.
            params["appAccountToken"] = f"{dice.getrandbits(64):016x}"
        return "add", params

    def trade(self, wire: Wire, count: int) -> None:
        """Sends some requests together; what was accepted or lost is asked again at the end."""
        requests = self.purchases(count)
        try:
            replies: list[dict] = wire.ask(*requests, batch=self.dice.random() < 0.3)
        except Gone:
            # Without a reply an add may have been accepted; one with other parameters cannot have been.
            for method, params in requests:
                if method == "add" and "key" in params and params.get("appAccountToken") != "other":
                    self.pool.kept(params)
            raise
        for (method, params), reply in zip(requests, replies):
            if method == "add" and "key" in params and "result" in reply:
                self.pool.kept(params, isSure=True)


def buy(person: Person, wire: Wire) -> None:
    """Adds, repeats, finishes."""
    for _ in range(person.dice.randint(1, 60)):
        if person.halt.is_set():
            return
        person.trade(wire, person.dice.choice((1, 1, 2, 5)))
        time.sleep(person.dice.uniform(0, 0.12))


def follow(person: Person, wire: Wire) -> None:
    """Sees every record, without a pause; always there, so that purchases are sent to the store."""
    after = {} if person.cursor is None else {"after": person.cursor}
    if "error" in wire.call("subscribe", **after):
        return
    while not person.halt.is_set():
        for event in wire.listen(0.2):
            if event["method"] in ("event", "caughtUp"):
                person.cursor = max(person.cursor or 0, event["seq"])


def watch(person: Person, wire: Wire) -> None:
    """Subscribes in all ways, reads for a while, acknowledges, and does other things meanwhile."""
    dice = person.dice
    for _ in range(dice.randint(1, 3)):
        params = ways_to_subscribe(person)
        if "error" in (reply := wire.call("subscribe", **params)):
            # A name may still be taken by a connection that has just been closed.
            time.sleep(0.05)
            continue
        until = time.monotonic() + dice.uniform(0.05, 2.5)
        seen = 0
        while time.monotonic() < until and not person.halt.is_set():
            for event in wire.listen(dice.uniform(0.02, 0.3)):
                if event["method"] == "event" and event["subscription"] == reply["result"]["subscription"]:
                    seen = event["seq"]
                    person.cursor = max(person.cursor or 0, seen)
            if "name" in params and seen and dice.random() < 0.9:
                wire.call("ack", name=params["name"], seq=dice.randint(max(seen - 10, 0), seen))
            if dice.random() < 0.2:
                person.trade(wire, dice.randint(1, 3))
            if dice.random() < 0.05:
                # A reader that pauses loses nothing.
                time.sleep(dice.uniform(0.1, 0.6))
        if dice.random() < 0.6:
            wire.call("unsubscribe", subscription=reply["result"]["subscription"])


def ways_to_subscribe(person: Person) -> dict[str, Any]:
    """The parameters of a subscription."""
    dice = person.dice
    way = dice.random()
    if way < 0.25:
        return {}
    if way < 0.6:
        # Now and then the name of somebody else.
        user = person.user if dice.random() < 0.9 else dice.choice(USERS)
        return {"name": f"books-{user}-{dice.randrange(NAMES_OF_USER)}"}
    if way < 0.65:
        return {"kinds": ["transactionsUpdated", "restoreCompleted", "restoreFailed"]}
    cursor = person.cursor or 0
    after: Any = dice.choice((cursor, cursor, max(cursor - dice.randrange(200), 0), "now"))
    return {"after": after, **({"passive": True} if way < 0.75 else {})}


def read(person: Person, wire: Wire) -> None:
    """Lists and pages, waits, and tries the names of others."""
    dice, pool = person.dice, person.pool
    for _ in range(dice.randint(1, 20)):
        if person.halt.is_set():
            return
        what = dice.random()
        if what < 0.3:
            after = max((person.cursor or 0) - dice.randrange(100), 0)
            wait = {"wait": dice.choice((0.1, 0.5))} if dice.random() < 0.3 else {}
            reply = wire.call("events", after=after, limit=dice.choice((10, 100)), **wait)
            person.cursor = reply.get("result", {}).get("next", person.cursor)
        elif what < 0.45:
            wire.call("transactions", limit=dice.choice((50, 200)))
        elif what < 0.55:
            wire.call("observers")
        elif what < 0.65:
            wire.call("entitlements")
        elif what < 0.85 and (first := pool.first()):
            wire.call("wait", transaction=first, until=["removed"], timeout=0.3)
        elif what < 0.9:
            user = dice.choice(USERS)
            wire.call("ack", name=f"books-{user}-{dice.randrange(NAMES_OF_USER)}",
                      seq=max(pool.newest - dice.randrange(100), 0))
        else:
            wire.call("products")
        time.sleep(dice.uniform(0.02, 0.3))


def restore(person: Person, wire: Wire) -> None:
    """Restores, and waits for the end."""
    dice = person.dice
    for _ in range(dice.randint(1, 10)):
        if person.halt.is_set():
            return
        params: dict[str, Any] = {"key": f"restore-{dice.getrandbits(64):x}"} if dice.random() < 0.5 else {}
        if dice.random() < 0.3:
            params["appAccountToken"] = dice.choice(("red", "blue"))
        reply = wire.call("restore", **params)
        if "result" in reply and dice.random() < 0.7:
            wire.call("wait", restore=reply["result"]["restore"], timeout=1)
        time.sleep(dice.uniform(0.1, 1))


def take_all(person: Person, wire: Wire) -> None:
    """Takes all that it can get of a limit, and gives it back."""
    what = person.dice.choice((take_connections, take_subscriptions, take_names, take_transactions, take_calls))
    what(person, wire)
    time.sleep(person.dice.uniform(0.1, 1))


def take_connections(person: Person, wire: Wire) -> None:
    """Connections."""
    more: list[Wire] = []
    try:
        for _ in range(70):
            more.append(person.wire())
            more[-1].call("ping")
    except Gone:
        pass
    for other in more:
        other.close()


def take_subscriptions(person: Person, wire: Wire) -> None:
    """Subscriptions, over several connections."""
    more = [wire]
    try:
        while not person.halt.is_set():
            replies = more[-1].ask(*[("subscribe", {"after": "now", "kinds": ["productsChanged"]})] * 16)
            if any(reply.get("error", {}).get("code") == SHARE for reply in replies):
                break
            more.append(person.wire())
        more[-1].call("subscribe", after="now", kinds=["productsChanged"])
    finally:
        for other in more[1:]:
            other.close()


def take_names(person: Person, wire: Wire) -> None:
    """Names of observers; then gives each up."""
    names = []
    while not person.halt.is_set():
        name = f"hostile-{person.dice.getrandbits(64):x}"
        reply = wire.call("subscribe", name=name, after="now", kinds=["productsChanged"])
        if "error" in reply:
            break
        names.append(name)
        wire.call("unsubscribe", subscription=reply["result"]["subscription"])
    for name in names:
        wire.call("ack", name=name, forget=True)


def take_transactions(person: Person, wire: Wire) -> None:
    """Transactions, in batches without a pause; then finishes what it can."""
    names: list[str] = []
    isRefused = False
    while not isRefused and not person.halt.is_set():
        requests = [("add", {"product": "coins.100", "key": f"h-{person.dice.getrandbits(64):x}"})
                    for _ in range(50)]
        try:
            replies = wire.ask(*requests, batch=True)
        except Gone:
            for _, params in requests:
                person.pool.kept(params)
            raise
        for (_, params), reply in zip(requests, replies):
            if "result" in reply:
                names.append(reply["result"]["transaction"])
                person.pool.kept(params)
            else:
                isRefused = True
        time.sleep(0.02)
    for start in range(0, len(names), 50):
        wire.ask(*[("finish", {"transaction": name}) for name in names[start:start + 50]], batch=True)


def take_calls(person: Person, wire: Wire) -> None:
    """Calls that wait."""
    more = [wire, *(person.wire() for _ in range(10))]
    try:
        for other in more:
            # Sent and not waited for: each connection has its most.
            other.post(*[("events", {"after": "now", "wait": 0.5, "kinds": ["productsChanged"]})] * 8)
        time.sleep(0.3)
        for other in more:
            other.collect()
    finally:
        for other in more[1:]:
            other.close()
