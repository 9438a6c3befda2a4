/// The queue's record of one payment, as of one moment: a snapshot, not a live object.
///
/// Every change makes a new revision. The text on disk and on the wire is written elsewhere; this
/// is what both are written from.
///
/// The parts lie behind one reference, which all copies share: a record is passed from hand to hand a
/// dozen times for each request, and copying its texts one by one would cost more than everything
/// else that happens to it.
public struct Transaction: Sendable, Hashable {
    @usableFromInline var storage: TransactionStorage

    /// Names the transaction for ever.
    @inlinable public var id: TransactionID { storage.fields.id }
    /// The account that it belongs to; nil while it waits for the next account that logs in.
    @inlinable public var account: AccountName? {
        get { storage.fields.account }
        set { edit { $0.account = newValue } }
    }
    /// The payment, with the product as it was sold when it was enqueued or last agreed to.
    @inlinable public var payment: Payment {
        get { storage.fields.payment }
        set { edit { $0.payment = newValue } }
    }
    /// Where it stands.
    @inlinable public var state: TransactionState {
        get { storage.fields.state }
        set { edit { $0.state = newValue } }
    }
    /// The country that it is to be charged in, or was.
    @inlinable public var country: CountryCode {
        get { storage.fields.country }
        set { edit { $0.country = newValue } }
    }
    /// The order at the store, once there is one.
    @inlinable public var order: OrderID? {
        get { storage.fields.order }
        set { edit { $0.order = newValue } }
    }
    /// The first order of the chain that `order` belongs to.
    @inlinable public var originalOrder: OrderID? {
        get { storage.fields.originalOrder }
        set { edit { $0.originalOrder = newValue } }
    }
    /// The charge of the order; nil until the store took it, and for purchases from before this was
    /// recorded.
    public var charge: Charge? {
        get { storage.fields.settled?.charge }
        set { edit { $0.charge = newValue } }
    }
    /// The token that the client gave. The payment has another one only where the account had the
    /// product already: it has the token of the order that was there.
    public var requestedToken: OpaqueText? {
        guard let settled = storage.fields.settled, settled.charge.offer == .alreadyOwned else {
            return payment.appAccountToken
        }
        return settled.requestedToken
    }
    /// Why there is a transaction at all.
    @inlinable public var reason: Reason {
        get { storage.fields.reason }
        set { edit { $0.reason = newValue } }
    }
    /// How often it was sent to the store as an order; the store tells a late order from a new one
    /// by it.
    @inlinable public var attempt: UInt32 {
        get { storage.fields.attempt }
        set { edit { $0.attempt = newValue } }
    }
    /// Whether a payment agent was asked about exactly this product, price and country, and agreed.
    @inlinable public var isConfirmed: Bool {
        get { storage.fields.isConfirmed }
        set { edit { $0.isConfirmed = newValue } }
    }
    /// Grows by one with each record of this transaction, from 1.
    @inlinable public var revision: UInt32 {
        get { storage.fields.revision }
        set { edit { $0.revision = newValue } }
    }
    /// When it was accepted.
    @inlinable public var createdAt: Timestamp { storage.fields.createdAt }
    /// When its last record was made.
    @inlinable public var updatedAt: Timestamp {
        get { storage.fields.updatedAt }
        set { edit { $0.updatedAt = newValue } }
    }
    /// The client that caused the last record; nil if none did.
    @inlinable public var origin: Origin? {
        get { storage.fields.origin }
        set { edit { $0.origin = newValue } }
    }

    /// Why a transaction was created.
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
        country: CountryCode, order: OrderID? = nil, originalOrder: OrderID? = nil,
        charge: Charge? = nil, requestedToken: OpaqueText? = nil, reason: Reason,
        revision: UInt32, createdAt: Timestamp, updatedAt: Timestamp, origin: Origin? = nil
    ) {
        storage = TransactionStorage(
            TransactionFields(
                id: id, account: account, payment: payment, state: state, country: country,
                order: order, originalOrder: originalOrder,
                settled: charge.map { Settled(charge: $0, requestedToken: requestedToken) },
                reason: reason, revision: revision, createdAt: createdAt, updatedAt: updatedAt,
                origin: origin))
    }

    /// Whether a finish has nothing to tell the store: the order is another purchase's, or was taken
    /// back.
    public var needsNoCompletion: Bool {
        guard let charge else { return false }
        return charge.offer == .alreadyOwned || charge.revocation != nil
    }

    /// Two snapshots are equal if all their parts are.
    public static func == (left: Transaction, right: Transaction) -> Bool {
        left.storage === right.storage || left.storage.fields == right.storage.fields
    }

    /// Hashes what tells snapshots apart: the transaction and its revision.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(revision)
    }

    /// Changes several parts for the price of one copy.
    @usableFromInline
    mutating func edit(_ change: (inout TransactionFields) -> Void) {
        var fields = storage.fields
        change(&fields)
        storage = TransactionStorage(fields)
    }
}

