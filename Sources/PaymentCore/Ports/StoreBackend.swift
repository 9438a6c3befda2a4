/// The store, which charges accounts: the embedded sandbox or a store server.
///
/// Every call may take long and may be repeated. The transaction identifies the order, so that a
/// repeated submission never charges twice. An answer describes the time when it was given and may
/// become outdated.
public protocol StoreBackend: Sendable {
    /// A short name for logs and `status`: `sandbox`, or the address of the server.
    var name: String { get }

    /// The time until the next probe of a store that is down. Nil, the default, if no probe is
    /// scheduled.
    var timeUntilProbe: Duration? { get }

    /// Opens a session for an account.
    func logIn(account: AccountName, credential: OpaqueText?) async throws(StoreFailure) -> Session

    /// Records that an account has logged out. Its session must be discarded before the call
    /// returns, and may be ended at the store later. By default a store has no sessions.
    func logOut(account: AccountName)

    /// All products that are sold in a country.
    func catalogue(of country: CountryCode) async throws(StoreFailure) -> Catalogue

    /// The catalogue of a country if it can be had without a request; nil otherwise, which is
    /// the default.
    func knownCatalogue(of country: CountryCode) -> Catalogue?

    /// The country that prices are shown in when no account is logged in and none was assumed.
    func defaultCountry() async throws(StoreFailure) -> CountryCode

    /// Submits an order to the store, or fetches the outcome if this transaction's id was submitted
    /// before.
    func submit(_ order: OrderRequest) async throws(StoreFailure) -> OrderOutcome

    /// Reports the delivery of an order to the store. Repeating is harmless. An unknown or revoked
    /// order is not a failure, because no report is needed for it.
    func complete(order: OrderID, account: AccountName) async throws(StoreFailure)

    /// The store's current facts about an account.
    func facts(of account: AccountName) async throws(StoreFailure) -> AccountFacts

    /// Facts about an account, if they can be had without a request; nil otherwise, which
    /// is the default.
    func knownFacts(of account: AccountName) -> AccountFacts?

    /// A page of the account's paid purchases.
    ///
    /// - Parameters:
    ///   - selection: The purchases to return.
    ///   - account: The account of the purchases.
    ///   - page: The token from the previous page; nil for the first page.
    /// - Returns: The page.
    /// - Throws: The store could not answer.
    func purchases(
        _ selection: PurchaseSelection, of account: AccountName, page: OpaqueText?
    ) async throws(StoreFailure) -> PurchasePage

    /// A page of the account's payments, newest first, signed by the store. By default a store does
    /// not sign, and the call fails.
    ///
    /// - Parameters:
    ///   - account: The account of the payments.
    ///   - query: The requested page.
    /// - Returns: The page; nil if the account does not have such a page (any more).
    /// - Throws: The store could not answer.
    func signedHistory(
        of account: AccountName, _ query: HistoryQuery
    ) async throws(StoreFailure) -> SignedHistory?

    /// The keys that the store signs with: the one in use first, then the older ones. By default a
    /// store signs nothing and fails.
    func keys() async throws(StoreFailure) -> [StoreKey]

    /// Registers a listener for changes that no call to the store caused. The listener is called
    /// after the change is durable at the store, on any thread. It may be called without a change,
    /// but a change is never omitted.
    func listen(_ listener: @escaping @Sendable (StoreChange) -> Void)
}

extension StoreBackend {
    /// The default schedules no probe.
    public var timeUntilProbe: Duration? { nil }

    /// The default has no sessions.
    public func logOut(account: AccountName) {}

    /// The default has no catalogue without a request.
    public func knownCatalogue(of country: CountryCode) -> Catalogue? { nil }

    /// The default has no facts without a request.
    public func knownFacts(of account: AccountName) -> AccountFacts? { nil }

    /// The default does not sign.
    public func signedHistory(
        of account: AccountName, _ query: HistoryQuery
    ) async throws(StoreFailure) -> SignedHistory? {
        throw StoreFailure(.internalError, "this store does not sign histories")
    }

    /// The default has no keys.
    public func keys() async throws(StoreFailure) -> [StoreKey] {
        throw StoreFailure(.internalError, "this store does not sign histories")
    }
}

