/// The queue's record of one payment, as of one moment: a snapshot, not a live object.
///
/// Every change makes a new revision. The text on disk and on the wire is written elsewhere; this
/// is what both are written from.
public struct Transaction: Sendable, Hashable {
    /// Names the transaction for ever.
    public let id: TransactionID
    /// The account that it belongs to; nil while it waits for the next account that logs in.
    public var account: AccountName?
    /// What was asked for, with the product as it was sold when it was enqueued or last agreed to.
    public var payment: Payment
    /// Where it stands.
    public var state: TransactionState
    /// The country that it is to be charged in, or was.
    public var country: CountryCode
    /// The order at the store, once there is one.
    public var order: OrderID?
    /// The first order of the chain that `order` belongs to.
    public var originalOrder: OrderID?
    /// Why there is a transaction at all.
    public var reason: Reason
    /// How often it was sent to the store as an order; the store tells a late order from a new one
    /// by it.
    public var attempt: UInt32 = 0
    /// Whether a payment agent was asked about exactly this product, price and country, and agreed.
    public var isConfirmed = false
    /// Grows by one with each record of this transaction, from 1.
    public var revision: UInt32
    /// When it was accepted.
    public let createdAt: Timestamp
    /// When its last record was made.
    public var updatedAt: Timestamp
    /// Who caused the last record, if a client did.
    public var origin: Origin?

    /// Why a transaction came to be (PROTOCOL.md section 3, `reason`).
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// A client added it.
        case purchase
        /// The store renewed a subscription.
        case renewal
        /// A client asked to restore it.
        case restore
        /// The account bought it elsewhere.
        case external
    }

    /// Makes a snapshot from its parts.
    public init(
        id: TransactionID, account: AccountName?, payment: Payment, state: TransactionState,
        country: CountryCode, order: OrderID? = nil, originalOrder: OrderID? = nil, reason: Reason,
        revision: UInt32, createdAt: Timestamp, updatedAt: Timestamp, origin: Origin? = nil
    ) {
        self.id = id
        self.account = account
        self.payment = payment
        self.state = state
        self.country = country
        self.order = order
        self.originalOrder = originalOrder
        self.reason = reason
        self.revision = revision
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.origin = origin
    }
}

/// What a client asks to buy.
public struct Payment: Sendable, Hashable {
    /// The product, whole, not only its identifier.
    public var product: RecordedProduct
    /// Ties the purchase to the application's own account; carried and echoed, never looked at.
    public var appAccountToken: OpaqueText?

    /// Makes a payment.
    public init(product: RecordedProduct, appAccountToken: OpaqueText? = nil) {
        self.product = product
        self.appAccountToken = appAccountToken
    }
}

/// Where a transaction stands. Public states are `purchasing`, `purchased`, `restored` and `failed`;
/// the cases say what is known beside them.
public enum TransactionState: Sendable, Hashable {
    /// Accepted, not sent to the store. Next: gated, submitted, failed, or removal.
    case waiting
    /// A question about it is open. Next: waiting, failed, or removal.
    case gated
    /// A record says that the order leaves for the store. Next: deferred, purchased, failed, or,
    /// when the store refused the price, waiting.
    case submitted
    /// The store waits for somebody's approval. Next: purchased, failed.
    case deferred
    /// Paid. Next: completing.
    case purchased
    /// Finished by a client, the store not yet told. Next: removal.
    case completing
    /// Given back by a restore. Next: removal.
    case restored
    /// Ended without a purchase. Next: removal.
    case failed(PaymentFailure)

    /// Whether the store has nothing more to decide.
    public var isTerminal: Bool {
        switch self {
        case .waiting, .gated, .submitted, .deferred: false
        case .purchased, .completing, .restored, .failed: true
        }
    }

    /// The four public states.
    public var phase: Phase {
        switch self {
        case .waiting, .gated, .submitted, .deferred: .purchasing
        case .purchased, .completing: .purchased
        case .restored: .restored
        case .failed: .failed
        }
    }

    /// The public state, `transactionState` on the wire.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// Not yet decided.
        case purchasing
        /// Paid.
        case purchased
        /// Given back by a restore.
        case restored
        /// Ended without a purchase.
        case failed
    }
}

/// Why a transaction failed: the public case, and the reason behind it where there is one.
public struct PaymentFailure: Sendable, Hashable {
    /// The public error of a failed transaction.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A person backed out or refused.
        case cancelled
        /// The payment agent could not ask.
        case presentationFailed
        /// Everything else; the reason says what.
        case internalError
    }

    /// The public case.
    public var kind: Kind
    /// A word such as `declined` or `productNotAvailable`.
    public var reason: String?

    /// Makes a failure.
    public init(_ kind: Kind, reason: String? = nil) {
        self.kind = kind
        self.reason = reason
    }

    /// The store declined the charge.
    public static let declined = PaymentFailure(.internalError, reason: "declined")
    /// The product is not sold in the country.
    public static let productNotAvailable = PaymentFailure(
        .internalError, reason: "productNotAvailable")
}

/// Who caused a record: the peer of the connection that a call came over (PROTOCOL.md rule 11).
public struct Origin: Sendable, Hashable {
    /// The user id that the kernel reported.
    public var uid: UInt32
    /// The name that the client gave with `hello`, if any.
    public var client: OpaqueText?
    /// Names the connection; kept when a connection outlives the process.
    public var connection: UInt64
    /// Counts the requests of the connection from 1.
    public var request: UInt64
    /// The trace context of the request, if it carried one.
    public var trace: OpaqueText?

    /// Makes an origin.
    public init(
        uid: UInt32, client: OpaqueText? = nil, connection: UInt64, request: UInt64,
        trace: OpaqueText? = nil
    ) {
        self.uid = uid
        self.client = client
        self.connection = connection
        self.request = request
        self.trace = trace
    }
}

/// What a purchasing transaction waits for (PROTOCOL.md section 3, `waitingFor`).
public enum WaitingFor: String, Sendable, Hashable, CaseIterable {
    /// Nobody is subscribed who would be shown it.
    case observer
    /// No account is in session.
    case login
    /// A question about it is open.
    case gate
    /// Somebody else must approve it at the store.
    case approval
    /// The store has it, or has no room for it yet.
    case store
}
