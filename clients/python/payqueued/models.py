"""The shapes of what the daemon sends, exactly as they come over the wire.

They are plain dictionaries. Later daemons may add members, states and kinds: read those you know
and let the others pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, TypedDict, cast

JSONObject = Dict[str, Any]


class _Price(TypedDict):
    value: float
    currencyCode: str


class Price(_Price, total=False):
    """``amount`` is exact; ``value`` is the same as a number, for show only."""

    amount: str


class Charge(TypedDict):
    """What the store took: an exact amount, ``0.00`` for what was free."""

    amount: str
    currencyCode: str


class Revocation(TypedDict):
    """When and why the store took an order back; a reason is ``refund``."""

    at: str
    reason: str


class _Product(TypedDict):
    productIdentifier: str
    localizedTitle: str
    localizedDescription: str
    price: Price


class Product(_Product, total=False):
    """Something sold. ``type`` is consumable, nonConsumable and so on."""

    type: str
    iconUrl: str
    subscriptionPeriod: JSONObject
    subscriptionGroupIdentifier: str
    introductoryPrice: JSONObject
    introductoryOfferEligible: bool
    discountedPrice: JSONObject


class _Payment(TypedDict):
    product: Product


class Payment(_Payment, total=False):
    """What was asked for; ``appAccountToken`` is the application's own text."""

    appAccountToken: str


class Storefront(TypedDict):
    """The country that counts."""

    id: str
    countryCode: str


class _Transaction(TypedDict):
    id: str
    payment: Payment
    transactionState: str


class Transaction(_Transaction, total=False):
    """The queue's record of one payment.

    ``transactionState`` is purchasing, purchased, restored, failed, or a state of later.
    ``waitingFor`` says what a purchasing one waits for; ``approval`` is what StoreKit calls
    deferred. ``charged`` is what the store took, which a refund does not change; ``offer`` says why
    that is not the price: introductory, alreadyOwned or scheduled, and a scheduled change of
    subscription takes effect at ``effectiveAt``. ``revocation`` is there if the store took the
    purchase back before it was finished. Ask ``may_unlock`` before anything is unlocked.
    """

    transactionIdentifier: str
    originalTransactionIdentifier: str
    storefront: Storefront
    error: JSONObject
    revision: int
    createdAt: str
    updatedAt: str
    waitingFor: str
    completing: bool
    failureReason: str
    reason: str
    by: JSONObject
    charged: Charge
    offer: str
    effectiveAt: str
    revocation: Revocation


def may_unlock(transaction: Transaction) -> bool:
    """Whether what was bought may be unlocked; finish it in any case.

    It is paid or restored, the store did not take it back, and it does not begin later: of a
    scheduled change the renewal brings the goods. Two transactions may name the same
    ``transactionIdentifier``, when an order was restored or bought again: unlock by that, and
    nothing is unlocked twice.
    """
    is_paid = transaction["transactionState"] in ("purchased", "restored")
    is_later = transaction.get("offer") == "scheduled"
    return is_paid and not is_later and "revocation" not in transaction


class _Added(TypedDict):
    transaction: str
    state: str
    seq: int
    duplicate: bool


class Added(_Added, total=False):
    """The answer to ``add``. ``removed`` is there if the transaction left the queue already."""

    waitingFor: str
    removed: JSONObject


class _RestoreStarted(TypedDict):
    restore: str
    state: str
    seq: int
    duplicate: bool


class RestoreStarted(_RestoreStarted, total=False):
    """The answer to ``restore``; its end is an event."""

    waitingFor: str


class Finished(TypedDict):
    """``disposition`` is removed, completing, ignoredInFlight or alreadyFinished."""

    transaction: str
    disposition: str
    seq: int


class _TransactionPage(TypedDict):
    transactions: List[Transaction]
    seq: int


class TransactionPage(_TransactionPage, total=False):
    """One page; ``next`` is there if more follow."""

    next: str


class _HistoryPage(TypedDict):
    jws: str
    kid: str
    alg: str


class HistoryPage(_HistoryPage, total=False):
    """A page of the signed history: a JWS that is verified by itself; ``next`` if more follow."""

    next: str


class _ProductPage(TypedDict):
    products: List[Product]
    invalid: List[str]


class ProductPage(_ProductPage, total=False):
    """Products of the storefront that counts."""

    storefront: Optional[Storefront]
    next: str


class Waited(TypedDict, total=False):
    """How a ``wait`` ended; ``reached`` is false if the time ran out first."""

    transaction: Transaction
    restore: JSONObject
    reached: bool
    seq: int


class EventPage(TypedDict):
    """A page of the log, for pulling instead of subscribing."""

    events: List[JSONObject]
    next: int
    head: int
    epoch: str


class Session(TypedDict, total=False):
    """Who is logged in, and the country assumed while nobody is."""

    account: Optional[str]
    storefront: Optional[Storefront]
    assumed: str
    seq: int


@dataclass(frozen=True)
class Notification:
    """Something the daemon sent without being asked.

    ``method`` is event, caughtUp, heartbeat, gap, ended, closing, or one of later.
    """

    method: str
    params: JSONObject

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
