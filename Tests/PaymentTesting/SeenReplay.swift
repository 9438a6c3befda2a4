public import PaymentCore

/// Keeps what a log gives back when it is opened.
public final class SeenReplay: LogReplay {
    /// The items of the checkpoint.
    public private(set) var items: [SnapshotItem] = []
    /// The last record whose effect they hold; nil without a checkpoint.
    public private(set) var loadedUpTo: SequenceNumber?
    /// The records behind it.
    public private(set) var records: [Record] = []
    private let refuse: (Record) throws -> Void
    private let store: (any StoreReplay)?

    /// Begins with nothing.
    ///
    /// - Parameters:
    ///   - store: Receives the records of the embedded store; without one they are refused.
    ///   - refuse: Throws for a record that cannot be taken.
    public init(
        store: (any StoreReplay)? = nil, refuse: @escaping (Record) throws -> Void = { _ in }
    ) {
        self.store = store
        self.refuse = refuse
    }

    /// Passes an item of the store on.
    public func load(store item: StoreRecord) throws {
        guard let store else { throw UnexpectedStoreRecord(word: item.word) }
        try store.load(item)
    }

    /// Passes a record of the store on.
    public func replay(store record: StoreRecord) throws {
        guard let store else { throw UnexpectedStoreRecord(word: record.word) }
        try store.replay(record)
    }

    /// Keeps an item.
    public func load(_ item: SnapshotItem) {
        items.append(item)
    }

    /// Keeps the position of the items.
    public func didLoad(upTo position: SequenceNumber) {
        loadedUpTo = position
    }

    /// Keeps a record, unless it is refused.
    public func replay(_ record: Record) throws {
        try refuse(record)
        records.append(record)
    }

    /// The queue that a process has which opens the log now.
    public func queue(limits: Limits = Limits()) throws -> PaymentQueue {
        let replay = QueueReplay(limits: limits)
        for item in items { try replay.load(item) }
        if let loadedUpTo { replay.didLoad(upTo: loadedUpTo) }
        for record in records { try replay.replay(record) }
        return replay.takeQueue(head: records.last?.sequence ?? loadedUpTo ?? 0)
    }
}
