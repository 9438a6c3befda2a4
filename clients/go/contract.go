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
	GapReasonDamaged GapReason = "damaged"
)

// EndedReason is one of these words, or one of a later daemon.
type EndedReason string

const (
	EndedReasonTrimmed       EndedReason = "trimmed"
	EndedReasonUnreadable    EndedReason = "unreadable"
	EndedReasonRoleWithdrawn EndedReason = "roleWithdrawn"
)

// ClosingReason is one of these words, or one of a later daemon.
type ClosingReason string

const (
	ClosingReasonShutdown ClosingReason = "shutdown"
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

// StatusStorageRoomShortage is one of these words, or one of a later daemon.
type StatusStorageRoomShortage string

const (
	StatusStorageRoomShortageBytes    StatusStorageRoomShortage = "bytes"
	StatusStorageRoomShortageFiles    StatusStorageRoomShortage = "files"
	StatusStorageRoomShortageQuota    StatusStorageRoomShortage = "quota"
	StatusStorageRoomShortageFileSize StatusStorageRoomShortage = "fileSize"
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

// ClusterRole is one of these words, or one of a later daemon.
type ClusterRole string

const (
	ClusterRoleOwner    ClusterRole = "owner"
	ClusterRoleFollower ClusterRole = "follower"
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
	// The identifier of the transaction; never changes and is never reused.
	ID string `json:"id"`
	// The identifier of the order at the store; absent until there is one.
	TransactionIdentifier string `json:"transactionIdentifier,omitempty"`
	// The identifier of the first order of its chain of renewals.
	OriginalTransactionIdentifier string `json:"originalTransactionIdentifier,omitempty"`
	// The product that was asked for, with the token that was sent.
	Payment Payment `json:"payment"`
	// The state.
	TransactionState TransactionState `json:"transactionState"`
	// The storefront in which it is charged, or was charged.
	Storefront Storefront `json:"storefront"`
	// An object with one member, whose name is the error and whose value is empty; only in state
	// failed.
	Error map[string]json.RawMessage `json:"error,omitempty"`
	// The revision; grows with each record of this transaction.
	Revision int64 `json:"revision"`
	// The time at which it was accepted.
	CreatedAt string `json:"createdAt"`
	// The time of its newest record.
	UpdatedAt string `json:"updatedAt"`
	// What it waits for; only in state purchasing.
	WaitingFor WaitingFor `json:"waitingFor,omitempty"`
	// Whether finish was accepted and the store has not confirmed the completion yet.
	Completing bool `json:"completing,omitempty"`
	// The reason behind the error.
	FailureReason string `json:"failureReason,omitempty"`
	// The origin of the transaction.
	Reason TransactionReason `json:"reason"`
	// The amount that the store charged; absent until it did.
	Charged *Charge `json:"charged,omitempty"`
	// The reason why the charge is not the price of the product; absent where it is.
	Offer OfferKind `json:"offer,omitempty"`
	// The time at which a scheduled change of subscription takes effect.
	EffectiveAt string `json:"effectiveAt,omitempty"`
	// Present once the store has refunded or revoked the purchase: do not unlock what was bought.
	Revocation *Revocation `json:"revocation,omitempty"`
	// The client that caused its newest record; absent if no client did.
	By *Origin `json:"by,omitempty"`
	// The time at which it left the queue.
	FinishedAt string `json:"finishedAt,omitempty"`
	// The reason for which it left the queue.
	RemovalReason RemovalReason `json:"removalReason,omitempty"`
}

// Payment: The payment that was requested.
type Payment struct {
	// The product, as it was sold.
	Product Product `json:"product"`
	// The application's own account identifier, as it was sent with the purchase.
	AppAccountToken string `json:"appAccountToken,omitempty"`
}

// Product: A product of the store.
type Product struct {
	// The identifier by which clients buy the product.
	ProductIdentifier string `json:"productIdentifier"`
	// The type of the product.
	Type ProductType `json:"type"`
	// The localized name.
	LocalizedTitle string `json:"localizedTitle"`
	// The localized description.
	LocalizedDescription string `json:"localizedDescription"`
	// The address of a picture.
	IconURL string `json:"iconUrl,omitempty"`
	// The price; of a subscription, the price of one period.
	Price Price `json:"price"`
	// Only for subscriptions.
	SubscriptionPeriod *Period `json:"subscriptionPeriod,omitempty"`
	// Only for subscriptions.
	SubscriptionGroupIdentifier string `json:"subscriptionGroupIdentifier,omitempty"`
	// The introductory offer, for new subscribers.
	IntroductoryPrice *Offer `json:"introductoryPrice,omitempty"`
	// Whether the account in session is eligible for the introductory offer: once per account and
	// subscription group.
	IntroductoryOfferEligible bool `json:"introductoryOfferEligible,omitempty"`
	// A promotional offer.
	DiscountedPrice *Offer `json:"discountedPrice,omitempty"`
}

// Price: The price of a product. `amount` is exact, `value` is for display only.
type Price struct {
	// The amount in major units, as a number with the same digits.
	Value float64 `json:"value"`
	// The amount as text, for programs that must not round.
	Amount string `json:"amount"`
	// ISO 4217.
	CurrencyCode string `json:"currencyCode"`
}

// Period: A span of time, in whole units.
type Period struct {
	// The unit.
	Unit PeriodUnit `json:"unit"`
	// The number of units.
	NumberOfUnits int64 `json:"numberOfUnits"`
}

// Offer: A price for a first period, or a discount.
type Offer struct {
	// The amount that is charged; 0 is a free trial.
	Price Price `json:"price"`
	// The length of the offer.
	Period Period `json:"period"`
}

// Storefront: The country whose prices apply.
type Storefront struct {
	// An opaque identifier; compare countryCode instead.
	ID string `json:"id"`
	// The country, as an ISO 3166-1 alpha-2 code.
	CountryCode string `json:"countryCode"`
}

// Origin: The client that caused a record.
type Origin struct {
	// The user id of the peer, as the kernel reports it.
	UID int64 `json:"uid"`
	// The name that the client gave with hello.
	Client string `json:"client,omitempty"`
}

// Event: A record of the log. Which members it has depends on `kind`.
type Event struct {
	// The sequence number of its record in the log.
	Seq int64 `json:"seq"`
	// The kind of event; it decides which further members are present.
	Kind EventKind `json:"kind"`
	// The time of its record.
	Time string `json:"time"`
	// Whether this is a redelivery: nothing changed, unfinished transactions are sent again.
	Redelivery bool `json:"redelivery,omitempty"`
	// The transactions, as full snapshots; of removed transactions the last snapshot.
	Transactions []Transaction `json:"transactions,omitempty"`
	// The reason for which transactions left the queue, or a question ended without an answer.
	Reason EventReason `json:"reason,omitempty"`
	// The client that caused it; absent if no client did.
	By *Origin `json:"by,omitempty"`
	// The trace context of the call that caused it.
	Trace string `json:"trace,omitempty"`
	// The storefront before the change; null if no account was in session.
	From *Storefront `json:"from,omitempty"`
	// The storefront after the change; null if no account is in session.
	To *Storefront `json:"to,omitempty"`
	// The account that is now in session, or whose session the store has ended.
	Account *string `json:"account,omitempty"`
	// The restore that ended.
	Restore string `json:"restore,omitempty"`
	// The number of transactions that the restore returned.
	Count *int64 `json:"count,omitempty"`
	// An object with one member, whose name is the reason for which the restore failed and whose value
	// is empty.
	Error map[string]json.RawMessage `json:"error,omitempty"`
	// The products whose entitlements were revoked.
	Products []string `json:"products,omitempty"`
	// The orders that were refunded or revoked.
	Orders []string `json:"orders,omitempty"`
	// The revision of the store's catalogue; grows with each change.
	Revision *int64 `json:"revision,omitempty"`
	// The identifier of the question.
	Question string `json:"question,omitempty"`
	// The type of question.
	Type QuestionType `json:"type,omitempty"`
	// The transaction that waits for the answer.
	Transaction string `json:"transaction,omitempty"`
	// The cause of the question, or of a storefront change that no client requested.
	Cause EventCause `json:"cause,omitempty"`
	// The product that would be bought.
	Product *Product `json:"product,omitempty"`
	// The price that would be charged.
	Price *Price `json:"price,omitempty"`
	// Where.
	Storefront *Storefront `json:"storefront,omitempty"`
	// The answer that applies if none is given in time.
	Fallback bool `json:"fallback,omitempty"`
	// The time at which the fallback applies; for the agent that is asked, the end of its turn; null
	// until the question has reached an agent.
	Deadline *string `json:"deadline,omitempty"`
	// The answer; null if the question ended without one.
	Value *bool `json:"value,omitempty"`
	// The reason that was given with the answer.
	Note string `json:"note,omitempty"`
}

// TestSettingsTimeRate: Part of `TestSettings`.
type TestSettingsTimeRate struct {
	// The length of a month, in seconds.
	MonthSeconds int64 `json:"monthSeconds"`
}

// TestSettingsSimulatedErrors: Part of `TestSettings`.
type TestSettingsSimulatedErrors struct {
	// The error with which the call fails.
	Products *SimulatedError `json:"products"`
	// The error with which the call fails.
	Purchase *SimulatedError `json:"purchase"`
	// The error with which the call fails.
	Completion *SimulatedError `json:"completion"`
	// The error with which the call fails.
	Restore *SimulatedError `json:"restore"`
	// The error with which the call fails.
	Reconciliation *SimulatedError `json:"reconciliation"`
	// The error with which the call fails.
	History *SimulatedError `json:"history"`
	// The error with which the call fails.
	Login *SimulatedError `json:"login"`
}

// TestSettings: The settings of the sandbox.
type TestSettings struct {
	// New orders fail with failureError.
	FailTransactionsEnabled bool `json:"failTransactionsEnabled"`
	// The error with which new orders fail.
	FailureError TestSettingsFailureError `json:"failureError"`
	// New orders wait for an approval.
	AskToBuyEnabled bool `json:"askToBuyEnabled"`
	// Every purchase is interrupted and fails.
	InterruptedPurchasesEnabled bool `json:"interruptedPurchasesEnabled"`
	// The speed of the sandbox's clock for subscriptions.
	TimeRate json.RawMessage `json:"timeRate"`
	// The country of every account; absent if none was set.
	Storefront string `json:"storefront,omitempty"`
	// Whether accounts may make payments.
	PaymentsAllowed bool `json:"paymentsAllowed"`
	// The locale of product texts; absent if none was set.
	Locale string `json:"locale,omitempty"`
	// A subscription whose renewal was not paid stays active for a grace period.
	BillingGracePeriodIsEnabled bool `json:"billingGracePeriodIsEnabled"`
	// Renewals are not paid until resolved.
	ShouldEnterBillingRetryOnRenewal bool `json:"shouldEnterBillingRetryOnRenewal"`
	// The simulated error of each call, or null.
	SimulatedErrors TestSettingsSimulatedErrors `json:"simulatedErrors"`
	// The delay of every answer, in milliseconds.
	LatencyMS int64 `json:"latencyMs"`
	// The store does not answer.
	StoreDown bool `json:"storeDown"`
}

// Order: The sandbox's record of a payment.
type Order struct {
	// The identifier of the order.
	Order string `json:"order"`
	// The transaction that asked for the order.
	Transaction string `json:"transaction,omitempty"`
	// The identifier of the first order of its chain of renewals.
	Original string `json:"original"`
	// The account that pays.
	Account string `json:"account"`
	// The product that was bought.
	Product string `json:"product"`
	// The price in that country; of a subscription, the price of one period.
	Price Price `json:"price"`
	// The amount that the store charged; absent until it did.
	Charged *Charge `json:"charged,omitempty"`
	// The reason why the charge is not the price of the product; absent where it is.
	Offer OfferKind `json:"offer,omitempty"`
	// The time at which a scheduled change of subscription takes effect.
	EffectiveAt string `json:"effectiveAt,omitempty"`
	// Present once the store has refunded or revoked the purchase: do not unlock what was bought.
	Revocation *Revocation `json:"revocation,omitempty"`
	// The country of the order.
	CountryCode string `json:"countryCode"`
	// The application's own account identifier, as it was sent with the purchase.
	AppAccountToken string `json:"appAccountToken,omitempty"`
	// The state.
	State OrderState `json:"state"`
	// The error with which the order failed.
	Error OrderError `json:"error,omitempty"`
	// The reason behind the error.
	FailureReason string `json:"failureReason,omitempty"`
	// Whether the order was completed: the store knows that it was delivered.
	Completed bool `json:"completed"`
	// The time at which the order was placed.
	PlacedAt string `json:"placedAt"`
	// Whether the order renews an earlier one.
	Renewal bool `json:"renewal,omitempty"`
	// The time at which the period ends; only for subscriptions.
	ExpiresAt string `json:"expiresAt,omitempty"`
	// The time at which the order was refunded or revoked.
	RevokedAt string `json:"revokedAt,omitempty"`
}

// Restore: A restore and its state.
type Restore struct {
	// The identifier of the restore.
	ID string `json:"id"`
	// The state.
	State RestoreState `json:"state"`
	// What it waits for; only in state running.
	WaitingFor WaitingFor `json:"waitingFor,omitempty"`
	// The number of transactions that it returned; only in state completed.
	Count *int64 `json:"count,omitempty"`
	// An object with one member, whose name is the error and whose value is empty; only in state
	// failed.
	Error map[string]json.RawMessage `json:"error,omitempty"`
}

// TestClock: The sandbox's clock.
type TestClock struct {
	// The time on the sandbox's clock.
	Now string `json:"now"`
	// The time at which the next event is due; absent if none is.
	NextEventAt string `json:"nextEventAt,omitempty"`
}

// Charge: The exact amount that the store charged; `0.00` if it was free.
type Charge struct {
	// The amount in major units, with the digits of the currency; 0.00 if it was free.
	Amount string `json:"amount"`
	// ISO 4217.
	CurrencyCode string `json:"currencyCode"`
}

// Revocation: The time and reason of a refund or revocation.
type Revocation struct {
	// When.
	At string `json:"at"`
	// The reason, such as refund.
	Reason string `json:"reason"`
}

// EventNotice: An event of the queue.
type EventNotice struct {
	// The identifier of the subscription.
	Subscription string `json:"subscription"`
	// The seq of the event sent before on this subscription.
	Prev int64 `json:"prev"`
	// The sequence number of its record in the log.
	Seq int64 `json:"seq"`
	// The kind of event; it decides which further members are present.
	Kind EventKind `json:"kind"`
	// The time of its record.
	Time string `json:"time"`
	// Whether this is a redelivery: nothing changed, unfinished transactions are sent again.
	Redelivery bool `json:"redelivery,omitempty"`
	// The transactions, as full snapshots; of removed transactions the last snapshot.
	Transactions []Transaction `json:"transactions,omitempty"`
	// The reason for which transactions left the queue, or a question ended without an answer.
	Reason EventReason `json:"reason,omitempty"`
	// The client that caused it; absent if no client did.
	By *Origin `json:"by,omitempty"`
	// The trace context of the call that caused it.
	Trace string `json:"trace,omitempty"`
	// The storefront before the change; null if no account was in session.
	From *Storefront `json:"from,omitempty"`
	// The storefront after the change; null if no account is in session.
	To *Storefront `json:"to,omitempty"`
	// The account that is now in session, or whose session the store has ended.
	Account *string `json:"account,omitempty"`
	// The restore that ended.
	Restore string `json:"restore,omitempty"`
	// The number of transactions that the restore returned.
	Count *int64 `json:"count,omitempty"`
	// An object with one member, whose name is the reason for which the restore failed and whose value
	// is empty.
	Error map[string]json.RawMessage `json:"error,omitempty"`
	// The products whose entitlements were revoked.
	Products []string `json:"products,omitempty"`
	// The orders that were refunded or revoked.
	Orders []string `json:"orders,omitempty"`
	// The revision of the store's catalogue; grows with each change.
	Revision *int64 `json:"revision,omitempty"`
	// The identifier of the question.
	Question string `json:"question,omitempty"`
	// The type of question.
	Type QuestionType `json:"type,omitempty"`
	// The transaction that waits for the answer.
	Transaction string `json:"transaction,omitempty"`
	// The cause of the question, or of a storefront change that no client requested.
	Cause EventCause `json:"cause,omitempty"`
	// The product that would be bought.
	Product *Product `json:"product,omitempty"`
	// The price that would be charged.
	Price *Price `json:"price,omitempty"`
	// Where.
	Storefront *Storefront `json:"storefront,omitempty"`
	// The answer that applies if none is given in time.
	Fallback bool `json:"fallback,omitempty"`
	// The time at which the fallback applies; for the agent that is asked, the end of its turn; null
	// until the question has reached an agent.
	Deadline *string `json:"deadline,omitempty"`
	// The answer; null if the question ended without one.
	Value *bool `json:"value,omitempty"`
	// The reason that was given with the answer.
	Note string `json:"note,omitempty"`
}

// CaughtUpNotice: Replay and redelivery are complete; live events follow.
type CaughtUpNotice struct {
	// The identifier of the subscription.
	Subscription string `json:"subscription"`
	// The position up to which everything was sent.
	Seq int64 `json:"seq"`
}

// HeartbeatNotice: There were no events for the interval that the subscriber asked for.
type HeartbeatNotice struct {
	// The identifier of the subscription.
	Subscription string `json:"subscription"`
	// The position up to which everything was sent.
	Seq int64 `json:"seq"`
}

// GapNotice: Records were trimmed or damaged before they were sent; a redelivery follows.
type GapNotice struct {
	// The identifier of the subscription.
	Subscription string `json:"subscription"`
	// The sequence number of the first missed record.
	From int64 `json:"from"`
	// The sequence number of the last missed record.
	To int64 `json:"to"`
	// Why.
	Reason GapReason `json:"reason"`
}

// EndedNotice: The daemon ends a subscription.
type EndedNotice struct {
	// The identifier of the subscription.
	Subscription string `json:"subscription"`
	// Why.
	Reason EndedReason `json:"reason"`
	// The sequence number of the last event that was sent.
	Last int64 `json:"last"`
}

// ClosingNotice: The daemon will close the connection.
type ClosingNotice struct {
	// Why.
	Reason ClosingReason `json:"reason"`
	// The time for which requests are still accepted, in milliseconds.
	GraceMS int64 `json:"graceMs"`
	// The position to pass as after when subscribing again.
	Head int64 `json:"head"`
}

// HelloClient: Part of `Hello`.
type HelloClient struct {
	// The name of the client.
	Name string `json:"name"`
	// The version of the client.
	Version string `json:"version,omitempty"`
}

// HelloParams: The parameters of `hello`.
type HelloParams struct {
	// The client: name, version?.
	Client *HelloClient `json:"client,omitempty"`
	// The version of the protocol that the client speaks; any other than the daemon's is an error.
	API *int64 `json:"api,omitempty"`
}

// HelloServer: Part of `Hello`.
type HelloServer struct {
	// Always payqueued.
	Name string `json:"name"`
	// The version of the daemon.
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
	// The name and version of the daemon.
	Server HelloServer `json:"server"`
	// The version of the protocol.
	API int64 `json:"api"`
	// The epoch of the log; it changes only when the log was lost or reset, or a backup was restored.
	Epoch string `json:"epoch"`
	// The sequence number of the oldest record that is kept.
	Oldest int64 `json:"oldest"`
	// The sequence number of the newest record.
	Head int64 `json:"head"`
	// The client's credentials, as the kernel reports them.
	Peer HelloPeer `json:"peer"`
	// The roles of the client.
	Roles []HelloRole `json:"roles"`
	// The optional features of this daemon.
	Features []string `json:"features"`
	// The limits, by name.
	Limits map[string]json.RawMessage `json:"limits"`
}

// PingParams: The parameters of `ping`.
type PingParams struct {
	// A value that is returned unchanged.
	Payload any `json:"payload,omitempty"`
}

// PingResult: The answer to `ping`.
type PingResult struct {
	// The payload, or true without one.
	Pong json.RawMessage `json:"pong"`
}

// HelpParams: The parameters of `help`.
type HelpParams struct {
	// The method; without it, all methods.
	Method string `json:"method,omitempty"`
}

// HelpResult: The answer to `help`.
type HelpResult struct {
	// The text, at most 80 columns wide.
	Text string `json:"text"`
}

// StatusSessionEnded: Part of `Status`.
type StatusSessionEnded struct {
	// The account that must log in again.
	Account string `json:"account"`
	// The storefront of the account.
	Storefront Storefront `json:"storefront"`
	// The time at which the daemon learned of it.
	At string `json:"at"`
}

// StatusQueueByState: Part of `StatusQueue`.
type StatusQueueByState struct {
	// The number of transactions.
	Purchasing int64 `json:"purchasing"`
	// The number of transactions.
	Purchased int64 `json:"purchased"`
	// The number of transactions.
	Restored int64 `json:"restored"`
	// The number of transactions.
	Failed int64 `json:"failed"`
}

// StatusQueueWaitingFor: Part of `StatusQueue`.
type StatusQueueWaitingFor struct {
	// The number of transactions.
	Observer *int64 `json:"observer,omitempty"`
	// The number of transactions.
	Login *int64 `json:"login,omitempty"`
	// The number of transactions.
	Gate *int64 `json:"gate,omitempty"`
	// The number of transactions.
	Approval *int64 `json:"approval,omitempty"`
	// The number of transactions.
	Store *int64 `json:"store,omitempty"`
}

// StatusQueue: Part of `Status`.
type StatusQueue struct {
	// The number of unfinished transactions.
	Unfinished int64 `json:"unfinished"`
	// The number of unfinished transactions by state.
	ByState StatusQueueByState `json:"byState"`
	// The number of purchased transactions that are finished and not yet confirmed by the store.
	Completing int64 `json:"completing"`
	// The number of purchasing transactions by what they wait for.
	WaitingFor StatusQueueWaitingFor `json:"waitingFor"`
}

// StatusLog: Part of `Status`.
type StatusLog struct {
	// The sequence number of the oldest record that is kept.
	Oldest int64 `json:"oldest"`
	// The sequence number of the newest record.
	Head int64 `json:"head"`
	// The size on disk, in bytes.
	Bytes int64 `json:"bytes"`
}

// StatusConnection: Part of `Status`.
type StatusConnection struct {
	// The user id of the peer.
	UID int64 `json:"uid"`
	// The name that the client gave with hello.
	Client string `json:"client,omitempty"`
	// The number of its subscriptions.
	Subscriptions int64 `json:"subscriptions"`
	// The largest number of records by which one of its subscriptions is behind.
	Lag int64 `json:"lag"`
	// The bytes that are buffered for it, in and out.
	BufferedBytes int64 `json:"bufferedBytes"`
	// Whether it reads more slowly than events arrive.
	Paused bool `json:"paused"`
}

// StatusPersistence: Part of `Status`.
type StatusPersistence struct {
	// The time of the last sync to disk.
	LastCommit string `json:"lastCommit,omitempty"`
	// Whether the state directory is volatile: it is lost with the machine or container.
	Volatile bool `json:"volatile"`
	// The last error.
	LastError string `json:"lastError,omitempty"`
}

// StatusStorageRoom: Part of `StatusStorage`.
type StatusStorageRoom struct {
	// The bytes that the file system has free.
	Free int64 `json:"free"`
	// The bytes that were written ahead and wait for records.
	Prefilled int64 `json:"prefilled"`
	// The bytes of the files reserve.
	Reserve int64 `json:"reserve"`
	// The bytes that accepted transactions may still write.
	Claimed int64 `json:"claimed"`
	// The bytes that are left for new payments, at least 0.
	Available int64 `json:"available"`
	// Whether there is room for new payments.
	Accepting bool `json:"accepting"`
	// What is missing if there is no room for new payments.
	Shortage StatusStorageRoomShortage `json:"shortage,omitempty"`
	// What to do about it.
	Advice string `json:"advice,omitempty"`
}

// StatusStorageDamage: Part of `StatusStorage`.
type StatusStorageDamage struct {
	// The file in the state directory.
	File string `json:"file"`
	// Where the damage begins, in bytes.
	Offset *int64 `json:"offset,omitempty"`
	// The first sequence number in doubt.
	From *int64 `json:"from,omitempty"`
	// The last sequence number in doubt.
	To *int64 `json:"to,omitempty"`
	// The problem, for people.
	Detail string `json:"detail"`
}

// StatusStorage: Part of `Status`.
type StatusStorage struct {
	// Whether the state is only read and nothing is taken.
	ReadOnly bool `json:"readOnly"`
	// The number of files with finished transactions.
	ArchiveFiles int64 `json:"archiveFiles"`
	// Their size on disk, in bytes.
	ArchiveBytes int64 `json:"archiveBytes"`
	// The finished transactions that are not in such a file yet.
	Unarchived int64 `json:"unarchived"`
	// Whether finished transactions can be looked up. If not, an index is being built, or a damaged
	// file cannot be indexed.
	Indexed bool `json:"indexed"`
	// The room on the disk.
	Room StatusStorageRoom `json:"room"`
	// The damage that readers or the regular check of all files have found.
	Damage []StatusStorageDamage `json:"damage"`
	// The time of the last check of all files; absent if there was none since the start.
	CheckedAt string `json:"checkedAt,omitempty"`
}

// StatusStore: Part of `Status`.
type StatusStore struct {
	// The name of the store.
	Name string `json:"name"`
	// Its state.
	State StatusStoreState `json:"state"`
	// The time since which it is in that state.
	Since string `json:"since"`
	// The error of the store's last answer; absent after a success.
	LastError string `json:"lastError,omitempty"`
	// The time of the next attempt; absent if it is not known.
	NextTryAt string `json:"nextTryAt,omitempty"`
}

// StatusCanMakePayments: Part of `Status`.
type StatusCanMakePayments struct {
	// Whether a new payment would be accepted.
	Value bool `json:"value"`
	// The reason why not.
	Reason string `json:"reason,omitempty"`
}

// StatusResult: The answer to `status`.
type StatusResult struct {
	// The state of the daemon.
	State DaemonState `json:"state"`
	// The time since which it is in that state.
	Since string `json:"since"`
	// The account in session.
	Account *string `json:"account"`
	// The storefront of the account.
	Storefront *Storefront `json:"storefront"`
	// The session that the store has ended; present until the next login.
	SessionEnded *StatusSessionEnded `json:"sessionEnded,omitempty"`
	// What the account in session may see, and what waits for an account whose session the store has
	// ended.
	Queue StatusQueue `json:"queue"`
	// The event log.
	Log StatusLog `json:"log"`
	// Oldest first.
	Connections []StatusConnection `json:"connections"`
	// The open questions.
	Questions int64 `json:"questions"`
	// The disk.
	Persistence StatusPersistence `json:"persistence"`
	// The files and the room for them.
	Storage StatusStorage `json:"storage"`
	// The store.
	Store StatusStore `json:"store"`
	// The running restores.
	Restores []Restore `json:"restores"`
	// Whether the account may make payments.
	CanMakePayments StatusCanMakePayments `json:"canMakePayments"`
	// What each user holds of the limits that users share, by user id; present with the role admin.
	Shares map[string]json.RawMessage `json:"shares,omitempty"`
}

// MetricsResult: The answer to `metrics`.
type MetricsResult struct {
	// The content type of the text.
	Format string `json:"format"`
	// The metrics, one per line.
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
	// The parameters to check.
	Params any `json:"params,omitempty"`
}

// CheckResult: The answer to `check`.
type CheckResult struct {
	// Always true; a refusal is an error.
	Ok bool `json:"ok"`
}

// ProductsParams: The parameters of `products`.
type ProductsParams struct {
	// Only these products.
	IDs []string `json:"ids,omitempty"`
	// The largest number of entries on the page; default 100.
	Limit *int64 `json:"limit,omitempty"`
	// The page token: the member next of an earlier result.
	Page string `json:"page,omitempty"`
}

// ProductsResult: The answer to `products`.
type ProductsResult struct {
	// The products.
	Products []Product `json:"products"`
	// Identifiers that were asked for and are not sold there.
	Invalid []string `json:"invalid"`
	// The storefront of the prices.
	Storefront Storefront `json:"storefront"`
	// The token of the next page; absent on the last page.
	Next string `json:"next,omitempty"`
}

// Entitlement: Part of `Entitlements`.
type Entitlement struct {
	// The identifier of the order.
	TransactionIdentifier string `json:"transactionIdentifier"`
	// The identifier of the first order of its chain of renewals.
	OriginalTransactionIdentifier string `json:"originalTransactionIdentifier"`
	// The transaction that asked for the order.
	Transaction string `json:"transaction,omitempty"`
	// The identifier by which clients buy the product.
	ProductIdentifier string `json:"productIdentifier"`
	// The product, as it was sold.
	Product Product `json:"product"`
	// The storefront in which it was charged.
	Storefront Storefront `json:"storefront"`
	// The application's own account identifier, as it was sent with the purchase.
	AppAccountToken string `json:"appAccountToken,omitempty"`
	// The amount that the store charged; absent until it did.
	Charged *Charge `json:"charged,omitempty"`
	// The reason why the charge is not the price of the product; absent where it is.
	Offer OfferKind `json:"offer,omitempty"`
	// The time at which a scheduled change of subscription takes effect.
	EffectiveAt string `json:"effectiveAt,omitempty"`
	// Present once the store has refunded or revoked the purchase: do not unlock what was bought.
	Revocation *Revocation `json:"revocation,omitempty"`
	// Whether the order renews an earlier one.
	Renewal bool `json:"renewal"`
	// Whether the order was completed: the store knows that it was delivered.
	Completed bool `json:"completed"`
	// The time at which it was paid.
	PurchasedAt string `json:"purchasedAt"`
	// The time at which the period ends; only for subscriptions.
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
	// The page token: the member next of an earlier result.
	Page string `json:"page,omitempty"`
}

// SignedHistoryResult: The answer to `signedHistory`.
type SignedHistoryResult struct {
	// The compact JWS.
	JWS string `json:"jws"`
	// The identifier of the key that signed it.
	Kid string `json:"kid"`
	// The signature algorithm: RS256 or ES256.
	Alg string `json:"alg"`
	// The token of the next page; absent on the last page.
	Next string `json:"next,omitempty"`
}

// Key: Part of `Keys`.
type Key struct {
	// The type of key.
	Kty KeyKty `json:"kty"`
	// The use of the key.
	Use KeyUse `json:"use"`
	// The algorithm: RS256 or ES256.
	Alg string `json:"alg"`
	// The identifier of the key in signatures.
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
	// The JSON Web Keys, the current one first.
	Keys []Key `json:"keys"`
}

// LoginParams: The parameters of `login`.
type LoginParams struct {
	// The account at the store; without it, the login agents are asked in turn.
	Account string `json:"account,omitempty"`
	// The credential of the account; never logged.
	Credential string `json:"credential,omitempty"`
	// A trace context, echoed in the records that the call causes.
	Trace string `json:"trace,omitempty"`
}

// LoginResult: The answer to `login`.
type LoginResult struct {
	// The account in session.
	Account string `json:"account"`
	// The storefront of the account.
	Storefront Storefront `json:"storefront"`
	// The sequence number of the record of the change; the newest record if nothing changed.
	Seq int64 `json:"seq"`
}

// LogoutParams: The parameters of `logout`.
type LogoutParams struct {
	// A trace context, echoed in the records that the call causes.
	Trace string `json:"trace,omitempty"`
}

// LogoutResult: The answer to `logout`.
type LogoutResult struct {
	// The sequence number of the record of the change; the newest record if nothing changed.
	Seq int64 `json:"seq"`
}

// StorefrontParams: The parameters of `storefront`.
type StorefrontParams struct {
	// The country to assume while no account is in session; "" clears it.
	Assume string `json:"assume,omitempty"`
}

// StorefrontSessionEnded: Part of `Storefront`.
type StorefrontSessionEnded struct {
	// The account that must log in again.
	Account string `json:"account"`
	// The storefront of the account.
	Storefront Storefront `json:"storefront"`
	// The time at which the daemon learned of it.
	At string `json:"at"`
}

// StorefrontResult: The answer to `storefront`.
type StorefrontResult struct {
	// The storefront of the account in session; null without one.
	Storefront *Storefront `json:"storefront"`
	// The account in session.
	Account *string `json:"account"`
	// The country that is assumed while no account is in session.
	Assumed string `json:"assumed,omitempty"`
	// The session that the store has ended; present until the next login.
	SessionEnded *StorefrontSessionEnded `json:"sessionEnded,omitempty"`
}

// AddParams: The parameters of `add`.
type AddParams struct {
	// The identifier of the product.
	Product string `json:"product"`
	// The application's own account identifier; it is stored with the purchase and returned with it.
	AppAccountToken string `json:"appAccountToken,omitempty"`
	// The idempotency key; kept for at least 90 days and compared byte by byte.
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
	// The state.
	State TransactionState `json:"state"`
	// What it waits for.
	WaitingFor WaitingFor `json:"waitingFor,omitempty"`
	// The sequence number of the record of acceptance; for a duplicate, the position in the log that
	// this result reflects.
	Seq int64 `json:"seq"`
	// Whether the key was used before and this is the earlier transaction.
	Duplicate bool `json:"duplicate"`
	// For a duplicate: how and when its transaction left the queue.
	Removed *AddRemoved `json:"removed,omitempty"`
}

// RestoreParams: The parameters of `restore`.
type RestoreParams struct {
	// The idempotency key; kept for at least 90 days and compared byte by byte.
	Key string `json:"key,omitempty"`
	// Only purchases with this token.
	AppAccountToken string `json:"appAccountToken,omitempty"`
	// A trace context, echoed in the records that the call causes.
	Trace string `json:"trace,omitempty"`
}

// RestoreResult: The answer to `restore`.
type RestoreResult struct {
	// The restore.
	Restore string `json:"restore"`
	// The state.
	State RestoreState `json:"state"`
	// What it waits for.
	WaitingFor WaitingFor `json:"waitingFor,omitempty"`
	// The sequence number of the record of acceptance; the newest record for a restore that was
	// joined.
	Seq int64 `json:"seq"`
	// Whether the call joined an earlier restore.
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
	// The effect of the call.
	Disposition FinishDisposition `json:"disposition"`
	// The sequence number of the record that the call made; the newest record if it made none.
	Seq int64 `json:"seq"`
}

// TransactionsParams: The parameters of `transactions`.
type TransactionsParams struct {
	// Only these transactions, in one reply: limit and page do not apply. Unknown identifiers are left
	// out.
	IDs []string `json:"ids,omitempty"`
	// Only these states; finished lists transactions that have left the queue.
	States []TransactionFilter `json:"states,omitempty"`
	// Only transactions that wait for one of these.
	WaitingFor []WaitingFor `json:"waitingFor,omitempty"`
	// Only transactions whose identifier or order identifier begins with this text (4 digits or more),
	// or whose product identifier or account token contains it. The case of ASCII letters does not
	// matter.
	Search string `json:"search,omitempty"`
	// The largest number of entries on the page; default 100.
	Limit *int64 `json:"limit,omitempty"`
	// The page token: the member next of an earlier result.
	Page string `json:"page,omitempty"`
}

// TransactionsResult: The answer to `transactions`.
type TransactionsResult struct {
	// The transactions, in the order of acceptance.
	Transactions []Transaction `json:"transactions"`
	// The position in the log that this result reflects.
	Seq int64 `json:"seq"`
	// The token of the next page; absent on the last page.
	Next string `json:"next,omitempty"`
}

// WaitParams: The parameters of `wait`.
type WaitParams struct {
	// The transaction.
	Transaction string `json:"transaction,omitempty"`
	// The restore, instead of a transaction.
	Restore string `json:"restore,omitempty"`
	// The states to wait for; default: any state but purchasing, or the removal. For transactions
	// only.
	Until []WaitUntil `json:"until,omitempty"`
	// The longest time to wait, in seconds; default 60.
	Timeout *float64 `json:"timeout,omitempty"`
}

// WaitResult: The answer to `wait`.
type WaitResult struct {
	// The current state of it.
	Transaction *Transaction `json:"transaction,omitempty"`
	// The current state of it.
	Restore *Restore `json:"restore,omitempty"`
	// Whether it was reached before the time ran out.
	Reached bool `json:"reached"`
	// The position in the log that this result reflects.
	Seq int64 `json:"seq"`
}

// SubscribeParams: The parameters of `subscribe`.
type SubscribeParams struct {
	// Only records after this position; start is the oldest record, now the newest.
	After any `json:"after,omitempty"`
	// The epoch to which after belongs.
	Epoch string `json:"epoch,omitempty"`
	// Only events of these kinds.
	Kinds []EventKind `json:"kinds,omitempty"`
	// Only transactions for these products.
	Products []string `json:"products,omitempty"`
	// Only watch; do not make transactions proceed.
	Passive *bool `json:"passive,omitempty"`
	// The questions that this client can put to a person; needs the role gate. One agent is asked at a
	// time.
	Agent []SubscribeAgent `json:"agent,omitempty"`
	// The name of a durable observer; the subscription starts after its last ack unless after is
	// given. It belongs to the user who used it first.
	Name string `json:"name,omitempty"`
	// The interval of heartbeats while there are no events, in seconds.
	Heartbeat *float64 `json:"heartbeat,omitempty"`
	// What happens if records were trimmed or damaged before they were sent: snapshot (the default)
	// redelivers unfinished transactions, error ends the subscription.
	OnGap SubscribeOnGap `json:"onGap,omitempty"`
}

// SubscribeResult: The answer to `subscribe`.
type SubscribeResult struct {
	// The identifier of the subscription, repeated in every event.
	Subscription string `json:"subscription"`
	// The epoch of the log; store it with your cursor.
	Epoch string `json:"epoch"`
	// The sequence number of the oldest record that is kept.
	Oldest int64 `json:"oldest"`
	// The sequence number of the newest record.
	Head int64 `json:"head"`
}

// UnsubscribeParams: The parameters of `unsubscribe`.
type UnsubscribeParams struct {
	// The identifier of the subscription.
	Subscription string `json:"subscription"`
}

// UnsubscribeResult: The answer to `unsubscribe`.
type UnsubscribeResult struct {
	// Whether there was such a subscription.
	Unsubscribed bool `json:"unsubscribed"`
	// The sequence number of the last event that was sent.
	Last *int64 `json:"last,omitempty"`
}

// EventsParams: The parameters of `events`.
type EventsParams struct {
	// Only records after this position.
	After any `json:"after"`
	// The largest number of entries on the page; default 100.
	Limit *int64 `json:"limit,omitempty"`
	// The time to wait for a first event if there is none yet, in seconds.
	Wait *float64 `json:"wait,omitempty"`
	// Only events of these kinds.
	Kinds []EventKind `json:"kinds,omitempty"`
	// The epoch to which after belongs.
	Epoch string `json:"epoch,omitempty"`
}

// EventsGap: Part of `Events`.
type EventsGap struct {
	// The sequence number of the first missed record.
	From int64 `json:"from"`
	// The sequence number of the last missed record.
	To int64 `json:"to"`
}

// EventsResult: The answer to `events`.
type EventsResult struct {
	// The events, in the order of the log.
	Events []Event `json:"events"`
	// Records that this page should have and that cannot be read, because their file is damaged. The
	// events behind them follow.
	Gap *EventsGap `json:"gap,omitempty"`
	// The cursor for the next call.
	Next int64 `json:"next"`
	// The sequence number of the newest record.
	Head int64 `json:"head"`
	// The epoch of the log; store it with your cursor.
	Epoch string `json:"epoch"`
}

// AckParams: The parameters of `ack`.
type AckParams struct {
	// The name of the observer.
	Name string `json:"name"`
	// The sequence number of the last record that the observer has handled.
	Seq *int64 `json:"seq,omitempty"`
	// Give the name up, instead of seq: its position is forgotten, and any user may use it.
	Forget *bool `json:"forget,omitempty"`
}

// AckResult: The answer to `ack`.
type AckResult struct {
	// The position that is acknowledged now.
	Acked int64 `json:"acked"`
	// True if the name was given up; acked was its last position.
	Forgotten bool `json:"forgotten,omitempty"`
}

// Observer: Part of `Observers`.
type Observer struct {
	// The identifier of the subscription; absent without a live one.
	Subscription string `json:"subscription,omitempty"`
	// The user id of the peer; without a live subscription, that of the user the name belongs to.
	UID *int64 `json:"uid,omitempty"`
	// The name that the client gave with hello.
	Client string `json:"client,omitempty"`
	// The durable name.
	Name string `json:"name,omitempty"`
	// Whether it is passive: it makes no transaction proceed.
	Passive bool `json:"passive,omitempty"`
	// Only events of these kinds.
	Kinds []EventKind `json:"kinds,omitempty"`
	// Only transactions for these products.
	Products []string `json:"products,omitempty"`
	// The questions that it can put to a person.
	Agent []SubscribeAgent `json:"agent,omitempty"`
	// The position that the observer has acknowledged.
	Acked *int64 `json:"acked,omitempty"`
	// The number of records between its position and the newest record.
	Lag int64 `json:"lag"`
	// Whether it is connected.
	Connected bool `json:"connected"`
}

// ObserversResult: The answer to `observers`.
type ObserversResult struct {
	// In the order of subscribing, then by name.
	Observers []Observer `json:"observers"`
}

// DelegateParams: The parameters of `delegate`.
type DelegateParams struct {
	// The policy for a changed country or price.
	Mode DelegateMode `json:"mode,omitempty"`
	// The time to answer, in seconds, from the moment the question reached an agent.
	Timeout *float64 `json:"timeout,omitempty"`
	// The answer that applies if none is given in time: true proceeds, false stops.
	Fallback *bool `json:"fallback,omitempty"`
	// The policy after a login that an add asked for.
	AfterLogin DelegateAfterLogin `json:"afterLogin,omitempty"`
}

// DelegateResult: The answer to `delegate`.
type DelegateResult struct {
	// The current policy.
	Mode DelegateMode `json:"mode"`
	// The time to answer, in seconds.
	Timeout float64 `json:"timeout"`
	// The answer that applies if none is given in time.
	Fallback bool `json:"fallback"`
	// The policy after a login that an add asked for.
	AfterLogin DelegateAfterLogin `json:"afterLogin"`
	// The sequence number of the record of the change; the newest record if nothing changed.
	Seq int64 `json:"seq"`
}

// Question: Part of `Questions`.
type Question struct {
	// The identifier of the question.
	Question string `json:"question"`
	// The type of question.
	Type QuestionType `json:"type"`
	// The transaction that waits for the answer.
	Transaction string `json:"transaction,omitempty"`
	// The cause of the question.
	Cause QuestionCause `json:"cause,omitempty"`
	// The product that would be charged.
	Product *Product `json:"product,omitempty"`
	// The price that would be charged.
	Price *Price `json:"price,omitempty"`
	// Where.
	Storefront *Storefront `json:"storefront,omitempty"`
	// The answer that applies if none is given in time.
	Fallback bool `json:"fallback"`
	// The time at which the fallback applies; null until the question has reached an agent.
	Deadline string `json:"deadline,omitempty"`
	// The time at which the question was opened.
	OpenedAt string `json:"openedAt"`
}

// QuestionsResult: The answer to `questions`.
type QuestionsResult struct {
	// The questions, oldest first.
	Questions []Question `json:"questions"`
}

// AnswerParams: The parameters of `answer`.
type AnswerParams struct {
	// The identifier of the question.
	Question string `json:"question"`
	// Whether to proceed.
	Value bool `json:"value"`
	// The reason; sent with questionClosed.
	Reason string `json:"reason,omitempty"`
	// A trace context, echoed in the records that the call causes.
	Trace string `json:"trace,omitempty"`
}

// AnswerResult: The answer to `answer`.
type AnswerResult struct {
	// Always true; a refusal is an error.
	Accepted bool `json:"accepted"`
	// The sequence number of the record of the answer.
	Seq int64 `json:"seq"`
}

// CancelParams: The parameters of `cancel`.
type CancelParams struct {
	// The id of the waiting call, exactly as it was sent.
	ID any `json:"id"`
}

// CancelResult: The answer to `cancel`.
type CancelResult struct {
	// Whether a waiting call was cancelled.
	Cancelled bool `json:"cancelled"`
}

// DecideParams: The parameters of `decide`.
type DecideParams struct {
	// The transaction.
	Transaction string `json:"transaction"`
	// The decision.
	Outcome DecideOutcome `json:"outcome"`
	// A trace context, echoed in the records that the call causes.
	Trace string `json:"trace,omitempty"`
}

// DecideResult: The answer to `decide`.
type DecideResult struct {
	// The transaction.
	Transaction string `json:"transaction"`
	// The state.
	State TransactionState `json:"state"`
	// The position in the log that this result reflects.
	Seq int64 `json:"seq"`
}

// DrainParams: The parameters of `drain`.
type DrainParams struct {
	// Whether new payments are refused.
	On bool `json:"on"`
	// A trace context, echoed in the records that the call causes.
	Trace string `json:"trace,omitempty"`
}

// DrainResult: The answer to `drain`.
type DrainResult struct {
	// The state of the daemon.
	State DaemonState `json:"state"`
}

// ReloadParams: The parameters of `reload`.
type ReloadParams struct {
	// A trace context, echoed in the records that the call causes.
	Trace string `json:"trace,omitempty"`
}

// ReloadResult: The answer to `reload`.
type ReloadResult struct {
	// The keys of the settings that changed.
	Changed []string `json:"changed"`
}

// BackupParams: The parameters of `backup`.
type BackupParams struct {
	// A trace context, echoed in the records that the call causes.
	Trace string `json:"trace,omitempty"`
}

// BackupResult: The answer to `backup`.
type BackupResult struct {
	// The directory of the backup.
	Path string `json:"path"`
	// The position in the log that the backup reflects.
	Seq int64 `json:"seq"`
	// The size in bytes.
	Bytes int64 `json:"bytes"`
}

// ClusterNode: Part of `Cluster`.
type ClusterNode struct {
	// The name.
	Node string `json:"node"`
	// Whether its lease in etcd lasts, which it renews while it runs.
	Up bool `json:"up"`
	// The version of its program.
	Version string `json:"version"`
	// Host and port where other nodes reach it.
	Peer string `json:"peer,omitempty"`
	// The last line of the log in its files when it reported last.
	Line int64 `json:"line"`
}

// ClusterMember: Part of `Cluster`.
type ClusterMember struct {
	// Host and port.
	Address string `json:"address"`
	// Whether it answers.
	Up bool `json:"up"`
	// The version of etcd, if it answers.
	Version string `json:"version,omitempty"`
	// Whether it is the leader of the members.
	Leader bool `json:"leader"`
	// The bytes in use in its files.
	Bytes *int64 `json:"bytes,omitempty"`
}

// ClusterResult: The answer to `cluster`.
type ClusterResult struct {
	// The name of the node that answers.
	Node string `json:"node"`
	// Whether that node owns the queue.
	Role ClusterRole `json:"role"`
	// The node that owns the queue, if one is known to.
	Owner string `json:"owner,omitempty"`
	// The term of the owner, greater than that of every owner before.
	Term *int64 `json:"term,omitempty"`
	// The beginning of all keys of the queue in etcd.
	Prefix string `json:"prefix"`
	// The last line of the log, if etcd answers.
	Line *int64 `json:"line,omitempty"`
	// The nodes by name, if etcd answers.
	Nodes []ClusterNode `json:"nodes"`
	// The members of etcd, in the order of the configuration.
	Members []ClusterMember `json:"members"`
}

// HandoverParams: The parameters of `handover`.
type HandoverParams struct {
	// A trace context, echoed in the records that the call causes.
	Trace string `json:"trace,omitempty"`
}

// HandoverResult: The answer to `handover`.
type HandoverResult struct {
	// The node that gives the queue away.
	Node string `json:"node"`
	// Its term. That of the next owner is greater.
	Term int64 `json:"term"`
}

// TestSetTimeRate: Part of `TestSet`.
type TestSetTimeRate struct {
	// The length of a month, in seconds.
	MonthSeconds int64 `json:"monthSeconds"`
}

// TestSetSimulatedErrors: Part of `TestSet`.
type TestSetSimulatedErrors struct {
	// The error with which the call fails; null for none.
	Products *SimulatedCatalogueError `json:"products,omitempty"`
	// The error with which the call fails; null for none.
	Purchase *SimulatedStoreError `json:"purchase,omitempty"`
	// The error with which the call fails; null for none.
	Completion *SimulatedStoreError `json:"completion,omitempty"`
	// The error with which the call fails; null for none.
	Restore *SimulatedStoreError `json:"restore,omitempty"`
	// The error with which the call fails; null for none.
	Reconciliation *SimulatedStoreError `json:"reconciliation,omitempty"`
	// The error with which the call fails; null for none.
	History *SimulatedStoreError `json:"history,omitempty"`
	// The error with which the call fails; null for none.
	Login *SimulatedLoginError `json:"login,omitempty"`
}

// TestSetParams: The parameters of `test.set`.
type TestSetParams struct {
	// New orders fail with failureError.
	FailTransactionsEnabled *bool `json:"failTransactionsEnabled,omitempty"`
	// The error with which new orders fail.
	FailureError TestSettingsFailureError `json:"failureError,omitempty"`
	// New orders wait for an approval.
	AskToBuyEnabled *bool `json:"askToBuyEnabled,omitempty"`
	// Every purchase is interrupted and fails; test.resolve completes it as a new transaction.
	InterruptedPurchasesEnabled *bool `json:"interruptedPurchasesEnabled,omitempty"`
	// The speed of the sandbox's clock for subscriptions: Apple's number, or the length of a month.
	TimeRate any `json:"timeRate,omitempty"`
	// The country of every account.
	Storefront string `json:"storefront,omitempty"`
	// Whether accounts may make payments.
	PaymentsAllowed *bool `json:"paymentsAllowed,omitempty"`
	// The locale of product texts, such as en_US.
	Locale string `json:"locale,omitempty"`
	// A subscription whose renewal was not paid stays active for a grace period.
	BillingGracePeriodIsEnabled *bool `json:"billingGracePeriodIsEnabled,omitempty"`
	// Renewals are not paid until test.resolve.
	ShouldEnterBillingRetryOnRenewal *bool `json:"shouldEnterBillingRetryOnRenewal,omitempty"`
	// The simulated error of each call.
	SimulatedErrors *TestSetSimulatedErrors `json:"simulatedErrors,omitempty"`
	// The delay of every answer, in milliseconds.
	LatencyMS *int64 `json:"latencyMs,omitempty"`
	// The store does not answer.
	StoreDown *bool `json:"storeDown,omitempty"`
}

// TestOrdersParams: The parameters of `test.orders`.
type TestOrdersParams struct {
	// The largest number of entries on the page; default 100.
	Limit *int64 `json:"limit,omitempty"`
	// The page token: the member next of an earlier result.
	Page string `json:"page,omitempty"`
}

// TestOrdersResult: The answer to `test.orders`.
type TestOrdersResult struct {
	// Oldest first.
	Orders []Order `json:"orders"`
	// The token of the next page; absent on the last page.
	Next string `json:"next,omitempty"`
}

// TestBuyParams: The parameters of `test.buy`.
type TestBuyParams struct {
	// The identifier of the product.
	Product string `json:"product"`
	// The application's own account identifier.
	AppAccountToken string `json:"appAccountToken,omitempty"`
}

// TestRefundParams: The parameters of `test.refund`.
type TestRefundParams struct {
	// The transaction that asked for the order.
	Transaction string `json:"transaction,omitempty"`
	// The order, instead of the transaction.
	Order string `json:"order,omitempty"`
}

// TestResolveParams: The parameters of `test.resolve`.
type TestResolveParams struct {
	// The transaction that asked for the order.
	Transaction string `json:"transaction,omitempty"`
	// The order, instead of the transaction.
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
	// Whether it renews automatically.
	Enabled bool `json:"enabled"`
}

// TestPriceIncreaseParams: The parameters of `test.priceIncrease`.
type TestPriceIncreaseParams struct {
	// The subscription of the account.
	Product string `json:"product"`
	// The answer of the subscriber.
	Answer TestPriceIncreaseAnswer `json:"answer"`
}

// TestDeleteOrderParams: The parameters of `test.deleteOrder`.
type TestDeleteOrderParams struct {
	// The transaction that asked for the order.
	Transaction string `json:"transaction,omitempty"`
	// The order, instead of the transaction.
	Order string `json:"order,omitempty"`
}

// TestClockAdvanceParams: The parameters of `test.clock.advance`.
type TestClockAdvanceParams struct {
	// The number of seconds.
	Seconds float64 `json:"seconds"`
}

// TestClockAdvanceResult: The answer to `test.clock.advance`.
type TestClockAdvanceResult struct {
	// The time on the sandbox's clock.
	Now string `json:"now"`
	// The time at which the next event is due; absent if none is.
	NextEventAt string `json:"nextEventAt,omitempty"`
	// The number of events that happened.
	Events int64 `json:"events"`
}

// Notification is something the daemon sent without being asked: a method, and what that
// brings. A method of a later daemon brings Params alone.
type Notification struct {
	Method string
	// Subscribed: `opened`, which is this library's own.
	Opened *SubscribeResult
	// An event of the queue.
	Event *EventNotice
	// Replay and redelivery are complete; live events follow.
	CaughtUp *CaughtUpNotice
	// There were no events for the interval that the subscriber asked for.
	Heartbeat *HeartbeatNotice
	// Records were trimmed or damaged before they were sent; a redelivery follows.
	Gap *GapNotice
	// The daemon ends a subscription.
	Ended *EndedNotice
	// The daemon will close the connection.
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

// Ping: Check that the daemon answers.
//
// The reply comes from the event loop that owns the queue, and never waits for the store.
func (c *Client) Ping(ctx context.Context, params PingParams) (*PingResult, error) {
	return invoke[PingResult](ctx, c, call{"ping", true, 0}, params)
}

// Help: Explain a method, or list all of them.
//
// Returns text for a terminal, generated from the same source as rpc.discover.
func (c *Client) Help(ctx context.Context, params HelpParams) (*HelpResult, error) {
	return invoke[HelpResult](ctx, c, call{"help", true, 0}, params)
}

// Status: Show daemon status and what transactions are waiting for.
//
// Shows the account in session, the queue and what its transactions wait for, the store, the log,
// the disk, and connections: the caller's own, or all of them with the role admin. With that role
// it also shows what each user holds of the limits that users share.
func (c *Client) Status(ctx context.Context) (*StatusResult, error) {
	return invoke[StatusResult](ctx, c, call{"status", true, 0}, struct{}{})
}

// Metrics: Show metrics, as OpenMetrics text.
//
// Connections, subscriptions, turns of the queue, records, transactions by state, health of the
// store. A collector can read the text as it is.
func (c *Client) Metrics(ctx context.Context) (*MetricsResult, error) {
	return invoke[MetricsResult](ctx, c, call{"metrics", true, 0}, struct{}{})
}

// Discover: Describe the interface as an OpenRPC document.
//
// Returns an OpenRPC 1.4 document, generated from the types that decode requests. Notifications are
// under x-notifications, limits under x-limits.
func (c *Client) Discover(ctx context.Context) (*RPCDiscoverResult, error) {
	return invoke[RPCDiscoverResult](ctx, c, call{"rpc.discover", true, 0}, struct{}{})
}

// Check: Check a call without executing it.
//
// Decodes the parameters as the method itself does, and returns the same error if they are wrong,
// or if the daemon knows without the store that it would refuse the call now. It changes nothing
// and sends nothing to the store.
func (c *Client) Check(ctx context.Context, params CheckParams) (*CheckResult, error) {
	return invoke[CheckResult](ctx, c, call{"check", true, 0}, params)
}

// Products: List products and their prices.
//
// Prices are those of the account's country; without an account in session, of the country assumed
// with storefront, else of the store's default country. Without ids the whole catalogue is
// returned, page by page. Products that are not sold there are listed under invalid; an identifier
// that is empty or longer than 256 bytes is an error.
func (c *Client) Products(ctx context.Context, params ProductsParams) (*ProductsResult, error) {
	return invoke[ProductsResult](ctx, c, call{"products", true, 30}, params)
}

// Entitlements: List what the account is entitled to now.
//
// Returns the latest live order of each non-consumable and of each active subscription, as the
// store reports it. Refunded orders and consumables are not listed. Whether the transaction is
// finished makes no difference.
func (c *Client) Entitlements(ctx context.Context) (*EntitlementsResult, error) {
	return invoke[EntitlementsResult](ctx, c, call{"entitlements", true, 30}, struct{}{})
}

// SignedHistory: Fetch the account's signed purchase history.
//
// Returns one page of what the account in session has paid for, newest first, as a compact JWS. Its
// payload is a TransactionHistory of purchases and renewals, refunded ones with their revocation.
// Each page can be verified by itself with the keys of the store, which the method keys returns;
// kid and alg repeat its header. To read on, repeat the call with page set to next. New payments do
// not move pages, so following next returns each payment once. Without an account in session the
// call fails; login agents are not asked.
func (c *Client) SignedHistory(ctx context.Context, params SignedHistoryParams) (*SignedHistoryResult, error) {
	return invoke[SignedHistoryResult](ctx, c, call{"signedHistory", true, 30}, params)
}

// Keys: Fetch the public keys of the store.
//
// Returns a JSON Web Key Set: the current signing key first, then earlier keys, so that older
// histories can still be verified. A kid is the thumbprint of RFC 7638. No account needs to be in
// session.
func (c *Client) Keys(ctx context.Context) (*KeysResult, error) {
	return invoke[KeysResult](ctx, c, call{"keys", true, 30}, struct{}{})
}

// Login: Open a session for an account.
//
// Payments that were added while no account was in session become this account's and are sent to
// the store. Another account replaces the one in session; the same account again changes nothing. A
// logout while the login is in progress cancels it. The session survives restarts. Without account,
// the login agents are asked in turn, and the reply waits for them.
func (c *Client) Login(ctx context.Context, params LoginParams) (*LoginResult, error) {
	return invoke[LoginResult](ctx, c, call{"login", true, 150}, params)
}

// Logout: Close the session.
//
// The account's transactions are hidden until it logs in again; orders that are in flight at the
// store continue there. The session at the store ends too if the store can be reached; its tokens
// are deleted in any case. Logging out twice is not an error.
func (c *Client) Logout(ctx context.Context, params LogoutParams) (*LogoutResult, error) {
	return invoke[LogoutResult](ctx, c, call{"logout", true, 0}, params)
}

// Storefront: Show the storefront, or assume a country while logged out.
//
// Returns the storefront of the account in session; null without one. With assume, sets the country
// whose prices are shown while no account is in session; it survives restarts and is returned as
// assumed.
func (c *Client) Storefront(ctx context.Context, params StorefrontParams) (*StorefrontResult, error) {
	return invoke[StorefrontResult](ctx, c, call{"storefront", true, 0}, params)
}

// Add: Buy a product.
//
// Accepts a payment. When the reply arrives, the transaction is on stable storage; its progress is
// sent as events. It is sent to the store once an account is in session and an observer is
// subscribed; until then waitingFor names what is missing. Send a fresh key with every intent to
// buy: repeating the call with the same key and parameters returns the first transaction and never
// charges twice. If no account is in session and a login agent is subscribed, the reply waits for
// the login.
func (c *Client) Add(ctx context.Context, params AddParams) (*AddResult, error) {
	if params.Key == "" {
		params.Key = FreshKey()
	}
	return invoke[AddResult](ctx, c, call{"add", true, 150}, params)
}

// Restore: Restore what the account owns.
//
// Accepts a restore. When the reply arrives, it is on stable storage. What the account owns is sent
// as transactions in state restored, then exactly one restoreCompleted or restoreFailed ends it,
// even across a restart. It needs an account in session and a subscribed observer. A call with the
// same filter joins the running restore; a call with another filter waits its turn.
func (c *Client) Restore(ctx context.Context, params RestoreParams) (*RestoreResult, error) {
	if params.Key == "" {
		params.Key = FreshKey()
	}
	return invoke[RestoreResult](ctx, c, call{"restore", true, 150}, params)
}

// Finish: Finish a delivered transaction.
//
// Call it after the purchase is delivered, not before: until then every new subscription gets the
// transaction again. The call can be repeated safely. A purchase is first completed at the store
// (completing), then leaves the queue with transactionsRemoved. A transaction that was never sent
// to the store is withdrawn (removed). A transaction that is in flight stays (ignoredInFlight).
func (c *Client) Finish(ctx context.Context, params FinishParams) (*FinishResult, error) {
	return invoke[FinishResult](ctx, c, call{"finish", true, 0}, params)
}

// Transactions: List transactions.
//
// Without parameters, lists all unfinished transactions that are visible to the account in session;
// with several conditions, only those that meet all of them. A list that does not fit in one reply
// comes in pages: repeat the call with page set to next. One call examines a limited number of
// transactions, so a page can be short or empty and still have next.
func (c *Client) Transactions(ctx context.Context, params TransactionsParams) (*TransactionsResult, error) {
	return invoke[TransactionsResult](ctx, c, call{"transactions", true, 0}, params)
}

// Wait: Wait until a transaction is settled, or a restore has ended.
//
// For scripts: replies as soon as the transaction is in one of the wanted states, or the restore
// has ended; immediately if it already is. If the time runs out, the reply is normal, with reached
// false. Later requests on the same connection are answered meanwhile.
func (c *Client) Wait(ctx context.Context, params WaitParams) (*WaitResult, error) {
	return invoke[WaitResult](ctx, c, call{"wait", true, 60}, params)
}

// Events: Read the event log page by page.
//
// Polls for events, for scripts: call it again with after set to next. It does not redeliver
// unfinished transactions and does not count as an observer.
func (c *Client) Events(ctx context.Context, params EventsParams) (*EventsResult, error) {
	return invoke[EventsResult](ctx, c, call{"events", true, 60}, params)
}

// Ack: Acknowledge events on behalf of a named observer.
//
// Stores the position durably: a later subscribe with the name starts after it. The acknowledgement
// covers everything up to seq; a smaller seq than before changes nothing. It does not finish
// transactions; finish does. With forget the name is given up; a live subscription with it
// continues without a name. A name of another user needs role admin.
func (c *Client) Ack(ctx context.Context, params AckParams) (*AckResult, error) {
	return invoke[AckResult](ctx, c, call{"ack", true, 0}, params)
}

// Observers: List subscriptions and durable observer names.
//
// Lists live subscriptions with their filters and their lag, then durable names without a live
// subscription.
func (c *Client) Observers(ctx context.Context) (*ObserversResult, error) {
	return invoke[ObserversResult](ctx, c, call{"observers", true, 0}, struct{}{})
}

// Delegate: Show or set the policy for a changed country or price.
//
// One durable policy for the whole queue. If a transaction would be charged in another country, or
// at another price, than was shown at add, it proceeds (continue), leaves the queue with
// discardedByGate (stop), or waits for an answer (ask). Without parameters the policy is only
// shown; parameters that are absent stay as they are.
func (c *Client) Delegate(ctx context.Context, params DelegateParams) (*DelegateResult, error) {
	return invoke[DelegateResult](ctx, c, call{"delegate", true, 0}, params)
}

// Questions: List open questions.
//
// Lists every open question that is visible to the account in session. Use answer to answer one;
// the first answer wins.
func (c *Client) Questions(ctx context.Context) (*QuestionsResult, error) {
	return invoke[QuestionsResult](ctx, c, call{"questions", true, 0}, struct{}{})
}

// Answer: Answer a question.
//
// Any client with the role gate may answer, whichever agent is asked. The first answer wins; the
// client that gave it may repeat it while the daemon runs. A login closes a login question with
// true; if it is answered true without a login, the waiting calls proceed and their work waits for
// a login.
func (c *Client) Answer(ctx context.Context, params AnswerParams) (*AnswerResult, error) {
	return invoke[AnswerResult](ctx, c, call{"answer", true, 0}, params)
}

// Decide: Approve or decline a transaction that waits for approval.
//
// Acts for the person who must approve a transaction (waitingFor approval). The reply comes when
// the store has reported the outcome to the queue. Only for the sandbox.
func (c *Client) Decide(ctx context.Context, params DecideParams) (*DecideResult, error) {
	return invoke[DecideResult](ctx, c, call{"decide", false, 0}, params)
}

// Drain: Stop accepting new payments, or resume.
//
// With on true, add and restore fail with error -32006 and everything else continues; the reply
// comes when no order is in flight at the store. If the call is cancelled meanwhile, draining stays
// on. With on false, new payments are accepted again. A restart also ends draining.
func (c *Client) Drain(ctx context.Context, params DrainParams) (*DrainResult, error) {
	return invoke[DrainResult](ctx, c, call{"drain", true, 60}, params)
}

// Reload: Reload the configuration.
//
// Reads the configuration file and the catalogue again, and applies what can change while the
// daemon runs. If a file is refused, nothing changes.
func (c *Client) Reload(ctx context.Context, params ReloadParams) (*ReloadResult, error) {
	return invoke[ReloadResult](ctx, c, call{"reload", true, 60}, params)
}

// Backup: Write a backup of the whole state.
//
// Copies snapshot and journal into a new directory below backups, and verifies the copy before it
// replies. The queue keeps working meanwhile. Calls during a backup are answered by one more
// backup, which begins when the running one ends.
func (c *Client) Backup(ctx context.Context, params BackupParams) (*BackupResult, error) {
	return invoke[BackupResult](ctx, c, call{"backup", false, 300}, params)
}

// Cluster: Show the nodes that share the queue.
//
// Asks etcd for the owner and the nodes, and each member of etcd for its state. Nodes report every
// five seconds. A daemon with its log in local files only refuses the call with error -32600.
func (c *Client) Cluster(ctx context.Context) (*ClusterResult, error) {
	return invoke[ClusterResult](ctx, c, call{"cluster", true, 30}, struct{}{})
}

// Handover: Give the queue to another node.
//
// The owner replies, commits what it has taken, and gives its right back, so that another node owns
// the queue a moment later. Then its program starts again and follows; its clients stay connected.
// Without another node that is up it refuses with error -32014. A daemon with its log in local
// files only refuses the call with error -32600.
func (c *Client) Handover(ctx context.Context, params HandoverParams) (*HandoverResult, error) {
	return invoke[HandoverResult](ctx, c, call{"handover", false, 30}, params)
}

// TestGet: Show the settings of the sandbox.
//
// Returns the settings that test.set changes. Only for the sandbox.
func (c *Client) TestGet(ctx context.Context) (*TestSettings, error) {
	return invoke[TestSettings](ctx, c, call{"test.get", true, 0}, struct{}{})
}

// TestSet: Change the settings of the sandbox.
//
// Changes the given settings durably and keeps the others; the result shows all settings. Only for
// the sandbox.
func (c *Client) TestSet(ctx context.Context, params TestSetParams) (*TestSettings, error) {
	return invoke[TestSettings](ctx, c, call{"test.set", true, 0}, params)
}

// TestOrders: List all orders of the sandbox.
//
// Lists the orders of all accounts, completed ones too, oldest first, page by page. Only for the
// sandbox.
func (c *Client) TestOrders(ctx context.Context, params TestOrdersParams) (*TestOrdersResult, error) {
	return invoke[TestOrdersResult](ctx, c, call{"test.orders", true, 0}, params)
}

// TestBuy: Buy a product as if on another device.
//
// The order is paid as if the account in session had bought it on another device; observers get a
// transaction with reason external. Only for the sandbox.
func (c *Client) TestBuy(ctx context.Context, params TestBuyParams) (*Order, error) {
	return invoke[Order](ctx, c, call{"test.buy", false, 0}, params)
}

// TestRefund: Refund an order of the sandbox.
//
// The order is refunded immediately and observers get entitlementsRevoked. The refund of the order
// that serves a subscription ends the subscription, that of a scheduled change cancels the change.
// Only for the sandbox.
func (c *Client) TestRefund(ctx context.Context, params TestRefundParams) (*Order, error) {
	return invoke[Order](ctx, c, call{"test.refund", false, 0}, params)
}

// TestResolve: Resolve an interrupted purchase or a failed renewal.
//
// An interrupted purchase is completed, and observers get it as a new transaction; a renewal in
// billing retry is paid. Only for the sandbox.
func (c *Client) TestResolve(ctx context.Context, params TestResolveParams) (*Order, error) {
	return invoke[Order](ctx, c, call{"test.resolve", false, 0}, params)
}

// TestRenew: Renew a subscription now.
//
// Ends the current period of the account's subscription and starts the next; auto-renewal is on
// from then. Observers get the renewal as a transaction. Only for the sandbox.
func (c *Client) TestRenew(ctx context.Context, params TestRenewParams) error {
	_, err := invoke[struct{}](ctx, c, call{"test.renew", false, 0}, params)
	return err
}

// TestExpire: Expire a subscription now.
//
// The account's subscription ends immediately and does not renew. Only for the sandbox.
func (c *Client) TestExpire(ctx context.Context, params TestExpireParams) error {
	_, err := invoke[struct{}](ctx, c, call{"test.expire", false, 0}, params)
	return err
}

// TestAutoRenew: Turn auto-renewal of a subscription on or off.
//
// With enabled false, the account's subscription ends with its current period. Only for the
// sandbox.
func (c *Client) TestAutoRenew(ctx context.Context, params TestAutoRenewParams) error {
	_, err := invoke[struct{}](ctx, c, call{"test.autoRenew", false, 0}, params)
	return err
}

// TestPriceIncrease: Raise the price of a subscription.
//
// The answer is that of the subscriber: with consent the account's subscription renews at the new
// price, with decline it does not renew, and while pending it ends with its period. Only for the
// sandbox.
func (c *Client) TestPriceIncrease(ctx context.Context, params TestPriceIncreaseParams) error {
	_, err := invoke[struct{}](ctx, c, call{"test.priceIncrease", false, 0}, params)
	return err
}

// TestDeleteOrder: Delete an order of the sandbox.
//
// Deletes the order and its renewals at the store; unfinished transactions of it leave the queue.
// Only for the sandbox.
func (c *Client) TestDeleteOrder(ctx context.Context, params TestDeleteOrderParams) error {
	_, err := invoke[struct{}](ctx, c, call{"test.deleteOrder", false, 0}, params)
	return err
}

// TestClear: Delete all orders of the sandbox.
//
// Settings stay. Unfinished transactions of these orders are removed from the queue; the reason is
// 'deleted'. Only for the sandbox.
func (c *Client) TestClear(ctx context.Context) error {
	_, err := invoke[struct{}](ctx, c, call{"test.clear", false, 0}, struct{}{})
	return err
}

// TestReset: Reset all settings of the sandbox.
//
// Orders stay; test.clear deletes them. Only for the sandbox.
func (c *Client) TestReset(ctx context.Context) error {
	_, err := invoke[struct{}](ctx, c, call{"test.reset", false, 0}, struct{}{})
	return err
}

// TestClockGet: Show the sandbox's clock.
//
// Subscriptions follow the sandbox's own clock: real time, accelerated by timeRate, plus what it
// was advanced. Only for the sandbox.
func (c *Client) TestClockGet(ctx context.Context) (*TestClock, error) {
	return invoke[TestClock](ctx, c, call{"test.clock.get", true, 0}, struct{}{})
}

// TestClockAdvance: Advance the sandbox's clock.
//
// Everything that becomes due happens one by one, each as a live event before the next: renewals,
// retries, ends of periods. The daemon's own deadlines stay in real time. After 10000 events the
// call stops with error -32003 and gives their number; repeat it for the rest. Only for the
// sandbox.
func (c *Client) TestClockAdvance(ctx context.Context, params TestClockAdvanceParams) (*TestClockAdvanceResult, error) {
	return invoke[TestClockAdvanceResult](ctx, c, call{"test.clock.advance", false, 0}, params)
}

// The codes of errors. A later daemon may have others.
const (
	CodeConfigurationRefused     = 1701   // The configuration was refused
	CodeAppNotRegistered         = 1603   // The store does not know this application
	CodeNoSuchOrder              = 1602   // The store does not know this order
	CodeNotSupportedByStore      = 1601   // The store does not support this call
	CodeNotLoggedIn              = 1504   // No account is in session
	CodeBadCredential            = 1502   // The credential is wrong
	CodeUnknownAccount           = 1501   // The store does not know this account
	CodeQuestionClosed           = 1402   // The question is already closed
	CodeUnknownQuestion          = 1401   // Unknown question
	CodeUnknownObserver          = 1305   // Unknown observer name
	CodeNameInUse                = 1304   // A live subscription already uses this name
	CodeOtherEpoch               = 1303   // The cursor belongs to another event log
	CodeCursorAhead              = 1302   // The cursor is ahead of the event log
	CodeCursorTooOld             = 1301   // Records after the cursor are no longer kept
	CodeNotDecidable             = 1204   // The transaction or order is not in a state that allows this
	CodePageExpired              = 1203   // The page has expired; start again from the first page
	CodeUnknownTransaction       = 1201   // Unknown transaction
	CodeInvalidProductIdentifier = 1109   // The text cannot be a product identifier
	CodeAlreadyLive              = 1107   // An unfinished transaction for this product already exists
	CodeRejectedAfterLogin       = 1106   // The payment was rejected after the login
	CodeQueueFull                = 1105   // The queue has reached its limit of unfinished transactions
	CodeLoginDiscarded           = 1104   // The login was dismissed or timed out
	CodePaymentsNotAllowed       = 1103   // The account in session is not allowed to make payments
	CodeKeyReuse                 = 1102   // The idempotency key was used for a different call
	CodeUnknownProduct           = 1101   // The store does not sell this product in this storefront
	CodeUnsupportedVersion       = 1002   // This daemon speaks another version of the protocol
	CodeTooManyInFlight          = -32000 // Too many calls are waiting
	CodeLineTooLong              = -32001 // The line is too long
	CodeTimeout                  = -32002 // The line was not completed in time
	CodeResultTooLarge           = -32003 // The result does not fit in one line; ask for less
	CodeTooManySubscriptions     = -32004 // Too many subscriptions
	CodeTooManyConnections       = -32005 // Too many connections
	CodeDraining                 = -32006 // The daemon is draining or stopping and accepts no new work
	CodeForbidden                = -32007 // Your user lacks the role that this call needs
	CodeNotDurable               = -32008 // The change could not be written to stable storage
	CodeStoreUnavailable         = -32009 // The store is not available now
	CodeCancelled                = -32010 // The call was cancelled
	CodeConnectionError          = -32011 // The store does not answer
	CodeTooManyAttempts          = -32012 // Too many wrong logins of your user; wait, then try again
	CodeShareExceeded            = -32013 // Your share of the limit, or the whole limit, is in use; end something before you ask for more
	CodeNoOwner                  = -32014 // No node of the cluster owns the queue now
	CodeIndexRebuilding          = -32015 // Finished transactions cannot be looked up now
	CodeInvalidRequest           = -32600 // Invalid Request
	CodeMethodNotFound           = -32601 // Method not found
	CodeInvalidParams            = -32602 // Invalid params
	CodeInternal                 = -32603 // Internal error
)
