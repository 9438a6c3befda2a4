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
GapReason = Literal["trimmed"]
EndedReason = Literal["trimmed", "unreadable", "roleWithdrawn", "epochChanged"]
ClosingReason = Literal["shutdown", "restart", "stalled", "incompleteLine"]
HelloRole = Literal["observe", "buy", "gate", "admin"]
DaemonState = Literal["running", "draining", "degraded"]
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
    #: Names the transaction for ever.
    id: str

    #: What was asked for.
    payment: Payment

    #: Where it stands.
    transactionState: Union[TransactionState, str]

    #: Where it is charged, or was.
    storefront: Storefront

    #: Grows with each record of this transaction.
    revision: int

    #: When it was accepted.
    createdAt: str

    #: When its last record was made.
    updatedAt: str

    #: Why there is a transaction at all.
    reason: Union[TransactionReason, str]


class Transaction(_Transaction, total=False):
    """The queue's record of one payment."""

    #: The order at the store, once there is one.
    transactionIdentifier: str

    #: The first order of its chain.
    originalTransactionIdentifier: str

    #: One case name with an empty object; only while failed.
    error: JSONObject

    #: What it waits for; only while purchasing.
    waitingFor: Union[WaitingFor, str]

    #: Finished, the store not yet told.
    completing: bool

    #: What is behind the error.
    failureReason: str

    #: What the store took; absent until it did.
    charged: Charge

    #: Why that is not the price of the product, where it is not.
    offer: Union[OfferKind, str]

    #: When a scheduled change of subscription takes effect.
    effectiveAt: str

    #: The store took it back: what was bought must not be unlocked any more.
    revocation: Revocation

    #: Who caused its last record, if a client did.
    by: Origin

    #: When it left the queue.
    finishedAt: str

    #: Why it left the queue.
    removalReason: Union[RemovalReason, str]


class _Payment(TypedDict):
    #: The product as it was sold.
    product: Product


class Payment(_Payment, total=False):
    """What was asked for."""

    #: The application's own account.
    appAccountToken: str


class _Product(TypedDict):
    #: What clients buy by.
    productIdentifier: str

    #: How it is consumed.
    type: Union[ProductType, str]

    #: The name to show.
    localizedTitle: str

    #: The description to show.
    localizedDescription: str

    #: The price, or the charge of one period.
    price: Price


class Product(_Product, total=False):
    """Something that is sold."""

    #: Where a picture is.
    iconUrl: str

    #: Only on subscriptions.
    subscriptionPeriod: Period

    #: Only on subscriptions.
    subscriptionGroupIdentifier: str

    #: The offer for new subscribers.
    introductoryPrice: Offer

    #: Whether the account in session gets it: once per account and subscription group.
    introductoryOfferEligible: bool

    #: A promotional offer.
    discountedPrice: Offer


class Price(TypedDict):
    """What a product costs. `amount` is exact, `value` is for show only."""

    #: Major units, digit by digit.
    value: float

    #: The same digits as text, for programs that must not round.
    amount: str

    #: ISO 4217.
    currencyCode: str


class Period(TypedDict):
    """A span of time, in whole units."""

    #: The unit.
    unit: Union[PeriodUnit, str]

    #: How many of them.
    numberOfUnits: int


class Offer(TypedDict):
    """A price for a first period, or a discount."""

    #: What is charged; 0 is a free trial.
    price: Price

    #: For how long.
    period: Period


class Storefront(TypedDict):
    """The country that counts."""

    #: Opaque; compare the country.
    id: str

    #: ISO 3166-1 alpha-2.
    countryCode: str


class _Origin(TypedDict):
    #: The user id that the kernel reported.
    uid: int


class Origin(_Origin, total=False):
    """Who caused something."""

    #: The name that the client gave with hello.
    client: str


class _Event(TypedDict):
    #: The place of its record in the log.
    seq: int

    #: Which further members it has.
    kind: Union[EventKind, str]

    #: When its record was made.
    time: str


_EventOdd = TypedDict(
    "_EventOdd",
    {"from": "Optional[Storefront]"},
    total=False,
)


class Event(_EventOdd, _Event, total=False):
    """A record of the log. Which members it has depends on `kind`."""

    #: Nothing changed: what is unfinished is shown again.
    redelivery: bool

    #: Full snapshots; of removed ones the last.
    transactions: List[Transaction]

    #: Why transactions left the queue, or a question ended unanswered.
    reason: Union[EventReason, str]

    #: Who caused it, if a client did.
    by: Origin

    #: The trace that came with the call that caused it.
    trace: str

    #: The storefront now.
    to: Optional[Storefront]

    #: The account now in session, or the one whose session the store has ended.
    account: Optional[str]

    #: The restore that ended.
    restore: str

    #: How many transactions a restore gave back.
    count: int

    #: Why a restore failed: one case name with an empty object.
    error: JSONObject

    #: The products that were taken back.
    products: List[str]

    #: Their orders.
    orders: List[str]

    #: Counts the catalogues of the store.
    revision: int

    #: The question.
    question: str

    #: What is asked.
    type: Union[QuestionType, str]

    #: The transaction that waits for the answer.
    transaction: str

    #: Why it is asked, or why a storefront changed that no client asked to change.
    cause: Union[EventCause, str]

    #: What would be bought.
    product: Product

    #: For how much.
    price: Price

    #: Where.
    storefront: Storefront

    #: What silence means.
    fallback: bool

    #: When silence answers; null until somebody was asked.
    deadline: Optional[str]

    #: What the question came to; null if to nothing.
    value: Optional[bool]

    #: What the one who answered said about it.
    note: str


