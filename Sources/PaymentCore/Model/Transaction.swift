/// A snapshot of the queue's record of one payment, not a live object.
///
/// Every change creates a new revision. The journal and the wire protocol both encode this value.
///
/// All fields are behind one reference, which all copies share. Each request copies a record a
/// dozen times, and copying its strings would cost more than all other work.
public struct Transaction: Sendable, Hashable {
    @usableFromInline var storage: TransactionStorage

    /// The permanent identifier of the transaction.
    @inlinable public var id: TransactionID { storage.fields.id }
    /// The account of the transaction; nil until the next login.
    @inlinable public var account: AccountName? {
        get { storage.fields.account }
        set { edit { $0.account = newValue } }
    }
    /// The payment, with the product as it was sold at `add` or at the last consent.
    @inlinable public var payment: Payment {
        get { storage.fields.payment }
        set { edit { $0.payment = newValue } }
    }
    /// The state of the transaction.
    @inlinable public var state: TransactionState {
        get { storage.fields.state }
        set { edit { $0.state = newValue } }
    }
    /// The country of the charge, planned or done.
    @inlinable public var country: CountryCode {
        get { storage.fields.country }
        set { edit { $0.country = newValue } }
    }
    /// The order at the store; nil before there is an order.
    @inlinable public var order: OrderID? {
        get { storage.fields.order }
        set { edit { $0.order = newValue } }
    }
    /// The first order of the chain that `order` belongs to.
    @inlinable public var originalOrder: OrderID? {
        get { storage.fields.originalOrder }
        set { edit { $0.originalOrder = newValue } }
    }
    /// The charge of the order; nil before the charge, and for purchases that older versions
    /// recorded.
    public var charge: Charge? {
        get { storage.fields.settled?.charge }
        set { edit { $0.charge = newValue } }
    }
    /// The token of the client's call. It differs from that of the payment only for
    /// ``PurchaseOffer/alreadyOwned``, where the payment has the token of the existing order.
    public var requestedToken: OpaqueText? {
        guard let settled = storage.fields.settled, settled.charge.offer == .alreadyOwned else {
            return payment.appAccountToken
        }
        return settled.requestedToken
    }
    /// The cause of the transaction.
    @inlinable public var reason: Reason {
        get { storage.fields.reason }
        set { edit { $0.reason = newValue } }
    }
    /// The number of submissions to the store. The store uses it to distinguish a late order from a
    /// new one.
    @inlinable public var attempt: UInt32 {
        get { storage.fields.attempt }
        set { edit { $0.attempt = newValue } }
    }
    /// Whether a payment agent confirmed exactly this product, price and country.
    @inlinable public var isConfirmed: Bool {
        get { storage.fields.isConfirmed }
        set { edit { $0.isConfirmed = newValue } }
    }
    /// The revision, from 1; each record of this transaction increases it by one.
    @inlinable public var revision: UInt32 {
        get { storage.fields.revision }
        set { edit { $0.revision = newValue } }
    }
    /// The time of acceptance.
    @inlinable public var createdAt: Timestamp { storage.fields.createdAt }
    /// The time of the last record.
    @inlinable public var updatedAt: Timestamp {
        get { storage.fields.updatedAt }
        set { edit { $0.updatedAt = newValue } }
    }
    /// The client that caused the last record; nil if no client did.
    @inlinable public var origin: Origin? {
        get { storage.fields.origin }
        set { edit { $0.origin = newValue } }
    }

    /// The cause of a transaction.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// A client added it.
        case purchase
        /// The store renewed a subscription.
        case renewal
        /// A restore returned it.
        case restore
        /// The account bought it on another device or installation.
        case external
    }

    /// Creates a snapshot from its parts.
    public init(
        id: TransactionID, account: AccountName?, payment: Payment, state: TransactionState,
        country: CountryCode, order: OrderID? = nil, originalOrder: OrderID? = nil,
        charge: Charge? = nil, requestedToken: OpaqueText? = nil, reason: Reason,
        attempt: UInt32 = 0, isConfirmed: Bool = false, revision: UInt32, createdAt: Timestamp,
        updatedAt: Timestamp, origin: Origin? = nil
    ) {
        storage = TransactionStorage(
            TransactionFields(
                id: id, account: account, payment: payment, state: state, country: country,
                order: order, originalOrder: originalOrder,
                settled: charge.map { Settled(charge: $0, requestedToken: requestedToken) },
                reason: reason, attempt: attempt, isConfirmed: isConfirmed, revision: revision,
                createdAt: createdAt, updatedAt: updatedAt, origin: origin))
    }

    /// Wraps fields.
    init(_ fields: TransactionFields) {
        storage = TransactionStorage(fields)
    }

    /// Whether a finish needs no completion at the store: the order belongs to another purchase, or
    /// was revoked.
    public var needsNoCompletion: Bool {
        guard let charge else { return false }
        return charge.offer == .alreadyOwned || charge.revocation != nil
    }

    /// Two snapshots are equal if all their fields are equal.
    public static func == (left: Transaction, right: Transaction) -> Bool {
        left.storage === right.storage || left.storage.fields == right.storage.fields
    }

    /// Hashes the transaction and its revision, which identify a snapshot.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(revision)
    }

    /// Changes several fields with a single copy.
    @usableFromInline
    mutating func edit(_ change: (inout TransactionFields) -> Void) {
        var fields = storage.fields
        change(&fields)
        storage = TransactionStorage(fields)
    }
}

