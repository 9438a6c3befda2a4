internal import PaymentCore
internal import StrictJSON

/// The first line of a snapshot: its store and the last line that it includes.
struct SnapshotHeader: Sendable {
    /// The identifier of the store.
    var store: UniqueID
    /// The epoch of the store.
    var epoch: String
    /// The time of the snapshot.
    var created: Timestamp
    /// The program that wrote it.
    var build: String
    /// The position in the log from which a journal continues.
    var position: LogJudge.Position
    /// The files of closed things; nil in snapshots of earlier versions and of the embedded store,
    /// which have all closed things in them.
    var history: HistoryFiles?

    static let formatName = "payqueued-snapshot"
    static let version: UInt64 = 1

    init(
        store: UniqueID, epoch: String, created: Timestamp, build: String,
        position: LogJudge.Position
    ) {
        self.store = store
        self.epoch = epoch
        self.created = created
        self.build = build
        self.position = position
    }

    /// Appends the line without its line feed.
    func encode(into writer: inout JSONWriter) {
        writer.raw("{\"t\":\"snapshot\",\"d\":")
        writer.beginObject()
        writer.name("build")
        writer.string(build)
        writer.name("c")
        writer.string(LineFormat.hex(position.previous?.checksum ?? 0))
        writer.name("created")
        writer.timestamp(created)
        writer.name("epoch")
        writer.string(epoch)
        writer.name("format")
        writer.string(Self.formatName)
        if let history {
            writer.name("history")
            history.encode(into: &writer)
        }
        writer.name("last")
        writer.integer(position.lastEvent)
        writer.name("s")
        writer.integer(position.next - 1)
        writer.name("segment")
        writer.integer(position.segmentNumber)
        writer.name("sha256")
        writer.string(position.previous?.digest ?? "")
        writer.name("store")
        writer.identifier(store)
        if position.storeBytes > 0 {
            writer.name("storeBytes")
            writer.integer(position.storeBytes)
        }
        writer.name("version")
        writer.integer(Self.version)
        writer.raw("}}")
    }

    /// Reads the first line of a snapshot, and verifies nothing else.
    init(of name: String, on disk: any Disk) throws {
        let file = try disk.open(name, .read)
        var reader = TextLines(file: file, length: try file.length())
        guard let line = try reader.next() else { throw PayloadFault("the header is missing") }
        try self.init(line)
    }

    /// Reads the line.
    init(_ line: ArraySlice<UInt8>) throws(PayloadFault) {
        let bytes = Array(line)
        guard let content = LineContent(snapshotLine: bytes.indices, in: bytes) else {
            throw PayloadFault("the header is missing")
        }
        try self.init(content)
    }

    /// Reads the line.
    init(_ content: LineContent) throws(PayloadFault) {
        guard content.isWord("snapshot") else { throw PayloadFault("the header is missing") }
        var members = try MemberCursor(content, object: content.payloadOffset)
        build = try content.string(members.require("build"))
        guard let checksum = LineFormat.checksum(hex: try content.string(members.require("c")))
        else { throw PayloadFault("a checksum is missing") }
        created = try content.timestamp(members.require("created"))
        epoch = try content.string(members.require("epoch"))
        guard try content.string(members.require("format")) == Self.formatName else {
            throw PayloadFault("it is not a snapshot")
        }
        history = try content.optional(members.take("history")) {
            offset throws(PayloadFault) in try HistoryFiles(content, offset)
        }
        position = LogJudge.Position()
        position.lastEvent = try content.count(members.require("last"))
        position.next = try content.count(members.require("s")) + 1
        position.segmentNumber = try content.count(members.require("segment"))
        position.previous = SegmentHeader.Previous(
            checksum: checksum, digest: try content.string(members.require("sha256")))
        store = try content.identifier(members.require("store"))
        position.storeBytes =
            try content.optional(members.take("storeBytes"), content.count) ?? 0
        guard try content.unsigned(members.require("version")) == Self.version else {
            throw PayloadFault("it has another version")
        }
    }
}

/// The last line of a snapshot, which proves that all lines before it are unchanged.
struct SnapshotTrailer: Sendable, Equatable {
    /// The number of lines before it, the header included.
    let lines: UInt64
    /// SHA-256 of all bytes before it, 64 hexadecimal digits.
    let digest: String
    /// CRC-32C of all bytes before it, and of the number of lines and the digest in it; nil in a snapshot of an
    /// earlier version. A start compares this one, as it does for the lines of the journal:
    /// the digest takes five times as long.
    let sum: UInt32?

    /// The line has fewer bytes than this.
    static let limit = 256

    /// Creates the last line.
    ///
    /// - Parameters:
    ///   - lines: The number of lines before it.
    ///   - digest: SHA-256 of their bytes.
    ///   - sum: CRC-32C of their bytes; nil to leave the sum out.
    init(lines: UInt64, digest: String, sumOfLines sum: UInt32?) {
        self.lines = lines
        self.digest = digest
        self.sum = sum.map { LineFormat.sum(Self.beginning(lines, digest).bytes, after: $0) }
    }

    /// Whether the sum is there, and is that of the lines before it and of this one.
    func isProven(bySumOfLines sum: UInt32) -> Bool {
        self.sum != nil && self == Self(lines: lines, digest: digest, sumOfLines: sum)
    }

    /// Appends the line without its line feed.
    func encode(into writer: inout JSONWriter) {
        writer.raw(Self.beginning(lines, digest).bytes)
        if let sum {
            writer.raw(",\"sum\":")
            writer.string(LineFormat.hex(sum))
        }
        writer.raw("}")
    }

    /// The line up to the sum.
    private static func beginning(_ lines: UInt64, _ digest: String) -> JSONWriter {
        var writer = JSONWriter(capacity: limit)
        writer.raw("{\"lines\":")
        writer.integer(lines)
        writer.raw(",\"sha256\":")
        writer.string(digest)
        return writer
    }

    /// Reads the line; nil if it is not a trailer.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count < Self.limit, let value = try? JSONValue(parsing: Array(bytes)),
            let lines = value["lines"]?.intValue, lines >= 0,
            let digest = value["sha256"]?.stringValue
        else { return nil }
        self.lines = UInt64(lines)
        self.digest = digest
        sum = value["sum"]?.stringValue.flatMap(LineFormat.checksum(hex:))
        // Nothing covers the name of the sum: a changed one must not make this a line without a sum.
        guard case .object(let members) = value, members.count == (sum == nil ? 2 : 3)
        else { return nil }
    }
}