class TestSettingsTimeRate(TypedDict):
    """Part of `TestSettings`."""

    #: How many seconds a month lasts.
    monthSeconds: int


class TestSettingsSimulatedErrors(TypedDict):
    """Part of `TestSettings`."""

    #: What it fails with.
    products: Optional[Union[SimulatedError, str]]

    #: What it fails with.
    purchase: Optional[Union[SimulatedError, str]]

    #: What it fails with.
    completion: Optional[Union[SimulatedError, str]]

    #: What it fails with.
    restore: Optional[Union[SimulatedError, str]]

    #: What it fails with.
    reconciliation: Optional[Union[SimulatedError, str]]

    #: What it fails with.
    history: Optional[Union[SimulatedError, str]]

    #: What it fails with.
    login: Optional[Union[SimulatedError, str]]


class _TestSettings(TypedDict):
    #: New orders fail with failureError.
    failTransactionsEnabled: bool

    #: How they fail.
    failureError: Union[TestSettingsFailureError, str]

    #: New orders wait for an approval.
    askToBuyEnabled: bool

    #: Every purchase is interrupted and fails.
    interruptedPurchasesEnabled: bool

    #: How fast subscriptions live.
    timeRate: Union[int, TestSettingsTimeRate]

    #: Whether the accounts may buy.
    paymentsAllowed: bool

    #: A subscription that was not renewed goes on for a while.
    billingGracePeriodIsEnabled: bool

    #: Renewals are not paid until resolved.
    shouldEnterBillingRetryOnRenewal: bool

    #: The error of each call, or null.
    simulatedErrors: TestSettingsSimulatedErrors

    #: How long every answer takes, in milliseconds.
    latencyMs: int

    #: Nothing is answered.
    storeDown: bool


class TestSettings(_TestSettings, total=False):
    """The settings of the sandbox."""

    #: The country of every account, if one was set.
    storefront: str

    #: Which texts products have, if one was set.
    locale: str


class _Order(TypedDict):
    #: The order.
    order: str

    #: The first order of its chain.
    original: str

    #: Who pays.
    account: str

    #: What was bought.
    product: str

    #: What it costs there; each period, for a subscription.
    price: Price

    #: In which country.
    countryCode: str

    #: Where it stands.
    state: Union[OrderState, str]

    #: Whether the store knows that the goods were delivered.
    completed: bool

    #: When it was placed.
    placedAt: str


class Order(_Order, total=False):
    """The sandbox's record of a payment."""

    #: The transaction that asked for it.
    transaction: str

    #: What the store took; absent until it did.
    charged: Charge

    #: Why that is not the price of the product, where it is not.
    offer: Union[OfferKind, str]

    #: When a scheduled change of subscription takes effect.
    effectiveAt: str

    #: The store took it back: what was bought must not be unlocked any more.
    revocation: Revocation

    #: The application's own account.
    appAccountToken: str

    #: How it failed, if it did.
    error: Union[OrderError, str]

    #: What is behind the error.
    failureReason: str

    #: Whether it renews an order before it.
    renewal: bool

    #: When it ends, for a subscription.
    expiresAt: str

    #: When it was taken back, if it was.
    revokedAt: str


class _Restore(TypedDict):
    #: Names the restore.
    id: str

    #: Where it stands.
    state: Union[RestoreState, str]


class Restore(_Restore, total=False):
    """A restore and how far it is."""

    #: What it waits for; only while running.
    waitingFor: Union[WaitingFor, str]

    #: How many transactions it gave back; only when completed.
    count: int

    #: One case name with an empty object; only when failed.
    error: JSONObject


class _TestClock(TypedDict):
    #: What the sandbox's clock shows.
    now: str


class TestClock(_TestClock, total=False):
    """The sandbox's clock."""

    #: When the next event is due, if any is.
    nextEventAt: str


class Charge(TypedDict):
    """What the store took: an exact amount, `0.00` for what was free."""

    #: Major units, with the digits of the currency; 0.00 for what was free.
    amount: str

    #: ISO 4217.
    currencyCode: str


class Revocation(TypedDict):
    """When and why the store took an order back."""

    #: When.
    at: str

    #: Why, such as refund.
    reason: str


