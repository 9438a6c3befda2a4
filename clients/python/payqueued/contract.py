"""The types of the contract. Written from it by a test: do not edit.

They are plain dictionaries, exactly as they come over the wire. Later daemons may add members,
states and kinds: read those you know and let the others pass.
"""

from __future__ import annotations

import enum
from typing import Any, Dict, List, Literal, Optional, Sequence, TypedDict, Union

#: The release of the product that this is of.
VERSION = "0.1.0"

#: An object whose members the contract leaves open.
JSONObject = Dict[str, Any]

TransactionState = Literal["purchasing", "purchased", "restored", "failed"]
WaitingFor = Literal["observer", "login", "gate", "approval", "store"]
TransactionReason = Literal["purchase", "renewal", "restore", "external"]
OfferKind = Literal["introductory", "alreadyOwned", "scheduled"]
RemovalReason = Literal["finished", "withdrawn", "discardedByGate", "rejectedAfterLogin", "deleted"]
ProductType = Literal[
    "consumable", "nonConsumable", "nonRenewingSubscription", "autoRenewableSubscription",
]
PeriodUnit = Literal["day", "week", "month", "year"]
EventKind = Literal[
    "transactionsUpdated", "transactionsRemoved", "restoreCompleted", "restoreFailed",
    "storefrontChanged", "entitlementsRevoked", "productsChanged", "questionOpened",
    "questionClosed",
]
EventReason = Literal[
    "finished", "withdrawn", "discardedByGate", "rejectedAfterLogin", "deleted", "answered",
    "timedOut", "agentGone", "sessionChanged", "restarted",
]
QuestionType = Literal["login", "afterLogin", "shouldContinue", "payment"]
EventCause = Literal["storefront", "price", "sessionEnded"]
TestSettingsFailureError = Literal[
    "cancelled", "declined", "presentationFailed", "unknown", "invalidOfferIdentifier",
    "invalidSignature", "missingOfferParams", "invalidOfferPrice",
]
SimulatedError = Literal[
    "connectionError", "serviceUnavailable", "appNotRegistered", "unknownAccount", "badCredential",
    "sessionRevoked", "storageFailed", "internalError",
]
OrderState = Literal["deferred", "purchased", "failed", "refunded"]
OrderError = Literal["cancelled", "presentationFailed", "internalError"]
RestoreState = Literal["running", "completed", "failed"]
GapReason = Literal["trimmed", "damaged"]
EndedReason = Literal["trimmed", "unreadable", "roleWithdrawn"]
ClosingReason = Literal["shutdown"]
HelloRole = Literal["observe", "buy", "gate", "admin"]
DaemonState = Literal["running", "draining", "degraded"]
StatusStorageRoomShortage = Literal["bytes", "files", "quota", "fileSize"]
StatusStoreState = Literal["unknown", "available", "unavailable"]
KeyKty = Literal["RSA", "EC"]
KeyUse = Literal["sig"]
FinishDisposition = Literal["removed", "completing", "ignoredInFlight", "alreadyFinished"]
TransactionFilter = Literal["purchasing", "purchased", "restored", "failed", "finished"]
WaitUntil = Literal["purchasing", "purchased", "restored", "failed", "removed"]
SubscribeAfter = Literal["start", "now"]
SubscribeAgent = Literal["login", "payment"]
SubscribeOnGap = Literal["snapshot", "error"]
DelegateMode = Literal["continue", "stop", "ask"]
DelegateAfterLogin = Literal["continue", "ask"]
QuestionCause = Literal["storefront", "price"]
DecideOutcome = Literal["approve", "decline"]
ClusterRole = Literal["owner", "follower"]
SimulatedCatalogueError = Literal[
    "connectionError", "serviceUnavailable", "appNotRegistered", "internalError",
]
SimulatedStoreError = Literal[
    "connectionError", "serviceUnavailable", "appNotRegistered", "internalError", "sessionRevoked",
]
SimulatedLoginError = Literal[
    "connectionError", "serviceUnavailable", "appNotRegistered", "internalError", "unknownAccount",
    "badCredential",
]
TestPriceIncreaseAnswer = Literal["consent", "decline", "pending"]


class _Transaction(TypedDict):
    #: The identifier of the transaction; never changes and is never reused.
    id: str

    #: The product that was asked for, with the token that was sent.
    payment: Payment

    #: The state.
    transactionState: Union[TransactionState, str]

    #: The storefront in which it is charged, or was charged.
    storefront: Storefront

    #: The revision; grows with each record of this transaction.
    revision: int

    #: The time at which it was accepted.
    createdAt: str

    #: The time of its newest record.
    updatedAt: str

    #: The origin of the transaction.
    reason: Union[TransactionReason, str]


class Transaction(_Transaction, total=False):
    """The queue's record of one payment."""

    #: The identifier of the order at the store; absent until there is one.
    transactionIdentifier: str

    #: The identifier of the first order of its chain of renewals.
    originalTransactionIdentifier: str

    #: An object with one member, whose name is the error and whose value is empty; only in state
    #: failed.
    error: JSONObject

    #: What it waits for; only in state purchasing.
    waitingFor: Union[WaitingFor, str]

    #: Whether finish was accepted and the store has not confirmed the completion yet.
    completing: bool

    #: The reason behind the error.
    failureReason: str

    #: The amount that the store charged; absent until it did.
    charged: Charge

    #: The reason why the charge is not the price of the product; absent where it is.
    offer: Union[OfferKind, str]

    #: The time at which a scheduled change of subscription takes effect.
    effectiveAt: str

    #: Present once the store has refunded or revoked the purchase: do not unlock what was bought.
    revocation: Revocation

    #: The client that caused its newest record; absent if no client did.
    by: Origin

    #: The time at which it left the queue.
    finishedAt: str

    #: The reason for which it left the queue.
    removalReason: Union[RemovalReason, str]


class _Payment(TypedDict):
    #: The product, as it was sold.
    product: Product


class Payment(_Payment, total=False):
    """The payment that was requested."""

    #: The application's own account identifier, as it was sent with the purchase.
    appAccountToken: str


class _Product(TypedDict):
    #: The identifier by which clients buy the product.
    productIdentifier: str

    #: The type of the product.
    type: Union[ProductType, str]

    #: The localized name.
    localizedTitle: str

    #: The localized description.
    localizedDescription: str

    #: The price; of a subscription, the price of one period.
    price: Price


class Product(_Product, total=False):
    """A product of the store."""

    #: The address of a picture.
    iconUrl: str

    #: Only for subscriptions.
    subscriptionPeriod: Period

    #: Only for subscriptions.
    subscriptionGroupIdentifier: str

    #: The introductory offer, for new subscribers.
    introductoryPrice: Offer

    #: Whether the account in session is eligible for the introductory offer: once per account and
    #: subscription group.
    introductoryOfferEligible: bool

    #: A promotional offer.
    discountedPrice: Offer


