/// A transaction with the queue's data about it, from `add` until `forgotten`, also after it left
/// the queue.
struct TransactionRecord: Sendable, Hashable {
    /// The latest snapshot.
    var transaction: Transaction
    /// The idempotency key of the `add` call.
    var key: OpaqueText?
    /// The last of its records that observers receive.
    var lastEvent: SequenceNumber
    /// In the queue, its position in the order of acceptance: unique, never reused within a process.
    /// After it left, the sequence number of the record that removed it.
    var position: UInt64
    /// The user whose call created it; nil without a client.
    var user: UInt32?
    /// The finish, set when the transaction has left the queue.
    var finished: Finish?

    /// Whether the transaction is still in the queue.
    var isLive: Bool { finished == nil }
}

/// The facts about an unfinished transaction that are read without unpacking its record, because
/// unpacking takes longer.
public struct TransactionGlance: Sendable {
    /// The position in the order of acceptance.
    public let position: UInt64
    /// The last of its records that observers receive.
    public let newestEvent: SequenceNumber
    /// Whether the transaction is finished and its completion is not yet reported to the store.
    public let isCompleting: Bool
    /// The product.
    public let product: RecordedProduct
}

/// The removal of a transaction from the queue.
public struct Finish: Sendable, Hashable {
    /// The time of the removal.
    public var time: Timestamp
    /// The cause of the removal.
    public var reason: RemovalReason
    /// The client that caused the removal; nil if no client did.
    public var origin: Origin?

    /// Creates a finish.
    public init(time: Timestamp, reason: RemovalReason, origin: Origin?) {
        self.time = time
        self.reason = reason
        self.origin = origin
    }
}
