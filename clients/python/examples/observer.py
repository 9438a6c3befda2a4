"""An observer that unlocks what was bought and finishes it. Runs until Ctrl-C.

Plays: "Register your observer as early as possible so the queue can immediately process any
transactions (including unfinished ones carried over from a previous launch)" and "Treat every
transaction your observer delivers the same way: act on its state and finish it."
"""

from __future__ import annotations

from _goods import Goods, describe
from _program import run
from payqueued import Notification, Transaction, work

goods = Goods()


async def handle(transaction: Transaction) -> None:
    """Called for each settled transaction; it is finished after this returned."""
    print("unlocked" if goods.settle(transaction) else "locked", describe(transaction), flush=True)


def show(notification: Notification) -> None:
    """Called for everything that happens: what an application shows meanwhile."""
    goods.hear(notification)
    if notification.kind == "transactionsUpdated":
        for transaction in notification.transactions:
            print("updated", describe(transaction), flush=True)
    elif notification.kind == "transactionsRemoved":
        for transaction in notification.transactions:
            print("removed", describe(transaction), flush=True)
    elif notification.kind == "storefrontChanged":
        change = notification.params
        if change.get("cause") == "sessionEnded":
            print("the store ended the session of", change["account"], "- log in again", flush=True)
        else:
            print("storefront", change.get("to"), flush=True)
    elif notification.method == "caughtUp":
        print("ready", flush=True)


def main() -> int:
    work(handle, on_event=show, name="observer")
    return 0


if __name__ == "__main__":
    run(main)
