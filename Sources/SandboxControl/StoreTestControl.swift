public import PaymentCore

/// The controls of a store that exists for testing; a real store offers none
/// (reference: SKTestSession). Each change is durable before it is answered, and is told to every
/// client that listens to the store.
public protocol StoreTestControl: Sendable {
    /// The current settings.
    func testSettings() async -> StoreTestSettings

    /// Changes the given settings and keeps the others.
    ///
    /// - Returns: All settings after the change.
    /// - Throws: A value is invalid, or the change could not be stored.
    func applyTestSettings(_ change: StoreTestSettingsChange) async throws(StoreFailure)
        -> StoreTestSettings

    /// A page of all orders of the store, oldest first.
    ///
    /// - Parameters:
    ///   - page: The token of the page, from the page before; nil for the first.
    ///   - limit: Most orders of the page.
    /// - Returns: The orders, and the token of the next page; nil on the last page.
    /// - Throws: ``TestFailure/pageExpired`` for an unknown token.
    func testOrders(page: OpaqueText?, limit: Int) async throws(TestFailure) -> (
        orders: [StoreOrder], next: OpaqueText?
    )

    /// Runs a control for an account.
    ///
    /// - Returns: The order that was created or changed; nil if there is none.
    /// - Throws: The reason why the control has no effect.
    func run(_ control: TestControl, account: AccountName?) async throws(TestFailure)
        -> StoreOrder?

    /// The state of the sandbox's own clock.
    func testClock() async -> TestClock

    /// Advances the sandbox's clock to the next due event, but not beyond `limit`. The event then
    /// happens like a live one.
    ///
    /// - Returns: The state of the clock; it shows `limit` if no event was due before.
    /// - Throws: ``TestFailure/store(_:)`` if the change could not be stored.
    func advanceTestClock(to limit: Timestamp) async throws(TestFailure) -> TestClock
}

/// The actions on the sandbox that a user or a test can take.
public enum TestControl: Sendable, Hashable {
    /// Buys a product as if on another device.
    case buy(ProductIdentifier, appAccountToken: OpaqueText?)
    /// Approves or declines an order that waits for approval.
    case decide(OrderReference, approved: Bool)
    /// Refunds a purchase.
    case refund(OrderReference)
    /// Resolves an interrupted purchase or the payment problem of a renewal.
    case resolve(OrderReference)
    /// Ends the current period of a subscription and begins the next.
    case renew(ProductIdentifier)
    /// Ends a subscription at once and permanently.
    case expire(ProductIdentifier)
    /// Turns the automatic renewal of a subscription on or off.
    case autoRenew(ProductIdentifier, Bool)
    /// Raises the price of a subscription. The answer is the subscriber's.
    case priceIncrease(ProductIdentifier, PriceIncreaseAnswer)
    /// Deletes an order and its renewals.
    case deleteOrder(OrderReference)
    /// Deletes all orders; settings stay.
    case clear
    /// Resets all settings to the values of the catalogue; orders stay.
    case reset
}

/// The subscriber's answers to a price increase.
public enum PriceIncreaseAnswer: String, Sendable, Hashable, CaseIterable {
    /// The subscriber agrees; the subscription renews.
    case consent
    /// The subscriber refuses; the subscription does not renew.
    case decline
    /// The subscriber has not answered; the subscription ends with its period unless an answer
    /// follows.
    case pending
}

/// A reference to an order, by its own identifier or by the transaction that requested it.
public enum OrderReference: Sendable, Hashable {
    /// The transaction of the order.
    case transaction(TransactionID)
    /// The identifier of the order.
    case order(OrderID)
}

/// The sandbox's clock: real time, scaled by a rate, plus the time by which it was advanced.
public struct TestClock: Sendable, Hashable {
    /// The time that the clock shows.
    public var now: Timestamp
    /// The time of the next due event; nil if there is none.
    public var nextEventAt: Timestamp?

