"""The daemon through aiorpcX, unchanged: calls, batches and notifications."""

from __future__ import annotations

import asyncio
import os
from typing import Any, Dict, List

import aiorpcx
from aiorpcx import JSONRPCConnection, JSONRPCv2, NewlineFramer, RPCError, RPCSession

import scenario
from scenario import check


class Session(RPCSession):
    """Takes what the daemon sends without being asked."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.events: List[Dict[str, Any]] = []
        self.caught_up = asyncio.Event()
        self.enough = asyncio.Event()
        self.sent_request_timeout = 60

    def default_framer(self) -> Any:
        return NewlineFramer(max_size=8 << 20)

    async def handle_request(self, request: Any) -> None:
        if request.method == "caughtUp":
            self.caught_up.set()
        elif request.method == "event":
            self.events.append(request.args)
            if len(self.events) >= scenario.EVENTS:
                self.enough.set()


def factory(transport: Any) -> Session:
    return Session(transport, connection=JSONRPCConnection(JSONRPCv2))


async def main() -> None:
    path = os.environ["PAYQUEUED_SOCKET"]
    async with aiorpcx.connect_us(path, session_factory=factory) as session:
        for method, params, member in scenario.CALLS:
            result = await session.send_request(method, params)
            check(member in result, f"{method} answered {result}")
        print("calls", len(scenario.CALLS))

        await session.send_request("add", {"product": "coins.100", "key": "errors"})
        for method, params, code in scenario.REFUSALS:
            try:
                result = await session.send_request(method, params)
                check(False, f"{method} {params} answered {result}")
            except RPCError as error:
                # This library drops the data of an error: the code has to be enough.
                check(error.code == code, f"{method} {params} ended in {error}")
        print("errors", len({code for _, _, code in scenario.REFUSALS}))

        async with session.send_batch(raise_errors=True) as batch:
            for number in range(scenario.BATCH):
                batch.add_request("ping", {"payload": f"p{number}"})
        pongs = [result["pong"] for result in batch.results]
        check(pongs == [f"p{n}" for n in range(scenario.BATCH)], "a batch answers in its order")
        print("batch", len(pongs))
        async with session.send_batch(raise_errors=True) as batch:
            batch.add_notification("ping", {"payload": "nobody hears of it"})
            batch.add_request("ping", {"payload": "answered"})
        check(len(batch.results) == 1, "a notification in a batch is not answered")

        await take_events(session)
        print("events", len(session.events))

        method, params, code = scenario.DRAINING
        await session.send_request("drain", {"on": True})
        try:
            await session.send_request(method, params)
            check(False, "a draining daemon takes no new work")
        except RPCError as error:
            check(error.code == code, f"draining ended in {error}")
        await session.send_request("drain", {"on": False})
    print("done")


async def take_events(session: Session) -> None:
    await session.send_request("subscribe", {"after": "now", "passive": True})
    await asyncio.wait_for(session.caught_up.wait(), 60)
    while len(session.events) < scenario.EVENTS:
        before = len(session.events)
        for _ in range(50):
            added = await session.send_request("add", {"product": "coins.100"})
            await session.send_request("finish", {"transaction": added["transaction"]})
        # Waiting for an observer and withdrawn again: two events each, sooner or later.
        while len(session.events) < min(scenario.EVENTS, before + 100):
            await asyncio.sleep(0.01)
    await asyncio.wait_for(session.enough.wait(), 60)
    places = [event["seq"] for event in session.events]
    check(places == sorted(set(places)), "events come in order and once")
    for earlier, later in zip(session.events, session.events[1:]):
        check(later["prev"] == earlier["seq"], "each event names the one before it")


if __name__ == "__main__":
    asyncio.run(main())
