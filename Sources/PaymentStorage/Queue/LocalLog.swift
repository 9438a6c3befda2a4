public import PaymentCore

/// The journal of the payment queue.
public final class LocalLog: RecordLog {
    /// The log that it writes to: space, snapshots, closing.
    public let log: SegmentedLog
    private var decoder: EventDecoder

    private init(_ log: SegmentedLog, _ decoder: EventDecoder) {
        self.log = log
        self.decoder = decoder
    }

    /// Reads the journal of a directory and gives back everything that it holds: first the items
    /// of the newest good snapshot if there is one, then every event after it, in order. Changes
    /// nothing in the directory.
    ///
    /// - Parameters:
    ///   - directory: The state directory.
    ///   - settings: Sizes, clocks, and the name of this program.
    ///   - load: Takes an item of the snapshot; what it throws refuses the start.
    ///   - didLoad: Called after all items with the last event whose effect they hold. Not
    ///     called without a snapshot.
    ///   - replay: Takes an event; what it throws refuses the start.
    ///   - progress: Called with the progress, about once per MiB.
    /// - Returns: What to open the journal from.
    /// - Throws: `.refused` if the files cannot be trusted; `.failed` if the disk failed.
    public static func read(
        in directory: StateDirectory, settings: LogSettings,
        load: @escaping (SnapshotItem) throws -> Void,
        didLoad: @escaping (SequenceNumber) throws -> Void = { _ in },
        replay: @escaping (Record) throws -> Void,
        progress: @escaping (RecoveryProgress) -> Void = { _ in }
    ) throws(StorageError) -> Reading {
        let visitor = QueueVisitor(
            load: load, didLoad: didLoad, replay: replay, hear: progress)
        let reading = try Recovery.read(directory, settings: settings, visitor: visitor)
        return Reading(
            reading: reading, decoder: visitor.decoder, directory: directory, settings: settings)
    }

    /// A journal that was read and may be trusted, in a directory that is as it was.
    public struct Reading {
        fileprivate let reading: Recovery.Reading
        fileprivate let decoder: EventDecoder
        fileprivate let directory: StateDirectory
        fileprivate let settings: LogSettings

        /// Makes the end of the journal certain, so that it can be appended to. Called once.
        ///
        /// - Returns: The journal, and what was found.
        /// - Throws: `.failed` if the disk failed on the way.
        public func open() throws(StorageError) -> (journal: LocalLog, report: RecoveryReport) {
            let (opened, report) = try reading.open()
            let log = SegmentedLog(opened, directory: directory, settings: settings)
            return (LocalLog(log, decoder), report)
        }
    }

    /// Reads the journal of a directory and opens it; see ``read(in:settings:load:didLoad:replay:progress:)``.
    ///
    /// - Returns: The journal, ready to be appended to, and what was found.
    /// - Throws: `.refused` if the files cannot be trusted, with nothing written; `.failed` if the
    ///   disk failed on the way.
    public static func open(
        in directory: StateDirectory, settings: LogSettings,
        load: @escaping (SnapshotItem) throws -> Void,
        didLoad: @escaping (SequenceNumber) throws -> Void = { _ in },
        replay: @escaping (Record) throws -> Void,
        progress: @escaping (RecoveryProgress) -> Void = { _ in }
    ) throws(StorageError) -> (journal: LocalLog, report: RecoveryReport) {
        try read(
            in: directory, settings: settings, load: load, didLoad: didLoad, replay: replay,
            progress: progress
        ).open()
    }

    /// The sequence number of the last event appended; 0 in a new journal.
    public var head: SequenceNumber { log.head }

    /// The oldest sequence number whose record can still be read.
    public var oldest: SequenceNumber { log.oldest }

    /// Changes only when the log was lost or deliberately reset.
    public var epoch: String { log.format.epoch }

    /// Whether room is running out; see ``SegmentedLog/checkSpace(monotonicMilliseconds:)``.
    public var isShortOfSpace: Bool { log.isShortOfSpace }

