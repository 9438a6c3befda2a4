"""The daemon through web3's IPC provider, unchanged."""

from __future__ import annotations

import os
from typing import Any, Dict, List

from web3.providers.ipc import IPCProvider

import scenario
from scenario import check


def main() -> None:
    provider = IPCProvider(os.environ["PAYQUEUED_SOCKET"], timeout=60)

    def ask(method: str, params: Any) -> Dict[str, Any]:
        return dict(provider.make_request(method, params))  # type: ignore[arg-type]

    for method, params, member in scenario.CALLS:
        reply = ask(method, params)
        check("result" in reply and member in reply["result"], f"{method} answered {reply}")
    print("calls", len(scenario.CALLS))

    ask("add", {"product": "coins.100", "key": "errors"})
    for method, params, code in scenario.REFUSALS:
        reply = ask(method, params)
        check(reply.get("error", {}).get("code") == code, f"{method} {params} answered {reply}")
        check(reply["error"]["data"]["effect"] == "none", f"{method} says that it had an effect")
    print("errors", len({code for _, _, code in scenario.REFUSALS}))

    batch = [("ping", [f"p{number}"]) for number in range(scenario.BATCH)]
    replies = provider.make_batch_request(batch)  # type: ignore[arg-type]
    pongs = [reply["result"]["pong"] for reply in replies]  # type: ignore[index]
    check(pongs == [params[0] for _, params in batch], "a batch answers in its order")
    print("batch", len(pongs))

    seen = take_events(ask)
    check(len(seen) >= scenario.EVENTS, f"only {len(seen)} events came")
    check(seen == sorted(set(seen)), "events come in order and once")
    print("events", len(seen))

    method, params, code = scenario.DRAINING
    ask("drain", {"on": True})
    check(ask(method, params)["error"]["code"] == code, "a draining daemon takes no new work")
    ask("drain", {"on": False})
    print("done")


def take_events(ask: Any) -> List[int]:
    """This library has no notifications for strangers: it asks for the events."""
    place: Any = ask("hello", {})["result"]["head"]
    seen: List[int] = []
    while len(seen) < scenario.EVENTS:
        # Waiting for an observer and withdrawn again: two records each.
        for _ in range(50):
            added = ask("add", {"product": "coins.100"})["result"]
            ask("finish", {"transaction": added["transaction"]})
        while True:
            page = ask("events", {"after": place, "limit": 100})["result"]
            seen += [event["seq"] for event in page["events"]]
            place = page["next"]
            if place >= page["head"]:
                break
    return seen


if __name__ == "__main__":
    main()
