public import PaymentCore

/// The controls of a store that exists for testing; a real store offers none
/// (reference: SKTestSession). Each change is durable before it is answered, and is told to every
/// client that listens to the store.
public protocol StoreTestControl: Sendable {
    /// The settings in force.
    func testSettings() async -> StoreTestSettings

    /// Changes the settings that are given and keeps the others.
    ///
    /// - Returns: The settings in force afterwards.
    func applyTestSettings(_ change: StoreTestSettingsChange) async throws(StoreFailure)
        -> StoreTestSettings

    /// A page of everything the store knows, oldest first.
    ///
    /// - Parameters:
    ///   - page: As the page before named it; nil for the first.
    ///   - limit: Most orders of the page.
    /// - Returns: The orders, and what the next page is called; nil on the last one.
    /// - Throws: ``TestFailure/pageExpired`` for a page that never was.
    func testOrders(page: OpaqueText?, limit: Int) async throws(TestFailure) -> (
        orders: [StoreOrder], next: OpaqueText?
    )

    /// Runs a control on behalf of an account.
    ///
    /// - Returns: The order that was made or changed; nil where there is none.
    func run(_ control: TestControl, account: AccountName?) async throws(TestFailure)
        -> StoreOrder?

    /// The sandbox's own clock.
    func testClock() async -> TestClock

    /// Moves the sandbox's clock on to the next event that is due, but not beyond a moment, and lets
    /// it happen as a live one.
    ///
    /// - Returns: The clock afterwards; it stands at `limit` when nothing more was due.
    func advanceTestClock(to limit: Timestamp) async throws(TestFailure) -> TestClock
}

/// The actions of a person or a test on the sandbox.
public enum TestControl: Sendable, Hashable {
    /// A purchase made elsewhere.
    case buy(ProductIdentifier, appAccountToken: OpaqueText?)
    /// Approves or declines an order that waits for approval.
    case decide(OrderReference, approved: Bool)
    /// The store takes a purchase back.
    case refund(OrderReference)
    /// An interruption of a purchase or a renewal's payment problem is resolved.
    case resolve(OrderReference)
    /// Ends the running period of a subscription and begins the next.
    case renew(ProductIdentifier)
    /// Ends a subscription now and for good.
    case expire(ProductIdentifier)
    /// Whether a subscription renews itself.
    case autoRenew(ProductIdentifier, Bool)
    /// Raises the price of a subscription; the answer is the subscriber's, nil while there is none.
    case priceIncrease(ProductIdentifier, PriceIncreaseAnswer)
    /// Forgets an order with its renewals.
    case deleteOrder(OrderReference)
    /// Forgets every order; settings stay.
    case clear
    /// Puts every setting back to what the catalogue says; orders stay.
    case reset
}

/// The answer of a subscriber to a higher price.
public enum PriceIncreaseAnswer: String, Sendable, Hashable, CaseIterable {
    /// Agrees; it renews.
    case consent
    /// Refuses; it does not renew.
    case decline
    /// Has not said anything; it ends with its period unless that changes.
    case pending
}

/// An order, by its own name or by that of the transaction which asked for it.
public enum OrderReference: Sendable, Hashable {
    /// By the transaction.
    case transaction(TransactionID)
    /// By its own name.
    case order(OrderID)
}

/// The sandbox's own clock: real time, faster by a rate, and as far ahead as it was advanced.
public struct TestClock: Sendable, Hashable {
    /// The time that it shows.
    public var now: Timestamp
    /// When the next event is due, if any is.
    public var nextEventAt: Timestamp?

    /// Reads a clock.
    public init(now: Timestamp, nextEventAt: Timestamp?) {
        self.now = now
        self.nextEventAt = nextEventAt
    }
}

/// Why a control did nothing.
public enum TestFailure: Error, Sendable, Hashable {
    /// The store knows no such order, or no subscription to that product.
    case noSuchOrder
    /// The order waits for no decision, or for none of that kind.
    case notDecidable(StoreOrder.State)
    /// The product is not sold in the account's country.
    case unknownProduct(ProductIdentifier)
    /// The control is about an account, and no account is logged in.
    case notLoggedIn
    /// There is no such page.
    case pageExpired
    /// The store failed.
    case store(StoreFailure)
}

