"""Answers the question whether a purchase continues in another country: gate.py HIGHEST [--once].

Continues up to the amount HIGHEST and stops above it.

Plays: "A queued purchase that would now run in a different storefront is gated by the delegate so
you can confirm or cancel it."
"""

from __future__ import annotations

import asyncio
import re
import signal
import sys
from decimal import Decimal
from typing import Union, cast

from _program import run, usage
from payqueued import AsyncClient, Question, QuestionClosed, ServerError
from payqueued.contract import DelegateMode, EventNotice


async def decide(
    queue: AsyncClient, highest: Decimal, question: Union[Question, EventNotice]
) -> None:
    """Answers one question by the price that is asked now."""
    product = question.get("product")
    if product is None and "transaction" in question:
        page = await queue.transactions(ids=[question["transaction"]])
        product = page["transactions"][0]["payment"]["product"]
    amount = Decimal(product["price"]["amount"] if product else "Infinity")
    try:
        await queue.answer(question["question"], amount <= highest)
        print(question["type"], amount, "yes" if amount <= highest else "no", flush=True)
    except QuestionClosed:
        print(question["type"], "was answered by another client", flush=True)


async def answer_all(queue: AsyncClient, highest: Decimal) -> None:
    """Answers what is open and what comes; with --once only until the first that came."""
    # Subscribed before the list is asked for, so that none is missed in between.
    opened = queue.subscribe(kinds=["questionOpened"], after="now")
    await opened.open()
    waiting = (await queue.questions())["questions"]
    print("ready", flush=True)
    for question in waiting:
        await decide(queue, highest, question)
    async for notification in opened:
        event = notification.event
        if event is None or event["kind"] != "questionOpened":
            continue
        if event["type"] != "shouldContinue":
            continue
        try:
            await decide(queue, highest, event)
        except ServerError as error:
            print(error, file=sys.stderr)
        if "--once" in sys.argv:
            return


async def gate(highest: Decimal) -> None:
    async with AsyncClient(name="gate") as queue:
        # The policy is one for the whole queue and outlives this program: without anybody to answer
        # each question would wait for its time to run out. So it is put back at the end, as far as
        # there is one: a gate that was killed leaves "ask" behind, and so does the last of several.
        found = await queue.delegate()
        try:
            await queue.delegate(mode="ask", timeout=60, fallback=False)
            await answer_all(queue, highest)
        finally:
            await queue.delegate(
                mode=cast(DelegateMode, found["mode"]), timeout=found["timeout"], fallback=found["fallback"]
            )


async def gate_until_told() -> None:
    """Ends quietly at Ctrl-C and SIGTERM, after what is left to do."""
    working = asyncio.ensure_future(gate(Decimal(sys.argv[1])))
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, working.cancel)
    try:
        await working
    except asyncio.CancelledError:
        pass


def main() -> int:
    if len(sys.argv) < 2 or not re.fullmatch(r"[0-9]+(\.[0-9]+)?", sys.argv[1]):
        usage("gate.py HIGHEST [--once], where HIGHEST is an amount such as 5.00")
    asyncio.run(gate_until_told())
    return 0


if __name__ == "__main__":
    run(main)
