"""Waiting with a deadline."""

from __future__ import annotations

import asyncio
from typing import Awaitable, TypeVar

Result = TypeVar("Result")


async def within(seconds: float, work: Awaitable[Result]) -> Result:
    """What the work comes to; it is cancelled when this is, or when the time is over.

    Raises ``asyncio.TimeoutError`` then. Unlike ``asyncio.wait_for`` before Python 3.12 it never
    swallows a cancellation that comes in the very turn in which the work is done: a caller that waited
    for the cancelled task to end would wait forever.
    """
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        task.cancel()
        raise
    if not task.done():
        task.cancel()
        raise asyncio.TimeoutError
    return task.result()