/// How fast the sandbox's subscriptions live.
public enum TimeRate: Sendable, Hashable {
    /// One of Apple's numbers, 0 being real time.
    case apple(Int)
    /// A month lasts so many seconds, other periods in proportion.
    case monthSeconds(Int)
}

/// The calls of a store that an error can be simulated for.
public enum SimulatedCall: String, Sendable, Hashable, CaseIterable {
    /// The catalogue.
    case products
    /// Orders.
    case purchase
    /// Completions.
    case completion
    /// The purchases that can be restored.
    case restore
    /// The unfinished transactions.
    case reconciliation
    /// The signed history.
    case history
    /// Opening a session.
    case login

    /// The failures that can be simulated for it; that of the store's own disk would stop the daemon.
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

/// How the sandbox behaves (reference: SKTestSession).
public struct StoreTestSettings: Sendable, Hashable {
    /// New orders end in ``failureError``.
    public var failTransactionsEnabled: Bool
    /// How they fail: `cancelled`, `declined`, `presentationFailed`, or one of StoreKit's five
    /// (`unknown`, `invalidOfferIdentifier`, `invalidSignature`, `missingOfferParams`,
    /// `invalidOfferPrice`).
    public var failureError: String
    /// New orders wait for an approval.
    public var askToBuyEnabled: Bool
    /// Whether the accounts may buy.
    public var paymentsAllowed: Bool
    /// How long every answer takes.
    public var latencyMs: Int
    /// Nothing is answered.
    public var storeDown: Bool
    /// The country of every account, if one was set.
    public var storefront: CountryCode?
    /// Every purchase fails until this is switched off; resolving one makes it a new purchase.
    public var interruptedPurchasesEnabled = false
    /// How fast subscriptions live.
    public var timeRate = TimeRate.apple(0)
    /// Which localised texts products have, such as `en_US`; nil for those of the country.
    public var locale: OpaqueText?
    /// Whether a subscription that could not be renewed goes on for a while.
    public var billingGracePeriodIsEnabled = false
    /// Whether renewals cannot be paid until they are resolved.
    public var shouldEnterBillingRetryOnRenewal = false
    /// The calls that fail, and with what.
    public var simulatedErrors: [SimulatedCall: StoreFailure.Kind] = [:]

    /// Makes settings; the defaults are those of a store that works.
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

/// A change of some settings; nil leaves a setting as it is.
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
    /// See ``StoreTestSettings/simulatedErrors``; an inner nil disarms a call.
    public var simulatedErrors: [SimulatedCall: StoreFailure.Kind?]?

    /// Makes a change that changes nothing yet.
    public init() {}
}

/// One order as the store knows it.
public struct StoreOrder: Sendable, Hashable {
    /// The states of an order.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// Waits for an approval.
        case deferred
        /// Paid.
        case purchased
        /// Not paid.
        case failed
        /// Paid and taken back.
        case refunded
    }

    /// The order.
    public var order: OrderID
    /// The transaction that asked for it; nil for one made elsewhere.
    public var transaction: TransactionID?
    /// The first order of its chain.
    public var original: OrderID
    /// The account that pays.
    public var account: AccountName
    /// The product that was bought.
    public var product: ProductIdentifier
    /// The price of the product there: for a subscription, of each period.
    public var price: Price
    /// The charge of the order; nil unless it was paid.
    public var charge: Charge?
    /// In which country.
    public var country: CountryCode
    /// The application's own account.
    public var appAccountToken: OpaqueText?
    /// Where it stands.
    public var state: State
    /// Why it failed, if it did.
    public var failure: PaymentFailure?
    /// Whether the queue has said that the goods were delivered.
    public var completed: Bool
    /// When it was placed.
    public var placedAt: Timestamp
    /// Whether it renews an order before it.
    public var isRenewal = false
    /// When it ends, for a subscription.
    public var expiresAt: Timestamp?
    /// Makes an order.
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
