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
        for last in inventory.snapshots.reversed() {
            let file = try? SnapshotFile(verifying: FileName.snapshot(last: last), on: disk)
            guard let file, file.header.position.next == last + 1,
                file.header.store == format.store
            else { continue }
            base = file
            break
        }
        let next = base?.header.position.next ?? 1
        guard base != nil || inventory.segments.first == 1 else {
            throw BackupFailure(
                "there is neither a valid snapshot nor the beginning of the log; restore a backup "
                    + "with 'restore-backup'")
        }
        let near = max(next - 1, inventory.segments.last ?? 0)
        let proof = try Self.end(disk, format, near: near, policy)
        let end = max(next - 1, proof.end)
        var segments: [SequenceNumber] = []
        for first in inventory.segments where first >= next {
            if try !Self.isForeign(first, disk, format.store) { segments.append(first) }
        }
        plan = Plan(
            format: format, base: base, segments: segments, end: max(end, segments.last ?? 0),
            isEndProven: proof.isProven, endsTorn: isSound)
    }

    /// The last line that the lock file names, and whether the log may have gone further.
    private static func end(
        _ disk: any Disk, _ format: StoreFormat, near: SequenceNumber, _ policy: JournalPolicy
    ) throws -> (end: SequenceNumber, isProven: Bool) {
        guard try disk.status(of: FileName.lock) != nil else { return (0, false) }
        let lock = LockFile(file: try disk.open(FileName.lock, .read))
        let marks = try lock.marks()
        // The text has no checksum. No more lines than a segment has room for can be gone without a trace.
        let reach =
            max(near, marks.newest?.sequence ?? 0)
            + SequenceNumber(policy.segmentBytes / LineFormat.shortestLine)
        let stop = try lock.read()?.cleanStop.flatMap { $0.sequence <= reach ? $0.sequence : nil }
        guard let mark = marks.newest, mark.store == format.store else {
            // Earlier programs write no marks, and leave those of another store.
            return format.isChecked ? (0, false) : (stop ?? 0, stop != nil)
        }
        return (max(mark.sequence, stop ?? 0), marks.areWhole)
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
        if let mark, mark.store == store { restored.parts = mark.parts }
        return restored
    }

    /// The stores that segments and snapshots name.
    private static func stores(
        _ disk: any Disk, _ inventory: Inventory
    ) throws -> [UniqueID] {
        var stores: [UniqueID] = []
        for first in inventory.segments {
            let file = try disk.open(FileName.segment(first: first), .read)
            var scanner = SegmentScanner(
                file: file, limit: try file.length(), expected: first, sliceBytes: 4096,
                lineLimit: JournalPolicy().lineLimitBytes)
            guard case .line(let line) = try scanner.next(), let header = try? SegmentHeader(line)
            else { continue }
            stores.append(header.store)
        }
        for last in inventory.snapshots {
            let file = try? SnapshotFile(verifying: FileName.snapshot(last: last), on: disk)
            if let file { stores.append(file.header.store) }
        }
        return stores
    }

    /// Whether the first line of a segment names another store. If the line does not verify, the name
    /// counts if it differs from the store's in more places than damage to a name would leave: a
    /// segment whose first block is lost still has all other lines.
    private static func isForeign(
        _ first: SequenceNumber, _ disk: any Disk, _ store: UniqueID
    ) throws(DiskFailure) -> Bool {
        let file = try disk.open(FileName.segment(first: first), .read)
        let bytes = try file.readBytes(at: 0, count: 4096)
        let line = bytes.prefix { $0 != 10 }
        let isVerified = Array(line).withUnsafeBytes { LineFormat.verify($0, seed: 0) != nil }
        let pattern = Array("\"store\":\"".utf8)
        guard let start = line.indices.first(where: { line[$0...].starts(with: pattern) }) else {
            return false
        }
        let name = line[(start + pattern.count)...].prefix(36)
        let differences = zip(name, store.description.utf8).count { $0 != $1 }
        guard !isVerified else { return differences > 0 }
        return UniqueID(String(decoding: name, as: UTF8.self)) != nil && differences > 18
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
            let file = try disk.open(FileName.segment(first: first), .read)
            let bytes = try file.readBytes(at: 0, count: file.length())
            let isLast = index == plan.segments.count - 1
            var lines = SalvagedLines(
                bytes, first: first, upTo: isLast ? .max : plan.segments[index + 1],
                lineLimit: lineLimit)
            while let line = lines.next(resuming: !(isLast && plan.endsTorn)) {
                end = max(end, line.sequence)
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
    private var chain: UInt32 = 0
    private var expected: SequenceNumber
    /// The highest sequence number that a line claims behind the last one that verifies.
    private(set) var highest: SequenceNumber = 0
    /// The bytes that do not verify.
    private(set) var doubtful: [UInt8] = []

    init(_ bytes: [UInt8], first: SequenceNumber, upTo bound: SequenceNumber, lineLimit: Int) {
        self.bytes = bytes
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
