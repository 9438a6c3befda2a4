// Code generated from the contract by a test; DO NOT EDIT.

package payqueued

import (
	"context"
	"encoding/json"
)

// Version is the release of the product that this is of.
const Version = "0.1.0"

// TransactionState is one of these words, or one of a later daemon.
type TransactionState string

const (
	TransactionStatePurchasing TransactionState = "purchasing"
	TransactionStatePurchased  TransactionState = "purchased"
	TransactionStateRestored   TransactionState = "restored"
	TransactionStateFailed     TransactionState = "failed"
)

// WaitingFor is one of these words, or one of a later daemon.
type WaitingFor string

const (
	WaitingForObserver WaitingFor = "observer"
	WaitingForLogin    WaitingFor = "login"
	WaitingForGate     WaitingFor = "gate"
	WaitingForApproval WaitingFor = "approval"
	WaitingForStore    WaitingFor = "store"
)

// TransactionReason is one of these words, or one of a later daemon.
type TransactionReason string

const (
	TransactionReasonPurchase TransactionReason = "purchase"
	TransactionReasonRenewal  TransactionReason = "renewal"
	TransactionReasonRestore  TransactionReason = "restore"
	TransactionReasonExternal TransactionReason = "external"
)

// OfferKind is one of these words, or one of a later daemon.
type OfferKind string

const (
	OfferKindIntroductory OfferKind = "introductory"
	OfferKindAlreadyOwned OfferKind = "alreadyOwned"
	OfferKindScheduled    OfferKind = "scheduled"
)

// RemovalReason is one of these words, or one of a later daemon.
type RemovalReason string

const (
	RemovalReasonFinished           RemovalReason = "finished"
	RemovalReasonWithdrawn          RemovalReason = "withdrawn"
	RemovalReasonDiscardedByGate    RemovalReason = "discardedByGate"
	RemovalReasonRejectedAfterLogin RemovalReason = "rejectedAfterLogin"
	RemovalReasonDeleted            RemovalReason = "deleted"
)

// ProductType is one of these words, or one of a later daemon.
type ProductType string

const (
	ProductTypeConsumable                ProductType = "consumable"
	ProductTypeNonConsumable             ProductType = "nonConsumable"
	ProductTypeNonRenewingSubscription   ProductType = "nonRenewingSubscription"
	ProductTypeAutoRenewableSubscription ProductType = "autoRenewableSubscription"
)

// PeriodUnit is one of these words, or one of a later daemon.
type PeriodUnit string

const (
	PeriodUnitDay   PeriodUnit = "day"
	PeriodUnitWeek  PeriodUnit = "week"
	PeriodUnitMonth PeriodUnit = "month"
	PeriodUnitYear  PeriodUnit = "year"
)

// EventKind is one of these words, or one of a later daemon.
type EventKind string

const (
	EventKindTransactionsUpdated EventKind = "transactionsUpdated"
	EventKindTransactionsRemoved EventKind = "transactionsRemoved"
	EventKindRestoreCompleted    EventKind = "restoreCompleted"
	EventKindRestoreFailed       EventKind = "restoreFailed"
	EventKindStorefrontChanged   EventKind = "storefrontChanged"
	EventKindEntitlementsRevoked EventKind = "entitlementsRevoked"
	EventKindProductsChanged     EventKind = "productsChanged"
	EventKindQuestionOpened      EventKind = "questionOpened"
	EventKindQuestionClosed      EventKind = "questionClosed"
)

// EventReason is one of these words, or one of a later daemon.
type EventReason string

const (
	EventReasonFinished           EventReason = "finished"
	EventReasonWithdrawn          EventReason = "withdrawn"
	EventReasonDiscardedByGate    EventReason = "discardedByGate"
	EventReasonRejectedAfterLogin EventReason = "rejectedAfterLogin"
	EventReasonDeleted            EventReason = "deleted"
	EventReasonAnswered           EventReason = "answered"
	EventReasonTimedOut           EventReason = "timedOut"
	EventReasonAgentGone          EventReason = "agentGone"
	EventReasonSessionChanged     EventReason = "sessionChanged"
	EventReasonRestarted          EventReason = "restarted"
)

// QuestionType is one of these words, or one of a later daemon.
type QuestionType string

const (
	QuestionTypeLogin          QuestionType = "login"
	QuestionTypeAfterLogin     QuestionType = "afterLogin"
	QuestionTypeShouldContinue QuestionType = "shouldContinue"
	QuestionTypePayment        QuestionType = "payment"
)

// EventCause is one of these words, or one of a later daemon.
type EventCause string

const (
	EventCauseStorefront   EventCause = "storefront"
	EventCausePrice        EventCause = "price"
	EventCauseSessionEnded EventCause = "sessionEnded"
)

// TestSettingsFailureError is one of these words, or one of a later daemon.
type TestSettingsFailureError string

const (
	TestSettingsFailureErrorCancelled              TestSettingsFailureError = "cancelled"
	TestSettingsFailureErrorDeclined               TestSettingsFailureError = "declined"
	TestSettingsFailureErrorPresentationFailed     TestSettingsFailureError = "presentationFailed"
	TestSettingsFailureErrorUnknown                TestSettingsFailureError = "unknown"
	TestSettingsFailureErrorInvalidOfferIdentifier TestSettingsFailureError = "invalidOfferIdentifier"
	TestSettingsFailureErrorInvalidSignature       TestSettingsFailureError = "invalidSignature"
	TestSettingsFailureErrorMissingOfferParams     TestSettingsFailureError = "missingOfferParams"
	TestSettingsFailureErrorInvalidOfferPrice      TestSettingsFailureError = "invalidOfferPrice"
)

// SimulatedError is one of these words, or one of a later daemon.
type SimulatedError string

const (
	SimulatedErrorConnectionError    SimulatedError = "connectionError"
	SimulatedErrorServiceUnavailable SimulatedError = "serviceUnavailable"
	SimulatedErrorAppNotRegistered   SimulatedError = "appNotRegistered"
	SimulatedErrorUnknownAccount     SimulatedError = "unknownAccount"
	SimulatedErrorBadCredential      SimulatedError = "badCredential"
	SimulatedErrorSessionRevoked     SimulatedError = "sessionRevoked"
	SimulatedErrorStorageFailed      SimulatedError = "storageFailed"
	SimulatedErrorInternalError      SimulatedError = "internalError"
)

// OrderState is one of these words, or one of a later daemon.
type OrderState string

const (
	OrderStateDeferred  OrderState = "deferred"
	OrderStatePurchased OrderState = "purchased"
	OrderStateFailed    OrderState = "failed"
	OrderStateRefunded  OrderState = "refunded"
)

// OrderError is one of these words, or one of a later daemon.
type OrderError string

const (
	OrderErrorCancelled          OrderError = "cancelled"
	OrderErrorPresentationFailed OrderError = "presentationFailed"
	OrderErrorInternalError      OrderError = "internalError"
)

// RestoreState is one of these words, or one of a later daemon.
type RestoreState string

const (
	RestoreStateRunning   RestoreState = "running"
	RestoreStateCompleted RestoreState = "completed"
	RestoreStateFailed    RestoreState = "failed"
)

// GapReason is one of these words, or one of a later daemon.
type GapReason string

const (
	GapReasonTrimmed GapReason = "trimmed"
)

// EndedReason is one of these words, or one of a later daemon.
type EndedReason string

const (
	EndedReasonTrimmed       EndedReason = "trimmed"
	EndedReasonUnreadable    EndedReason = "unreadable"
	EndedReasonRoleWithdrawn EndedReason = "roleWithdrawn"
	EndedReasonEpochChanged  EndedReason = "epochChanged"
)

// ClosingReason is one of these words, or one of a later daemon.
type ClosingReason string

const (
	ClosingReasonShutdown       ClosingReason = "shutdown"
	ClosingReasonRestart        ClosingReason = "restart"
	ClosingReasonStalled        ClosingReason = "stalled"
	ClosingReasonIncompleteLine ClosingReason = "incompleteLine"
)

// HelloRole is one of these words, or one of a later daemon.
type HelloRole string

const (
	HelloRoleObserve HelloRole = "observe"
	HelloRoleBuy     HelloRole = "buy"
	HelloRoleGate    HelloRole = "gate"
	HelloRoleAdmin   HelloRole = "admin"
)

// DaemonState is one of these words, or one of a later daemon.
type DaemonState string

const (
	DaemonStateRunning  DaemonState = "running"
	DaemonStateDraining DaemonState = "draining"
	DaemonStateDegraded DaemonState = "degraded"
)

// StatusStoreState is one of these words, or one of a later daemon.
type StatusStoreState string

const (
	StatusStoreStateUnknown     StatusStoreState = "unknown"
	StatusStoreStateAvailable   StatusStoreState = "available"
	StatusStoreStateUnavailable StatusStoreState = "unavailable"
)

// KeyKty is one of these words, or one of a later daemon.
type KeyKty string

const (
	KeyKtyRSA KeyKty = "RSA"
	KeyKtyEC  KeyKty = "EC"
)

// KeyUse is one of these words, or one of a later daemon.
type KeyUse string

const (
	KeyUseSig KeyUse = "sig"
)

// FinishDisposition is one of these words, or one of a later daemon.
type FinishDisposition string

const (
	FinishDispositionRemoved         FinishDisposition = "removed"
	FinishDispositionCompleting      FinishDisposition = "completing"
	FinishDispositionIgnoredInFlight FinishDisposition = "ignoredInFlight"
	FinishDispositionAlreadyFinished FinishDisposition = "alreadyFinished"
)

// TransactionFilter is one of these words, or one of a later daemon.
type TransactionFilter string

const (
	TransactionFilterPurchasing TransactionFilter = "purchasing"
	TransactionFilterPurchased  TransactionFilter = "purchased"
	TransactionFilterRestored   TransactionFilter = "restored"
	TransactionFilterFailed     TransactionFilter = "failed"
	TransactionFilterFinished   TransactionFilter = "finished"
)

// WaitUntil is one of these words, or one of a later daemon.
type WaitUntil string

const (
	WaitUntilPurchasing WaitUntil = "purchasing"
	WaitUntilPurchased  WaitUntil = "purchased"
	WaitUntilRestored   WaitUntil = "restored"
	WaitUntilFailed     WaitUntil = "failed"
	WaitUntilRemoved    WaitUntil = "removed"
)

