public import PaymentCore
public import StrictJSON

/// A record type of a separate journal.
public protocol JournalRecord: Sendable {
    /// The type of the record: a word without characters that need escapes, other than `segment`,
    /// `mark` and `seal`.
    var typeWord: StaticString { get }

    /// Appends one JSON object with sorted names.
    func encodePayload(into writer: inout JSONWriter)

    /// Decodes a record; nil if the word is not a type of these records.
    init?(typeWord: String, payload: JSONValue) throws
}

/// A journal of records of one type, as durable as that of the queue.
///
/// It has a separate directory, and so its own sequence numbers, snapshots and lock.
public final class RecordJournal<Entry: JournalRecord> {
    /// The underlying log, for space, snapshots and closing.
    public let log: SegmentedLog

    private init(_ log: SegmentedLog) {
        self.log = log
    }

    /// Opens the journal of a directory and passes its content to `load` and `replay`.
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - settings: Sizes, clocks, and the name of this program.
    ///   - load: Receives a line of the snapshot as type word and payload; an error refuses the
    ///     start.
    ///   - replay: Takes a record after the snapshot with its sequence number and time; what it
    ///     throws refuses the start.
    ///   - progress: Called with the progress, about once per MiB.
    /// - Returns: The journal, ready to be appended to, and what was found.
    /// - Throws: `.refused` if the files cannot be trusted, with nothing written; `.failed` if the
    ///   disk failed on the way.
    public static func open(
        in directory: StateDirectory, settings: LogSettings,
        load: @escaping (_ typeWord: String, _ payload: JSONValue) throws -> Void,
        replay: @escaping (Entry, SequenceNumber, Timestamp) throws -> Void,
        progress: @escaping (RecoveryProgress) -> Void = { _ in }
    ) throws(StorageError) -> (journal: RecordJournal<Entry>, report: RecoveryReport) {
        let visitor = RecordVisitor(load: load, replay: replay, hear: progress)
        let (opened, report) = try Recovery.run(directory, settings: settings, visitor: visitor)
        let log = SegmentedLog(opened, directory: directory, settings: settings)
        return (RecordJournal(log), report)
    }

    /// A receiver that decodes what a judge reads into records.
    ///
    /// - Parameters:
    ///   - load: As for ``open(in:settings:load:replay:progress:)``.
    ///   - replay: As for ``open(in:settings:load:replay:progress:)``.
    /// - Returns: The receiver.
    public static func visitor(
        load: @escaping (_ typeWord: String, _ payload: JSONValue) throws -> Void,
        replay: @escaping (Entry, SequenceNumber, Timestamp) throws -> Void
    ) -> any RecoveryVisitor {
        RecordVisitor<Entry>(load: load, replay: replay, hear: { _ in })
    }

    /// Adds a record to the current batch. It is durable when ``commit()`` returns.
    public func append(_ record: Entry, time: Timestamp) -> SequenceNumber {
        log.append(record.typeWord, time: time, origin: nil) { record.encodePayload(into: &$0) }
    }

    /// Writes the current batch and returns when it is on stable storage.
    ///
    /// - Throws: The journal is unusable from then on.
    public func commit() throws(JournalFailure) {
        try log.commit()
    }

    /// Appends and writes a mark after the last batch, unless nothing follows the last mark.
    public func markIdle() throws(JournalFailure) {
        try log.markIdle()
    }

    /// Closes the journal so that the next start needs no recovery.
    public func close() throws(JournalFailure) {
        try log.close()
    }
}

/// Decodes the lines that recovery reads into records.
private final class RecordVisitor<Entry: JournalRecord>: RecoveryVisitor {
    private let load: (String, JSONValue) throws -> Void
    private let replay: (Entry, SequenceNumber, Timestamp) throws -> Void
    private let hear: (RecoveryProgress) -> Void

    init(
        load: @escaping (String, JSONValue) throws -> Void,
        replay: @escaping (Entry, SequenceNumber, Timestamp) throws -> Void,
        hear: @escaping (RecoveryProgress) -> Void
    ) {
        self.load = load
        self.replay = replay
        self.hear = hear
    }

    func snapshotLine(_ content: LineContent) throws -> Bool {
        try load(content.word, content.payload)
        return true
    }

    func snapshotIsComplete(lastEvent: SequenceNumber) {}

    func event(_ line: JournalLine) throws -> Bool {
        let content = line.content
        guard let record = try Entry(typeWord: content.word, payload: content.payload) else {
            return false
        }
        try replay(record, line.sequence, line.time())
        return true
    }

    func progress(_ progress: RecoveryProgress) {
        hear(progress)
    }
}
