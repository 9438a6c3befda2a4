public import PaymentCore

/// The files of a journal in numbers, read without a lock and without changes.
public struct JournalStats: Sendable, Hashable {
    /// Files of one kind.
    public struct Files: Sendable, Hashable {
        /// The number of files.
        public internal(set) var count = 0
        /// Their length in bytes.
        public internal(set) var bytes = 0
    }

    /// Segments of the log.
    public internal(set) var segments = Files()
    /// Snapshots of the queue.
    public internal(set) var snapshots = Files()
    /// Files of closed things.
    public internal(set) var archives = Files()
    /// Files with the orders of what retention dropped.
    public internal(set) var ledgers = Files()
    /// Indexes of the last two.
    public internal(set) var indexes = Files()
    /// The first sequence number that the log keeps.
    public internal(set) var oldest: SequenceNumber?
    /// The time when the oldest segment was begun.
    public internal(set) var began: Timestamp?
    /// The newest snapshot, by the last sequence number in it.
    public internal(set) var snapshot: SequenceNumber?
    /// The lines of closed things.
    public internal(set) var closedLines: UInt64 = 0
    /// The time of the oldest and of the newest of them.
    public internal(set) var closed: ClosedRange<Timestamp>?
    /// The files of closed things without an intact index.
    public internal(set) var unindexed: [String] = []

    /// Reads the numbers of a directory. Most lines are not read.
    ///
    /// - Parameter disk: The directory.
    /// - Throws: The directory cannot be listed.
    public init(_ disk: any Disk) throws(DiskFailure) {
        let inventory = try Inventory(disk)
        for name in try disk.list() {
            guard let status = try disk.status(of: name), status.kind == .regular else { continue }
            count(name, status.length)
        }
        oldest = inventory.segments.first
        if let first = oldest { began = Self.began(first, disk) }
        for last in inventory.snapshots.reversed() {
            let name = FileName.snapshot(last: last)
            guard let header = try? SnapshotHeader(of: name, on: disk) else { continue }
            snapshot = last
            if let history = header.history { note(history, disk) }
            return
        }
    }

    private mutating func count(_ name: String, _ bytes: Int) {
        let kind: WritableKeyPath<JournalStats, Files>
        if FileName.segmentFirst(name) != nil {
            kind = \.segments
        } else if FileName.snapshotLast(name) != nil {
            kind = \.snapshots
        } else if ArchiveFile.isName(name) {
            let isLedger = name.hasPrefix(ArchiveFile.Kind.ledger.rawValue)
            kind = name.hasSuffix(".index") ? \.indexes : isLedger ? \.ledgers : \.archives
        } else {
            return
        }
        self[keyPath: kind].count += 1
        self[keyPath: kind].bytes += bytes
    }

    private mutating func note(_ history: HistoryFiles, _ disk: any Disk) {
        let files = history.manifest.files
        closedLines = files.reduce(0) { $0 + $1.lines }
        if let oldest = files.map(\.oldest).min(), let newest = files.map(\.newest).max() {
            closed = oldest...max(oldest, newest)
        }
        let builder = ArchiveBuilder(on: disk, of: history.id, products: ArchiveProducts())
        let archives = try? builder.open(history.manifest)
        // Without the files there is nothing that an index could be of.
        unindexed = (archives?.unindexed ?? files).map(\.name)
    }

    private static func began(_ first: SequenceNumber, _ disk: any Disk) -> Timestamp? {
        guard let file = try? disk.open(FileName.segment(first: first), .read),
            let length = try? file.length()
        else { return nil }
        var scanner = SegmentScanner(
            file: file, limit: length, expected: first, sliceBytes: 4096,
            lineLimit: JournalPolicy().lineLimitBytes)
        guard case .line(let line)? = try? scanner.next() else { return nil }
        return try? line.time()
    }
}
