import PaymentCore

/// The turns on their way to the log: one batch collects records, and at most one is in flight.
///
/// A batch has the records of one turn, and everything that is released after their commit: replies,
/// orders, and a change of session. ``Turn`` calls the log and the barriers.
struct TurnPipeline {
    /// The records that one commit makes durable, and the work that waits for it.
    struct Batch {
        /// The records, in the order of the log.
        var records: [Record] = []
        /// Whether the embedded store has records in it.
        var hasStoreRecords = false
        /// The changes at the embedded store that the queue receives after the commit, each once.
        var storeChanges: [StoreChange] = []
        /// Calls from outside that wait for the commit.
        var afterCommit: [() -> Void] = []
        /// The barriers that hold replies about this batch or earlier ones.
        var barriers: [any Barrier] = []
        /// The requests to send to the store after the commit, if the queue still needs them then.
        var effects: [Effect] = []
        /// Whether the session changes in it.
        var changesSession = false
        /// The last login in it.
        var login: (origin: Origin?, sequence: SequenceNumber)?
        /// The trace context of the last request in it that carried one.
        var trace: OpaqueText?
        /// When its turn began to end.
        var began = Duration.zero
        /// When it was handed to the log.
        var submitted = Duration.zero

        /// Whether there is nothing to commit.
        var isEmpty: Bool { records.isEmpty && !hasStoreRecords }

        /// Notes changes at the embedded store.
        mutating func note(_ changes: [StoreChange]) {
            for change in changes where !storeChanges.contains(change) {
                storeChanges.append(change)
            }
        }

        fileprivate mutating func removeAll() {
            hasStoreRecords = false
            storeChanges.removeAll()
            afterCommit.removeAll(keepingCapacity: true)
            records.removeAll(keepingCapacity: true)
            barriers.removeAll(keepingCapacity: true)
            effects.removeAll(keepingCapacity: true)
            changesSession = false
            login = nil
            trace = nil
        }
    }

    /// The batch that collects records.
    var running = Batch()
    /// The batch that was handed to the log and is not committed yet.
    private(set) var inFlight: Batch?
    /// How many turns have begun to end, and how many of them are committed.
    private(set) var begun: UInt64 = 0
    private(set) var committed: UInt64 = 0
    /// Whether the end of a turn is scheduled.
    private(set) var isScheduled = false
    /// Whether the next turn must prove that the disk answers.
    var isForWatchdog = false
    /// Whether the log was synced since the last turn for the watchdog.
    var hasSynced = false
    /// Whether a turn should have ended while a batch was in flight.
    private var isOwed = false
    /// The buffers of the last batch, for reuse.
    private var spare = Batch()

    /// The number of the turn that is running.
    var current: UInt64 { begun + 1 }

    /// Whether every record is committed, and no call waits for a commit.
    var isSettled: Bool { inFlight == nil && running.isEmpty && running.afterCommit.isEmpty }

    /// Whether a batch that is not committed changes the session. Nothing starts until observers have
    /// received the change.
    var changesSession: Bool {
        running.changesSession || inFlight?.changesSession ?? false
    }

    /// Whether subscribers may receive the state of the queue now. A turn with records ends soon, and
    /// they wait for its end. While a batch is in flight they do not wait, because a redelivery omits
    /// transactions that changed after the subscriber's position. Only a change of session makes them
    /// wait then.
    var mayShowState: Bool {
        inFlight == nil ? running.records.isEmpty : !changesSession
    }

    /// Notes that a turn should end.
    ///
    /// - Returns: Whether the caller must schedule the end.
    mutating func schedule() -> Bool {
        guard !isScheduled else { return false }
        isScheduled = true
        return true
    }

    /// Begins the end of the running turn. While a batch is in flight, the end is postponed until that
    /// batch is committed.
    ///
    /// - Returns: Whether it ends now.
    mutating func begin(at time: Duration) -> Bool {
        guard inFlight == nil else {
            isOwed = true
            return false
        }
        begun += 1
        running.began = time
        return true
    }

    /// Notes that the turn has reviewed its questions and started its orders. Later changes schedule
    /// another turn; earlier changes need none.
    mutating func startsAreDone() { isScheduled = false }

    /// Puts the running batch in flight. An empty batch collects records from now on.
    mutating func seal(at time: Duration) {
        running.submitted = time
        swap(&running, &spare)
        inFlight = spare
        spare = Batch()
    }

    /// Takes the batch in flight, because it is committed.
    ///
    /// - Returns: The batch; to be given back with ``reuse(_:)``.
    mutating func commit() -> Batch {
        guard let batch = inFlight else {
            preconditionFailure("a batch was committed that was not under way")
        }
        inFlight = nil
        committed += 1
        return batch
    }

    /// Keeps the buffers of a batch that is done.
    ///
    /// - Returns: Whether a turn should have ended meanwhile; the caller must then end it.
    mutating func reuse(_ batch: consuming Batch) -> Bool {
        spare = batch
        spare.removeAll()
        defer { isOwed = false }
        return isOwed
    }
}

/// Holds replies back until their turn is committed. A connection is a barrier.
public protocol Barrier: AnyObject {
    /// The turn was passed to a log that answers later. Replies from now on belong to the next turn and
    /// must be kept apart. Called at most once between two calls of ``turnIsCommitted()``.
    func turnIsSealed()

    /// The turn is committed, and its replies may leave: those held when ``turnIsSealed()`` was called,
    /// or all replies if it was not called.
    func turnIsCommitted()
}

extension Barrier {
    /// The default keeps nothing apart.
    public func turnIsSealed() {}
}