class Price(TypedDict):
    """The price of a product. `amount` is exact, `value` is for display only."""

    #: The amount in major units, as a number with the same digits.
    value: float

    #: The amount as text, for programs that must not round.
    amount: str

    #: ISO 4217.
    currencyCode: str


class Period(TypedDict):
    """A span of time, in whole units."""

    #: The unit.
    unit: Union[PeriodUnit, str]

    #: The number of units.
    numberOfUnits: int


class Offer(TypedDict):
    """A price for a first period, or a discount."""

    #: The amount that is charged; 0 is a free trial.
    price: Price

    #: The length of the offer.
    period: Period


class Storefront(TypedDict):
    """The country whose prices apply."""

    #: An opaque identifier; compare countryCode instead.
    id: str

    #: The country, as an ISO 3166-1 alpha-2 code.
    countryCode: str


class _Origin(TypedDict):
    #: The user id of the peer, as the kernel reports it.
    uid: int


class Origin(_Origin, total=False):
    """The client that caused a record."""

    #: The name that the client gave with hello.
    client: str


class _Event(TypedDict):
    #: The sequence number of its record in the log.
    seq: int

    #: The kind of event; it decides which further members are present.
    kind: Union[EventKind, str]

    #: The time of its record.
    time: str


_EventOdd = TypedDict(
    "_EventOdd",
    {"from": "Optional[Storefront]"},
    total=False,
)


class Event(_EventOdd, _Event, total=False):
    """A record of the log. Which members it has depends on `kind`."""

    #: Whether this is a redelivery: nothing changed, unfinished transactions are sent again.
    redelivery: bool

    #: The transactions, as full snapshots; of removed transactions the last snapshot.
    transactions: List[Transaction]

    #: The reason for which transactions left the queue, or a question ended without an answer.
    reason: Union[EventReason, str]

    #: The client that caused it; absent if no client did.
    by: Origin

    #: The trace context of the call that caused it.
    trace: str

    #: The storefront after the change; null if no account is in session.
    to: Optional[Storefront]

    #: The account that is now in session, or whose session the store has ended.
    account: Optional[str]

    #: The restore that ended.
    restore: str

    #: The number of transactions that the restore returned.
    count: int

    #: An object with one member, whose name is the reason for which the restore failed and whose
    #: value is empty.
    error: JSONObject

    #: The products whose entitlements were revoked.
    products: List[str]

    #: The orders that were refunded or revoked.
    orders: List[str]

    #: The revision of the store's catalogue; grows with each change.
    revision: int

    #: The identifier of the question.
    question: str

    #: The type of question.
    type: Union[QuestionType, str]

    #: The transaction that waits for the answer.
    transaction: str

    #: The cause of the question, or of a storefront change that no client requested.
    cause: Union[EventCause, str]

    #: The product that would be bought.
    product: Product

    #: The price that would be charged.
    price: Price

    #: Where.
    storefront: Storefront

    #: The answer that applies if none is given in time.
    fallback: bool

    #: The time at which the fallback applies; for the agent that is asked, the end of its turn;
    #: null until the question has reached an agent.
    deadline: Optional[str]

    #: The answer; null if the question ended without one.
    value: Optional[bool]

    #: The reason that was given with the answer.
    note: str


class TestSettingsTimeRate(TypedDict):
    """Part of `TestSettings`."""

    #: The length of a month, in seconds.
    monthSeconds: int


class TestSettingsSimulatedErrors(TypedDict):
    """Part of `TestSettings`."""

    #: The error with which the call fails.
    products: Optional[Union[SimulatedError, str]]

    #: The error with which the call fails.
    purchase: Optional[Union[SimulatedError, str]]

    #: The error with which the call fails.
    completion: Optional[Union[SimulatedError, str]]

    #: The error with which the call fails.
    restore: Optional[Union[SimulatedError, str]]

    #: The error with which the call fails.
    reconciliation: Optional[Union[SimulatedError, str]]

    #: The error with which the call fails.
    history: Optional[Union[SimulatedError, str]]

    #: The error with which the call fails.
    login: Optional[Union[SimulatedError, str]]


class _TestSettings(TypedDict):
    #: New orders fail with failureError.
    failTransactionsEnabled: bool

    #: The error with which new orders fail.
    failureError: Union[TestSettingsFailureError, str]

    #: New orders wait for an approval.
    askToBuyEnabled: bool

    #: Every purchase is interrupted and fails.
    interruptedPurchasesEnabled: bool

    #: The speed of the sandbox's clock for subscriptions.
    timeRate: Union[int, TestSettingsTimeRate]

    #: Whether accounts may make payments.
    paymentsAllowed: bool

    #: A subscription whose renewal was not paid stays active for a grace period.
    billingGracePeriodIsEnabled: bool

    #: Renewals are not paid until resolved.
    shouldEnterBillingRetryOnRenewal: bool

    #: The simulated error of each call, or null.
    simulatedErrors: TestSettingsSimulatedErrors

    #: The delay of every answer, in milliseconds.
    latencyMs: int

    #: The store does not answer.
    storeDown: bool


class TestSettings(_TestSettings, total=False):
    """The settings of the sandbox."""

    #: The country of every account; absent if none was set.
    storefront: str

    #: The locale of product texts; absent if none was set.
    locale: str


class _Order(TypedDict):
    #: The identifier of the order.
    order: str

    #: The identifier of the first order of its chain of renewals.
    original: str

    #: The account that pays.
    account: str

    #: The product that was bought.
    product: str

    #: The price in that country; of a subscription, the price of one period.
    price: Price

    #: The country of the order.
    countryCode: str

    #: The state.
    state: Union[OrderState, str]

    #: Whether the order was completed: the store knows that it was delivered.
    completed: bool

    #: The time at which the order was placed.
    placedAt: str


class Order(_Order, total=False):
    """The sandbox's record of a payment."""

    #: The transaction that asked for the order.
    transaction: str

    #: The amount that the store charged; absent until it did.
    charged: Charge

    #: The reason why the charge is not the price of the product; absent where it is.
    offer: Union[OfferKind, str]

    #: The time at which a scheduled change of subscription takes effect.
    effectiveAt: str

    #: Present once the store has refunded or revoked the purchase: do not unlock what was bought.
    revocation: Revocation

    #: The application's own account identifier, as it was sent with the purchase.
    appAccountToken: str

    #: The error with which the order failed.
    error: Union[OrderError, str]

    #: The reason behind the error.
    failureReason: str

    #: Whether the order renews an earlier one.
    renewal: bool

    #: The time at which the period ends; only for subscriptions.
    expiresAt: str

    #: The time at which the order was refunded or revoked.
    revokedAt: str


class _Restore(TypedDict):
    #: The identifier of the restore.
    id: str

    #: The state.
    state: Union[RestoreState, str]