class _EventNotice(TypedDict):
    #: The subscription.
    subscription: str

    #: The seq sent before on it.
    prev: int

    #: The place of its record in the log.
    seq: int

    #: Which further members it has.
    kind: Union[EventKind, str]

    #: When its record was made.
    time: str


_EventNoticeOdd = TypedDict(
    "_EventNoticeOdd",
    {"from": "Optional[Storefront]"},
    total=False,
)


class EventNotice(_EventNoticeOdd, _EventNotice, total=False):
    """Something happened to the queue."""

    #: Nothing changed: what is unfinished is shown again.
    redelivery: bool

    #: Full snapshots; of removed ones the last.
    transactions: List[Transaction]

    #: Why transactions left the queue, or a question ended unanswered.
    reason: Union[EventReason, str]

    #: Who caused it, if a client did.
    by: Origin

    #: The trace that came with the call that caused it.
    trace: str

    #: The storefront now.
    to: Optional[Storefront]

    #: The account now in session, or the one whose session the store has ended.
    account: Optional[str]

    #: The restore that ended.
    restore: str

    #: How many transactions a restore gave back.
    count: int

    #: Why a restore failed: one case name with an empty object.
    error: JSONObject

    #: The products that were taken back.
    products: List[str]

    #: Their orders.
    orders: List[str]

    #: Counts the catalogues of the store.
    revision: int

    #: The question.
    question: str

    #: What is asked.
    type: Union[QuestionType, str]

    #: The transaction that waits for the answer.
    transaction: str

    #: Why it is asked, or why a storefront changed that no client asked to change.
    cause: Union[EventCause, str]

    #: What would be bought.
    product: Product

    #: For how much.
    price: Price

    #: Where.
    storefront: Storefront

    #: What silence means.
    fallback: bool

    #: When silence answers; null until somebody was asked.
    deadline: Optional[str]

    #: What the question came to; null if to nothing.
    value: Optional[bool]

    #: What the one who answered said about it.
    note: str


class CaughtUpNotice(TypedDict):
    """Replay and redelivery are over; what follows is live."""

    #: The subscription.
    subscription: str

    #: How far the log was scanned.
    seq: int


class HeartbeatNotice(TypedDict):
    """Nothing happened for as long as the subscriber asked."""

    #: The subscription.
    subscription: str

    #: How far the log was scanned.
    seq: int


_GapNoticeOdd = TypedDict(
    "_GapNoticeOdd",
    {"from": "int"},
)


class GapNotice(_GapNoticeOdd):
    """Records were trimmed unread; a redelivery follows."""

    #: The subscription.
    subscription: str

    #: The last one missed.
    to: int

    #: Why.
    reason: Union[GapReason, str]


class EndedNotice(TypedDict):
    """The daemon ends a subscription."""

    #: The subscription.
    subscription: str

    #: Why.
    reason: Union[EndedReason, str]

    #: The last one sent.
    last: int


class ClosingNotice(TypedDict):
    """The daemon closes the connection soon."""

    #: Why.
    reason: Union[ClosingReason, str]

    #: For how long requests are still taken.
    graceMs: int

    #: Subscribe after this.
    head: int


class _HelloClient(TypedDict):
    #: The name of the client.
    name: str


class HelloClient(_HelloClient, total=False):
    """Part of `Hello`."""

    #: Its version.
    version: str


class HelloParams(TypedDict, total=False):
    """The parameters of `hello`."""

    #: Who calls: name, version?.
    client: HelloClient

    #: The version of the interface wanted; another one than ours is an error.
    api: int


class HelloServer(TypedDict):
    """Part of `Hello`."""

    #: Always the same.
    name: str

    #: The release.
    version: str


class HelloPeer(TypedDict):
    """Part of `Hello`."""

    #: The user id.
    uid: int

    #: The group id.
    gid: int


class HelloResult(TypedDict):
    """The answer to `hello`."""

    #: What answers.
    server: HelloServer

    #: The version of the interface.
    api: int

    #: Changes only when the event log was lost or reset.
    epoch: str

    #: The oldest record kept.
    oldest: int

    #: The newest record.
    head: int

    #: Who you are to the kernel.
    peer: HelloPeer

    #: What you may do.
    roles: List[Union[HelloRole, str]]

    #: What not every daemon of this version has.
    features: List[str]

    #: The limits in force, by name.
    limits: JSONObject


class PingParams(TypedDict, total=False):
    """The parameters of `ping`."""

    #: Comes back byte by byte.
    payload: Any


class PingResult(TypedDict):
    """The answer to `ping`."""

    #: The payload, or true without one.
    pong: Any


class HelpParams(TypedDict, total=False):
    """The parameters of `help`."""

    #: The method; without it, all of them.
    method: str


class HelpResult(TypedDict):
    """The answer to `help`."""

    #: For a terminal of 80 columns.
    text: str


