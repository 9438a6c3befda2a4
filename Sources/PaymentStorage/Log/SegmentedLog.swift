internal import Crypto
public import PaymentCore
public import StrictJSON

/// A journal of lines, in segments, for one directory and one owner.
///
/// Lines are appended to a batch in memory; ``commit()`` writes the batch and syncs it, and until
/// that has returned nobody may hear of what is in it. The owner calls everything from one thread.
/// The first failed write or sync ends the journal's life: what the disk then holds is known only
/// to the next start.
public final class SegmentedLog {
    /// Which store this is.
    public let format: StoreFormat
    /// The sequence number of the last event appended; 0 if there was never one.
    public internal(set) var head: SequenceNumber

    let directory: StateDirectory
    let policy: JournalPolicy
    let environment: StorageEnvironment
    let build: String
    var writer: LineWriter
    var segments: [Segment]
    var active: ActiveSegment
    let space: SpaceWatch
    let spares: FilePrefiller
    /// Snapshots that count as none.
    let damagedSnapshots: Set<String>
    /// The newest snapshot that is good; nil while there is none.
    var newestSnapshot: SnapshotMark?
    /// How many backups are being copied, for which all files have to stay.
    var pins = 0
    var bookmarks = Bookmarks()
    /// Why nothing can be written any more.
    var failure: JournalFailure?
    /// Whether ``close()`` was called.
    var isClosed = false
    /// The sequence number of the last event that is durable.
    var durableHead: SequenceNumber
    /// Whether the last durable line is an event, which damage could pass off as a torn write.
    var needsMark: Bool
    /// Lines of the running batch that the index may want, with offsets in the batch.
    var pendingEntries: [SparseIndex.Entry] = []

    /// Takes over what recovery found.
    init(_ opened: OpenedLog, directory: StateDirectory, settings: LogSettings) {
        self.directory = directory
        format = opened.format
        policy = settings.policy
        environment = settings.environment
        build = settings.build
        writer = LineWriter(
            chain: opened.chain, next: opened.next, lineLimit: settings.policy.lineLimitBytes)
        segments = opened.segments
        active = opened.active
        damagedSnapshots = opened.damagedSnapshots
        head = opened.head
        durableHead = opened.head
        needsMark = opened.endsWithEvent
        newestSnapshot = opened.newestSnapshot
        space = SpaceWatch(
            disk: directory.disk, policy: settings.policy, environment: settings.environment)
        spares = FilePrefiller(disk: directory.disk, name: FileName.spare)
        space.makeReserve()
    }

    /// The oldest sequence number that can still be read; 1 in a new journal.
    public var oldest: SequenceNumber { segments[0].lastEventBefore + 1 }

    /// The sequence number that the next line will get.
    public var nextSequence: SequenceNumber { writer.next }

    /// Whether new work should be refused so that what was accepted can be brought to its end.
    public var isShortOfSpace: Bool { space.level == .short }

    /// Whether files are gone with the machine or the container.
    public var isVolatile: Bool { directory.isVolatile }

    /// Bytes of all lines that are kept and durable.
    public var bytesKept: Int { segments.reduce(0) { $0 + $1.bytes } }

    /// Appends an event to the running batch. Not durable until ``commit()`` returns.
    ///
    /// - Parameters:
    ///   - word: The type of the line; needs no escapes, and is none of `segment`, `mark`, `seal`.
    ///   - time: When it was decided.
    ///   - origin: Who caused it, if a client did.
    ///   - isOptional: Whether a reader that does not know the word may pass over the line.
    ///   - payload: Appends one JSON object whose names are sorted.
    /// - Returns: The sequence number of the line, greater by 1 than that of the line before.
    public func append(
        _ word: StaticString, time: Timestamp, origin: Origin?, isOptional: Bool = false,
        payload: (inout JSONWriter) -> Void
    ) -> SequenceNumber {
        precondition(!isClosed, "a line was appended to a journal that is closed")
        let entry = SparseIndex.Entry(
            sequence: writer.next, offset: writer.bytes.count, chain: writer.chain)
        let sequence = writer.line(
            word, time: time, origin: origin, isOptional: isOptional, payload: payload)
        noteForIndex(entry)
        head = sequence
        return sequence
    }

    /// Asks for the room on the disk, in truth at most once a second, and brings back what a full
    /// disk had cost: the reserve and the preparation of segments. Cheap enough for every turn.
    ///
    /// - Parameter monotonicMilliseconds: A clock that never steps.
    /// - Returns: The level, from what is known now.
    @discardableResult
    public func checkSpace(monotonicMilliseconds: Int64) -> SpaceLevel {
        guard !isClosed, failure == nil else { return space.level }
        if space.check(now: monotonicMilliseconds), space.level < .short { spares.retry() }
        return space.level
    }

    /// Only every so-many-th line of a batch can become an entry, so only those are kept.
    private func noteForIndex(_ entry: SparseIndex.Entry) {
        if let last = pendingEntries.last,
            entry.sequence - last.sequence < UInt64(policy.indexEveryLines),
            entry.offset - last.offset < policy.indexEveryBytes
        {
            return
        }
        pendingEntries.append(entry)
    }
}

/// The segment that lines are added to.
struct ActiveSegment {
    /// The file.
    var file: any DiskFile
    /// Where the next line goes: the end of the durable lines.
    var end: Int
    /// How far the file is filled ahead.
    var prefilled: Int
    /// The number of durable lines.
    var lines: UInt64
    /// SHA-256 of the durable lines.
    var digest: RunningDigest
    /// How the segment before ended, nil for the first.
    var previous: SegmentHeader.Previous?
}

/// The parameters with which a journal is opened.
public struct LogSettings: Sendable {
    /// Sizes and limits.
    public var policy: JournalPolicy
    /// Clocks, chance and the second thread.
    public var environment: StorageEnvironment
    /// The program and version that segments name as their writer.
    public var build: String

    /// Makes settings.
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
    var endsWithEvent: Bool
    var damagedSnapshots: Set<String>
    var newestSnapshot: SnapshotMark?
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
