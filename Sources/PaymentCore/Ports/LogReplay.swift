/// Receives what a log holds while it is opened: the items of the newest checkpoint, then every
/// committed record behind it, in the order of the log. An error that it throws refuses the start.
public protocol LogReplay: AnyObject {
    /// Takes an item of the checkpoint.
    func load(_ item: SnapshotItem) throws

    /// Learns that the items are complete. Not called without a checkpoint.
    ///
    /// - Parameter position: The last record whose effect the items hold.
    func didLoad(upTo position: SequenceNumber) throws

    /// Takes a record.
    func replay(_ record: Record) throws
}

/// Builds a queue from a log.
public final class QueueReplay: LogReplay {
    private var queue: PaymentQueue

    /// Begins with an empty queue.
    public init(limits: Limits) {
        queue = PaymentQueue(limits: limits)
    }

    public func load(_ item: SnapshotItem) throws {
        try queue.load(item)
    }

    public func didLoad(upTo position: SequenceNumber) {
        queue.didLoad(upTo: position)
    }

    public func replay(_ record: Record) throws {
        try queue.apply(record)
    }

    /// Gives the queue away and keeps an empty one: a second reference would make every change of the
    /// queue copy what it touches.
    ///
    /// - Parameter head: The head of the log, which is greater than that of the last record where
    ///   lines without an event follow it.
    public func takeQueue(head: SequenceNumber) -> PaymentQueue {
        var taken = PaymentQueue(limits: queue.limits)
        swap(&taken, &queue)
        taken.didLoad(upTo: head)
        return taken
    }
}
