//! The types and calls of the contract. Written from it by a test: do not edit.
//!
//! Later daemons may add members, states and kinds: members that are not known are left out,
//! words that are not known are `Other`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::client::{Call, Client};
use crate::errors::Error;
use crate::files::fresh_key;
use crate::words::words;

words! {
    TransactionState {
        Purchasing = "purchasing",
        Purchased = "purchased",
        Restored = "restored",
        Failed = "failed",
    }
}

words! {
    WaitingFor {
        Observer = "observer",
        Login = "login",
        Gate = "gate",
        Approval = "approval",
        Store = "store",
    }
}

words! {
    TransactionReason {
        Purchase = "purchase",
        Renewal = "renewal",
        Restore = "restore",
        External = "external",
    }
}

words! {
    OfferKind {
        Introductory = "introductory",
        AlreadyOwned = "alreadyOwned",
        Scheduled = "scheduled",
    }
}

words! {
    RemovalReason {
        Finished = "finished",
        Withdrawn = "withdrawn",
        DiscardedByGate = "discardedByGate",
        RejectedAfterLogin = "rejectedAfterLogin",
        Deleted = "deleted",
    }
}

words! {
    ProductType {
        Consumable = "consumable",
        NonConsumable = "nonConsumable",
        NonRenewingSubscription = "nonRenewingSubscription",
        AutoRenewableSubscription = "autoRenewableSubscription",
    }
}

words! {
    PeriodUnit {
        Day = "day",
        Week = "week",
        Month = "month",
        Year = "year",
    }
}

words! {
    EventKind {
        TransactionsUpdated = "transactionsUpdated",
        TransactionsRemoved = "transactionsRemoved",
        RestoreCompleted = "restoreCompleted",
        RestoreFailed = "restoreFailed",
        StorefrontChanged = "storefrontChanged",
        EntitlementsRevoked = "entitlementsRevoked",
        ProductsChanged = "productsChanged",
        QuestionOpened = "questionOpened",
        QuestionClosed = "questionClosed",
    }
}

words! {
    EventReason {
        Finished = "finished",
        Withdrawn = "withdrawn",
        DiscardedByGate = "discardedByGate",
        RejectedAfterLogin = "rejectedAfterLogin",
        Deleted = "deleted",
        Answered = "answered",
        TimedOut = "timedOut",
        AgentGone = "agentGone",
        SessionChanged = "sessionChanged",
        Restarted = "restarted",
    }
}

words! {
    QuestionType {
        Login = "login",
        AfterLogin = "afterLogin",
        ShouldContinue = "shouldContinue",
        Payment = "payment",
    }
}

words! {
    EventCause {
        Storefront = "storefront",
        Price = "price",
        SessionEnded = "sessionEnded",
    }
}

words! {
    TestSettingsFailureError {
        Cancelled = "cancelled",
        Declined = "declined",
        PresentationFailed = "presentationFailed",
        Unknown = "unknown",
        InvalidOfferIdentifier = "invalidOfferIdentifier",
        InvalidSignature = "invalidSignature",
        MissingOfferParams = "missingOfferParams",
        InvalidOfferPrice = "invalidOfferPrice",
    }
}

words! {
    SimulatedError {
        ConnectionError = "connectionError",
        ServiceUnavailable = "serviceUnavailable",
        AppNotRegistered = "appNotRegistered",
        UnknownAccount = "unknownAccount",
        BadCredential = "badCredential",
        SessionRevoked = "sessionRevoked",
        StorageFailed = "storageFailed",
        InternalError = "internalError",
    }
}

words! {
    OrderState {
        Deferred = "deferred",
        Purchased = "purchased",
        Failed = "failed",
        Refunded = "refunded",
    }
}

words! {
    OrderError {
        Cancelled = "cancelled",
        PresentationFailed = "presentationFailed",
        InternalError = "internalError",
    }
}

words! {
    RestoreState {
        Running = "running",
        Completed = "completed",
        Failed = "failed",
    }
}

words! {
    GapReason {
        Trimmed = "trimmed",
        Damaged = "damaged",
    }
}

words! {
    EndedReason {
        Trimmed = "trimmed",
        Unreadable = "unreadable",
        RoleWithdrawn = "roleWithdrawn",
    }
}

words! {
    ClosingReason {
        Shutdown = "shutdown",
    }
}

words! {
    HelloRole {
        Observe = "observe",
        Buy = "buy",
        Gate = "gate",
        Admin = "admin",
    }
}

words! {
    DaemonState {
        Running = "running",
        Draining = "draining",
        Degraded = "degraded",
    }
}

words! {
    StatusStorageRoomShortage {
        Bytes = "bytes",
        Files = "files",
        Quota = "quota",
        FileSize = "fileSize",
    }
}

words! {
    StatusStoreState {
        Unknown = "unknown",
        Available = "available",
        Unavailable = "unavailable",
    }
}

words! {
    KeyKty {
        RSA = "RSA",
        EC = "EC",
    }
}

words! {
    KeyUse {
        Sig = "sig",
    }
}

words! {
    FinishDisposition {
        Removed = "removed",
        Completing = "completing",
        IgnoredInFlight = "ignoredInFlight",
        AlreadyFinished = "alreadyFinished",
    }
}

words! {
    TransactionFilter {
        Purchasing = "purchasing",
        Purchased = "purchased",
        Restored = "restored",
        Failed = "failed",
        Finished = "finished",
    }
}

words! {
    WaitUntil {
        Purchasing = "purchasing",
        Purchased = "purchased",
        Restored = "restored",
        Failed = "failed",
        Removed = "removed",
    }
}

words! {
    SubscribeAfter {
        Start = "start",
        Now = "now",
    }
}

words! {
    SubscribeAgent {
        Login = "login",
        Payment = "payment",
    }
}

words! {
    SubscribeOnGap {
        Snapshot = "snapshot",
        Error = "error",
    }
}

words! {
    DelegateMode {
        Continue = "continue",
        Stop = "stop",
        Ask = "ask",
    }
}

words! {
    DelegateAfterLogin {
        Continue = "continue",
        Ask = "ask",
    }
}

words! {
    QuestionCause {
        Storefront = "storefront",
        Price = "price",
    }
}

words! {
    DecideOutcome {
        Approve = "approve",
        Decline = "decline",
    }
}

words! {
    ClusterRole {
        Owner = "owner",
        Follower = "follower",
    }
}

words! {
    SimulatedCatalogueError {
        ConnectionError = "connectionError",
        ServiceUnavailable = "serviceUnavailable",
        AppNotRegistered = "appNotRegistered",
        InternalError = "internalError",
    }
}

words! {
    SimulatedStoreError {
        ConnectionError = "connectionError",
        ServiceUnavailable = "serviceUnavailable",
        AppNotRegistered = "appNotRegistered",
        InternalError = "internalError",
        SessionRevoked = "sessionRevoked",
    }
}

words! {
    SimulatedLoginError {
        ConnectionError = "connectionError",
        ServiceUnavailable = "serviceUnavailable",
        AppNotRegistered = "appNotRegistered",
        InternalError = "internalError",
        UnknownAccount = "unknownAccount",
        BadCredential = "badCredential",
    }
}

words! {
    TestPriceIncreaseAnswer {
        Consent = "consent",
        Decline = "decline",
        Pending = "pending",
    }
}

/// The queue's record of one payment.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Transaction {
    /// The identifier of the transaction; never changes and is never reused.
    pub id: String,
    /// The identifier of the order at the store; absent until there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction_identifier: Option<String>,
    /// The identifier of the first order of its chain of renewals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original_transaction_identifier: Option<String>,
    /// The product that was asked for, with the token that was sent.
    pub payment: Payment,
    /// The state.
    pub transaction_state: TransactionState,
    /// The storefront in which it is charged, or was charged.
    pub storefront: Storefront,
    /// An object with one member, whose name is the error and whose value is empty; only in state
    /// failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Map<String, Value>>,
    /// The revision; grows with each record of this transaction.
    pub revision: i64,
    /// The time at which it was accepted.
    pub created_at: String,
    /// The time of its newest record.
    pub updated_at: String,
    /// What it waits for; only in state purchasing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<WaitingFor>,
    /// Whether finish was accepted and the store has not confirmed the completion yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completing: Option<bool>,
    /// The reason behind the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_reason: Option<String>,
    /// The origin of the transaction.
    pub reason: TransactionReason,
    /// The amount that the store charged; absent until it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charged: Option<Charge>,
    /// The reason why the charge is not the price of the product; absent where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offer: Option<OfferKind>,
    /// The time at which a scheduled change of subscription takes effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_at: Option<String>,
    /// Present once the store has refunded or revoked the purchase: do not unlock what was bought.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revocation: Option<Revocation>,
    /// The client that caused its newest record; absent if no client did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Origin>,
    /// The time at which it left the queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// The reason for which it left the queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removal_reason: Option<RemovalReason>,
}

/// The payment that was requested.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Payment {
    /// The product, as it was sold.
    pub product: Product,
    /// The application's own account identifier, as it was sent with the purchase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_account_token: Option<String>,
}