class Restore(_Restore, total=False):
    """A restore and its state."""

    #: What it waits for; only in state running.
    waitingFor: Union[WaitingFor, str]

    #: The number of transactions that it returned; only in state completed.
    count: int

    #: An object with one member, whose name is the error and whose value is empty; only in state
    #: failed.
    error: JSONObject


class _TestClock(TypedDict):
    #: The time on the sandbox's clock.
    now: str


class TestClock(_TestClock, total=False):
    """The sandbox's clock."""

    #: The time at which the next event is due; absent if none is.
    nextEventAt: str


class Charge(TypedDict):
    """The exact amount that the store charged; `0.00` if it was free."""

    #: The amount in major units, with the digits of the currency; 0.00 if it was free.
    amount: str

    #: ISO 4217.
    currencyCode: str


class Revocation(TypedDict):
    """The time and reason of a refund or revocation."""

    #: When.
    at: str

    #: The reason, such as refund.
    reason: str


class _EventNotice(TypedDict):
    #: The identifier of the subscription.
    subscription: str

    #: The seq of the event sent before on this subscription.
    prev: int

    #: The sequence number of its record in the log.
    seq: int

    #: The kind of event; it decides which further members are present.
    kind: Union[EventKind, str]

    #: The time of its record.
    time: str


_EventNoticeOdd = TypedDict(
    "_EventNoticeOdd",
    {"from": "Optional[Storefront]"},
    total=False,
)


class EventNotice(_EventNoticeOdd, _EventNotice, total=False):
    """An event of the queue."""

    #: Whether this is a redelivery: nothing changed, unfinished transactions are sent again.
    redelivery: bool

    #: The transactions, as full snapshots; of removed transactions the last snapshot.
    transactions: List[Transaction]

    #: The reason for which transactions left the queue, or a question ended without an answer.
    reason: Union[EventReason, str]

    #: The client that caused it; absent if no client did.
    by: Origin

    #: The trace context of the call that caused it.
    trace: str

    #: The storefront after the change; null if no account is in session.
    to: Optional[Storefront]

    #: The account that is now in session, or whose session the store has ended.
    account: Optional[str]

    #: The restore that ended.
    restore: str

    #: The number of transactions that the restore returned.
    count: int

    #: An object with one member, whose name is the reason for which the restore failed and whose
    #: value is empty.
    error: JSONObject

    #: The products whose entitlements were revoked.
    products: List[str]

    #: The orders that were refunded or revoked.
    orders: List[str]

    #: The revision of the store's catalogue; grows with each change.
    revision: int

    #: The identifier of the question.
    question: str

    #: The type of question.
    type: Union[QuestionType, str]

    #: The transaction that waits for the answer.
    transaction: str

    #: The cause of the question, or of a storefront change that no client requested.
    cause: Union[EventCause, str]

    #: The product that would be bought.
    product: Product

    #: The price that would be charged.
    price: Price

    #: Where.
    storefront: Storefront

    #: The answer that applies if none is given in time.
    fallback: bool

    #: The time at which the fallback applies; for the agent that is asked, the end of its turn;
    #: null until the question has reached an agent.
    deadline: Optional[str]

    #: The answer; null if the question ended without one.
    value: Optional[bool]

    #: The reason that was given with the answer.
    note: str


class CaughtUpNotice(TypedDict):
    """Replay and redelivery are complete; live events follow."""

    #: The identifier of the subscription.
    subscription: str

    #: The position up to which everything was sent.
    seq: int


class HeartbeatNotice(TypedDict):
    """There were no events for the interval that the subscriber asked for."""

    #: The identifier of the subscription.
    subscription: str

    #: The position up to which everything was sent.
    seq: int


_GapNoticeOdd = TypedDict(
    "_GapNoticeOdd",
    {"from": "int"},
)


class GapNotice(_GapNoticeOdd):
    """Records were trimmed or damaged before they were sent; a redelivery follows."""

    #: The identifier of the subscription.
    subscription: str

    #: The sequence number of the last missed record.
    to: int

    #: Why.
    reason: Union[GapReason, str]


class EndedNotice(TypedDict):
    """The daemon ends a subscription."""

    #: The identifier of the subscription.
    subscription: str

    #: Why.
    reason: Union[EndedReason, str]

    #: The sequence number of the last event that was sent.
    last: int


class ClosingNotice(TypedDict):
    """The daemon will close the connection."""

    #: Why.
    reason: Union[ClosingReason, str]

    #: The time for which requests are still accepted, in milliseconds.
    graceMs: int

    #: The position to pass as after when subscribing again.
    head: int


class _HelloClient(TypedDict):
    #: The name of the client.
    name: str


class HelloClient(_HelloClient, total=False):
    """Part of `Hello`."""

    #: The version of the client.
    version: str


class HelloParams(TypedDict, total=False):
    """The parameters of `hello`."""

    #: The client: name, version?.
    client: HelloClient

    #: The version of the protocol that the client speaks; any other than the daemon's is an error.
    api: int


class HelloServer(TypedDict):
    """Part of `Hello`."""

    #: Always payqueued.
    name: str

    #: The version of the daemon.
    version: str


class HelloPeer(TypedDict):
    """Part of `Hello`."""

    #: The user id.
    uid: int

    #: The group id.
    gid: int


class HelloResult(TypedDict):
    """The answer to `hello`."""

    #: The name and version of the daemon.
    server: HelloServer

    #: The version of the protocol.
    api: int

    #: The epoch of the log; it changes only when the log was lost or reset, or a backup was
    #: restored.
    epoch: str

    #: The sequence number of the oldest record that is kept.
    oldest: int

    #: The sequence number of the newest record.
    head: int

    #: The client's credentials, as the kernel reports them.
    peer: HelloPeer

    #: The roles of the client.
    roles: List[Union[HelloRole, str]]

    #: The optional features of this daemon.
    features: List[str]

    #: The limits, by name.
    limits: JSONObject


class PingParams(TypedDict, total=False):
    """The parameters of `ping`."""

    #: A value that is returned unchanged.
    payload: Any


class PingResult(TypedDict):
    """The answer to `ping`."""

    #: The payload, or true without one.
    pong: Any


class HelpParams(TypedDict, total=False):
    """The parameters of `help`."""

    #: The method; without it, all methods.
    method: str


class HelpResult(TypedDict):
    """The answer to `help`."""

    #: The text, at most 80 columns wide.
    text: str


class StatusSessionEnded(TypedDict):
    """Part of `Status`."""

    #: The account that must log in again.
    account: str

    #: The storefront of the account.
    storefront: Storefront

    #: The time at which the daemon learned of it.
    at: str


class StatusQueueByState(TypedDict):
    """Part of `StatusQueue`."""

    #: The number of transactions.
    purchasing: int

    #: The number of transactions.
    purchased: int

    #: The number of transactions.
    restored: int

    #: The number of transactions.
    failed: int


