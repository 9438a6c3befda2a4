/// A position in the journal: from 1, below 2^53, never used twice.
public typealias SequenceNumber = UInt64

/// A change of the queue. The journal stores events, and replaying them rebuilds the state.
public enum Event: Sendable, Hashable {
    /// The daemon started; `incarnation` counts its starts on this state directory.
    case started(incarnation: UInt64)
    /// A product received the number that later records use for it.
    case productRecorded(RecordedProduct)
    /// A transaction was created or changed. The snapshot is complete and shows the new state.
    case transaction(TransactionChange, Transaction)
    /// The session changed: login, logout, other account or other region. A login assigns the
    /// transactions without an account to its account. `cause` is set only for a change that no
    /// client requested.
    indirect case sessionChanged(from: Session?, to: Session?, cause: SessionCause? = nil)
    /// A client set the country to assume while no account is logged in; nil removes it.
    case countryAssumed(CountryCode?)
    /// Ids, keys and snapshots of transactions finished before this time are forgotten. Orders are
    /// never forgotten.
    case forgotten(before: Timestamp)
    /// The gate policy changed.
    indirect case policyChanged(GatePolicy)
    /// A question was opened.
    indirect case questionOpened(Question)
    /// A question ended. The effect on its transaction is a separate record in the same batch.
    indirect case questionClosed(QuestionClosing)
    /// A client requested a restore, with the idempotency key of the call.
    indirect case restoreRequested(Restore, key: OpaqueText?)
    /// A call with a key joined a running restore.
    indirect case restoreJoined(RestoreID, key: OpaqueText)
    /// A restore ended. `account` is the account of the restore.
    indirect case restoreEnded(RestoreID, account: AccountName?, RestoreOutcome)
    /// The store revoked purchases. A queue records each order's revocation once.
    indirect case entitlementsRevoked(Revocation)
    /// The catalogue of the store changed; `revision` counts the changes from 1.
    case productsChanged(revision: UInt64)
    /// A named observer was added, or acknowledged a position.
    indirect case acknowledged(observer: OpaqueText, upTo: SequenceNumber)
    /// The name of an observer was given up.
    indirect case observerForgotten(OpaqueText)
}

extension Event {
    /// Whether the event begins work, caused by a client's call, that the queue must complete.
    public var beginsWork: Bool {
        switch self {
        case .transaction(.added, _), .restoreRequested: true
        default: false
        }
    }
}

/// The kind of a transaction's record.
public enum TransactionChange: Sendable, Hashable {
    /// Accepted, with the idempotency key of the call.
    case added(key: OpaqueText?)
    /// A question about the transaction was opened; the transaction waits for the answer.
    case gated
    /// The order is about to be sent to the store. The record is on stable storage before the first
    /// byte is sent to a remote store. It repeats the idempotency key, so that a repeated call does
    /// not pay again if the first record is lost.
    case submitted(key: OpaqueText?)
    /// The transaction waits for its submission with the present product, price and country. The
    /// country or the price changed, or a question about it ended without a refusal.
    case refreshed
    /// The store waits for an approval.
    case deferred
    /// The payment succeeded.
    case purchased
    /// The store reported it as already paid: a renewal, or a purchase made elsewhere or
    /// interrupted. Always the first record of a transaction.
    case appeared
    /// The transaction ended without a purchase.
    case failed
    /// A restore returned it. Always the first record of a transaction.
    case restored
    /// A restore found the transaction unfinished and delivers it again, otherwise unchanged.
    case redelivered
    /// The store revoked its order before a client finished it.
    case revoked
    /// A client finished it; the completion is not yet reported to the store. Observers receive
    /// only the removal.
    case completing
    /// The transaction left the queue. Always its last record.
    case removed(RemovalReason)
}

/// The cause of a transaction's removal.
public enum RemovalReason: String, Sendable, Hashable, CaseIterable {
    /// A client finished it.
    case finished
    /// A client finished it before it was sent to the store.
    case withdrawn
    /// The policy or an answer refused to continue in another country or at another price.
    case discardedByGate
    /// An answer refused to continue after the login that the purchase caused.
    case rejectedAfterLogin
    /// A test control of the sandbox deleted its order.
    case deleted
}

/// An event with its position in the journal.
public struct Record: Sendable, Hashable {
    /// The position.
    public var sequence: SequenceNumber
    /// The time of the decision.
    public var time: Timestamp
    /// The client that caused the event; nil if no client did.
    public var origin: Origin?
    /// The event.
    public var event: Event

    /// Creates a record.
    public init(sequence: SequenceNumber, time: Timestamp, origin: Origin?, event: Event) {
        self.sequence = sequence
        self.time = time
        self.origin = origin
        self.event = event
    }
}
