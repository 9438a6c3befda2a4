internal import Crypto
public import PaymentCore
public import StrictJSON

/// A journal of lines, in segments, for one directory and one owner.
///
/// Lines are appended to a batch in memory; ``commit()`` writes the batch and syncs it. Until it has returned,
/// nothing of the batch may be acknowledged. The owner calls everything from one thread. After the first failed
/// write or sync the journal is unusable, and only the next start can find out what the disk holds.
public final class SegmentedLog {
    /// The identity of the store.
    public internal(set) var format: StoreFormat
    let directory: StateDirectory
    let settings: LogSettings
    var writer: SegmentWriter
    var segments: SegmentList
    /// The names of damaged snapshots, which are ignored.
    let damagedSnapshots: Set<String>
    /// The newest snapshot that is good; nil while there is none.
    var newestSnapshot: SnapshotMark?
    /// Writes to the lock file how far the log has gone.
    private var marks: ProgressMarks
    /// The number of backups that are being copied. While there are any, no file is removed.
    var pins = 0
    /// Whether ``close()`` was called.
    private(set) var isClosed = false
    /// The end of what the files have of a log that another place commits; nil for any other log.
    var copied: (next: SequenceNumber, chain: UInt32)?

    /// Takes over what recovery found.
    init(_ opened: OpenedLog, directory: StateDirectory, settings: LogSettings) {
        format = opened.format
        self.directory = directory
        self.settings = settings
        let space = directory.space(settings.policy)
        writer = SegmentWriter(
            opened, disk: directory.disk, settings: settings, space: space)
        segments = SegmentList(opened.segments)
        damagedSnapshots = opened.damagedSnapshots
        newestSnapshot = opened.newestSnapshot
        marks = ProgressMarks(
            directory, store: opened.format.store, isCopy: opened.isCopy,
            clock: settings.environment.monotonicNanoseconds)
        guard !isReadOnly else { return }
        writer.space.restore()
        marks.note(writer, first: segments.last.first, isDue: true)
    }

    /// Whether nothing can be appended, because the directory is only read.
    public var isReadOnly: Bool { directory.isReadOnly }

    /// The directory of the log.
    public var disk: any Disk { directory.disk }

    /// The sequence number of the last event appended; 0 if there was never one.
    public var head: SequenceNumber { writer.head }

    /// The oldest sequence number that can still be read; 1 in a new journal.
    public var oldest: SequenceNumber { segments.oldest }

    /// The sequence number that the next line will get.
    public var nextSequence: SequenceNumber { writer.lines.next }

    /// The room on the disk, from what was measured last.
    public var room: Room { writer.space.room }

    /// Whether there is room for new work beside accepted work, see `RecordLog`.
    public func hasRoom(for bytes: Int, beside claims: SpaceClaims) -> Bool {
        // The running batch is not in the numbers of the disk yet.
        writer.space.admits(bytes + writer.lines.bytes.count, beside: claims)
    }

    /// Whether the files are lost with the machine or the container.
    public var isVolatile: Bool { directory.isVolatile }

    /// Bytes of all lines that are kept and durable.
    public var bytesKept: Int { segments.all.reduce(0) { $0 + $1.bytes } }

    /// Appends an event to the running batch. Not durable until ``commit()`` returns.
    ///
    /// - Parameters:
    ///   - word: The type of the line; needs no escapes, and is none of `segment`, `mark`, `seal`.
    ///   - time: The time of the decision.
    ///   - origin: The client that caused it; nil if none did.
    ///   - isOptional: Whether a reader that does not support the type may skip the line.
    ///   - payload: Appends one JSON object whose names are sorted.
    /// - Returns: The sequence number of the line, greater by 1 than that of the line before.
    public func append(
        _ word: StaticString, time: Timestamp, origin: Origin?, isOptional: Bool = false,
        payload: (inout JSONWriter) -> Void
    ) -> SequenceNumber {
        precondition(!isClosed, "a line was appended to a journal that is closed")
        precondition(!isReadOnly, "a line was appended to a journal that is only read")
        return writer.append(
            word, time: time, origin: origin, isOptional: isOptional, payload: payload)
    }

    /// Appends a line of the embedded store to the running batch. Not durable until ``commit()``
    /// returns.
    ///
    /// - Parameters:
    ///   - record: The line. It takes a sequence number and is no event.
    ///   - time: The time of the decision.
    public func append(_ record: StoreRecord, time: Timestamp) {
        precondition(!isClosed, "a line was appended to a journal that is closed")
        precondition(!isReadOnly, "a line was appended to a journal that is only read")
        writer.append(record, time: time)
    }

    /// Writes the running batch and returns when it is on stable storage. Does nothing if the
    /// batch is empty.
    ///
    /// One write and one `fdatasync`. On a full disk it gives up parts of the reserve first.
    ///
    /// - Throws: The journal is unusable from then on, and every later call throws the same failure.
    public func commit() throws(JournalFailure) {
        precondition(copied == nil, "a batch of a copy is committed elsewhere")
        guard !writer.lines.isEmpty else { return try writer.commit(to: &segments) }
        try writer.commit(to: &segments)
        marks.note(writer, first: segments.last.first, isDue: false)
    }

    /// Syncs the active segment, whether or not anything of it is new.
    ///
    /// - Throws: The journal is unusable from then on, and every later call throws the same failure.
    public func sync() throws(JournalFailure) {
        guard !isReadOnly else { return }
        try writer.sync()
    }

