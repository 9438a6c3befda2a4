"""The client for programs without asyncio."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import logging
import weakref
from types import TracebackType
from typing import (
    Any, Callable, Coroutine, Iterator, Mapping, Optional, Sequence, Type, TypeVar, Union,
)

from .background import Background
from .client import AsyncClient
from .contract import (
    EventKind, SignedHistoryResult, SubscribeAfter, SubscribeAgent, Transaction, TransactionState,
)
from .errors import ClientClosed, ConnectionFailure, ServerError
from .files import CursorFile, KeyFile
from .models import Notification
from .observing import Delivery, StopObserving
from .request import Request
from .requests import Methods
from .subscription import Subscription

Result = TypeVar("Result")
_logger = logging.getLogger("payqueued")


class Client(Methods):
    """A client whose methods block.

    It is an ``AsyncClient`` on a thread of its own; everything said there holds. Several threads
    may use one. Handlers and iterators run in the thread that called. One that is dropped without
    being closed ends by itself, at the latest with the program.
    """

    def __init__(
        self, socket: Optional[str] = None, *, name: str = "python", timeout: float = 30
    ) -> None:
        """Makes a client; nothing is sent yet. The parameters are those of ``AsyncClient``."""
        self._background = Background()
        # Without this one, which is not to be kept alive by it.
        self._dropped = weakref.finalize(self, self._background.end)
        self._dropped.atexit = False
        self._client = self._run(_made(socket, name, timeout))
        self._background.last = self._client.close
        self.path = self._client.path

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection and the thread; the client cannot be used any more.

        Calls of other threads raise ``ClientClosed``; their iterators and observers end.
        """
        self._background.end()
        self._background.join()

    def call(
        self,
        method: str,
        params: Optional[Mapping[str, Any]] = None,
        *,
        timeout: Optional[float] = None,
    ) -> Any:
        """Calls any method by its name, also one that this library does not know; once only."""
        return self._run(self._client.call(method, params, timeout=timeout))

    def send(
        self, request: Request[Result], *, timeout: Optional[float] = None
    ) -> Result:
        """Carries a request out."""
        return self._run(self._client.send(request, timeout=timeout))

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
    ) -> Notifications:
        """The daemon's notifications as an iterator that survives restarts.

        It is subscribed when this returns. Close the iterator, or drop it, to end it.
        """
        subscription = self._client.subscribe(
            after=after, epoch=epoch, kinds=kinds, products=products, passive=passive,
            agent=agent, name=name, heartbeat=heartbeat, cursor=cursor,
        )
        notifications = Notifications(self, subscription)
        self._run(subscription.open())
        return notifications

    def observe(
        self,
        handler: Callable[[Transaction], None],
        *,
        on_event: Optional[Callable[[Notification], None]] = None,
        states: Sequence[TransactionState] = ("purchased", "restored", "failed"),
        products: Optional[Sequence[str]] = None,
        retry_every: float = 180,
    ) -> None:
        """Hands every settled transaction to the handler and finishes it after that returned.

        Runs until a handler raises ``StopObserving`` or the client is closed; see
        ``AsyncClient.observe``.
        """
        deliveries = self._client.deliveries(
            states=states, products=products, retry_every=retry_every,
            notifications=on_event is not None,
        )
        try:
            while True:
                item = self._run(deliveries.__anext__())
                if isinstance(item, Delivery):
                    self._deliver(item, handler)
                elif on_event is not None:
                    on_event(item)
        except (StopObserving, StopAsyncIteration, ClientClosed):
            pass
        finally:
            with contextlib.suppress(ClientClosed):
                self._run(deliveries.close())

    def history_pages(self, *, limit: Optional[int] = None) -> Iterator[SignedHistoryResult]:
        """The signed history page by page; see ``AsyncClient.history_pages``."""
        page: Optional[str] = None
        while True:
            answer = self.signed_history(limit=limit, page=page)
            yield answer
            page = answer.get("next")
            if page is None:
                return

    def buy_once(
        self,
        keys: KeyFile,
        intent: str,
        product: str,
        *,
        app_account_token: Optional[str] = None,
        timeout: float = 60,
    ) -> Transaction:
        """Buys a product once per intent; see ``AsyncClient.buy_once``."""
        return self._run(
            self._client.buy_once(
                keys, intent, product, app_account_token=app_account_token, timeout=timeout
            )
        )

    def _deliver(self, delivery: Delivery, handler: Callable[[Transaction], None]) -> None:
        id = delivery.transaction["id"]
        try:
            handler(delivery.transaction)
        except StopObserving:
            raise
        except Exception:
            _logger.exception("the handler failed for '%s'; it comes again later", id)
            delivery.leave()
            return
        try:
            self._run(delivery.finish())
        except (ServerError, ConnectionFailure) as error:
            _logger.warning("cannot finish '%s': %s; trying again later", id, error)

    def _run(self, work: Coroutine[Any, Any, Result]) -> Result:
        future = self._background.start(work)
        if future is None:
            raise ClientClosed
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise ClientClosed from None
        except BaseException:
            # Ctrl-C here must not leave the call waiting over there.
            future.cancel()
            raise


class Notifications(Iterator[Notification]):
    """An iterator of the daemon's notifications that blocks; see ``subscribe`` of the client."""

    def __init__(self, client: Client, subscription: Subscription) -> None:
        """Use ``subscribe`` of a client."""
        self._client = client
        self._subscription = subscription

    def __next__(self) -> Notification:
        try:
            return self._client._run(self._subscription.__anext__())
        except (StopAsyncIteration, ClientClosed):
            raise StopIteration from None
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Ends the subscription; the iterator ends."""
        with contextlib.suppress(ClientClosed):
            self._client._run(self._subscription.close())

    def __del__(self) -> None:
        # Wherever it was dropped, also on the thread that would have to close it: no one waits.
        self._client._background.start(self._subscription.close())


async def _made(socket: Optional[str], name: str, timeout: float) -> AsyncClient:
    return AsyncClient(socket, name=name, timeout=timeout)
