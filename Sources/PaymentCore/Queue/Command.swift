/// The request of an `add`.
public struct AddRequest: Sendable, Hashable {
    /// The product asked for.
    public var productIdentifier: ProductIdentifier
    /// The application's own account.
    public var appAccountToken: OpaqueText?
    /// The client's idempotency key.
    public var key: OpaqueText?
    /// The product and country shown when the call was made, if not now: the call waited for a
    /// login.
    var shown: (product: Product, country: CountryCode)? {
        shownProduct.map { ($0.product, $0.country) }
    }
    private var shownProduct: Shown?

    private struct Shown: Hashable {
        var product: Product
        var country: CountryCode
    }

    /// Makes a request.
    public init(
        productIdentifier: ProductIdentifier, appAccountToken: OpaqueText? = nil,
        key: OpaqueText? = nil
    ) {
        self.productIdentifier = productIdentifier
        self.appAccountToken = appAccountToken
        self.key = key
    }

    /// The same request as it was made, of a product that was shown then and in that country. If
    /// the country is another one by now, the gate decides about it.
    public func asShown(_ product: Product, in country: CountryCode) -> AddRequest {
        var request = self
        request.shownProduct = Shown(product: product, country: country)
        return request
    }
}

/// The request of a `restore`.
public struct RestoreRequest: Sendable, Hashable {
    /// Only purchases with this token are restored; nil for all.
    public var appAccountToken: OpaqueText?
    /// The client's idempotency key.
    public var key: OpaqueText?

    /// Makes a request.
    public init(appAccountToken: OpaqueText? = nil, key: OpaqueText? = nil) {
        self.appAccountToken = appAccountToken
        self.key = key
    }
}

/// The decision about a `restore`.
public enum RestoreDecision: Sendable, Hashable {
    /// A restore of this id is accepted by the last of the events.
    case accepted(RestoreID)
    /// One of this id is under way for the same purchases; an event keeps the key of the call, if
    /// it has one.
    case joined(RestoreID)
    /// The key names this restore already.
    case duplicate(RestoreID)
}

/// The decision about an `add`.
public enum AddDecision: Sendable, Hashable {
    /// A transaction of this id is accepted by the last of the events.
    case accepted(TransactionID)
    /// The key names this transaction already.
    case duplicate(TransactionID)
}

/// The effect of a `finish`.
public enum FinishDisposition: String, Sendable, Hashable, CaseIterable {
    /// It left the queue.
    case removed
    /// It is marked; it leaves the queue when the store has been told.
    case completing
    /// The order is under way; nothing changed.
    case ignoredInFlight
    /// It had left the queue before.
    case alreadyFinished
}

/// The facts from outside that the queue needs to decide.
public struct DecisionContext {
    /// The time of the decision.
    public var now: Timestamp
    /// The client that asks.
    public var origin: Origin?
    /// The catalogue of a country, nil while it is not known. Must not change within a turn.
    public var catalogue: (CountryCode) -> Catalogue?
    /// The country without a login and without an assumed country, nil while it is not known.
    public var defaultCountry: CountryCode?
    /// Makes an identifier that was never given out.
    public var makeID: () -> UniqueID
    /// Whether the store lets the account in session buy.
    public var paymentsAllowed: Bool
    /// The groups that the account in session was charged an introductory offer of; nil while that is
    /// not known or there is no session.
    public var introduced: Set<OpaqueText>?
    /// How long a payment agent may be silent, in milliseconds.
    public var paymentPatienceMs: Int64 = 120_000

    /// Makes a context.
    public init(
        now: Timestamp, origin: Origin? = nil, catalogue: @escaping (CountryCode) -> Catalogue?,
        defaultCountry: CountryCode? = nil,
        makeID: @escaping () -> UniqueID, paymentsAllowed: Bool = true
    ) {
        self.now = now
        self.origin = origin
        self.catalogue = catalogue
        self.defaultCountry = defaultCountry
        self.makeID = makeID
        self.paymentsAllowed = paymentsAllowed
    }
}

/// The observers that decide what may be sent to the store: live, not passive
/// subscriptions only.
public struct ActiveObservers: Sendable, Hashable {
    /// An observer is shown every transaction.
    public var everything: Bool
    /// The products whose transactions an observer receives.
    public var products: Set<ProductIdentifier>
    /// An agent confirms charges; each is asked about before.
    public var hasPaymentAgent = false

    /// No observer, unless said otherwise.
    public init(everything: Bool = false, products: Set<ProductIdentifier> = []) {
        self.everything = everything
        self.products = products
    }

    /// Whether an observer receives transactions for this product.
    public func admits(_ product: ProductIdentifier) -> Bool {
        everything || products.contains(product)
    }
}

/// Something to be done outside, after the record that asks for it is on stable storage.
public enum Effect: Sendable, Hashable {
    /// Ask the store for the order of a transaction, or for its outcome.
    case submit(OrderRequest)
    /// Tell the store that an order's goods were delivered.
    case complete(TransactionID, order: OrderID, account: AccountName)

    /// The transaction that the effect is for.
    public var transaction: TransactionID {
        switch self {
        case .submit(let order): order.transaction
        case .complete(let transaction, _, _): transaction
        }
    }
}
