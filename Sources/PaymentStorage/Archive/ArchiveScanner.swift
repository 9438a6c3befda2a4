internal import PaymentCore

/// Reads an archive file from its beginning and verifies each line: the chain of checksums, the
/// order of the sequence numbers, the header and the seal. Memory holds one slice of the file.
struct ArchiveScanner {
    /// The maximum length of a line, as in a journal. No archive line contains more than a journal
    /// line.
    private static let lineLimitBytes = JournalPolicy().lineLimitBytes
    private let expected: ArchiveFile
    private let store: UniqueID
    private var slice: [UInt8] = []
    private var sliceStart = 0
    private var pieces: FilePieces
    private var chain: UInt32 = 0
    private var sequence: SequenceNumber = 0
    private var count: UInt64 = 0
    private var offset = 0
    /// The bytes of the last line in the slice, without its line feed.
    private var range = 0..<0
    /// Where the last line begins in the file.
    private(set) var lineOffset = 0

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - expected: The file as the manifest names it.
    ///   - store: The store that the file must belong to.
    ///   - disk: The directory of the file.
    /// - Throws: The file cannot be opened, or is not the one that the manifest names.
    init(_ expected: ArchiveFile, of store: UniqueID, on disk: any Disk) throws(ArchiveFailure) {
        self.expected = expected
        self.store = store
        let file = try onDisk(try disk.open(expected.name, .read))
        pieces = FilePieces(of: file, bytes: TextLines.pieceBytes)
        guard try onDisk(try file.length()) == expected.bytes else {
            throw damage("its length is not \(expected.bytes)")
        }
        guard let line = try nextLine() else { throw damage("the header is missing") }
        do throws(PayloadFault) {
            let header = ArchiveHeader(kind: expected.kind, first: expected.first, store: store)
            guard try ArchiveHeader(line.content) == header else {
                throw PayloadFault("the header is one of another file")
            }
        } catch {
            throw damage(error.description)
        }
    }

    /// The next closed thing or product; nil after the seal.
    mutating func next() throws(ArchiveFailure) -> ArchiveLine? {
        guard let line = try nextLine() else { throw damage("the seal is missing") }
        guard line.sequence >= sequence, line.sequence <= expected.last else {
            throw damage("the sequence number \(line.sequence) is out of order")
        }
        sequence = line.sequence
        guard line.content.isWord("seal") else {
            count += 1
            return line
        }
        do throws(PayloadFault) {
            let seal = ArchiveSeal(
                count: count, newest: expected.newest, digest: expected.digest)
            guard try ArchiveSeal(line.content) == seal, count == expected.lines,
                offset == expected.bytes
            else { throw PayloadFault("the seal does not match") }
        } catch {
            throw damage(error.description)
        }
        return nil
    }

    /// The bytes of the last line without its line feed.
    func withLastLine<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        slice.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    private mutating func nextLine() throws(ArchiveFailure) -> ArchiveLine? {
        var searched = offset - sliceStart
        while true {
            let end = slice.withUnsafeBytes { indexOfLineFeed(in: $0, from: searched) }
            if let end { return try take(offset - sliceStart..<end) }
            searched = slice.count - (offset - sliceStart)
            guard searched <= Self.lineLimitBytes else { throw damage("a line is too long") }
            guard try readMore() else { return nil }
        }
    }

    private mutating func take(_ range: Range<Int>) throws(ArchiveFailure) -> ArchiveLine {
        self.range = range
        lineOffset = offset
        let seed = chain
        let checksum = withLastLine { LineFormat.verify($0, seed: seed) }
        guard let checksum else { throw damage("the checksum does not match") }
        guard let line = ArchiveLine(range, in: slice) else { throw damage("a line is malformed") }
        chain = checksum
        offset = sliceStart + range.upperBound + 1
        return line
    }

    private mutating func readMore() throws(ArchiveFailure) -> Bool {
        let next = try onDisk(
            try pieces.next(
                slice[(offset - sliceStart)...], at: sliceStart + slice.count,
                limit: expected.bytes))
        guard let next else { return false }
        slice = next
        sliceStart = offset
        return true
    }

    private func damage(_ reason: String) -> ArchiveFailure {
        .damaged(file: expected.name, offset: offset, reason: reason)
    }
}
