"""What stands for the application in these examples: a file of unlocked products.

Unlocking is by transaction and may be repeated: a handler must not mind to see one twice.
"""

from __future__ import annotations

import json
import os
from typing import Dict

from payqueued import Transaction


class Goods:
    """Unlocked products by transaction, in ``$GOODS`` or ``goods.json``."""

    def __init__(self) -> None:
        self.path = os.environ.get("GOODS", "goods.json")

    def unlocked(self) -> Dict[str, str]:
        """What is unlocked so far."""
        if not os.path.exists(self.path):
            return {}
        with open(self.path) as file:
            found: Dict[str, str] = json.load(file)
            return found

    def unlock(self, transaction: Transaction) -> None:
        """Grants the product; on disk before this returns, because ``finish`` comes next."""
        goods = self.unlocked()
        goods[transaction["id"]] = transaction["payment"]["product"]["productIdentifier"]
        aside = f"{self.path}.new"
        with open(aside, "w") as file:
            json.dump(goods, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, self.path)


def describe(transaction: Transaction) -> str:
    """A transaction in a few words."""
    product = transaction["payment"]["product"]["productIdentifier"]
    words = [product, transaction["transactionState"]]
    if transaction.get("waitingFor"):
        words.append(f"waits for {transaction['waitingFor']}")
    if "error" in transaction:
        words.append(transaction.get("failureReason") or next(iter(transaction["error"]), "failed"))
    return " ".join(words)