// SubscribeAfter is one of these words, or one of a later daemon.
type SubscribeAfter string

const (
	SubscribeAfterStart SubscribeAfter = "start"
	SubscribeAfterNow   SubscribeAfter = "now"
)

// SubscribeAgent is one of these words, or one of a later daemon.
type SubscribeAgent string

const (
	SubscribeAgentLogin   SubscribeAgent = "login"
	SubscribeAgentPayment SubscribeAgent = "payment"
)

// SubscribeOnGap is one of these words, or one of a later daemon.
type SubscribeOnGap string

const (
	SubscribeOnGapSnapshot SubscribeOnGap = "snapshot"
	SubscribeOnGapError    SubscribeOnGap = "error"
)

// DelegateMode is one of these words, or one of a later daemon.
type DelegateMode string

const (
	DelegateModeContinue DelegateMode = "continue"
	DelegateModeStop     DelegateMode = "stop"
	DelegateModeAsk      DelegateMode = "ask"
)

// DelegateAfterLogin is one of these words, or one of a later daemon.
type DelegateAfterLogin string

const (
	DelegateAfterLoginContinue DelegateAfterLogin = "continue"
	DelegateAfterLoginAsk      DelegateAfterLogin = "ask"
)

// QuestionCause is one of these words, or one of a later daemon.
type QuestionCause string

const (
	QuestionCauseStorefront QuestionCause = "storefront"
	QuestionCausePrice      QuestionCause = "price"
)

// DecideOutcome is one of these words, or one of a later daemon.
type DecideOutcome string

const (
	DecideOutcomeApprove DecideOutcome = "approve"
	DecideOutcomeDecline DecideOutcome = "decline"
)

// SimulatedCatalogueError is one of these words, or one of a later daemon.
type SimulatedCatalogueError string

const (
	SimulatedCatalogueErrorConnectionError    SimulatedCatalogueError = "connectionError"
	SimulatedCatalogueErrorServiceUnavailable SimulatedCatalogueError = "serviceUnavailable"
	SimulatedCatalogueErrorAppNotRegistered   SimulatedCatalogueError = "appNotRegistered"
	SimulatedCatalogueErrorInternalError      SimulatedCatalogueError = "internalError"
)

// SimulatedStoreError is one of these words, or one of a later daemon.
type SimulatedStoreError string

const (
	SimulatedStoreErrorConnectionError    SimulatedStoreError = "connectionError"
	SimulatedStoreErrorServiceUnavailable SimulatedStoreError = "serviceUnavailable"
	SimulatedStoreErrorAppNotRegistered   SimulatedStoreError = "appNotRegistered"
	SimulatedStoreErrorInternalError      SimulatedStoreError = "internalError"
	SimulatedStoreErrorSessionRevoked     SimulatedStoreError = "sessionRevoked"
)

// SimulatedLoginError is one of these words, or one of a later daemon.
type SimulatedLoginError string

const (
	SimulatedLoginErrorConnectionError    SimulatedLoginError = "connectionError"
	SimulatedLoginErrorServiceUnavailable SimulatedLoginError = "serviceUnavailable"
	SimulatedLoginErrorAppNotRegistered   SimulatedLoginError = "appNotRegistered"
	SimulatedLoginErrorInternalError      SimulatedLoginError = "internalError"
	SimulatedLoginErrorUnknownAccount     SimulatedLoginError = "unknownAccount"
	SimulatedLoginErrorBadCredential      SimulatedLoginError = "badCredential"
)

// TestPriceIncreaseAnswer is one of these words, or one of a later daemon.
type TestPriceIncreaseAnswer string

const (
	TestPriceIncreaseAnswerConsent TestPriceIncreaseAnswer = "consent"
	TestPriceIncreaseAnswerDecline TestPriceIncreaseAnswer = "decline"
	TestPriceIncreaseAnswerPending TestPriceIncreaseAnswer = "pending"
)

// Transaction: The queue's record of one payment.
type Transaction struct {
	// Names the transaction for ever.
	ID string `json:"id"`
	// The order at the store, once there is one.
	TransactionIdentifier string `json:"transactionIdentifier,omitempty"`
	// The first order of its chain.
	OriginalTransactionIdentifier string `json:"originalTransactionIdentifier,omitempty"`
	// What was asked for.
	Payment Payment `json:"payment"`
	// Where it stands.
	TransactionState TransactionState `json:"transactionState"`
	// Where it is charged, or was.
	Storefront Storefront `json:"storefront"`
	// One case name with an empty object; only while failed.
	Error map[string]json.RawMessage `json:"error,omitempty"`
	// Grows with each record of this transaction.
	Revision int64 `json:"revision"`
	// When it was accepted.
	CreatedAt string `json:"createdAt"`
	// When its last record was made.
	UpdatedAt string `json:"updatedAt"`
	// What it waits for; only while purchasing.
	WaitingFor WaitingFor `json:"waitingFor,omitempty"`
	// Finished, the store not yet told.
	Completing bool `json:"completing,omitempty"`
	// What is behind the error.
	FailureReason string `json:"failureReason,omitempty"`
	// Why there is a transaction at all.
	Reason TransactionReason `json:"reason"`
	// What the store took; absent until it did.
	Charged *Charge `json:"charged,omitempty"`
	// Why that is not the price of the product, where it is not.
	Offer OfferKind `json:"offer,omitempty"`
	// When a scheduled change of subscription takes effect.
	EffectiveAt string `json:"effectiveAt,omitempty"`
	// The store took it back: what was bought must not be unlocked any more.
	Revocation *Revocation `json:"revocation,omitempty"`
	// Who caused its last record, if a client did.
	By *Origin `json:"by,omitempty"`
	// When it left the queue.
	FinishedAt string `json:"finishedAt,omitempty"`
	// Why it left the queue.
	RemovalReason RemovalReason `json:"removalReason,omitempty"`
}

// Payment: What was asked for.
type Payment struct {
	// The product as it was sold.
	Product Product `json:"product"`
	// The application's own account.
	AppAccountToken string `json:"appAccountToken,omitempty"`
}

// Product: Something that is sold.
type Product struct {
	// What clients buy by.
	ProductIdentifier string `json:"productIdentifier"`
	// How it is consumed.
	Type ProductType `json:"type"`
	// The name to show.
	LocalizedTitle string `json:"localizedTitle"`
	// The description to show.
	LocalizedDescription string `json:"localizedDescription"`
	// Where a picture is.
	IconURL string `json:"iconUrl,omitempty"`
	// The price, or the charge of one period.
	Price Price `json:"price"`
	// Only on subscriptions.
	SubscriptionPeriod *Period `json:"subscriptionPeriod,omitempty"`
	// Only on subscriptions.
	SubscriptionGroupIdentifier string `json:"subscriptionGroupIdentifier,omitempty"`
	// The offer for new subscribers.
	IntroductoryPrice *Offer `json:"introductoryPrice,omitempty"`
	// Whether the account in session gets it: once per account and subscription group.
	IntroductoryOfferEligible bool `json:"introductoryOfferEligible,omitempty"`
	// A promotional offer.
	DiscountedPrice *Offer `json:"discountedPrice,omitempty"`
}

// Price: What a product costs. `amount` is exact, `value` is for show only.
type Price struct {
	// Major units, digit by digit.
	Value float64 `json:"value"`
	// The same digits as text, for programs that must not round.
	Amount string `json:"amount"`
	// ISO 4217.
	CurrencyCode string `json:"currencyCode"`
}

// Period: A span of time, in whole units.
type Period struct {
	// The unit.
	Unit PeriodUnit `json:"unit"`
	// How many of them.
	NumberOfUnits int64 `json:"numberOfUnits"`
}

// Offer: A price for a first period, or a discount.
type Offer struct {
	// What is charged; 0 is a free trial.
	Price Price `json:"price"`
	// For how long.
	Period Period `json:"period"`
}

// Storefront: The country that counts.
type Storefront struct {
	// Opaque; compare the country.
	ID string `json:"id"`
	// ISO 3166-1 alpha-2.
	CountryCode string `json:"countryCode"`
}

// Origin: Who caused something.
type Origin struct {
	// The user id that the kernel reported.
	UID int64 `json:"uid"`
	// The name that the client gave with hello.
	Client string `json:"client,omitempty"`
}

// Event: A record of the log. Which members it has depends on `kind`.
type Event struct {
	// The place of its record in the log.
	Seq int64 `json:"seq"`
	// Which further members it has.
	Kind EventKind `json:"kind"`
	// When its record was made.
	Time string `json:"time"`
	// Nothing changed: what is unfinished is shown again.
	Redelivery bool `json:"redelivery,omitempty"`
	// Full snapshots; of removed ones the last.
	Transactions []Transaction `json:"transactions,omitempty"`
	// Why transactions left the queue, or a question ended unanswered.
	Reason EventReason `json:"reason,omitempty"`
	// Who caused it, if a client did.
	By *Origin `json:"by,omitempty"`
	// The trace that came with the call that caused it.
	Trace string `json:"trace,omitempty"`
	// The storefront before.
	From *Storefront `json:"from,omitempty"`
	// The storefront now.
	To *Storefront `json:"to,omitempty"`
	// The account now in session, or the one whose session the store has ended.
	Account *string `json:"account,omitempty"`
	// The restore that ended.
	Restore string `json:"restore,omitempty"`
	// How many transactions a restore gave back.
	Count *int64 `json:"count,omitempty"`
	// Why a restore failed: one case name with an empty object.
	Error map[string]json.RawMessage `json:"error,omitempty"`
	// The products that were taken back.
	Products []string `json:"products,omitempty"`
	// Their orders.
	Orders []string `json:"orders,omitempty"`
	// Counts the catalogues of the store.
	Revision *int64 `json:"revision,omitempty"`
	// The question.
	Question string `json:"question,omitempty"`
	// What is asked.
	Type QuestionType `json:"type,omitempty"`
	// The transaction that waits for the answer.
	Transaction string `json:"transaction,omitempty"`
	// Why it is asked, or why a storefront changed that no client asked to change.
	Cause EventCause `json:"cause,omitempty"`
	// What would be bought.
	Product *Product `json:"product,omitempty"`
	// For how much.
	Price *Price `json:"price,omitempty"`
	// Where.
	Storefront *Storefront `json:"storefront,omitempty"`
	// What silence means.
	Fallback bool `json:"fallback,omitempty"`
	// When silence answers; null until somebody was asked.
	Deadline *string `json:"deadline,omitempty"`
	// What the question came to; null if to nothing.
	Value *bool `json:"value,omitempty"`
	// What the one who answered said about it.
	Note string `json:"note,omitempty"`
}

