internal import Crypto
internal import PaymentCore

/// Reads the journal of a directory and judges what it is worth. Changes nothing.
///
/// A start executes the verdict: it opens a sound journal, and refuses with the finding about a damaged
/// one. `journal verify` prints the same verdict, and a repair begins from it. Only here is decided
/// which bytes count.
struct LogJudge {
    let disk: any Disk
    let policy: JournalPolicy
    let visitor: any RecoveryVisitor
    /// Whether everything is read that the directory keeps, and not only what a start needs.
    let isDeep: Bool
    var report = RecoveryReport()
    /// The snapshot that the state was begun from.
    var loadedSnapshot: SnapshotMark?
    /// Lines that the lock file names; each was durable before.
    var durable: [LockFile.CleanStop] = []
    /// Findings about files that a start does not need. Empty unless the judge reads deep.
    var furtherFindings: [RecoveryRefusal] = []
    /// The store, once its format file was read.
    var store: UniqueID?
    /// The first line that was read.
    var firstLine: SequenceNumber?
    var progress = RecoveryProgress(bytesDone: 0, bytesTotal: 0)

    /// Where the log has come to after the lines read so far.
    struct Position {
        /// The sequence number that the next line must have.
        var next: SequenceNumber = 1
        /// The sequence number of the last event.
        var lastEvent: SequenceNumber = 0
        /// The number of the last segment, 0 before the first.
        var segmentNumber: UInt64 = 0
        /// How the last segment ended, as far as is known; the digest may be missing.
        var previous: SegmentHeader.Previous?
    }

    /// The worth of a directory.
    enum Verdict {
        /// There is no store here yet; a start makes one.
        case empty(Inventory)
        /// All that a start reads can be trusted. A start continues from it.
        case sound(Inventory, Found)
        /// A start refuses the directory for this reason.
        case damaged(RecoveryRefusal)
    }

    init(
        _ disk: any Disk, policy: JournalPolicy, visitor: any RecoveryVisitor, isDeep: Bool = false
    ) {
        self.disk = disk
        self.policy = policy
        self.visitor = visitor
        self.isDeep = isDeep
    }

    /// Reads the directory and passes its content to the visitor. Called once.
    ///
    /// - Throws: The directory cannot be listed.
    mutating func judge() throws(DiskFailure) -> Verdict {
        let inventory = try Inventory(disk)
        do {
            guard let format = try readFormat(inventory) else { return .empty(inventory) }
            store = format.store
            return .sound(inventory, try readJournal(inventory, format))
        } catch let refusal as RecoveryRefusal {
            return .damaged(refusal)
        } catch let failure as DiskFailure {
            throw failure
        } catch {
            preconditionFailure("a judge throws refusals and failures of the disk only: \(error)")
        }
    }

    /// The format of the store; nil if there is no store here yet.
    private func readFormat(_ inventory: Inventory) throws(RecoveryRefusal) -> StoreFormat? {
        guard inventory.hasFormat else {
            try checkUnborn(inventory)
            return nil
        }
        let file = try reading(FileName.format) { () throws(DiskFailure) in
            try disk.open(FileName.format, .read).readAll(limit: 1 << 16)
        }
        let format = try StoreFormat(file)
        for (name, store) in format.parts.sorted(by: { $0.key < $1.key }) {
            try checkPart(name, store)
        }
        return format
    }

    /// A store that belongs to this one has orders for its transactions, so neither is worth anything
    /// with another one.
    private func checkPart(_ name: String, _ store: UniqueID) throws(RecoveryRefusal) {
        let file = "\(name)/\(FileName.format)"
        let bytes = try reading(file) { () throws(DiskFailure) -> [UInt8]? in
            guard try disk.status(of: name)?.kind == .directory else { return nil }
            let inner = try disk.directory(name, create: false)
            guard try inner.status(of: FileName.format) != nil else { return nil }
            return try inner.open(FileName.format, .read).readAll(limit: 1 << 16)
        }
        guard let bytes else {
            throw RecoveryRefusal(
                .missingPart, file: file, detail: "the store of '\(name)' has orders of this one")
        }
        guard let format = try? StoreFormat(bytes) else {
            throw RecoveryRefusal(.badFormatFile, file: file, detail: "it is damaged")
        }
        guard format.store == store else {
            throw RecoveryRefusal(
                .foreignFile, file: file,
                detail: "the store of '\(name)' belongs to another state directory")
        }
    }

    /// `format.json` is the last file that a new store gets. Without it there may be a first
    /// segment with nothing in it but its header; anything more was a store once.
    private func checkUnborn(_ inventory: Inventory) throws(RecoveryRefusal) {
        let refusal = RecoveryRefusal(
            .badFormatFile, file: FileName.format,
            detail: """
                it is missing, although there is or was a journal
                """)
        guard inventory.snapshots.isEmpty, try !hadLines() else { throw refusal }
        guard let first = inventory.segments.first else { return }
        guard first == 1, inventory.segments.count == 1 else { throw refusal }
        let name = FileName.segment(first: 1)
        let bytes = try reading(name) { () throws(DiskFailure) in
            try disk.open(name, .read).readAll(limit: policy.lineLimitBytes + 2)
        }
        let lines = bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == 0 })
        guard lines.count <= 1 else { throw refusal }
    }

    /// Whether the lock file names a line of a log.
    private func hadLines() throws(RecoveryRefusal) -> Bool {
        try reading(FileName.lock) { () throws(DiskFailure) in
            guard try disk.status(of: FileName.lock) != nil else { return false }
            let mark = try LockFile(file: disk.open(FileName.lock, .read)).newestMark()
            return (mark?.sequence ?? 0) > 0
        }
    }

    /// Runs a read of a file. A read error refuses the start, because what was not read may have been
    /// acknowledged.
    func reading<Result>(
        _ name: String, _ body: () throws(DiskFailure) -> Result
    ) throws(RecoveryRefusal) -> Result {
        do {
            return try body()
        } catch {
            throw RecoveryRefusal(.unreadable, file: name, detail: error.description)
        }
    }

    /// Adds to the bytes read, and tells about once for every MiB.
    mutating func didRead(_ bytes: Int) {
        let before = progress.bytesDone >> 20
        progress.bytesDone += bytes
        report.bytesRead += bytes
        if progress.bytesDone >> 20 != before { visitor.progress(progress) }
    }
}
