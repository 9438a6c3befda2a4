/// Names a restore of this queue. Never given out twice; kept over restarts.
public struct RestoreID: TypedIdentifier {
    /// The bits of the identifier.
    public let value: UniqueID
    /// Wraps the bits.
    public init(_ value: UniqueID) { self.value = value }
}

/// A client's wish to be given again what the account owns.
public struct Restore: Sendable, Hashable {
    /// Names the restore.
    public let id: RestoreID
    /// Whose purchases are restored; nil while it waits for the next account that logs in.
    public var account: AccountName?
    /// Only purchases with this token are restored; nil for all.
    public var appAccountToken: OpaqueText?
    /// When it was accepted.
    public let createdAt: Timestamp

    /// Makes a restore.
    public init(
        id: RestoreID, account: AccountName?, appAccountToken: OpaqueText?, createdAt: Timestamp
    ) {
        self.id = id
        self.account = account
        self.appAccountToken = appAccountToken
        self.createdAt = createdAt
    }
}

/// How a restore ended. It always does.
public enum RestoreOutcome: Sendable, Hashable {
    /// So many transactions were given back, those that were unfinished already included.
    case completed(count: Int)
    /// Not everything could be given back; transactions that came before this stay.
    case failed(RestoreFailure)
}

/// Why a restore failed: the five cases of the SDK's restore error.
public enum RestoreFailure: String, Sendable, Hashable, CaseIterable {
    /// The account left, or the time was up.
    case cancelled
    /// The store did not answer.
    case connectionError
    /// The store does not know this application.
    case appNotRegistered
    /// The store cannot serve now.
    case serviceUnavailable
    /// Anything else.
    case internalError
}

/// Purchases that stopped to be the account's: refunded or revoked at the store.
public struct Revocation: Sendable, Hashable {
    /// Whose they were.
    public var account: AccountName
    /// The products, each once, in the order of `orders`.
    public var products: [ProductIdentifier]
    /// The orders.
    public var orders: [OrderID]
    /// When and why each of `orders` was taken back, in their order; empty in records from before this
    /// was recorded.
    public var revocations: [OrderRevocation]

    /// Makes a revocation.
    public init(
        account: AccountName, products: [ProductIdentifier], orders: [OrderID],
        revocations: [OrderRevocation] = []
    ) {
        self.account = account
        self.products = products
        self.orders = orders
        self.revocations = revocations
    }
}

/// Where a restore stands.
public enum RestoreState: String, Sendable, Hashable, CaseIterable {
    /// It has not ended; the reason that it waits for is a separate member.
    case running
    /// Everything was given back.
    case completed
    /// It ended early.
    case failed

    /// The state that an outcome stands for; nil while there is none.
    public init(_ outcome: RestoreOutcome?) {
        switch outcome {
        case nil: self = .running
        case .completed: self = .completed
        case .failed: self = .failed
        }
    }
}