/// A product of the store.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Product {
    /// The identifier by which clients buy the product.
    pub product_identifier: String,
    /// The type of the product.
    pub r#type: ProductType,
    /// The localized name.
    pub localized_title: String,
    /// The localized description.
    pub localized_description: String,
    /// The address of a picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon_url: Option<String>,
    /// The price; of a subscription, the price of one period.
    pub price: Price,
    /// Only for subscriptions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscription_period: Option<Period>,
    /// Only for subscriptions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscription_group_identifier: Option<String>,
    /// The introductory offer, for new subscribers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub introductory_price: Option<Offer>,
    /// Whether the account in session is eligible for the introductory offer: once per account and
    /// subscription group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub introductory_offer_eligible: Option<bool>,
    /// A promotional offer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discounted_price: Option<Offer>,
}

/// The price of a product. `amount` is exact, `value` is for display only.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Price {
    /// The amount in major units, as a number with the same digits.
    pub value: f64,
    /// The amount as text, for programs that must not round.
    pub amount: String,
    /// ISO 4217.
    pub currency_code: String,
}

/// A span of time, in whole units.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Period {
    /// The unit.
    pub unit: PeriodUnit,
    /// The number of units.
    pub number_of_units: i64,
}

/// A price for a first period, or a discount.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Offer {
    /// The amount that is charged; 0 is a free trial.
    pub price: Price,
    /// The length of the offer.
    pub period: Period,
}

/// The country whose prices apply.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Storefront {
    /// An opaque identifier; compare countryCode instead.
    pub id: String,
    /// The country, as an ISO 3166-1 alpha-2 code.
    pub country_code: String,
}

/// The client that caused a record.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    /// The user id of the peer, as the kernel reports it.
    pub uid: i64,
    /// The name that the client gave with hello.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
}

/// A record of the log. Which members it has depends on `kind`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// The sequence number of its record in the log.
    pub seq: i64,
    /// The kind of event; it decides which further members are present.
    pub kind: EventKind,
    /// The time of its record.
    pub time: String,
    /// Whether this is a redelivery: nothing changed, unfinished transactions are sent again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redelivery: Option<bool>,
    /// The transactions, as full snapshots; of removed transactions the last snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transactions: Option<Vec<Transaction>>,
    /// The reason for which transactions left the queue, or a question ended without an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<EventReason>,
    /// The client that caused it; absent if no client did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Origin>,
    /// The trace context of the call that caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// The storefront before the change; null if no account was in session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Storefront>,
    /// The storefront after the change; null if no account is in session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Storefront>,
    /// The account that is now in session, or whose session the store has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The restore that ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restore: Option<String>,
    /// The number of transactions that the restore returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i64>,
    /// An object with one member, whose name is the reason for which the restore failed and whose
    /// value is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Map<String, Value>>,
    /// The products whose entitlements were revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub products: Option<Vec<String>>,
    /// The orders that were refunded or revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orders: Option<Vec<String>>,
    /// The revision of the store's catalogue; grows with each change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<i64>,
    /// The identifier of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// The type of question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<QuestionType>,
    /// The transaction that waits for the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// The cause of the question, or of a storefront change that no client requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<EventCause>,
    /// The product that would be bought.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product: Option<Product>,
    /// The price that would be charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storefront: Option<Storefront>,
    /// The answer that applies if none is given in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<bool>,
    /// The time at which the fallback applies; for the agent that is asked, the end of its turn;
    /// null until the question has reached an agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<String>,
    /// The answer; null if the question ended without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<bool>,
    /// The reason that was given with the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Part of `TestSettings`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestSettingsTimeRate {
    /// The length of a month, in seconds.
    pub month_seconds: i64,
}

/// Part of `TestSettings`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestSettingsSimulatedErrors {
    /// The error with which the call fails.
    pub products: Option<SimulatedError>,
    /// The error with which the call fails.
    pub purchase: Option<SimulatedError>,
    /// The error with which the call fails.
    pub completion: Option<SimulatedError>,
    /// The error with which the call fails.
    pub restore: Option<SimulatedError>,
    /// The error with which the call fails.
    pub reconciliation: Option<SimulatedError>,
    /// The error with which the call fails.
    pub history: Option<SimulatedError>,
    /// The error with which the call fails.
    pub login: Option<SimulatedError>,
}

/// The settings of the sandbox.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestSettings {
    /// New orders fail with failureError.
    pub fail_transactions_enabled: bool,
    /// The error with which new orders fail.
    pub failure_error: TestSettingsFailureError,
    /// New orders wait for an approval.
    pub ask_to_buy_enabled: bool,
    /// Every purchase is interrupted and fails.
    pub interrupted_purchases_enabled: bool,
    /// The speed of the sandbox's clock for subscriptions.
    pub time_rate: Value,
    /// The country of every account; absent if none was set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storefront: Option<String>,
    /// Whether accounts may make payments.
    pub payments_allowed: bool,
    /// The locale of product texts; absent if none was set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// A subscription whose renewal was not paid stays active for a grace period.
    pub billing_grace_period_is_enabled: bool,
    /// Renewals are not paid until resolved.
    pub should_enter_billing_retry_on_renewal: bool,
    /// The simulated error of each call, or null.
    pub simulated_errors: TestSettingsSimulatedErrors,
    /// The delay of every answer, in milliseconds.
    pub latency_ms: i64,
    /// The store does not answer.
    pub store_down: bool,
}

/// The sandbox's record of a payment.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Order {
    /// The identifier of the order.
    pub order: String,
    /// The transaction that asked for the order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// The identifier of the first order of its chain of renewals.
    pub original: String,
    /// The account that pays.
    pub account: String,
    /// The product that was bought.
    pub product: String,
    /// The price in that country; of a subscription, the price of one period.
    pub price: Price,
    /// The amount that the store charged; absent until it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charged: Option<Charge>,
    /// The reason why the charge is not the price of the product; absent where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offer: Option<OfferKind>,
    /// The time at which a scheduled change of subscription takes effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_at: Option<String>,
    /// Present once the store has refunded or revoked the purchase: do not unlock what was bought.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revocation: Option<Revocation>,
    /// The country of the order.
    pub country_code: String,
    /// The application's own account identifier, as it was sent with the purchase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_account_token: Option<String>,
    /// The state.
    pub state: OrderState,
    /// The error with which the order failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<OrderError>,
    /// The reason behind the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_reason: Option<String>,
    /// Whether the order was completed: the store knows that it was delivered.
    pub completed: bool,
    /// The time at which the order was placed.
    pub placed_at: String,
    /// Whether the order renews an earlier one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renewal: Option<bool>,
    /// The time at which the period ends; only for subscriptions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// The time at which the order was refunded or revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<String>,
}

/// A restore and its state.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Restore {
    /// The identifier of the restore.
    pub id: String,
    /// The state.
    pub state: RestoreState,
    /// What it waits for; only in state running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<WaitingFor>,
    /// The number of transactions that it returned; only in state completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i64>,
    /// An object with one member, whose name is the error and whose value is empty; only in state
    /// failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Map<String, Value>>,
}

/// The sandbox's clock.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestClock {
    /// The time on the sandbox's clock.
    pub now: String,
    /// The time at which the next event is due; absent if none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_event_at: Option<String>,
}

/// The exact amount that the store charged; `0.00` if it was free.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Charge {
    /// The amount in major units, with the digits of the currency; 0.00 if it was free.
    pub amount: String,
    /// ISO 4217.
    pub currency_code: String,
}

/// The time and reason of a refund or revocation.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Revocation {
    /// When.
    pub at: String,
    /// The reason, such as refund.
    pub reason: String,
}

/// An event of the queue.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventNotice {
    /// The identifier of the subscription.
    pub subscription: String,
    /// The seq of the event sent before on this subscription.
    pub prev: i64,
    /// The sequence number of its record in the log.
    pub seq: i64,
    /// The kind of event; it decides which further members are present.
    pub kind: EventKind,
    /// The time of its record.
    pub time: String,
    /// Whether this is a redelivery: nothing changed, unfinished transactions are sent again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redelivery: Option<bool>,
    /// The transactions, as full snapshots; of removed transactions the last snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transactions: Option<Vec<Transaction>>,
    /// The reason for which transactions left the queue, or a question ended without an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<EventReason>,
    /// The client that caused it; absent if no client did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Origin>,
    /// The trace context of the call that caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// The storefront before the change; null if no account was in session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Storefront>,
    /// The storefront after the change; null if no account is in session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Storefront>,
    /// The account that is now in session, or whose session the store has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The restore that ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restore: Option<String>,
    /// The number of transactions that the restore returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i64>,
    /// An object with one member, whose name is the reason for which the restore failed and whose
    /// value is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Map<String, Value>>,
    /// The products whose entitlements were revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub products: Option<Vec<String>>,
    /// The orders that were refunded or revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orders: Option<Vec<String>>,
    /// The revision of the store's catalogue; grows with each change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<i64>,
    /// The identifier of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// The type of question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<QuestionType>,
    /// The transaction that waits for the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// The cause of the question, or of a storefront change that no client requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<EventCause>,
    /// The product that would be bought.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product: Option<Product>,
    /// The price that would be charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storefront: Option<Storefront>,
    /// The answer that applies if none is given in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<bool>,
    /// The time at which the fallback applies; for the agent that is asked, the end of its turn;
    /// null until the question has reached an agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<String>,
    /// The answer; null if the question ended without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<bool>,
    /// The reason that was given with the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Replay and redelivery are complete; live events follow.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaughtUpNotice {
    /// The identifier of the subscription.
    pub subscription: String,
    /// The position up to which everything was sent.
    pub seq: i64,
}