class StatusSessionEnded(TypedDict):
    """Part of `Status`."""

    #: The account that has to log in again.
    account: str

    #: Its storefront.
    storefront: Storefront

    #: When the queue learnt of it.
    at: str


class StatusQueueByState(TypedDict):
    """Part of `StatusQueue`."""

    #: So many.
    purchasing: int

    #: So many.
    purchased: int

    #: So many.
    restored: int

    #: So many.
    failed: int


class StatusQueueWaitingFor(TypedDict, total=False):
    """Part of `StatusQueue`."""

    #: So many.
    observer: int

    #: So many.
    login: int

    #: So many.
    gate: int

    #: So many.
    approval: int

    #: So many.
    store: int


class StatusQueue(TypedDict):
    """Part of `Status`."""

    #: All that is not finished.
    unfinished: int

    #: By state.
    byState: StatusQueueByState

    #: Of the purchased: finished, store not told.
    completing: int

    #: Of the purchasing: what they wait for.
    waitingFor: StatusQueueWaitingFor


class StatusLog(TypedDict):
    """Part of `Status`."""

    #: The oldest record kept.
    oldest: int

    #: The newest record.
    head: int

    #: Its size on disk.
    bytes: int


class _StatusConnection(TypedDict):
    #: The user id of the peer.
    uid: int

    #: How many it has.
    subscriptions: int

    #: The most records that one of them is behind.
    lag: int

    #: What is held for it, on its way in or out.
    bufferedBytes: int

    #: Whether it reads too slowly.
    paused: bool


class StatusConnection(_StatusConnection, total=False):
    """Part of `Status`."""

    #: The name that it gave with hello.
    client: str


class _StatusPersistence(TypedDict):
    #: Whether the state is lost with the machine.
    volatile: bool


class StatusPersistence(_StatusPersistence, total=False):
    """Part of `Status`."""

    #: When something was last put on disk.
    lastCommit: str

    #: What last went wrong.
    lastError: str


class _StatusStore(TypedDict):
    #: Which store.
    name: str

    #: Its state.
    state: Union[StatusStoreState, str]

    #: Since when.
    since: str


class StatusStore(_StatusStore, total=False):
    """Part of `Status`."""

    #: What it last failed with.
    lastError: str

    #: When it is tried again, if that is known.
    nextTryAt: str


class _StatusCanMakePayments(TypedDict):
    #: Whether a new payment would be accepted.
    value: bool


class StatusCanMakePayments(_StatusCanMakePayments, total=False):
    """Part of `Status`."""

    #: Why not.
    reason: str


class _StatusResult(TypedDict):
    #: The daemon's.
    state: Union[DaemonState, str]

    #: When it got into that state.
    since: str

    #: The account in session.
    account: Optional[str]

    #: Its storefront.
    storefront: Optional[Storefront]

    #: What the account in session may see, and what waits for an account whose session the store
    #: has ended.
    queue: StatusQueue

    #: The event log.
    log: StatusLog

    #: Oldest first.
    connections: List[StatusConnection]

    #: Decisions that are open.
    questions: int

    #: The disk.
    persistence: StatusPersistence

    #: The store.
    store: StatusStore

    #: Restores that run.
    restores: List[Restore]

    #: Whether the account may buy.
    canMakePayments: StatusCanMakePayments


class StatusResult(_StatusResult, total=False):
    """The answer to `status`."""

    #: The session that the store has ended; there until somebody logs in.
    sessionEnded: StatusSessionEnded


class MetricsResult(TypedDict):
    """The answer to `metrics`."""

    #: The content type of the text.
    format: str

    #: One metric per line.
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

    #: What would be sent as its parameters.
    params: Any


class CheckResult(TypedDict):
    """The answer to `check`."""

    #: Always true; anything else is an error.
    ok: bool


class ProductsParams(TypedDict, total=False):
    """The parameters of `products`."""

    #: Only these products.
    ids: Sequence[str]

    #: The most entries of a page; 100 without it.
    limit: int

    #: The page that next of an earlier answer named.
    page: str


class _ProductsResult(TypedDict):
    #: What is sold.
    products: List[Product]

    #: Asked for and not sold here.
    invalid: List[str]

    #: Where the prices are of.
    storefront: Storefront


class ProductsResult(_ProductsResult, total=False):
    """The answer to `products`."""

    #: The next page, if there is one.
    next: str


class _Entitlement(TypedDict):
    #: The order.
    transactionIdentifier: str

    #: The first order of its chain.
    originalTransactionIdentifier: str

    #: What clients buy it by.
    productIdentifier: str

    #: The product as it was sold.
    product: Product

    #: Where it was charged.
    storefront: Storefront

    #: Whether it renews an order before it.
    renewal: bool

    #: Whether the store knows that the goods were delivered.
    completed: bool

    #: When it was paid.
    purchasedAt: str


