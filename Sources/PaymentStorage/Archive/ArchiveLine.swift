internal import PaymentCore
internal import StrictJSON

/// One line of an archive file: `{"c":"8f3a01bc","s":1042,"t":"finished","d":{…}}`.
///
/// `s` is the sequence number of the record that closed the thing; it never decreases. The checksum
/// continues from the line before, as in the journal.
struct ArchiveLine {
    /// The record that closed the thing.
    let sequence: SequenceNumber
    /// The type word and the payload: an item as in snapshots.
    let content: LineContent

    /// Reads a line; nil if it has another shape.
    init?(_ range: Range<Int>, in bytes: [UInt8]) {
        guard let (sequence, end) = Self.sequence(range, in: bytes),
            let content = LineContent(
                itemLine: range, typeAt: end, after: ",\"t\":\"", in: bytes)
        else { return nil }
        self.sequence = sequence
        self.content = content
    }

    /// The sequence number of a line and the offset after it; nil if it has another shape.
    static func sequence(
        _ range: Range<Int>, in bytes: [UInt8]
    ) -> (SequenceNumber, end: Int)? {
        var position = range.lowerBound + LineFormat.coveredOffset + 4
        let start = position
        var value: SequenceNumber = 0
        while position < range.upperBound, case let digit = bytes[position] &- 0x30, digit < 10 {
            value = value * 10 + SequenceNumber(digit)
            guard value < LineFormat.sequenceLimit else { return nil }
            position += 1
        }
        return position > start ? (value, position) : nil
    }

    /// Begins a line, with room for its checksum.
    static func begin(_ sequence: SequenceNumber, _ writer: inout JSONWriter) {
        writer.raw("{\"c\":\"00000000\",\"s\":")
        writer.integer(sequence)
        writer.raw(",\"t\":\"")
    }

    /// Sets the checksum of the line that began at an offset and ends the line.
    ///
    /// - Returns: The checksum, the seed of the next line.
    static func end(_ writer: inout JSONWriter, lineAt start: Int, seed: UInt32) -> UInt32 {
        let checksum = writer.bytes.withUnsafeBytes { bytes in
            LineFormat.checksum(UnsafeRawBufferPointer(rebasing: bytes[start...]), seed: seed)
        }
        LineFormat.put(checksum, into: &writer.bytes, lineAt: start)
        writer.raw("\n")
        return checksum
    }
}

/// The first line of an archive file.
struct ArchiveHeader: Equatable {
    var kind: ArchiveFile.Kind
    /// The first sequence number that the file covers.
    var first: SequenceNumber
    /// The store of the file.
    var store: UniqueID

    static let formatName = "payqueued-archive"
    static let version: UInt64 = 1

    func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("first")
        writer.integer(first)
        writer.name("format")
        writer.string(Self.formatName)
        writer.name("kind")
        writer.string(kind.rawValue)
        writer.name("store")
        writer.identifier(store)
        writer.name("version")
        writer.integer(Self.version)
        writer.endObject()
    }

    init(kind: ArchiveFile.Kind, first: SequenceNumber, store: UniqueID) {
        self.kind = kind
        self.first = first
        self.store = store
    }

    init(_ content: LineContent) throws(PayloadFault) {
        guard content.isWord("archive") else { throw PayloadFault("the header is missing") }
        var members = try MemberCursor(content, object: content.payloadOffset)
        first = try content.unsigned(members.require("first"))
        guard try content.isString(members.require("format"), Self.formatName) else {
            throw PayloadFault("the file has another format")
        }
        let kind = try content.string(members.require("kind"))
        guard let kind = ArchiveFile.Kind(rawValue: kind) else {
            throw PayloadFault("'\(kind)' is not a kind of file")
        }
        self.kind = kind
        store = try content.identifier(members.require("store"))
        guard try content.unsigned(members.require("version")) == Self.version else {
            throw PayloadFault("the file has another version")
        }
    }
}

/// The last line of an archive file, which proves that all lines before it are present.
struct ArchiveSeal: Equatable {
    /// The number of lines without header and seal.
    var count: UInt64
    /// The time of the newest line.
    var newest: Timestamp
    /// SHA-256 of all lines before the seal.
    var digest: String

    func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("count")
        writer.integer(count)
        writer.name("newest")
        writer.timestamp(newest)
        writer.name("sha256")
        writer.string(digest)
        writer.endObject()
    }

    init(count: UInt64, newest: Timestamp, digest: String) {
        self.count = count
        self.newest = newest
        self.digest = digest
    }

    init(_ content: LineContent) throws(PayloadFault) {
        var members = try MemberCursor(content, object: content.payloadOffset)
        count = try content.unsigned(members.require("count"))
        newest = try content.timestamp(members.require("newest"))
        digest = try content.string(members.require("sha256"))
    }
}
