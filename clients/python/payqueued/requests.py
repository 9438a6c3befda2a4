"""Every method of the daemon as a function that makes a request.

`AsyncClient` and `Client` have each of them as a method of the same name: the list is kept once.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any, Dict, Generic, Mapping, Optional, Sequence, TypeVar, Union

from .models import (
    Added,
    EventPage,
    Finished,
    HistoryPage,
    JSONObject,
    ProductPage,
    RestoreStarted,
    Session,
    TransactionPage,
    Waited,
)

Result = TypeVar("Result")


@dataclass(frozen=True)
class Request(Generic[Result]):
    """A call that is not sent yet."""

    method: str
    params: Dict[str, Any] = field(default_factory=dict)
    #: Whether sending it twice does no harm, so that it may be repeated on a new connection.
    repeatable: bool = True
    #: Seconds that the daemon may take beyond the usual.
    patience: float = 0


def _params(**members: Any) -> Dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def fresh_key() -> str:
    """A key that nobody else has."""
    return secrets.token_hex(16)


def add(
    product: str, *, app_account_token: Optional[str] = None, key: Optional[str] = None
) -> Request[Added]:
    """Buys a product. Answers when the wish is durable; the outcome is an event.

    Without a key a fresh one is made, so that a broken connection cannot buy twice. To be safe
    against a crash of your own program too, keep the key yourself: see ``KeyFile`` and
    ``buy_once``.
    """
    return Request(
        "add",
        _params(product=product, appAccountToken=app_account_token, key=key or fresh_key()),
        patience=150,
    )


def restore(
    *, key: Optional[str] = None, app_account_token: Optional[str] = None
) -> Request[RestoreStarted]:
    """Brings back what the account owns, as transactions in the state ``restored``."""
    return Request(
        "restore",
        _params(key=key or fresh_key(), appAccountToken=app_account_token),
        patience=150,
    )


def finish(transaction: str) -> Request[Finished]:
    """Says that the goods are delivered. Repeat it freely."""
    return Request("finish", {"transaction": transaction})


def transactions(
    *,
    ids: Optional[Sequence[str]] = None,
    states: Optional[Sequence[str]] = None,
    limit: Optional[int] = None,
    page: Optional[str] = None,
) -> Request[TransactionPage]:
    """Lists transactions: all unfinished ones, or those asked for."""
    return Request(
        "transactions",
        _params(
            ids=list(ids) if ids is not None else None,
            states=list(states) if states is not None else None,
            limit=limit,
            page=page,
        ),
    )


def wait(
    transaction: Optional[str] = None,
    *,
    restore: Optional[str] = None,
    until: Optional[Sequence[str]] = None,
    timeout: float = 60,
) -> Request[Waited]:
    """Waits, 60 s at most, until a transaction is decided or a restore has ended."""
    return Request(
        "wait",
        _params(
            transaction=transaction,
            restore=restore,
            until=list(until) if until is not None else None,
            timeout=timeout,
        ),
        patience=timeout,
    )


def events(
    after: Union[int, str],
    *,
    limit: Optional[int] = None,
    wait: Optional[float] = None,
    kinds: Optional[Sequence[str]] = None,
) -> Request[EventPage]:
    """Reads the log page by page."""
    return Request(
        "events",
        _params(
            after=after, limit=limit, wait=wait, kinds=list(kinds) if kinds is not None else None
        ),
        patience=wait or 0,
    )


def ack(name: str, seq: int) -> Request[JSONObject]:
    """Lets the daemon remember how far the named observer has come."""
    return Request("ack", {"name": name, "seq": seq})


def observers() -> Request[JSONObject]:
    """Lists live subscriptions and durable names."""
    return Request("observers")


def products(
    ids: Optional[Sequence[str]] = None, *, limit: Optional[int] = None, page: Optional[str] = None
) -> Request[ProductPage]:
    """Lists products and their prices: those named, or the whole catalogue page by page."""
    return Request(
        "products",
        _params(ids=list(ids) if ids is not None else None, limit=limit, page=page),
        patience=30,
    )


def entitlements() -> Request[JSONObject]:
    """What the account owns now."""
    return Request("entitlements", patience=30)


def login(
    account: Optional[str] = None, *, credential: Optional[str] = None
) -> Request[Session]:
    """Opens a session; without an account the login agents are asked."""
    return Request("login", _params(account=account, credential=credential), patience=150)


def logout() -> Request[JSONObject]:
    """Closes the session."""
    return Request("logout")


def storefront(*, assume: Optional[str] = None) -> Request[Session]:
    """Shows which country counts; ``assume`` is the one to go by while nobody is logged in."""
    return Request("storefront", _params(assume=assume))


def delegate(
    *,
    mode: Optional[str] = None,
    timeout: Optional[float] = None,
    fallback: Optional[bool] = None,
    after_login: Optional[str] = None,
) -> Request[JSONObject]:
    """Shows or sets what happens when the country or the price changed under a purchase."""
    return Request(
        "delegate",
        _params(mode=mode, timeout=timeout, fallback=fallback, afterLogin=after_login),
    )


def questions() -> Request[JSONObject]:
    """Lists the questions that are open."""
    return Request("questions")


def answer(question: str, value: bool, *, reason: Optional[str] = None) -> Request[JSONObject]:
    """Answers a question; the first answer wins."""
    return Request("answer", _params(question=question, value=value, reason=reason))


def signed_history(
    *, limit: Optional[int] = None, page: Optional[str] = None
) -> Request[HistoryPage]:
    """A page of the account's history, the newest payment first, signed by the store."""
    return Request("signedHistory", _params(limit=limit, page=page), patience=30)