class Entitlement(_Entitlement, total=False):
    """Part of `Entitlements`."""

    #: The transaction that asked for it.
    transaction: str

    #: The application's own account.
    appAccountToken: str

    #: What the store took; absent until it did.
    charged: Charge

    #: Why that is not the price of the product, where it is not.
    offer: Union[OfferKind, str]

    #: When a scheduled change of subscription takes effect.
    effectiveAt: str

    #: The store took it back: what was bought must not be unlocked any more.
    revocation: Revocation

    #: When it ends, for a subscription.
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

    #: The page that next of an earlier answer named.
    page: str


class _SignedHistoryResult(TypedDict):
    #: The compact JWS.
    jws: str

    #: The key that signed it.
    kid: str

    #: How it was signed: RS256 or ES256.
    alg: str


class SignedHistoryResult(_SignedHistoryResult, total=False):
    """The answer to `signedHistory`."""

    #: The next page, if there is one.
    next: str


class _Key(TypedDict):
    #: The kind of key.
    kty: Union[KeyKty, str]

    #: What it is for.
    use: Union[KeyUse, str]

    #: What it is used with: RS256 or ES256.
    alg: str

    #: What signatures name it by.
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

    #: JSON Web Keys, the one in use first.
    keys: List[Key]


class LoginParams(TypedDict, total=False):
    """The parameters of `login`."""

    #: The account at the store; without it the login agents are asked.
    account: str

    #: What proves it; never logged.
    credential: str

    #: A trace context, echoed in the records that the call causes.
    trace: str


class LoginResult(TypedDict):
    """The answer to `login`."""

    #: The account in session.
    account: str

    #: Its storefront.
    storefront: Storefront

    #: The record of the change, or the newest.
    seq: int


class LogoutParams(TypedDict, total=False):
    """The parameters of `logout`."""

    #: A trace context, echoed in the records that the call causes.
    trace: str


class LogoutResult(TypedDict):
    """The answer to `logout`."""

    #: The record of the change, or the newest.
    seq: int


class StorefrontParams(TypedDict, total=False):
    """The parameters of `storefront`."""

    #: The country to assume while nobody is logged in; "" takes it back.
    assume: str


class _StorefrontResult(TypedDict):
    #: Where the account in session is; null without one.
    storefront: Optional[Storefront]

    #: The account in session.
    account: Optional[str]


class StorefrontResult(_StorefrontResult, total=False):
    """The answer to `storefront`."""

    #: The country assumed while nobody is logged in.
    assumed: str


class _AddParams(TypedDict):
    #: The identifier of the product.
    product: str


class AddParams(_AddParams, total=False):
    """The parameters of `add`."""

    #: Ties the purchase to the application's own account; carried and echoed.
    appAccountToken: str

    #: The idempotency key; kept for at least 90 days, compared by bytes.
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

    #: Where it stands.
    state: Union[TransactionState, str]

    #: The record of acceptance.
    seq: int

    #: Whether the key was used before.
    duplicate: bool


class AddResult(_AddResult, total=False):
    """The answer to `add`."""

    #: What it waits for.
    waitingFor: Union[WaitingFor, str]

    #: How a transaction left the queue that a duplicate names.
    removed: AddRemoved


class RestoreParams(TypedDict, total=False):
    """The parameters of `restore`."""

    #: The idempotency key; kept for at least 90 days, compared by bytes.
    key: str

    #: Only purchases that carry this token.
    appAccountToken: str

    #: A trace context, echoed in the records that the call causes.
    trace: str


class _RestoreResult(TypedDict):
    #: The restore.
    restore: str

    #: Where it stands.
    state: Union[RestoreState, str]

    #: The record of acceptance, or the newest.
    seq: int

    #: Whether it was there already.
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

    #: What the call came to.
    disposition: Union[FinishDisposition, str]

    #: The record that the call made, or the newest.
    seq: int


class TransactionsParams(TypedDict, total=False):
    """The parameters of `transactions`."""

    #: Only these transactions; unknown ones are left out.
    ids: Sequence[str]

    #: Only these states. finished lists what left the queue.
    states: Sequence[TransactionFilter]

    #: The most entries of a page; 100 without it.
    limit: int

    #: The page that next of an earlier answer named.
    page: str


class _TransactionsResult(TypedDict):
    #: In the order of acceptance.
    transactions: List[Transaction]

    #: The position as of which this is true.
    seq: int


class TransactionsResult(_TransactionsResult, total=False):
    """The answer to `transactions`."""

    #: The next page, if there is one.
    next: str


class WaitParams(TypedDict, total=False):
    """The parameters of `wait`."""

    #: The transaction.
    transaction: str

    #: The restore, instead.
    restore: str

    #: What to wait for; without it any state but purchasing, or the removal. For transactions only.
    until: Sequence[WaitUntil]

    #: Seconds to wait at most; 60 without it.
    timeout: float


class _WaitResult(TypedDict):
    #: False if the time ran out first.
    reached: bool

    #: The position as of which this is true.
    seq: int