    /// Adds a record to the running batch. Proposed until ``submit(_:)`` says that it is committed.
    public func append(_ event: Event, time: Timestamp, origin: Origin?) -> SequenceNumber {
        if case .productRecorded(let product) = event {
            // A number that no decoder would take must not get into a file.
            guard (try? decoder.note(product)) != nil else {
                preconditionFailure("a recorded product has a number beyond the journal's limit")
            }
        }
        return log.append(EventCoding.word(event), time: time, origin: origin) { writer in
            EventCoding.encode(event, into: &writer)
        }
    }

    /// Writes the running batch and syncs it. The result is known when this returns.
    public func submit(_ done: @escaping (CommitResult) -> Void) -> CommitResult? {
        do throws(JournalFailure) {
            try log.commit()
            return .committed
        } catch {
            return .failed(error)
        }
    }

    /// Syncs although nothing is new, to learn whether the disk answers.
    public func probe(_ done: @escaping (CommitResult) -> Void) -> CommitResult? {
        do throws(JournalFailure) {
            try log.sync()
            return .committed
        } catch {
            return .failed(error)
        }
    }

    /// Reads records that follow a position, in order, durable ones only.
    public func records(
        after position: SequenceNumber, count: Int
    ) throws(JournalFailure) -> [Record] {
        var records: [Record] = []
        try log.read(after: position, count: count) { line throws(PayloadFault) in
            if let record = try decoder.record(line) {
                records.append(record)
            } else if !line.isOptional {
                throw PayloadFault("the type '\(line.content.word)' is not known")
            }
        }
        return records
    }

    /// Appends and writes a mark after the last batch, unless nothing came since the last mark.
    public func markIdle() throws(JournalFailure) {
        try log.markIdle()
    }

    /// Ends the journal so that the next start has nothing to recover.
    public func close() throws(JournalFailure) {
        try log.close()
    }

    /// Writes a snapshot. May run on any thread, while the journal is written.
    ///
    /// - Parameters:
    ///   - ticket: From `log.beginSnapshot()`.
    ///   - items: Gives the items of the state as it was when the ticket was given.
    /// - Returns: What to give to `log.snapshotWasWritten(_:)`.
    /// - Throws: The snapshot was not made. The journal is as good as before.
    public static func writeSnapshot(
        _ ticket: SnapshotTicket, items: (_ body: (SnapshotItem) -> Void) -> Void
    ) throws(SnapshotFailure) -> SnapshotReceipt {
        var decoder = EventDecoder()
        return try ticket.write(
            check: { content in
                guard try decoder.item(content) != nil else {
                    throw PayloadFault("the type '\(content.word)' is not known")
                }
            },
            items: { sink in items { sink.add($0) } })
    }
}

/// Turns what recovery reads into the queue's own terms.
private final class QueueVisitor: RecoveryVisitor {
    var decoder = EventDecoder()
    private let load: (SnapshotItem) throws -> Void
    private let didLoad: (SequenceNumber) throws -> Void
    private let replay: (Record) throws -> Void
    private let hear: (RecoveryProgress) -> Void

    init(
        load: @escaping (SnapshotItem) throws -> Void,
        didLoad: @escaping (SequenceNumber) throws -> Void,
        replay: @escaping (Record) throws -> Void, hear: @escaping (RecoveryProgress) -> Void
    ) {
        self.load = load
        self.didLoad = didLoad
        self.replay = replay
        self.hear = hear
    }

    func snapshotLine(_ content: LineContent) throws -> Bool {
        guard let item = try decoder.item(content) else { return false }
        try load(item)
        return true
    }

    func snapshotIsComplete(lastEvent: SequenceNumber) throws {
        try didLoad(lastEvent)
    }

    func event(_ line: JournalLine) throws -> Bool {
        guard let record = try decoder.record(line) else { return false }
        try replay(record)
        return true
    }

    func progress(_ progress: RecoveryProgress) {
        hear(progress)
    }
}
