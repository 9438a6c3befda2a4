/// Keeps the records of one queue, in order and for good.
///
/// One owner calls it on one thread, the engine's loop, and no call waits for anything but, with a log
/// of local files, the disk. A log elsewhere answers later: what it was given is proposed until then, and
/// nothing of it may leave the process. After a commit that was fenced or failed the log takes
/// nothing more, and nothing of that batch or of what was proposed behind it may ever be seen.
public protocol RecordLog: AnyObject {
    /// The sequence number of the last record appended; 0 in a new log.
    var head: SequenceNumber { get }

    /// The oldest sequence number whose record can still be read.
    var oldest: SequenceNumber { get }

    /// Changes only when the log was lost or deliberately reset. At most 64 ASCII bytes.
    var epoch: String { get }

    /// Whether room is running out, so that nothing new should be accepted; what was accepted can
    /// still be ended.
    var isShortOfSpace: Bool { get }

    /// Adds a record to the running batch. It is proposed, not committed, until ``submit(_:)`` says so.
    ///
    /// - Returns: The sequence number that the record got, greater than every earlier one.
    func append(_ event: Event, time: Timestamp, origin: Origin?) -> SequenceNumber

    /// Hands the running batch over to be committed; records that are appended from now on belong to the
    /// next one. An empty batch is committed at once. At most one batch may be under way.
    ///
    /// - Parameter done: Called once on the engine's loop, never inside this call, when the result is
    ///   nil; not called otherwise.
    /// - Returns: The result, if it is known when the call returns, as that of local files is.
    func submit(_ done: @escaping (CommitResult) -> Void) -> CommitResult?

    /// Has the storage prove that it answers, although nothing is new. What was appended and not
    /// submitted stays as it is.
    ///
    /// - Parameter done: As for ``submit(_:)``.
    /// - Returns: As for ``submit(_:)``.
    func probe(_ done: @escaping (CommitResult) -> Void) -> CommitResult?

    /// Reads records that follow a position, in order, committed ones only.
    ///
    /// - Parameters:
    ///   - position: Records with greater sequence numbers are read.
    ///   - count: At most so many; at least 1.
    /// - Returns: The records, none of them skipped; empty at the end of the log or when
    ///   `position + 1` was trimmed, which ``oldest`` tells apart.
    /// - Throws: The records cannot be read; nothing else is affected.
    func records(after position: SequenceNumber, count: Int) throws(JournalFailure) -> [Record]

    /// Appends and writes a mark of its own after the last batch, so that damage to that batch can
    /// be told from a torn write. Called when the queue goes idle; no request waits for it.
    func markIdle() throws(JournalFailure)
}

/// The outcome of a batch.
public enum CommitResult: Sendable, Hashable {
    /// It is on stable storage, with every batch before it.
    case committed
    /// Another owner has taken the log over. Nothing of the batch is in the log.
    case fenced
    /// The storage failed. A prefix of the batch may be in the log.
    case failed(JournalFailure)
}

/// A log as readers of the queue see it, at one moment.
public struct LogState: Sendable, Hashable {
    /// Changes only when the log was lost or deliberately reset.
    public var epoch: String
    /// The oldest sequence number whose record can still be read.
    public var oldest: SequenceNumber
    /// The last record, which may be proposed only.
    public var head: SequenceNumber
    /// The last record that is committed.
    public var committed: SequenceNumber
    /// Whether room is running out, so that nothing new is accepted.
    public var isShortOfSpace: Bool

    /// Collects the state of a log.
    public init(
        epoch: String, oldest: SequenceNumber, head: SequenceNumber, committed: SequenceNumber,
        isShortOfSpace: Bool
    ) {
        self.epoch = epoch
        self.oldest = oldest
        self.head = head
        self.committed = committed
        self.isShortOfSpace = isShortOfSpace
    }
}

/// The journal can take nothing more. Says what was tried, on what, and the cause.
public struct JournalFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence such as "cannot sync journal 'journal-….ndjson': input/output error".
    public let description: String
    /// The error number of the system call behind it, 0 if there was none.
    public let errno: Int32
    /// Whether the cause is a lack of space, which passes when room is made.
    public let isOutOfSpace: Bool

    /// Makes a failure.
    public init(_ description: String, errno: Int32 = 0, isOutOfSpace: Bool = false) {
        self.description = description
        self.errno = errno
        self.isOutOfSpace = isOutOfSpace
    }
}
