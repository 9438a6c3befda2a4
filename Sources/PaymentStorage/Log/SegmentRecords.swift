internal import PaymentCore
internal import StrictJSON

/// The first line of a segment: what it is and what it follows.
struct SegmentHeader: Sendable, Equatable {
    /// The name of the store to which the segment belongs.
    var store: UniqueID
    /// Counts the segments of the store from 1.
    var number: UInt64
    /// The sequence number of the last event before this segment, 0 if there is none.
    var lastEvent: SequenceNumber
    /// The bytes of all lines of the embedded store before this segment, since the log began. The
    /// difference of two headers says how many of a segment's bytes are not events.
    var storeBytes: UInt64
    /// The checksum of the last line of the segment before and the digest of its bytes.
    var previous: Previous?
    /// The program that wrote the segment.
    var build: String

    /// How the segment before ended.
    struct Previous: Sendable, Equatable {
        /// The checksum of its last line.
        var checksum: UInt32
        /// SHA-256 of all its bytes up to its end, 64 hexadecimal digits.
        var digest: String
    }

    static let formatName = "payqueued-journal"
    static let version: UInt64 = 1

    /// Appends the payload.
    func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("build")
        writer.string(build)
        writer.name("format")
        writer.string(Self.formatName)
        writer.name("last")
        writer.integer(lastEvent)
        writer.name("previous")
        if let previous {
            writer.beginObject()
            writer.name("c")
            writer.string(LineFormat.hex(previous.checksum))
            writer.name("sha256")
            writer.string(previous.digest)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.name("segment")
        writer.integer(number)
        writer.name("store")
        writer.string(store.description)
        if storeBytes > 0 {
            writer.name("storeBytes")
            writer.integer(storeBytes)
        }
        writer.name("version")
        writer.integer(Self.version)
        writer.endObject()
    }

    init(
        store: UniqueID, number: UInt64, lastEvent: SequenceNumber, storeBytes: UInt64,
        previous: Previous?, build: String
    ) {
        self.storeBytes = storeBytes
        self.store = store
        self.number = number
        self.lastEvent = lastEvent
        self.previous = previous
        self.build = build
    }

    /// Reads the payload of a verified first line.
    init(_ line: JournalLine) throws(PayloadFault) {
        let content = line.content
        guard content.isWord("segment") else { throw PayloadFault("the header is missing") }
        var members = try MemberCursor(content, object: content.payloadOffset)
        build = try content.string(members.require("build"))
        guard try content.string(members.require("format")) == Self.formatName else {
            throw PayloadFault("the segment has another format")
        }
        lastEvent = try content.count(members.require("last"))
        previous = try Self.previous(content, members.require("previous"))
        number = try content.count(members.require("segment"))
        store = try content.identifier(members.require("store"))
        storeBytes = try content.optional(members.take("storeBytes"), content.count) ?? 0
        guard try content.unsigned(members.require("version")) == Self.version else {
            throw PayloadFault("the segment has another version")
        }
    }

    private static func previous(
        _ content: LineContent, _ offset: Int
    ) throws(PayloadFault) -> Previous? {
        if content.isNull(offset) { return nil }
        var members = try MemberCursor(content, object: offset)
        guard let checksum = LineFormat.checksum(hex: try content.string(members.require("c")))
        else { throw PayloadFault("a checksum is missing") }
        return Previous(
            checksum: checksum, digest: try content.string(members.require("sha256")))
    }
}

/// The last line of a segment that nothing is added to any more.
struct SegmentSeal: Sendable, Equatable {
    /// The number of lines before the seal.
    var count: UInt64
    /// SHA-256 of everything before the seal, 64 hexadecimal digits.
    var digest: String

    /// Appends the payload.
    func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("count")
        writer.integer(count)
        writer.name("sha256")
        writer.string(digest)
        writer.endObject()
    }

    init(count: UInt64, digest: String) {
        self.count = count
        self.digest = digest
    }

    /// Reads the payload of a verified line.
    init(_ line: JournalLine) throws(PayloadFault) {
        let content = line.content
        var members = try MemberCursor(content, object: content.payloadOffset)
        count = try content.unsigned(members.require("count"))
        digest = try content.string(members.require("sha256"))
    }
}