class WaitResult(_WaitResult, total=False):
    """The answer to `wait`."""

    #: As it is now.
    transaction: Transaction

    #: As it is now.
    restore: Restore


class SubscribeParams(TypedDict, total=False):
    """The parameters of `subscribe`."""

    #: Records behind this place; start is the oldest, now the newest.
    after: Union[int, SubscribeAfter]

    #: The epoch that after belongs to.
    epoch: str

    #: Only these kinds.
    kinds: Sequence[EventKind]

    #: Only transactions for these products.
    products: Sequence[str]

    #: Only watch; do not make transactions proceed.
    passive: bool

    #: Questions that you can put to a person; it takes the roles to answer them.
    agent: Sequence[SubscribeAgent]

    #: Names a durable observer; begins at its ack unless after says otherwise.
    name: str

    #: Seconds of silence after which a heartbeat comes.
    heartbeat: float

    #: When records were trimmed unread: snapshot (the default) redelivers, error ends.
    onGap: SubscribeOnGap


class SubscribeResult(TypedDict):
    """The answer to `subscribe`."""

    #: Names it in every event.
    subscription: str

    #: Store it with your cursor.
    epoch: str

    #: The oldest record kept.
    oldest: int

    #: The newest record.
    head: int


class UnsubscribeParams(TypedDict):
    """The parameters of `unsubscribe`."""

    #: The subscription.
    subscription: str


class _UnsubscribeResult(TypedDict):
    #: Whether there was such a subscription.
    unsubscribed: bool


class UnsubscribeResult(_UnsubscribeResult, total=False):
    """The answer to `unsubscribe`."""

    #: Where it had got to.
    last: int


class _EventsParams(TypedDict):
    #: Records behind this place.
    after: Union[int, SubscribeAfter]


class EventsParams(_EventsParams, total=False):
    """The parameters of `events`."""

    #: The most entries of a page; 100 without it.
    limit: int

    #: Seconds to wait for the first event if there is none yet.
    wait: float

    #: Only these kinds.
    kinds: Sequence[EventKind]

    #: The epoch that after belongs to.
    epoch: str


class EventsResult(TypedDict):
    """The answer to `events`."""

    #: In the order of the log.
    events: List[Event]

    #: The cursor for the next call.
    next: int

    #: The newest record.
    head: int

    #: Store it with your cursor.
    epoch: str


class AckParams(TypedDict):
    """The parameters of `ack`."""

    #: The observer.
    name: str

    #: The last record it has dealt with.
    seq: int


class AckResult(TypedDict):
    """The answer to `ack`."""

    #: Up to where everything is dealt with.
    acked: int


class _Observer(TypedDict):
    #: How far the log has gone on behind it.
    lag: int

    #: Whether its peer is there.
    connected: bool


class Observer(_Observer, total=False):
    """Part of `Observers`."""

    #: The subscription, while there is one.
    subscription: str

    #: The user id of the peer.
    uid: int

    #: The name that the client gave with hello.
    client: str

    #: The durable name.
    name: str

    #: Whether it only watches.
    passive: bool

    #: Only these kinds.
    kinds: List[Union[EventKind, str]]

    #: Only these products.
    products: List[str]

    #: What it can ask a person for.
    agent: List[Union[SubscribeAgent, str]]

    #: Up to where the name has dealt with everything.
    acked: int


class ObserversResult(TypedDict):
    """The answer to `observers`."""

    #: In the order of subscribing, then by name.
    observers: List[Observer]


class DelegateParams(TypedDict, total=False):
    """The parameters of `delegate`."""

    #: What happens when country or price changed.
    mode: DelegateMode

    #: Seconds that silence is waited for once somebody was asked.
    timeout: float

    #: What silence means: true goes on, false does not.
    fallback: bool

    #: What happens after a login that add had asked for.
    afterLogin: DelegateAfterLogin


class DelegateResult(TypedDict):
    """The answer to `delegate`."""

    #: In force.
    mode: Union[DelegateMode, str]

    #: In seconds.
    timeout: float

    #: What silence means.
    fallback: bool

    #: After a login that add had asked for.
    afterLogin: Union[DelegateAfterLogin, str]

    #: The record of the change, or the newest.
    seq: int


class _Question(TypedDict):
    #: Names the question.
    question: str

    #: What is asked.
    type: Union[QuestionType, str]

    #: What silence means.
    fallback: bool

    #: When it was asked first.
    openedAt: str


class Question(_Question, total=False):
    """Part of `Questions`."""

    #: What waits for the answer.
    transaction: str

    #: Why it is asked.
    cause: Union[QuestionCause, str]

    #: What would be charged for.
    product: Product

    #: What would be charged.
    price: Price

    #: Where.
    storefront: Storefront

    #: When silence counts; not before somebody was asked.
    deadline: str


class QuestionsResult(TypedDict):
    """The answer to `questions`."""

    #: In the order of asking.
    questions: List[Question]


