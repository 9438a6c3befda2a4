"""Handing settled transactions to an application, each until it is finished."""

from __future__ import annotations

import asyncio
import inspect
import logging
import time
from typing import TYPE_CHECKING, Awaitable, Callable, Dict, List, Optional, Sequence, Set, Union

from .contract import Transaction, TransactionState
from .errors import ConnectionFailure, ServerError
from .models import Notification

if TYPE_CHECKING:
    from .client import AsyncClient

_logger = logging.getLogger("payqueued")


class StopObserving(Exception):
    """Raised by a handler to end ``observe``; its transaction stays unfinished."""


class Inbox:
    """Decides what is handed out, and when. Does no input or output.

    What is replayed or delivered again is held until the daemon says ``caughtUp``: a record of a
    purchase may be followed by the one that it was finished long ago.
    """

    def __init__(self, states: Sequence[TransactionState]) -> None:
        self._states: Set[str] = set(states)
        self._pending: Dict[str, Transaction] = {}
        self._is_held = True
        #: Handlers failed for these; they wait for the next round.
        self._put_off: Set[str] = set()
        #: Finished lately, the oldest first: what was on its way meanwhile is old news.
        self._done: Dict[str, None] = {}

    def take(self, notification: Notification) -> None:
        """Takes in what the daemon sent."""
        kind = notification.kind
        if notification.method == "opened":
            # Whatever is unfinished comes again before the next caughtUp.
            self._pending.clear()
            self._put_off.clear()
            self._is_held = True
        elif notification.method == "caughtUp":
            self._is_held = False
        elif kind == "storefrontChanged":
            # Another account's transactions are hidden now; this one's come again.
            self._pending.clear()
            self._is_held = True
        elif kind == "transactionsUpdated":
            for transaction in notification.transactions:
                self.put(transaction)
        elif kind == "transactionsRemoved":
            for transaction in notification.transactions:
                self._pending.pop(transaction["id"], None)
                self._put_off.discard(transaction["id"])

    def put(self, transaction: Transaction) -> None:
        """Takes in a snapshot, unless a newer one is here."""
        id = transaction["id"]
        if id in self._done:
            return
        known = self._pending.get(id)
        if known is not None and known.get("revision", 0) > transaction.get("revision", 0):
            return
        wanted = transaction["transactionState"] in self._states
        if wanted and not transaction.get("completing"):
            self._pending[id] = transaction
        else:
            self._pending.pop(id, None)

    def next(self) -> Optional[Transaction]:
        """The next one to hand out, the same until it is settled, done or put off."""
        if self._is_held:
            return None
        for id, transaction in self._pending.items():
            if id not in self._put_off:
                return transaction
        return None

    def done(self, id: str) -> None:
        """It is finished and never comes back."""
        self.settle(id)
        self._done[id] = None
        if len(self._done) > 10_000:
            del self._done[next(iter(self._done))]

    def settle(self, id: str) -> None:
        """Another observer handles it until it comes again."""
        self._pending.pop(id, None)
        self._put_off.discard(id)

    def put_off(self, id: str) -> None:
        """It could not be handled now."""
        self._put_off.add(id)

    def new_round(self, unfinished: Sequence[Transaction]) -> None:
        """Everything that is unfinished now, those put off included, is handed out again."""
        self._put_off.clear()
        self._pending.clear()
        for transaction in unfinished:
            self.put(transaction)


class Delivery:
    """One transaction that waits to be handed over."""

    def __init__(self, deliveries: Deliveries, transaction: Transaction) -> None:
        self._deliveries = deliveries
        self.transaction = transaction

    async def finish(self) -> str:
        """The goods are delivered. Call it after they are, never before."""
        return await self._deliveries._finish(self.transaction["id"])

    def leave(self) -> None:
        """It could not be handled; it comes again with the next round."""
        self._deliveries._inbox.put_off(self.transaction["id"])

    def skip(self) -> None:
        """Another observer handles and finishes it; it comes again with the next connection."""
        self._deliveries._inbox.settle(self.transaction["id"])


