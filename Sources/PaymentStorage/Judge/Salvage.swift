internal import PaymentCore

/// Reads what is left of a damaged journal.
///
/// Behind bytes that do not verify, the next beginning of a line is taken on trust, and the checksum that
/// it states continues the chain: from the first line that verifies so on, lines count again.
struct Salvage {
    /// The store, the segments and the snapshot that the reading begins from.
    private(set) var plan: Plan

    /// The facts about the store, as far as its files can be read.
    struct Plan {
        var format: StoreFormat
        /// The snapshot to begin from; nil to begin with the first line.
        var base: SnapshotFile?
        /// The first sequence numbers of the segments behind it.
        var segments: [SequenceNumber]
        /// Those of them that are proven to be of this store. Of the others only the numbers count: their
        /// lines are lost, because lines of another store verify as well.
        var proven: Set<SequenceNumber>
        /// The highest sequence number that is known to have been used.
        var end: SequenceNumber
        /// Whether the lock file says how far the log went.
        var isEndProven: Bool
        /// Whether the end of the last segment may be a batch that was never acknowledged.
        var endsTorn: Bool
    }

    private let disk: any Disk
    private let lineLimit: Int

    /// Finds what to begin from.
    ///
    /// - Parameters:
    ///   - disk: The directory.
    ///   - isSound: Whether a start would accept the directory.
    ///   - policy: The limit of a line.
    ///   - environment: Chance for a new epoch, if the format file cannot be read.
    /// - Throws: There is neither a snapshot nor the beginning of the log.
    init(
        _ disk: any Disk, isSound: Bool, policy: JournalPolicy, environment: StorageEnvironment
    ) throws {
        self.disk = disk
        lineLimit = policy.lineLimitBytes
        let inventory = try Inventory(disk)
        let format = try Self.format(disk, inventory, environment)
        var base: SnapshotFile?
        for last in inventory.snapshots.reversed() where last >= format.storeSince ?? 0 {
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
        let (segments, proven) = try Self.segments(
            inventory.segments.filter { $0 >= next }, disk, format.store, proof.named, lineLimit)
        plan = Plan(
            format: format, base: base, segments: segments, proven: proven,
            end: max(end, segments.last ?? 0),
            isEndProven: proof.isProven, endsTorn: isSound)
    }

    /// The last line that the lock file names, whether the log may have gone further, and the checksum of
    /// that line.
    private static func end(
        _ disk: any Disk, _ format: StoreFormat, near: SequenceNumber, _ policy: JournalPolicy
    ) throws -> (end: SequenceNumber, isProven: Bool, named: [SequenceNumber: UInt32]) {
        guard try disk.status(of: FileName.lock) != nil else { return (0, false, [:]) }
        let lock = LockFile(file: try disk.open(FileName.lock, .read))
        let marks = try lock.marks()
        // The text has no checksum. No more lines than a segment has room for can be gone without a trace.
        let reach =
            max(near, marks.newest?.sequence ?? 0)
            + SequenceNumber(policy.segmentBytes / LineFormat.shortestLine)
        let stop = try lock.read()?.cleanStop.flatMap { $0.sequence <= reach ? $0 : nil }
        guard let mark = marks.newest, mark.store == format.store else {
            // Earlier programs write no marks, and leave those of another store.
            guard !format.isChecked, let stop else { return (0, false, [:]) }
            return (stop.sequence, true, [stop.sequence: stop.checksum])
        }
        return (
            max(mark.sequence, stop?.sequence ?? 0), marks.areWhole, [mark.sequence: mark.checksum]
        )
    }

    /// The format file; if it cannot be read or is that of another store, what it must have said.
    private static func format(
        _ disk: any Disk, _ inventory: Inventory, _ environment: StorageEnvironment
    ) throws -> StoreFormat {
        let format = try? StoreFormat(reading: disk)
        // What has a checksum of its own names the directory. Segments of another store, however many,
        // do not.
        var names: [UniqueID] = []
        if let format, format.isChecked { names.append(format.store) }
        let mark =
            try disk.status(of: FileName.lock) == nil
            ? nil : LockFile(file: disk.open(FileName.lock, .read)).marks().newest
        if let mark, format?.isChecked != false || format?.store == mark.store {
            names.append(mark.store)
        }
        var candidates = Set(names)
        if candidates.count != 1 {
            // Without one such name all other files must agree, since most of them may be foreign.
            var others = Set(try stores(disk, inventory))
            if let format, !format.isChecked { others.insert(format.store) }
            candidates =
                names.isEmpty ? others : others.count == 1 ? others.intersection(names) : []
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
    /// A header that verifies says it. Without one, the checksum of a line does, if the store names it
    /// elsewhere: in the header of the next segment, or as that of the last durable line.
    private static func segments(
        _ all: [SequenceNumber], _ disk: any Disk, _ store: UniqueID,
        _ named: [SequenceNumber: UInt32], _ lineLimit: Int
    ) throws -> (segments: [SequenceNumber], proven: Set<SequenceNumber>) {
        var named = named
        var segments: [SequenceNumber] = []
        var proven: Set<SequenceNumber> = []
        for first in all {
            guard let header = try header(first, disk) else {
                segments.append(first)
                continue
            }
            guard header.store == store else { continue }
            segments.append(first)
            proven.insert(first)
            if let previous = header.previous { named[first - 1] = previous.checksum }
        }
        for (index, first) in segments.enumerated() where !proven.contains(first) {
            var lines = try SalvagedLines(
                disk.open(FileName.segment(first: first), .read), first: first,
                upTo: index + 1 < segments.count ? segments[index + 1] : .max, lineLimit: lineLimit)
            while let line = lines.next(resuming: true) {
                if named[line.sequence] == lines.chain { proven.insert(first) }
            }
        }
        return (segments, proven)
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
                upTo: isLast ? .max : plan.segments[index + 1], lineLimit: lineLimit)
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

/// The lines of one segment that verify, also behind those that do not.
private struct SalvagedLines {
    private let bytes: [UInt8]
    private let bound: SequenceNumber
    private let lineLimit: Int
    private var offset = 0
    /// The checksum of the last line that verified.
    private(set) var chain: UInt32 = 0
    private var expected: SequenceNumber
    /// The highest sequence number that a line claims behind the last one that verifies.
    private(set) var highest: SequenceNumber = 0
    /// The bytes that do not verify.
    private(set) var doubtful: [UInt8] = []

    init(
        _ file: any DiskFile, first: SequenceNumber, upTo bound: SequenceNumber, lineLimit: Int
    ) throws(DiskFailure) {
        bytes = try file.readBytes(at: 0, count: file.length())
        self.bound = bound
        self.lineLimit = lineLimit
        expected = first
    }

    /// Reads the next line that verifies.
    ///
    /// - Parameter resuming: Whether lines behind others that do not verify count.
    /// - Returns: The line; nil at the end.
    mutating func next(resuming: Bool) -> JournalLine? {
        if let line = verified(at: offset, chain) { return line }
        guard resuming else { return nil }
        let damaged = offset
        let last = bytes.lastIndex { $0 != 10 && $0 != 0 } ?? 0
        // A damaged number may say anything, but what is left has no more lines than it has room for.
        let room = SequenceNumber(max(0, last - damaged) / LineFormat.shortestLine)
        let limit = min(bound, expected + room + 1)
        var place = damaged
        while let (start, stated) = claim(from: place) {
            place = start.offset + 1
            // A line may have lost its end, with what was behind it, to a gap longer than any line.
            let end = lineEnd(from: start.offset)
            if let end, let line = verified(at: end + 1, stated) {
                highest = 0
                doubtful += bytes[damaged...end]
                return line
            }
            if start.sequence < limit { highest = max(highest, start.sequence) }
        }
        if last >= damaged, last < bytes.count { doubtful += bytes[damaged...last] }
        offset = bytes.count
        return nil
    }

    /// Takes the line at an offset, if it continues the chain; else changes nothing.
    private mutating func verified(at place: Int, _ seed: UInt32) -> JournalLine? {
        guard place < bytes.count, let end = lineEnd(from: place) else { return nil }
        let found: (LineFormat.Start, UInt32)? = bytes.withUnsafeBytes { all in
            let line = UnsafeRawBufferPointer(rebasing: all[place..<end])
            guard let checksum = LineFormat.verify(line, seed: seed),
                let start = LineFormat.start(in: line, at: 0)
            else { return nil }
            return (start, checksum)
        }
        guard let (start, checksum) = found, start.sequence >= expected, start.sequence < bound,
            let line = JournalLine(start: start, bytes: bytes, range: place..<end)
        else { return nil }
        chain = checksum
        expected = start.sequence + 1
        offset = end + 1
        return line
    }

    /// The next bytes that look like the beginning of a line, and the checksum that they state.
    private func claim(
        from place: Int
    ) -> (start: (offset: Int, sequence: SequenceNumber), checksum: UInt32)? {
        bytes.withUnsafeBytes { all in
            var place = place
            while place < all.count {
                if all[place] == UInt8(ascii: "{"), let start = LineFormat.start(in: all, at: place)
                {
                    let digits = all[(place + LineFormat.checksumOffset)...].prefix(8)
                    let text = String(decoding: digits, as: UTF8.self)
                    if let stated = LineFormat.checksum(hex: text) {
                        return ((place, start.sequence), stated)
                    }
                }
                place += 1
            }
            return nil
        }
    }

    private func lineEnd(from place: Int) -> Int? {
        guard let end = bytes.withUnsafeBytes({ indexOfLineFeed(in: $0, from: place) }),
            end - place <= lineLimit
        else { return nil }
        return end
    }
}
