"""An observer without asyncio: unlocks what was bought and finishes it, until Ctrl-C."""

from __future__ import annotations

from _goods import Goods, describe
from _program import run
from payqueued import Client, Notification, Transaction

goods = Goods()


def handle(transaction: Transaction) -> None:
    """Called for each settled transaction; it is finished after this returned."""
    goods.settle(transaction)
    print("handled", describe(transaction), flush=True)


def show(notification: Notification) -> None:
    """Called for everything that happens."""
    goods.hear(notification)
    if notification.method == "caughtUp":
        print("ready", flush=True)


def main() -> int:
    try:
        with Client(name="observer") as queue:
            queue.observe(handle, on_event=show)
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    run(main)
