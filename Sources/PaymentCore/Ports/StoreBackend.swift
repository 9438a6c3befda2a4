/// The store, which charges accounts: the embedded sandbox or a store server.
///
/// Every call may take long and may be repeated: orders are named by the transaction, so that
/// asking twice never charges twice. Answers are true when they were given, not for ever.
public protocol StoreBackend: Sendable {
    /// A short word for logs and `status`: `sandbox`, or the address of the server.
    var name: String { get }

    /// How long it is until a store that went down is looked at again; nil, which is the default, while
    /// nobody looks.
    var timeUntilProbe: Duration? { get }

    /// Opens a session for an account.
    func logIn(account: AccountName, credential: OpaqueText?) async throws(StoreFailure) -> Session

    /// Takes note that an account has logged out: its session at the store is to be forgotten before
    /// this returns, and may be ended there afterwards. By default a store has no sessions.
    func logOut(account: AccountName)

    /// Everything that is sold in a country.
    func catalogue(of country: CountryCode) async throws(StoreFailure) -> Catalogue

    /// The catalogue of a country if it can be had without a request; nil otherwise, which is
    /// the default.
    func knownCatalogue(of country: CountryCode) -> Catalogue?

    /// The country that prices are shown in when no account is logged in and none was assumed.
    func defaultCountry() async throws(StoreFailure) -> CountryCode

    /// Asks the store to charge, or, when it already was asked with this transaction's id, for the
    /// outcome of that.
    func submit(_ order: OrderRequest) async throws(StoreFailure) -> OrderOutcome

    /// Tells the store that the goods of an order were delivered. Repeating is harmless, and an order
    /// that the store does not know, or took back, is no failure: there is nothing left to be told.
    func complete(order: OrderID, account: AccountName) async throws(StoreFailure)

    /// Facts about an account, as the store has them now.
    func facts(of account: AccountName) async throws(StoreFailure) -> AccountFacts

    /// Facts about an account, if they can be had without a request; nil otherwise, which
    /// is the default.
    func knownFacts(of account: AccountName) -> AccountFacts?

    /// A page of what an account has paid for.
    ///
    /// - Parameters:
    ///   - selection: Which purchases.
    ///   - account: Whose.
    ///   - page: The page, as the one before named it; nil for the first.
    /// - Returns: The page.
    /// - Throws: The store could not answer.
    func purchases(
        _ selection: PurchaseSelection, of account: AccountName, page: OpaqueText?
    ) async throws(StoreFailure) -> PurchasePage

    /// A page of what an account has paid for, the newest payment first, signed by the store. By
    /// default a store signs nothing and fails.
    ///
    /// - Parameters:
    ///   - account: Whose payments.
    ///   - query: Which page.
    /// - Returns: The page; nil if the account has no such page (any more).
    /// - Throws: The store could not answer.
    func signedHistory(
        of account: AccountName, _ query: HistoryQuery
    ) async throws(StoreFailure) -> SignedHistory?

    /// The keys that the store signs with: the one in use first, then the older ones. By default a
    /// store signs nothing and fails.
    func keys() async throws(StoreFailure) -> [StoreKey]

    /// Asks to be told of changes that no call to the store caused. The listener is called after the
    /// change is durable at the store, on any thread, and more often than necessary rather than not.
    func listen(_ listener: @escaping @Sendable (StoreChange) -> Void)
}

extension StoreBackend {
    /// No client observes.
    public var timeUntilProbe: Duration? { nil }

    /// There is no session to forget.
    public func logOut(account: AccountName) {}

    /// No catalogue without asking.
    public func knownCatalogue(of country: CountryCode) -> Catalogue? { nil }

    /// Nothing without asking.
    public func knownFacts(of account: AccountName) -> AccountFacts? { nil }

    /// Nothing is signed.
    public func signedHistory(
        of account: AccountName, _ query: HistoryQuery
    ) async throws(StoreFailure) -> SignedHistory? {
        throw StoreFailure(.internalError, "this store does not sign histories")
    }

    /// There are no keys.
    public func keys() async throws(StoreFailure) -> [StoreKey] {
        throw StoreFailure(.internalError, "this store does not sign histories")
    }
}

/// Facts about an account, as a store has them.
public struct AccountFacts: Sendable, Hashable {
    /// Where the account is; nil if the store cannot say so outside of a login.
    public var country: CountryCode?
    /// Whether it may buy.
    public var paymentsAllowed: Bool
    /// The subscription groups that it was charged an introductory offer of. A product without a group
    /// counts as one, by its identifier.
    public var introduced: Set<OpaqueText>

    /// Makes facts.
    public init(
        country: CountryCode?, paymentsAllowed: Bool = true, introduced: Set<OpaqueText> = []
    ) {
        self.country = country
        self.paymentsAllowed = paymentsAllowed
        self.introduced = introduced
    }
}

/// One order, named by the transaction that asks for it.
public struct OrderRequest: Sendable, Hashable {
    /// The transaction; the store's idempotency key.
    public var transaction: TransactionID
    /// The account that pays.
    public var account: AccountName
    /// The product that is bought. The store charges its ``Product/expectedPrice`` or nothing.
    public var product: Product
    /// In which country.
    public var country: CountryCode
    /// The application's own account, carried along.
    public var appAccountToken: OpaqueText?
    /// Counts the times that the transaction left for the store, from 1. What the store said to one
    /// attempt it says again to that attempt, however late it comes; a later attempt is a new question.
    public var attempt: UInt32

    /// Makes an order.
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
    /// Paid, or there already.
    case purchased(PaidOrder)
    /// Another person must approve it first; ask again later with the same transaction.
    case deferred(order: OrderID)
    /// Not paid, and it will not be.
    case failed(PaymentFailure, order: OrderID?)
    /// The store would charge another price than was expected, and charged nothing. The product says
    /// which, by its ``Product/expectedPrice``.
    case priceChanged(Product)
    /// The store does not sell the product in that country and charged nothing.
    case notSold
    /// The account is in another country now, and the store charged nothing: what is charged there is
    /// for the delegate to say.
    case countryChanged(CountryCode)
}

/// The store could not answer; nothing is known about what was asked.
public struct StoreFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The failure, in the words of the SDK.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// No answer came.
        case connectionError
        /// It answered, but cannot serve now.
        case serviceUnavailable
        /// It does not know this application.
        case appNotRegistered
        /// It has no such account.
        case unknownAccount
        /// The credential is wrong.
        case badCredential
        /// It has ended the session, or wants a credential for another one: a login is needed
        /// again. Until then it is not asked.
        case sessionRevoked
        /// Its own storage failed; it must stop.
        case storageFailed
        /// Anything else.
        case internalError
    }

    /// The kind.
    public let kind: Kind

    /// Whether the store is there, and this is what it says; not so if it said nothing or cannot serve
    /// anybody now.
    public var isAnswer: Bool {
        switch kind {
        case .connectionError, .serviceUnavailable, .storageFailed: false
        case .appNotRegistered, .unknownAccount, .badCredential, .sessionRevoked, .internalError:
            true
        }
    }

    /// A sentence for people.
    public let description: String

    /// Makes a failure.
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

    /// Makes a catalogue. Of two products with one identifier the first counts.
    public init(country: CountryCode, products: [Product]) {
        self.country = country
        self.products = products
        places = Dictionary(
            products.enumerated().map { ($1.productIdentifier, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The product of that identifier, if it is sold in the country.
    public func product(_ identifier: ProductIdentifier) -> Product? {
        places[identifier].map { products[$0] }
    }
}