// TestSettingsTimeRate: Part of `TestSettings`.
type TestSettingsTimeRate struct {
	// How many seconds a month lasts.
	MonthSeconds int64 `json:"monthSeconds"`
}

// TestSettingsSimulatedErrors: Part of `TestSettings`.
type TestSettingsSimulatedErrors struct {
	// What it fails with.
	Products *SimulatedError `json:"products"`
	// What it fails with.
	Purchase *SimulatedError `json:"purchase"`
	// What it fails with.
	Completion *SimulatedError `json:"completion"`
	// What it fails with.
	Restore *SimulatedError `json:"restore"`
	// What it fails with.
	Reconciliation *SimulatedError `json:"reconciliation"`
	// What it fails with.
	History *SimulatedError `json:"history"`
	// What it fails with.
	Login *SimulatedError `json:"login"`
}

// TestSettings: The settings of the sandbox.
type TestSettings struct {
	// New orders fail with failureError.
	FailTransactionsEnabled bool `json:"failTransactionsEnabled"`
	// How they fail.
	FailureError TestSettingsFailureError `json:"failureError"`
	// New orders wait for an approval.
	AskToBuyEnabled bool `json:"askToBuyEnabled"`
	// Every purchase is interrupted and fails.
	InterruptedPurchasesEnabled bool `json:"interruptedPurchasesEnabled"`
	// How fast subscriptions live.
	TimeRate json.RawMessage `json:"timeRate"`
	// The country of every account, if one was set.
	Storefront string `json:"storefront,omitempty"`
	// Whether the accounts may buy.
	PaymentsAllowed bool `json:"paymentsAllowed"`
	// Which texts products have, if one was set.
	Locale string `json:"locale,omitempty"`
	// A subscription that was not renewed goes on for a while.
	BillingGracePeriodIsEnabled bool `json:"billingGracePeriodIsEnabled"`
	// Renewals are not paid until resolved.
	ShouldEnterBillingRetryOnRenewal bool `json:"shouldEnterBillingRetryOnRenewal"`
	// The error of each call, or null.
	SimulatedErrors TestSettingsSimulatedErrors `json:"simulatedErrors"`
	// How long every answer takes, in milliseconds.
	LatencyMS int64 `json:"latencyMs"`
	// Nothing is answered.
	StoreDown bool `json:"storeDown"`
}

// Order: The sandbox's record of a payment.
type Order struct {
	// The order.
	Order string `json:"order"`
	// The transaction that asked for it.
	Transaction string `json:"transaction,omitempty"`
	// The first order of its chain.
	Original string `json:"original"`
	// Who pays.
	Account string `json:"account"`
	// What was bought.
	Product string `json:"product"`
	// What it costs there; each period, for a subscription.
	Price Price `json:"price"`
	// What the store took; absent until it did.
	Charged *Charge `json:"charged,omitempty"`
	// Why that is not the price of the product, where it is not.
	Offer OfferKind `json:"offer,omitempty"`
	// When a scheduled change of subscription takes effect.
	EffectiveAt string `json:"effectiveAt,omitempty"`
	// The store took it back: what was bought must not be unlocked any more.
	Revocation *Revocation `json:"revocation,omitempty"`
	// In which country.
	CountryCode string `json:"countryCode"`
	// The application's own account.
	AppAccountToken string `json:"appAccountToken,omitempty"`
	// Where it stands.
	State OrderState `json:"state"`
	// How it failed, if it did.
	Error OrderError `json:"error,omitempty"`
	// What is behind the error.
	FailureReason string `json:"failureReason,omitempty"`
	// Whether the store knows that the goods were delivered.
	Completed bool `json:"completed"`
	// When it was placed.
	PlacedAt string `json:"placedAt"`
	// Whether it renews an order before it.
	Renewal bool `json:"renewal,omitempty"`
	// When it ends, for a subscription.
	ExpiresAt string `json:"expiresAt,omitempty"`
	// When it was taken back, if it was.
	RevokedAt string `json:"revokedAt,omitempty"`
}

// Restore: A restore and how far it is.
type Restore struct {
	// Names the restore.
	ID string `json:"id"`
	// Where it stands.
	State RestoreState `json:"state"`
	// What it waits for; only while running.
	WaitingFor WaitingFor `json:"waitingFor,omitempty"`
	// How many transactions it gave back; only when completed.
	Count *int64 `json:"count,omitempty"`
	// One case name with an empty object; only when failed.
	Error map[string]json.RawMessage `json:"error,omitempty"`
}

// TestClock: The sandbox's clock.
type TestClock struct {
	// What the sandbox's clock shows.
	Now string `json:"now"`
	// When the next event is due, if any is.
	NextEventAt string `json:"nextEventAt,omitempty"`
}

// Charge: What the store took: an exact amount, `0.00` for what was free.
type Charge struct {
	// Major units, with the digits of the currency; 0.00 for what was free.
	Amount string `json:"amount"`
	// ISO 4217.
	CurrencyCode string `json:"currencyCode"`
}

// Revocation: When and why the store took an order back.
type Revocation struct {
	// When.
	At string `json:"at"`
	// Why, such as refund.
	Reason string `json:"reason"`
}

// EventNotice: Something happened to the queue.
type EventNotice struct {
	// The subscription.
	Subscription string `json:"subscription"`
	// The seq sent before on it.
	Prev int64 `json:"prev"`
	// The place of its record in the log.
	Seq int64 `json:"seq"`
	// Which further members it has.
	Kind EventKind `json:"kind"`
	// When its record was made.
	Time string `json:"time"`
	// Nothing changed: what is unfinished is shown again.
	Redelivery bool `json:"redelivery,omitempty"`
	// Full snapshots; of removed ones the last.
	Transactions []Transaction `json:"transactions,omitempty"`
	// Why transactions left the queue, or a question ended unanswered.
	Reason EventReason `json:"reason,omitempty"`
	// Who caused it, if a client did.
	By *Origin `json:"by,omitempty"`
	// The trace that came with the call that caused it.
	Trace string `json:"trace,omitempty"`
	// The storefront before.
	From *Storefront `json:"from,omitempty"`
	// The storefront now.
	To *Storefront `json:"to,omitempty"`
	// The account now in session, or the one whose session the store has ended.
	Account *string `json:"account,omitempty"`
	// The restore that ended.
	Restore string `json:"restore,omitempty"`
	// How many transactions a restore gave back.
	Count *int64 `json:"count,omitempty"`
	// Why a restore failed: one case name with an empty object.
	Error map[string]json.RawMessage `json:"error,omitempty"`
	// The products that were taken back.
	Products []string `json:"products,omitempty"`
	// Their orders.
	Orders []string `json:"orders,omitempty"`
	// Counts the catalogues of the store.
	Revision *int64 `json:"revision,omitempty"`
	// The question.
	Question string `json:"question,omitempty"`
	// What is asked.
	Type QuestionType `json:"type,omitempty"`
	// The transaction that waits for the answer.
	Transaction string `json:"transaction,omitempty"`
	// Why it is asked, or why a storefront changed that no client asked to change.
	Cause EventCause `json:"cause,omitempty"`
	// What would be bought.
	Product *Product `json:"product,omitempty"`
	// For how much.
	Price *Price `json:"price,omitempty"`
	// Where.
	Storefront *Storefront `json:"storefront,omitempty"`
	// What silence means.
	Fallback bool `json:"fallback,omitempty"`
	// When silence answers; null until somebody was asked.
	Deadline *string `json:"deadline,omitempty"`
	// What the question came to; null if to nothing.
	Value *bool `json:"value,omitempty"`
	// What the one who answered said about it.
	Note string `json:"note,omitempty"`
}

// CaughtUpNotice: Replay and redelivery are over; what follows is live.
type CaughtUpNotice struct {
	// The subscription.
	Subscription string `json:"subscription"`
	// How far the log was scanned.
	Seq int64 `json:"seq"`
}

// HeartbeatNotice: Nothing happened for as long as the subscriber asked.
type HeartbeatNotice struct {
	// The subscription.
	Subscription string `json:"subscription"`
	// How far the log was scanned.
	Seq int64 `json:"seq"`
}

// GapNotice: Records were trimmed unread; a redelivery follows.
type GapNotice struct {
	// The subscription.
	Subscription string `json:"subscription"`
	// The first one missed.
	From int64 `json:"from"`
	// The last one missed.
	To int64 `json:"to"`
	// Why.
	Reason GapReason `json:"reason"`
}

// EndedNotice: The daemon ends a subscription.
type EndedNotice struct {
	// The subscription.
	Subscription string `json:"subscription"`
	// Why.
	Reason EndedReason `json:"reason"`
	// The last one sent.
	Last int64 `json:"last"`
}

// ClosingNotice: The daemon closes the connection soon.
type ClosingNotice struct {
	// Why.
	Reason ClosingReason `json:"reason"`
	// For how long requests are still taken.
	GraceMS int64 `json:"graceMs"`
	// Subscribe after this.
	Head int64 `json:"head"`
}

// HelloClient: Part of `Hello`.
type HelloClient struct {
	// The name of the client.
	Name string `json:"name"`
	// Its version.
	Version string `json:"version,omitempty"`
}

// HelloParams: The parameters of `hello`.
type HelloParams struct {
	// Who calls: name, version?.
	Client *HelloClient `json:"client,omitempty"`
	// The version of the interface wanted; another one than ours is an error.
	API *int64 `json:"api,omitempty"`
}

// HelloServer: Part of `Hello`.
type HelloServer struct {
	// Always the same.
	Name string `json:"name"`
	// The release.
	Version string `json:"version"`
}

// HelloPeer: Part of `Hello`.
type HelloPeer struct {
	// The user id.
	UID int64 `json:"uid"`
	// The group id.
	GID int64 `json:"gid"`
}

