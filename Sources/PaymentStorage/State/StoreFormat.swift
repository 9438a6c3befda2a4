public import PaymentCore
internal import StrictJSON

/// The content of `format.json`: the identity of the store and the version of its files.
public struct StoreFormat: Sendable, Hashable {
    /// The identifier of the store, which every file of it contains.
    public var store: UniqueID
    /// The epoch; it changes only with a reset or a restored backup.
    public var epoch: String
    /// The time when the store was created.
    public var created: Timestamp
    /// The version of the file format.
    public var version: UInt64
    /// The oldest program version that can read the files.
    public var minimumReader: UInt64
    /// The stores that belong to this one, by the names of their directories, such as `sandbox`. One
    /// without the other would lose orders. Only directories of earlier versions have any.
    var parts: [String: UniqueID] = [:]
    /// The snapshot since which the log has the records of the embedded store; 0 if the log had them from
    /// its first line on. Nil if an embedded store has, or may have, a journal of its own.
    var storeSince: SequenceNumber?
    /// Whether the file had a checksum. Earlier programs wrote none.
    fileprivate(set) var isChecked = true

    static let name = "payqueued"
    /// Version 2 added questions, restores, revocations, named observers, and attempt numbers of
    /// transactions. A program of version 1 would stop at the first four and silently lose the
    /// last. Version 3 moved closed things from the snapshots to archive files, where an older
    /// program would not find used keys, and the records of the embedded store into the log.
    static let currentVersion: UInt64 = 3
    /// The version that lines of the queue need. A program of this version refuses lines of the embedded
    /// store, and closed things are moved by a snapshot, which needs version 3.
    static let lineVersion: UInt64 = 2

    /// Creates the format of a new store.
    init(store: UniqueID, epoch: String, created: Timestamp) {
        self.store = store
        self.epoch = epoch
        self.created = created
        version = Self.currentVersion
        minimumReader = Self.currentVersion
    }

    /// Creates a format with a random identifier and epoch.
    static func new(_ environment: StorageEnvironment) -> StoreFormat {
        let store = UniqueID(
            randomHigh: environment.random(), randomLow: environment.random())
        let epoch = UniqueID(high: environment.random(), low: 0).description
        let short = epoch.filter { $0 != "-" }.prefix(16)
        return StoreFormat(store: store, epoch: String(short), created: environment.now())
    }

    /// The format with which this program continues the store; nil if the file already has it.
    ///
    /// Existing files stay unchanged, because this program reads every earlier version.
    ///
    /// - Parameters:
    ///   - parts: The stores that were opened with this one.
    ///   - isWhole: Whether the log has all records of an embedded store, because there is no journal of
    ///     its own.
    /// - Returns: The format; nil if nothing changes.
    func raised(adding parts: [String: UniqueID] = [:], isWhole: Bool = false) -> StoreFormat? {
        let parts = self.parts.merging(parts) { _, opened in opened }
        let storeSince = storeSince ?? (isWhole ? 0 : nil)
        guard
            version < Self.currentVersion || !isChecked || parts != self.parts
                || storeSince != self.storeSince
        else { return nil }
        var format = self
        format.storeSince = storeSince
        format.version = max(version, Self.currentVersion)
        format.minimumReader = max(minimumReader, Self.currentVersion)
        format.parts = parts
        format.isChecked = true
        return format
    }

    /// Whether the log has the records of the embedded store. While a journal of its own is still there, the
    /// items of the store in snapshots do not count: a start that merges the two has not come to its end.
    func storeIsInLog(on disk: any Disk) throws(DiskFailure) -> Bool {
        if storeSince != nil { return true }
        return try !SeparateStore.exists(on: disk)
    }

    /// The text of the file.
    var bytes: [UInt8] { CheckedText.text(writeMembers) + [UInt8(ascii: "\n")] }

    private func writeMembers(_ writer: inout JSONWriter) {
        writer.name("created")
        writer.timestamp(created)
        writer.name("epoch")
        writer.string(epoch)
        writer.name("format")
        writer.string(Self.name)
        writer.name("minimumReader")
        writer.integer(minimumReader)
        if !parts.isEmpty { Self.write(parts, to: &writer) }
        writer.name("store")
        writer.identifier(store)
        if let storeSince {
            writer.name("storeSince")
            writer.integer(storeSince)
        }
        writer.name("version")
        writer.integer(version)
    }

    /// Writes the member that names the stores in subdirectories.
    static func write(_ parts: [String: UniqueID], to writer: inout JSONWriter) {
        writer.name("parts")
        writer.beginObject()
        for (name, store) in parts.sorted(by: { $0.key < $1.key }) {
            writer.name(name)
            writer.identifier(store)
        }
        writer.endObject()
    }

    /// Reads the file of a directory.
    init(reading disk: any Disk) throws {
        try self.init(disk.open(FileName.format, .read).readAll(limit: 1 << 16))
    }

    /// Reads the text of the file.
    init(_ bytes: [UInt8]) throws(RecoveryRefusal) {
        func refusal(_ detail: String) -> RecoveryRefusal {
            RecoveryRefusal(.badFormatFile, file: FileName.format, detail: detail)
        }
        guard let value = try? JSONValue(parsing: bytes, limits: .trusted) else {
            throw refusal("it is not JSON")
        }
        guard value["format"]?.stringValue == Self.name,
            let version = value["version"]?.intValue.flatMap({ UInt64(exactly: $0) }),
            let minimum = value["minimumReader"]?.intValue.flatMap({ UInt64(exactly: $0) })
        else { throw refusal("it does not describe a state directory of payqueued") }
        let isRight = CheckedText.isRight(bytes.dropLast())
        guard isRight != false else { throw refusal("its checksum does not match") }
        guard minimum <= Self.currentVersion else {
            throw RecoveryRefusal(
                .unsupportedVersion, file: FileName.format,
                detail: "the files need a program that reads version \(minimum); this one reads "
                    + "\(Self.currentVersion)")
        }
        guard let store = value["store"]?.stringValue.flatMap({ UniqueID($0) }),
            let epoch = value["epoch"]?.stringValue, (1...64).contains(epoch.utf8.count),
            let created = value["created"]?.stringValue.flatMap({ Timestamp($0) })
        else { throw refusal("'store', 'epoch' or 'created' is missing") }
        self.store = store
        self.epoch = epoch
        self.created = created
        self.version = version
        minimumReader = minimum
        isChecked = isRight != nil
        storeSince = value["storeSince"]?.intValue.flatMap { SequenceNumber(exactly: $0) }
        for member in value["parts"]?.members ?? [] {
            guard let part = member.value.stringValue.flatMap({ UniqueID($0) }) else {
                throw refusal("'parts' names no store for '\(member.name)'")
            }
            parts[member.name] = part
        }
        // A file of an earlier program has no checksum. It has exactly one spelling, so a changed byte is
        // detected.
        guard
            isChecked || bytes.dropLast() == [UInt8(ascii: "{")] + CheckedText.covered(writeMembers)
        else {
            throw refusal("it was changed: it has no checksum, and is not as it was written")
        }
    }
}
