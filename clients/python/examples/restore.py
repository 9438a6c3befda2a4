"""Gets back what the account owns, and unlocks and finishes it like a purchase.

Plays: "For each restored purchase, the payment queue calls the same updatedTransactions method on
your observer; the transactions will have a state of restored" and "after all individual
transactions have been delivered, one of two methods is called to signal the completion".
"""

from __future__ import annotations

from typing import Dict

from _goods import Goods, describe
from _program import run
from payqueued import Client, Transaction


def main() -> int:
    goods = Goods()
    restored: Dict[str, Transaction] = {}
    with Client(name="restore") as queue:
        # Subscribed first: an observer makes the queue move, and nothing can be missed.
        notifications = queue.subscribe()
        restore = queue.restore()["restore"]
        for notification in notifications:
            if notification.kind == "transactionsUpdated":
                for transaction in notification.transactions:
                    if transaction["transactionState"] == "restored":
                        restored[transaction["id"]] = transaction
            if notification.params.get("restore") != restore:
                continue
            if notification.kind == "restoreFailed":
                print("restore failed:", notification.params.get("error"))
                return 1
            if notification.kind == "restoreCompleted":
                break
        for transaction in restored.values():
            is_unlocked = goods.settle(transaction)
            queue.finish(transaction["id"])
            print("unlocked" if is_unlocked else "locked", describe(transaction))
        print("restore completed:", notification.params.get("count"))
        return 0


if __name__ == "__main__":
    run(main)