// HelloResult: The answer to `hello`.
type HelloResult struct {
	// What answers.
	Server HelloServer `json:"server"`
	// The version of the interface.
	API int64 `json:"api"`
	// Changes only when the event log was lost or reset.
	Epoch string `json:"epoch"`
	// The oldest record kept.
	Oldest int64 `json:"oldest"`
	// The newest record.
	Head int64 `json:"head"`
	// Who you are to the kernel.
	Peer HelloPeer `json:"peer"`
	// What you may do.
	Roles []HelloRole `json:"roles"`
	// What not every daemon of this version has.
	Features []string `json:"features"`
	// The limits in force, by name.
	Limits map[string]json.RawMessage `json:"limits"`
}

// PingParams: The parameters of `ping`.
type PingParams struct {
	// Comes back byte by byte.
	Payload any `json:"payload,omitempty"`
}

// PingResult: The answer to `ping`.
type PingResult struct {
	// The payload, or true without one.
	Pong json.RawMessage `json:"pong"`
}

// HelpParams: The parameters of `help`.
type HelpParams struct {
	// The method; without it, all of them.
	Method string `json:"method,omitempty"`
}

// HelpResult: The answer to `help`.
type HelpResult struct {
	// For a terminal of 80 columns.
	Text string `json:"text"`
}

// StatusSessionEnded: Part of `Status`.
type StatusSessionEnded struct {
	// The account that has to log in again.
	Account string `json:"account"`
	// Its storefront.
	Storefront Storefront `json:"storefront"`
	// When the queue learnt of it.
	At string `json:"at"`
}

// StatusQueueByState: Part of `StatusQueue`.
type StatusQueueByState struct {
	// So many.
	Purchasing int64 `json:"purchasing"`
	// So many.
	Purchased int64 `json:"purchased"`
	// So many.
	Restored int64 `json:"restored"`
	// So many.
	Failed int64 `json:"failed"`
}

// StatusQueueWaitingFor: Part of `StatusQueue`.
type StatusQueueWaitingFor struct {
	// So many.
	Observer *int64 `json:"observer,omitempty"`
	// So many.
	Login *int64 `json:"login,omitempty"`
	// So many.
	Gate *int64 `json:"gate,omitempty"`
	// So many.
	Approval *int64 `json:"approval,omitempty"`
	// So many.
	Store *int64 `json:"store,omitempty"`
}

// StatusQueue: Part of `Status`.
type StatusQueue struct {
	// All that is not finished.
	Unfinished int64 `json:"unfinished"`
	// By state.
	ByState StatusQueueByState `json:"byState"`
	// Of the purchased: finished, store not told.
	Completing int64 `json:"completing"`
	// Of the purchasing: what they wait for.
	WaitingFor StatusQueueWaitingFor `json:"waitingFor"`
}

// StatusLog: Part of `Status`.
type StatusLog struct {
	// The oldest record kept.
	Oldest int64 `json:"oldest"`
	// The newest record.
	Head int64 `json:"head"`
	// Its size on disk.
	Bytes int64 `json:"bytes"`
}

// StatusConnection: Part of `Status`.
type StatusConnection struct {
	// The user id of the peer.
	UID int64 `json:"uid"`
	// The name that it gave with hello.
	Client string `json:"client,omitempty"`
	// How many it has.
	Subscriptions int64 `json:"subscriptions"`
	// The most records that one of them is behind.
	Lag int64 `json:"lag"`
	// What is held for it, on its way in or out.
	BufferedBytes int64 `json:"bufferedBytes"`
	// Whether it reads too slowly.
	Paused bool `json:"paused"`
}

// StatusPersistence: Part of `Status`.
type StatusPersistence struct {
	// When something was last put on disk.
	LastCommit string `json:"lastCommit,omitempty"`
	// Whether the state is lost with the machine.
	Volatile bool `json:"volatile"`
	// What last went wrong.
	LastError string `json:"lastError,omitempty"`
}

// StatusStore: Part of `Status`.
type StatusStore struct {
	// Which store.
	Name string `json:"name"`
	// Its state.
	State StatusStoreState `json:"state"`
	// Since when.
	Since string `json:"since"`
	// What it last failed with.
	LastError string `json:"lastError,omitempty"`
	// When it is tried again, if that is known.
	NextTryAt string `json:"nextTryAt,omitempty"`
}

// StatusCanMakePayments: Part of `Status`.
type StatusCanMakePayments struct {
	// Whether a new payment would be accepted.
	Value bool `json:"value"`
	// Why not.
	Reason string `json:"reason,omitempty"`
}

// StatusResult: The answer to `status`.
type StatusResult struct {
	// The daemon's.
	State DaemonState `json:"state"`
	// When it got into that state.
	Since string `json:"since"`
	// The account in session.
	Account *string `json:"account"`
	// Its storefront.
	Storefront *Storefront `json:"storefront"`
	// The session that the store has ended; there until somebody logs in.
	SessionEnded *StatusSessionEnded `json:"sessionEnded,omitempty"`
	// What the account in session may see, and what waits for an account whose session the store has
	// ended.
	Queue StatusQueue `json:"queue"`
	// The event log.
	Log StatusLog `json:"log"`
	// Oldest first.
	Connections []StatusConnection `json:"connections"`
	// Decisions that are open.
	Questions int64 `json:"questions"`
	// The disk.
	Persistence StatusPersistence `json:"persistence"`
	// The store.
	Store StatusStore `json:"store"`
	// Restores that run.
	Restores []Restore `json:"restores"`
	// Whether the account may buy.
	CanMakePayments StatusCanMakePayments `json:"canMakePayments"`
}

// MetricsResult: The answer to `metrics`.
type MetricsResult struct {
	// The content type of the text.
	Format string `json:"format"`
	// One metric per line.
	Text string `json:"text"`
}

// RPCDiscoverResult: The answer to `rpc.discover`.
type RPCDiscoverResult struct {
	// `openrpc`, as OpenRPC defines it.
	Openrpc string `json:"openrpc"`
	// `info`, as OpenRPC defines it.
	Info map[string]json.RawMessage `json:"info"`
	// `methods`, as OpenRPC defines it.
	Methods []json.RawMessage `json:"methods"`
	// `components`, as OpenRPC defines it.
	Components map[string]json.RawMessage `json:"components,omitempty"`
	// `x-notifications`, as OpenRPC defines it.
	XNotifications []json.RawMessage `json:"x-notifications,omitempty"`
	// `x-limits`, as OpenRPC defines it.
	XLimits map[string]json.RawMessage `json:"x-limits,omitempty"`
}

// CheckParams: The parameters of `check`.
type CheckParams struct {
	// The method.
	Method string `json:"method"`
	// What would be sent as its parameters.
	Params any `json:"params,omitempty"`
}

// CheckResult: The answer to `check`.
type CheckResult struct {
	// Always true; anything else is an error.
	Ok bool `json:"ok"`
}

// ProductsParams: The parameters of `products`.
type ProductsParams struct {
	// Only these products.
	IDs []string `json:"ids,omitempty"`
	// The most entries of a page; 100 without it.
	Limit *int64 `json:"limit,omitempty"`
	// The page that next of an earlier answer named.
	Page string `json:"page,omitempty"`
}

// ProductsResult: The answer to `products`.
type ProductsResult struct {
	// What is sold.
	Products []Product `json:"products"`
	// Asked for and not sold here.
	Invalid []string `json:"invalid"`
	// Where the prices are of.
	Storefront Storefront `json:"storefront"`
	// The next page, if there is one.
	Next string `json:"next,omitempty"`
}

// Entitlement: Part of `Entitlements`.
type Entitlement struct {
	// The order.
	TransactionIdentifier string `json:"transactionIdentifier"`
	// The first order of its chain.
	OriginalTransactionIdentifier string `json:"originalTransactionIdentifier"`
	// The transaction that asked for it.
	Transaction string `json:"transaction,omitempty"`
	// What clients buy it by.
	ProductIdentifier string `json:"productIdentifier"`
	// The product as it was sold.
	Product Product `json:"product"`
	// Where it was charged.
	Storefront Storefront `json:"storefront"`
	// The application's own account.
	AppAccountToken string `json:"appAccountToken,omitempty"`
	// What the store took; absent until it did.
	Charged *Charge `json:"charged,omitempty"`
	// Why that is not the price of the product, where it is not.
	Offer OfferKind `json:"offer,omitempty"`
	// When a scheduled change of subscription takes effect.
	EffectiveAt string `json:"effectiveAt,omitempty"`
	// The store took it back: what was bought must not be unlocked any more.
	Revocation *Revocation `json:"revocation,omitempty"`
	// Whether it renews an order before it.
	Renewal bool `json:"renewal"`
	// Whether the store knows that the goods were delivered.
	Completed bool `json:"completed"`
	// When it was paid.
	PurchasedAt string `json:"purchasedAt"`
	// When it ends, for a subscription.
	ExpiresAt string `json:"expiresAt,omitempty"`
}

// EntitlementsResult: The answer to `entitlements`.
type EntitlementsResult struct {
	// Oldest first.
	Entitlements []Entitlement `json:"entitlements"`
}

// SignedHistoryParams: The parameters of `signedHistory`.
type SignedHistoryParams struct {
	// The most purchases of the page; without it, and at most, as many as a reply line has room for.
	Limit *int64 `json:"limit,omitempty"`
	// The page that next of an earlier answer named.
	Page string `json:"page,omitempty"`
}

// SignedHistoryResult: The answer to `signedHistory`.
type SignedHistoryResult struct {
	// The compact JWS.
	JWS string `json:"jws"`
	// The key that signed it.
	Kid string `json:"kid"`
	// How it was signed: RS256 or ES256.
	Alg string `json:"alg"`
	// The next page, if there is one.
	Next string `json:"next,omitempty"`
}

// Key: Part of `Keys`.
type Key struct {
	// The kind of key.
	Kty KeyKty `json:"kty"`
	// What it is for.
	Use KeyUse `json:"use"`
	// What it is used with: RS256 or ES256.
	Alg string `json:"alg"`
	// What signatures name it by.
	Kid string `json:"kid"`
	// The modulus of an RSA key.
	N string `json:"n,omitempty"`
	// The exponent of an RSA key.
	E string `json:"e,omitempty"`
	// The curve of an EC key: P-256.
	Crv string `json:"crv,omitempty"`
	// The first coordinate of an EC key.
	X string `json:"x,omitempty"`
	// The second coordinate of an EC key.
	Y string `json:"y,omitempty"`
}

