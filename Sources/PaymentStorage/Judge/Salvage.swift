internal import PaymentCore

/// Reads what is left of a damaged journal.
///
/// After bytes that do not verify, the checksum that the next line states is assumed to be right. Lines count
/// again from the first one that verifies on this assumption.
struct Salvage {
    /// The store, the segments and the snapshot that the reading begins from.
    private(set) var plan: Plan

    /// The facts about the store, as far as its files can be read.
    struct Plan {
        var format: StoreFormat
        /// The snapshot to begin from; nil to begin with the first line.
        var base: SnapshotFile?
        /// The first sequence numbers of the segments after it.
        var segments: [SequenceNumber]
        /// Those of them that are proven to be of this store. The lines of the others are lost, because lines
        /// of another store verify as well: only the numbers of these segments count.
        var proven: Set<SequenceNumber>
        /// The first sequence numbers behind each of the segments.
        var bounds: [SequenceNumber]
        /// The highest sequence number that is known to have been used.
        var end: SequenceNumber
        /// Whether the lock file says how far the log went.
        var isEndProven: Bool
        /// Whether the end of the last segment may be a batch that was never acknowledged.
        var endsTorn: Bool
        /// The files of closed things of the snapshot that are missing or damaged.
        var damagedHistory: [(file: ArchiveFile, finding: RecoveryRefusal)]
    }

    let disk: any Disk
    private let lineLimit: Int

    /// Finds the snapshot and the segments to begin from.
    ///
    /// - Parameters:
    ///   - disk: The directory.
    ///   - isSound: Whether a start would accept the directory.
    ///   - limit: The snapshot to begin from has only lines before this one.
    ///   - policy: The limits of lines and segments.
    ///   - environment: The source of a new epoch, if the format file cannot be read.
    /// - Throws: There is neither a snapshot nor the beginning of the log.
    init(
        _ disk: any Disk, isSound: Bool, before limit: SequenceNumber = .max,
        policy: JournalPolicy, environment: StorageEnvironment
    ) throws {
        self.disk = disk
        lineLimit = policy.lineLimitBytes
        let inventory = try Inventory(disk)
        let format = try Self.format(disk, inventory, environment)
        var base: SnapshotFile?
        let earliest = format.storeSince ?? 0
        for last in inventory.snapshots.reversed() where last >= earliest && last < limit {
            let file = try? SnapshotFile(verifying: FileName.snapshot(last: last), on: disk)
            guard let file, file.header.position.next == last + 1,
                file.header.store == format.store
            else { continue }
            base = file
            break
        }
        let next = base?.header.position.next ?? 1
        guard base != nil || inventory.segments.first == 1 && format.storeSince ?? 0 == 0 else {
            throw BackupFailure(
                "there is neither a valid snapshot nor the beginning of the log; restore a backup "
                    + "with 'restore-backup'")
        }
        let near = max(next - 1, inventory.segments.last ?? 0)
        let proof = try Self.end(disk, format, near: near, policy)
        let end = max(next - 1, proof.end)
        let (segments, bounds, proven) = try Self.segments(
            inventory.segments.filter { $0 >= next }, disk, format.store, proof.named, lineLimit)
        plan = Plan(
            format: format, base: base, segments: segments, proven: proven,
            bounds: bounds,
            end: max(end, segments.last ?? 0),
            isEndProven: proof.isProven,
            // In a copy there may be lines after the tear that no other place has any more.
            endsTorn: isSound && !proof.isCopy,
            damagedHistory: base?.header.history?.damaged(on: disk) ?? [])
    }

    /// The end of the log, according to the lock file.
    private struct Proof {
        /// The last line that it names.
        var end: SequenceNumber = 0
        /// Whether the log certainly did not go further.
        var isProven = false
        /// The checksums of the lines that it names.
        var named: [SequenceNumber: UInt32] = [:]
        /// Whether the log is a copy of one that another place commits.
        var isCopy = false
    }

