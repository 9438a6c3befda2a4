"""Buying something exactly once."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Optional

from .contract import AddResult, Transaction
from .errors import CallTimedOut, ClientClosed, ConnectionFailure, PaymentQueueError, ServerError
from .files import KeyFile

if TYPE_CHECKING:
    from .client import AsyncClient


class StillWaiting(PaymentQueueError):
    """The time ran out and the purchase continues; ``waiting_for`` says what it needs."""

    def __init__(self, transaction: str, waiting_for: Optional[str]) -> None:
        super().__init__(f"'{transaction}' is not decided yet: it waits for {waiting_for}")
        self.transaction = transaction
        self.waiting_for = waiting_for


class LeftTheQueue(PaymentQueueError):
    """The transaction is gone: finished earlier, or discarded; ``reason`` says which."""

    def __init__(self, transaction: str, reason: str, state: str) -> None:
        super().__init__(f"'{transaction}' has left the queue: {reason}")
        self.transaction = transaction
        self.reason = reason
        self.state = state


async def buy_once(
    client: AsyncClient,
    keys: KeyFile,
    intent: str,
    product: str,
    *,
    app_account_token: Optional[str],
    timeout: float,
) -> Transaction:
    """Buys a product and returns the transaction in the state in which it settled.

    The key of the intent is on disk before anything is sent, so calling this again after any
    crash, of this program, the daemon or the machine, continues with the same purchase. The state
    may be ``failed``. The goods are not delivered and the transaction is not finished by this: an
    observer does that, or you. Raises ``StillWaiting`` when the time is over, ``LeftTheQueue`` if
    the purchase left the queue.
    """
    deadline = time.monotonic() + timeout
    key = keys.key(intent)
    # The queue makes progress only while a client observes.
    observer = client.subscribe(products=[product])
    await observer.open()
    draining = asyncio.ensure_future(_drain(observer))
    try:
        added = await _add(client, product, app_account_token, key, deadline)
        if "removed" in added:
            reason = str(added["removed"].get("reason", "unknown"))
            raise LeftTheQueue(added["transaction"], reason, added["state"])
        return await _settled(client, added["transaction"], deadline)
    finally:
        draining.cancel()
        await asyncio.gather(draining, return_exceptions=True)
        await observer.close()


async def _drain(notifications: object) -> None:
    async for _ in notifications:  # type: ignore[attr-defined]
        pass


async def _add(
    client: AsyncClient, product: str, token: Optional[str], key: str, deadline: float
) -> AddResult:
    """Repeats the call, with the same key, as long as that can help."""
    closes = client._closes
    while True:
        client._expect_no_close_since(closes)
        try:
            return await client.add(product, app_account_token=token, key=key)
        except ServerError as error:
            pause = error.retry_after or 1.0
            can_help = error.retry != "no" or error.effect == "unknown"
            if not can_help or time.monotonic() + pause > deadline:
                raise
        except ClientClosed:
            raise
        except ConnectionFailure:
            pause = 1.0
            if time.monotonic() + pause > deadline:
                raise
        await asyncio.sleep(pause)


async def _settled(client: AsyncClient, id: str, deadline: float) -> Transaction:
    while True:
        left = deadline - time.monotonic()
        transaction: Optional[Transaction] = None
        is_reached = False
        try:
            answer = await client.wait(id, timeout=min(60, max(0, left)))
            transaction, is_reached = answer.get("transaction"), answer["reached"]
        except CallTimedOut:
            pass
        if transaction is not None and transaction["transactionState"] != "purchasing":
            return transaction
        if transaction is not None and is_reached:
            raise LeftTheQueue(id, "removed", transaction["transactionState"])
        if time.monotonic() >= deadline:
            raise StillWaiting(id, transaction.get("waitingFor") if transaction else None)