// KeysResult: The answer to `keys`.
type KeysResult struct {
	// JSON Web Keys, the one in use first.
	Keys []Key `json:"keys"`
}

// LoginParams: The parameters of `login`.
type LoginParams struct {
	// The account at the store; without it the login agents are asked.
	Account string `json:"account,omitempty"`
	// What proves it; never logged.
	Credential string `json:"credential,omitempty"`
	// A trace context, echoed in the records that the call causes.
	Trace string `json:"trace,omitempty"`
}

// LoginResult: The answer to `login`.
type LoginResult struct {
	// The account in session.
	Account string `json:"account"`
	// Its storefront.
	Storefront Storefront `json:"storefront"`
	// The record of the change, or the newest.
	Seq int64 `json:"seq"`
}

// LogoutParams: The parameters of `logout`.
type LogoutParams struct {
	// A trace context, echoed in the records that the call causes.
	Trace string `json:"trace,omitempty"`
}

// LogoutResult: The answer to `logout`.
type LogoutResult struct {
	// The record of the change, or the newest.
	Seq int64 `json:"seq"`
}

// StorefrontParams: The parameters of `storefront`.
type StorefrontParams struct {
	// The country to assume while nobody is logged in; "" takes it back.
	Assume string `json:"assume,omitempty"`
}

// StorefrontResult: The answer to `storefront`.
type StorefrontResult struct {
	// Where the account in session is; null without one.
	Storefront *Storefront `json:"storefront"`
	// The account in session.
	Account *string `json:"account"`
	// The country assumed while nobody is logged in.
	Assumed string `json:"assumed,omitempty"`
}

// AddParams: The parameters of `add`.
type AddParams struct {
	// The identifier of the product.
	Product string `json:"product"`
	// Ties the purchase to the application's own account; carried and echoed.
	AppAccountToken string `json:"appAccountToken,omitempty"`
	// The idempotency key; kept for at least 90 days, compared by bytes.
	Key string `json:"key,omitempty"`
	// A trace context, echoed in the records that the call causes.
	Trace string `json:"trace,omitempty"`
}

// AddRemoved: Part of `Add`.
type AddRemoved struct {
	// Why.
	Reason RemovalReason `json:"reason"`
	// When.
	At string `json:"at"`
}

// AddResult: The answer to `add`.
type AddResult struct {
	// The transaction.
	Transaction string `json:"transaction"`
	// Where it stands.
	State TransactionState `json:"state"`
	// What it waits for.
	WaitingFor WaitingFor `json:"waitingFor,omitempty"`
	// The record of acceptance.
	Seq int64 `json:"seq"`
	// Whether the key was used before.
	Duplicate bool `json:"duplicate"`
	// How a transaction left the queue that a duplicate names.
	Removed *AddRemoved `json:"removed,omitempty"`
}

// RestoreParams: The parameters of `restore`.
type RestoreParams struct {
	// The idempotency key; kept for at least 90 days, compared by bytes.
	Key string `json:"key,omitempty"`
	// Only purchases that carry this token.
	AppAccountToken string `json:"appAccountToken,omitempty"`
	// A trace context, echoed in the records that the call causes.
	Trace string `json:"trace,omitempty"`
}

// RestoreResult: The answer to `restore`.
type RestoreResult struct {
	// The restore.
	Restore string `json:"restore"`
	// Where it stands.
	State RestoreState `json:"state"`
	// What it waits for.
	WaitingFor WaitingFor `json:"waitingFor,omitempty"`
	// The record of acceptance, or the newest.
	Seq int64 `json:"seq"`
	// Whether it was there already.
	Duplicate bool `json:"duplicate"`
}

// FinishParams: The parameters of `finish`.
type FinishParams struct {
	// The transaction.
	Transaction string `json:"transaction"`
	// A trace context, echoed in the records that the call causes.
	Trace string `json:"trace,omitempty"`
}

// FinishResult: The answer to `finish`.
type FinishResult struct {
	// The transaction.
	Transaction string `json:"transaction"`
	// What the call came to.
	Disposition FinishDisposition `json:"disposition"`
	// The record that the call made, or the newest.
	Seq int64 `json:"seq"`
}

// TransactionsParams: The parameters of `transactions`.
type TransactionsParams struct {
	// Only these transactions; unknown ones are left out.
	IDs []string `json:"ids,omitempty"`
	// Only these states. finished lists what left the queue.
	States []TransactionFilter `json:"states,omitempty"`
	// The most entries of a page; 100 without it.
	Limit *int64 `json:"limit,omitempty"`
	// The page that next of an earlier answer named.
	Page string `json:"page,omitempty"`
}

// TransactionsResult: The answer to `transactions`.
type TransactionsResult struct {
	// In the order of acceptance.
	Transactions []Transaction `json:"transactions"`
	// The position as of which this is true.
	Seq int64 `json:"seq"`
	// The next page, if there is one.
	Next string `json:"next,omitempty"`
}

// WaitParams: The parameters of `wait`.
type WaitParams struct {
	// The transaction.
	Transaction string `json:"transaction,omitempty"`
	// The restore, instead.
	Restore string `json:"restore,omitempty"`
	// What to wait for; without it any state but purchasing, or the removal. For transactions only.
	Until []WaitUntil `json:"until,omitempty"`
	// Seconds to wait at most; 60 without it.
	Timeout *float64 `json:"timeout,omitempty"`
}

// WaitResult: The answer to `wait`.
type WaitResult struct {
	// As it is now.
	Transaction *Transaction `json:"transaction,omitempty"`
	// As it is now.
	Restore *Restore `json:"restore,omitempty"`
	// False if the time ran out first.
	Reached bool `json:"reached"`
	// The position as of which this is true.
	Seq int64 `json:"seq"`
}

// SubscribeParams: The parameters of `subscribe`.
type SubscribeParams struct {
	// Records behind this place; start is the oldest, now the newest.
	After any `json:"after,omitempty"`
	// The epoch that after belongs to.
	Epoch string `json:"epoch,omitempty"`
	// Only these kinds.
	Kinds []EventKind `json:"kinds,omitempty"`
	// Only transactions for these products.
	Products []string `json:"products,omitempty"`
	// Only watch; do not make transactions proceed.
	Passive *bool `json:"passive,omitempty"`
	// Questions that you can put to a person; it takes the roles to answer them.
	Agent []SubscribeAgent `json:"agent,omitempty"`
	// Names a durable observer; begins at its ack unless after says otherwise.
	Name string `json:"name,omitempty"`
	// Seconds of silence after which a heartbeat comes.
	Heartbeat *float64 `json:"heartbeat,omitempty"`
	// When records were trimmed unread: snapshot (the default) redelivers, error ends.
	OnGap SubscribeOnGap `json:"onGap,omitempty"`
}

// SubscribeResult: The answer to `subscribe`.
type SubscribeResult struct {
	// Names it in every event.
	Subscription string `json:"subscription"`
	// Store it with your cursor.
	Epoch string `json:"epoch"`
	// The oldest record kept.
	Oldest int64 `json:"oldest"`
	// The newest record.
	Head int64 `json:"head"`
}

// UnsubscribeParams: The parameters of `unsubscribe`.
type UnsubscribeParams struct {
	// The subscription.
	Subscription string `json:"subscription"`
}

// UnsubscribeResult: The answer to `unsubscribe`.
type UnsubscribeResult struct {
	// Whether there was such a subscription.
	Unsubscribed bool `json:"unsubscribed"`
	// Where it had got to.
	Last *int64 `json:"last,omitempty"`
}

// EventsParams: The parameters of `events`.
type EventsParams struct {
	// Records behind this place.
	After any `json:"after"`
	// The most entries of a page; 100 without it.
	Limit *int64 `json:"limit,omitempty"`
	// Seconds to wait for the first event if there is none yet.
	Wait *float64 `json:"wait,omitempty"`
	// Only these kinds.
	Kinds []EventKind `json:"kinds,omitempty"`
	// The epoch that after belongs to.
	Epoch string `json:"epoch,omitempty"`
}

// EventsResult: The answer to `events`.
type EventsResult struct {
	// In the order of the log.
	Events []Event `json:"events"`
	// The cursor for the next call.
	Next int64 `json:"next"`
	// The newest record.
	Head int64 `json:"head"`
	// Store it with your cursor.
	Epoch string `json:"epoch"`
}

// AckParams: The parameters of `ack`.
type AckParams struct {
	// The observer.
	Name string `json:"name"`
	// The last record it has dealt with.
	Seq int64 `json:"seq"`
}

// AckResult: The answer to `ack`.
type AckResult struct {
	// Up to where everything is dealt with.
	Acked int64 `json:"acked"`
}

// Observer: Part of `Observers`.
type Observer struct {
	// The subscription, while there is one.
	Subscription string `json:"subscription,omitempty"`
	// The user id of the peer.
	UID *int64 `json:"uid,omitempty"`
	// The name that the client gave with hello.
	Client string `json:"client,omitempty"`
	// The durable name.
	Name string `json:"name,omitempty"`
	// Whether it only watches.
	Passive bool `json:"passive,omitempty"`
	// Only these kinds.
	Kinds []EventKind `json:"kinds,omitempty"`
	// Only these products.
	Products []string `json:"products,omitempty"`
	// What it can ask a person for.
	Agent []SubscribeAgent `json:"agent,omitempty"`
	// Up to where the name has dealt with everything.
	Acked *int64 `json:"acked,omitempty"`
	// How far the log has gone on behind it.
	Lag int64 `json:"lag"`
	// Whether its peer is there.
	Connected bool `json:"connected"`
}

// ObserversResult: The answer to `observers`.
type ObserversResult struct {
	// In the order of subscribing, then by name.
	Observers []Observer `json:"observers"`
}

// DelegateParams: The parameters of `delegate`.
type DelegateParams struct {
	// What happens when country or price changed.
	Mode DelegateMode `json:"mode,omitempty"`
	// Seconds that silence is waited for once somebody was asked.
	Timeout *float64 `json:"timeout,omitempty"`
	// What silence means: true goes on, false does not.
	Fallback *bool `json:"fallback,omitempty"`
	// What happens after a login that add had asked for.
	AfterLogin DelegateAfterLogin `json:"afterLogin,omitempty"`
}

