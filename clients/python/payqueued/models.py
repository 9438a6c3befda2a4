"""What the library adds to the types of the contract."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional, cast

from .contract import EventNotice, JSONObject, Transaction


def may_unlock(transaction: Transaction) -> bool:
    """Whether what was bought may be unlocked; finish it in any case.

    It is paid or restored, the store did not revoke it, and it does not begin later: of a
    scheduled change the renewal brings the goods. Two transactions may name the same
    ``transactionIdentifier``, when an order was restored or bought again: unlock by that, and
    nothing is unlocked twice.
    """
    is_paid = transaction["transactionState"] in ("purchased", "restored")
    is_later = transaction.get("offer") == "scheduled"
    return is_paid and not is_later and "revocation" not in transaction


@dataclass(frozen=True)
class Notification:
    """Something the daemon sent without being asked.

    ``method`` is event, caughtUp, heartbeat, gap, ended, closing, or one of later.
    """

    method: str
    params: JSONObject

    @property
    def event(self) -> Optional[EventNotice]:
        """What happened, with the types of the contract; none for the others."""
        return cast(EventNotice, self.params) if self.method == "event" else None

    @property
    def kind(self) -> Optional[str]:
        """What an event is about, such as ``transactionsUpdated``; none for the others."""
        kind = self.params.get("kind")
        return kind if self.method == "event" and isinstance(kind, str) else None

    @property
    def seq(self) -> Optional[int]:
        """The position in the log."""
        seq = self.params.get("seq")
        return seq if isinstance(seq, int) else None

    @property
    def is_redelivery(self) -> bool:
        """Whether it repeats what is unfinished instead of telling something new."""
        return self.params.get("redelivery") is True

    @property
    def transactions(self) -> List[Transaction]:
        """The transactions of an event, as full snapshots."""
        found = self.params.get("transactions")
        if self.method != "event" or not isinstance(found, list):
            return []
        return [cast(Transaction, one) for one in found if isinstance(one, dict) and "id" in one]
