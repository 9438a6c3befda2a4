internal import Crypto
internal import PaymentCore
internal import StrictJSON

/// A snapshot on the disk. Its digest is verified before its items are read, or its sum while they are.
struct SnapshotFile {
    let name: String
    /// The header in its first line.
    let header: SnapshotHeader
    /// The number of lines before the trailer.
    let lines: UInt64
    /// The length of the file in bytes.
    let bytes: Int
    private let file: any DiskFile
    /// The last line and its offset, as long as nothing has proven the line.
    private var claimed: (trailer: SnapshotTrailer, end: Int)?

    /// Reads the whole file once and verifies it.
    init(
        verifying name: String, on disk: any Disk,
        progress: (RecoveryProgress) -> Void = { _ in }
    ) throws {
        let file = try disk.open(name, .read)
        bytes = try file.length()
        var reader = TextLines(file: file, length: bytes)
        var digest = SHA256()
        var sum: UInt32 = 0
        var header: SnapshotHeader?
        var lines: UInt64 = 0
        var trailer: SnapshotTrailer?
        var done = 0
        while let line = try reader.next() {
            if done >> 20 != (done + line.count + 1) >> 20 {
                // The progress is 0, because a snapshot takes effect only after its verification.
                progress(RecoveryProgress(bytesDone: 0, bytesTotal: bytes))
            }
            done += line.count + 1
            guard trailer == nil else { throw PayloadFault("lines follow the last line") }
            if header == nil { header = try SnapshotHeader(line) }
            // No item is shorter than the start of a trailer, so the check costs nothing.
            if line.starts(with: Self.trailerBeginning) {
                trailer = SnapshotTrailer(line)
                continue
            }
            reader.slice[line.startIndex...line.endIndex].withUnsafeBytes {
                digest.update(bufferPointer: $0)
                sum = LineFormat.sum($0, after: sum)
            }
            lines += 1
        }
        guard reader.isComplete, let header, let trailer,
            trailer
                == SnapshotTrailer(
                    lines: lines, digest: digest.hex, sumOfLines: trailer.sum.map { _ in sum })
        else { throw PayloadFault("the digest does not match") }
        self.name = name
        self.header = header
        self.lines = lines
        self.file = file
    }

    /// Reads the first line and the last one. ``forEachItem(_:)`` verifies the sum of all lines; nil if the
    /// last line has none.
    init?(unverified name: String, on disk: any Disk) throws {
        file = try disk.open(name, .read)
        bytes = try file.length()
        let end = try file.readBytes(
            at: max(0, bytes - SnapshotTrailer.limit - 1), count: SnapshotTrailer.limit + 1)
        guard end.last == UInt8(ascii: "\n"),
            let start = end.dropLast().lastIndex(of: UInt8(ascii: "\n")),
            let trailer = SnapshotTrailer(end[(start + 1)..<(end.count - 1)])
        else { throw PayloadFault("the last line is missing") }
        guard trailer.sum != nil else { return nil }
        var reader = TextLines(file: file, length: bytes)
        guard let first = try reader.next() else { throw PayloadFault("the first line is missing") }
        self.name = name
        header = try SnapshotHeader(first)
        lines = trailer.lines
        claimed = (trailer, bytes - (end.count - start - 1))
    }

    /// Passes every item to `body` in order.
    ///
    /// - Throws: The error of `body`; or a line is not an item; or, for a file that was not verified, the
    ///   checksum does not match. In the last case the items were invalid.
    func forEachItem(_ body: (LineContent) throws -> Void) throws {
        var reader = TextLines(
            file: file, length: try file.length(), summedBytes: claimed?.end ?? 0)
        var index: UInt64 = 0
        var read = 0
        while index < lines, let line = try reader.next() {
            read += line.count + 1
            defer { index += 1 }
            guard index > 0 else { continue }
            guard let content = LineContent(snapshotLine: line.indices, in: reader.slice) else {
                throw PayloadFault("a line is not an item")
            }
            try body(content)
        }
        guard let claimed else { return }
        // The checksum covers the bytes. Their number shows that no line was left out.
        guard read == claimed.end,
            claimed.trailer.isProven(bySumOfLines: reader.sum)
        else {
            throw PayloadFault("the sum does not match")
        }
    }

    private static let trailerBeginning = Array("{\"lines\":".utf8)
}

/// The lines of a file, with one slice of it in memory at a time.
struct TextLines {
    private let length: Int
    /// The part of the file that contains the last line, with its line feed.
    private(set) var slice: [UInt8] = []
    private var pieces: FilePieces
    private var start = 0
    private var fileOffset = 0
    /// The number of bytes at the beginning of the file that ``sum`` covers.
    private let summedBytes: Int
    /// CRC-32C of those bytes.
    private(set) var sum: UInt32 = 0