class _AnswerParams(TypedDict):
    #: The question.
    question: str

    #: Whether to go on.
    value: bool


class AnswerParams(_AnswerParams, total=False):
    """The parameters of `answer`."""

    #: Why; shown with questionClosed.
    reason: str

    #: A trace context, echoed in the records that the call causes.
    trace: str


class AnswerResult(TypedDict):
    """The answer to `answer`."""

    #: Always true; anything else is an error.
    accepted: bool

    #: The record of the answer.
    seq: int


class CancelParams(TypedDict):
    """The parameters of `cancel`."""

    #: The id of the call, written as it was written there.
    id: Any


class CancelResult(TypedDict):
    """The answer to `cancel`."""

    #: Whether the call was waiting.
    cancelled: bool


class _DecideParams(TypedDict):
    #: The transaction.
    transaction: str

    #: What becomes of it.
    outcome: DecideOutcome


class DecideParams(_DecideParams, total=False):
    """The parameters of `decide`."""

    #: A trace context, echoed in the records that the call causes.
    trace: str


class DecideResult(TypedDict):
    """The answer to `decide`."""

    #: The transaction.
    transaction: str

    #: Where it stands.
    state: Union[TransactionState, str]

    #: The position as of which this is true.
    seq: int


class _DrainParams(TypedDict):
    #: Whether new work is refused.
    on: bool


class DrainParams(_DrainParams, total=False):
    """The parameters of `drain`."""

    #: A trace context, echoed in the records that the call causes.
    trace: str


class DrainResult(TypedDict):
    """The answer to `drain`."""

    #: What the daemon does now.
    state: Union[DaemonState, str]


class ReloadParams(TypedDict, total=False):
    """The parameters of `reload`."""

    #: A trace context, echoed in the records that the call causes.
    trace: str


class ReloadResult(TypedDict):
    """The answer to `reload`."""

    #: The settings that changed, by key.
    changed: List[str]


class BackupParams(TypedDict, total=False):
    """The parameters of `backup`."""

    #: A trace context, echoed in the records that the call causes.
    trace: str


class BackupResult(TypedDict):
    """The answer to `backup`."""

    #: Where the copy is.
    path: str

    #: The position as of which it is true.
    seq: int

    #: Its size.
    bytes: int


class TestSetTimeRate(TypedDict):
    """Part of `TestSet`."""

    #: How many seconds a month lasts.
    monthSeconds: int


class TestSetSimulatedErrors(TypedDict, total=False):
    """Part of `TestSet`."""

    #: What it fails with; null for none.
    products: Optional[SimulatedCatalogueError]

    #: What it fails with; null for none.
    purchase: Optional[SimulatedStoreError]

    #: What it fails with; null for none.
    completion: Optional[SimulatedStoreError]

    #: What it fails with; null for none.
    restore: Optional[SimulatedStoreError]

    #: What it fails with; null for none.
    reconciliation: Optional[SimulatedStoreError]

    #: What it fails with; null for none.
    history: Optional[SimulatedStoreError]

    #: What it fails with; null for none.
    login: Optional[SimulatedLoginError]


class TestSetParams(TypedDict, total=False):
    """The parameters of `test.set`."""

    #: New orders fail with failureError.
    failTransactionsEnabled: bool

    #: How they fail.
    failureError: TestSettingsFailureError

    #: New orders wait for an approval.
    askToBuyEnabled: bool

    #: Every purchase fails until test.resolve, which makes it a new one.
    interruptedPurchasesEnabled: bool

    #: How fast subscriptions live: Apple's number, or how long a month lasts.
    timeRate: Union[int, TestSetTimeRate]

    #: The country of every account.
    storefront: str

    #: Whether the accounts may buy.
    paymentsAllowed: bool

    #: Which texts products have, such as en_US.
    locale: str

    #: A subscription that was not renewed goes on for a while.
    billingGracePeriodIsEnabled: bool

    #: Renewals are not paid until test.resolve.
    shouldEnterBillingRetryOnRenewal: bool

    #: The calls that fail, and how.
    simulatedErrors: TestSetSimulatedErrors

    #: Milliseconds that every answer takes.
    latencyMs: int

    #: Nothing is answered.
    storeDown: bool


class TestOrdersParams(TypedDict, total=False):
    """The parameters of `test.orders`."""

    #: The most entries of a page; 100 without it.
    limit: int

    #: The page that next of an earlier answer named.
    page: str


class _TestOrdersResult(TypedDict):
    #: Oldest first.
    orders: List[Order]


class TestOrdersResult(_TestOrdersResult, total=False):
    """The answer to `test.orders`."""

    #: The next page, if there is one.
    next: str


class _TestBuyParams(TypedDict):
    #: The identifier of the product.
    product: str


class TestBuyParams(_TestBuyParams, total=False):
    """The parameters of `test.buy`."""

    #: Ties the purchase to the application's own account.
    appAccountToken: str


