public import PaymentCore
internal import StrictJSON

/// Whole lines of a log, in the form in which another place commits them and every copy of the log writes them.
///
/// A chunk is the records of one batch. It may end the segment: its last two lines are then the seal of
/// this segment and the header of the next. So all copies have the same segments, byte for byte.
public struct LogChunk: Sendable {
    /// The lines, each with its line feed.
    public internal(set) var bytes: [UInt8]
    /// The sequence number of the first line.
    public internal(set) var first: SequenceNumber
    /// The sequence number after the last line.
    public internal(set) var next: SequenceNumber
    /// The checksum of the last line.
    public internal(set) var chain: UInt32

    /// The last event up to the end of the chunk.
    var head: SequenceNumber
    /// The bytes that belong to the segment of the line before, a seal included.
    var bodyBytes = 0
    /// The lines among them.
    var bodyLines: UInt64 = 0
    /// How many of the bytes are lines of the embedded store.
    var storeBytes = 0
    /// The lines that may become entries of an index, with offsets in the chunk.
    var entries: [SparseIndex.Entry] = []
    /// The next segment, if the chunk begins it.
    var nextSegment: NextSegment?

    /// A segment whose first line is the last of a chunk.
    struct NextSegment: Sendable {
        var header: SegmentHeader
        var began: Timestamp
    }

    /// Whether the chunk ends the segment, so that a snapshot can be taken after it.
    public var endsSegment: Bool { nextSegment != nil }
}

extension LogChunk {
    /// Whole lines of a chunk, few enough for one transaction.
    public struct Part: Sendable {
        /// The lines.
        public var bytes: [UInt8]
        /// The sequence number of the first line.
        public var first: SequenceNumber
        /// The sequence number after the last line.
        public var next: SequenceNumber
        /// The checksum of the last line.
        public var chain: UInt32
    }

    /// The chunk in parts of about `limit` bytes. A longer line is a part of its own. The lines that end a
    /// segment stay together.
    public func parts(upTo limit: Int) -> [Part] {
        guard bytes.count > limit else {
            return [Part(bytes: bytes, first: first, next: next, chain: chain)]
        }
        // A seal and a header are shorter than this.
        let end = endsSegment ? bytes.count - min(bytes.count, 4096) : bytes.count
        var parts: [Part] = []
        var part = Part(bytes: [], first: first, next: first, chain: 0)
        var offset = 0
        while offset < bytes.count {
            let feed = bytes.withUnsafeBytes { indexOfLineFeed(in: $0, from: offset) }
            let lineEnd = (feed ?? bytes.count - 1) + 1
            if !part.bytes.isEmpty, part.bytes.count + lineEnd - offset > limit, offset < end {
                parts.append(part)
                part = Part(bytes: [], first: part.next, next: part.next, chain: 0)
            }
            part.bytes += bytes[offset..<lineEnd]
            part.next += 1
            part.chain = LineFormat.checksum(ofLineAt: offset, in: bytes)
            offset = lineEnd
        }
        parts.append(part)
        return parts
    }

    /// The part of whole lines from a sequence number on; nil if it is not in them.
    public static func lines(
        _ bytes: [UInt8], first: SequenceNumber, from sequence: SequenceNumber
    ) -> [UInt8]? {
        guard sequence >= first else { return nil }
        var offset = 0
        for _ in first..<sequence {
            let feed = bytes.withUnsafeBytes { indexOfLineFeed(in: $0, from: offset) }
            guard let feed else { return nil }
            offset = feed + 1
        }
        return Array(bytes[offset...])
    }
}

/// A chunk that does not continue a log.
public struct ChunkFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence such as "line 42 has a wrong checksum".
    public let description: String

    /// Creates a fault.
    init(_ description: String) {
        self.description = description
    }
}

/// Reads the lines of a chunk in order and verifies each, as a start does with those of a file.
struct ChunkReader {
    private let bytes: [UInt8]
    private(set) var chunk: LogChunk
    /// The beginning of the next line.
    private var offset = 0
    private var isSealed = false

    /// Begins after a line.
    ///
    /// - Parameters:
    ///   - bytes: The lines.
    ///   - next: The sequence number that the first of them must have.
    ///   - chain: The checksum of the line before.
    ///   - head: The last event before.
    ///   - beginsSegment: Whether the first line is the header of the first segment.
    init(
        _ bytes: [UInt8], next: SequenceNumber, chain: UInt32, head: SequenceNumber,
        beginsSegment: Bool = false
    ) {
        self.bytes = bytes
        isSealed = beginsSegment
        chunk = LogChunk(bytes: bytes, first: next, next: next, chain: chain, head: head)
    }

    /// Reads and verifies the next line; nil at the end.
    mutating func line() throws(ChunkFault) -> JournalLine? {
        guard offset < bytes.count else {
            if isSealed, chunk.nextSegment == nil { throw fault("has no header behind a seal") }
            return nil
        }
        guard chunk.nextSegment == nil else { throw fault("follows the header of a segment") }
        let end = bytes.withUnsafeBytes { indexOfLineFeed(in: $0, from: offset) }
        guard let end else { throw fault("has no end") }
        let range = offset..<end
        let seed = isSealed ? 0 : chunk.chain
        let verified = bytes.withUnsafeBytes { bytes -> (LineFormat.Start, UInt32)? in
            let line = UnsafeRawBufferPointer(rebasing: bytes[range])
            guard let checksum = LineFormat.verify(line, seed: seed),
                let start = LineFormat.start(behindChecksumIn: line, at: 0)
            else { return nil }
            return (start, checksum)
        }
        guard let (start, checksum) = verified else { throw fault("has a wrong checksum") }
        guard start.sequence == chunk.next, start.batch <= start.sequence,
            let line = JournalLine(start: start, bytes: bytes, range: range)
        else { throw fault("has another number or shape") }
        try take(line, checksum)
        return line
    }

    private mutating func take(_ line: JournalLine, _ checksum: UInt32) throws(ChunkFault) {
        let length = line.byteCount
        if isSealed {
            do throws(PayloadFault) {
                chunk.nextSegment = LogChunk.NextSegment(
                    header: try SegmentHeader(line), began: try line.time())
            } catch {
                throw fault("does not have the shape of a segment's header: \(error)")
            }
        } else {
            guard !line.content.isWord("segment") else { throw fault("is a second header") }
            chunk.entries.append(
                SparseIndex.Entry(sequence: line.sequence, offset: offset, chain: chunk.chain))
            isSealed = line.content.isWord("seal")
            if line.content.isOfStore {
                chunk.storeBytes += length
            } else if !line.isInternal {
                chunk.head = line.sequence
            }
            chunk.bodyBytes += length
            chunk.bodyLines += 1
        }
        offset += length
        chunk.next += 1
        chunk.chain = checksum
    }

    private func fault(_ text: String) -> ChunkFault {
        ChunkFault("line \(chunk.next) \(text)")
    }
}