/// There were no events for the interval that the subscriber asked for.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HeartbeatNotice {
    /// The identifier of the subscription.
    pub subscription: String,
    /// The position up to which everything was sent.
    pub seq: i64,
}

/// Records were trimmed or damaged before they were sent; a redelivery follows.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GapNotice {
    /// The identifier of the subscription.
    pub subscription: String,
    /// The sequence number of the first missed record.
    pub from: i64,
    /// The sequence number of the last missed record.
    pub to: i64,
    /// Why.
    pub reason: GapReason,
}

/// The daemon ends a subscription.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EndedNotice {
    /// The identifier of the subscription.
    pub subscription: String,
    /// Why.
    pub reason: EndedReason,
    /// The sequence number of the last event that was sent.
    pub last: i64,
}

/// The daemon will close the connection.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClosingNotice {
    /// Why.
    pub reason: ClosingReason,
    /// The time for which requests are still accepted, in milliseconds.
    pub grace_ms: i64,
    /// The position to pass as after when subscribing again.
    pub head: i64,
}

/// Part of `Hello`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HelloClient {
    /// The name of the client.
    pub name: String,
    /// The version of the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// The parameters of `hello`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HelloParams {
    /// The client: name, version?.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<HelloClient>,
    /// The version of the protocol that the client speaks; any other than the daemon's is an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api: Option<i64>,
}

/// Part of `Hello`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HelloServer {
    /// Always payqueued.
    pub name: String,
    /// The version of the daemon.
    pub version: String,
}

/// Part of `Hello`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HelloPeer {
    /// The user id.
    pub uid: i64,
    /// The group id.
    pub gid: i64,
}

/// The answer to `hello`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HelloResult {
    /// The name and version of the daemon.
    pub server: HelloServer,
    /// The version of the protocol.
    pub api: i64,
    /// The epoch of the log; it changes only when the log was lost or reset, or a backup was
    /// restored.
    pub epoch: String,
    /// The sequence number of the oldest record that is kept.
    pub oldest: i64,
    /// The sequence number of the newest record.
    pub head: i64,
    /// The client's credentials, as the kernel reports them.
    pub peer: HelloPeer,
    /// The roles of the client.
    pub roles: Vec<HelloRole>,
    /// The optional features of this daemon.
    pub features: Vec<String>,
    /// The limits, by name.
    pub limits: Map<String, Value>,
}

/// The parameters of `ping`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PingParams {
    /// A value that is returned unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Value>,
}

/// The answer to `ping`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PingResult {
    /// The payload, or true without one.
    pub pong: Value,
}

/// The parameters of `help`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HelpParams {
    /// The method; without it, all methods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
}

/// The answer to `help`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HelpResult {
    /// The text, at most 80 columns wide.
    pub text: String,
}

/// Part of `Status`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusSessionEnded {
    /// The account that must log in again.
    pub account: String,
    /// The storefront of the account.
    pub storefront: Storefront,
    /// The time at which the daemon learned of it.
    pub at: String,
}

/// Part of `StatusQueue`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusQueueByState {
    /// The number of transactions.
    pub purchasing: i64,
    /// The number of transactions.
    pub purchased: i64,
    /// The number of transactions.
    pub restored: i64,
    /// The number of transactions.
    pub failed: i64,
}

/// Part of `StatusQueue`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusQueueWaitingFor {
    /// The number of transactions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observer: Option<i64>,
    /// The number of transactions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub login: Option<i64>,
    /// The number of transactions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<i64>,
    /// The number of transactions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<i64>,
    /// The number of transactions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<i64>,
}

/// Part of `Status`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusQueue {
    /// The number of unfinished transactions.
    pub unfinished: i64,
    /// The number of unfinished transactions by state.
    pub by_state: StatusQueueByState,
    /// The number of purchased transactions that are finished and not yet confirmed by the store.
    pub completing: i64,
    /// The number of purchasing transactions by what they wait for.
    pub waiting_for: StatusQueueWaitingFor,
}

/// Part of `Status`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusLog {
    /// The sequence number of the oldest record that is kept.
    pub oldest: i64,
    /// The sequence number of the newest record.
    pub head: i64,
    /// The size on disk, in bytes.
    pub bytes: i64,
}

/// Part of `Status`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusConnection {
    /// The user id of the peer.
    pub uid: i64,
    /// The name that the client gave with hello.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The number of its subscriptions.
    pub subscriptions: i64,
    /// The largest number of records by which one of its subscriptions is behind.
    pub lag: i64,
    /// The bytes that are buffered for it, in and out.
    pub buffered_bytes: i64,
    /// Whether it reads more slowly than events arrive.
    pub paused: bool,
}

/// Part of `Status`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusPersistence {
    /// The time of the last sync to disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_commit: Option<String>,
    /// Whether the state directory is volatile: it is lost with the machine or container.
    pub volatile: bool,
    /// The last error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
}

/// Part of `StatusStorage`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusStorageRoom {
    /// The bytes that the file system has free.
    pub free: i64,
    /// The bytes that were written ahead and wait for records.
    pub prefilled: i64,
    /// The bytes of the files reserve.
    pub reserve: i64,
    /// The bytes that accepted transactions may still write.
    pub claimed: i64,
    /// The bytes that are left for new payments, at least 0.
    pub available: i64,
    /// Whether there is room for new payments.
    pub accepting: bool,
    /// What is missing if there is no room for new payments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortage: Option<StatusStorageRoomShortage>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

/// Part of `StatusStorage`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusStorageDamage {
    /// The file in the state directory.
    pub file: String,
    /// Where the damage begins, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<i64>,
    /// The first sequence number in doubt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<i64>,
    /// The last sequence number in doubt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<i64>,
    /// The problem, for people.
    pub detail: String,
}

/// Part of `Status`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusStorage {
    /// Whether the state is only read and nothing is taken.
    pub read_only: bool,
    /// The number of files with finished transactions.
    pub archive_files: i64,
    /// Their size on disk, in bytes.
    pub archive_bytes: i64,
    /// The finished transactions that are not in such a file yet.
    pub unarchived: i64,
    /// Whether finished transactions can be looked up. If not, an index is being built, or a
    /// damaged file cannot be indexed.
    pub indexed: bool,
    /// The room on the disk.
    pub room: StatusStorageRoom,
    /// The damage that readers or the regular check of all files have found.
    pub damage: Vec<StatusStorageDamage>,
    /// The time of the last check of all files; absent if there was none since the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked_at: Option<String>,
}

/// Part of `Status`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusStore {
    /// The name of the store.
    pub name: String,
    /// Its state.
    pub state: StatusStoreState,
    /// The time since which it is in that state.
    pub since: String,
    /// The error of the store's last answer; absent after a success.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    /// The time of the next attempt; absent if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_try_at: Option<String>,
}

/// Part of `Status`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusCanMakePayments {
    /// Whether a new payment would be accepted.
    pub value: bool,
    /// The reason why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The answer to `status`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusResult {
    /// The state of the daemon.
    pub state: DaemonState,
    /// The time since which it is in that state.
    pub since: String,
    /// The account in session.
    pub account: Option<String>,
    /// The storefront of the account.
    pub storefront: Option<Storefront>,
    /// The session that the store has ended; present until the next login.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_ended: Option<StatusSessionEnded>,
    /// What the account in session may see, and what waits for an account whose session the store
    /// has ended.
    pub queue: StatusQueue,
    /// The event log.
    pub log: StatusLog,
    /// Oldest first.
    pub connections: Vec<StatusConnection>,
    /// The open questions.
    pub questions: i64,
    /// The disk.
    pub persistence: StatusPersistence,
    /// The files and the room for them.
    pub storage: StatusStorage,
    /// The store.
    pub store: StatusStore,
    /// The running restores.
    pub restores: Vec<Restore>,
    /// Whether the account may make payments.
    pub can_make_payments: StatusCanMakePayments,
    /// What each user holds of the limits that users share, by user id; present with the role
    /// admin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shares: Option<Map<String, Value>>,
}

/// The answer to `metrics`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MetricsResult {
    /// The content type of the text.
    pub format: String,
    /// The metrics, one per line.
    pub text: String,
}

