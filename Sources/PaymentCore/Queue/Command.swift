/// The request of an `add`.
public struct AddRequest: Sendable, Hashable {
    /// The requested product.
    public var productIdentifier: ProductIdentifier
    /// The token of the application's own account.
    public var appAccountToken: OpaqueText?
    /// The client's idempotency key.
    public var key: OpaqueText?
    /// The product and country shown at the time of the call, if the call has waited for a login
    /// since.
    var shown: (product: Product, country: CountryCode)? {
        shownProduct.map { ($0.product, $0.country) }
    }
    private var shownProduct: Shown?

    private struct Shown: Hashable {
        var product: Product
        var country: CountryCode
    }

    /// Creates a request.
    public init(
        productIdentifier: ProductIdentifier, appAccountToken: OpaqueText? = nil,
        key: OpaqueText? = nil
    ) {
        self.productIdentifier = productIdentifier
        self.appAccountToken = appAccountToken
        self.key = key
    }

    /// The same request, with the product and country shown at the time of the call. If the country
    /// has changed since, the gate policy decides.
    public func asShown(_ product: Product, in country: CountryCode) -> AddRequest {
        var request = self
        request.shownProduct = Shown(product: product, country: country)
        return request
    }

    /// The same request, as if it were made now.
    public var asNew: AddRequest {
        var request = self
        request.shownProduct = nil
        return request
    }
}

/// The request of a `restore`.
public struct RestoreRequest: Sendable, Hashable {
    /// The application account token of the restored purchases; nil for all purchases.
    public var appAccountToken: OpaqueText?
    /// The client's idempotency key.
    public var key: OpaqueText?

    /// Creates a request.
    public init(appAccountToken: OpaqueText? = nil, key: OpaqueText? = nil) {
        self.appAccountToken = appAccountToken
        self.key = key
    }
}

/// The decision about a `restore`.
public enum RestoreDecision: Sendable, Hashable {
    /// A new restore, accepted by the last of the events.
    case accepted(RestoreID)
    /// A running restore for the same purchases. If the call has a key, an event records it.
    case joined(RestoreID)
    /// The restore that the key already names.
    case duplicate(RestoreID)
}

/// The decision about an `add`.
public enum AddDecision: Sendable, Hashable {
    /// A new transaction, accepted by the last of the events.
    case accepted(TransactionID)
    /// The transaction that the key already names.
    case duplicate(TransactionID)
}

/// The effect of a `finish`.
public enum FinishDisposition: String, Sendable, Hashable, CaseIterable {
    /// The transaction left the queue.
    case removed
    /// The transaction is marked and leaves the queue after the completion is reported to the
    /// store.
    case completing
    /// The order is in flight; nothing changed.
    case ignoredInFlight
    /// The transaction had left the queue before.
    case alreadyFinished
}

/// The external facts that a decision of the queue needs.
public struct DecisionContext {
    /// The time of the decision.
    public var now: Timestamp
    /// The client that made the request.
    public var origin: Origin?
    /// The closed things that the decision depends on; empty if it depends on none.
    public var closed = ClosedFacts()
    /// The catalogue of a country; nil while it is unknown. It must not change within one turn of
    /// the event loop.
    public var catalogue: (CountryCode) -> Catalogue?
    /// The country without a login and without an assumed country; nil while it is unknown.
    public var defaultCountry: CountryCode?
    /// Returns an identifier that was never issued before.
    public var makeID: () -> UniqueID
    /// Whether the store permits purchases by the account in session.
    public var paymentsAllowed: Bool
    /// The offer groups for which the account in session was charged an introductory offer. Nil
    /// while they are unknown and without a session.
    public var introduced: Set<OpaqueText>?
    /// The timeout of a question to a payment agent, in milliseconds.
    public var paymentPatienceMs: Int64 = 120_000

    /// Creates a context.
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

/// The observers that decide which transactions may be sent to the store. Only live, active
/// subscriptions count.
public struct ActiveObservers: Sendable, Hashable {
    /// True if an observer receives every transaction.
    public var everything: Bool
    /// The products whose transactions an observer receives.
    public var products: Set<ProductIdentifier>
    /// True if a payment agent is connected. The agent confirms each charge before the submission.
    public var hasPaymentAgent = false

    /// Creates a set of observers, empty by default.
    public init(everything: Bool = false, products: Set<ProductIdentifier> = []) {
        self.everything = everything
        self.products = products
    }

    /// Whether an observer receives transactions for this product.
    public func admits(_ product: ProductIdentifier) -> Bool {
        everything || products.contains(product)
    }
}

/// Work outside the queue. The caller does it after the record of the effect is on stable storage.
/// For a store whose records are in the same batch, the caller does it before.
public enum Effect: Sendable, Hashable {
    /// Submit a transaction's order to the store, or fetch its outcome.
    case submit(OrderRequest)
    /// Report the delivery of an order's goods to the store.
    case complete(TransactionID, order: OrderID, account: AccountName)

    /// The transaction of the effect.
    public var transaction: TransactionID {
        switch self {
        case .submit(let order): order.transaction
        case .complete(let transaction, _, _): transaction
        }
    }
}