// DelegateResult: The answer to `delegate`.
type DelegateResult struct {
	// In force.
	Mode DelegateMode `json:"mode"`
	// In seconds.
	Timeout float64 `json:"timeout"`
	// What silence means.
	Fallback bool `json:"fallback"`
	// After a login that add had asked for.
	AfterLogin DelegateAfterLogin `json:"afterLogin"`
	// The record of the change, or the newest.
	Seq int64 `json:"seq"`
}

// Question: Part of `Questions`.
type Question struct {
	// Names the question.
	Question string `json:"question"`
	// What is asked.
	Type QuestionType `json:"type"`
	// What waits for the answer.
	Transaction string `json:"transaction,omitempty"`
	// Why it is asked.
	Cause QuestionCause `json:"cause,omitempty"`
	// What would be charged for.
	Product *Product `json:"product,omitempty"`
	// What would be charged.
	Price *Price `json:"price,omitempty"`
	// Where.
	Storefront *Storefront `json:"storefront,omitempty"`
	// What silence means.
	Fallback bool `json:"fallback"`
	// When silence counts; not before somebody was asked.
	Deadline string `json:"deadline,omitempty"`
	// When it was asked first.
	OpenedAt string `json:"openedAt"`
}

// QuestionsResult: The answer to `questions`.
type QuestionsResult struct {
	// In the order of asking.
	Questions []Question `json:"questions"`
}

// AnswerParams: The parameters of `answer`.
type AnswerParams struct {
	// The question.
	Question string `json:"question"`
	// Whether to go on.
	Value bool `json:"value"`
	// Why; shown with questionClosed.
	Reason string `json:"reason,omitempty"`
	// A trace context, echoed in the records that the call causes.
	Trace string `json:"trace,omitempty"`
}

// AnswerResult: The answer to `answer`.
type AnswerResult struct {
	// Always true; anything else is an error.
	Accepted bool `json:"accepted"`
	// The record of the answer.
	Seq int64 `json:"seq"`
}

// CancelParams: The parameters of `cancel`.
type CancelParams struct {
	// The id of the call, written as it was written there.
	ID any `json:"id"`
}

// CancelResult: The answer to `cancel`.
type CancelResult struct {
	// Whether the call was waiting.
	Cancelled bool `json:"cancelled"`
}

// DecideParams: The parameters of `decide`.
type DecideParams struct {
	// The transaction.
	Transaction string `json:"transaction"`
	// What becomes of it.
	Outcome DecideOutcome `json:"outcome"`
	// A trace context, echoed in the records that the call causes.
	Trace string `json:"trace,omitempty"`
}

// DecideResult: The answer to `decide`.
type DecideResult struct {
	// The transaction.
	Transaction string `json:"transaction"`
	// Where it stands.
	State TransactionState `json:"state"`
	// The position as of which this is true.
	Seq int64 `json:"seq"`
}

// DrainParams: The parameters of `drain`.
type DrainParams struct {
	// Whether new work is refused.
	On bool `json:"on"`
	// A trace context, echoed in the records that the call causes.
	Trace string `json:"trace,omitempty"`
}

// DrainResult: The answer to `drain`.
type DrainResult struct {
	// What the daemon does now.
	State DaemonState `json:"state"`
}

// ReloadParams: The parameters of `reload`.
type ReloadParams struct {
	// A trace context, echoed in the records that the call causes.
	Trace string `json:"trace,omitempty"`
}

// ReloadResult: The answer to `reload`.
type ReloadResult struct {
	// The settings that changed, by key.
	Changed []string `json:"changed"`
}

// BackupParams: The parameters of `backup`.
type BackupParams struct {
	// A trace context, echoed in the records that the call causes.
	Trace string `json:"trace,omitempty"`
}

// BackupResult: The answer to `backup`.
type BackupResult struct {
	// Where the copy is.
	Path string `json:"path"`
	// The position as of which it is true.
	Seq int64 `json:"seq"`
	// Its size.
	Bytes int64 `json:"bytes"`
}

// TestSetTimeRate: Part of `TestSet`.
type TestSetTimeRate struct {
	// How many seconds a month lasts.
	MonthSeconds int64 `json:"monthSeconds"`
}

// TestSetSimulatedErrors: Part of `TestSet`.
type TestSetSimulatedErrors struct {
	// What it fails with; null for none.
	Products *SimulatedCatalogueError `json:"products,omitempty"`
	// What it fails with; null for none.
	Purchase *SimulatedStoreError `json:"purchase,omitempty"`
	// What it fails with; null for none.
	Completion *SimulatedStoreError `json:"completion,omitempty"`
	// What it fails with; null for none.
	Restore *SimulatedStoreError `json:"restore,omitempty"`
	// What it fails with; null for none.
	Reconciliation *SimulatedStoreError `json:"reconciliation,omitempty"`
	// What it fails with; null for none.
	History *SimulatedStoreError `json:"history,omitempty"`
	// What it fails with; null for none.
	Login *SimulatedLoginError `json:"login,omitempty"`
}

// TestSetParams: The parameters of `test.set`.
type TestSetParams struct {
	// New orders fail with failureError.
	FailTransactionsEnabled *bool `json:"failTransactionsEnabled,omitempty"`
	// How they fail.
	FailureError TestSettingsFailureError `json:"failureError,omitempty"`
	// New orders wait for an approval.
	AskToBuyEnabled *bool `json:"askToBuyEnabled,omitempty"`
	// Every purchase fails until test.resolve, which makes it a new one.
	InterruptedPurchasesEnabled *bool `json:"interruptedPurchasesEnabled,omitempty"`
	// How fast subscriptions live: Apple's number, or how long a month lasts.
	TimeRate any `json:"timeRate,omitempty"`
	// The country of every account.
	Storefront string `json:"storefront,omitempty"`
	// Whether the accounts may buy.
	PaymentsAllowed *bool `json:"paymentsAllowed,omitempty"`
	// Which texts products have, such as en_US.
	Locale string `json:"locale,omitempty"`
	// A subscription that was not renewed goes on for a while.
	BillingGracePeriodIsEnabled *bool `json:"billingGracePeriodIsEnabled,omitempty"`
	// Renewals are not paid until test.resolve.
	ShouldEnterBillingRetryOnRenewal *bool `json:"shouldEnterBillingRetryOnRenewal,omitempty"`
	// The calls that fail, and how.
	SimulatedErrors *TestSetSimulatedErrors `json:"simulatedErrors,omitempty"`
	// Milliseconds that every answer takes.
	LatencyMS *int64 `json:"latencyMs,omitempty"`
	// Nothing is answered.
	StoreDown *bool `json:"storeDown,omitempty"`
}

// TestOrdersParams: The parameters of `test.orders`.
type TestOrdersParams struct {
	// The most entries of a page; 100 without it.
	Limit *int64 `json:"limit,omitempty"`
	// The page that next of an earlier answer named.
	Page string `json:"page,omitempty"`
}

// TestOrdersResult: The answer to `test.orders`.
type TestOrdersResult struct {
	// Oldest first.
	Orders []Order `json:"orders"`
	// The next page, if there is one.
	Next string `json:"next,omitempty"`
}

// TestBuyParams: The parameters of `test.buy`.
type TestBuyParams struct {
	// The identifier of the product.
	Product string `json:"product"`
	// Ties the purchase to the application's own account.
	AppAccountToken string `json:"appAccountToken,omitempty"`
}

// TestRefundParams: The parameters of `test.refund`.
type TestRefundParams struct {
	// The transaction that asked for it.
	Transaction string `json:"transaction,omitempty"`
	// The order itself, instead.
	Order string `json:"order,omitempty"`
}

// TestResolveParams: The parameters of `test.resolve`.
type TestResolveParams struct {
	// The transaction that asked for it.
	Transaction string `json:"transaction,omitempty"`
	// The order itself, instead.
	Order string `json:"order,omitempty"`
}

// TestRenewParams: The parameters of `test.renew`.
type TestRenewParams struct {
	// The subscription of the account.
	Product string `json:"product"`
}

// TestExpireParams: The parameters of `test.expire`.
type TestExpireParams struct {
	// The subscription of the account.
	Product string `json:"product"`
}

// TestAutoRenewParams: The parameters of `test.autoRenew`.
type TestAutoRenewParams struct {
	// The subscription of the account.
	Product string `json:"product"`
	// Whether it renews itself.
	Enabled bool `json:"enabled"`
}

// TestPriceIncreaseParams: The parameters of `test.priceIncrease`.
type TestPriceIncreaseParams struct {
	// The subscription of the account.
	Product string `json:"product"`
	// What the subscriber says.
	Answer TestPriceIncreaseAnswer `json:"answer"`
}

// TestDeleteOrderParams: The parameters of `test.deleteOrder`.
type TestDeleteOrderParams struct {
	// The transaction that asked for it.
	Transaction string `json:"transaction,omitempty"`
	// The order itself, instead.
	Order string `json:"order,omitempty"`
}

// TestClockAdvanceParams: The parameters of `test.clock.advance`.
type TestClockAdvanceParams struct {
	// How far.
	Seconds float64 `json:"seconds"`
}

// TestClockAdvanceResult: The answer to `test.clock.advance`.
type TestClockAdvanceResult struct {
	// What the sandbox's clock shows.
	Now string `json:"now"`
	// When the next event is due, if any is.
	NextEventAt string `json:"nextEventAt,omitempty"`
	// How many events happened.
	Events int64 `json:"events"`
}

// Notification is something the daemon sent without being asked: a method, and what that
// brings. A method of a later daemon brings Params alone.
type Notification struct {
	Method string
	// Subscribed: `opened`, which is this library's own.
	Opened *SubscribeResult
	// Something happened to the queue.
	Event *EventNotice
	// Replay and redelivery are over; what follows is live.
	CaughtUp *CaughtUpNotice
	// Nothing happened for as long as the subscriber asked.
	Heartbeat *HeartbeatNotice
	// Records were trimmed unread; a redelivery follows.
	Gap *GapNotice
	// The daemon ends a subscription.
	Ended *EndedNotice
	// The daemon closes the connection soon.
	Closing *ClosingNotice
	// What came, as it came.
	Params json.RawMessage
}