    /// Creates a reading of the clock.
    public init(now: Timestamp, nextEventAt: Timestamp?) {
        self.now = now
        self.nextEventAt = nextEventAt
    }
}

/// The reasons why a control fails.
public enum TestFailure: Error, Sendable, Hashable {
    /// The store has no such order.
    case noSuchOrder
    /// The account has no running subscription to this product.
    case noSubscription(ProductIdentifier)
    /// The order does not wait for this kind of decision.
    case notDecidable(StoreOrder.State)
    /// The product is not sold in the country of the account.
    case unknownProduct(ProductIdentifier)
    /// The control is about an account, and no account is logged in.
    case notLoggedIn
    /// The page token is unknown.
    case pageExpired
    /// The store failed.
    case store(StoreFailure)
}

/// The speed of the sandbox's subscriptions.
public enum TimeRate: Sendable, Hashable {
    /// A renewal rate of SKTestSession by its number; 0 is real time.
    case apple(Int)
    /// The length of a month in seconds; other periods are in proportion.
    case monthSeconds(Int)
}

/// The store calls that can fail with a simulated error.
public enum SimulatedCall: String, Sendable, Hashable, CaseIterable {
    /// Fetching the catalogue.
    case products
    /// Placing orders.
    case purchase
    /// Completing orders.
    case completion
    /// Fetching purchases to restore.
    case restore
    /// Fetching unfinished transactions.
    case reconciliation
    /// Fetching the signed history.
    case history
    /// Opening a session.
    case login

    /// The failures that can be simulated for the call. A failure of the store's own disk is not
    /// among them, because it would stop the daemon.
    public var failures: [StoreFailure.Kind] {
        let ofAll: [StoreFailure.Kind] = [
            .connectionError, .serviceUnavailable, .appNotRegistered, .internalError,
        ]
        return switch self {
        case .products: ofAll
        case .purchase, .completion, .restore, .reconciliation, .history: ofAll + [.sessionRevoked]
        case .login: ofAll + [.unknownAccount, .badCredential]
        }
    }
}

/// The behaviour of the sandbox (reference: SKTestSession).
public struct StoreTestSettings: Sendable, Hashable {
    /// True if new orders fail with ``failureError``.
    public var failTransactionsEnabled: Bool
    /// The failure of those orders: `cancelled`, `declined`, `presentationFailed`, or one of
    /// StoreKit's five (`unknown`, `invalidOfferIdentifier`, `invalidSignature`,
    /// `missingOfferParams`, `invalidOfferPrice`).
    public var failureError: String
    /// True if new orders wait for approval.
    public var askToBuyEnabled: Bool
    /// True if accounts may buy.
    public var paymentsAllowed: Bool
    /// The delay of every answer, in milliseconds.
    public var latencyMs: Int
    /// True if no call is answered.
    public var storeDown: Bool
    /// The country of all accounts; nil for that of the catalogue.
    public var storefront: CountryCode?
    /// True if every purchase is interrupted and fails. Resolving one makes it a new purchase.
    public var interruptedPurchasesEnabled = false
    /// The speed of subscriptions.
    public var timeRate = TimeRate.apple(0)
    /// The locale of the product texts, such as `en_US`; nil for that of the country.
    public var locale: OpaqueText?
    /// True if a subscription with a failed renewal stays active for a grace period.
    public var billingGracePeriodIsEnabled = false
    /// Whether renewals cannot be paid until they are resolved.
    public var shouldEnterBillingRetryOnRenewal = false
    /// The calls that fail, and their failures.
    public var simulatedErrors: [SimulatedCall: StoreFailure.Kind] = [:]

    /// Creates settings; the defaults are those of a working store.
    public init(
        failTransactionsEnabled: Bool = false, failureError: String = "declined",
        askToBuyEnabled: Bool = false, paymentsAllowed: Bool = true, latencyMs: Int = 0,
        storeDown: Bool = false, storefront: CountryCode? = nil
    ) {
        self.failTransactionsEnabled = failTransactionsEnabled
        self.failureError = failureError
        self.askToBuyEnabled = askToBuyEnabled
        self.paymentsAllowed = paymentsAllowed
        self.latencyMs = latencyMs
        self.storeDown = storeDown
        self.storefront = storefront
    }
}