/// The immutable storage that all copies of a snapshot share. A changed snapshot has new storage.
@usableFromInline
final class TransactionStorage: Sendable {
    @usableFromInline let fields: TransactionFields

    init(_ fields: TransactionFields) {
        self.fields = fields
    }
}

/// The fields of a ``Transaction``, described there.
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

    /// Copies order, charge and token of the paid order.
    mutating func settle(as paid: PaidOrder) {
        order = paid.order
        originalOrder = paid.original
        guard paid.charge.offer == .alreadyOwned else { return charge = paid.charge }
        settled = Settled(charge: paid.charge, requestedToken: payment.appAccountToken)
        payment.appAccountToken = paid.appAccountToken
    }
}

/// The fields that exist only after the payment. Copies share them, and a waiting transaction uses
/// no memory for them.
@usableFromInline
final class Settled: Sendable, Hashable {
    let charge: Charge
    /// The token of the `add` call; only kept for ``PurchaseOffer/alreadyOwned``.
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
    /// The complete product, not only its identifier.
    public var product: RecordedProduct
    /// The token that links the purchase to the application's own account; returned unchanged,
    /// never interpreted.
    public var appAccountToken: OpaqueText?

    /// Creates a payment.
    public init(product: RecordedProduct, appAccountToken: OpaqueText? = nil) {
        self.product = product
        self.appAccountToken = appAccountToken
    }
}

/// The detailed state of a transaction. Clients see one of four public states, its ``phase``.
public enum TransactionState: Sendable, Hashable {
    /// Accepted, not sent to the store. Next: gated, submitted, failed, or removal.
    case waiting
    /// A question about it is open. Next: waiting, failed, or removal.
    case gated
    /// A record of the submission exists. Next: deferred, purchased, failed, or waiting after a
    /// refused price.
    case submitted
    /// The store waits for an approval. Next: purchased, failed.
    case deferred
    /// Paid. Next: completing.
    case purchased
    /// Finished by a client; its completion is not yet reported to the store. Next: removal.
    case completing
    /// Returned by a restore. Next: removal.
    case restored
    /// Ended without a purchase. Next: removal.
    case failed(PaymentFailure)

    /// Whether the store has nothing left to decide.
    public var isTerminal: Bool {
        switch self {
        case .waiting, .gated, .submitted, .deferred: false
        case .purchased, .completing, .restored, .failed: true
        }
    }

    /// The public state that this state belongs to.
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
        /// Returned by a restore.
        case restored
        /// Ended without a purchase.
        case failed
    }
}

/// The failure of a transaction: the public case, and a detailed reason if known.
public struct PaymentFailure: Sendable, Hashable {
    /// The public error of a failed transaction.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The user cancelled or refused.
        case cancelled
        /// The payment agent could not present the payment.
        case presentationFailed
        /// Any other failure; the reason gives details.
        case internalError
    }

    /// The public case.
    public var kind: Kind
    /// A word such as `declined` or `productNotAvailable`.
    public var reason: String?

    /// Creates a failure.
    public init(_ kind: Kind, reason: String? = nil) {
        self.kind = kind
        self.reason = reason
    }

    /// The store declined the charge.
    public static let declined = PaymentFailure(.internalError, reason: "declined")
    /// The store refused the order as invalid. The reason is StoreKit's name for this error.
    public static let paymentInvalid = PaymentFailure(.internalError, reason: "paymentInvalid")
    /// The product is not sold in the country.
    public static let productNotAvailable = PaymentFailure(
        .internalError, reason: "productNotAvailable")
}

/// The condition that a purchasing transaction waits for.
public enum WaitingFor: String, Sendable, Hashable, CaseIterable {
    /// No active subscription would receive it.
    case observer
    /// Its account is not in session.
    case login
    /// A question about it is open.
    case gate
    /// Another person must approve it at the store.
    case approval
    /// The store processes it, or the account has reached its limit of orders in flight.
    case store
}