func readNotification(method string, params json.RawMessage) (Notification, error) {
	notification := Notification{Method: method, Params: params}
	var err error
	switch method {
	case "event":
		err = json.Unmarshal(params, &notification.Event)
	case "caughtUp":
		err = json.Unmarshal(params, &notification.CaughtUp)
	case "heartbeat":
		err = json.Unmarshal(params, &notification.Heartbeat)
	case "gap":
		err = json.Unmarshal(params, &notification.Gap)
	case "ended":
		err = json.Unmarshal(params, &notification.Ended)
	case "closing":
		err = json.Unmarshal(params, &notification.Closing)
	}
	return notification, err
}

// Ping: Ask whether the daemon is there.
//
// Answered by the part that owns the queue; never waits for the store.
func (c *Client) Ping(ctx context.Context, params PingParams) (*PingResult, error) {
	return invoke[PingResult](ctx, c, call{"ping", true, 0}, params)
}

// Help: Explain a method, or list all of them.
//
// Text for people, made from the same source as rpc.discover.
func (c *Client) Help(ctx context.Context, params HelpParams) (*HelpResult, error) {
	return invoke[HelpResult](ctx, c, call{"help", true, 0}, params)
}

// Status: Show what the daemon is doing, and why nothing moves.
//
// The account, the queue and what its transactions wait for, the store, the log, the disk, and the
// connections: your own, or all of them for an administrator.
func (c *Client) Status(ctx context.Context) (*StatusResult, error) {
	return invoke[StatusResult](ctx, c, call{"status", true, 0}, struct{}{})
}

// Metrics: Show what is counted, as OpenMetrics text.
//
// Connections, subscriptions, turns of the queue, records, transactions by state, the store's
// health. The text can be handed to a collector as it is.
func (c *Client) Metrics(ctx context.Context) (*MetricsResult, error) {
	return invoke[MetricsResult](ctx, c, call{"metrics", true, 0}, struct{}{})
}

// Discover: Describe the interface as an OpenRPC document.
//
// OpenRPC 1.4, made from the very types that read requests. Notifications are under
// x-notifications, limits under x-limits.
func (c *Client) Discover(ctx context.Context) (*RPCDiscoverResult, error) {
	return invoke[RPCDiscoverResult](ctx, c, call{"rpc.discover", true, 0}, struct{}{})
}

// Check: Check a call without making it.
//
// Reads the parameters as the method itself would and answers with the same error if they are
// wrong, or if the queue would refuse an add, a restore or a finish now. It changes nothing and
// does not ask the store.
func (c *Client) Check(ctx context.Context, params CheckParams) (*CheckResult, error) {
	return invoke[CheckResult](ctx, c, call{"check", true, 0}, params)
}

// Products: List products and their prices.
//
// With the prices of the account's country; logged out, of the country assumed with storefront,
// else of the store's default. Without ids the whole catalogue, page by page. What is not sold here
// is listed under invalid; an identifier that no product can have, empty or longer than 256 bytes,
// is an error.
func (c *Client) Products(ctx context.Context, params ProductsParams) (*ProductsResult, error) {
	return invoke[ProductsResult](ctx, c, call{"products", true, 30}, params)
}

// Entitlements: List what the account may use now.
//
// The latest live order of each non-consumable and of each subscription that is active, as the
// store tells it; nothing that was refunded, no consumables. Whether a transaction is unfinished
// does not matter here.
func (c *Client) Entitlements(ctx context.Context) (*EntitlementsResult, error) {
	return invoke[EntitlementsResult](ctx, c, call{"entitlements", true, 30}, struct{}{})
}

// SignedHistory: Fetch what the account has paid for, signed by the store.
//
// A page of what the account in session has paid for, the newest payment first: a compact JWS whose
// payload is a TransactionHistory of purchases and renewals, refunded ones with their revocation,
// as the store knows them now. Each page can be verified by itself, with the keys of the store,
// which the method keys returns; kid and alg repeat what its header says. Repeat the call with the
// page that next gave for what was paid before: what is paid for meanwhile moves no page, so that
// following next gives each payment once. Nobody is asked to log in: without an account in session
// the call fails.
func (c *Client) SignedHistory(ctx context.Context, params SignedHistoryParams) (*SignedHistoryResult, error) {
	return invoke[SignedHistoryResult](ctx, c, call{"signedHistory", true, 30}, params)
}

// Keys: Fetch the public keys that the store signs with.
//
// A JSON Web Key Set as any library reads it: the key in use first, then those that have signed
// before, so that older histories can still be verified. A kid is the thumbprint of RFC 7638. It
// takes no account in session.
func (c *Client) Keys(ctx context.Context) (*KeysResult, error) {
	return invoke[KeysResult](ctx, c, call{"keys", true, 30}, struct{}{})
}

// Login: Open a session for an account.
//
// What was added while nobody was logged in becomes this account's and is sent to the store.
// Another account replaces the one in session; the same again changes nothing. A logout while it is
// under way cancels it. The session survives restarts. Without account those are asked who are
// subscribed as login agents, and the answer waits for them.
func (c *Client) Login(ctx context.Context, params LoginParams) (*LoginResult, error) {
	return invoke[LoginResult](ctx, c, call{"login", true, 150}, params)
}

// Logout: Close the session.
//
// The account's transactions are hidden until it logs in again; what is under way at the store goes
// on there. The session at the store ends as well if the store can be reached; its tokens are
// forgotten in any case. Logging out twice is no error.
func (c *Client) Logout(ctx context.Context, params LogoutParams) (*LogoutResult, error) {
	return invoke[LogoutResult](ctx, c, call{"logout", true, 0}, params)
}

// Storefront: Show the account's storefront, or assume a country.
//
// The storefront of the account in session; null while nobody is logged in. With assume, the
// country whose prices are shown while nobody is logged in; it is kept over restarts and shown as
// assumed.
func (c *Client) Storefront(ctx context.Context, params StorefrontParams) (*StorefrontResult, error) {
	return invoke[StorefrontResult](ctx, c, call{"storefront", true, 0}, params)
}

// Add: Buy a product.
//
// Accepts a payment: when the reply comes, the transaction is on stable storage. What becomes of it
// comes as events. It is sent to the store once an account is in session and somebody is
// subscribed; until then waitingFor says what is missing. Send a fresh key with every intent to
// buy: repeating the call with the same key and the same parameters answers with the first
// transaction and never charges twice. While nobody is logged in and somebody is subscribed as a
// login agent, the answer waits for the login.
func (c *Client) Add(ctx context.Context, params AddParams) (*AddResult, error) {
	if params.Key == "" {
		params.Key = FreshKey()
	}
	return invoke[AddResult](ctx, c, call{"add", true, 150}, params)
}

// Restore: Be given again what the account owns.
//
// Accepts a restore; when the reply comes, it is on stable storage. What the account owns comes as
// transactions in state restored, then exactly one restoreCompleted or restoreFailed ends it, also
// over a restart. It needs an account in session and somebody who is subscribed. A call for the
// same purchases joins the restore that runs; another one waits its turn.
func (c *Client) Restore(ctx context.Context, params RestoreParams) (*RestoreResult, error) {
	if params.Key == "" {
		params.Key = FreshKey()
	}
	return invoke[RestoreResult](ctx, c, call{"restore", true, 150}, params)
}

// Finish: Take a delivered transaction out of the queue.
//
// Call it after the goods are delivered, not before: until then every new subscription gets the
// transaction again. Repeat it freely. A purchase is completed with the store first (completing)
// and leaves the queue with transactionsRemoved. What was never sent is withdrawn (removed). What
// is under way stays (ignoredInFlight).
func (c *Client) Finish(ctx context.Context, params FinishParams) (*FinishResult, error) {
	return invoke[FinishResult](ctx, c, call{"finish", true, 0}, params)
}

// Transactions: List transactions.
//
// Without parameters everything unfinished that the account in session may see. A list that does
// not fit comes in pages: repeat the call with the page that next gave.
func (c *Client) Transactions(ctx context.Context, params TransactionsParams) (*TransactionsResult, error) {
	return invoke[TransactionsResult](ctx, c, call{"transactions", true, 0}, params)
}

// Wait: Wait until a transaction is decided, or a restore has ended.
//
// For scripts: answers as soon as the transaction is in one of the wanted states, or the restore
// has ended, at once if it is so already. When the time runs out the answer is normal, with reached
// false. Requests behind it on the same connection are answered meanwhile.
func (c *Client) Wait(ctx context.Context, params WaitParams) (*WaitResult, error) {
	return invoke[WaitResult](ctx, c, call{"wait", true, 60}, params)
}

// Events: Read the event log page by page.
//
// The pull form of subscribe, for shells: call it again with after set to next. It redelivers
// nothing and makes no transaction proceed.
func (c *Client) Events(ctx context.Context, params EventsParams) (*EventsResult, error) {
	return invoke[EventsResult](ctx, c, call{"events", true, 60}, params)
}

// Ack: Say up to where a named observer has dealt with everything.
//
// Kept durably: subscribe with the name begins behind it. Everything up to seq counts; a smaller
// seq than before changes nothing. It finishes no transaction, finish does.
func (c *Client) Ack(ctx context.Context, params AckParams) (*AckResult, error) {
	return invoke[AckResult](ctx, c, call{"ack", true, 0}, params)
}

// Observers: List who watches, and the durable names.
//
// Who watches, what each is shown, and how far behind it is; then the durable names whose observers
// are away.
func (c *Client) Observers(ctx context.Context) (*ObserversResult, error) {
	return invoke[ObserversResult](ctx, c, call{"observers", true, 0}, struct{}{})
}

// Delegate: Show or set what happens when country or price changed.
//
// One durable policy for the whole queue. A transaction that would be charged in another country,
// or at another price, than was shown at add goes on (continue), leaves the queue with
// discardedByGate (stop), or waits for an answer (ask). Without parameters the policy is only
// shown; what is not given stays as it is.
func (c *Client) Delegate(ctx context.Context, params DelegateParams) (*DelegateResult, error) {
	return invoke[DelegateResult](ctx, c, call{"delegate", true, 0}, params)
}

// Questions: List what waits for an answer.
//
// Every question that is open and that the account in session may see. Answer one with answer; the
// first answer wins.
func (c *Client) Questions(ctx context.Context) (*QuestionsResult, error) {
	return invoke[QuestionsResult](ctx, c, call{"questions", true, 0}, struct{}{})
}

