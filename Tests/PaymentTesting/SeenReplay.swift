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

    /// Begins with nothing.
    ///
    /// - Parameter refuse: Throws for a record that cannot be taken.
    public init(refuse: @escaping (Record) throws -> Void = { _ in }) {
        self.refuse = refuse
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
