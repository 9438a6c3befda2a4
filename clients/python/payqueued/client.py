"""The asyncio client."""

from __future__ import annotations

import asyncio
import itertools
import time
import weakref
from types import TracebackType
from typing import (
    Any, AsyncIterator, Awaitable, Callable, Dict, Mapping, Optional, Sequence, Type, TypeVar,
    Union, cast,
)

from .contract import (
    VERSION, EventKind, SignedHistoryResult, SubscribeAfter, SubscribeAgent, Transaction,
    TransactionState,
)
from .discovery import socket_path
from .errors import CallTimedOut, ClientClosed, ConnectionLost, NotConnected, ServerError
from .files import CursorFile, KeyFile
from .models import Notification
from .observing import Deliveries, observe
from .purchase import buy_once
from .request import Request
from .requests import Methods, hello
from .subscription import Subscription
from .timing import within
from .wire import Reply, Wire

Result = TypeVar("Result")
_Waiting = Dict[int, "asyncio.Future[Reply]"]


class AsyncClient(Methods):
    """A client for one task or many.

    Calls share one connection, which is made at the first call and again after it broke. Calls
    that may be repeated safely are repeated then; the others raise ``ConnectionLost``.
    Subscriptions have connections of their own, so that a slow reader holds nothing up.
    """

    def __init__(
        self, socket: Optional[str] = None, *, name: str = "python", timeout: float = 30
    ) -> None:
        """Makes a client; nothing is sent yet.

        - socket: the daemon's socket; looked for if not given.
        - name: names the connections in the daemon's ``status`` and journal.
        - timeout: seconds to wait for an ordinary answer.
        """
        self.path = socket_path(socket)
        self.name = name
        self.timeout = timeout
        self._ids = itertools.count(1)
        self._wire: Optional[Wire] = None
        self._waiting: _Waiting = {}
        self._reading: Optional[asyncio.Task[None]] = None
        self._connecting: Optional[asyncio.Lock] = None
        self._subscriptions: weakref.WeakSet[Subscription] = weakref.WeakSet()
        #: Counted, for what began before a close must not outlive it, and what begins later may.
        self._closes = 0

    async def __aenter__(self) -> AsyncClient:
        await self._connected(self._closes)
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the connection and all subscriptions.

        Calls under way raise ``ClientClosed``. The next one makes a new connection.
        """
        self._closes += 1
        for subscription in list(self._subscriptions):
            await subscription.close()
        reading, self._reading = self._reading, None
        if reading is not None:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            # The transport closes its socket in the next turn of the loop.
            await asyncio.sleep(0)

    async def call(
        self,
        method: str,
        params: Optional[Mapping[str, Any]] = None,
        *,
        timeout: Optional[float] = None,
    ) -> Any:
        """Calls any method by its name, also one that this library does not know; once only."""
        request = Request[Any](method, dict(params or {}), repeatable=False)
        return await self.send(request, timeout=timeout)

    async def send(
        self, request: Request[Result], *, timeout: Optional[float] = None
    ) -> Result:
        """Carries a request out.

        Raises ``ServerError`` if the daemon said no, ``ConnectionFailure`` if no answer came.
        """
        allowed = (self.timeout if timeout is None else timeout) + request.patience
        deadline = time.monotonic() + allowed
        pause, was_sent, closes = 0.05, False, self._closes
        while True:
            try:
                wire = await self._connected(closes)
                was_sent = True
                return cast(Result, await self._exchange(wire, request, deadline))
            except (ConnectionLost, NotConnected) as failure:
                self._expect_no_close_since(closes)
                # A daemon that was never there is reported at once; one that goes away in the
                # middle of a call is probably being restarted.
                is_over = time.monotonic() + pause > deadline
                if not was_sent or not request.repeatable or is_over:
                    raise failure
            await asyncio.sleep(pause)
            self._expect_no_close_since(closes)
            pause = min(2, pause * 2)

    def subscribe(
        self,
        *,
        after: Union[int, SubscribeAfter, None] = None,
        epoch: Optional[str] = None,
        kinds: Optional[Sequence[EventKind]] = None,
        products: Optional[Sequence[str]] = None,
        passive: bool = False,
        agent: Optional[Sequence[SubscribeAgent]] = None,
        name: Optional[str] = None,
        heartbeat: Optional[float] = None,
        cursor: Optional[CursorFile] = None,
    ) -> Subscription:
        """The daemon's notifications as an asynchronous iterator that survives restarts.

        Begins after ``after``, else at the stored ``cursor``, else with what is unfinished.
        """
        subscription = Subscription(
            self.path, self.name, after=after, epoch=epoch, kinds=kinds, products=products,
            passive=passive, agent=agent, name=name, heartbeat=heartbeat, cursor=cursor,
            timeout=self.timeout,
        )
        self._subscriptions.add(subscription)
        return subscription

    def deliveries(
        self,
        *,
        states: Sequence[TransactionState] = ("purchased", "restored", "failed"),
        products: Optional[Sequence[str]] = None,
        retry_every: float = 180,
        notifications: bool = False,
    ) -> Deliveries:
        """What waits to be handed over to the buyer, one by one; see ``Deliveries``."""
        return Deliveries(
            self, states=states, products=products, retry_every=retry_every,
            notifications=notifications,
        )

    async def observe(
        self,
        handler: Callable[[Transaction], Optional[Awaitable[None]]],
        *,
        on_event: Optional[Callable[[Notification], Optional[Awaitable[None]]]] = None,
        states: Sequence[TransactionState] = ("purchased", "restored", "failed"),
        products: Optional[Sequence[str]] = None,
        retry_every: float = 180,
    ) -> None:
        """Hands every settled transaction to the handler and finishes it after that returned.

        Runs until it is cancelled or a handler raises ``StopObserving``. If the handler raises
        anything else the transaction stays unfinished and is handed out again later; so a handler
        must not mind to see one twice. While one is handled no other is read.
        """
        await observe(
            self.deliveries(
                states=states, products=products, retry_every=retry_every,
                notifications=on_event is not None,
            ),
            handler,
            on_event,
        )

    async def history_pages(self, *, limit: Optional[int] = None) -> AsyncIterator[SignedHistoryResult]:
        """The signed history page by page, the newest payment first.

        What is paid for meanwhile moves no page: each payment that was there at the first page
        comes once.
        """
        page: Optional[str] = None
        while True:
            answer = await self.signed_history(limit=limit, page=page)
            yield answer
            page = answer.get("next")
            if page is None:
                return

    async def buy_once(
        self,
        keys: KeyFile,
        intent: str,
        product: str,
        *,
        app_account_token: Optional[str] = None,
        timeout: float = 60,
    ) -> Transaction:
        """Buys a product once per intent, whatever crashes in between; see ``buy_once``."""
        return await buy_once(
            self, keys, intent, product, app_account_token=app_account_token, timeout=timeout
        )

    def _expect_no_close_since(self, closes: int) -> None:
        if self._closes != closes:
            raise ClientClosed

    async def _connected(self, closes: int) -> Wire:
        if self._connecting is None:
            # Not made earlier: on Python 3.9 a lock belongs to the loop that runs when it is made.
            self._connecting = asyncio.Lock()
        async with self._connecting:
            self._expect_no_close_since(closes)
            if self._wire is None:
                wire = await Wire.open(self.path)
                if self._closes != closes:
                    wire.close()
                    raise ClientClosed
                self._waiting = {}
                self._wire = wire
                self._reading = asyncio.ensure_future(self._read(wire, self._waiting))
                wire.post("hello", hello({"name": self.name, "version": VERSION}).params)
            return self._wire

    async def _exchange(
        self, wire: Wire, request: Request[Result], deadline: float
    ) -> Any:
        id = next(self._ids)
        waiting = self._waiting
        answer: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        waiting[id] = answer
        try:
            left = max(0, deadline - time.monotonic())
            reply = await within(left, self._answered(wire, request, id, answer))
        except (asyncio.TimeoutError, asyncio.CancelledError) as end:
            if request.patience and wire is self._wire:
                # A caller that gave up waits no longer, also not for a daemon that reads nothing.
                wire.post("cancel", {"id": id})
            if isinstance(end, asyncio.CancelledError):
                raise
            raise CallTimedOut(f"no answer to '{request.method}' came in time") from None
        finally:
            waiting.pop(id, None)
            if answer.done() and not answer.cancelled():
                # Looked at, also if the writing failed before: asyncio complains otherwise.
                answer.exception()
        return reply.value(request.method)

    async def _answered(
        self, wire: Wire, request: Request[Any], id: int, answer: asyncio.Future[Reply]
    ) -> Reply:
        await wire.send(request.method, request.params, id)
        return await answer

    async def _read(self, wire: Wire, waiting: _Waiting) -> None:
        """Hands out the answers until the connection ends, then fails the calls that still wait."""
        failure: Exception = wire.lost()
        try:
            while True:
                message = await wire.receive()
                if isinstance(message, Notification):
                    continue
                if message.id is None and message.error is not None:
                    failure = ServerError("the connection", message.error)
                    return
                found = waiting.get(message.id)
                if found is not None and not found.done():
                    found.set_result(message)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            failure = error
        finally:
            if self._wire is wire:
                self._wire = None
            wire.close()
            for answer in waiting.values():
                if not answer.done():
                    answer.set_exception(failure)