// Answer: Answer a question.
//
// Anybody who may may answer, whoever was asked; the first answer wins, and whoever gave it may
// repeat it while the daemon runs. It is true or false, nothing else. A login question is answered
// true by a login; answered true without one, the calls behind it go on and what they ask for waits
// for a login.
func (c *Client) Answer(ctx context.Context, params AnswerParams) (*AnswerResult, error) {
	return invoke[AnswerResult](ctx, c, call{"answer", true, 0}, params)
}

// Decide: Approve or decline what waits for an approval.
//
// Plays the person whose approval a transaction waits for (waitingFor approval). Answers when the
// queue has learned of the outcome from the store. Only a sandbox lets you.
func (c *Client) Decide(ctx context.Context, params DecideParams) (*DecideResult, error) {
	return invoke[DecideResult](ctx, c, call{"decide", false, 0}, params)
}

// Drain: Take no new work.
//
// With on true, add and restore are refused with error -32006 and everything else goes on; the
// answer comes when no order is under way at the store any more. A call that is cancelled meanwhile
// leaves it on. With on false, new work is taken again. A restart takes it back.
func (c *Client) Drain(ctx context.Context, params DrainParams) (*DrainResult, error) {
	return invoke[DrainResult](ctx, c, call{"drain", true, 60}, params)
}

// Reload: Read the configuration again.
//
// Reads the configuration file and the catalogue again and puts into force what can change while
// the daemon runs. All of it or nothing: a file that is refused leaves everything as it was.
func (c *Client) Reload(ctx context.Context, params ReloadParams) (*ReloadResult, error) {
	return invoke[ReloadResult](ctx, c, call{"reload", true, 60}, params)
}

// Backup: Keep a copy of the whole state.
//
// Copies snapshot and journal to a directory of its own below backups, reads the copy back and
// proves it before it answers. The queue works on meanwhile.
func (c *Client) Backup(ctx context.Context, params BackupParams) (*BackupResult, error) {
	return invoke[BackupResult](ctx, c, call{"backup", false, 300}, params)
}

// TestGet: Show how the sandbox behaves.
//
// The settings that test.set changes. Only a sandbox has them.
func (c *Client) TestGet(ctx context.Context) (*TestSettings, error) {
	return invoke[TestSettings](ctx, c, call{"test.get", true, 0}, struct{}{})
}

// TestSet: Change how the sandbox behaves.
//
// Changes what is given and keeps the rest, durably; the result shows all settings. Only a sandbox
// has them.
func (c *Client) TestSet(ctx context.Context, params TestSetParams) (*TestSettings, error) {
	return invoke[TestSettings](ctx, c, call{"test.set", true, 0}, params)
}

// TestOrders: List every order that the sandbox knows.
//
// Of all accounts, finished ones too, oldest first, page by page. Only a sandbox tells.
func (c *Client) TestOrders(ctx context.Context, params TestOrdersParams) (*TestOrdersResult, error) {
	return invoke[TestOrdersResult](ctx, c, call{"test.orders", true, 0}, params)
}

// TestBuy: Buy something outside of the queue.
//
// As if the account in session had bought it on another device: the order is paid, and comes to
// observers as a transaction with reason external. Only a sandbox does this.
func (c *Client) TestBuy(ctx context.Context, params TestBuyParams) (*Order, error) {
	return invoke[Order](ctx, c, call{"test.buy", false, 0}, params)
}

// TestRefund: Let the sandbox take a purchase back.
//
// Always granted, at once: the order is refunded and observers hear entitlementsRevoked. A
// subscription ends. Only a sandbox does this.
func (c *Client) TestRefund(ctx context.Context, params TestRefundParams) (*Order, error) {
	return invoke[Order](ctx, c, call{"test.refund", false, 0}, params)
}

// TestResolve: Solve what kept an order from being paid.
//
// An interrupted purchase becomes a purchase, which comes to observers as a new transaction; a
// renewal in billing retry is paid. Only a sandbox does this.
func (c *Client) TestResolve(ctx context.Context, params TestResolveParams) (*Order, error) {
	return invoke[Order](ctx, c, call{"test.resolve", false, 0}, params)
}

// TestRenew: Renew a subscription now.
//
// Ends the running period of the account's subscription and begins the next; it renews itself from
// then on. The renewal comes to observers as a transaction. Only a sandbox does this.
func (c *Client) TestRenew(ctx context.Context, params TestRenewParams) error {
	_, err := invoke[struct{}](ctx, c, call{"test.renew", false, 0}, params)
	return err
}

// TestExpire: End a subscription now.
//
// The account's subscription ends at once and does not renew itself any more. Only a sandbox does
// this.
func (c *Client) TestExpire(ctx context.Context, params TestExpireParams) error {
	_, err := invoke[struct{}](ctx, c, call{"test.expire", false, 0}, params)
	return err
}

// TestAutoRenew: Switch the renewal of a subscription on or off.
//
// With enabled false the account's subscription ends with its period. Only a sandbox does this.
func (c *Client) TestAutoRenew(ctx context.Context, params TestAutoRenewParams) error {
	_, err := invoke[struct{}](ctx, c, call{"test.autoRenew", false, 0}, params)
	return err
}

// TestPriceIncrease: Raise the price of a subscription.
//
// The answer is the subscriber's: with consent the account's subscription renews at the new price,
// with decline it does not renew, while pending it ends with its period. Only a sandbox does this.
func (c *Client) TestPriceIncrease(ctx context.Context, params TestPriceIncreaseParams) error {
	_, err := invoke[struct{}](ctx, c, call{"test.priceIncrease", false, 0}, params)
	return err
}

// TestDeleteOrder: Let the sandbox forget an order.
//
// The order goes with its renewals, as if it had never been; what the queue was told of it stays.
// Only a sandbox does this.
func (c *Client) TestDeleteOrder(ctx context.Context, params TestDeleteOrderParams) error {
	_, err := invoke[struct{}](ctx, c, call{"test.deleteOrder", false, 0}, params)
	return err
}

// TestClear: Let the sandbox forget every order.
//
// Settings stay, and what the queue was told stays as well. Only a sandbox does this.
func (c *Client) TestClear(ctx context.Context) error {
	_, err := invoke[struct{}](ctx, c, call{"test.clear", false, 0}, struct{}{})
	return err
}

// TestReset: Put every setting of the sandbox back.
//
// Orders stay; test.clear forgets them. Only a sandbox does this.
func (c *Client) TestReset(ctx context.Context) error {
	_, err := invoke[struct{}](ctx, c, call{"test.reset", false, 0}, struct{}{})
	return err
}

// TestClockGet: Show the sandbox's clock.
//
// The sandbox's own clock, on which subscriptions live: real time, faster by timeRate, as far ahead
// as it was advanced. Only a sandbox has one.
func (c *Client) TestClockGet(ctx context.Context) (*TestClock, error) {
	return invoke[TestClock](ctx, c, call{"test.clock.get", true, 0}, struct{}{})
}

// TestClockAdvance: Move the sandbox's clock on.
//
// What is due until then happens one by one, each as a live event before the next: renewals,
// retries, ends of periods. The daemon's own deadlines stay in real time. A call that meets more
// than 10000 events stops there with error -32003, which says how far it came; repeat it for the
// rest. Only a sandbox does this.
func (c *Client) TestClockAdvance(ctx context.Context, params TestClockAdvanceParams) (*TestClockAdvanceResult, error) {
	return invoke[TestClockAdvanceResult](ctx, c, call{"test.clock.advance", false, 0}, params)
}

// The codes of errors. A later daemon may have others.
const (
	CodeConfigurationRefused     = 1701   // The configuration was refused
	CodeAppNotRegistered         = 1603   // The store does not know this application
	CodeNoSuchOrder              = 1602   // The store has no such order
	CodeNotSupportedByStore      = 1601   // The store does not offer this
	CodeNotLoggedIn              = 1504   // No account is in session
	CodeBadCredential            = 1502   // The credential is wrong
	CodeUnknownAccount           = 1501   // The store has no such account
	CodeQuestionClosed           = 1402   // The question was answered before
	CodeUnknownQuestion          = 1401   // There is no such question
	CodeUnknownObserver          = 1305   // There is no observer of this name
	CodeNameInUse                = 1304   // A live subscription has this name
	CodeOtherEpoch               = 1303   // The cursor belongs to another event log
	CodeCursorAhead              = 1302   // The cursor is ahead of the event log
	CodeCursorTooOld             = 1301   // The records behind the cursor are no longer kept
	CodeNotDecidable             = 1204   // There is nothing to decide about this transaction
	CodePageExpired              = 1203   // The page is gone; start with the first one again
	CodeUnknownTransaction       = 1201   // There is no such transaction
	CodeInvalidProductIdentifier = 1109   // No product has such an identifier
	CodeAlreadyLive              = 1107   // A transaction for this product is not finished yet
	CodeRejectedAfterLogin       = 1106   // The work was turned down after the login
	CodeQueueFull                = 1105   // The queue holds as many transactions as it may
	CodeLoginDiscarded           = 1104   // Nobody logged in
	CodePaymentsNotAllowed       = 1103   // The account in session may not buy
	CodeKeyReuse                 = 1102   // The key was used for another call
	CodeUnknownProduct           = 1101   // The store does not sell this product here
	CodeUnsupportedVersion       = 1002   // This daemon speaks another version
	CodeTooManyInFlight          = -32000 // Too many calls of this connection are waiting
	CodeLineTooLong              = -32001 // The line is too long
	CodeTimeout                  = -32002 // The line was not ended in time
	CodeResultTooLarge           = -32003 // The result does not fit into a line; ask for less
	CodeTooManySubscriptions     = -32004 // Too many subscriptions
	CodeTooManyConnections       = -32005 // Too many connections
	CodeDraining                 = -32006 // The daemon is drained or stopped and takes no new work
	CodeForbidden                = -32007 // Your user lacks the role that this call needs
	CodeNotDurable               = -32008 // The change could not be put on stable storage
	CodeStoreUnavailable         = -32009 // The store cannot serve now
	CodeCancelled                = -32010 // The call was cancelled
	CodeConnectionError          = -32011 // The store does not answer
	CodeShareExceeded            = -32013 // There is no room for more until something ends
	CodeInvalidRequest           = -32600 // Invalid Request
	CodeMethodNotFound           = -32601 // Method not found
	CodeInvalidParams            = -32602 // Invalid params
	CodeInternal                 = -32603 // Internal error
)