class TestRefundParams(TypedDict, total=False):
    """The parameters of `test.refund`."""

    #: The transaction that asked for it.
    transaction: str

    #: The order itself, instead.
    order: str


class TestResolveParams(TypedDict, total=False):
    """The parameters of `test.resolve`."""

    #: The transaction that asked for it.
    transaction: str

    #: The order itself, instead.
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

    #: Whether it renews itself.
    enabled: bool


class TestPriceIncreaseParams(TypedDict):
    """The parameters of `test.priceIncrease`."""

    #: The subscription of the account.
    product: str

    #: What the subscriber says.
    answer: TestPriceIncreaseAnswer


class TestDeleteOrderParams(TypedDict, total=False):
    """The parameters of `test.deleteOrder`."""

    #: The transaction that asked for it.
    transaction: str

    #: The order itself, instead.
    order: str


class TestClockAdvanceParams(TypedDict):
    """The parameters of `test.clock.advance`."""

    #: How far.
    seconds: float


class _TestClockAdvanceResult(TypedDict):
    #: What the sandbox's clock shows.
    now: str

    #: How many events happened.
    events: int


class TestClockAdvanceResult(_TestClockAdvanceResult, total=False):
    """The answer to `test.clock.advance`."""

    #: When the next event is due, if any is.
    nextEventAt: str


class ErrorCode(enum.IntEnum):
    """The codes of errors; ``code`` of a ``ServerError`` may also be one of later."""

    #: The configuration was refused.
    CONFIGURATION_REFUSED = 1701

    #: The store does not know this application.
    APP_NOT_REGISTERED = 1603

    #: The store has no such order.
    NO_SUCH_ORDER = 1602

    #: The store does not offer this.
    NOT_SUPPORTED_BY_STORE = 1601

    #: No account is in session.
    NOT_LOGGED_IN = 1504

    #: The credential is wrong.
    BAD_CREDENTIAL = 1502

    #: The store has no such account.
    UNKNOWN_ACCOUNT = 1501

    #: The question was answered before.
    QUESTION_CLOSED = 1402

    #: There is no such question.
    UNKNOWN_QUESTION = 1401

    #: There is no observer of this name.
    UNKNOWN_OBSERVER = 1305

    #: A live subscription has this name.
    NAME_IN_USE = 1304

    #: The cursor belongs to another event log.
    OTHER_EPOCH = 1303

    #: The cursor is ahead of the event log.
    CURSOR_AHEAD = 1302

    #: The records behind the cursor are no longer kept.
    CURSOR_TOO_OLD = 1301

    #: There is nothing to decide about this transaction.
    NOT_DECIDABLE = 1204

    #: The page is gone; start with the first one again.
    PAGE_EXPIRED = 1203

    #: There is no such transaction.
    UNKNOWN_TRANSACTION = 1201

    #: No product has such an identifier.
    INVALID_PRODUCT_IDENTIFIER = 1109

    #: A transaction for this product is not finished yet.
    ALREADY_LIVE = 1107

    #: The work was turned down after the login.
    REJECTED_AFTER_LOGIN = 1106

    #: The queue holds as many transactions as it may.
    QUEUE_FULL = 1105

    #: Nobody logged in.
    LOGIN_DISCARDED = 1104

    #: The account in session may not buy.
    PAYMENTS_NOT_ALLOWED = 1103

    #: The key was used for another call.
    KEY_REUSE = 1102

    #: The store does not sell this product here.
    UNKNOWN_PRODUCT = 1101

    #: This daemon speaks another version.
    UNSUPPORTED_VERSION = 1002

    #: Too many calls of this connection are waiting.
    TOO_MANY_IN_FLIGHT = -32000

    #: The line is too long.
    LINE_TOO_LONG = -32001

    #: The line was not ended in time.
    TIMEOUT = -32002

    #: The result does not fit into a line; ask for less.
    RESULT_TOO_LARGE = -32003

    #: Too many subscriptions.
    TOO_MANY_SUBSCRIPTIONS = -32004

    #: Too many connections.
    TOO_MANY_CONNECTIONS = -32005

    #: The daemon is drained or stopped and takes no new work.
    DRAINING = -32006

    #: Your user lacks the role that this call needs.
    FORBIDDEN = -32007

    #: The change could not be put on stable storage.
    NOT_DURABLE = -32008

    #: The store cannot serve now.
    STORE_UNAVAILABLE = -32009

    #: The call was cancelled.
    CANCELLED = -32010

    #: The store does not answer.
    CONNECTION_ERROR = -32011

    #: There is no room for more until something ends.
    SHARE_EXCEEDED = -32013

    #: Invalid Request.
    INVALID_REQUEST = -32600

    #: Method not found.
    METHOD_NOT_FOUND = -32601

    #: Invalid params.
    INVALID_PARAMS = -32602

    #: Internal error.
    INTERNAL = -32603