/// Facts about an account, as a store has them.
public struct AccountFacts: Sendable, Hashable {
    /// The country of the account; nil if the store reports it only at login.
    public var country: CountryCode?
    /// Whether the account may buy.
    public var paymentsAllowed: Bool
    /// The subscription groups for which the account was charged an introductory offer. A product
    /// without a group counts as its own group, by its identifier.
    public var introduced: Set<OpaqueText>

    /// Creates facts.
    public init(
        country: CountryCode?, paymentsAllowed: Bool = true, introduced: Set<OpaqueText> = []
    ) {
        self.country = country
        self.paymentsAllowed = paymentsAllowed
        self.introduced = introduced
    }
}

/// One order, identified by the transaction that requests it.
public struct OrderRequest: Sendable, Hashable {
    /// The transaction; the store's idempotency key.
    public var transaction: TransactionID
    /// The account that is charged.
    public var account: AccountName
    /// The product to buy. The store charges its ``Product/expectedPrice`` or nothing.
    public var product: Product
    /// The country of the charge.
    public var country: CountryCode
    /// The token of the application's own account, passed through unchanged.
    public var appAccountToken: OpaqueText?
    /// The number of the submission, from 1. The store repeats its answer to an attempt, however
    /// late the repetition comes. A later attempt gets a new answer.
    public var attempt: UInt32

    /// Creates an order.
    public init(
        transaction: TransactionID, account: AccountName, product: Product, country: CountryCode,
        appAccountToken: OpaqueText?, attempt: UInt32 = 1
    ) {
        self.attempt = attempt
        self.transaction = transaction
        self.account = account
        self.product = product
        self.country = country
        self.appAccountToken = appAccountToken
    }
}

/// The store's answer to an order.
public enum OrderOutcome: Sendable, Hashable {
    /// Paid now, or already owned.
    case purchased(PaidOrder)
    /// Another person must approve it first. The caller submits again later with the same
    /// transaction.
    case deferred(order: OrderID)
    /// Not paid, and final.
    case failed(PaymentFailure, order: OrderID?)
    /// The store would charge another price than the expected one, and charged nothing. The
    /// product's ``Product/expectedPrice`` is the new price.
    case priceChanged(Product)
    /// The store does not sell the product in that country and charged nothing.
    case notSold
    /// The account is in another country now, and the store charged nothing. The gate policy
    /// decides how the purchase continues.
    case countryChanged(CountryCode)
}

/// The store could not answer. The outcome of the request is unknown.
public struct StoreFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, with the SDK's names.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// No answer came.
        case connectionError
        /// The store answered, but is temporarily unavailable.
        case serviceUnavailable
        /// The store does not have this application.
        case appNotRegistered
        /// The store does not have this account.
        case unknownAccount
        /// The credential is wrong.
        case badCredential
        /// The store has ended the session, or opens another one only with a credential: a login is
        /// needed. Until then no request for the account is sent.
        case sessionRevoked
        /// The store's own storage failed; the store must stop.
        case storageFailed
        /// Anything else.
        case internalError
    }

    /// The kind of failure.
    public let kind: Kind

    /// Whether the failure is an answer of a working store, in contrast to no answer or temporary
    /// unavailability.
    public var isAnswer: Bool {
        switch kind {
        case .connectionError, .serviceUnavailable, .storageFailed: false
        case .appNotRegistered, .unknownAccount, .badCredential, .sessionRevoked, .internalError:
            true
        }
    }

    /// Whether the failure ends the session of the account: the store has ended it, or does not
    /// know the account.
    public var endsSession: Bool { kind == .sessionRevoked || kind == .unknownAccount }

    /// A sentence for users.
    public let description: String

    /// Creates a failure.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}

/// The products that a store sells in one country.
public struct Catalogue: Sendable, Hashable {
    /// The country.
    public let country: CountryCode
    /// The products in the catalogue's own order.
    public let products: [Product]
    private let places: [ProductIdentifier: Int]

    /// Creates a catalogue. If two products have the same identifier, the first is used.
    public init(country: CountryCode, products: [Product]) {
        self.country = country
        self.products = products
        places = Dictionary(
            products.enumerated().map { ($1.productIdentifier, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The product of an identifier; nil if it is not sold in the country.
    public func product(_ identifier: ProductIdentifier) -> Product? {
        places[identifier].map { products[$0] }
    }
}
