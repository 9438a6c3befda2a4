/// A receiver of a log's content while the log is opened. It gets the items of the newest
/// checkpoint, then every later committed record, in log order. An error that it throws refuses the
/// start.
public protocol LogReplay: AnyObject {
    /// Receives an item of the checkpoint.
    func load(_ item: SnapshotItem) throws

    /// Marks the end of the items. Not called without a checkpoint.
    ///
    /// - Parameter position: The last record that the items include.
    /// - Throws: The items are incomplete or contradictory.
    func didLoad(upTo position: SequenceNumber) throws

    /// Receives a record.
    func replay(_ record: Record) throws

    /// Receives an item of the embedded store, after the items of the queue.
    func load(store item: StoreRecord) throws

    /// Receives a record of the embedded store, in log order among the events.
    func replay(store record: StoreRecord) throws

    /// Receives waiting transactions of the checkpoint.
    ///
    /// - Returns: False if one of them may have to be refused. The receiver must then be discarded,
    ///   and another one receives the log again, item by item.
    func load(_ batch: PlainBatch) -> Bool

    /// Receives records that accepted transactions. The newest event of each transaction is its
    /// record.
    ///
    /// - Returns: False as for ``load(_:)``.
    func replay(added batch: PlainBatch) -> Bool

    /// Completes the transactions that were received in batches. Called before the next call of
    /// another kind, and at the end.
    ///
    /// - Returns: False as for ``load(_:)``.
    func finishBatches() -> Bool
}

extension LogReplay {
    /// Refuses the item: dropping it would lose orders.
    public func load(store item: StoreRecord) throws {
        throw UnexpectedStoreRecord(word: item.word)
    }

    /// Refuses the record: dropping it would lose orders.
    public func replay(store record: StoreRecord) throws {
        throw UnexpectedStoreRecord(word: record.word)
    }

    /// The default accepts single items only.
    public func load(_ batch: PlainBatch) -> Bool { false }

    /// The default accepts single records only.
    public func replay(added batch: PlainBatch) -> Bool { false }

    /// The default has received no batches.
    public func finishBatches() -> Bool { true }
}

/// Builds a queue from a log.
public final class QueueReplay: LogReplay {
    private var queue: PaymentQueue
    private let store: (any StoreReplay)?

    /// Starts with an empty queue.
    ///
    /// - Parameters:
    ///   - limits: The limits of the queue.
    ///   - store: Receives the items and records of an embedded store. Without it, a log with such
    ///     content is refused.
    public init(limits: Limits, store: (any StoreReplay)? = nil) {
        queue = PaymentQueue(limits: limits)
        self.store = store
    }

    /// Loads an item of the checkpoint into the queue.
    public func load(_ item: SnapshotItem) throws {
        try queue.load(item)
    }

    /// Sets the last record that the loaded items include.
    public func didLoad(upTo position: SequenceNumber) {
        queue.didLoad(upTo: position)
    }

    /// Applies a record to the queue.
    public func replay(_ record: Record) throws {
        try queue.apply(record)
    }

    /// Passes an item on to the store's receiver.
    public func load(store item: StoreRecord) throws {
        guard let store else { throw UnexpectedStoreRecord(word: item.word) }
        try store.load(item)
    }

    /// Passes a record on to the store's receiver.
    public func replay(store record: StoreRecord) throws {
        guard let store else { throw UnexpectedStoreRecord(word: record.word) }
        try store.replay(record)
    }

    /// Loads waiting transactions of the checkpoint into the queue.
    public func load(_ batch: PlainBatch) -> Bool {
        queue.load(batch)
    }

    /// Applies records that accepted transactions to the queue.
    public func replay(added batch: PlainBatch) -> Bool {
        queue.apply(added: batch)
    }

    /// Puts the transactions of all batches into the indexes of the queue.
    public func finishBatches() -> Bool {
        queue.finishBatches()
    }

    /// Returns the queue and keeps an empty one. A second reference would make every change of the
    /// queue copy the changed storage.
    ///
    /// - Parameter head: The head of the log. It is greater than the last record if lines without
    ///   an event follow that record.
    /// - Returns: The queue.
    public func takeQueue(head: SequenceNumber) -> PaymentQueue {
        var taken = PaymentQueue(limits: queue.limits)
        swap(&taken, &queue)
        taken.didLoad(upTo: head)
        return taken
    }
}