class StatusQueueWaitingFor(TypedDict, total=False):
    """Part of `StatusQueue`."""

    #: The number of transactions.
    observer: int

    #: The number of transactions.
    login: int

    #: The number of transactions.
    gate: int

    #: The number of transactions.
    approval: int

    #: The number of transactions.
    store: int


class StatusQueue(TypedDict):
    """Part of `Status`."""

    #: The number of unfinished transactions.
    unfinished: int

    #: The number of unfinished transactions by state.
    byState: StatusQueueByState

    #: The number of purchased transactions that are finished and not yet confirmed by the store.
    completing: int

    #: The number of purchasing transactions by what they wait for.
    waitingFor: StatusQueueWaitingFor


class StatusLog(TypedDict):
    """Part of `Status`."""

    #: The sequence number of the oldest record that is kept.
    oldest: int

    #: The sequence number of the newest record.
    head: int

    #: The size on disk, in bytes.
    bytes: int


class _StatusConnection(TypedDict):
    #: The user id of the peer.
    uid: int

    #: The number of its subscriptions.
    subscriptions: int

    #: The largest number of records by which one of its subscriptions is behind.
    lag: int

    #: The bytes that are buffered for it, in and out.
    bufferedBytes: int

    #: Whether it reads more slowly than events arrive.
    paused: bool


class StatusConnection(_StatusConnection, total=False):
    """Part of `Status`."""

    #: The name that the client gave with hello.
    client: str


class _StatusPersistence(TypedDict):
    #: Whether the state directory is volatile: it is lost with the machine or container.
    volatile: bool


class StatusPersistence(_StatusPersistence, total=False):
    """Part of `Status`."""

    #: The time of the last sync to disk.
    lastCommit: str

    #: The last error.
    lastError: str


class _StatusStorageRoom(TypedDict):
    #: The bytes that the file system has free.
    free: int

    #: The bytes that were written ahead and wait for records.
    prefilled: int

    #: The bytes of the files reserve.
    reserve: int

    #: The bytes that accepted transactions may still write.
    claimed: int

    #: The bytes that are left for new payments, at least 0.
    available: int

    #: Whether there is room for new payments.
    accepting: bool


class StatusStorageRoom(_StatusStorageRoom, total=False):
    """Part of `StatusStorage`."""

    #: What is missing if there is no room for new payments.
    shortage: Union[StatusStorageRoomShortage, str]

    #: What to do about it.
    advice: str


class _StatusStorageDamage(TypedDict):
    #: The file in the state directory.
    file: str

    #: The problem, for people.
    detail: str


_StatusStorageDamageOdd = TypedDict(
    "_StatusStorageDamageOdd",
    {"from": "int"},
    total=False,
)


class StatusStorageDamage(_StatusStorageDamageOdd, _StatusStorageDamage, total=False):
    """Part of `StatusStorage`."""

    #: Where the damage begins, in bytes.
    offset: int

    #: The last sequence number in doubt.
    to: int


class _StatusStorage(TypedDict):
    #: Whether the state is only read and nothing is taken.
    readOnly: bool

    #: The number of files with finished transactions.
    archiveFiles: int

    #: Their size on disk, in bytes.
    archiveBytes: int

    #: The finished transactions that are not in such a file yet.
    unarchived: int

    #: Whether finished transactions can be looked up. If not, an index is being built, or a damaged
    #: file cannot be indexed.
    indexed: bool

    #: The room on the disk.
    room: StatusStorageRoom

    #: The damage that readers or the regular check of all files have found.
    damage: List[StatusStorageDamage]


class StatusStorage(_StatusStorage, total=False):
    """Part of `Status`."""

    #: The time of the last check of all files; absent if there was none since the start.
    checkedAt: str


class _StatusStore(TypedDict):
    #: The name of the store.
    name: str

    #: Its state.
    state: Union[StatusStoreState, str]

    #: The time since which it is in that state.
    since: str


class StatusStore(_StatusStore, total=False):
    """Part of `Status`."""

    #: The error of the store's last answer; absent after a success.
    lastError: str

    #: The time of the next attempt; absent if it is not known.
    nextTryAt: str


class _StatusCanMakePayments(TypedDict):
    #: Whether a new payment would be accepted.
    value: bool


class StatusCanMakePayments(_StatusCanMakePayments, total=False):
    """Part of `Status`."""

    #: The reason why not.
    reason: str


class _StatusResult(TypedDict):
    #: The state of the daemon.
    state: Union[DaemonState, str]

    #: The time since which it is in that state.
    since: str

    #: The account in session.
    account: Optional[str]

    #: The storefront of the account.
    storefront: Optional[Storefront]

    #: What the account in session may see, and what waits for an account whose session the store
    #: has ended.
    queue: StatusQueue

    #: The event log.
    log: StatusLog

    #: Oldest first.
    connections: List[StatusConnection]

    #: The open questions.
    questions: int

    #: The disk.
    persistence: StatusPersistence

    #: The files and the room for them.
    storage: StatusStorage

    #: The store.
    store: StatusStore

    #: The running restores.
    restores: List[Restore]

    #: Whether the account may make payments.
    canMakePayments: StatusCanMakePayments


class StatusResult(_StatusResult, total=False):
    """The answer to `status`."""

    #: The session that the store has ended; present until the next login.
    sessionEnded: StatusSessionEnded

    #: What each user holds of the limits that users share, by user id; present with the role admin.
    shares: JSONObject


class MetricsResult(TypedDict):
    """The answer to `metrics`."""

    #: The content type of the text.
    format: str

    #: The metrics, one per line.
    text: str


class _RpcDiscoverResult(TypedDict):
    #: `openrpc`, as OpenRPC defines it.
    openrpc: str

    #: `info`, as OpenRPC defines it.
    info: JSONObject

    #: `methods`, as OpenRPC defines it.
    methods: List[Any]


_RpcDiscoverResultOdd = TypedDict(
    "_RpcDiscoverResultOdd",
    {"x-notifications": "List[Any]", "x-limits": "JSONObject"},
    total=False,
)


class RpcDiscoverResult(_RpcDiscoverResultOdd, _RpcDiscoverResult, total=False):
    """The answer to `rpc.discover`."""

    #: `components`, as OpenRPC defines it.
    components: JSONObject


class _CheckParams(TypedDict):
    #: The method.
    method: str


class CheckParams(_CheckParams, total=False):
    """The parameters of `check`."""

    #: The parameters to check.
    params: Any


class CheckResult(TypedDict):
    """The answer to `check`."""

    #: Always true; a refusal is an error.
    ok: bool


class ProductsParams(TypedDict, total=False):
    """The parameters of `products`."""

    #: Only these products.
    ids: Sequence[str]

    #: The largest number of entries on the page; default 100.
    limit: int

    #: The page token: the member next of an earlier result.
    page: str