class Deliveries:
    """An asynchronous iterator of ``Delivery``, and of notifications if they were asked for.

    Each delivery must be finished, left or skipped before the next is asked for; one that was not
    counts as left. What was left is looked for again every ``retry_every`` seconds.
    """

    def __init__(
        self,
        client: AsyncClient,
        *,
        states: Sequence[TransactionState],
        products: Optional[Sequence[str]],
        retry_every: float,
        notifications: bool,
    ) -> None:
        """Use ``deliveries`` of a client."""
        self._client = client
        self._states = list(states)
        self._wanted_products = set(products) if products is not None else None
        self._retry_every = retry_every
        self._notifications = notifications
        self._inbox = Inbox(states)
        self._subscription = client.subscribe(products=products)
        self._closes = client._closes
        self._reading: Optional[asyncio.Future[Notification]] = None
        self._current: Optional[Delivery] = None
        #: When to look again for what was left; begins to count when a round is through, so that
        #: one that takes long leaves time for what is new.
        self._next_round: Optional[float] = None
        #: Handled, but the daemon could not be told.
        self._unconfirmed: Set[str] = set()

    def __aiter__(self) -> Deliveries:
        return self

    async def __anext__(self) -> Union[Delivery, Notification]:
        if self._current is not None:
            self._current.leave()
            self._current = None
        while True:
            if self._subscription.is_closed:
                # By the client's own end: what is left waits for the next observer.
                raise StopAsyncIteration
            transaction = self._inbox.next()
            if transaction is not None:
                if transaction["id"] in self._unconfirmed:
                    await self._confirm(transaction["id"])
                    continue
                self._current = Delivery(self, transaction)
                return self._current
            notification = await self._read()
            if notification is None:
                await self._look_again()
                continue
            self._inbox.take(notification)
            if self._notifications:
                return notification

    async def close(self) -> None:
        """Ends the observing."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
            self._reading = None
        await self._subscription.close()

    async def _read(self) -> Optional[Notification]:
        """The next notification; none if it is time for another round."""
        if self._reading is None:
            self._reading = asyncio.ensure_future(self._subscription.__anext__())
        now = time.monotonic()
        if self._next_round is None:
            self._next_round = now + self._retry_every
        # Also when there always is something to read.
        if self._next_round <= now:
            return None
        done, _ = await asyncio.wait({self._reading}, timeout=self._next_round - now)
        if not done:
            return None
        reading, self._reading = self._reading, None
        return reading.result()

    async def _look_again(self) -> None:
        self._next_round = None
        unfinished: List[Transaction] = []
        page: Optional[str] = None
        try:
            while True:
                answer = await self._client.transactions(states=self._states, page=page)
                unfinished += [one for one in answer["transactions"] if self._is_wanted(one)]
                page = answer.get("next")
                if page is None:
                    break
        except (ServerError, ConnectionFailure) as error:
            _logger.warning("cannot look for unfinished transactions: %s; trying later", error)
            return
        self._inbox.new_round(unfinished)

    def _is_wanted(self, transaction: Transaction) -> bool:
        product = transaction["payment"]["product"]["productIdentifier"]
        return self._wanted_products is None or product in self._wanted_products

    async def _finish(self, id: str) -> str:
        self._current = None
        self._unconfirmed.add(id)
        try:
            # Telling the daemon now would open what was closed meanwhile; it comes again.
            self._client._expect_no_close_since(self._closes)
            answer = await self._client.finish(id)
        except BaseException:
            self._inbox.put_off(id)
            raise
        self._unconfirmed.discard(id)
        if answer["disposition"] == "ignoredInFlight":
            self._inbox.settle(id)
        else:
            self._inbox.done(id)
        return answer["disposition"]

    async def _confirm(self, id: str) -> None:
        """Only the finish is missing; the handler must not run again for that."""
        try:
            await self._finish(id)
        except (ServerError, ConnectionFailure) as error:
            _logger.warning("cannot finish '%s': %s; trying again later", id, error)


async def observe(
    deliveries: Deliveries,
    handler: Callable[[Transaction], Optional[Awaitable[None]]],
    on_event: Optional[Callable[[Notification], Optional[Awaitable[None]]]],
) -> None:
    """Runs the handlers; see ``observe`` of the clients."""
    try:
        async for item in deliveries:
            if isinstance(item, Notification):
                if on_event is not None:
                    await _run(on_event(item))
                continue
            try:
                await _run(handler(item.transaction))
            except StopObserving:
                raise
            except Exception:
                _logger.exception(
                    "the handler failed for '%s'; it comes again later", item.transaction["id"]
                )
                item.leave()
                continue
            try:
                await item.finish()
            except (ServerError, ConnectionFailure) as error:
                _logger.warning(
                    "cannot finish '%s': %s; trying again later", item.transaction["id"], error
                )
    except StopObserving:
        pass
    finally:
        await deliveries.close()


async def _run(result: Optional[Awaitable[None]]) -> None:
    if inspect.isawaitable(result):
        await result