    private static func end(
        _ disk: any Disk, _ format: StoreFormat, near: SequenceNumber, _ policy: JournalPolicy
    ) throws -> Proof {
        guard try disk.status(of: FileName.lock) != nil else { return Proof() }
        let lock = LockFile(file: try disk.open(FileName.lock, .read))
        let marks = try lock.marks()
        // The text has no checksum, so its number is accepted only within limits. At most the lines of one
        // segment can be lost without a trace.
        let reach =
            max(near, marks.newest?.sequence ?? 0)
            + SequenceNumber(policy.segmentBytes / LineFormat.shortestLine)
        let stop = try lock.read()?.cleanStop.flatMap { $0.sequence <= reach ? $0 : nil }
        guard let mark = marks.newest, mark.store == format.store else {
            // Earlier programs write no marks, and leave those of another store.
            guard !format.isChecked, let stop else { return Proof() }
            return Proof(
                end: stop.sequence, isProven: true, named: [stop.sequence: stop.checksum])
        }
        return Proof(
            end: max(mark.sequence, stop?.sequence ?? 0), isProven: marks.areWhole,
            named: [mark.sequence: mark.checksum], isCopy: mark.isCopy)
    }

    /// The format file. If it cannot be read or is of another store, its content is derived from other files.
    private static func format(
        _ disk: any Disk, _ inventory: Inventory, _ environment: StorageEnvironment
    ) throws -> StoreFormat {
        let format = try? StoreFormat(reading: disk)
        // Two files with their own checksums name the store: the format file and the lock file. The segments do
        // not decide, because many of them may be of another store.
        var names: [UniqueID] = []
        if let format, format.isChecked { names.append(format.store) }
        let mark =
            try disk.status(of: FileName.lock) == nil
            ? nil : LockFile(file: disk.open(FileName.lock, .read)).marks().newest
        if let mark, format?.isChecked != false || format?.store == mark.store {
            names.append(mark.store)
        }
        var candidates = Set(names)
        if names.count < 2 || candidates.count > 1 {
            // Without two such names all other files must agree, since most of them may be foreign.
            var others = Set(try stores(disk, inventory))
            if let format, !format.isChecked { others.insert(format.store) }
            candidates =
                names.count < 2
                ? others.union(names) : others.count == 1 ? others.intersection(names) : []
        }
        guard let store = candidates.first, candidates.count == 1 else {
            throw BackupFailure("the files do not say what store this is; restore a backup")
        }
        if let format, format.store == store { return format }
        var restored = StoreFormat.new(environment)
        restored.store = store
        if let mark, mark.store == store {
            restored.parts = mark.parts
            restored.storeSince = mark.storeSince
        }
        if try restored.storeIsInLog(on: disk) { restored.storeSince = restored.storeSince ?? 0 }
        return restored
    }

    /// The stores that segments and snapshots name.
    private static func stores(
        _ disk: any Disk, _ inventory: Inventory
    ) throws -> [UniqueID] {
        var stores: [UniqueID] = []
        for first in inventory.segments {
            if let header = try header(first, disk) { stores.append(header.store) }
        }
        for last in inventory.snapshots {
            let file = try? SnapshotFile(verifying: FileName.snapshot(last: last), on: disk)
            if let file { stores.append(file.header.store) }
        }
        return stores
    }