class _ProductsResult(TypedDict):
    #: The products.
    products: List[Product]

    #: Identifiers that were asked for and are not sold there.
    invalid: List[str]

    #: The storefront of the prices.
    storefront: Storefront


class ProductsResult(_ProductsResult, total=False):
    """The answer to `products`."""

    #: The token of the next page; absent on the last page.
    next: str


class _Entitlement(TypedDict):
    #: The identifier of the order.
    transactionIdentifier: str

    #: The identifier of the first order of its chain of renewals.
    originalTransactionIdentifier: str

    #: The identifier by which clients buy the product.
    productIdentifier: str

    #: The product, as it was sold.
    product: Product

    #: The storefront in which it was charged.
    storefront: Storefront

    #: Whether the order renews an earlier one.
    renewal: bool

    #: Whether the order was completed: the store knows that it was delivered.
    completed: bool

    #: The time at which it was paid.
    purchasedAt: str


class Entitlement(_Entitlement, total=False):
    """Part of `Entitlements`."""

    #: The transaction that asked for the order.
    transaction: str

    #: The application's own account identifier, as it was sent with the purchase.
    appAccountToken: str

    #: The amount that the store charged; absent until it did.
    charged: Charge

    #: The reason why the charge is not the price of the product; absent where it is.
    offer: Union[OfferKind, str]

    #: The time at which a scheduled change of subscription takes effect.
    effectiveAt: str

    #: Present once the store has refunded or revoked the purchase: do not unlock what was bought.
    revocation: Revocation

    #: The time at which the period ends; only for subscriptions.
    expiresAt: str


class EntitlementsResult(TypedDict):
    """The answer to `entitlements`."""

    #: Oldest first.
    entitlements: List[Entitlement]


class SignedHistoryParams(TypedDict, total=False):
    """The parameters of `signedHistory`."""

    #: The most purchases of the page; without it, and at most, as many as a reply line has room
    #: for.
    limit: int

    #: The page token: the member next of an earlier result.
    page: str


class _SignedHistoryResult(TypedDict):
    #: The compact JWS.
    jws: str

    #: The identifier of the key that signed it.
    kid: str

    #: The signature algorithm: RS256 or ES256.
    alg: str


class SignedHistoryResult(_SignedHistoryResult, total=False):
    """The answer to `signedHistory`."""

    #: The token of the next page; absent on the last page.
    next: str


class _Key(TypedDict):
    #: The type of key.
    kty: Union[KeyKty, str]

    #: The use of the key.
    use: Union[KeyUse, str]

    #: The algorithm: RS256 or ES256.
    alg: str

    #: The identifier of the key in signatures.
    kid: str


class Key(_Key, total=False):
    """Part of `Keys`."""

    #: The modulus of an RSA key.
    n: str

    #: The exponent of an RSA key.
    e: str

    #: The curve of an EC key: P-256.
    crv: str

    #: The first coordinate of an EC key.
    x: str

    #: The second coordinate of an EC key.
    y: str


class KeysResult(TypedDict):
    """The answer to `keys`."""

    #: The JSON Web Keys, the current one first.
    keys: List[Key]


class LoginParams(TypedDict, total=False):
    """The parameters of `login`."""

    #: The account at the store; without it, the login agents are asked in turn.
    account: str

    #: The credential of the account; never logged.
    credential: str

    #: A trace context, echoed in the records that the call causes.
    trace: str


class LoginResult(TypedDict):
    """The answer to `login`."""

    #: The account in session.
    account: str

    #: The storefront of the account.
    storefront: Storefront

    #: The sequence number of the record of the change; the newest record if nothing changed.
    seq: int


class LogoutParams(TypedDict, total=False):
    """The parameters of `logout`."""

    #: A trace context, echoed in the records that the call causes.
    trace: str


class LogoutResult(TypedDict):
    """The answer to `logout`."""

    #: The sequence number of the record of the change; the newest record if nothing changed.
    seq: int


class StorefrontParams(TypedDict, total=False):
    """The parameters of `storefront`."""

    #: The country to assume while no account is in session; "" clears it.
    assume: str


class StorefrontSessionEnded(TypedDict):
    """Part of `Storefront`."""

    #: The account that must log in again.
    account: str

    #: The storefront of the account.
    storefront: Storefront

    #: The time at which the daemon learned of it.
    at: str


class _StorefrontResult(TypedDict):
    #: The storefront of the account in session; null without one.
    storefront: Optional[Storefront]

    #: The account in session.
    account: Optional[str]


class StorefrontResult(_StorefrontResult, total=False):
    """The answer to `storefront`."""

    #: The country that is assumed while no account is in session.
    assumed: str

    #: The session that the store has ended; present until the next login.
    sessionEnded: StorefrontSessionEnded


class _AddParams(TypedDict):
    #: The identifier of the product.
    product: str


class AddParams(_AddParams, total=False):
    """The parameters of `add`."""

    #: The application's own account identifier; it is stored with the purchase and returned with
    #: it.
    appAccountToken: str

    #: The idempotency key; kept for at least 90 days and compared byte by byte.
    key: str

    #: A trace context, echoed in the records that the call causes.
    trace: str


class AddRemoved(TypedDict):
    """Part of `Add`."""

    #: Why.
    reason: Union[RemovalReason, str]

    #: When.
    at: str


class _AddResult(TypedDict):
    #: The transaction.
    transaction: str

    #: The state.
    state: Union[TransactionState, str]

    #: The sequence number of the record of acceptance; for a duplicate, the position in the log
    #: that this result reflects.
    seq: int

    #: Whether the key was used before and this is the earlier transaction.
    duplicate: bool


class AddResult(_AddResult, total=False):
    """The answer to `add`."""

    #: What it waits for.
    waitingFor: Union[WaitingFor, str]

    #: For a duplicate: how and when its transaction left the queue.
    removed: AddRemoved


class RestoreParams(TypedDict, total=False):
    """The parameters of `restore`."""

    #: The idempotency key; kept for at least 90 days and compared byte by byte.
    key: str

    #: Only purchases with this token.
    appAccountToken: str

    #: A trace context, echoed in the records that the call causes.
    trace: str


class _RestoreResult(TypedDict):
    #: The restore.
    restore: str

    #: The state.
    state: Union[RestoreState, str]

    #: The sequence number of the record of acceptance; the newest record for a restore that was
    #: joined.
    seq: int

    #: Whether the call joined an earlier restore.
    duplicate: bool


class RestoreResult(_RestoreResult, total=False):
    """The answer to `restore`."""

    #: What it waits for.
    waitingFor: Union[WaitingFor, str]


class _FinishParams(TypedDict):
    #: The transaction.
    transaction: str


class FinishParams(_FinishParams, total=False):
    """The parameters of `finish`."""

    #: A trace context, echoed in the records that the call causes.
    trace: str


