"""Answers the question whether a purchase goes on in another country: gate.py HIGHEST [--once].

Goes on up to the amount HIGHEST and stops above it.

Plays: "A queued purchase that would now run in a different storefront is gated by the delegate so
you can confirm or cancel it."
"""

from __future__ import annotations

import asyncio
import sys
from decimal import Decimal
from typing import Any, Dict

from payqueued import AsyncClient, QuestionClosed, ServerError


async def decide(queue: AsyncClient, highest: Decimal, question: Dict[str, Any]) -> None:
    """Answers one question by the price that is asked now."""
    product = question.get("product")
    if product is None and "transaction" in question:
        page = await queue.transactions(ids=[question["transaction"]])
        product = page["transactions"][0]["payment"]["product"]
    amount = Decimal(str((product or {}).get("price", {}).get("amount", "Infinity")))
    try:
        await queue.answer(question["question"], amount <= highest)
        print(question["type"], amount, "yes" if amount <= highest else "no", flush=True)
    except QuestionClosed:
        print(question["type"], "was answered by somebody else", flush=True)


async def main() -> None:
    highest = Decimal(sys.argv[1])
    async with AsyncClient(name="gate") as queue:
        await queue.delegate(mode="ask", timeout=60, fallback=False)
        # Subscribed before the list is asked for, so that none is missed in between.
        opened = queue.subscribe(kinds=["questionOpened"], after="now")
        await opened.open()
        waiting = (await queue.questions())["questions"]
        print("ready", flush=True)
        for question in waiting:
            await decide(queue, highest, question)
        async for notification in opened:
            if notification.kind != "questionOpened":
                continue
            if notification.params.get("type") != "shouldContinue":
                continue
            try:
                await decide(queue, highest, notification.params)
            except ServerError as error:
                print(error, file=sys.stderr)
            if "--once" in sys.argv:
                return


if __name__ == "__main__":
    asyncio.run(main())
