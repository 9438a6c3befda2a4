"""Defects that are planted between clients and daemon, so that the queue as a whole breaks one promise each."""

from __future__ import annotations

import random
import threading
import uuid
from typing import Optional

from history_wire import Way, Wire

# A defect shows itself when clients have bought for a while.
SOON = 150


class Plant(Way):
    """A way with a defect; it breaks one promise."""

    # What the checker calls it.
    kind = ""

    def __init__(self, seed: str) -> None:
        self.dice = random.Random(seed)
        # How often it has misbehaved, and how often it may.
        self.done, self.most = 0, 1
        self.newest = 0
        self._requests: dict[int, dict] = {}
        self._count = 0
        self._lock = threading.RLock()

    def sent(self, wire: Wire, request: dict) -> tuple[list[dict], list[dict]]:
        with self._lock:
            self._count += 1
            self._requests[request["id"]] = request
            return self.asked(wire, request) or ([request], [])

    def received(self, wire: Wire, message: dict) -> list[dict]:
        with self._lock:
            self.newest = max(self.newest, message.get("params", {}).get("seq", 0))
            request = self._requests.pop(message["id"], None) if message.get("id") is not None else None
            if request and "result" in message:
                self.result(wire, request, message["result"])
            return self.told(wire, message)

    def may(self, chance: float = 1) -> bool:
        """Whether to misbehave now; counts it."""
        isNow = self._count > SOON and self.done < self.most and self.dice.random() < chance
        self.done += isNow
        return isNow

    # For each defect to say

    def asked(self, wire: Wire, request: dict) -> Optional[tuple[list[dict], list[dict]]]:
        """What a request becomes; None if it is forwarded."""
        return None

    def result(self, wire: Wire, request: dict, result: dict) -> None:
        """Changes a result."""

    def told(self, wire: Wire, message: dict) -> list[dict]:
        """What becomes of a message."""
        return [message]


def answer(request: dict, **result: object) -> tuple[list[dict], list[dict]]:
    """Nothing reaches the daemon; the client is answered."""
    return [], [{"jsonrpc": "2.0", "id": request["id"], "result": result}]


class LostAdd(Plant):
    """Acknowledges an add that it keeps from the daemon."""

    kind = "lost-add"

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self._kept: dict[str, str] = {}
        self._known: set[str] = set()

    def asked(self, wire: Wire, request: dict) -> Optional[tuple[list[dict], list[dict]]]:
        key = request["params"].get("key")
        if request["method"] != "add" or key is None:
            return None
        if name := self._kept.get(key):
            return answer(request, transaction=name, state="purchasing", seq=self.newest, duplicate=True)
        isKnown = key in self._known
        self._known.add(key)
        if isKnown or request["params"]["product"] != "coins.100" or not self.may(0.1):
            return None
        self._kept[key] = str(uuid.uuid4())
        return answer(request, transaction=self._kept[key], state="purchasing", seq=self.newest + 1,
                      duplicate=False)


class SecondCharge(Plant):
    """Sends an add twice, the second time with another key."""

    kind = "second-charge"

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.most = 3

    def asked(self, wire: Wire, request: dict) -> Optional[tuple[list[dict], list[dict]]]:
        params = request["params"]
        if request["method"] != "add" or params["product"] != "coins.100" or not self.may(0.1):
            return None
        again = {**request, "id": f"again-{request['id']}", "params": {**params, "key": f"again-{self.done}"}}
        return [request, again], []


class Reordered(Plant):
    """Swaps two events."""

    kind = "order"

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self._held: Optional[tuple[int, dict]] = None

    def told(self, wire: Wire, message: dict) -> list[dict]:
        params = message.get("params", {})
        if message.get("method") != "event" or params.get("redelivery"):
            return [message]
        if self._held is None:
            if not self.may(0.1):
                return [message]
            self._held = (wire.number, message)
            return []
        number, held = self._held
        if number != wire.number or held["params"]["subscription"] != params["subscription"]:
            return [message]
        self._held = (0, {"params": {"subscription": ""}})
        return [message, held]


class LostEvent(Plant):
    """Keeps one event from one subscription."""

    kind = "gap"

    def told(self, wire: Wire, message: dict) -> list[dict]:
        isRecord = message.get("method") == "event" and not message["params"].get("redelivery")
        return [] if isRecord and self.may(0.05) else [message]