class FinishResult(TypedDict):
    """The answer to `finish`."""

    #: The transaction.
    transaction: str

    #: The effect of the call.
    disposition: Union[FinishDisposition, str]

    #: The sequence number of the record that the call made; the newest record if it made none.
    seq: int


class TransactionsParams(TypedDict, total=False):
    """The parameters of `transactions`."""

    #: Only these transactions, in one reply: limit and page do not apply. Unknown identifiers are
    #: left out.
    ids: Sequence[str]

    #: Only these states; finished lists transactions that have left the queue.
    states: Sequence[TransactionFilter]

    #: Only transactions that wait for one of these.
    waitingFor: Sequence[WaitingFor]

    #: Only transactions whose identifier or order identifier begins with this text (4 digits or
    #: more), or whose product identifier or account token contains it. The case of ASCII letters
    #: does not matter.
    search: str

    #: The largest number of entries on the page; default 100.
    limit: int

    #: The page token: the member next of an earlier result.
    page: str


class _TransactionsResult(TypedDict):
    #: The transactions, in the order of acceptance.
    transactions: List[Transaction]

    #: The position in the log that this result reflects.
    seq: int


class TransactionsResult(_TransactionsResult, total=False):
    """The answer to `transactions`."""

    #: The token of the next page; absent on the last page.
    next: str


class WaitParams(TypedDict, total=False):
    """The parameters of `wait`."""

    #: The transaction.
    transaction: str

    #: The restore, instead of a transaction.
    restore: str

    #: The states to wait for; default: any state but purchasing, or the removal. For transactions
    #: only.
    until: Sequence[WaitUntil]

    #: The longest time to wait, in seconds; default 60.
    timeout: float


class _WaitResult(TypedDict):
    #: Whether it was reached before the time ran out.
    reached: bool

    #: The position in the log that this result reflects.
    seq: int


class WaitResult(_WaitResult, total=False):
    """The answer to `wait`."""

    #: The current state of it.
    transaction: Transaction

    #: The current state of it.
    restore: Restore


class SubscribeParams(TypedDict, total=False):
    """The parameters of `subscribe`."""

    #: Only records after this position; start is the oldest record, now the newest.
    after: Union[int, SubscribeAfter]

    #: The epoch to which after belongs.
    epoch: str

    #: Only events of these kinds.
    kinds: Sequence[EventKind]

    #: Only transactions for these products.
    products: Sequence[str]

    #: Only watch; do not make transactions proceed.
    passive: bool

    #: The questions that this client can put to a person; needs the role gate. One agent is asked
    #: at a time.
    agent: Sequence[SubscribeAgent]

    #: The name of a durable observer; the subscription starts after its last ack unless after is
    #: given. It belongs to the user who used it first.
    name: str

    #: The interval of heartbeats while there are no events, in seconds.
    heartbeat: float

    #: What happens if records were trimmed or damaged before they were sent: snapshot (the default)
    #: redelivers unfinished transactions, error ends the subscription.
    onGap: SubscribeOnGap


class SubscribeResult(TypedDict):
    """The answer to `subscribe`."""

    #: The identifier of the subscription, repeated in every event.
    subscription: str

    #: The epoch of the log; store it with your cursor.
    epoch: str

    #: The sequence number of the oldest record that is kept.
    oldest: int

    #: The sequence number of the newest record.
    head: int


class UnsubscribeParams(TypedDict):
    """The parameters of `unsubscribe`."""

    #: The identifier of the subscription.
    subscription: str


class _UnsubscribeResult(TypedDict):
    #: Whether there was such a subscription.
    unsubscribed: bool


class UnsubscribeResult(_UnsubscribeResult, total=False):
    """The answer to `unsubscribe`."""

    #: The sequence number of the last event that was sent.
    last: int


class _EventsParams(TypedDict):
    #: Only records after this position.
    after: Union[int, SubscribeAfter]


class EventsParams(_EventsParams, total=False):
    """The parameters of `events`."""

    #: The largest number of entries on the page; default 100.
    limit: int

    #: The time to wait for a first event if there is none yet, in seconds.
    wait: float

    #: Only events of these kinds.
    kinds: Sequence[EventKind]

    #: The epoch to which after belongs.
    epoch: str


_EventsGapOdd = TypedDict(
    "_EventsGapOdd",
    {"from": "int"},
)


class EventsGap(_EventsGapOdd):
    """Part of `Events`."""

    #: The sequence number of the last missed record.
    to: int


class _EventsResult(TypedDict):
    #: The events, in the order of the log.
    events: List[Event]

    #: The cursor for the next call.
    next: int

    #: The sequence number of the newest record.
    head: int

    #: The epoch of the log; store it with your cursor.
    epoch: str


class EventsResult(_EventsResult, total=False):
    """The answer to `events`."""

    #: Records that this page should have and that cannot be read, because their file is damaged.
    #: The events behind them follow.
    gap: EventsGap


class _AckParams(TypedDict):
    #: The name of the observer.
    name: str


class AckParams(_AckParams, total=False):
    """The parameters of `ack`."""

    #: The sequence number of the last record that the observer has handled.
    seq: int

    #: Give the name up, instead of seq: its position is forgotten, and any user may use it.
    forget: bool


class _AckResult(TypedDict):
    #: The position that is acknowledged now.
    acked: int


class AckResult(_AckResult, total=False):
    """The answer to `ack`."""

    #: True if the name was given up; acked was its last position.
    forgotten: bool


class _Observer(TypedDict):
    #: The number of records between its position and the newest record.
    lag: int

    #: Whether it is connected.
    connected: bool


class Observer(_Observer, total=False):
    """Part of `Observers`."""

    #: The identifier of the subscription; absent without a live one.
    subscription: str

    #: The user id of the peer; without a live subscription, that of the user the name belongs to.
    uid: int

    #: The name that the client gave with hello.
    client: str

    #: The durable name.
    name: str

    #: Whether it is passive: it makes no transaction proceed.
    passive: bool

    #: Only events of these kinds.
    kinds: List[Union[EventKind, str]]

    #: Only transactions for these products.
    products: List[str]

    #: The questions that it can put to a person.
    agent: List[Union[SubscribeAgent, str]]

    #: The position that the observer has acknowledged.
    acked: int


class ObserversResult(TypedDict):
    """The answer to `observers`."""

    #: In the order of subscribing, then by name.
    observers: List[Observer]


class DelegateParams(TypedDict, total=False):
    """The parameters of `delegate`."""

    #: The policy for a changed country or price.
    mode: DelegateMode

    #: The time to answer, in seconds, from the moment the question reached an agent.
    timeout: float

    #: The answer that applies if none is given in time: true proceeds, false stops.
    fallback: bool

    #: The policy after a login that an add asked for.
    afterLogin: DelegateAfterLogin


