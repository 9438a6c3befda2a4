/// The identifier of a restore of this queue: never issued twice, and kept over restarts.
public struct RestoreID: TypedIdentifier {
    /// The bits of the identifier.
    public let value: UniqueID
    /// Wraps the bits.
    public init(_ value: UniqueID) { self.value = value }
}

/// A client's request to restore the purchases of an account.
public struct Restore: Sendable, Hashable {
    /// The identifier of the restore.
    public let id: RestoreID
    /// The account whose purchases are restored; nil until the next login.
    public var account: AccountName?
    /// The application account token of the restored purchases; nil for all purchases.
    public var appAccountToken: OpaqueText?
    /// The time of acceptance.
    public let createdAt: Timestamp

    /// Creates a restore.
    public init(
        id: RestoreID, account: AccountName?, appAccountToken: OpaqueText?, createdAt: Timestamp
    ) {
        self.id = id
        self.account = account
        self.appAccountToken = appAccountToken
        self.createdAt = createdAt
    }
}

/// The outcome of a restore. Every restore ends.
public enum RestoreOutcome: Sendable, Hashable {
    /// The number of restored transactions, including those that were already unfinished.
    case completed(count: Int)
    /// The restore is incomplete. Transactions that it restored before the failure remain.
    case failed(RestoreFailure)
}

/// The cause of a failed restore: the five cases of the SDK's restore error.
public enum RestoreFailure: String, Sendable, Hashable, CaseIterable {
    /// The account left the session, or the restore timed out.
    case cancelled
    /// The store did not answer.
    case connectionError
    /// The store does not have this application.
    case appNotRegistered
    /// The store is temporarily unavailable.
    case serviceUnavailable
    /// Anything else.
    case internalError
}

/// The purchases that an account lost, because the store refunded or revoked them.
public struct Revocation: Sendable, Hashable {
    /// The account of the purchases.
    public var account: AccountName
    /// The products, each once, in the order of `orders`.
    public var products: [ProductIdentifier]
    /// The revoked orders.
    public var orders: [OrderID]
    /// The time and reason for each of `orders`, in the same order; empty in records of older
    /// versions.
    public var revocations: [OrderRevocation]

    /// Creates a revocation.
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

/// The state of a restore.
public enum RestoreState: String, Sendable, Hashable, CaseIterable {
    /// The restore has not ended. A separate member has the condition that it waits for.
    case running
    /// All purchases were restored.
    case completed
    /// The restore ended early.
    case failed

    /// The state for an outcome; `running` while there is no outcome.
    public init(_ outcome: RestoreOutcome?) {
        switch outcome {
        case nil: self = .running
        case .completed: self = .completed
        case .failed: self = .failed
        }
    }
}