/// The answer to `rpc.discover`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RpcDiscoverResult {
    /// `openrpc`, as OpenRPC defines it.
    pub openrpc: String,
    /// `info`, as OpenRPC defines it.
    pub info: Map<String, Value>,
    /// `methods`, as OpenRPC defines it.
    pub methods: Vec<Value>,
    /// `components`, as OpenRPC defines it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub components: Option<Map<String, Value>>,
    /// `x-notifications`, as OpenRPC defines it.
    #[serde(rename = "x-notifications")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x_notifications: Option<Vec<Value>>,
    /// `x-limits`, as OpenRPC defines it.
    #[serde(rename = "x-limits")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x_limits: Option<Map<String, Value>>,
}

/// The parameters of `check`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckParams {
    /// The method.
    pub method: String,
    /// The parameters to check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<Value>,
}

/// The answer to `check`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckResult {
    /// Always true; a refusal is an error.
    pub ok: bool,
}

/// The parameters of `products`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProductsParams {
    /// Only these products.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ids: Option<Vec<String>>,
    /// The largest number of entries on the page; default 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// The page token: the member next of an earlier result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}

/// The answer to `products`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProductsResult {
    /// The products.
    pub products: Vec<Product>,
    /// Identifiers that were asked for and are not sold there.
    pub invalid: Vec<String>,
    /// The storefront of the prices.
    pub storefront: Storefront,
    /// The token of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Part of `Entitlements`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entitlement {
    /// The identifier of the order.
    pub transaction_identifier: String,
    /// The identifier of the first order of its chain of renewals.
    pub original_transaction_identifier: String,
    /// The transaction that asked for the order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// The identifier by which clients buy the product.
    pub product_identifier: String,
    /// The product, as it was sold.
    pub product: Product,
    /// The storefront in which it was charged.
    pub storefront: Storefront,
    /// The application's own account identifier, as it was sent with the purchase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_account_token: Option<String>,
    /// The amount that the store charged; absent until it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charged: Option<Charge>,
    /// The reason why the charge is not the price of the product; absent where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offer: Option<OfferKind>,
    /// The time at which a scheduled change of subscription takes effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_at: Option<String>,
    /// Present once the store has refunded or revoked the purchase: do not unlock what was bought.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revocation: Option<Revocation>,
    /// Whether the order renews an earlier one.
    pub renewal: bool,
    /// Whether the order was completed: the store knows that it was delivered.
    pub completed: bool,
    /// The time at which it was paid.
    pub purchased_at: String,
    /// The time at which the period ends; only for subscriptions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

/// The answer to `entitlements`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntitlementsResult {
    /// Oldest first.
    pub entitlements: Vec<Entitlement>,
}

/// The parameters of `signedHistory`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SignedHistoryParams {
    /// The most purchases of the page; without it, and at most, as many as a reply line has room
    /// for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// The page token: the member next of an earlier result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}

/// The answer to `signedHistory`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SignedHistoryResult {
    /// The compact JWS.
    pub jws: String,
    /// The identifier of the key that signed it.
    pub kid: String,
    /// The signature algorithm: RS256 or ES256.
    pub alg: String,
    /// The token of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Part of `Keys`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Key {
    /// The type of key.
    pub kty: KeyKty,
    /// The use of the key.
    pub r#use: KeyUse,
    /// The algorithm: RS256 or ES256.
    pub alg: String,
    /// The identifier of the key in signatures.
    pub kid: String,
    /// The modulus of an RSA key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n: Option<String>,
    /// The exponent of an RSA key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub e: Option<String>,
    /// The curve of an EC key: P-256.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crv: Option<String>,
    /// The first coordinate of an EC key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<String>,
    /// The second coordinate of an EC key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<String>,
}

/// The answer to `keys`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeysResult {
    /// The JSON Web Keys, the current one first.
    pub keys: Vec<Key>,
}

/// The parameters of `login`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoginParams {
    /// The account at the store; without it, the login agents are asked in turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The credential of the account; never logged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credential: Option<String>,
    /// A trace context, echoed in the records that the call causes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// The answer to `login`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoginResult {
    /// The account in session.
    pub account: String,
    /// The storefront of the account.
    pub storefront: Storefront,
    /// The sequence number of the record of the change; the newest record if nothing changed.
    pub seq: i64,
}

/// The parameters of `logout`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LogoutParams {
    /// A trace context, echoed in the records that the call causes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// The answer to `logout`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LogoutResult {
    /// The sequence number of the record of the change; the newest record if nothing changed.
    pub seq: i64,
}

/// The parameters of `storefront`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StorefrontParams {
    /// The country to assume while no account is in session; "" clears it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assume: Option<String>,
}

/// Part of `Storefront`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StorefrontSessionEnded {
    /// The account that must log in again.
    pub account: String,
    /// The storefront of the account.
    pub storefront: Storefront,
    /// The time at which the daemon learned of it.
    pub at: String,
}

/// The answer to `storefront`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StorefrontResult {
    /// The storefront of the account in session; null without one.
    pub storefront: Option<Storefront>,
    /// The account in session.
    pub account: Option<String>,
    /// The country that is assumed while no account is in session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed: Option<String>,
    /// The session that the store has ended; present until the next login.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_ended: Option<StorefrontSessionEnded>,
}

/// The parameters of `add`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AddParams {
    /// The identifier of the product.
    pub product: String,
    /// The application's own account identifier; it is stored with the purchase and returned with
    /// it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_account_token: Option<String>,
    /// The idempotency key; kept for at least 90 days and compared byte by byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// A trace context, echoed in the records that the call causes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// Part of `Add`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AddRemoved {
    /// Why.
    pub reason: RemovalReason,
    /// When.
    pub at: String,
}

/// The answer to `add`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AddResult {
    /// The transaction.
    pub transaction: String,
    /// The state.
    pub state: TransactionState,
    /// What it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<WaitingFor>,
    /// The sequence number of the record of acceptance; for a duplicate, the position in the log
    /// that this result reflects.
    pub seq: i64,
    /// Whether the key was used before and this is the earlier transaction.
    pub duplicate: bool,
    /// For a duplicate: how and when its transaction left the queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<AddRemoved>,
}

/// The parameters of `restore`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RestoreParams {
    /// The idempotency key; kept for at least 90 days and compared byte by byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Only purchases with this token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_account_token: Option<String>,
    /// A trace context, echoed in the records that the call causes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// The answer to `restore`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RestoreResult {
    /// The restore.
    pub restore: String,
    /// The state.
    pub state: RestoreState,
    /// What it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<WaitingFor>,
    /// The sequence number of the record of acceptance; the newest record for a restore that was
    /// joined.
    pub seq: i64,
    /// Whether the call joined an earlier restore.
    pub duplicate: bool,
}

/// The parameters of `finish`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FinishParams {
    /// The transaction.
    pub transaction: String,
    /// A trace context, echoed in the records that the call causes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// The answer to `finish`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FinishResult {
    /// The transaction.
    pub transaction: String,
    /// The effect of the call.
    pub disposition: FinishDisposition,
    /// The sequence number of the record that the call made; the newest record if it made none.
    pub seq: i64,
}

/// The parameters of `transactions`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionsParams {
    /// Only these transactions, in one reply: limit and page do not apply. Unknown identifiers are
    /// left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ids: Option<Vec<String>>,
    /// Only these states; finished lists transactions that have left the queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<Vec<TransactionFilter>>,
    /// Only transactions that wait for one of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<Vec<WaitingFor>>,
    /// Only transactions whose identifier or order identifier begins with this text (4 digits or
    /// more), or whose product identifier or account token contains it. The case of ASCII letters
    /// does not matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// The largest number of entries on the page; default 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// The page token: the member next of an earlier result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}

/// The answer to `transactions`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionsResult {
    /// The transactions, in the order of acceptance.
    pub transactions: Vec<Transaction>,
    /// The position in the log that this result reflects.
    pub seq: i64,
    /// The token of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// The parameters of `wait`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitParams {
    /// The transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// The restore, instead of a transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restore: Option<String>,
    /// The states to wait for; default: any state but purchasing, or the removal. For transactions
    /// only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Vec<WaitUntil>>,
    /// The longest time to wait, in seconds; default 60.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
}

/// The answer to `wait`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitResult {
    /// The current state of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<Transaction>,
    /// The current state of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restore: Option<Restore>,
    /// Whether it was reached before the time ran out.
    pub reached: bool,
    /// The position in the log that this result reflects.
    pub seq: i64,
}

/// The parameters of `subscribe`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscribeParams {
    /// Only records after this position; start is the oldest record, now the newest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
    /// The epoch to which after belongs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epoch: Option<String>,
    /// Only events of these kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Vec<EventKind>>,
    /// Only transactions for these products.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub products: Option<Vec<String>>,
    /// Only watch; do not make transactions proceed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passive: Option<bool>,
    /// The questions that this client can put to a person; needs the role gate. One agent is asked
    /// at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Vec<SubscribeAgent>>,
    /// The name of a durable observer; the subscription starts after its last ack unless after is
    /// given. It belongs to the user who used it first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The interval of heartbeats while there are no events, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heartbeat: Option<f64>,
    /// What happens if records were trimmed or damaged before they were sent: snapshot (the
    /// default) redelivers unfinished transactions, error ends the subscription.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_gap: Option<SubscribeOnGap>,
}