class DelegateResult(TypedDict):
    """The answer to `delegate`."""

    #: The current policy.
    mode: Union[DelegateMode, str]

    #: The time to answer, in seconds.
    timeout: float

    #: The answer that applies if none is given in time.
    fallback: bool

    #: The policy after a login that an add asked for.
    afterLogin: Union[DelegateAfterLogin, str]

    #: The sequence number of the record of the change; the newest record if nothing changed.
    seq: int


class _Question(TypedDict):
    #: The identifier of the question.
    question: str

    #: The type of question.
    type: Union[QuestionType, str]

    #: The answer that applies if none is given in time.
    fallback: bool

    #: The time at which the question was opened.
    openedAt: str


class Question(_Question, total=False):
    """Part of `Questions`."""

    #: The transaction that waits for the answer.
    transaction: str

    #: The cause of the question.
    cause: Union[QuestionCause, str]

    #: The product that would be charged.
    product: Product

    #: The price that would be charged.
    price: Price

    #: Where.
    storefront: Storefront

    #: The time at which the fallback applies; null until the question has reached an agent.
    deadline: str


class QuestionsResult(TypedDict):
    """The answer to `questions`."""

    #: The questions, oldest first.
    questions: List[Question]


class _AnswerParams(TypedDict):
    #: The identifier of the question.
    question: str

    #: Whether to proceed.
    value: bool


class AnswerParams(_AnswerParams, total=False):
    """The parameters of `answer`."""

    #: The reason; sent with questionClosed.
    reason: str

    #: A trace context, echoed in the records that the call causes.
    trace: str


class AnswerResult(TypedDict):
    """The answer to `answer`."""

    #: Always true; a refusal is an error.
    accepted: bool

    #: The sequence number of the record of the answer.
    seq: int


class CancelParams(TypedDict):
    """The parameters of `cancel`."""

    #: The id of the waiting call, exactly as it was sent.
    id: Any


class CancelResult(TypedDict):
    """The answer to `cancel`."""

    #: Whether a waiting call was cancelled.
    cancelled: bool


class _DecideParams(TypedDict):
    #: The transaction.
    transaction: str

    #: The decision.
    outcome: DecideOutcome


class DecideParams(_DecideParams, total=False):
    """The parameters of `decide`."""

    #: A trace context, echoed in the records that the call causes.
    trace: str


class DecideResult(TypedDict):
    """The answer to `decide`."""

    #: The transaction.
    transaction: str

    #: The state.
    state: Union[TransactionState, str]

    #: The position in the log that this result reflects.
    seq: int


class _DrainParams(TypedDict):
    #: Whether new payments are refused.
    on: bool


class DrainParams(_DrainParams, total=False):
    """The parameters of `drain`."""

    #: A trace context, echoed in the records that the call causes.
    trace: str


class DrainResult(TypedDict):
    """The answer to `drain`."""

    #: The state of the daemon.
    state: Union[DaemonState, str]


class ReloadParams(TypedDict, total=False):
    """The parameters of `reload`."""

    #: A trace context, echoed in the records that the call causes.
    trace: str


class ReloadResult(TypedDict):
    """The answer to `reload`."""

    #: The keys of the settings that changed.
    changed: List[str]


class BackupParams(TypedDict, total=False):
    """The parameters of `backup`."""

    #: A trace context, echoed in the records that the call causes.
    trace: str


class BackupResult(TypedDict):
    """The answer to `backup`."""

    #: The directory of the backup.
    path: str

    #: The position in the log that the backup reflects.
    seq: int

    #: The size in bytes.
    bytes: int


class _ClusterNode(TypedDict):
    #: The name.
    node: str

    #: Whether its lease in etcd lasts, which it renews while it runs.
    up: bool

    #: The version of its program.
    version: str

    #: The last line of the log in its files when it reported last.
    line: int


class ClusterNode(_ClusterNode, total=False):
    """Part of `Cluster`."""

    #: Host and port where other nodes reach it.
    peer: str


class _ClusterMember(TypedDict):
    #: Host and port.
    address: str

    #: Whether it answers.
    up: bool

    #: Whether it is the leader of the members.
    leader: bool


class ClusterMember(_ClusterMember, total=False):
    """Part of `Cluster`."""

    #: The version of etcd, if it answers.
    version: str

    #: The bytes in use in its files.
    bytes: int


class _ClusterResult(TypedDict):
    #: The name of the node that answers.
    node: str

    #: Whether that node owns the queue.
    role: Union[ClusterRole, str]

    #: The beginning of all keys of the queue in etcd.
    prefix: str

    #: The nodes by name, if etcd answers.
    nodes: List[ClusterNode]

    #: The members of etcd, in the order of the configuration.
    members: List[ClusterMember]


class ClusterResult(_ClusterResult, total=False):
    """The answer to `cluster`."""

    #: The node that owns the queue, if one is known to.
    owner: str

    #: The term of the owner, greater than that of every owner before.
    term: int

    #: The last line of the log, if etcd answers.
    line: int


class HandoverParams(TypedDict, total=False):
    """The parameters of `handover`."""

    #: A trace context, echoed in the records that the call causes.
    trace: str


class HandoverResult(TypedDict):
    """The answer to `handover`."""

    #: The node that gives the queue away.
    node: str

    #: Its term. That of the next owner is greater.
    term: int


class TestSetTimeRate(TypedDict):
    """Part of `TestSet`."""

    #: The length of a month, in seconds.
    monthSeconds: int


class TestSetSimulatedErrors(TypedDict, total=False):
    """Part of `TestSet`."""

    #: The error with which the call fails; null for none.
    products: Optional[SimulatedCatalogueError]

    #: The error with which the call fails; null for none.
    purchase: Optional[SimulatedStoreError]

    #: The error with which the call fails; null for none.
    completion: Optional[SimulatedStoreError]

    #: The error with which the call fails; null for none.
    restore: Optional[SimulatedStoreError]

    #: The error with which the call fails; null for none.
    reconciliation: Optional[SimulatedStoreError]

    #: The error with which the call fails; null for none.
    history: Optional[SimulatedStoreError]

    #: The error with which the call fails; null for none.
    login: Optional[SimulatedLoginError]


class TestSetParams(TypedDict, total=False):
    """The parameters of `test.set`."""

    #: New orders fail with failureError.
    failTransactionsEnabled: bool

    #: The error with which new orders fail.
    failureError: TestSettingsFailureError

    #: New orders wait for an approval.
    askToBuyEnabled: bool

    #: Every purchase is interrupted and fails; test.resolve completes it as a new transaction.
    interruptedPurchasesEnabled: bool

    #: The speed of the sandbox's clock for subscriptions: Apple's number, or the length of a month.
    timeRate: Union[int, TestSetTimeRate]

    #: The country of every account.
    storefront: str

    #: Whether accounts may make payments.
    paymentsAllowed: bool

    #: The locale of product texts, such as en_US.
    locale: str

    #: A subscription whose renewal was not paid stays active for a grace period.
    billingGracePeriodIsEnabled: bool

    #: Renewals are not paid until test.resolve.
    shouldEnterBillingRetryOnRenewal: bool

    #: The simulated error of each call.
    simulatedErrors: TestSetSimulatedErrors

    #: The delay of every answer, in milliseconds.
    latencyMs: int

    #: The store does not answer.
    storeDown: bool