/// The part that all copies of one snapshot share. It never changes; a changed snapshot has
/// another.
@usableFromInline
final class TransactionStorage: Sendable {
    @usableFromInline let fields: TransactionFields

    init(_ fields: TransactionFields) {
        self.fields = fields
    }
}

/// The parts of a ``Transaction``, described there.
@usableFromInline
struct TransactionFields: Sendable, Hashable {
    @usableFromInline let id: TransactionID
    @usableFromInline var account: AccountName?
    @usableFromInline var payment: Payment
    @usableFromInline var state: TransactionState
    @usableFromInline var country: CountryCode
    @usableFromInline var order: OrderID?
    @usableFromInline var originalOrder: OrderID?
    @usableFromInline var settled: Settled?
    @usableFromInline var reason: Transaction.Reason
    @usableFromInline var attempt: UInt32 = 0
    @usableFromInline var isConfirmed: Bool = false
    @usableFromInline var revision: UInt32
    @usableFromInline let createdAt: Timestamp
    @usableFromInline var updatedAt: Timestamp
    @usableFromInline var origin: Origin?
}

extension TransactionFields {
    var charge: Charge? {
        get { settled?.charge }
        set {
            settled = newValue.map {
                Settled(charge: $0, requestedToken: settled?.requestedToken)
            }
        }
    }

    /// Takes over what the store says of the order that was paid.
    mutating func settle(as paid: PaidOrder) {
        order = paid.order
        originalOrder = paid.original
        guard paid.charge.offer == .alreadyOwned else { return charge = paid.charge }
        settled = Settled(charge: paid.charge, requestedToken: payment.appAccountToken)
        payment.appAccountToken = paid.appAccountToken
    }
}

/// The parts that a transaction has only once it was paid. Copies share them, and a transaction that
/// waits takes up no room for them.
@usableFromInline
final class Settled: Sendable, Hashable {
    let charge: Charge
    /// The token of the call to `add`; kept for ``PurchaseOffer/alreadyOwned`` only.
    let requestedToken: OpaqueText?

    init(charge: Charge, requestedToken: OpaqueText?) {
        self.charge = charge
        self.requestedToken = requestedToken
    }

    @usableFromInline
    static func == (left: Settled, right: Settled) -> Bool {
        left === right
            || left.charge == right.charge && left.requestedToken == right.requestedToken
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) { hasher.combine(charge) }
}

/// A payment that a client requests.
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
/// the cases carry what else is known.
public enum TransactionState: Sendable, Hashable {
    /// Accepted, not sent to the store. Next: gated, submitted, failed, or removal.
    case waiting
    /// A question about it is open. Next: waiting, failed, or removal.
    case gated
    /// A record says that the order leaves for the store. Next: deferred, purchased, failed, or,
    /// when the store refused the price, waiting.
    case submitted
    /// The store waits for an approval. Next: purchased, failed.
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
    /// The store refuses the order as it is, by StoreKit's word for that.
    public static let paymentInvalid = PaymentFailure(.internalError, reason: "paymentInvalid")
    /// The product is not sold in the country.
    public static let productNotAvailable = PaymentFailure(
        .internalError, reason: "productNotAvailable")
}

/// The condition that a purchasing transaction waits for.
public enum WaitingFor: String, Sendable, Hashable, CaseIterable {
    /// No subscription would show it.
    case observer
    /// No account is in session.
    case login
    /// A question about it is open.
    case gate
    /// Another person must approve it at the store.
    case approval
    /// The store has it, or has no room for it yet.
    case store
}
