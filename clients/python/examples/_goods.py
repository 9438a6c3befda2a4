"""What stands for the application in these examples: a file of unlocked products.

Unlocking is by transaction and may be repeated: a handler must not mind to see one twice.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from typing import Dict, Iterator

from payqueued import Transaction


class Goods:
    """Unlocked products by transaction, in ``$GOODS`` or ``goods.json``.

    Several programs may unlock at once, a worker and a purchase for example.
    """

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
        with self._alone():
            goods = self.unlocked()
            goods[transaction["id"]] = transaction["payment"]["product"]["productIdentifier"]
            aside = f"{self.path}.{os.getpid()}.new"
            with open(aside, "w") as file:
                json.dump(goods, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(aside, self.path)
            folder = os.open(os.path.dirname(os.path.abspath(self.path)), os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Takes turns with others: what they add between reading and writing would be lost.

        The system gives the lock back when its holder is killed.
        """
        descriptor = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def describe(transaction: Transaction) -> str:
    """A transaction in a few words."""
    product = transaction["payment"]["product"]["productIdentifier"]
    words = [product, transaction["transactionState"]]
    if transaction.get("waitingFor"):
        words.append(f"waits for {transaction['waitingFor']}")
    if "error" in transaction:
        words.append(transaction.get("failureReason") or next(iter(transaction["error"]), "failed"))
    return " ".join(words)
