internal import PaymentCore

/// The journal that the embedded store had for itself until its records moved to the log of the queue.
enum SeparateStore {
    /// Its directory below the state directory.
    static let directory = "sandbox"
    /// Whether there is one.
    static func exists(on disk: any Disk) throws(DiskFailure) -> Bool {
        guard try disk.status(of: directory)?.kind == .directory else { return false }
        return try Inventory(disk.directory(directory, create: false)).hasJournal
    }

    /// Where its files are kept below `quarantine/`. The epoch changes with a restored backup, so that the
    /// files of two merges have two places.
    private static func place(_ format: StoreFormat) -> String { "format-1-\(format.epoch)" }

    /// Moves its files to the quarantine, after the log of the queue has their content. After an interruption
    /// it moves the rest. The files are no longer used, so a failure does no harm.
    ///
    /// - Parameters:
    ///   - format: The format of the merged store.
    ///   - disk: The state directory.
    /// - Returns: The reason why files are still there; nil if there are none.
    static func moveAway(_ format: StoreFormat, on disk: any Disk) -> String? {
        guard let since = format.storeSince, since > 0 else { return nil }
        do {
            try moveAway(to: place(format), on: disk)
            return nil
        } catch {
            return error.description
        }
    }

    /// A file gets its second name on stable storage before it loses the first.
    private static func moveAway(to place: String, on disk: any Disk) throws(DiskFailure) {
        guard try disk.status(of: directory)?.kind == .directory else { return }
        let inner = try disk.directory(directory, create: false)
        var names: [String] = []
        for name in try inner.list() where try inner.status(of: name)?.kind == .regular {
            names.append(name)
        }
        if !names.isEmpty { try move(names, of: inner, to: place, on: disk) }
        // Copies of torn ends, if it has any, stay where they are.
        guard try inner.list().isEmpty else { return }
        try disk.remove(directory)
        try disk.sync()
    }

    private static func move(
        _ names: [String], of inner: any Disk, to place: String, on disk: any Disk
    ) throws(DiskFailure) {
        let quarantine = try disk.directory(FileName.quarantine, create: true)
        let aside = try quarantine.directory(place, create: true)
        for name in names where try aside.status(of: name) == nil {
            try inner.link(name, into: aside, as: name)
        }
        try aside.sync()
        try quarantine.sync()
        try disk.sync()
        for name in names where try isSame(name, inner, aside) { try inner.remove(name) }
        try inner.sync()
    }

    /// Whether two directories have a file of the same name and bytes.
    private static func isSame(
        _ name: String, _ one: any Disk, _ other: any Disk
    ) throws(DiskFailure) -> Bool {
        let left = try one.open(name, .read)
        let right = try other.open(name, .read)
        let length = try left.length()
        guard try right.length() == length else { return false }
        var offset = 0
        while offset < length {
            let bytes = try left.readBytes(at: offset, count: min(1 << 20, length - offset))
            guard !bytes.isEmpty, try right.readBytes(at: offset, count: bytes.count) == bytes
            else { return false }
            offset += bytes.count
        }
        return true
    }
}

/// Passes the lines of a separate store on as records of the store.
final class SeparateStoreVisitor: RecoveryVisitor {
    private let replay: any LogReplay
    private let hear: (RecoveryProgress) -> Void

    init(_ replay: any LogReplay, hear: @escaping (RecoveryProgress) -> Void) {
        self.replay = replay
        self.hear = hear
    }

    func snapshotLine(_ content: LineContent) throws -> Bool {
        try replay.load(store: content.separateStoreRecord)
        return true
    }

    func snapshotIsComplete(lastEvent: SequenceNumber) {}

    func event(_ line: JournalLine) throws -> Bool {
        try replay.replay(store: line.content.separateStoreRecord)
        return true
    }

    func progress(_ progress: RecoveryProgress) {
        hear(progress)
    }
}

extension LineContent {
    /// The line of a separate store, whose types have no prefix, as a record of the store.
    fileprivate var separateStoreRecord: StoreRecord {
        StoreRecord(word: word, payload: Array(bytes[payloadOffset..<range.upperBound - 1]))
    }
}
