public import PaymentCore
public import StrictJSON

/// An immutable file of closed things, as the manifest names it.
public struct ArchiveFile: Sendable, Hashable {
    /// The content of a file.
    public enum Kind: String, Sendable, Hashable {
        /// Closed things, complete.
        case archive
        /// Orders and revocations of dropped archive files. Never dropped.
        case ledger
    }

    /// The content of the file.
    public let kind: Kind
    /// The first sequence number that the file covers.
    public let first: SequenceNumber
    /// The last sequence number that the file covers.
    public let last: SequenceNumber
    /// The length in bytes.
    public let bytes: Int
    /// The number of lines without header and seal.
    public let lines: UInt64
    /// The time of the oldest line.
    public let oldest: Timestamp
    /// The time of the newest line.
    public let newest: Timestamp
    /// SHA-256 of all lines before the seal, 64 hexadecimal digits.
    public let digest: String
    /// The bytes of closed transactions by the user whose calls created them. Earlier versions counted none.
    public let bytesByUser: [UInt32: Int]

    /// The name of the file.
    public var name: String { "\(baseName).ndjson" }

    /// The name of an index that begins with this file and ends with `end`.
    func indexName(through end: ArchiveFile) -> String {
        "\(kind.rawValue)-\(FileName.padded(first))-\(FileName.padded(end.last)).index"
    }

    private var baseName: String {
        "\(kind.rawValue)-\(FileName.padded(first))-\(FileName.padded(last))"
    }

    /// Whether a name is one of an archive, a ledger or an index.
    static func isName(_ name: String) -> Bool {
        (name.hasPrefix("archive-") || name.hasPrefix("ledger-"))
            && (name.hasSuffix(".ndjson") || name.hasSuffix(".index"))
    }

    /// Whether a name is one of an archive or a ledger.
    static func isDataName(_ name: String) -> Bool { isName(name) && name.hasSuffix(".ndjson") }

    init(
        kind: Kind, first: SequenceNumber, last: SequenceNumber, bytes: Int, lines: UInt64,
        oldest: Timestamp, newest: Timestamp, digest: String, bytesByUser: [UInt32: Int] = [:]
    ) {
        self.kind = kind
        self.first = first
        self.last = last
        self.bytes = bytes
        self.lines = lines
        self.oldest = oldest
        self.newest = newest
        self.digest = digest
        self.bytesByUser = bytesByUser
    }

    /// Appends the file as a JSON object with sorted names.
    public func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("bytes")
        writer.integer(bytes)
        writer.name("first")
        writer.integer(first)
        writer.name("kind")
        writer.string(kind.rawValue)
        writer.name("last")
        writer.integer(last)
        writer.name("lines")
        writer.integer(lines)
        writer.name("newest")
        writer.timestamp(newest)
        writer.name("oldest")
        writer.timestamp(oldest)
        writer.name("sha256")
        writer.string(digest)
        if !bytesByUser.isEmpty {
            writer.name("users")
            writer.beginObject()
            for (user, bytes) in bytesByUser.sorted(by: { "\($0.key)" < "\($1.key)" }) {
                writer.name("\(user)")
                writer.integer(bytes)
            }
            writer.endObject()
        }
        writer.endObject()
    }

    /// Reads the object; nil if it has another shape.
    public init?(_ value: JSONValue) {
        guard let bytes = value["bytes"]?.intValue, let first = value["first"]?.intValue,
            let kind = value["kind"]?.stringValue.flatMap(Kind.init(rawValue:)),
            let last = value["last"]?.intValue, let lines = value["lines"]?.intValue,
            let newest = value["newest"]?.stringValue.flatMap({ Timestamp($0) }),
            let oldest = value["oldest"]?.stringValue.flatMap({ Timestamp($0) }),
            let digest = value["sha256"]?.stringValue, first > 0, last >= first, lines >= 0
        else { return nil }
        var users: [UInt32: Int] = [:]
        for member in value["users"]?.members ?? [] {
            guard let user = UInt32(member.name), let bytes = member.value.intValue, bytes >= 0
            else { return nil }
            users[user] = Int(bytes)
        }
        self.init(
            kind: kind, first: SequenceNumber(first), last: SequenceNumber(last),
            bytes: Int(bytes), lines: UInt64(lines), oldest: oldest, newest: newest,
            digest: digest, bytesByUser: users)
    }
}

/// The files that hold all closed things up to a sequence number. A snapshot contains the manifest;
/// a file that no snapshot names does not count.
public struct ArchiveManifest: Sendable, Hashable {
    /// The archive files in the order of closing.
    public internal(set) var archives: [ArchiveFile]
    /// The ledgers in the order of closing; they cover what retention dropped.
    public internal(set) var ledgers: [ArchiveFile]

    /// Creates a manifest of files in the order of closing.
    public init(_ files: [ArchiveFile] = []) {
        archives = files.filter { $0.kind == .archive }
        ledgers = files.filter { $0.kind == .ledger }
    }

    /// All files: ledgers first.
    public var files: [ArchiveFile] { ledgers + archives }

    /// The last sequence number that the files cover; 0 without files.
    public var last: SequenceNumber { archives.last?.last ?? ledgers.last?.last ?? 0 }
}

/// Closed things cannot be read or written.
public enum ArchiveFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A disk operation failed.
    case disk(DiskFailure)
    /// A file is not what was written.
    case damaged(file: String, offset: Int, reason: String)
    /// A file has no index yet, or its index was damaged.
    case notIndexed(file: String)

    /// A sentence that names the file.
    public var description: String {
        switch self {
        case .disk(let failure): failure.description
        case .damaged(let file, let offset, let reason):
            "'\(file)' is damaged at byte \(offset): \(reason)"
        case .notIndexed(let file): "'\(file)' has no index"
        }
    }

    /// The damage to a file of closed things; nil if the cause is another one.
    var damage: StorageDamage? {
        switch self {
        case .damaged(let file, let offset, let reason) where ArchiveFile.isDataName(file):
            StorageDamage(file: file, offset: offset, detail: reason)
        case .disk(let failure) where failure.isOfFile && ArchiveFile.isDataName(failure.name):
            StorageDamage(file: failure.name, isUnreadable: true, detail: failure.description)
        case .damaged, .disk, .notIndexed: nil
        }
    }
}

/// Runs a disk operation and translates its failure.
func onDisk<Result>(
    _ operation: @autoclosure () throws(DiskFailure) -> Result
) throws(ArchiveFailure) -> Result {
    do throws(DiskFailure) {
        return try operation()
    } catch {
        throw .disk(error)
    }
}
