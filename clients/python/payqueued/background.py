"""A loop of asyncio on a thread of its own."""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import threading
from typing import Any, Awaitable, Callable, Coroutine, Optional, Set, TypeVar

Result = TypeVar("Result")


class Background:
    """Runs coroutines for the blocking client until it is ended."""

    def __init__(self) -> None:
        """Starts the thread."""
        #: What to do before the end.
        self.last: Optional[Callable[[], Awaitable[None]]] = None
        self._loop = asyncio.new_event_loop()
        #: Guards the one below: nothing may be started on a loop that is about to end. May be
        #: taken again, for what is dropped while it is held ends or starts something, too.
        self._lock = threading.RLock()
        self._is_ending = False
        self._thread = threading.Thread(target=self._work, name="payqueued", daemon=True)
        self._thread.start()
        _running.add(self)

    def start(
        self, work: Coroutine[Any, Any, Result]
    ) -> Optional[concurrent.futures.Future[Result]]:
        """Starts a coroutine; nothing if the end has begun."""
        with self._lock:
            if not self._is_ending:
                return asyncio.run_coroutine_threadsafe(work, self._loop)
        work.close()
        return None

    def end(self) -> None:
        """Begins the end and does not wait; a second call changes nothing."""
        with self._lock:
            if self._is_ending:
                return
            self._is_ending = True
            # After a fork only the parent has the thread, and both would write to its loop.
            if self._thread.is_alive():
                asyncio.run_coroutine_threadsafe(self._finish(), self._loop)

    def join(self) -> None:
        """Waits for the end."""
        self._thread.join()
        _running.discard(self)

    async def _finish(self) -> None:
        try:
            if self.last is not None:
                await self.last()
        finally:
            self._loop.stop()

    def _work(self) -> None:
        try:
            self._loop.run_forever()
            self._loop.run_until_complete(_others_ended())
        finally:
            self._loop.close()
            _running.discard(self)


async def _others_ended() -> None:
    """Waits for what is left on this loop, and cancels what does not end by itself."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        await asyncio.wait(others, timeout=0.1)
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


#: Those whose thread runs.
_running: Set[Background] = set()


@atexit.register
def _end_all() -> None:
    """These were not closed: what is under way on them would be complained about."""
    for background in list(_running):
        background.end()
        background.join()
