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
    }
}

words! {
    EndedReason {
        Trimmed = "trimmed",
        Unreadable = "unreadable",
        RoleWithdrawn = "roleWithdrawn",
        EpochChanged = "epochChanged",
    }
}

words! {
    ClosingReason {
        Shutdown = "shutdown",
        Restart = "restart",
        Stalled = "stalled",
        IncompleteLine = "incompleteLine",
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
    /// Names the transaction for ever.
    pub id: String,
    /// The order at the store, once there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction_identifier: Option<String>,
    /// The first order of its chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original_transaction_identifier: Option<String>,
    /// What was asked for.
    pub payment: Payment,
    /// Where it stands.
    pub transaction_state: TransactionState,
    /// Where it is charged, or was.
    pub storefront: Storefront,
    /// One case name with an empty object; only while failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Map<String, Value>>,
    /// Grows with each record of this transaction.
    pub revision: i64,
    /// When it was accepted.
    pub created_at: String,
    /// When its last record was made.
    pub updated_at: String,
    /// What it waits for; only while purchasing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<WaitingFor>,
    /// Finished, the store not yet told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completing: Option<bool>,
    /// What is behind the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_reason: Option<String>,
    /// Why there is a transaction at all.
    pub reason: TransactionReason,
    /// What the store took; absent until it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charged: Option<Charge>,
    /// Why that is not the price of the product, where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offer: Option<OfferKind>,
    /// When a scheduled change of subscription takes effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_at: Option<String>,
    /// The store took it back: what was bought must not be unlocked any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revocation: Option<Revocation>,
    /// Who caused its last record, if a client did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Origin>,
    /// When it left the queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// Why it left the queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removal_reason: Option<RemovalReason>,
}

/// What was asked for.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Payment {
    /// The product as it was sold.
    pub product: Product,
    /// The application's own account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_account_token: Option<String>,
}

/// Something that is sold.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Product {
    /// What clients buy by.
    pub product_identifier: String,
    /// How it is consumed.
    pub r#type: ProductType,
    /// The name to show.
    pub localized_title: String,
    /// The description to show.
    pub localized_description: String,
    /// Where a picture is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon_url: Option<String>,
    /// The price, or the charge of one period.
    pub price: Price,
    /// Only on subscriptions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscription_period: Option<Period>,
    /// Only on subscriptions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscription_group_identifier: Option<String>,
    /// The offer for new subscribers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub introductory_price: Option<Offer>,
    /// Whether the account in session gets it: once per account and subscription group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub introductory_offer_eligible: Option<bool>,
    /// A promotional offer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discounted_price: Option<Offer>,
}

/// What a product costs. `amount` is exact, `value` is for show only.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Price {
    /// Major units, digit by digit.
    pub value: f64,
    /// The same digits as text, for programs that must not round.
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
    /// How many of them.
    pub number_of_units: i64,
}

/// A price for a first period, or a discount.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Offer {
    /// What is charged; 0 is a free trial.
    pub price: Price,
    /// For how long.
    pub period: Period,
}

/// The country that counts.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Storefront {
    /// Opaque; compare the country.
    pub id: String,
    /// ISO 3166-1 alpha-2.
    pub country_code: String,
}

/// Who caused something.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    /// The user id that the kernel reported.
    pub uid: i64,
    /// The name that the client gave with hello.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
}

/// A record of the log. Which members it has depends on `kind`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// The place of its record in the log.
    pub seq: i64,
    /// Which further members it has.
    pub kind: EventKind,
    /// When its record was made.
    pub time: String,
    /// Nothing changed: what is unfinished is shown again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redelivery: Option<bool>,
    /// Full snapshots; of removed ones the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transactions: Option<Vec<Transaction>>,
    /// Why transactions left the queue, or a question ended unanswered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<EventReason>,
    /// Who caused it, if a client did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Origin>,
    /// The trace that came with the call that caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// The storefront before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Storefront>,
    /// The storefront now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Storefront>,
    /// The account now in session, or the one whose session the store has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The restore that ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restore: Option<String>,
    /// How many transactions a restore gave back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i64>,
    /// Why a restore failed: one case name with an empty object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Map<String, Value>>,
    /// The products that were taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub products: Option<Vec<String>>,
    /// Their orders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orders: Option<Vec<String>>,
    /// Counts the catalogues of the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<i64>,
    /// The question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// What is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<QuestionType>,
    /// The transaction that waits for the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// Why it is asked, or why a storefront changed that no client asked to change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<EventCause>,
    /// What would be bought.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product: Option<Product>,
    /// For how much.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storefront: Option<Storefront>,
    /// What silence means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<bool>,
    /// When silence answers; null until somebody was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<String>,
    /// What the question came to; null if to nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<bool>,
    /// What the one who answered said about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Part of `TestSettings`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestSettingsTimeRate {
    /// How many seconds a month lasts.
    pub month_seconds: i64,
}

/// Part of `TestSettings`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestSettingsSimulatedErrors {
    /// What it fails with.
    pub products: Option<SimulatedError>,
    /// What it fails with.
    pub purchase: Option<SimulatedError>,
    /// What it fails with.
    pub completion: Option<SimulatedError>,
    /// What it fails with.
    pub restore: Option<SimulatedError>,
    /// What it fails with.
    pub reconciliation: Option<SimulatedError>,
    /// What it fails with.
    pub history: Option<SimulatedError>,
    /// What it fails with.
    pub login: Option<SimulatedError>,
}

/// The settings of the sandbox.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestSettings {
    /// New orders fail with failureError.
    pub fail_transactions_enabled: bool,
    /// How they fail.
    pub failure_error: TestSettingsFailureError,
    /// New orders wait for an approval.
    pub ask_to_buy_enabled: bool,
    /// Every purchase is interrupted and fails.
    pub interrupted_purchases_enabled: bool,
    /// How fast subscriptions live.
    pub time_rate: Value,
    /// The country of every account, if one was set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storefront: Option<String>,
    /// Whether the accounts may buy.
    pub payments_allowed: bool,
    /// Which texts products have, if one was set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// A subscription that was not renewed goes on for a while.
    pub billing_grace_period_is_enabled: bool,
    /// Renewals are not paid until resolved.
    pub should_enter_billing_retry_on_renewal: bool,
    /// The error of each call, or null.
    pub simulated_errors: TestSettingsSimulatedErrors,
    /// How long every answer takes, in milliseconds.
    pub latency_ms: i64,
    /// Nothing is answered.
    pub store_down: bool,
}