/// A partial change of settings; nil leaves a setting unchanged.
public struct StoreTestSettingsChange: Sendable, Hashable {
    /// See ``StoreTestSettings/failTransactionsEnabled``.
    public var failTransactionsEnabled: Bool?
    /// See ``StoreTestSettings/failureError``.
    public var failureError: String?
    /// See ``StoreTestSettings/askToBuyEnabled``.
    public var askToBuyEnabled: Bool?
    /// See ``StoreTestSettings/paymentsAllowed``.
    public var paymentsAllowed: Bool?
    /// See ``StoreTestSettings/latencyMs``.
    public var latencyMs: Int?
    /// See ``StoreTestSettings/storeDown``.
    public var storeDown: Bool?
    /// See ``StoreTestSettings/storefront``.
    public var storefront: CountryCode?
    /// See ``StoreTestSettings/interruptedPurchasesEnabled``.
    public var interruptedPurchasesEnabled: Bool?
    /// See ``StoreTestSettings/timeRate``.
    public var timeRate: TimeRate?
    /// See ``StoreTestSettings/locale``.
    public var locale: OpaqueText?
    /// See ``StoreTestSettings/billingGracePeriodIsEnabled``.
    public var billingGracePeriodIsEnabled: Bool?
    /// See ``StoreTestSettings/shouldEnterBillingRetryOnRenewal``.
    public var shouldEnterBillingRetryOnRenewal: Bool?
    /// See ``StoreTestSettings/simulatedErrors``; an inner nil removes the failure of a call.
    public var simulatedErrors: [SimulatedCall: StoreFailure.Kind?]?

    /// Creates an empty change.
    public init() {}
}

/// An order in the store.
public struct StoreOrder: Sendable, Hashable {
    /// The states of an order.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// The order waits for an approval.
        case deferred
        /// The order was paid.
        case purchased
        /// The order was not paid.
        case failed
        /// The order was paid and refunded.
        case refunded
    }

    /// The identifier of the order.
    public var order: OrderID
    /// The transaction that requested the order; nil for a purchase on another device.
    public var transaction: TransactionID?
    /// The first order of its chain of renewals.
    public var original: OrderID
    /// The account that pays.
    public var account: AccountName
    /// The product that was bought.
    public var product: ProductIdentifier
    /// The price of the product in the country; for a subscription, of each period.
    public var price: Price
    /// The charge of the order; nil unless it was paid.
    public var charge: Charge?
    /// The country of the purchase.
    public var country: CountryCode
    /// The application's own account token.
    public var appAccountToken: OpaqueText?
    /// The state of the order.
    public var state: State
    /// The cause of the failure; nil unless the order failed.
    public var failure: PaymentFailure?
    /// True once the queue has reported the delivery of the goods.
    public var completed: Bool
    /// The time when the order was placed.
    public var placedAt: Timestamp
    /// True if the order renews an earlier one.
    public var isRenewal = false
    /// The end of the period, for a subscription.
    public var expiresAt: Timestamp?
    /// Creates an order.
    public init(
        order: OrderID, transaction: TransactionID?, original: OrderID, account: AccountName,
        product: ProductIdentifier, price: Price, country: CountryCode,
        appAccountToken: OpaqueText?, state: State, failure: PaymentFailure?, completed: Bool,
        placedAt: Timestamp
    ) {
        self.order = order
        self.transaction = transaction
        self.original = original
        self.account = account
        self.product = product
        self.price = price
        self.country = country
        self.appAccountToken = appAccountToken
        self.state = state
        self.failure = failure
        self.completed = completed
        self.placedAt = placedAt
    }
}
