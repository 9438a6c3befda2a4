internal import CCRC32C
internal import PaymentCore
internal import StrictJSON

/// The layout of an index file.
///
/// A header of one JSON line, filled up with spaces to whole blocks; the blocks of each section; the
/// first hash of each block and the words of the filter; a footer of one block. A checksum covers
/// each part, and each block has its own, seeded with that of the header.
enum IndexFormat {
    static let blockBytes = 4096
    /// A block begins with checksum, number of entries, section and number.
    static let blockHeaderBytes = 16
    static let entriesPerBlock = (blockBytes - blockHeaderBytes) / IndexEntry.bytes

    private static let formatName = "payqueued-index"
    private static let version: Int64 = 1

    /// The header of an index over some files.
    static func header(_ files: [ArchiveFile], of store: UniqueID) -> [UInt8] {
        var writer = JSONWriter(capacity: blockBytes)
        writer.beginObject()
        writer.name("files")
        writer.beginArray()
        for file in files {
            writer.element()
            file.encode(into: &writer)
        }
        writer.endArray()
        writer.name("format")
        writer.string(formatName)
        writer.name("store")
        writer.identifier(store)
        writer.name("version")
        writer.integer(version)
        writer.endObject()
        var bytes = writer.bytes
        let padding = blockBytes - 1 - bytes.count % blockBytes
        bytes += [UInt8](repeating: UInt8(ascii: " "), count: padding)
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    /// The files of a header; nil if it is not one of this store and version.
    static func files(_ header: [UInt8], of store: UniqueID) -> [ArchiveFile]? {
        guard let value = try? JSONValue(parsing: header.span, limits: .trusted),
            value["format"]?.stringValue == formatName, value["version"]?.intValue == version,
            value["store"]?.stringValue == store.description,
            let files = value["files"]?.arrayValue
        else { return nil }
        let decoded = files.compactMap { ArchiveFile($0) }
        return decoded.count == files.count ? decoded : nil
    }

    static func checksum(_ bytes: ArraySlice<UInt8>, seed: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { ccrc32c(seed, $0.baseAddress, $0.count) }
    }
}

/// The last block of an index file.
struct IndexFooter: Equatable {
    var headerBytes: Int
    var headerChecksum: UInt32
    /// The number of entries of each section.
    var counts: [Int]
    /// The number of words of the filter.
    var filterWords: Int
    /// Covers the first hashes and the filter.
    var tailChecksum: UInt32

    private static let magic = Array("payqueued-index1".utf8)
    /// No number of a footer is as large, so that lengths computed from them do not overflow.
    private static let numberLimit: UInt64 = 1 << 40

    /// The number of blocks of each section.
    var blocks: [Int] {
        counts.map { ($0 + IndexFormat.entriesPerBlock - 1) / IndexFormat.entriesPerBlock }
    }

    /// The number of bytes between the blocks and the footer.
    var tailBytes: Int { blocks.reduce(0, +) * 8 + filterWords * 4 }

    /// The length of the file in bytes.
    var fileBytes: Int {
        headerBytes + (blocks.reduce(0, +) + 1) * IndexFormat.blockBytes + tailBytes
    }

    var encoded: [UInt8] {
        var bytes = Self.magic
        bytes.append(number: UInt64(headerBytes))
        bytes.append(number: UInt64(headerChecksum))
        bytes.append(number: UInt64(filterWords))
        bytes.append(number: UInt64(tailChecksum))
        for count in counts { bytes.append(number: UInt64(count)) }
        bytes += [UInt8](repeating: 0, count: IndexFormat.blockBytes - 8 - bytes.count)
        bytes.append(number: UInt64(IndexFormat.checksum(bytes[...])))
        return bytes
    }

    init(
        headerBytes: Int, headerChecksum: UInt32, counts: [Int], filterWords: Int,
        tailChecksum: UInt32
    ) {
        self.headerBytes = headerBytes
        self.headerChecksum = headerChecksum
        self.counts = counts
        self.filterWords = filterWords
        self.tailChecksum = tailChecksum
    }

    /// Reads a footer; nil if the bytes are not one.
    init?(_ bytes: [UInt8]) {
        let sum = IndexFormat.blockBytes - 8
        guard bytes.count == IndexFormat.blockBytes, bytes.starts(with: Self.magic),
            bytes.number(at: sum) == UInt64(IndexFormat.checksum(bytes[..<sum]))
        else { return nil }
        let words = (0..<4 + IndexSection.allCases.count).map { bytes.number(at: 16 + $0 * 8) }
        guard words.allSatisfy({ $0 < Self.numberLimit }),
            let header = UInt32(exactly: words[1]), let tail = UInt32(exactly: words[3])
        else { return nil }
        self.init(
            headerBytes: Int(words[0]), headerChecksum: header,
            counts: words[4...].map { Int($0) }, filterWords: Int(words[2]), tailChecksum: tail)
    }
}

extension [UInt8] {
    /// Appends eight bytes, the lowest first.
    mutating func append(number: UInt64) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    /// Reads eight bytes.
    func number(at offset: Int) -> UInt64 {
        withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
    }

    /// Reads words of four bytes.
    func words(at offset: Int, count: Int) -> [UInt32] {
        withUnsafeBytes { bytes in
            (0..<count).map {
                UInt32(
                    littleEndian: bytes.loadUnaligned(
                        fromByteOffset: offset + 4 * $0, as: UInt32.self))
            }
        }
    }
}