class LostFinish(Plant):
    """Acknowledges a finish that it keeps from the daemon."""

    kind = "lost-finish"

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self._kept: set[str] = set()

    def asked(self, wire: Wire, request: dict) -> Optional[tuple[list[dict], list[dict]]]:
        if request["method"] != "finish":
            return None
        name = request["params"]["transaction"]
        if name not in self._kept and (name not in wire.pool.settled or not self.may(0.2)):
            return None
        self._kept.add(name)
        return answer(request, transaction=name, disposition="completing", seq=self.newest + 1)


class EndlessRestore(Plant):
    """Keeps the end of a restore from everybody, and mends the chain of events."""

    kind = "restore"

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self._restore: Optional[str] = None
        # Restores whose end some client has seen.
        self._ended: set[str] = set()
        # What came before the event that was kept, by connection and subscription.
        self._before: dict[tuple[int, str], tuple[int, int]] = {}

    def _is_end(self, event: dict) -> bool:
        if event.get("kind") not in ("restoreCompleted", "restoreFailed"):
            return False
        if self._restore is None and event["restore"] not in self._ended and self.may():
            self._restore = event["restore"]
        self._ended.add(event["restore"])
        return event["restore"] == self._restore

    def told(self, wire: Wire, message: dict) -> list[dict]:
        params = message.get("params", {})
        place = (wire.number, params.get("subscription", ""))
        if message.get("method") == "event" and self._is_end(params):
            self._before[place] = (params["seq"], params["prev"])
            return []
        kept, before = self._before.get(place, (0, 0))
        for member in ("prev", "seq"):
            if params.get(member) == kept and kept:
                params[member] = before
        return [message]

    def result(self, wire: Wire, request: dict, result: dict) -> None:
        if request["method"] == "events":
            result["events"] = [event for event in result["events"] if not self._is_end(event)]


class MovedCursor(Plant):
    """Moves a cursor past what its observer has acknowledged, and says nothing of it."""

    kind = "cursor"

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.most = 20

    def asked(self, wire: Wire, request: dict) -> Optional[tuple[list[dict], list[dict]]]:
        params = request["params"]
        if request["method"] != "ack" or params.get("seq", self.newest) > self.newest - 3 or not self.may(0.5):
            return None
        params["moved"] = params["seq"]
        return [{**request, "params": {"name": params["name"], "seq": self.newest - 1}}], []

    def result(self, wire: Wire, request: dict, result: dict) -> None:
        if request["method"] == "ack" and "moved" in request["params"]:
            result["acked"] = request["params"]["moved"]


class StolenShare(Plant):
    """Refuses users who are far from their share."""

    kind = "share"

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.most = 10

    def asked(self, wire: Wire, request: dict) -> Optional[tuple[list[dict], list[dict]]]:
        if request["method"] != "add" or wire.user == 0 or not self.may(0.1):
            return None
        data = {"kind": "shareExceeded", "retry": "later", "effect": "none",
                "limit": "unfinishedTransactions", "number": 2000, "share": 1}
        return [], [{"jsonrpc": "2.0", "id": request["id"],
                     "error": {"code": -32013, "message": "share", "data": data}}]


class LostRedelivery(Plant):
    """Leaves the first transaction out of redeliveries."""

    kind = "redelivery"

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.most = 50

    def told(self, wire: Wire, message: dict) -> list[dict]:
        params = message.get("params", {})
        if params.get("redelivery") and params["seq"] == params["prev"] and self.may():
            del params["transactions"][0]
        return [message]


class WrongAmount(Plant):
    """Shows an order with another amount than was charged."""

    kind = "views"

    def result(self, wire: Wire, request: dict, result: dict) -> None:
        if request["method"] == "test.orders":
            for order in result["orders"]:
                if order.get("charged") and self.may():
                    order["charged"]["amount"] = "0.01"


PLANTS: dict[str, type[Plant]] = {plant.kind: plant for plant in (
    LostAdd, SecondCharge, Reordered, LostEvent, LostFinish, EndlessRestore, MovedCursor, StolenShare,
    LostRedelivery, WrongAmount)}
