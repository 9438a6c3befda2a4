"""A program whose only job is to deliver what is bought."""

from __future__ import annotations

import asyncio
import signal
from typing import Awaitable, Callable, Optional, Sequence

from .client import AsyncClient
from .contract import Transaction
from .models import Notification


def work(
    handler: Callable[[Transaction], Optional[Awaitable[None]]],
    *,
    socket: Optional[str] = None,
    name: str = "worker",
    on_event: Optional[Callable[[Notification], Optional[Awaitable[None]]]] = None,
    products: Optional[Sequence[str]] = None,
    retry_every: float = 180,
) -> None:
    """Runs ``AsyncClient.observe`` until Ctrl-C or SIGTERM, and returns then.

    A handler that is a plain function is run to its end first. One that is a coroutine is cancelled;
    its transaction stays unfinished and is handed out again to the next worker. Call it from the main
    thread.
    """
    asyncio.run(_work(handler, socket, name, on_event, products, retry_every))


async def _work(
    handler: Callable[[Transaction], Optional[Awaitable[None]]],
    socket: Optional[str],
    name: str,
    on_event: Optional[Callable[[Notification], Optional[Awaitable[None]]]],
    products: Optional[Sequence[str]],
    retry_every: float,
) -> None:
    async def observe() -> None:
        async with AsyncClient(socket, name=name) as queue:
            await queue.observe(
                handler, on_event=on_event, products=products, retry_every=retry_every
            )

    working = asyncio.ensure_future(observe())
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, working.cancel)
    try:
        await working
    except asyncio.CancelledError:
        pass