/// The sandbox's record of a payment.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Order {
    /// The order.
    pub order: String,
    /// The transaction that asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// The first order of its chain.
    pub original: String,
    /// Who pays.
    pub account: String,
    /// What was bought.
    pub product: String,
    /// What it costs there; each period, for a subscription.
    pub price: Price,
    /// What the store took; absent until it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charged: Option<Charge>,
    /// Why that is not the price of the product, where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offer: Option<OfferKind>,
    /// When a scheduled change of subscription takes effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_at: Option<String>,
    /// The store took it back: what was bought must not be unlocked any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revocation: Option<Revocation>,
    /// In which country.
    pub country_code: String,
    /// The application's own account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_account_token: Option<String>,
    /// Where it stands.
    pub state: OrderState,
    /// How it failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<OrderError>,
    /// What is behind the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_reason: Option<String>,
    /// Whether the store knows that the goods were delivered.
    pub completed: bool,
    /// When it was placed.
    pub placed_at: String,
    /// Whether it renews an order before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renewal: Option<bool>,
    /// When it ends, for a subscription.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// When it was taken back, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<String>,
}

/// A restore and how far it is.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Restore {
    /// Names the restore.
    pub id: String,
    /// Where it stands.
    pub state: RestoreState,
    /// What it waits for; only while running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<WaitingFor>,
    /// How many transactions it gave back; only when completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i64>,
    /// One case name with an empty object; only when failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Map<String, Value>>,
}

/// The sandbox's clock.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestClock {
    /// What the sandbox's clock shows.
    pub now: String,
    /// When the next event is due, if any is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_event_at: Option<String>,
}

/// What the store took: an exact amount, `0.00` for what was free.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Charge {
    /// Major units, with the digits of the currency; 0.00 for what was free.
    pub amount: String,
    /// ISO 4217.
    pub currency_code: String,
}

/// When and why the store took an order back.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Revocation {
    /// When.
    pub at: String,
    /// Why, such as refund.
    pub reason: String,
}

/// Something happened to the queue.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventNotice {
    /// The subscription.
    pub subscription: String,
    /// The seq sent before on it.
    pub prev: i64,
    /// The place of its record in the log.
    pub seq: i64,
    /// Which further members it has.
    pub kind: EventKind,
    /// When its record was made.
    pub time: String,
    /// Nothing changed: what is unfinished is shown again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redelivery: Option<bool>,
    /// Full snapshots; of removed ones the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transactions: Option<Vec<Transaction>>,
    /// Why transactions left the queue, or a question ended unanswered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<EventReason>,
    /// Who caused it, if a client did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Origin>,
    /// The trace that came with the call that caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// The storefront before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Storefront>,
    /// The storefront now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Storefront>,
    /// The account now in session, or the one whose session the store has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The restore that ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restore: Option<String>,
    /// How many transactions a restore gave back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i64>,
    /// Why a restore failed: one case name with an empty object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Map<String, Value>>,
    /// The products that were taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub products: Option<Vec<String>>,
    /// Their orders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orders: Option<Vec<String>>,
    /// Counts the catalogues of the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<i64>,
    /// The question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// What is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<QuestionType>,
    /// The transaction that waits for the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// Why it is asked, or why a storefront changed that no client asked to change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<EventCause>,
    /// What would be bought.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product: Option<Product>,
    /// For how much.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storefront: Option<Storefront>,
    /// What silence means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<bool>,
    /// When silence answers; null until somebody was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<String>,
    /// What the question came to; null if to nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<bool>,
    /// What the one who answered said about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Replay and redelivery are over; what follows is live.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaughtUpNotice {
    /// The subscription.
    pub subscription: String,
    /// How far the log was scanned.
    pub seq: i64,
}

/// Nothing happened for as long as the subscriber asked.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HeartbeatNotice {
    /// The subscription.
    pub subscription: String,
    /// How far the log was scanned.
    pub seq: i64,
}

/// Records were trimmed unread; a redelivery follows.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GapNotice {
    /// The subscription.
    pub subscription: String,
    /// The first one missed.
    pub from: i64,
    /// The last one missed.
    pub to: i64,
    /// Why.
    pub reason: GapReason,
}

/// The daemon ends a subscription.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EndedNotice {
    /// The subscription.
    pub subscription: String,
    /// Why.
    pub reason: EndedReason,
    /// The last one sent.
    pub last: i64,
}

/// The daemon closes the connection soon.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClosingNotice {
    /// Why.
    pub reason: ClosingReason,
    /// For how long requests are still taken.
    pub grace_ms: i64,
    /// Subscribe after this.
    pub head: i64,
}

/// Part of `Hello`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HelloClient {
    /// The name of the client.
    pub name: String,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// The parameters of `hello`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HelloParams {
    /// Who calls: name, version?.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<HelloClient>,
    /// The version of the interface wanted; another one than ours is an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api: Option<i64>,
}

/// Part of `Hello`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HelloServer {
    /// Always the same.
    pub name: String,
    /// The release.
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
    /// What answers.
    pub server: HelloServer,
    /// The version of the interface.
    pub api: i64,
    /// Changes only when the event log was lost or reset.
    pub epoch: String,
    /// The oldest record kept.
    pub oldest: i64,
    /// The newest record.
    pub head: i64,
    /// Who you are to the kernel.
    pub peer: HelloPeer,
    /// What you may do.
    pub roles: Vec<HelloRole>,
    /// What not every daemon of this version has.
    pub features: Vec<String>,
    /// The limits in force, by name.
    pub limits: Map<String, Value>,
}

/// The parameters of `ping`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PingParams {
    /// Comes back byte by byte.
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
    /// The method; without it, all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
}

/// The answer to `help`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HelpResult {
    /// For a terminal of 80 columns.
    pub text: String,
}

/// Part of `Status`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusSessionEnded {
    /// The account that has to log in again.
    pub account: String,
    /// Its storefront.
    pub storefront: Storefront,
    /// When the queue learnt of it.
    pub at: String,
}

