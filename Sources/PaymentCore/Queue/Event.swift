/// A position in the journal: from 1, below 2^53, never used twice.
public typealias SequenceNumber = UInt64

/// Something that happened to the queue. The journal keeps events; replaying them makes the state.
public enum Event: Sendable, Hashable {
    /// The daemon started for the so-many-th time on this state directory.
    case started(incarnation: UInt64)
    /// A product is named by a number from here on.
    case productRecorded(RecordedProduct)
    /// A transaction was created or changed. The snapshot is the whole transaction after the change.
    case transaction(TransactionChange, Transaction)
    /// The session changed: login, logout, other account or other region. On login the transactions
    /// that belong to no account become the account's. The cause is there where no client asked for it.
    indirect case sessionChanged(from: Session?, to: Session?, cause: SessionCause? = nil)
    /// A client said which country to assume while no account is logged in; nil takes it back.
    case countryAssumed(CountryCode?)
    /// Transactions finished before it are forgotten: ids, keys, snapshots. Orders never are.
    case forgotten(before: Timestamp)
    /// Another gate policy is in force.
    indirect case policyChanged(GatePolicy)
    /// A question is opened.
    indirect case questionOpened(Question)
    /// A question ended. What it means for its transaction is a record of its own, in the same batch.
    indirect case questionClosed(QuestionClosing)
    /// A client asked for a restore, with the idempotency key of the call.
    indirect case restoreRequested(Restore, key: OpaqueText?)
    /// A call with a key joined a restore that had not ended.
    indirect case restoreJoined(RestoreID, key: OpaqueText)
    /// A restore ended; the account is the restore's.
    indirect case restoreEnded(RestoreID, account: AccountName?, RestoreOutcome)
    /// The store took purchases back. Each order is named once in the life of a queue.
    indirect case entitlementsRevoked(Revocation)
    /// The store sells something else than before; counts the catalogues from 1.
    case productsChanged(revision: UInt64)
    /// A named observer was added, or acknowledged a position.
    indirect case acknowledged(observer: OpaqueText, upTo: SequenceNumber)
}

/// The content of a record about a transaction.
public enum TransactionChange: Sendable, Hashable {
    /// Accepted, with the idempotency key of the call.
    case added(key: OpaqueText?)
    /// A question about it was opened; it waits for the answer.
    case gated
    /// The order leaves for the store. On stable storage before its first byte does.
    case submitted
    /// It may continue with the present product, price and country, because the country or the price
    /// changed, or a question about it ended without turning it down.
    case refreshed
    /// The store waits for an approval.
    case deferred
    /// The store was paid.
    case purchased
    /// It came from the store, paid already: a renewal, or a purchase made elsewhere or interrupted.
    /// Always the first record of a transaction.
    case appeared
    /// It ended without a purchase.
    case failed
    /// A restore gave it back. Always the first record of a transaction.
    case restored
    /// A restore came upon it unfinished and shows it again, otherwise unchanged.
    case redelivered
    /// The store took its order back before it was finished.
    case revoked
    /// A client finished it; the store has to be told. Observers receive the removal only.
    case completing
    /// It left the queue. Always the last record of a transaction.
    case removed(RemovalReason)
}

/// Why a transaction left the queue.
public enum RemovalReason: String, Sendable, Hashable, CaseIterable {
    /// A client finished it.
    case finished
    /// A client finished it before it was sent to the store.
    case withdrawn
    /// The delegate refused to continue in another country or at another price.
    case discardedByGate
    /// The delegate did not want it after the login that it had caused.
    case rejectedAfterLogin
    /// The sandbox was told to delete it.
    case deleted
}

/// An event with its place in the journal.
public struct Record: Sendable, Hashable {
    /// The place.
    public var sequence: SequenceNumber
    /// When it was decided.
    public var time: Timestamp
    /// The client that caused it; nil if none did.
    public var origin: Origin?
    /// The event.
    public var event: Event

    /// Makes a record.
    public init(sequence: SequenceNumber, time: Timestamp, origin: Origin?, event: Event) {
        self.sequence = sequence
        self.time = time
        self.origin = origin
        self.event = event
    }
}