/// The answer to `subscribe`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscribeResult {
    /// The identifier of the subscription, repeated in every event.
    pub subscription: String,
    /// The epoch of the log; store it with your cursor.
    pub epoch: String,
    /// The sequence number of the oldest record that is kept.
    pub oldest: i64,
    /// The sequence number of the newest record.
    pub head: i64,
}

/// The parameters of `unsubscribe`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnsubscribeParams {
    /// The identifier of the subscription.
    pub subscription: String,
}

/// The answer to `unsubscribe`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnsubscribeResult {
    /// Whether there was such a subscription.
    pub unsubscribed: bool,
    /// The sequence number of the last event that was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<i64>,
}

/// The parameters of `events`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventsParams {
    /// Only records after this position.
    pub after: Value,
    /// The largest number of entries on the page; default 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// The time to wait for a first event if there is none yet, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<f64>,
    /// Only events of these kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Vec<EventKind>>,
    /// The epoch to which after belongs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epoch: Option<String>,
}

/// Part of `Events`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventsGap {
    /// The sequence number of the first missed record.
    pub from: i64,
    /// The sequence number of the last missed record.
    pub to: i64,
}

/// The answer to `events`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventsResult {
    /// The events, in the order of the log.
    pub events: Vec<Event>,
    /// Records that this page should have and that cannot be read, because their file is damaged.
    /// The events behind them follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<EventsGap>,
    /// The cursor for the next call.
    pub next: i64,
    /// The sequence number of the newest record.
    pub head: i64,
    /// The epoch of the log; store it with your cursor.
    pub epoch: String,
}

/// The parameters of `ack`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AckParams {
    /// The name of the observer.
    pub name: String,
    /// The sequence number of the last record that the observer has handled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    /// Give the name up, instead of seq: its position is forgotten, and any user may use it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forget: Option<bool>,
}

/// The answer to `ack`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AckResult {
    /// The position that is acknowledged now.
    pub acked: i64,
    /// True if the name was given up; acked was its last position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forgotten: Option<bool>,
}

/// Part of `Observers`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Observer {
    /// The identifier of the subscription; absent without a live one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscription: Option<String>,
    /// The user id of the peer; without a live subscription, that of the user the name belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uid: Option<i64>,
    /// The name that the client gave with hello.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The durable name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it is passive: it makes no transaction proceed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passive: Option<bool>,
    /// Only events of these kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Vec<EventKind>>,
    /// Only transactions for these products.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub products: Option<Vec<String>>,
    /// The questions that it can put to a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Vec<SubscribeAgent>>,
    /// The position that the observer has acknowledged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acked: Option<i64>,
    /// The number of records between its position and the newest record.
    pub lag: i64,
    /// Whether it is connected.
    pub connected: bool,
}

/// The answer to `observers`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ObserversResult {
    /// In the order of subscribing, then by name.
    pub observers: Vec<Observer>,
}

/// The parameters of `delegate`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DelegateParams {
    /// The policy for a changed country or price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<DelegateMode>,
    /// The time to answer, in seconds, from the moment the question reached an agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
    /// The answer that applies if none is given in time: true proceeds, false stops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<bool>,
    /// The policy after a login that an add asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_login: Option<DelegateAfterLogin>,
}

/// The answer to `delegate`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DelegateResult {
    /// The current policy.
    pub mode: DelegateMode,
    /// The time to answer, in seconds.
    pub timeout: f64,
    /// The answer that applies if none is given in time.
    pub fallback: bool,
    /// The policy after a login that an add asked for.
    pub after_login: DelegateAfterLogin,
    /// The sequence number of the record of the change; the newest record if nothing changed.
    pub seq: i64,
}

/// Part of `Questions`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// The identifier of the question.
    pub question: String,
    /// The type of question.
    pub r#type: QuestionType,
    /// The transaction that waits for the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// The cause of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<QuestionCause>,
    /// The product that would be charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product: Option<Product>,
    /// The price that would be charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storefront: Option<Storefront>,
    /// The answer that applies if none is given in time.
    pub fallback: bool,
    /// The time at which the fallback applies; null until the question has reached an agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<String>,
    /// The time at which the question was opened.
    pub opened_at: String,
}

/// The answer to `questions`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QuestionsResult {
    /// The questions, oldest first.
    pub questions: Vec<Question>,
}

/// The parameters of `answer`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerParams {
    /// The identifier of the question.
    pub question: String,
    /// Whether to proceed.
    pub value: bool,
    /// The reason; sent with questionClosed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// A trace context, echoed in the records that the call causes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// The answer to `answer`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerResult {
    /// Always true; a refusal is an error.
    pub accepted: bool,
    /// The sequence number of the record of the answer.
    pub seq: i64,
}

/// The parameters of `cancel`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelParams {
    /// The id of the waiting call, exactly as it was sent.
    pub id: Value,
}

/// The answer to `cancel`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelResult {
    /// Whether a waiting call was cancelled.
    pub cancelled: bool,
}

/// The parameters of `decide`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DecideParams {
    /// The transaction.
    pub transaction: String,
    /// The decision.
    pub outcome: DecideOutcome,
    /// A trace context, echoed in the records that the call causes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// The answer to `decide`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DecideResult {
    /// The transaction.
    pub transaction: String,
    /// The state.
    pub state: TransactionState,
    /// The position in the log that this result reflects.
    pub seq: i64,
}

/// The parameters of `drain`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DrainParams {
    /// Whether new payments are refused.
    pub on: bool,
    /// A trace context, echoed in the records that the call causes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// The answer to `drain`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DrainResult {
    /// The state of the daemon.
    pub state: DaemonState,
}

/// The parameters of `reload`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReloadParams {
    /// A trace context, echoed in the records that the call causes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// The answer to `reload`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReloadResult {
    /// The keys of the settings that changed.
    pub changed: Vec<String>,
}

/// The parameters of `backup`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackupParams {
    /// A trace context, echoed in the records that the call causes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// The answer to `backup`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackupResult {
    /// The directory of the backup.
    pub path: String,
    /// The position in the log that the backup reflects.
    pub seq: i64,
    /// The size in bytes.
    pub bytes: i64,
}

/// Part of `Cluster`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterNode {
    /// The name.
    pub node: String,
    /// Whether its lease in etcd lasts, which it renews while it runs.
    pub up: bool,
    /// The version of its program.
    pub version: String,
    /// Host and port where other nodes reach it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer: Option<String>,
    /// The last line of the log in its files when it reported last.
    pub line: i64,
}

/// Part of `Cluster`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterMember {
    /// Host and port.
    pub address: String,
    /// Whether it answers.
    pub up: bool,
    /// The version of etcd, if it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Whether it is the leader of the members.
    pub leader: bool,
    /// The bytes in use in its files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<i64>,
}

/// The answer to `cluster`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterResult {
    /// The name of the node that answers.
    pub node: String,
    /// Whether that node owns the queue.
    pub role: ClusterRole,
    /// The node that owns the queue, if one is known to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The term of the owner, greater than that of every owner before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub term: Option<i64>,
    /// The beginning of all keys of the queue in etcd.
    pub prefix: String,
    /// The last line of the log, if etcd answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    /// The nodes by name, if etcd answers.
    pub nodes: Vec<ClusterNode>,
    /// The members of etcd, in the order of the configuration.
    pub members: Vec<ClusterMember>,
}

/// The parameters of `handover`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HandoverParams {
    /// A trace context, echoed in the records that the call causes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// The answer to `handover`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HandoverResult {
    /// The node that gives the queue away.
    pub node: String,
    /// Its term. That of the next owner is greater.
    pub term: i64,
}

/// Part of `TestSet`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestSetTimeRate {
    /// The length of a month, in seconds.
    pub month_seconds: i64,
}

/// Part of `TestSet`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestSetSimulatedErrors {
    /// The error with which the call fails; null for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub products: Option<SimulatedCatalogueError>,
    /// The error with which the call fails; null for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purchase: Option<SimulatedStoreError>,
    /// The error with which the call fails; null for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion: Option<SimulatedStoreError>,
    /// The error with which the call fails; null for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restore: Option<SimulatedStoreError>,
    /// The error with which the call fails; null for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reconciliation: Option<SimulatedStoreError>,
    /// The error with which the call fails; null for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<SimulatedStoreError>,
    /// The error with which the call fails; null for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub login: Option<SimulatedLoginError>,
}

/// The parameters of `test.set`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestSetParams {
    /// New orders fail with failureError.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_transactions_enabled: Option<bool>,
    /// The error with which new orders fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_error: Option<TestSettingsFailureError>,
    /// New orders wait for an approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask_to_buy_enabled: Option<bool>,
    /// Every purchase is interrupted and fails; test.resolve completes it as a new transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupted_purchases_enabled: Option<bool>,
    /// The speed of the sandbox's clock for subscriptions: Apple's number, or the length of a
    /// month.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_rate: Option<Value>,
    /// The country of every account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storefront: Option<String>,
    /// Whether accounts may make payments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payments_allowed: Option<bool>,
    /// The locale of product texts, such as en_US.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// A subscription whose renewal was not paid stays active for a grace period.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billing_grace_period_is_enabled: Option<bool>,
    /// Renewals are not paid until test.resolve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub should_enter_billing_retry_on_renewal: Option<bool>,
    /// The simulated error of each call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulated_errors: Option<TestSetSimulatedErrors>,
    /// The delay of every answer, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<i64>,
    /// The store does not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store_down: Option<bool>,
}

