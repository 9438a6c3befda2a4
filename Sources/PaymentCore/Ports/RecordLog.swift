/// A durable log of the records of one queue, in order.
///
/// One owner calls it on one thread, the engine's loop. With local files a call waits for the disk; no
/// call waits for anything else. A remote log answers later: until then its records are proposed, and
/// nothing of them may leave the process.
///
/// After a commit that was fenced or failed, the log accepts nothing more. Nothing of that batch or of
/// later proposed records may ever become visible.
public protocol RecordLog: AnyObject {
    /// The sequence number of the last event appended; 0 in a new log.
    var head: SequenceNumber { get }

    /// The oldest sequence number whose record can still be read.
    var oldest: SequenceNumber { get }

    /// The epoch, at most 64 ASCII bytes. It changes only when the log was lost or deliberately
    /// reset.
    var epoch: String { get }

    /// The term of the log's owner, greater than the term of every earlier owner. A store of orders
    /// refuses an order of an older term. The term is 0 where a lock excludes a second owner, as
    /// with local files.
    var term: UInt64 { get }

    /// Whether another node owns the log, and this node copies what the owner commits. False by default.
    var isFollowing: Bool { get }

    /// Whether this process is certainly the owner. Only then may orders leave it. A process that was
    /// suspended for longer than its lease detects the loss here, before it has appended anything. True
    /// by default, because a lock excludes other owners.
    var holdsTerm: Bool { get }

    /// The room on the disk, from the last measurement.
    var room: Room { get }

    /// Whether there is room for new work beside accepted work. Accepted work needs no check, because its
    /// room was claimed when it was accepted.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that the new work may write in its whole life.
    ///   - claims: The bytes that accepted work may still write. The log keeps them free.
    /// - Returns: False if the work must be refused now; ``room`` says why.
    func hasRoom(for bytes: Int, beside claims: SpaceClaims) -> Bool

    /// Whether nothing can be appended, because the log is only read or followed. False by default.
    var isReadOnly: Bool { get }

    /// Whether the log must commit something of its own, so that an empty batch is submitted, too. False
    /// by default.
    var wantsCommit: Bool { get }

    /// Adds a record to the current batch. The record is proposed, not committed, until
    /// ``submit(_:)`` reports the commit.
    ///
    /// - Returns: The sequence number of the record, greater than every earlier one.
    func append(_ event: Event, time: Timestamp, origin: Origin?) -> SequenceNumber

    /// Adds a record of the embedded store to the current batch. It is committed with the events of the
    /// batch. It takes a sequence number, and readers of events skip it.
    func append(_ record: StoreRecord, time: Timestamp)

    /// Submits the current batch for commit; later records belong to the next batch. An empty batch
    /// is committed at once. At most one batch may be in flight.
    ///
    /// - Parameter done: Called once on the engine's loop, never inside this call, if the
    ///   returned result is nil. Not called otherwise.
    /// - Returns: The result if it is known on return, as with local files.
    func submit(_ done: @escaping (CommitResult) -> Void) -> CommitResult?

    /// Checks that the storage answers, without new records. Appended but unsubmitted records stay
    /// unchanged.
    ///
    /// - Parameter done: As for ``submit(_:)``.
    /// - Returns: As for ``submit(_:)``.
    func probe(_ done: @escaping (CommitResult) -> Void) -> CommitResult?

    /// Reads a page of committed records after a position, in order.
    ///
    /// - Parameters:
    ///   - position: Records with greater sequence numbers are read.
    ///   - count: The maximum number of records, at least 1.
    /// - Returns: The records without gaps, and the position of the next page. That position may also be
    ///   inside a long run of lines that are not records of the queue. At the end of the log, or when
    ///   `position + 1` was trimmed, the page is empty and the position unchanged; ``oldest``
    ///   distinguishes the two.
    /// - Throws: The records directly after the position cannot be read. If later records can be read,
    ///   ``JournalFailure/unreadable`` names the unreadable ones. The log stays usable.
    func page(after position: SequenceNumber, count: Int) throws(JournalFailure) -> RecordPage

    /// Appends and writes a mark after the last batch, which distinguishes damage to that batch
    /// from a torn write. The engine calls it when the queue becomes idle; no request waits for it.
    func markIdle() throws(JournalFailure)
}

extension RecordLog {
    /// The default accepts records.
    public var isReadOnly: Bool { false }

    /// The default follows no other node.
    public var isFollowing: Bool { false }

    /// The default commits records only.
    public var wantsCommit: Bool { false }

    /// The default is always the owner.
    public var holdsTerm: Bool { true }
}

/// The outcome of a batch.
public enum CommitResult: Sendable, Hashable {
    /// The batch and every earlier batch are on stable storage.
    case committed
    /// Another owner, with this term, has taken over the log. No record of the batch is in the log.
    case fenced(by: UInt64)
    /// The storage failed. A prefix of the batch may be in the log.
    case failed(JournalFailure)
}

/// The state of a log at one time, for readers of the queue.
public struct LogState: Sendable, Hashable {
    /// The epoch; it changes only when the log was lost or deliberately reset.
    public var epoch: String
    /// The oldest sequence number whose record can still be read.
    public var oldest: SequenceNumber
    /// The last record, which may be only proposed.
    public var head: SequenceNumber
    /// The last committed record.
    public var committed: SequenceNumber
    /// The room on the disk.
    public var room: Room

    /// Creates the state of a log.
    public init(
        epoch: String, oldest: SequenceNumber, head: SequenceNumber, committed: SequenceNumber,
        room: Room
    ) {
        self.epoch = epoch
        self.oldest = oldest
        self.head = head
        self.committed = committed
        self.room = room
    }
}

/// The journal cannot accept more. The description names the operation, the file and the cause.
public struct JournalFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence such as "cannot sync journal 'journal-….ndjson': input/output error".
    public let description: String
    /// The error number of the failed system call; 0 if there was none.
    public let errno: Int32
    /// Whether the cause is a lack of space, which ends when space becomes free.
    public let isOutOfSpace: Bool
    /// The records that cannot be read, because their part of the file is damaged. A reader can continue
    /// after them. Nil for other failures.
    public let unreadable: ClosedRange<SequenceNumber>?

    /// Creates a failure.
    public init(
        _ description: String, errno: Int32 = 0, isOutOfSpace: Bool = false,
        unreadable: ClosedRange<SequenceNumber>? = nil
    ) {
        self.unreadable = unreadable
        self.description = description
        self.errno = errno
        self.isOutOfSpace = isOutOfSpace
    }
}

/// A page of committed records.
public struct RecordPage: Sendable, Equatable {
    /// The records, oldest first.
    public var records: [Record]
    /// The position up to which the log was read; the next page begins after it.
    public var position: SequenceNumber

    /// Creates a page.
    public init(records: [Record], position: SequenceNumber) {
        self.records = records
        self.position = position
    }
}