/// Part of `StatusQueue`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusQueueByState {
    /// So many.
    pub purchasing: i64,
    /// So many.
    pub purchased: i64,
    /// So many.
    pub restored: i64,
    /// So many.
    pub failed: i64,
}

/// Part of `StatusQueue`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusQueueWaitingFor {
    /// So many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observer: Option<i64>,
    /// So many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub login: Option<i64>,
    /// So many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<i64>,
    /// So many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<i64>,
    /// So many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<i64>,
}

/// Part of `Status`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusQueue {
    /// All that is not finished.
    pub unfinished: i64,
    /// By state.
    pub by_state: StatusQueueByState,
    /// Of the purchased: finished, store not told.
    pub completing: i64,
    /// Of the purchasing: what they wait for.
    pub waiting_for: StatusQueueWaitingFor,
}

/// Part of `Status`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusLog {
    /// The oldest record kept.
    pub oldest: i64,
    /// The newest record.
    pub head: i64,
    /// Its size on disk.
    pub bytes: i64,
}

/// Part of `Status`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusConnection {
    /// The user id of the peer.
    pub uid: i64,
    /// The name that it gave with hello.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// How many it has.
    pub subscriptions: i64,
    /// The most records that one of them is behind.
    pub lag: i64,
    /// What is held for it, on its way in or out.
    pub buffered_bytes: i64,
    /// Whether it reads too slowly.
    pub paused: bool,
}

/// Part of `Status`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusPersistence {
    /// When something was last put on disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_commit: Option<String>,
    /// Whether the state is lost with the machine.
    pub volatile: bool,
    /// What last went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
}

/// Part of `Status`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusStore {
    /// Which store.
    pub name: String,
    /// Its state.
    pub state: StatusStoreState,
    /// Since when.
    pub since: String,
    /// What it last failed with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    /// When it is tried again, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_try_at: Option<String>,
}

/// Part of `Status`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusCanMakePayments {
    /// Whether a new payment would be accepted.
    pub value: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The answer to `status`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusResult {
    /// The daemon's.
    pub state: DaemonState,
    /// When it got into that state.
    pub since: String,
    /// The account in session.
    pub account: Option<String>,
    /// Its storefront.
    pub storefront: Option<Storefront>,
    /// The session that the store has ended; there until somebody logs in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_ended: Option<StatusSessionEnded>,
    /// What the account in session may see, and what waits for an account whose session the store
    /// has ended.
    pub queue: StatusQueue,
    /// The event log.
    pub log: StatusLog,
    /// Oldest first.
    pub connections: Vec<StatusConnection>,
    /// Decisions that are open.
    pub questions: i64,
    /// The disk.
    pub persistence: StatusPersistence,
    /// The store.
    pub store: StatusStore,
    /// Restores that run.
    pub restores: Vec<Restore>,
    /// Whether the account may buy.
    pub can_make_payments: StatusCanMakePayments,
}

/// The answer to `metrics`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MetricsResult {
    /// The content type of the text.
    pub format: String,
    /// One metric per line.
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
    /// What would be sent as its parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<Value>,
}

/// The answer to `check`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckResult {
    /// Always true; anything else is an error.
    pub ok: bool,
}

/// The parameters of `products`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProductsParams {
    /// Only these products.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ids: Option<Vec<String>>,
    /// The most entries of a page; 100 without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// The page that next of an earlier answer named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}

/// The answer to `products`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProductsResult {
    /// What is sold.
    pub products: Vec<Product>,
    /// Asked for and not sold here.
    pub invalid: Vec<String>,
    /// Where the prices are of.
    pub storefront: Storefront,
    /// The next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Part of `Entitlements`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entitlement {
    /// The order.
    pub transaction_identifier: String,
    /// The first order of its chain.
    pub original_transaction_identifier: String,
    /// The transaction that asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// What clients buy it by.
    pub product_identifier: String,
    /// The product as it was sold.
    pub product: Product,
    /// Where it was charged.
    pub storefront: Storefront,
    /// The application's own account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_account_token: Option<String>,
    /// What the store took; absent until it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charged: Option<Charge>,
    /// Why that is not the price of the product, where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offer: Option<OfferKind>,
    /// When a scheduled change of subscription takes effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_at: Option<String>,
    /// The store took it back: what was bought must not be unlocked any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revocation: Option<Revocation>,
    /// Whether it renews an order before it.
    pub renewal: bool,
    /// Whether the store knows that the goods were delivered.
    pub completed: bool,
    /// When it was paid.
    pub purchased_at: String,
    /// When it ends, for a subscription.
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
    /// The page that next of an earlier answer named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}

/// The answer to `signedHistory`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SignedHistoryResult {
    /// The compact JWS.
    pub jws: String,
    /// The key that signed it.
    pub kid: String,
    /// How it was signed: RS256 or ES256.
    pub alg: String,
    /// The next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Part of `Keys`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Key {
    /// The kind of key.
    pub kty: KeyKty,
    /// What it is for.
    pub r#use: KeyUse,
    /// What it is used with: RS256 or ES256.
    pub alg: String,
    /// What signatures name it by.
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
    /// JSON Web Keys, the one in use first.
    pub keys: Vec<Key>,
}

/// The parameters of `login`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoginParams {
    /// The account at the store; without it the login agents are asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// What proves it; never logged.
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
    /// Its storefront.
    pub storefront: Storefront,
    /// The record of the change, or the newest.
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
    /// The record of the change, or the newest.
    pub seq: i64,
}

/// The parameters of `storefront`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StorefrontParams {
    /// The country to assume while nobody is logged in; "" takes it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assume: Option<String>,
}

/// The answer to `storefront`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StorefrontResult {
    /// Where the account in session is; null without one.
    pub storefront: Option<Storefront>,
    /// The account in session.
    pub account: Option<String>,
    /// The country assumed while nobody is logged in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed: Option<String>,
}

/// The parameters of `add`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AddParams {
    /// The identifier of the product.
    pub product: String,
    /// Ties the purchase to the application's own account; carried and echoed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_account_token: Option<String>,
    /// The idempotency key; kept for at least 90 days, compared by bytes.
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
    /// Where it stands.
    pub state: TransactionState,
    /// What it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<WaitingFor>,
    /// The record of acceptance.
    pub seq: i64,
    /// Whether the key was used before.
    pub duplicate: bool,
    /// How a transaction left the queue that a duplicate names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<AddRemoved>,
}