/// The parameters of `test.orders`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestOrdersParams {
    /// The largest number of entries on the page; default 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// The page token: the member next of an earlier result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}

/// The answer to `test.orders`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestOrdersResult {
    /// Oldest first.
    pub orders: Vec<Order>,
    /// The token of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// The parameters of `test.buy`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestBuyParams {
    /// The identifier of the product.
    pub product: String,
    /// The application's own account identifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_account_token: Option<String>,
}

/// The parameters of `test.refund`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestRefundParams {
    /// The transaction that asked for the order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// The order, instead of the transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
}

/// The parameters of `test.resolve`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestResolveParams {
    /// The transaction that asked for the order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// The order, instead of the transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
}

/// The parameters of `test.renew`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestRenewParams {
    /// The subscription of the account.
    pub product: String,
}

/// The parameters of `test.expire`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestExpireParams {
    /// The subscription of the account.
    pub product: String,
}

/// The parameters of `test.autoRenew`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestAutoRenewParams {
    /// The subscription of the account.
    pub product: String,
    /// Whether it renews automatically.
    pub enabled: bool,
}

/// The parameters of `test.priceIncrease`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestPriceIncreaseParams {
    /// The subscription of the account.
    pub product: String,
    /// The answer of the subscriber.
    pub answer: TestPriceIncreaseAnswer,
}

/// The parameters of `test.deleteOrder`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestDeleteOrderParams {
    /// The transaction that asked for the order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// The order, instead of the transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
}

/// The parameters of `test.clock.advance`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestClockAdvanceParams {
    /// The number of seconds.
    pub seconds: f64,
}

/// The answer to `test.clock.advance`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestClockAdvanceResult {
    /// The time on the sandbox's clock.
    pub now: String,
    /// The time at which the next event is due; absent if none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_event_at: Option<String>,
    /// The number of events that happened.
    pub events: i64,
}

/// Something the daemon sent without being asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Notification {
    /// Subscribed, which this library says by itself.
    Opened(SubscribeResult),
    /// An event of the queue.
    Event(Box<EventNotice>),
    /// Replay and redelivery are complete; live events follow.
    CaughtUp(Box<CaughtUpNotice>),
    /// There were no events for the interval that the subscriber asked for.
    Heartbeat(Box<HeartbeatNotice>),
    /// Records were trimmed or damaged before they were sent; a redelivery follows.
    Gap(Box<GapNotice>),
    /// The daemon ends a subscription.
    Ended(Box<EndedNotice>),
    /// The daemon will close the connection.
    Closing(Box<ClosingNotice>),
    /// A notification of a later daemon.
    Other { method: String, params: Value },
}

impl Notification {
    pub(crate) fn read(method: String, params: Value) -> serde_json::Result<Notification> {
        Ok(match method.as_str() {
            "event" => Notification::Event(serde_json::from_value(params)?),
            "caughtUp" => Notification::CaughtUp(serde_json::from_value(params)?),
            "heartbeat" => Notification::Heartbeat(serde_json::from_value(params)?),
            "gap" => Notification::Gap(serde_json::from_value(params)?),
            "ended" => Notification::Ended(serde_json::from_value(params)?),
            "closing" => Notification::Closing(serde_json::from_value(params)?),
            _ => Notification::Other { method, params },
        })
    }
}

impl Client {
    /// Check that the daemon answers.
    ///
    /// The reply comes from the event loop that owns the queue, and never waits for the store.
    pub fn ping(&self, params: &PingParams) -> Result<PingResult, Error> {
        let call = Call::new("ping", true, 0);
        self.invoke(call, params)
    }

    /// Explain a method, or list all of them.
    ///
    /// Returns text for a terminal, generated from the same source as rpc.discover.
    pub fn help(&self, params: &HelpParams) -> Result<HelpResult, Error> {
        let call = Call::new("help", true, 0);
        self.invoke(call, params)
    }

    /// Show daemon status and what transactions are waiting for.
    ///
    /// Shows the account in session, the queue and what its transactions wait for, the store, the
    /// log, the disk, and connections: the caller's own, or all of them with the role admin. With
    /// that role it also shows what each user holds of the limits that users share.
    pub fn status(&self) -> Result<StatusResult, Error> {
        let call = Call::new("status", true, 0);
        self.invoke(call, &Map::new())
    }

    /// Show metrics, as OpenMetrics text.
    ///
    /// Connections, subscriptions, turns of the queue, records, transactions by state, health of
    /// the store. A collector can read the text as it is.
    pub fn metrics(&self) -> Result<MetricsResult, Error> {
        let call = Call::new("metrics", true, 0);
        self.invoke(call, &Map::new())
    }

    /// Describe the interface as an OpenRPC document.
    ///
    /// Returns an OpenRPC 1.4 document, generated from the types that decode requests.
    /// Notifications are under x-notifications, limits under x-limits.
    pub fn discover(&self) -> Result<RpcDiscoverResult, Error> {
        let call = Call::new("rpc.discover", true, 0);
        self.invoke(call, &Map::new())
    }

    /// Check a call without executing it.
    ///
    /// Decodes the parameters as the method itself does, and returns the same error if they are
    /// wrong, or if the daemon knows without the store that it would refuse the call now. It
    /// changes nothing and sends nothing to the store.
    pub fn check(&self, params: &CheckParams) -> Result<CheckResult, Error> {
        let call = Call::new("check", true, 0);
        self.invoke(call, params)
    }

    /// List products and their prices.
    ///
    /// Prices are those of the account's country; without an account in session, of the country
    /// assumed with storefront, else of the store's default country. Without ids the whole
    /// catalogue is returned, page by page. Products that are not sold there are listed under
    /// invalid; an identifier that is empty or longer than 256 bytes is an error.
    pub fn products(&self, params: &ProductsParams) -> Result<ProductsResult, Error> {
        let call = Call::new("products", true, 30);
        self.invoke(call, params)
    }

    /// List what the account is entitled to now.
    ///
    /// Returns the latest live order of each non-consumable and of each active subscription, as the
    /// store reports it. Refunded orders and consumables are not listed. Whether the transaction is
    /// finished makes no difference.
    pub fn entitlements(&self) -> Result<EntitlementsResult, Error> {
        let call = Call::new("entitlements", true, 30);
        self.invoke(call, &Map::new())
    }

    /// Fetch the account's signed purchase history.
    ///
    /// Returns one page of what the account in session has paid for, newest first, as a compact
    /// JWS. Its payload is a TransactionHistory of purchases and renewals, refunded ones with their
    /// revocation. Each page can be verified by itself with the keys of the store, which the method
    /// keys returns; kid and alg repeat its header. To read on, repeat the call with page set to
    /// next. New payments do not move pages, so following next returns each payment once. Without
    /// an account in session the call fails; login agents are not asked.
    pub fn signed_history(
        &self,
        params: &SignedHistoryParams,
    ) -> Result<SignedHistoryResult, Error> {
        let call = Call::new("signedHistory", true, 30);
        self.invoke(call, params)
    }

    /// Fetch the public keys of the store.
    ///
    /// Returns a JSON Web Key Set: the current signing key first, then earlier keys, so that older
    /// histories can still be verified. A kid is the thumbprint of RFC 7638. No account needs to be
    /// in session.
    pub fn keys(&self) -> Result<KeysResult, Error> {
        let call = Call::new("keys", true, 30);
        self.invoke(call, &Map::new())
    }

    /// Open a session for an account.
    ///
    /// Payments that were added while no account was in session become this account's and are sent
    /// to the store. Another account replaces the one in session; the same account again changes
    /// nothing. A logout while the login is in progress cancels it. The session survives restarts.
    /// Without account, the login agents are asked in turn, and the reply waits for them.
    pub fn login(&self, params: &LoginParams) -> Result<LoginResult, Error> {
        let call = Call::new("login", true, 150);
        self.invoke(call, params)
    }

    /// Close the session.
    ///
    /// The account's transactions are hidden until it logs in again; orders that are in flight at
    /// the store continue there. The session at the store ends too if the store can be reached; its
    /// tokens are deleted in any case. Logging out twice is not an error.
    pub fn logout(&self, params: &LogoutParams) -> Result<LogoutResult, Error> {
        let call = Call::new("logout", true, 0);
        self.invoke(call, params)
    }

    /// Show the storefront, or assume a country while logged out.
    ///
    /// Returns the storefront of the account in session; null without one. With assume, sets the
    /// country whose prices are shown while no account is in session; it survives restarts and is
    /// returned as assumed.
    pub fn storefront(&self, params: &StorefrontParams) -> Result<StorefrontResult, Error> {
        let call = Call::new("storefront", true, 0);
        self.invoke(call, params)
    }

