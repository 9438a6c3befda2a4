"""What both programs ask, and what has to come of it."""

from __future__ import annotations

from typing import Any, List, Tuple

#: A call and a member that its result must have.
Call = Tuple[str, Any, str]

#: Twenty calls with named parameters, parameters by place, and none.
CALLS: List[Call] = [
    ("ping", {}, "pong"),
    ("ping", ["by place"], "pong"),
    ("hello", {"client": {"name": "foreign", "version": "1"}}, "server"),
    ("help", {}, "text"),
    ("help", ["add"], "text"),
    ("status", {}, "state"),
    ("metrics", {}, "text"),
    ("rpc.discover", {}, "methods"),
    ("check", {"method": "add", "params": {"product": "coins.100"}}, "ok"),
    ("products", {"ids": ["coins.100", "nope"]}, "invalid"),
    ("products", {"limit": 2}, "products"),
    ("storefront", {}, "account"),
    ("entitlements", {}, "entitlements"),
    ("transactions", {"states": ["purchased"]}, "transactions"),
    ("questions", {}, "questions"),
    ("observers", {}, "observers"),
    ("delegate", {}, "mode"),
    ("events", {"after": "start", "limit": 5}, "events"),
    ("test.get", {}, "askToBuyEnabled"),
    ("test.orders", {}, "orders"),
]

#: Calls that are refused, and the code that alone has to tell why. They run in this order.
REFUSALS: List[Tuple[str, Any, int]] = [
    # The protocol's own.
    ("frobnicate", {}, -32601),
    ("add", {}, -32602),
    ("add", {"produkt": "coins.100"}, -32602),
    # Session.
    ("hello", {"api": 99}, 1002),
    # Payments.
    ("add", {"product": "nope"}, 1101),
    ("add", {"product": "club.monthly", "key": "errors"}, 1102),
    ("products", {"ids": [""]}, 1109),
    # Transactions.
    ("finish", {"transaction": "nope"}, 1201),
    ("transactions", {"page": "nope"}, 1203),
    # Events.
    ("events", {"after": 9007199254740991}, 1302),
    ("events", {"after": 1, "epoch": "another"}, 1303),
    ("ack", {"name": "nobody", "seq": 1}, 1305),
    # Gate.
    ("answer", {"question": "nope", "value": True}, 1401),
    # Account.
    ("login", {"account": "nobody-of-this-name"}, 1501),
    # The store's controls.
    ("test.refund", {"order": "nope"}, 1602),
]

#: How the service itself says no, once it is draining.
DRAINING = ("add", {"product": "coins.100"}, -32006)

BATCH = 100
EVENTS = 1000


def check(condition: bool, what: str) -> None:
    """Ends the program with what went wrong."""
    if not condition:
        raise SystemExit(f"not so: {what}")