    /// Appends a mark of its own after the last batch, unless nothing was added since the last.
    ///
    /// Only the next start uses the mark: damage to the line before it cannot be taken for a torn
    /// write any more, because a batch after it was begun.
    public func markIdle() throws(JournalFailure) {
        // With a mark this copy would differ from the others.
        guard !isReadOnly, copied == nil else { return }
        try writer.markIdle(in: &segments)
        marks.note(writer, first: segments.last.first, isDue: true)
    }

    /// Writes a mark of the end of the files, which are synced.
    func noteProgress() {
        let end = copied ?? (writer.lines.next, writer.lines.chain)
        marks.note(writer, upTo: end, first: segments.last.first)
    }

    /// Ends the journal: commits, marks, and records that nothing needs to be recovered.
    ///
    /// The directory stays owned until it is released. Calling it again does nothing.
    public func close() throws(JournalFailure) {
        guard !isClosed else { return }
        try markIdle()
        if copied != nil { try writer.sync() }
        isClosed = true
        // A copy whose files lack lines does not stop cleanly. Its next start reads the lines from the other
        // place.
        guard !isReadOnly, (copied?.next ?? nextSequence) == nextSequence else { return }
        do {
            var mark = marks.mark(writer, first: segments.last.first)
            mark.bytes = 0
            // The mark no longer promises a length when the segment is cut.
            try directory.recordCleanStop(
                LockFile.CleanStop(sequence: mark.sequence, checksum: mark.checksum), mark)
            // On a nearly full disk the prefilled bytes stay, because accepted work needs them.
            guard !isPressed else { return }
            try writer.active.file.truncate(to: writer.active.end)
            if writer.spares.take() != nil { try directory.disk.remove(FileName.spare) }
        } catch {
            throw JournalFailure(error)
        }
    }

    /// Reads durable events that follow a position, in order, verifying each.
    ///
    /// - Parameters:
    ///   - position: Events with greater sequence numbers are read.
    ///   - count: At most so many; at least 1.
    ///   - body: Gets each event. None if `position + 1` was trimmed, see ``oldest``.
    /// - Returns: The position up to which everything was read: less than the end after `count` events, or
    ///   within a long run of other lines.
    /// - Throws: The first of the events cannot be read; nothing else is affected.
    public func read(
        after position: SequenceNumber, count: Int,
        _ body: (JournalLine) throws(PayloadFault) -> Void
    ) throws(JournalFailure) -> SequenceNumber {
        precondition(count > 0, "a page of the journal has at least one record")
        return try segments.read(after: position, count: count, from: writer, body)
    }

    /// The damage that readers of events have found, in the order of discovery.
    public var damage: [StorageDamage] { segments.damage.map(\.report) }

    /// Measures the free space, at most once a second, and restores what was given up on a full disk: the
    /// reserve and the spare segment. Cheap enough for every turn.
    ///
    /// - Parameters:
    ///   - monotonicMilliseconds: A clock that never steps.
    ///   - claims: The bytes that accepted work may still write; nil if they have not changed.
    public func checkSpace(monotonicMilliseconds: Int64, beside claims: SpaceClaims? = nil) {
        guard !isClosed, !isReadOnly else { return }
        if let claims { writer.space.hold(claims) }
        writer.checkSpace(monotonicMilliseconds: monotonicMilliseconds)
    }

    /// The last failure for lack of space, with the file and the cause; nil without one.
    public var lastSpaceFailure: String? { writer.space.lastFailure }

    /// Whether space is or will soon be short, so that old records are removed early.
    public var isPressed: Bool { writer.space.isPressed }

    /// How much of the log stays readable now.
    var retention: RetentionPolicy {
        isPressed ? RetentionPolicy(keepBytes: 0, keepSeconds: 0) : settings.policy.retention
    }

    /// The directory for files that may only take unclaimed space.
    func budgeted(for use: SpaceLedger.Use) -> any Disk {
        BudgetedDisk(directory.disk, writer.space, for: use)
    }
}

/// The parameters with which a journal is opened.
public struct LogSettings: Sendable {
    /// Sizes and limits.
    public var policy: JournalPolicy
    /// The clocks, the source of randomness, and the background threads.
    public var environment: StorageEnvironment
    /// The program and version that segments name as their writer.
    public var build: String

    /// Creates settings.
    public init(
        policy: JournalPolicy = JournalPolicy(), environment: StorageEnvironment = .system,
        build: String
    ) {
        self.policy = policy
        self.environment = environment
        self.build = build
    }
}

/// The result of recovery: all that a journal continues from.
struct OpenedLog {
    var format: StoreFormat
    var segments: [Segment]
    var active: ActiveSegment
    var chain: UInt32
    var next: SequenceNumber
    var head: SequenceNumber
    var endsWithRecord: Bool
    var damagedSnapshots: Set<String>
    var newestSnapshot: SnapshotMark?
    /// Whether the log is a copy of one that another place commits.
    var isCopy = false
}

extension SHA256 {
    /// Digests more bytes.
    mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update(bufferPointer: $0) }
    }

    /// The digest so far, as 64 hexadecimal digits.
    var hex: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(64)
        for byte in finalize() {
            digits.append(LineFormat.hexDigit(UInt32(byte >> 4)))
            digits.append(LineFormat.hexDigit(UInt32(byte)))
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