    /// Buy a product.
    ///
    /// Accepts a payment. When the reply arrives, the transaction is on stable storage; its
    /// progress is sent as events. It is sent to the store once an account is in session and an
    /// observer is subscribed; until then waitingFor names what is missing. Send a fresh key with
    /// every intent to buy: repeating the call with the same key and parameters returns the first
    /// transaction and never charges twice. If no account is in session and a login agent is
    /// subscribed, the reply waits for the login.
    pub fn add(&self, params: &AddParams) -> Result<AddResult, Error> {
        let mut params = params.clone();
        params.key.get_or_insert_with(fresh_key);
        let call = Call::new("add", true, 150);
        self.invoke(call, &params)
    }

    /// Restore what the account owns.
    ///
    /// Accepts a restore. When the reply arrives, it is on stable storage. What the account owns is
    /// sent as transactions in state restored, then exactly one restoreCompleted or restoreFailed
    /// ends it, even across a restart. It needs an account in session and a subscribed observer. A
    /// call with the same filter joins the running restore; a call with another filter waits its
    /// turn.
    pub fn restore(&self, params: &RestoreParams) -> Result<RestoreResult, Error> {
        let mut params = params.clone();
        params.key.get_or_insert_with(fresh_key);
        let call = Call::new("restore", true, 150);
        self.invoke(call, &params)
    }

    /// Finish a delivered transaction.
    ///
    /// Call it after the purchase is delivered, not before: until then every new subscription gets
    /// the transaction again. The call can be repeated safely. A purchase is first completed at the
    /// store (completing), then leaves the queue with transactionsRemoved. A transaction that was
    /// never sent to the store is withdrawn (removed). A transaction that is in flight stays
    /// (ignoredInFlight).
    pub fn finish(&self, params: &FinishParams) -> Result<FinishResult, Error> {
        let call = Call::new("finish", true, 0);
        self.invoke(call, params)
    }

    /// List transactions.
    ///
    /// Without parameters, lists all unfinished transactions that are visible to the account in
    /// session; with several conditions, only those that meet all of them. A list that does not fit
    /// in one reply comes in pages: repeat the call with page set to next. One call examines a
    /// limited number of transactions, so a page can be short or empty and still have next.
    pub fn transactions(&self, params: &TransactionsParams) -> Result<TransactionsResult, Error> {
        let call = Call::new("transactions", true, 0);
        self.invoke(call, params)
    }

    /// Wait until a transaction is settled, or a restore has ended.
    ///
    /// For scripts: replies as soon as the transaction is in one of the wanted states, or the
    /// restore has ended; immediately if it already is. If the time runs out, the reply is normal,
    /// with reached false. Later requests on the same connection are answered meanwhile.
    pub fn wait(&self, params: &WaitParams) -> Result<WaitResult, Error> {
        let call = Call::new("wait", true, 60);
        self.invoke(call, params)
    }

    /// Read the event log page by page.
    ///
    /// Polls for events, for scripts: call it again with after set to next. It does not redeliver
    /// unfinished transactions and does not count as an observer.
    pub fn events(&self, params: &EventsParams) -> Result<EventsResult, Error> {
        let call = Call::new("events", true, 60);
        self.invoke(call, params)
    }

    /// Acknowledge events on behalf of a named observer.
    ///
    /// Stores the position durably: a later subscribe with the name starts after it. The
    /// acknowledgement covers everything up to seq; a smaller seq than before changes nothing. It
    /// does not finish transactions; finish does. With forget the name is given up; a live
    /// subscription with it continues without a name. A name of another user needs role admin.
    pub fn ack(&self, params: &AckParams) -> Result<AckResult, Error> {
        let call = Call::new("ack", true, 0);
        self.invoke(call, params)
    }

    /// List subscriptions and durable observer names.
    ///
    /// Lists live subscriptions with their filters and their lag, then durable names without a live
    /// subscription.
    pub fn observers(&self) -> Result<ObserversResult, Error> {
        let call = Call::new("observers", true, 0);
        self.invoke(call, &Map::new())
    }

    /// Show or set the policy for a changed country or price.
    ///
    /// One durable policy for the whole queue. If a transaction would be charged in another
    /// country, or at another price, than was shown at add, it proceeds (continue), leaves the
    /// queue with discardedByGate (stop), or waits for an answer (ask). Without parameters the
    /// policy is only shown; parameters that are absent stay as they are.
    pub fn delegate(&self, params: &DelegateParams) -> Result<DelegateResult, Error> {
        let call = Call::new("delegate", true, 0);
        self.invoke(call, params)
    }

    /// List open questions.
    ///
    /// Lists every open question that is visible to the account in session. Use answer to answer
    /// one; the first answer wins.
    pub fn questions(&self) -> Result<QuestionsResult, Error> {
        let call = Call::new("questions", true, 0);
        self.invoke(call, &Map::new())
    }

    /// Answer a question.
    ///
    /// Any client with the role gate may answer, whichever agent is asked. The first answer wins;
    /// the client that gave it may repeat it while the daemon runs. A login closes a login question
    /// with true; if it is answered true without a login, the waiting calls proceed and their work
    /// waits for a login.
    pub fn answer(&self, params: &AnswerParams) -> Result<AnswerResult, Error> {
        let call = Call::new("answer", true, 0);
        self.invoke(call, params)
    }

    /// Approve or decline a transaction that waits for approval.
    ///
    /// Acts for the person who must approve a transaction (waitingFor approval). The reply comes
    /// when the store has reported the outcome to the queue. Only for the sandbox.
    pub fn decide(&self, params: &DecideParams) -> Result<DecideResult, Error> {
        let call = Call::new("decide", false, 0);
        self.invoke(call, params)
    }

    /// Stop accepting new payments, or resume.
    ///
    /// With on true, add and restore fail with error -32006 and everything else continues; the
    /// reply comes when no order is in flight at the store. If the call is cancelled meanwhile,
    /// draining stays on. With on false, new payments are accepted again. A restart also ends
    /// draining.
    pub fn drain(&self, params: &DrainParams) -> Result<DrainResult, Error> {
        let call = Call::new("drain", true, 60);
        self.invoke(call, params)
    }

    /// Reload the configuration.
    ///
    /// Reads the configuration file and the catalogue again, and applies what can change while the
    /// daemon runs. If a file is refused, nothing changes.
    pub fn reload(&self, params: &ReloadParams) -> Result<ReloadResult, Error> {
        let call = Call::new("reload", true, 60);
        self.invoke(call, params)
    }

    /// Write a backup of the whole state.
    ///
    /// Copies snapshot and journal into a new directory below backups, and verifies the copy before
    /// it replies. The queue keeps working meanwhile. Calls during a backup are answered by one
    /// more backup, which begins when the running one ends.
    pub fn backup(&self, params: &BackupParams) -> Result<BackupResult, Error> {
        let call = Call::new("backup", false, 300);
        self.invoke(call, params)
    }

    /// Show the nodes that share the queue.
    ///
    /// Asks etcd for the owner and the nodes, and each member of etcd for its state. Nodes report
    /// every five seconds. A daemon with its log in local files only refuses the call with error
    /// -32600.
    pub fn cluster(&self) -> Result<ClusterResult, Error> {
        let call = Call::new("cluster", true, 30);
        self.invoke(call, &Map::new())
    }

    /// Give the queue to another node.
    ///
    /// The owner replies, commits what it has taken, and gives its right back, so that another node
    /// owns the queue a moment later. Then its program starts again and follows; its clients stay
    /// connected. Without another node that is up it refuses with error -32014. A daemon with its
    /// log in local files only refuses the call with error -32600.
    pub fn handover(&self, params: &HandoverParams) -> Result<HandoverResult, Error> {
        let call = Call::new("handover", false, 30);
        self.invoke(call, params)
    }

    /// Show the settings of the sandbox.
    ///
    /// Returns the settings that test.set changes. Only for the sandbox.
    pub fn test_get(&self) -> Result<TestSettings, Error> {
        let call = Call::new("test.get", true, 0);
        self.invoke(call, &Map::new())
    }

    /// Change the settings of the sandbox.
    ///
    /// Changes the given settings durably and keeps the others; the result shows all settings. Only
    /// for the sandbox.
    pub fn test_set(&self, params: &TestSetParams) -> Result<TestSettings, Error> {
        let call = Call::new("test.set", true, 0);
        self.invoke(call, params)
    }

    /// List all orders of the sandbox.
    ///
    /// Lists the orders of all accounts, completed ones too, oldest first, page by page. Only for
    /// the sandbox.
    pub fn test_orders(&self, params: &TestOrdersParams) -> Result<TestOrdersResult, Error> {
        let call = Call::new("test.orders", true, 0);
        self.invoke(call, params)
    }

    /// Buy a product as if on another device.
    ///
    /// The order is paid as if the account in session had bought it on another device; observers
    /// get a transaction with reason external. Only for the sandbox.
    pub fn test_buy(&self, params: &TestBuyParams) -> Result<Order, Error> {
        let call = Call::new("test.buy", false, 0);
        self.invoke(call, params)
    }