def keys() -> Request[JSONObject]:
    """The store's public keys, as a JSON Web Key Set."""
    return Request("keys", patience=30)


def hello(name: str, version: str = "") -> Request[JSONObject]:
    """Names this connection in ``status`` and in the journal."""
    client = _params(name=name, version=version or None)
    return Request("hello", {"client": client})


def ping(payload: Optional[str] = None) -> Request[JSONObject]:
    """Asks whether the daemon is there."""
    return Request("ping", _params(payload=payload))


def help(method: Optional[str] = None) -> Request[JSONObject]:
    """Explains a method, or lists all of them."""
    return Request("help", _params(method=method))


def check(method: str, params: Optional[Mapping[str, Any]] = None) -> Request[JSONObject]:
    """Checks a call without making it."""
    return Request(
        "check", _params(method=method, params=dict(params) if params is not None else None)
    )


def status() -> Request[JSONObject]:
    """What the daemon does, and why nothing moves."""
    return Request("status")


def metrics() -> Request[JSONObject]:
    """The daemon's numbers, as OpenMetrics text."""
    return Request("metrics")


def discover() -> Request[JSONObject]:
    """The whole interface as an OpenRPC document."""
    return Request("rpc.discover")


def drain(on: bool) -> Request[JSONObject]:
    """Refuses new purchases; everything else goes on."""
    return Request("drain", {"on": on}, patience=60)


def reload() -> Request[JSONObject]:
    """Reads the configuration again."""
    return Request("reload", patience=60)


def backup() -> Request[JSONObject]:
    """Writes a verified copy of the state."""
    return Request("backup", repeatable=False, patience=300)


def decide(transaction: str, outcome: str) -> Request[JSONObject]:
    """Sandbox: approves or declines a deferred purchase (``approve``, ``decline``)."""
    return Request("decide", {"transaction": transaction, "outcome": outcome}, repeatable=False)


def test(control: str, params: Optional[Mapping[str, Any]] = None) -> Request[JSONObject]:
    """Sandbox: a control by its name, as in ``test("set", {"askToBuyEnabled": True})``."""
    repeatable = control in ("get", "set", "orders", "clock.get")
    return Request(f"test.{control}", dict(params or {}), repeatable=repeatable)
