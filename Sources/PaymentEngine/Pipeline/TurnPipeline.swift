import PaymentCore

/// Turns on their way to the log: one batch collects, at most one is under way.
///
/// A batch is the records of one turn, with everything that may leave only when they are committed:
/// replies, orders, and a change of session. ``Turn`` calls the log and the barriers.
struct TurnPipeline {
    /// The records that one commit makes durable, and the work that waits for it.
    struct Batch {
        /// The records, in the order of the log.
        var records: [Record] = []
        /// Whether the embedded store has records in it.
        var hasStoreRecords = false
        /// The changes at the embedded store that the queue hears of after the commit, each once.
        var storeChanges: [StoreChange] = []
        /// Calls from outside that wait for the commit.
        var afterCommit: [() -> Void] = []
        /// Those that hold bytes about this batch or earlier ones.
        var barriers: [any Barrier] = []
        /// The requests to the store, if the queue still needs them then.
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

    /// The batch that collects.
    var running = Batch()
    /// The batch that was handed to the log and is not committed yet.
    private(set) var inFlight: Batch?
    /// How many turns have begun to end, and how many of them are committed.
    private(set) var begun: UInt64 = 0
    private(set) var committed: UInt64 = 0
    /// Whether a turn is going to end.
    private(set) var isScheduled = false
    /// Whether the next turn is to prove that the disk answers.
    var isForWatchdog = false
    /// Whether the log was synced since the last turn for the watchdog.
    var hasSynced = false
    /// Whether a turn was to end while a batch was under way.
    private var isOwed = false
    /// The buffers of the last batch, which the next but one uses again.
    private var spare = Batch()

    /// The number of the turn that is running.
    var current: UInt64 { begun + 1 }

    /// Whether nothing is recorded that is not committed, and no call waits for a commit.
    var isSettled: Bool { inFlight == nil && running.isEmpty && running.afterCommit.isEmpty }

    /// Whether the session changes in what is not committed yet: nothing starts until observers know.
    var changesSession: Bool {
        running.changesSession || inFlight?.changesSession ?? false
    }

    /// Whether subscribers may be shown the state of the queue. Within a turn that ends soon they wait for
    /// its end. For a log that answers later they do not wait: a redelivery leaves out what has changed
    /// since the subscriber's place. Only a change of session makes them wait.
    var mayShowState: Bool {
        inFlight == nil ? running.records.isEmpty : !changesSession
    }

    /// Notes that a turn should end.
    ///
    /// - Returns: Whether the caller must see to it.
    mutating func schedule() -> Bool {
        guard !isScheduled else { return false }
        isScheduled = true
        return true
    }

    /// Begins to end the running turn, unless a batch is under way; then it ends behind that.
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

    /// Notes that the turn has reviewed its questions and started its orders. What comes up from now on needs
    /// another turn; what has come up since its beginning does not.
    mutating func startsAreDone() { isScheduled = false }

    /// Hands the running batch over; another one collects.
    mutating func seal(at time: Duration) {
        running.submitted = time
        swap(&running, &spare)
        inFlight = spare
        spare = Batch()
    }

    /// Ends what was under way, because it is committed.
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

    /// Takes the buffers of a batch that is done.
    ///
    /// - Returns: Whether a turn was to end meanwhile; the caller must end it.
    mutating func reuse(_ batch: consuming Batch) -> Bool {
        spare = batch
        spare.removeAll()
        defer { isOwed = false }
        return isOwed
    }
}

/// Holds replies back until the turn that they belong to is committed; a connection does.
public protocol Barrier: AnyObject {
    /// The turn was handed to a log that answers later. Replies from now on belong to the next turn and
    /// must be kept apart. Called at most once between two calls of ``turnIsCommitted()``.
    func turnIsSealed()

    /// The turn is committed; its replies may leave. If ``turnIsSealed()`` was called, these are the
    /// replies held then, otherwise all.
    func turnIsCommitted()
}

extension Barrier {
    /// Nothing to keep apart.
    public func turnIsSealed() {}
}