    /// Refund an order of the sandbox.
    ///
    /// The order is refunded immediately and observers get entitlementsRevoked. The refund of the
    /// order that serves a subscription ends the subscription, that of a scheduled change cancels
    /// the change. Only for the sandbox.
    pub fn test_refund(&self, params: &TestRefundParams) -> Result<Order, Error> {
        let call = Call::new("test.refund", false, 0);
        self.invoke(call, params)
    }

    /// Resolve an interrupted purchase or a failed renewal.
    ///
    /// An interrupted purchase is completed, and observers get it as a new transaction; a renewal
    /// in billing retry is paid. Only for the sandbox.
    pub fn test_resolve(&self, params: &TestResolveParams) -> Result<Order, Error> {
        let call = Call::new("test.resolve", false, 0);
        self.invoke(call, params)
    }

    /// Renew a subscription now.
    ///
    /// Ends the current period of the account's subscription and starts the next; auto-renewal is
    /// on from then. Observers get the renewal as a transaction. Only for the sandbox.
    pub fn test_renew(&self, params: &TestRenewParams) -> Result<Map<String, Value>, Error> {
        let call = Call::new("test.renew", false, 0);
        self.invoke(call, params)
    }

    /// Expire a subscription now.
    ///
    /// The account's subscription ends immediately and does not renew. Only for the sandbox.
    pub fn test_expire(&self, params: &TestExpireParams) -> Result<Map<String, Value>, Error> {
        let call = Call::new("test.expire", false, 0);
        self.invoke(call, params)
    }

    /// Turn auto-renewal of a subscription on or off.
    ///
    /// With enabled false, the account's subscription ends with its current period. Only for the
    /// sandbox.
    pub fn test_auto_renew(
        &self,
        params: &TestAutoRenewParams,
    ) -> Result<Map<String, Value>, Error> {
        let call = Call::new("test.autoRenew", false, 0);
        self.invoke(call, params)
    }

    /// Raise the price of a subscription.
    ///
    /// The answer is that of the subscriber: with consent the account's subscription renews at the
    /// new price, with decline it does not renew, and while pending it ends with its period. Only
    /// for the sandbox.
    pub fn test_price_increase(
        &self,
        params: &TestPriceIncreaseParams,
    ) -> Result<Map<String, Value>, Error> {
        let call = Call::new("test.priceIncrease", false, 0);
        self.invoke(call, params)
    }

    /// Delete an order of the sandbox.
    ///
    /// Deletes the order and its renewals at the store; unfinished transactions of it leave the
    /// queue. Only for the sandbox.
    pub fn test_delete_order(
        &self,
        params: &TestDeleteOrderParams,
    ) -> Result<Map<String, Value>, Error> {
        let call = Call::new("test.deleteOrder", false, 0);
        self.invoke(call, params)
    }

    /// Delete all orders of the sandbox.
    ///
    /// Settings stay. Unfinished transactions of these orders are removed from the queue; the
    /// reason is 'deleted'. Only for the sandbox.
    pub fn test_clear(&self) -> Result<Map<String, Value>, Error> {
        let call = Call::new("test.clear", false, 0);
        self.invoke(call, &Map::new())
    }

    /// Reset all settings of the sandbox.
    ///
    /// Orders stay; test.clear deletes them. Only for the sandbox.
    pub fn test_reset(&self) -> Result<Map<String, Value>, Error> {
        let call = Call::new("test.reset", false, 0);
        self.invoke(call, &Map::new())
    }

    /// Show the sandbox's clock.
    ///
    /// Subscriptions follow the sandbox's own clock: real time, accelerated by timeRate, plus what
    /// it was advanced. Only for the sandbox.
    pub fn test_clock_get(&self) -> Result<TestClock, Error> {
        let call = Call::new("test.clock.get", true, 0);
        self.invoke(call, &Map::new())
    }

    /// Advance the sandbox's clock.
    ///
    /// Everything that becomes due happens one by one, each as a live event before the next:
    /// renewals, retries, ends of periods. The daemon's own deadlines stay in real time. After
    /// 10000 events the call stops with error -32003 and gives their number; repeat it for the
    /// rest. Only for the sandbox.
    pub fn test_clock_advance(
        &self,
        params: &TestClockAdvanceParams,
    ) -> Result<TestClockAdvanceResult, Error> {
        let call = Call::new("test.clock.advance", false, 0);
        self.invoke(call, params)
    }
}

/// The codes of errors. A later daemon may have others.
pub mod code {
    /// The configuration was refused.
    pub const CONFIGURATION_REFUSED: i64 = 1701;
    /// The store does not know this application.
    pub const APP_NOT_REGISTERED: i64 = 1603;
    /// The store does not know this order.
    pub const NO_SUCH_ORDER: i64 = 1602;
    /// The store does not support this call.
    pub const NOT_SUPPORTED_BY_STORE: i64 = 1601;
    /// No account is in session.
    pub const NOT_LOGGED_IN: i64 = 1504;
    /// The credential is wrong.
    pub const BAD_CREDENTIAL: i64 = 1502;
    /// The store does not know this account.
    pub const UNKNOWN_ACCOUNT: i64 = 1501;
    /// The question is already closed.
    pub const QUESTION_CLOSED: i64 = 1402;
    /// Unknown question.
    pub const UNKNOWN_QUESTION: i64 = 1401;
    /// Unknown observer name.
    pub const UNKNOWN_OBSERVER: i64 = 1305;
    /// A live subscription already uses this name.
    pub const NAME_IN_USE: i64 = 1304;
    /// The cursor belongs to another event log.
    pub const OTHER_EPOCH: i64 = 1303;
    /// The cursor is ahead of the event log.
    pub const CURSOR_AHEAD: i64 = 1302;
    /// Records after the cursor are no longer kept.
    pub const CURSOR_TOO_OLD: i64 = 1301;
    /// The transaction or order is not in a state that allows this.
    pub const NOT_DECIDABLE: i64 = 1204;
    /// The page has expired; start again from the first page.
    pub const PAGE_EXPIRED: i64 = 1203;
    /// Unknown transaction.
    pub const UNKNOWN_TRANSACTION: i64 = 1201;
    /// The text cannot be a product identifier.
    pub const INVALID_PRODUCT_IDENTIFIER: i64 = 1109;
    /// An unfinished transaction for this product already exists.
    pub const ALREADY_LIVE: i64 = 1107;
    /// The payment was rejected after the login.
    pub const REJECTED_AFTER_LOGIN: i64 = 1106;
    /// The queue has reached its limit of unfinished transactions.
    pub const QUEUE_FULL: i64 = 1105;
    /// The login was dismissed or timed out.
    pub const LOGIN_DISCARDED: i64 = 1104;
    /// The account in session is not allowed to make payments.
    pub const PAYMENTS_NOT_ALLOWED: i64 = 1103;
    /// The idempotency key was used for a different call.
    pub const KEY_REUSE: i64 = 1102;
    /// The store does not sell this product in this storefront.
    pub const UNKNOWN_PRODUCT: i64 = 1101;
    /// This daemon speaks another version of the protocol.
    pub const UNSUPPORTED_VERSION: i64 = 1002;
    /// Too many calls are waiting.
    pub const TOO_MANY_IN_FLIGHT: i64 = -32000;
    /// The line is too long.
    pub const LINE_TOO_LONG: i64 = -32001;
    /// The line was not completed in time.
    pub const TIMEOUT: i64 = -32002;
    /// The result does not fit in one line; ask for less.
    pub const RESULT_TOO_LARGE: i64 = -32003;
    /// Too many subscriptions.
    pub const TOO_MANY_SUBSCRIPTIONS: i64 = -32004;
    /// Too many connections.
    pub const TOO_MANY_CONNECTIONS: i64 = -32005;
    /// The daemon is draining or stopping and accepts no new work.
    pub const DRAINING: i64 = -32006;
    /// Your user lacks the role that this call needs.
    pub const FORBIDDEN: i64 = -32007;
    /// The change could not be written to stable storage.
    pub const NOT_DURABLE: i64 = -32008;
    /// The store is not available now.
    pub const STORE_UNAVAILABLE: i64 = -32009;
    /// The call was cancelled.
    pub const CANCELLED: i64 = -32010;
    /// The store does not answer.
    pub const CONNECTION_ERROR: i64 = -32011;
    /// Too many wrong logins of your user; wait, then try again.
    pub const TOO_MANY_ATTEMPTS: i64 = -32012;
    /// Your share of the limit, or the whole limit, is in use; end something before you ask for more.
    pub const SHARE_EXCEEDED: i64 = -32013;
    /// No node of the cluster owns the queue now.
    pub const NO_OWNER: i64 = -32014;
    /// Finished transactions cannot be looked up now.
    pub const INDEX_REBUILDING: i64 = -32015;
    /// Invalid Request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// Method not found.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// Invalid params.
    pub const INVALID_PARAMS: i64 = -32602;
    /// Internal error.
    pub const INTERNAL: i64 = -32603;
}