/// The parameters of `restore`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RestoreParams {
    /// The idempotency key; kept for at least 90 days, compared by bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Only purchases that carry this token.
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
    /// Where it stands.
    pub state: RestoreState,
    /// What it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<WaitingFor>,
    /// The record of acceptance, or the newest.
    pub seq: i64,
    /// Whether it was there already.
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
    /// What the call came to.
    pub disposition: FinishDisposition,
    /// The record that the call made, or the newest.
    pub seq: i64,
}

/// The parameters of `transactions`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionsParams {
    /// Only these transactions; unknown ones are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ids: Option<Vec<String>>,
    /// Only these states. finished lists what left the queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<Vec<TransactionFilter>>,
    /// The most entries of a page; 100 without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// The page that next of an earlier answer named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}

/// The answer to `transactions`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionsResult {
    /// In the order of acceptance.
    pub transactions: Vec<Transaction>,
    /// The position as of which this is true.
    pub seq: i64,
    /// The next page, if there is one.
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
    /// The restore, instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restore: Option<String>,
    /// What to wait for; without it any state but purchasing, or the removal. For transactions
    /// only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Vec<WaitUntil>>,
    /// Seconds to wait at most; 60 without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
}

/// The answer to `wait`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitResult {
    /// As it is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<Transaction>,
    /// As it is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restore: Option<Restore>,
    /// False if the time ran out first.
    pub reached: bool,
    /// The position as of which this is true.
    pub seq: i64,
}

/// The parameters of `subscribe`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscribeParams {
    /// Records behind this place; start is the oldest, now the newest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
    /// The epoch that after belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epoch: Option<String>,
    /// Only these kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Vec<EventKind>>,
    /// Only transactions for these products.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub products: Option<Vec<String>>,
    /// Only watch; do not make transactions proceed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passive: Option<bool>,
    /// Questions that you can put to a person; it takes the roles to answer them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Vec<SubscribeAgent>>,
    /// Names a durable observer; begins at its ack unless after says otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Seconds of silence after which a heartbeat comes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heartbeat: Option<f64>,
    /// When records were trimmed unread: snapshot (the default) redelivers, error ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_gap: Option<SubscribeOnGap>,
}

/// The answer to `subscribe`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscribeResult {
    /// Names it in every event.
    pub subscription: String,
    /// Store it with your cursor.
    pub epoch: String,
    /// The oldest record kept.
    pub oldest: i64,
    /// The newest record.
    pub head: i64,
}

/// The parameters of `unsubscribe`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnsubscribeParams {
    /// The subscription.
    pub subscription: String,
}

/// The answer to `unsubscribe`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnsubscribeResult {
    /// Whether there was such a subscription.
    pub unsubscribed: bool,
    /// Where it had got to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<i64>,
}

/// The parameters of `events`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventsParams {
    /// Records behind this place.
    pub after: Value,
    /// The most entries of a page; 100 without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// Seconds to wait for the first event if there is none yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<f64>,
    /// Only these kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Vec<EventKind>>,
    /// The epoch that after belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epoch: Option<String>,
}

/// The answer to `events`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventsResult {
    /// In the order of the log.
    pub events: Vec<Event>,
    /// The cursor for the next call.
    pub next: i64,
    /// The newest record.
    pub head: i64,
    /// Store it with your cursor.
    pub epoch: String,
}

/// The parameters of `ack`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AckParams {
    /// The observer.
    pub name: String,
    /// The last record it has dealt with.
    pub seq: i64,
}

/// The answer to `ack`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AckResult {
    /// Up to where everything is dealt with.
    pub acked: i64,
}

/// Part of `Observers`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Observer {
    /// The subscription, while there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscription: Option<String>,
    /// The user id of the peer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uid: Option<i64>,
    /// The name that the client gave with hello.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The durable name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it only watches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passive: Option<bool>,
    /// Only these kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Vec<EventKind>>,
    /// Only these products.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub products: Option<Vec<String>>,
    /// What it can ask a person for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Vec<SubscribeAgent>>,
    /// Up to where the name has dealt with everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acked: Option<i64>,
    /// How far the log has gone on behind it.
    pub lag: i64,
    /// Whether its peer is there.
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
    /// What happens when country or price changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<DelegateMode>,
    /// Seconds that silence is waited for once somebody was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
    /// What silence means: true goes on, false does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<bool>,
    /// What happens after a login that add had asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_login: Option<DelegateAfterLogin>,
}

/// The answer to `delegate`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DelegateResult {
    /// In force.
    pub mode: DelegateMode,
    /// In seconds.
    pub timeout: f64,
    /// What silence means.
    pub fallback: bool,
    /// After a login that add had asked for.
    pub after_login: DelegateAfterLogin,
    /// The record of the change, or the newest.
    pub seq: i64,
}

/// Part of `Questions`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// Names the question.
    pub question: String,
    /// What is asked.
    pub r#type: QuestionType,
    /// What waits for the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// Why it is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<QuestionCause>,
    /// What would be charged for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product: Option<Product>,
    /// What would be charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storefront: Option<Storefront>,
    /// What silence means.
    pub fallback: bool,
    /// When silence counts; not before somebody was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<String>,
    /// When it was asked first.
    pub opened_at: String,
}

/// The answer to `questions`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QuestionsResult {
    /// In the order of asking.
    pub questions: Vec<Question>,
}

/// The parameters of `answer`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerParams {
    /// The question.
    pub question: String,
    /// Whether to go on.
    pub value: bool,
    /// Why; shown with questionClosed.
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
    /// Always true; anything else is an error.
    pub accepted: bool,
    /// The record of the answer.
    pub seq: i64,
}

/// The parameters of `cancel`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelParams {
    /// The id of the call, written as it was written there.
    pub id: Value,
}

/// The answer to `cancel`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelResult {
    /// Whether the call was waiting.
    pub cancelled: bool,
}

/// The parameters of `decide`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DecideParams {
    /// The transaction.
    pub transaction: String,
    /// What becomes of it.
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
    /// Where it stands.
    pub state: TransactionState,
    /// The position as of which this is true.
    pub seq: i64,
}

