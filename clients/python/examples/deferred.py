"""Asks to buy, waits while another person has to approve, and delivers after that:
deferred.py PRODUCT [--approve].

Plays: "deferred: update your UI to reflect the deferred status, and wait for StoreKit to call the
method again." With --approve it also plays the parent, against the sandbox.
"""

from __future__ import annotations

import sys

from _goods import Goods, describe
from _program import run, usage
from _state import kept
from payqueued import Client, StopObserving, KeyFile, Notification, StillWaiting, Transaction


def main() -> int:
    if len(sys.argv) < 2:
        usage("deferred.py PRODUCT [--approve]")
    product = sys.argv[1]
    goods = Goods()
    keys = KeyFile(kept("KEYS", "keys.json"))
    is_unlocked = False

    with Client(name="deferred") as queue:
        try:
            queue.buy_once(keys, f"deferred-{product}", product, timeout=2)
        except StillWaiting as waiting:
            if waiting.waiting_for != "approval":
                print("it waits for", waiting.waiting_for)
                return 4
            print("deferred: waits for an approval; the program may end and come back", flush=True)
            if "--approve" in sys.argv:
                queue.decide(waiting.transaction, "approve")

        def handle(transaction: Transaction) -> None:
            nonlocal is_unlocked
            is_unlocked = goods.settle(transaction)
            print(describe(transaction), flush=True)

        def show(notification: Notification) -> None:
            goods.hear(notification)
            if notification.kind == "transactionsRemoved":
                raise StopObserving

        queue.observe(handle, on_event=show, products=[product])
    return 0 if is_unlocked else 1


if __name__ == "__main__":
    run(main)