    /// Pieces of this size stay in the processor's cache until their lines are read.
    static let pieceBytes = 1 << 18

    init(file: any DiskFile, length: Int, summedBytes: Int = 0) {
        self.length = length
        self.summedBytes = summedBytes
        pieces = FilePieces(of: file, bytes: Self.pieceBytes)
    }

    /// Whether the whole file was read and its last line ended with a line feed.
    var isComplete: Bool { start == slice.count && fileOffset >= length }

    /// The next line without its line feed; nil if there is no further complete line.
    mutating func next() throws(DiskFailure) -> ArraySlice<UInt8>? {
        var searched = start
        while true {
            let end = slice.withUnsafeBytes { indexOfLineFeed(in: $0, from: searched) }
            if let end {
                defer { start = end + 1 }
                return slice[start..<end]
            }
            searched = slice.count - start
            guard let next = try pieces.next(slice[start...], at: fileOffset, limit: length) else {
                return nil
            }
            slice = next
            start = 0
            let read = slice[searched...]
            if fileOffset < summedBytes {
                read.prefix(summedBytes - fileOffset).withUnsafeBytes {
                    sum = LineFormat.sum($0, after: sum)
                }
            }
            fileOffset += read.count
        }
    }
}

/// Reads a file in pieces. Each piece begins with the unfinished line of the piece before.
///
/// The lines of earlier pieces may still be in use. A piece therefore reuses memory only if nothing else refers
/// to it.
struct FilePieces {
    /// The number of arrays that are reused. More are rarely in use at a time.
    private static let limit = 8
    private let file: any DiskFile
    /// The number of bytes that are read at once, except after the rest of a longer line.
    private let bytes: Int
    private var pieces: [[UInt8]] = []
    private var newest = 0

    /// Reads nothing yet.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - bytes: The number of bytes that are read at once.
    init(of file: any DiskFile, bytes: Int) {
        self.file = file
        self.bytes = bytes
    }

    /// Reads the next piece.
    ///
    /// - Parameters:
    ///   - rest: The unfinished line of the piece before.
    ///   - offset: The offset after that line in the file.
    ///   - limit: The offset at which reading ends.
    /// - Returns: The unfinished line and the bytes read after it; nil at the end.
    /// - Throws: The disk failed.
    mutating func next(
        _ rest: ArraySlice<UInt8>, at offset: Int, limit: Int
    ) throws(DiskFailure) -> [UInt8]? {
        guard offset < limit else { return nil }
        // The rest of a long line is copied with each piece, so the pieces grow with it, and are not kept.
        guard rest.count <= bytes else {
            var piece = Array(rest)
            let end = rest.count + min(max(bytes, rest.count), limit - offset)
            return try file.fill(&piece, rest.count..<end, at: offset) ? piece : nil
        }
        if pieces.count < Self.limit { pieces.append([]) }
        let next = (newest + 1) % pieces.count
        // An array that is in use elsewhere is copied here, any other is used again.
        // It keeps its length, because bytes that are added are cleared first.
        pieces[next].setCount(max(rest.count, pieces[next].count))
        pieces[next].replaceSubrange(0..<rest.count, with: rest)
        let end = rest.count + min(bytes, limit - offset)
        guard try file.fill(&pieces[next], rest.count..<end, at: offset) else { return nil }
        newest = next
        return pieces[next]
    }
}

extension DiskFile {
    /// Reads into a part of a piece, which ends after what was read; false at the end of the file.
    ///
    /// Not a method of `FilePieces`: a call would hold a copy of it, so that each piece would be shared, and
    /// copied.
    fileprivate func fill(
        _ piece: inout [UInt8], _ part: Range<Int>, at offset: Int
    ) throws(DiskFailure) -> Bool {
        piece.setCount(part.upperBound)
        let got = try read(into: &piece, from: part.lowerBound, at: offset)
        piece.setCount(part.lowerBound + got)
        return got > 0
    }
}

extension [UInt8] {
    fileprivate mutating func setCount(_ count: Int) {
        guard self.count < count else { return removeLast(self.count - count) }
        // Rests have different lengths. Without this the array would double itself.
        if capacity < count { reserveCapacity(count + 1024) }
        // An array of zeros is added at once; `repeatElement` goes byte by byte if nothing is optimized.
        append(contentsOf: [UInt8](repeating: 0, count: count - self.count))
    }
}