/// The parameters of `drain`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DrainParams {
    /// Whether new work is refused.
    pub on: bool,
    /// A trace context, echoed in the records that the call causes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// The answer to `drain`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DrainResult {
    /// What the daemon does now.
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
    /// The settings that changed, by key.
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
    /// Where the copy is.
    pub path: String,
    /// The position as of which it is true.
    pub seq: i64,
    /// Its size.
    pub bytes: i64,
}

/// Part of `TestSet`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestSetTimeRate {
    /// How many seconds a month lasts.
    pub month_seconds: i64,
}

/// Part of `TestSet`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestSetSimulatedErrors {
    /// What it fails with; null for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub products: Option<SimulatedCatalogueError>,
    /// What it fails with; null for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purchase: Option<SimulatedStoreError>,
    /// What it fails with; null for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion: Option<SimulatedStoreError>,
    /// What it fails with; null for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restore: Option<SimulatedStoreError>,
    /// What it fails with; null for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reconciliation: Option<SimulatedStoreError>,
    /// What it fails with; null for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<SimulatedStoreError>,
    /// What it fails with; null for none.
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
    /// How they fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_error: Option<TestSettingsFailureError>,
    /// New orders wait for an approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask_to_buy_enabled: Option<bool>,
    /// Every purchase fails until test.resolve, which makes it a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupted_purchases_enabled: Option<bool>,
    /// How fast subscriptions live: Apple's number, or how long a month lasts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_rate: Option<Value>,
    /// The country of every account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storefront: Option<String>,
    /// Whether the accounts may buy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payments_allowed: Option<bool>,
    /// Which texts products have, such as en_US.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// A subscription that was not renewed goes on for a while.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billing_grace_period_is_enabled: Option<bool>,
    /// Renewals are not paid until test.resolve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub should_enter_billing_retry_on_renewal: Option<bool>,
    /// The calls that fail, and how.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulated_errors: Option<TestSetSimulatedErrors>,
    /// Milliseconds that every answer takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<i64>,
    /// Nothing is answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store_down: Option<bool>,
}

/// The parameters of `test.orders`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestOrdersParams {
    /// The most entries of a page; 100 without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// The page that next of an earlier answer named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}

/// The answer to `test.orders`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestOrdersResult {
    /// Oldest first.
    pub orders: Vec<Order>,
    /// The next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// The parameters of `test.buy`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestBuyParams {
    /// The identifier of the product.
    pub product: String,
    /// Ties the purchase to the application's own account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_account_token: Option<String>,
}

/// The parameters of `test.refund`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestRefundParams {
    /// The transaction that asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// The order itself, instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
}

/// The parameters of `test.resolve`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestResolveParams {
    /// The transaction that asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// The order itself, instead.
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
    /// Whether it renews itself.
    pub enabled: bool,
}

/// The parameters of `test.priceIncrease`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestPriceIncreaseParams {
    /// The subscription of the account.
    pub product: String,
    /// What the subscriber says.
    pub answer: TestPriceIncreaseAnswer,
}

/// The parameters of `test.deleteOrder`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestDeleteOrderParams {
    /// The transaction that asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// The order itself, instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
}

/// The parameters of `test.clock.advance`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestClockAdvanceParams {
    /// How far.
    pub seconds: f64,
}

/// The answer to `test.clock.advance`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestClockAdvanceResult {
    /// What the sandbox's clock shows.
    pub now: String,
    /// When the next event is due, if any is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_event_at: Option<String>,
    /// How many events happened.
    pub events: i64,
}

