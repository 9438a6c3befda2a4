public import PaymentCore

/// The reason why the engine refuses a client's request.
public enum EngineRefusal: Error, Sendable, Hashable {
    /// A rule forbids it.
    case refused(Refusal)
    /// There is no room for it beside accepted work.
    case outOfSpace(Room)
    /// The state is read-only, so nothing can be recorded.
    case readOnly
    /// This node can record nothing, because another node owns the log, or no node does.
    case noOwner
    /// It depends on closed things that cannot be looked up now. Nothing was changed.
    case historyUnknown(ClosedHistoryFailure)
    /// Closed things have no index, and a read-only daemon builds none.
    case neverIndexed(ClosedHistoryFailure)
    /// It cannot be decided without the store, which does not answer.
    case store(StoreFailure)
    /// The waiting call was cancelled, or its connection is gone.
    case cancelled
    /// It needs an account in session.
    case notLoggedIn
    /// The user has tried wrong logins too often. It may try again after a time.
    case tooManyAttempts(wait: Duration)
    /// No account logged in when a login was requested.
    case loginDiscarded
    /// No login agent is connected.
    case noLoginAgent
    /// The answer to the question after the login rejected the payment.
    case rejectedAfterLogin
    /// The cursor names no page, or one that has expired.
    case pageExpired
}

/// The result of `add`.
public struct AddReply: Sendable, Hashable {
    /// The transaction.
    public var transaction: Transaction
    /// The condition that it waits for.
    public var waitingFor: WaitingFor?
    /// The record that accepted it, or the position as of which the answer is true.
    public var sequence: SequenceNumber
    /// Whether the key already named the transaction.
    public var isDuplicate: Bool
    /// The end of the transaction, if it left the queue.
    public var removed: Finish?
}

/// The result of `restore`.
public struct RestoreReply: Sendable, Hashable {
    /// The restore, new, joined, or known by its key.
    public var restore: RestoreID
    /// Its state.
    public var state: RestoreState
    /// The condition that it waits for, while it has not ended.
    public var waitingFor: WaitingFor?
    /// The record that accepted the call, or the position as of which the answer is true.
    public var sequence: SequenceNumber
    /// Whether the call joined or repeated an existing restore.
    public var isDuplicate: Bool
}

/// The state of a restore.
public struct RestoreReport: Sendable, Hashable {
    /// The restore.
    public var restore: Restore
    /// The outcome; nil while it has not ended.
    public var outcome: RestoreOutcome?
    /// The condition that it waits for; nil when it has ended.
    public var waitingFor: WaitingFor?
}

extension EngineRefusal {
    /// The refusal of a call for which closed things cannot be looked up.
    static func unknownHistory(
        _ failure: ClosedHistoryFailure, of writer: QueueWriter
    ) -> EngineRefusal {
        writer.isReadOnly && !writer.journal.isFollowing && failure.isMissingIndex
            ? .neverIndexed(failure) : .historyUnknown(failure)
    }
}
