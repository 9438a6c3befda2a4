internal import PaymentCore

/// Reads the lines of one segment in order and verifies each before its content is read.
///
/// Holds one slice of the file at a time, so that a segment of any length is read in little
/// memory. Stops at the first line that does not verify and goes no further.
struct SegmentScanner {
    /// The finding of the next step.
    enum Step {
        /// A line that verified.
        case line(JournalLine)
        /// Nothing but blanks from here to the end.
        case end
        /// Bytes that are neither blank nor the next line.
        case damaged(RecoveryRefusal.Reason)
    }

    private let limit: Int
    private let lineLimit: Int
    private var slice: [UInt8] = []
    private var pieces: FilePieces
    private var sliceStart: Int

    /// Where the next line begins in the file.
    private(set) var offset: Int
    /// The checksum of the last line that verified.
    private(set) var chain: UInt32
    /// The sequence number that the next line must have.
    private(set) var expected: SequenceNumber
    /// The bytes of the last line that verified, with its line feed.
    private(set) var lastLine = 0..<0

    /// Begins at a line.
    ///
    /// - Parameters:
    ///   - file: The segment.
    ///   - offset: Where a line begins.
    ///   - limit: Where reading ends: the length of the file, or of what is durable.
    ///   - chain: The checksum of the line before; 0 at the beginning of a segment.
    ///   - expected: The sequence number of the line at `offset`.
    ///   - sliceBytes: How much of the file is read at once.
    ///   - lineLimit: A longer line is damage, so that damage cannot cause a huge read.
    init(
        file: any DiskFile, offset: Int = 0, limit: Int, chain: UInt32 = 0,
        expected: SequenceNumber, sliceBytes: Int = TextLines.pieceBytes, lineLimit: Int
    ) {
        self.offset = offset
        self.limit = limit
        self.chain = chain
        self.expected = expected
        self.lineLimit = lineLimit
        sliceStart = offset
        pieces = FilePieces(of: file, bytes: sliceBytes)
    }

    /// Reads and verifies the next line.
    mutating func next() throws(DiskFailure) -> Step {
        var searched = offset - sliceStart
        while true {
            let end = slice.withUnsafeBytes { indexOfLineFeed(in: $0, from: searched) }
            if let end { return try take(lineEndingAt: end) }
            guard slice.count - (offset - sliceStart) <= lineLimit else {
                return .damaged(.lineTooLong)
            }
            let before = slice.count - (offset - sliceStart)
            guard try readMore() else {
                // A line is complete only with its line feed.
                return before == 0 ? .end : try blankOr(.unfinishedLine)
            }
            searched = before
        }
    }

    /// The bytes of the last line with its line feed, for a running digest.
    func withLastLine(_ body: (UnsafeRawBufferPointer) -> Void) {
        slice.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[lastLine])) }
    }

    private mutating func take(lineEndingAt end: Int) throws(DiskFailure) -> Step {
        let range = offset - sliceStart..<end
        guard let first = range.first.map({ slice[$0] }), first != 0 else {
            return try blankOr(.badChecksum)
        }
        let seed = chain
        let verified: (start: LineFormat.Start, checksum: UInt32)? = slice.withUnsafeBytes {
            let line = UnsafeRawBufferPointer(rebasing: $0[range])
            guard let checksum = LineFormat.verify(line, seed: seed),
                let start = LineFormat.start(behindChecksumIn: line, at: 0)
            else { return nil }
            return (start, checksum)
        }
        guard let (start, checksum) = verified else { return .damaged(.badChecksum) }
        guard start.sequence == expected, start.batch <= start.sequence else {
            return .damaged(.sequenceGap)
        }
        guard let line = JournalLine(start: start, bytes: slice, range: range) else {
            return .damaged(.malformedLine)
        }
        chain = checksum
        expected += 1
        lastLine = range.lowerBound..<end + 1
        offset = sliceStart + end + 1
        return .line(line)
    }

    /// Drops what was read and appends the next piece; false at the end.
    private mutating func readMore() throws(DiskFailure) -> Bool {
        let rest = slice[(offset - sliceStart)...]
        guard let next = try pieces.next(rest, at: sliceStart + slice.count, limit: limit) else {
            return false
        }
        slice = next
        sliceStart = offset
        return true
    }

    /// `.end` if everything from here on is line feeds and zeros, else damage.
    private mutating func blankOr(
        _ reason: RecoveryRefusal.Reason
    ) throws(DiskFailure) -> Step {
        var position = offset - sliceStart
        while true {
            guard slice.withUnsafeBytes({ isBlank($0, from: position) }) else {
                return .damaged(reason)
            }
            let start = sliceStart + slice.count
            guard let next = try pieces.next([], at: start, limit: limit) else { return .end }
            slice = next
            sliceStart = start
            position = 0
        }
    }
}