/// Something the daemon sent without being asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Notification {
    /// Subscribed, which this library says by itself.
    Opened(SubscribeResult),
    /// Something happened to the queue.
    Event(Box<EventNotice>),
    /// Replay and redelivery are over; what follows is live.
    CaughtUp(Box<CaughtUpNotice>),
    /// Nothing happened for as long as the subscriber asked.
    Heartbeat(Box<HeartbeatNotice>),
    /// Records were trimmed unread; a redelivery follows.
    Gap(Box<GapNotice>),
    /// The daemon ends a subscription.
    Ended(Box<EndedNotice>),
    /// The daemon closes the connection soon.
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
    /// Ask whether the daemon is there.
    ///
    /// Answered by the part that owns the queue; never waits for the store.
    pub fn ping(&self, params: &PingParams) -> Result<PingResult, Error> {
        let call = Call::new("ping", true, 0);
        self.invoke(call, params)
    }

    /// Explain a method, or list all of them.
    ///
    /// Text for people, made from the same source as rpc.discover.
    pub fn help(&self, params: &HelpParams) -> Result<HelpResult, Error> {
        let call = Call::new("help", true, 0);
        self.invoke(call, params)
    }

    /// Show what the daemon is doing, and why nothing moves.
    ///
    /// The account, the queue and what its transactions wait for, the store, the log, the disk, and
    /// the connections: your own, or all of them for an administrator.
    pub fn status(&self) -> Result<StatusResult, Error> {
        let call = Call::new("status", true, 0);
        self.invoke(call, &Map::new())
    }

    /// Show what is counted, as OpenMetrics text.
    ///
    /// Connections, subscriptions, turns of the queue, records, transactions by state, the store's
    /// health. The text can be handed to a collector as it is.
    pub fn metrics(&self) -> Result<MetricsResult, Error> {
        let call = Call::new("metrics", true, 0);
        self.invoke(call, &Map::new())
    }

    /// Describe the interface as an OpenRPC document.
    ///
    /// OpenRPC 1.4, made from the very types that read requests. Notifications are under
    /// x-notifications, limits under x-limits.
    pub fn discover(&self) -> Result<RpcDiscoverResult, Error> {
        let call = Call::new("rpc.discover", true, 0);
        self.invoke(call, &Map::new())
    }

    /// Check a call without making it.
    ///
    /// Reads the parameters as the method itself would and answers with the same error if they are
    /// wrong, or if the queue would refuse an add, a restore or a finish now. It changes nothing
    /// and does not ask the store.
    pub fn check(&self, params: &CheckParams) -> Result<CheckResult, Error> {
        let call = Call::new("check", true, 0);
        self.invoke(call, params)
    }

    /// List products and their prices.
    ///
    /// With the prices of the account's country; logged out, of the country assumed with
    /// storefront, else of the store's default. Without ids the whole catalogue, page by page. What
    /// is not sold here is listed under invalid; an identifier that no product can have, empty or
    /// longer than 256 bytes, is an error.
    pub fn products(&self, params: &ProductsParams) -> Result<ProductsResult, Error> {
        let call = Call::new("products", true, 30);
        self.invoke(call, params)
    }

    /// List what the account may use now.
    ///
    /// The latest live order of each non-consumable and of each subscription that is active, as the
    /// store tells it; nothing that was refunded, no consumables. Whether a transaction is
    /// unfinished does not matter here.
    pub fn entitlements(&self) -> Result<EntitlementsResult, Error> {
        let call = Call::new("entitlements", true, 30);
        self.invoke(call, &Map::new())
    }

    /// Fetch what the account has paid for, signed by the store.
    ///
    /// A page of what the account in session has paid for, the newest payment first: a compact JWS
    /// whose payload is a TransactionHistory of purchases and renewals, refunded ones with their
    /// revocation, as the store knows them now. Each page can be verified by itself, with the keys
    /// of the store, which the method keys returns; kid and alg repeat what its header says. Repeat
    /// the call with the page that next gave for what was paid before: what is paid for meanwhile
    /// moves no page, so that following next gives each payment once. Nobody is asked to log in:
    /// without an account in session the call fails.
    pub fn signed_history(
        &self,
        params: &SignedHistoryParams,
    ) -> Result<SignedHistoryResult, Error> {
        let call = Call::new("signedHistory", true, 30);
        self.invoke(call, params)
    }

    /// Fetch the public keys that the store signs with.
    ///
    /// A JSON Web Key Set as any library reads it: the key in use first, then those that have
    /// signed before, so that older histories can still be verified. A kid is the thumbprint of RFC
    /// 7638. It takes no account in session.
    pub fn keys(&self) -> Result<KeysResult, Error> {
        let call = Call::new("keys", true, 30);
        self.invoke(call, &Map::new())
    }

    /// Open a session for an account.
    ///
    /// What was added while nobody was logged in becomes this account's and is sent to the store.
    /// Another account replaces the one in session; the same again changes nothing. A logout while
    /// it is under way cancels it. The session survives restarts. Without account those are asked
    /// who are subscribed as login agents, and the answer waits for them.
    pub fn login(&self, params: &LoginParams) -> Result<LoginResult, Error> {
        let call = Call::new("login", true, 150);
        self.invoke(call, params)
    }

    /// Close the session.
    ///
    /// The account's transactions are hidden until it logs in again; what is under way at the store
    /// goes on there. The session at the store ends as well if the store can be reached; its tokens
    /// are forgotten in any case. Logging out twice is no error.
    pub fn logout(&self, params: &LogoutParams) -> Result<LogoutResult, Error> {
        let call = Call::new("logout", true, 0);
        self.invoke(call, params)
    }

    /// Show the account's storefront, or assume a country.
    ///
    /// The storefront of the account in session; null while nobody is logged in. With assume, the
    /// country whose prices are shown while nobody is logged in; it is kept over restarts and shown
    /// as assumed.
    pub fn storefront(&self, params: &StorefrontParams) -> Result<StorefrontResult, Error> {
        let call = Call::new("storefront", true, 0);
        self.invoke(call, params)
    }

    /// Buy a product.
    ///
    /// Accepts a payment: when the reply comes, the transaction is on stable storage. What becomes
    /// of it comes as events. It is sent to the store once an account is in session and somebody is
    /// subscribed; until then waitingFor says what is missing. Send a fresh key with every intent
    /// to buy: repeating the call with the same key and the same parameters answers with the first
    /// transaction and never charges twice. While nobody is logged in and somebody is subscribed as
    /// a login agent, the answer waits for the login.
    pub fn add(&self, params: &AddParams) -> Result<AddResult, Error> {
        let mut params = params.clone();
        params.key.get_or_insert_with(fresh_key);
        let call = Call::new("add", true, 150);
        self.invoke(call, &params)
    }

    /// Be given again what the account owns.
    ///
    /// Accepts a restore; when the reply comes, it is on stable storage. What the account owns
    /// comes as transactions in state restored, then exactly one restoreCompleted or restoreFailed
    /// ends it, also over a restart. It needs an account in session and somebody who is subscribed.
    /// A call for the same purchases joins the restore that runs; another one waits its turn.
    pub fn restore(&self, params: &RestoreParams) -> Result<RestoreResult, Error> {
        let mut params = params.clone();
        params.key.get_or_insert_with(fresh_key);
        let call = Call::new("restore", true, 150);
        self.invoke(call, &params)
    }

    /// Take a delivered transaction out of the queue.
    ///
    /// Call it after the goods are delivered, not before: until then every new subscription gets
    /// the transaction again. Repeat it freely. A purchase is completed with the store first
    /// (completing) and leaves the queue with transactionsRemoved. What was never sent is withdrawn
    /// (removed). What is under way stays (ignoredInFlight).
    pub fn finish(&self, params: &FinishParams) -> Result<FinishResult, Error> {
        let call = Call::new("finish", true, 0);
        self.invoke(call, params)
    }

    /// List transactions.
    ///
    /// Without parameters everything unfinished that the account in session may see. A list that
    /// does not fit comes in pages: repeat the call with the page that next gave.
    pub fn transactions(&self, params: &TransactionsParams) -> Result<TransactionsResult, Error> {
        let call = Call::new("transactions", true, 0);
        self.invoke(call, params)
    }

    /// Wait until a transaction is decided, or a restore has ended.
    ///
    /// For scripts: answers as soon as the transaction is in one of the wanted states, or the
    /// restore has ended, at once if it is so already. When the time runs out the answer is normal,
    /// with reached false. Requests behind it on the same connection are answered meanwhile.
    pub fn wait(&self, params: &WaitParams) -> Result<WaitResult, Error> {
        let call = Call::new("wait", true, 60);
        self.invoke(call, params)
    }

    /// Read the event log page by page.
    ///
    /// The pull form of subscribe, for shells: call it again with after set to next. It redelivers
    /// nothing and makes no transaction proceed.
    pub fn events(&self, params: &EventsParams) -> Result<EventsResult, Error> {
        let call = Call::new("events", true, 60);
        self.invoke(call, params)
    }

    /// Say up to where a named observer has dealt with everything.
    ///
    /// Kept durably: subscribe with the name begins behind it. Everything up to seq counts; a
    /// smaller seq than before changes nothing. It finishes no transaction, finish does.
    pub fn ack(&self, params: &AckParams) -> Result<AckResult, Error> {
        let call = Call::new("ack", true, 0);
        self.invoke(call, params)
    }

    /// List who watches, and the durable names.
    ///
    /// Who watches, what each is shown, and how far behind it is; then the durable names whose
    /// observers are away.
    pub fn observers(&self) -> Result<ObserversResult, Error> {
        let call = Call::new("observers", true, 0);
        self.invoke(call, &Map::new())
    }

    /// Show or set what happens when country or price changed.
    ///
    /// One durable policy for the whole queue. A transaction that would be charged in another
    /// country, or at another price, than was shown at add goes on (continue), leaves the queue
    /// with discardedByGate (stop), or waits for an answer (ask). Without parameters the policy is
    /// only shown; what is not given stays as it is.
    pub fn delegate(&self, params: &DelegateParams) -> Result<DelegateResult, Error> {
        let call = Call::new("delegate", true, 0);
        self.invoke(call, params)
    }

    /// List what waits for an answer.
    ///
    /// Every question that is open and that the account in session may see. Answer one with answer;
    /// the first answer wins.
    pub fn questions(&self) -> Result<QuestionsResult, Error> {
        let call = Call::new("questions", true, 0);
        self.invoke(call, &Map::new())
    }

    /// Answer a question.
    ///
    /// Anybody who may may answer, whoever was asked; the first answer wins, and whoever gave it
    /// may repeat it while the daemon runs. It is true or false, nothing else. A login question is
    /// answered true by a login; answered true without one, the calls behind it go on and what they
    /// ask for waits for a login.
    pub fn answer(&self, params: &AnswerParams) -> Result<AnswerResult, Error> {
        let call = Call::new("answer", true, 0);
        self.invoke(call, params)
    }

    /// Approve or decline what waits for an approval.
    ///
    /// Plays the person whose approval a transaction waits for (waitingFor approval). Answers when
    /// the queue has learned of the outcome from the store. Only a sandbox lets you.
    pub fn decide(&self, params: &DecideParams) -> Result<DecideResult, Error> {
        let call = Call::new("decide", false, 0);
        self.invoke(call, params)
    }

    /// Take no new work.
    ///
    /// With on true, add and restore are refused with error -32006 and everything else goes on; the
    /// answer comes when no order is under way at the store any more. A call that is cancelled
    /// meanwhile leaves it on. With on false, new work is taken again. A restart takes it back.
    pub fn drain(&self, params: &DrainParams) -> Result<DrainResult, Error> {
        let call = Call::new("drain", true, 60);
        self.invoke(call, params)
    }

    /// Read the configuration again.
    ///
    /// Reads the configuration file and the catalogue again and puts into force what can change
    /// while the daemon runs. All of it or nothing: a file that is refused leaves everything as it
    /// was.
    pub fn reload(&self, params: &ReloadParams) -> Result<ReloadResult, Error> {
        let call = Call::new("reload", true, 60);
        self.invoke(call, params)
    }

    /// Keep a copy of the whole state.
    ///
    /// Copies snapshot and journal to a directory of its own below backups, reads the copy back and
    /// proves it before it answers. The queue works on meanwhile.
    pub fn backup(&self, params: &BackupParams) -> Result<BackupResult, Error> {
        let call = Call::new("backup", false, 300);
        self.invoke(call, params)
    }

    /// Show how the sandbox behaves.
    ///
    /// The settings that test.set changes. Only a sandbox has them.
    pub fn test_get(&self) -> Result<TestSettings, Error> {
        let call = Call::new("test.get", true, 0);
        self.invoke(call, &Map::new())
    }

    /// Change how the sandbox behaves.
    ///
    /// Changes what is given and keeps the rest, durably; the result shows all settings. Only a
    /// sandbox has them.
    pub fn test_set(&self, params: &TestSetParams) -> Result<TestSettings, Error> {
        let call = Call::new("test.set", true, 0);
        self.invoke(call, params)
    }

    /// List every order that the sandbox knows.
    ///
    /// Of all accounts, finished ones too, oldest first, page by page. Only a sandbox tells.
    pub fn test_orders(&self, params: &TestOrdersParams) -> Result<TestOrdersResult, Error> {
        let call = Call::new("test.orders", true, 0);
        self.invoke(call, params)
    }

    /// Buy something outside of the queue.
    ///
    /// As if the account in session had bought it on another device: the order is paid, and comes
    /// to observers as a transaction with reason external. Only a sandbox does this.
    pub fn test_buy(&self, params: &TestBuyParams) -> Result<Order, Error> {
        let call = Call::new("test.buy", false, 0);
        self.invoke(call, params)
    }

    /// Let the sandbox take a purchase back.
    ///
    /// Always granted, at once: the order is refunded and observers hear entitlementsRevoked. A
    /// subscription ends. Only a sandbox does this.
    pub fn test_refund(&self, params: &TestRefundParams) -> Result<Order, Error> {
        let call = Call::new("test.refund", false, 0);
        self.invoke(call, params)
    }

    /// Solve what kept an order from being paid.
    ///
    /// An interrupted purchase becomes a purchase, which comes to observers as a new transaction; a
    /// renewal in billing retry is paid. Only a sandbox does this.
    pub fn test_resolve(&self, params: &TestResolveParams) -> Result<Order, Error> {
        let call = Call::new("test.resolve", false, 0);
        self.invoke(call, params)
    }

    /// Renew a subscription now.
    ///
    /// Ends the running period of the account's subscription and begins the next; it renews itself
    /// from then on. The renewal comes to observers as a transaction. Only a sandbox does this.
    pub fn test_renew(&self, params: &TestRenewParams) -> Result<Map<String, Value>, Error> {
        let call = Call::new("test.renew", false, 0);
        self.invoke(call, params)
    }

    /// End a subscription now.
    ///
    /// The account's subscription ends at once and does not renew itself any more. Only a sandbox
    /// does this.
    pub fn test_expire(&self, params: &TestExpireParams) -> Result<Map<String, Value>, Error> {
        let call = Call::new("test.expire", false, 0);
        self.invoke(call, params)
    }

    /// Switch the renewal of a subscription on or off.
    ///
    /// With enabled false the account's subscription ends with its period. Only a sandbox does
    /// this.
    pub fn test_auto_renew(
        &self,
        params: &TestAutoRenewParams,
    ) -> Result<Map<String, Value>, Error> {
        let call = Call::new("test.autoRenew", false, 0);
        self.invoke(call, params)
    }

    /// Raise the price of a subscription.
    ///
    /// The answer is the subscriber's: with consent the account's subscription renews at the new
    /// price, with decline it does not renew, while pending it ends with its period. Only a sandbox
    /// does this.
    pub fn test_price_increase(
        &self,
        params: &TestPriceIncreaseParams,
    ) -> Result<Map<String, Value>, Error> {
        let call = Call::new("test.priceIncrease", false, 0);
        self.invoke(call, params)
    }

    /// Let the sandbox forget an order.
    ///
    /// The order goes with its renewals, as if it had never been; what the queue was told of it
    /// stays. Only a sandbox does this.
    pub fn test_delete_order(
        &self,
        params: &TestDeleteOrderParams,
    ) -> Result<Map<String, Value>, Error> {
        let call = Call::new("test.deleteOrder", false, 0);
        self.invoke(call, params)
    }

    /// Let the sandbox forget every order.
    ///
    /// Settings stay, and what the queue was told stays as well. Only a sandbox does this.
    pub fn test_clear(&self) -> Result<Map<String, Value>, Error> {
        let call = Call::new("test.clear", false, 0);
        self.invoke(call, &Map::new())
    }

    /// Put every setting of the sandbox back.
    ///
    /// Orders stay; test.clear forgets them. Only a sandbox does this.
    pub fn test_reset(&self) -> Result<Map<String, Value>, Error> {
        let call = Call::new("test.reset", false, 0);
        self.invoke(call, &Map::new())
    }

    /// Show the sandbox's clock.
    ///
    /// The sandbox's own clock, on which subscriptions live: real time, faster by timeRate, as far
    /// ahead as it was advanced. Only a sandbox has one.
    pub fn test_clock_get(&self) -> Result<TestClock, Error> {
        let call = Call::new("test.clock.get", true, 0);
        self.invoke(call, &Map::new())
    }

    /// Move the sandbox's clock on.
    ///
    /// What is due until then happens one by one, each as a live event before the next: renewals,
    /// retries, ends of periods. The daemon's own deadlines stay in real time. A call that meets
    /// more than 10000 events stops there with error -32003, which says how far it came; repeat it
    /// for the rest. Only a sandbox does this.
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
    /// The store has no such order.
    pub const NO_SUCH_ORDER: i64 = 1602;
    /// The store does not offer this.
    pub const NOT_SUPPORTED_BY_STORE: i64 = 1601;
    /// No account is in session.
    pub const NOT_LOGGED_IN: i64 = 1504;
    /// The credential is wrong.
    pub const BAD_CREDENTIAL: i64 = 1502;
    /// The store has no such account.
    pub const UNKNOWN_ACCOUNT: i64 = 1501;
    /// The question was answered before.
    pub const QUESTION_CLOSED: i64 = 1402;
    /// There is no such question.
    pub const UNKNOWN_QUESTION: i64 = 1401;
    /// There is no observer of this name.
    pub const UNKNOWN_OBSERVER: i64 = 1305;
    /// A live subscription has this name.
    pub const NAME_IN_USE: i64 = 1304;
    /// The cursor belongs to another event log.
    pub const OTHER_EPOCH: i64 = 1303;
    /// The cursor is ahead of the event log.
    pub const CURSOR_AHEAD: i64 = 1302;
    /// The records behind the cursor are no longer kept.
    pub const CURSOR_TOO_OLD: i64 = 1301;
    /// There is nothing to decide about this transaction.
    pub const NOT_DECIDABLE: i64 = 1204;
    /// The page is gone; start with the first one again.
    pub const PAGE_EXPIRED: i64 = 1203;
    /// There is no such transaction.
    pub const UNKNOWN_TRANSACTION: i64 = 1201;
    /// No product has such an identifier.
    pub const INVALID_PRODUCT_IDENTIFIER: i64 = 1109;
    /// A transaction for this product is not finished yet.
    pub const ALREADY_LIVE: i64 = 1107;
    /// The work was turned down after the login.
    pub const REJECTED_AFTER_LOGIN: i64 = 1106;
    /// The queue holds as many transactions as it may.
    pub const QUEUE_FULL: i64 = 1105;
    /// Nobody logged in.
    pub const LOGIN_DISCARDED: i64 = 1104;
    /// The account in session may not buy.
    pub const PAYMENTS_NOT_ALLOWED: i64 = 1103;
    /// The key was used for another call.
    pub const KEY_REUSE: i64 = 1102;
    /// The store does not sell this product here.
    pub const UNKNOWN_PRODUCT: i64 = 1101;
    /// This daemon speaks another version.
    pub const UNSUPPORTED_VERSION: i64 = 1002;
    /// Too many calls of this connection are waiting.
    pub const TOO_MANY_IN_FLIGHT: i64 = -32000;
    /// The line is too long.
    pub const LINE_TOO_LONG: i64 = -32001;
    /// The line was not ended in time.
    pub const TIMEOUT: i64 = -32002;
    /// The result does not fit into a line; ask for less.
    pub const RESULT_TOO_LARGE: i64 = -32003;
    /// Too many subscriptions.
    pub const TOO_MANY_SUBSCRIPTIONS: i64 = -32004;
    /// Too many connections.
    pub const TOO_MANY_CONNECTIONS: i64 = -32005;
    /// The daemon is drained or stopped and takes no new work.
    pub const DRAINING: i64 = -32006;
    /// Your user lacks the role that this call needs.
    pub const FORBIDDEN: i64 = -32007;
    /// The change could not be put on stable storage.
    pub const NOT_DURABLE: i64 = -32008;
    /// The store cannot serve now.
    pub const STORE_UNAVAILABLE: i64 = -32009;
    /// The call was cancelled.
    pub const CANCELLED: i64 = -32010;
    /// The store does not answer.
    pub const CONNECTION_ERROR: i64 = -32011;
    /// There is no room for more until something ends.
    pub const SHARE_EXCEEDED: i64 = -32013;
    /// Invalid Request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// Method not found.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// Invalid params.
    pub const INVALID_PARAMS: i64 = -32602;
    /// Internal error.
    pub const INTERNAL: i64 = -32603;
}
