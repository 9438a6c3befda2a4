internal import CCRC32C
internal import PaymentCore
internal import StrictJSON

/// A position that a log has certainly reached, stored in the file `lock` outside of the log.
///
/// A mark is written after the sync of what it names, so it is never ahead of what is durable. A log
/// that ends before its mark has lost its end.
struct ProgressMark: Sendable, Equatable {
    /// Counts the marks of a directory, so that the newer one of two is known.
    var number: UInt64 = 0
    /// The store to which the log belongs.
    var store: UniqueID
    /// The sequence number of a durable line; 0 for none.
    var sequence: SequenceNumber = 0
    /// The checksum of that line.
    var checksum: UInt32 = 0
    /// The first sequence number of the segment that lines are added to.
    var segment: SequenceNumber = 0
    /// How many bytes that segment has at least, until it is sealed; 0 if it may have any length.
    var bytes = 0
    /// Whether the log is a copy of one that another place commits. The files of a copy are synced from time to
    /// time. The lines after the mark may be torn anywhere, and come again from the other place.
    var isCopy = false
    /// The time when the process started that wrote the mark. The length is valid only for that process.
    var started: Timestamp?
    /// The stores that belong to this one, as in ``StoreFormat/parts``.
    var parts: [String: UniqueID] = [:]
    /// The snapshot since which the log has the records of the embedded store, as in
    /// ``StoreFormat/storeSince``.
    var storeSince: SequenceNumber?

    /// The members of the mark as text, with a checksum.
    var text: [UInt8] {
        CheckedText.text { writer in
            writer.name("bytes")
            writer.integer(bytes)
            writer.name("c")
            writer.string(LineFormat.hex(checksum))
            writer.member("copy", isCopy ? true : nil as Bool?)
            writer.name("number")
            writer.integer(number)
            if !parts.isEmpty { StoreFormat.write(parts, to: &writer) }
            writer.name("s")
            writer.integer(sequence)
            writer.name("segment")
            writer.integer(segment)
            if let started {
                writer.name("started")
                writer.timestamp(started)
            }
            writer.name("store")
            writer.identifier(store)
            if let storeSince {
                writer.name("storeSince")
                writer.integer(storeSince)
            }
        }
    }

    init(store: UniqueID) {
        self.store = store
    }

    /// Reads a text; nil if it is not exactly as it was written.
    init?(_ bytes: [UInt8]) {
        guard let end = bytes.lastIndex(of: UInt8(ascii: "}")),
            case let line = Array(bytes[...end]), CheckedText.isRight(line) == true,
            let value = try? JSONValue(parsing: line, limits: .trusted),
            let number = value["number"]?.intValue, let sequence = value["s"]?.intValue,
            let checksum = value["c"]?.stringValue.flatMap({ LineFormat.checksum(hex: $0) }),
            let segment = value["segment"]?.intValue, let length = value["bytes"]?.intValue,
            let store = value["store"]?.stringValue.flatMap({ UniqueID($0) })
        else { return nil }
        self.init(store: store)
        self.number = UInt64(clamping: number)
        self.sequence = SequenceNumber(clamping: sequence)
        self.checksum = checksum
        self.segment = SequenceNumber(clamping: segment)
        self.bytes = Int(length)
        isCopy = value["copy"]?.boolValue ?? false
        started = value["started"]?.stringValue.flatMap { Timestamp($0) }
        storeSince = value["storeSince"]?.intValue.flatMap { SequenceNumber(exactly: $0) }
        for member in value["parts"]?.members ?? [] {
            parts[member.name] = member.value.stringValue.flatMap { UniqueID($0) }
        }
    }
}

/// A JSON object on one line whose first member is the checksum of everything after it.
enum CheckedText {
    private static let beginning = #"{"checksum":""#

    /// The text without a line feed.
    ///
    /// - Parameter members: Appends the other members.
    /// - Returns: The text.
    static func text(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        let covered = covered(members)
        let checksum = covered.withUnsafeBytes { ccrc32c(0, $0.baseAddress, $0.count) }
        return Array("\(beginning)\(LineFormat.hex(checksum))\",".utf8) + covered
    }

    /// The part of the text that the checksum covers.
    static func covered(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        members(&writer)
        writer.endObject()
        return Array(writer.bytes.dropFirst())
    }

    /// Whether the checksum of a text is right; nil if the text has none.
    static func isRight(_ bytes: some Collection<UInt8>) -> Bool? {
        let bytes = Array(bytes)
        let start = beginning.utf8.count
        guard bytes.starts(with: beginning.utf8), bytes.count > start + 10,
            let stated = LineFormat.checksum(
                hex: String(decoding: bytes[start..<start + 8], as: UTF8.self))
        else { return nil }
        return bytes[(start + 10)...].withUnsafeBytes {
            ccrc32c(0, $0.baseAddress, $0.count) == stated
        }
    }
}

/// Writes the marks of an open log into the file `lock`: after a commit at most once a second, and when
/// the log is idle.
struct ProgressMarks {
    private let directory: StateDirectory
    private let clock: @Sendable () -> UInt64
    private var last: ProgressMark
    private var writtenAt: UInt64

    private static let interval: UInt64 = 1_000_000_000

    init(
        _ directory: StateDirectory, store: UniqueID, isCopy: Bool,
        clock: @escaping @Sendable () -> UInt64
    ) {
        self.directory = directory
        self.clock = clock
        last = ProgressMark(store: store)
        last.isCopy = isCopy
        writtenAt = clock()
    }

    /// Notes that everything written so far is durable.
    ///
    /// - Parameters:
    ///   - writer: The writer, whose batch is empty.
    ///   - first: The first sequence number of its segment.
    ///   - isDue: Whether the mark is written even if the last one is less than a second old.
    mutating func note(_ writer: SegmentWriter, first: SequenceNumber, isDue: Bool) {
        let now = clock()
        guard isDue || now &- writtenAt >= Self.interval else { return }
        note(mark(writer, first: first), at: now)
    }

    /// Notes that lines are durable, while the batch after them may collect.
    ///
    /// - Parameters:
    ///   - writer: The writer.
    ///   - end: The sequence number after those lines, and the checksum of the last.
    ///   - first: The first sequence number of its segment.
    mutating func note(
        _ writer: SegmentWriter, upTo end: (next: SequenceNumber, chain: UInt32),
        first: SequenceNumber
    ) {
        var mark = mark(writer, first: first)
        mark.sequence = end.next - 1
        mark.checksum = end.chain
        note(mark, at: clock())
    }

    private mutating func note(_ mark: ProgressMark, at now: UInt64) {
        guard mark != last else { return }
        // A failure is ignored: without the mark the next start can only detect less.
        try? directory.write(mark)
        last = mark
        writtenAt = now
    }

    /// The mark of all that was written.
    func mark(_ writer: SegmentWriter, first: SequenceNumber) -> ProgressMark {
        var mark = last
        mark.sequence = writer.lines.next - 1
        mark.checksum = writer.lines.chain
        mark.segment = first
        mark.bytes = max(writer.active.prefilled, writer.active.end)
        return mark
    }
}