    /// Finds the segments that may be of a store, and those that are.
    ///
    /// A header that verifies proves its segment. Without such a header, the checksum of a line proves it if
    /// the store names the checksum elsewhere: in the header of the next segment, or as that of the last
    /// durable line.
    ///
    /// A segment ends before the next whose header verifies. The name of a file without such a header may be
    /// wrong, so it ends no other.
    private static func segments(
        _ all: [SequenceNumber], _ disk: any Disk, _ store: UniqueID,
        _ named: [SequenceNumber: UInt32], _ lineLimit: Int
    ) throws -> (
        segments: [SequenceNumber], bounds: [SequenceNumber], proven: Set<SequenceNumber>
    ) {
        var named = named
        var segments: [SequenceNumber] = []
        var proven: Set<SequenceNumber> = []
        for first in all {
            try checkName(of: first, disk, lineLimit)
            guard let header = try header(first, disk) else {
                segments.append(first)
                continue
            }
            guard header.store == store else { continue }
            segments.append(first)
            proven.insert(first)
            if let previous = header.previous { named[first - 1] = previous.checksum }
        }
        let bounds = segments.indices.map { index in
            segments[(index + 1)...].first(where: proven.contains) ?? .max
        }
        for (first, bound) in zip(segments, bounds) where !proven.contains(first) {
            var lines = try SalvagedLines(
                disk.open(FileName.segment(first: first), .read), first: first, upTo: bound,
                lineLimit: lineLimit)
            while let line = lines.next(resuming: true) {
                if named[line.sequence] == lines.chain { proven.insert(first) }
            }
        }
        return (segments, bounds, proven)
    }

    /// Refuses a segment whose header says that it is another one. Its lines would be taken for lines of other
    /// places.
    private static func checkName(
        of first: SequenceNumber, _ disk: any Disk, _ lineLimit: Int
    ) throws {
        let file = try disk.open(FileName.segment(first: first), .read)
        var lines = try SalvagedLines(file, first: 1, upTo: .max, lineLimit: lineLimit)
        guard let line = lines.next(resuming: false), line.sequence != first,
            line.content.isWord("segment")
        else { return }
        throw BackupFailure(
            "'\(FileName.segment(first: first))' has the content of "
                + "'\(FileName.segment(first: line.sequence))'; give it its name, or restore a "
                + "backup with 'restore-backup'")
    }

    /// The header of a segment; nil if it does not verify.
    private static func header(
        _ first: SequenceNumber, _ disk: any Disk
    ) throws -> SegmentHeader? {
        let file = try disk.open(FileName.segment(first: first), .read)
        var scanner = SegmentScanner(
            file: file, limit: try file.length(), expected: first, sliceBytes: 4096,
            lineLimit: JournalPolicy().lineLimitBytes)
        guard case .line(let line) = try scanner.next() else { return nil }
        return try? SegmentHeader(line)
    }

    /// Passes what is left of each damaged file of closed things to `body`.
    ///
    /// - Throws: The disk cannot read a file, or what `body` throws.
    func forEachDamagedArchive(_ body: (ArchiveSalvage) throws -> Void) throws {
        guard !plan.damagedHistory.isEmpty, let base = plan.base, let history = base.header.history
        else { return }
        var decoder = EventDecoder()
        try base.forEachItem { content in
            if content.isWord("product") { _ = try decoder.item(content) }
        }
        for (file, _) in plan.damagedHistory {
            try body(ArchiveSalvage(file, of: history.id, on: disk, decoder))
        }
    }

    /// Passes all lines that verify to `body`, in order.
    ///
    /// - Parameter body: Receives each line and the segment that it is from.
    /// - Returns: The highest sequence number that was seen, also in lines that do not verify, and the
    ///   bytes that do not verify.
    /// - Throws: The disk cannot read a segment, or what `body` throws.
    func read(
        _ body: (JournalLine, _ segment: SequenceNumber) throws -> Void
    ) throws -> (end: SequenceNumber, doubtful: [UInt8]) {
        var end = plan.end
        var doubtful: [UInt8] = []
        for (index, first) in plan.segments.enumerated() {
            let isLast = index == plan.segments.count - 1
            let isProven = plan.proven.contains(first)
            var lines = try SalvagedLines(
                disk.open(FileName.segment(first: first), .read), first: first,
                upTo: plan.bounds[index], lineLimit: lineLimit)
            while let line = lines.next(resuming: !(isLast && plan.endsTorn)) {
                end = max(end, line.sequence)
                guard isProven else {
                    doubtful += line.content.bytes[line.content.range]
                    continue
                }
                try body(line, first)
            }
            end = max(end, isLast && plan.endsTorn ? 0 : lines.highest)
            doubtful += lines.doubtful
        }
        return (end, doubtful)
    }
}
