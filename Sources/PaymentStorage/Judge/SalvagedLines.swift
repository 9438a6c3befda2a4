internal import PaymentCore

/// The lines of one segment that verify, also after those that do not.
struct SalvagedLines {
    private let bytes: [UInt8]
    private let bound: SequenceNumber
    private let lineLimit: Int
    private var offset = 0
    /// The checksum of the last line that verified.
    private(set) var chain: UInt32 = 0
    private var expected: SequenceNumber
    /// The highest sequence number that a line claims after the last one that verifies.
    private(set) var highest: SequenceNumber = 0
    /// The bytes that do not verify.
    private(set) var doubtful: [UInt8] = []
    /// The place of the last line that verified, and the checksum that it continues.
    private(set) var entry: SparseIndex.Entry

    init(
        _ file: any DiskFile, first: SequenceNumber, upTo bound: SequenceNumber, lineLimit: Int
    ) throws(DiskFailure) {
        bytes = try file.readBytes(at: 0, count: file.length())
        self.bound = bound
        self.lineLimit = lineLimit
        expected = first
        entry = SparseIndex.Entry(sequence: first, offset: 0, chain: 0)
    }

    /// Begins in the middle of a segment.
    ///
    /// - Parameters:
    ///   - bytes: The segment.
    ///   - entry: The place.
    ///   - bound: The first sequence number after the segment.
    ///   - lineLimit: The maximum length of a line in bytes.
    init(
        _ bytes: [UInt8], at entry: SparseIndex.Entry, upTo bound: SequenceNumber, lineLimit: Int
    ) {
        self.bytes = bytes
        self.bound = bound
        self.lineLimit = lineLimit
        self.entry = entry
        expected = entry.sequence
        offset = entry.offset
        chain = entry.chain
    }

    /// Reads the next line that verifies.
    ///
    /// - Parameter resuming: Whether lines after others that do not verify count.
    /// - Returns: The line; nil at the end.
    mutating func next(resuming: Bool) -> JournalLine? {
        if let line = verified(at: offset, chain) { return line }
        guard resuming else { return nil }
        let damaged = offset
        let last = bytes.lastIndex { $0 != 10 && $0 != 0 } ?? 0
        // A damaged number can be anything. The length of the rest limits it, because the rest has room for
        // only so many lines.
        let room = SequenceNumber(max(0, last - damaged) / LineFormat.shortestLine)
        let limit = min(bound, expected + room + 1)
        var place = damaged
        while let (start, stated) = claim(from: place) {
            place = start.offset + 1
            // A line may have lost its end, with what was after it, to a gap longer than any line.
            let end = lineEnd(from: start.offset)
            if let end, let line = verified(at: end + 1, stated) {
                highest = 0
                doubtful += bytes[damaged...end]
                return line
            }
            if start.sequence < limit { highest = max(highest, start.sequence) }
        }
        if last >= damaged, last < bytes.count { doubtful += bytes[damaged...last] }
        offset = bytes.count
        return nil
    }

    /// Takes the line at an offset, if it continues the chain; else changes nothing.
    private mutating func verified(at place: Int, _ seed: UInt32) -> JournalLine? {
        guard place < bytes.count, let end = lineEnd(from: place) else { return nil }
        let found: (LineFormat.Start, UInt32)? = bytes.withUnsafeBytes { all in
            let line = UnsafeRawBufferPointer(rebasing: all[place..<end])
            guard let checksum = LineFormat.verify(line, seed: seed),
                let start = LineFormat.start(in: line, at: 0)
            else { return nil }
            return (start, checksum)
        }
        guard let (start, checksum) = found, start.sequence >= expected, start.sequence < bound,
            let line = JournalLine(start: start, bytes: bytes, range: place..<end)
        else { return nil }
        entry = SparseIndex.Entry(sequence: start.sequence, offset: place, chain: seed)
        chain = checksum
        expected = start.sequence + 1
        offset = end + 1
        return line
    }

    /// The next bytes that look like the beginning of a line, and the checksum that they state.
    private func claim(
        from place: Int
    ) -> (start: (offset: Int, sequence: SequenceNumber), checksum: UInt32)? {
        bytes.withUnsafeBytes { all in
            var place = place
            while place < all.count {
                if all[place] == UInt8(ascii: "{"), let start = LineFormat.start(in: all, at: place)
                {
                    let digits = all[(place + LineFormat.checksumOffset)...].prefix(8)
                    let text = String(decoding: digits, as: UTF8.self)
                    if let stated = LineFormat.checksum(hex: text) {
                        return ((place, start.sequence), stated)
                    }
                }
                place += 1
            }
            return nil
        }
    }

    private func lineEnd(from place: Int) -> Int? {
        guard let end = bytes.withUnsafeBytes({ indexOfLineFeed(in: $0, from: place) }),
            end - place <= lineLimit
        else { return nil }
        return end
    }
}
