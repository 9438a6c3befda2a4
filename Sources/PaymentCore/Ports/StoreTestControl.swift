/// The controls of a store that exists for testing; a real store offers none.
public protocol StoreTestControl: Sendable {
    /// The settings in force.
    func testSettings() async -> StoreTestSettings

    /// Changes the settings that are given and keeps the others, durably.
    ///
    /// - Returns: The settings in force afterwards.
    func applyTestSettings(_ change: StoreTestSettingsChange) async throws(StoreFailure)
        -> StoreTestSettings

    /// Everything the store knows, oldest first.
    func testOrders() async -> [StoreOrder]
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
    }

    /// The order.
    public var order: OrderID
    /// The transaction that asked for it; nil for one made elsewhere.
    public var transaction: TransactionID?
    /// The first order of its chain.
    public var original: OrderID
    /// Who pays.
    public var account: AccountName
    /// What was bought.
    public var product: ProductIdentifier
    /// For how much.
    public var price: Price
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
