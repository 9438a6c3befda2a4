/// Keeps the events of one queue, in order and for good.
///
/// One owner calls it from one thread; nothing here is asynchronous, because the writer must not
/// wait between reading state and handing events over. A failure of ``commit()`` is final: the
/// process must stop without having told anybody about the records of that batch.
public protocol EventJournal: AnyObject {
    /// The sequence number of the last record appended; 0 in a new journal.
    var head: SequenceNumber { get }

    /// The oldest sequence number whose record can still be read.
    var oldest: SequenceNumber { get }

    /// Changes only when the log was lost or deliberately reset. At most 64 ASCII bytes.
    var epoch: String { get }

    /// Whether room is running out, so that nothing new should be accepted; what was accepted can
    /// still be ended.
    var isShortOfSpace: Bool { get }

    /// Adds a record to the running batch. Not durable until ``commit()`` returns.
    ///
    /// - Returns: The sequence number that the record got, greater than every earlier one.
    func append(_ event: Event, time: Timestamp, origin: Origin?) -> SequenceNumber

    /// Writes the running batch and returns when it is on stable storage. Does nothing if the batch
    /// is empty.
    ///
    /// - Throws: The journal is unusable from then on.
    func commit() throws(JournalFailure)

    /// Reads records that follow a position, in order, durable ones only.
    ///
    /// - Parameters:
    ///   - position: Records with greater sequence numbers are read.
    ///   - count: At most so many; at least 1.
    /// - Returns: The records, none of them skipped; empty at the end of the journal or when
    ///   `position + 1` was trimmed, which ``oldest`` tells apart.
    /// - Throws: The records cannot be read; nothing else is affected.
    func records(after position: SequenceNumber, count: Int) throws(JournalFailure) -> [Record]

    /// Appends and writes a mark of its own after the last batch, so that damage to that batch can
    /// be told from a torn write. Called when the queue goes idle; costs nobody any latency.
    func markIdle() throws(JournalFailure)

    /// Syncs although nothing is new, and returns when the disk has answered. What was appended and not
    /// committed stays as it is.
    ///
    /// - Throws: The journal is unusable from then on.
    func sync() throws(JournalFailure)
}

/// The journal can take nothing more. Says what was tried, on what, and the cause.
public struct JournalFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence such as "cannot sync journal 'journal-….ndjson': input/output error".
    public let description: String
    /// The error number of the system call behind it, 0 if there was none.
    public let errno: Int32
    /// Whether the cause is a lack of space, which passes when somebody makes room.
    public let isOutOfSpace: Bool

    /// Makes a failure.
    public init(_ description: String, errno: Int32 = 0, isOutOfSpace: Bool = false) {
        self.description = description
        self.errno = errno
        self.isOutOfSpace = isOutOfSpace
    }
}
