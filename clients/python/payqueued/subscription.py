"""Notifications that survive restarts of the daemon."""

from __future__ import annotations

import asyncio
from typing import Any, Dict, List, Optional, Sequence, Union

from .contract import VERSION, EventKind, SubscribeAfter, SubscribeAgent
from .errors import (
    CallTimedOut, ConnectionFailure, ConnectionLost, NotConnected, PaymentQueueError, ServerError,
)
from .files import CursorFile
from .models import Notification
from .requests import hello
from .timing import within
from .wire import Reply, Wire

_CURSOR_UNUSABLE = (1301, 1302, 1303)
_SUBSCRIBE_ID = 1


class Subscription:
    """An asynchronous iterator of the daemon's notifications, on a connection of its own.

    It is read as fast as it is taken: the daemon keeps the rest in its log. When the connection
    breaks it connects again, also when the daemon asks it to come later, and continues after the last
    notification that was taken; when that place is no longer in the log it takes everything that
    is unfinished and says so by a notification ``gap`` of its own, with the daemon's error under
    ``error``. ``opened`` marks each new beginning. Cursors are stored when the next notification
    is asked for, so one that was not fully handled comes again.
    """

    #: How long to wait before connecting again, at most; seconds.
    longest_pause = 5.0

    def __init__(
        self,
        path: str,
        client_name: str,
        *,
        after: Union[int, SubscribeAfter, None],
        epoch: Optional[str],
        kinds: Optional[Sequence[EventKind]],
        products: Optional[Sequence[str]],
        passive: bool,
        agent: Optional[Sequence[SubscribeAgent]],
        name: Optional[str],
        heartbeat: Optional[float],
        cursor: Optional[CursorFile],
        timeout: float,
    ) -> None:
        """Use ``subscribe`` of a client."""
        self._path = path
        self._client_name = client_name
        self._wanted: Dict[str, Any] = {
            member: value
            for member, value in {
                "kinds": list(kinds) if kinds is not None else None,
                "products": list(products) if products is not None else None,
                "passive": passive or None,
                "agent": list(agent) if agent is not None else None,
                "name": name,
                "heartbeat": heartbeat,
            }.items()
            if value is not None
        }
        self._timeout = timeout
        self._cursor = cursor
        self._after: Union[int, SubscribeAfter, None] = after
        self._epoch = epoch
        if cursor is not None and after is None:
            self._epoch, self._after = cursor.load()
        #: Also while it is being subscribed; ``_is_open`` then tells.
        self._wire: Optional[Wire] = None
        self._is_open = False
        self._resting: Optional[asyncio.Future[None]] = None
        self._taken: Optional[Notification] = None
        #: What was read before it may be given out; the notices of this library.
        self._ready: List[Notification] = []
        self._has_opened = False
        self._is_closed = False

    @property
    def position(self) -> Union[int, SubscribeAfter, None]:
        """The place behind the last notification that was handled."""
        return self._after

    @property
    def epoch(self) -> Optional[str]:
        """Which log the position is of."""
        return self._epoch

    async def open(self) -> None:
        """Subscribes now instead of at the first notification; raises what goes wrong."""
        if not self._is_open and not self._is_closed:
            await self._subscribe()

    @property
    def is_closed(self) -> bool:
        """Whether it was closed, so that nothing more comes."""
        return self._is_closed

    def __aiter__(self) -> Subscription:
        return self

    async def __anext__(self) -> Notification:
        self._commit()
        pause = 0.05
        while True:
            if self._is_closed:
                raise StopAsyncIteration
            if self._ready:
                return self._ready.pop(0)
            try:
                if self._wire is None or not self._is_open:
                    await self._subscribe()
                    continue
                message = await self._wire.receive()
            except (ConnectionFailure, ServerError) as failure:
                self._drop()
                if self._is_closed:
                    continue
                if not self._is_passing(failure):
                    raise
                asked = failure.retry_after if isinstance(failure, ServerError) else None
                await self._rest(max(pause, asked or 0))
                pause = min(self.longest_pause, pause * 2)
                continue
            if isinstance(message, Reply):
                continue
            if message.method == "ended":
                # The place was overtaken by trimming, or a role was withdrawn: begin anew, or
                # learn the reason from the refusal.
                self._drop()
            self._taken = message
            return message

    async def close(self) -> None:
        """Ends the subscription; the iterator ends.

        The last notification counts as handled only if another one was asked for after it: the
        program may be closing because the handling failed.
        """
        self._is_closed = True
        self._drop()
        if self._resting is not None and not self._resting.done():
            self._resting.set_result(None)
        # The transport closes its socket in the next turn of the loop.
        await asyncio.sleep(0)

    def _is_passing(self, failure: PaymentQueueError) -> bool:
        """Whether another try may go well. What fails before the first beginning is raised."""
        if isinstance(failure, ServerError):
            # For example too many connections: they were fewer before and will be again.
            return self._has_opened and failure.retry == "later"
        if isinstance(failure, (NotConnected, CallTimedOut)):
            return self._has_opened
        return isinstance(failure, ConnectionLost)

    def _commit(self) -> None:
        """The last notification is handled: a later connection continues after it."""
        taken, self._taken = self._taken, None
        if taken is None or taken.seq is None:
            return
        if taken.method in ("event", "caughtUp", "heartbeat"):
            self._after = taken.seq
            if self._cursor is not None and self._epoch is not None:
                self._cursor.store(self._epoch, taken.seq)

    async def _rest(self, seconds: float) -> None:
        """Waits, but not longer than until it is closed."""
        self._resting = asyncio.get_running_loop().create_future()
        await asyncio.wait({self._resting}, timeout=seconds)

    def _drop(self) -> None:
        self._is_open = False
        wire, self._wire = self._wire, None
        if wire is not None:
            wire.close()

    async def _subscribe(self) -> None:
        wire = await Wire.open(self._path)
        if self._is_closed:
            wire.close()
            raise wire.lost()
        # Known from here on to a close in the meantime.
        self._wire = wire
        try:
            await within(self._timeout, self._begin(wire))
        except asyncio.TimeoutError:
            self._drop()
            raise CallTimedOut("no answer to 'subscribe' came in time") from None
        except BaseException:
            self._drop()
            raise

    async def _begin(self, wire: Wire) -> None:
        await wire.send("hello", hello({"name": self._client_name, "version": VERSION}).params)
        try:
            reply = await self._ask(wire, self._place())
        except ServerError as error:
            if error.code not in _CURSOR_UNUSABLE or not self._has_place():
                raise
            reply = await self._ask(wire, {})
            # The old place is of another log; in this one it would skip what was never seen.
            self._after = self._epoch = None
            self._ready.append(
                Notification("gap", {"reason": error.kind, "error": dict(error.data)})
            )
        if self._is_closed:
            # The answer came in the turn in which it was closed.
            raise wire.lost()
        self._epoch = reply.get("epoch", self._epoch)
        self._ready.insert(0, Notification("opened", reply))
        self._has_opened = self._is_open = True

    def _has_place(self) -> bool:
        return self._after is not None and (self._has_opened or self._cursor is not None)

    def _place(self) -> Dict[str, Any]:
        if self._after is None:
            return {}
        place: Dict[str, Any] = {"after": self._after}
        if self._epoch is not None and isinstance(self._after, int):
            place["epoch"] = self._epoch
        return place

    async def _ask(self, wire: Wire, place: Dict[str, Any]) -> Dict[str, Any]:
        await wire.send("subscribe", {**self._wanted, **place}, _SUBSCRIBE_ID)
        while True:
            message = await wire.receive()
            # An error without an id is about the connection as a whole.
            if isinstance(message, Reply):
                value = message.value("subscribe")
                return value if isinstance(value, dict) else {}
