"""What stands for the application in these examples: a file of unlocked products.

Unlocking is by order and may be repeated: a handler must not mind to see one twice, nor two
transactions of one order, such as a purchase and what a restore brought back.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from typing import Dict, Iterator, Optional

from _state import kept
from payqueued import Notification, Transaction, may_unlock


class Goods:
    """Unlocked products by order, in ``$GOODS`` or in a file of the user's state directory.

    Several programs may unlock at once, a worker and a purchase for example.
    """

    def __init__(self) -> None:
        self.path = kept("GOODS", "goods.json")

    def unlocked(self) -> Dict[str, str]:
        """What is unlocked so far."""
        if not os.path.exists(self.path):
            return {}
        with open(self.path) as file:
            found: Dict[str, str] = json.load(file)
            return found

    def settle(self, transaction: Transaction) -> bool:
        """Unlocks what may be unlocked and takes back what was refunded; says whether it is unlocked.

        On disk before this returns, because ``finish`` comes next.
        """
        if may_unlock(transaction):
            product = transaction["payment"]["product"]["productIdentifier"]
            self._write(transaction["transactionIdentifier"], product)
            return True
        if "revocation" in transaction:
            self._write(transaction["transactionIdentifier"], None)
        return False

    def hear(self, notification: Notification) -> None:
        """Takes back what was refunded after it was finished."""
        if notification.kind == "entitlementsRevoked":
            for order in notification.params["orders"]:
                self._write(order, None)

    def _write(self, order: str, product: Optional[str]) -> None:
        with self._alone():
            goods = self.unlocked()
            if goods.get(order) == product:
                return
            if product is None:
                del goods[order]
            else:
                goods[order] = product
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
    """A transaction in a few words: what was bought, for whom or by whom, and where it stands."""
    product = transaction["payment"]["product"]["productIdentifier"]
    words = [product, transaction["transactionState"]]
    if "appAccountToken" in transaction["payment"]:
        words.append(f"for {transaction['payment']['appAccountToken']}")
    elif "client" in transaction.get("by", {}):
        words.append(f"by {transaction['by']['client']}")
    if transaction.get("waitingFor"):
        words.append(f"waits for {transaction['waitingFor']}")
    if "offer" in transaction:
        words.append(transaction["offer"])
    if "revocation" in transaction:
        words.append("refunded")
    if "error" in transaction:
        words.append(transaction.get("failureReason") or next(iter(transaction["error"]), "failed"))
    return " ".join(words)
