"""Short histories of three users, written by hand."""

from __future__ import annotations

import itertools
from typing import Any, Optional

ANN, BEN, EVE = 1, 2, 3
LIMITS = {"unfinishedTransactions": 32, "unfinishedRestores": 8, "namedObservers": 16, "subscriptions": 32,
          "connections": 32, "waitingCallsInAll": 32}
COINS = ["1.99", "EUR"]


class Story:
    """A history that is being written; three users are connected and a quiet queue is assumed."""

    def __init__(self) -> None:
        self.lines: list[dict] = []
        self._numbers = itertools.count(1)
        for user in (ANN, BEN, EVE):
            self.line("connect", c=user, u=user)
        self.line("up", head=1, epoch="e")
        self.line("settled", numbers=LIMITS)

    def line(self, kind: str, **members: Any) -> None:
        """Any line, a hundredth of a second after the last."""
        self.lines.append({"t": len(self.lines) / 100, "e": kind, **members})

    def ask(self, user: int, method: str, **params: Any) -> int:
        """A request; its number."""
        number = next(self._numbers)
        self.line("invoke", op=number, c=user, m=method, p=params)
        return number

    def ok(self, number: int, **result: Any) -> None:
        """Its result."""
        self.line("ok", op=number, r=result)

    def fail(self, number: int, code: int, **data: Any) -> None:
        """Its error."""
        self.line("fail", op=number, code=code, data=data)

    def call(self, user: int, method: str, params: dict, **result: Any) -> None:
        """A request and its result."""
        self.ok(self.ask(user, method, **params), **result)

    def add(self, user: int, name: str, seq: int, key: Optional[str] = None, duplicate: bool = False) -> None:
        """An acknowledged add of 100 coins."""
        params = {"product": "coins.100", "key": key or f"key of {name}"}
        self.call(user, "add", params, transaction=name, seq=seq, duplicate=duplicate)

    def finish(self, user: int, name: str, seq: int, disposition: str = "completing") -> None:
        """An acknowledged finish."""
        self.call(user, "finish", {"transaction": name}, transaction=name, disposition=disposition, seq=seq)

    def subscribe(self, user: int, head: int, **params: Any) -> None:
        """A subscription, the only one of its connection."""
        self.call(user, "subscribe", params, subscription="s", head=head, oldest=1)

    def record(self, user: int, prev: int, seq: int, *transactions: dict, kind: str = "transactionsUpdated",
               **more: Any) -> None:
        """An event."""
        members = {"transactions": list(transactions)} if transactions else {}
        self.line("event", c=user, p={"subscription": "s", "prev": prev, "seq": seq, "kind": kind,
                                      **members, **more})

    def caught_up(self, user: int, seq: int) -> None:
        """The end of what a subscription begins with."""
        self.line("caughtUp", c=user, p={"subscription": "s", "seq": seq})

    def rest(self, *transactions: dict, seq: int = 50, orders: Optional[list[dict]] = None,
             shares: Optional[dict] = None) -> None:
        """The views at rest; each purchase has its order unless others are given."""
        if orders is None:
            orders = [order(entry) for entry in transactions if "order" in entry]
        self.line("quiet")
        self.call(ANN, "transactions", {}, transactions=list(transactions), seq=seq)
        self.call(ANN, "test.orders", {}, orders=orders)
        if shares is not None:
            self.call(ANN, "status", {}, shares=shares)


def bought(name: str, state: str = "purchased", **more: Any) -> dict:
    """A transaction in an event or a list."""
    paid = {"order": f"order of {name}", "charged": COINS} if state == "purchased" else {}
    return {"id": name, "state": state, "product": "coins.100", "revision": 1, "reason": "purchase", **paid, **more}


def order(entry: dict) -> dict:
    """The order of a purchase."""
    return {"order": entry["order"], "transaction": entry["id"], "product": entry["product"], "charged": COINS,
            "state": "purchased"}