class TestOrdersParams(TypedDict, total=False):
    """The parameters of `test.orders`."""

    #: The largest number of entries on the page; default 100.
    limit: int

    #: The page token: the member next of an earlier result.
    page: str


class _TestOrdersResult(TypedDict):
    #: Oldest first.
    orders: List[Order]


class TestOrdersResult(_TestOrdersResult, total=False):
    """The answer to `test.orders`."""

    #: The token of the next page; absent on the last page.
    next: str


class _TestBuyParams(TypedDict):
    #: The identifier of the product.
    product: str


class TestBuyParams(_TestBuyParams, total=False):
    """The parameters of `test.buy`."""

    #: The application's own account identifier.
    appAccountToken: str


class TestRefundParams(TypedDict, total=False):
    """The parameters of `test.refund`."""

    #: The transaction that asked for the order.
    transaction: str

    #: The order, instead of the transaction.
    order: str


class TestResolveParams(TypedDict, total=False):
    """The parameters of `test.resolve`."""

    #: The transaction that asked for the order.
    transaction: str

    #: The order, instead of the transaction.
    order: str


class TestRenewParams(TypedDict):
    """The parameters of `test.renew`."""

    #: The subscription of the account.
    product: str


class TestExpireParams(TypedDict):
    """The parameters of `test.expire`."""

    #: The subscription of the account.
    product: str


class TestAutoRenewParams(TypedDict):
    """The parameters of `test.autoRenew`."""

    #: The subscription of the account.
    product: str

    #: Whether it renews automatically.
    enabled: bool


class TestPriceIncreaseParams(TypedDict):
    """The parameters of `test.priceIncrease`."""

    #: The subscription of the account.
    product: str

    #: The answer of the subscriber.
    answer: TestPriceIncreaseAnswer


class TestDeleteOrderParams(TypedDict, total=False):
    """The parameters of `test.deleteOrder`."""

    #: The transaction that asked for the order.
    transaction: str

    #: The order, instead of the transaction.
    order: str


class TestClockAdvanceParams(TypedDict):
    """The parameters of `test.clock.advance`."""

    #: The number of seconds.
    seconds: float


class _TestClockAdvanceResult(TypedDict):
    #: The time on the sandbox's clock.
    now: str

    #: The number of events that happened.
    events: int


class TestClockAdvanceResult(_TestClockAdvanceResult, total=False):
    """The answer to `test.clock.advance`."""

    #: The time at which the next event is due; absent if none is.
    nextEventAt: str


class ErrorCode(enum.IntEnum):
    """The codes of errors; ``code`` of a ``ServerError`` may also be one of later."""

    #: The configuration was refused.
    CONFIGURATION_REFUSED = 1701

    #: The store does not know this application.
    APP_NOT_REGISTERED = 1603

    #: The store does not know this order.
    NO_SUCH_ORDER = 1602

    #: The store does not support this call.
    NOT_SUPPORTED_BY_STORE = 1601

    #: No account is in session.
    NOT_LOGGED_IN = 1504

    #: The credential is wrong.
    BAD_CREDENTIAL = 1502

    #: The store does not know this account.
    UNKNOWN_ACCOUNT = 1501

    #: The question is already closed.
    QUESTION_CLOSED = 1402

    #: Unknown question.
    UNKNOWN_QUESTION = 1401

    #: Unknown observer name.
    UNKNOWN_OBSERVER = 1305

    #: A live subscription already uses this name.
    NAME_IN_USE = 1304

    #: The cursor belongs to another event log.
    OTHER_EPOCH = 1303

    #: The cursor is ahead of the event log.
    CURSOR_AHEAD = 1302

    #: Records after the cursor are no longer kept.
    CURSOR_TOO_OLD = 1301

    #: The transaction or order is not in a state that allows this.
    NOT_DECIDABLE = 1204

    #: The page has expired; start again from the first page.
    PAGE_EXPIRED = 1203

    #: Unknown transaction.
    UNKNOWN_TRANSACTION = 1201

    #: The text cannot be a product identifier.
    INVALID_PRODUCT_IDENTIFIER = 1109

    #: An unfinished transaction for this product already exists.
    ALREADY_LIVE = 1107

    #: The payment was rejected after the login.
    REJECTED_AFTER_LOGIN = 1106

    #: The queue has reached its limit of unfinished transactions.
    QUEUE_FULL = 1105

    #: The login was dismissed or timed out.
    LOGIN_DISCARDED = 1104

    #: The account in session is not allowed to make payments.
    PAYMENTS_NOT_ALLOWED = 1103

    #: The idempotency key was used for a different call.
    KEY_REUSE = 1102

    #: The store does not sell this product in this storefront.
    UNKNOWN_PRODUCT = 1101

    #: This daemon speaks another version of the protocol.
    UNSUPPORTED_VERSION = 1002

    #: Too many calls are waiting.
    TOO_MANY_IN_FLIGHT = -32000

    #: The line is too long.
    LINE_TOO_LONG = -32001

    #: The line was not completed in time.
    TIMEOUT = -32002

    #: The result does not fit in one line; ask for less.
    RESULT_TOO_LARGE = -32003

    #: Too many subscriptions.
    TOO_MANY_SUBSCRIPTIONS = -32004

    #: Too many connections.
    TOO_MANY_CONNECTIONS = -32005

    #: The daemon is draining or stopping and accepts no new work.
    DRAINING = -32006

    #: Your user lacks the role that this call needs.
    FORBIDDEN = -32007

    #: The change could not be written to stable storage.
    NOT_DURABLE = -32008

    #: The store is not available now.
    STORE_UNAVAILABLE = -32009

    #: The call was cancelled.
    CANCELLED = -32010

    #: The store does not answer.
    CONNECTION_ERROR = -32011

    #: Too many wrong logins of your user; wait, then try again.
    TOO_MANY_ATTEMPTS = -32012

    #: Your share of the limit, or the whole limit, is in use; end something before you ask for
    #: more.
    SHARE_EXCEEDED = -32013

    #: No node of the cluster owns the queue now.
    NO_OWNER = -32014

    #: Finished transactions cannot be looked up now.
    INDEX_REBUILDING = -32015

    #: Invalid Request.
    INVALID_REQUEST = -32600

    #: Method not found.
    METHOD_NOT_FOUND = -32601

    #: Invalid params.
    INVALID_PARAMS = -32602

    #: Internal error.
    INTERNAL = -32603
