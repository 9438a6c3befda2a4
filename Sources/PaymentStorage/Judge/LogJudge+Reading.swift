internal import Crypto
internal import PaymentCore

extension LogJudge {
    /// The findings of reading, before anything is written.
    struct Found {
        var format: StoreFormat
        /// All segments, also those that only the log still needs. The last is to be continued.
        var segments: [Segment] = []
        /// Where the log ends.
        var position = Position()
        /// The last segment.
        var tail = Tail()
        /// The last line that is durable by the word of the lock file.
        var mark: ProgressMark
        /// Whether the visitor gets the events. It does not if a snapshot has their effect.
        var isReplayed = true

        init(format: StoreFormat) {
            self.format = format
            mark = ProgressMark(store: format.store)
        }
    }

    /// The last segment as far as its lines verified.
    struct Tail {
        /// Where the last good line ends.
        var end = 0
        /// The number of good lines.
        var lines: UInt64 = 0
        /// The digest of the good lines.
        var digest = SHA256()
        /// The checksum of the last good line.
        var chain: UInt32 = 0
        /// Whether the last good line is a seal.
        var isSealed = false
        /// Whether the last good line is an event.
        var endsWithEvent = false
        /// The length of the file.
        var length = 0
        /// Where the first zero behind the last good line is.
        var firstZero: Int?
        /// How many bytes behind the last good line are neither lines nor blank.
        var bytesInDoubt = 0
        /// The header's word on the segment before.
        var previous: SegmentHeader.Previous?
    }

    /// Reads snapshot and segments and gives the visitor all of it.
    mutating func readJournal(_ inventory: Inventory, _ format: StoreFormat) throws -> Found {
        var found = Found(format: format)
        try readMarks(&found)
        let base = try chooseSnapshot(inventory, format)
        if let base { found.position = base.header.position }
        let older = inventory.segments.filter { $0 < found.position.next }
        let newer = inventory.segments.filter { $0 >= found.position.next }
        if let base, let end = base.header.position.previous {
            try checkMarks(base.header.position.next - 1, end.checksum, base.name)
        }
        if isDeep { try readKept(older, inventory.snapshots, base, format) }
        guard base != nil || inventory.segments.first == 1 || inventory.segments.isEmpty else {
            throw RecoveryRefusal(
                .noUsableSnapshot, file: FileName.segment(first: 1), firstInDoubt: 1,
                lastInDoubt: inventory.segments.first.map { $0 - 1 },
                detail: "the log begins later and no snapshot verifies")
        }
        guard !newer.isEmpty else {
            throw RecoveryRefusal(
                .missingSegment, file: FileName.segment(first: found.position.next),
                firstInDoubt: found.position.next)
        }
        try countBytes(base?.name, newer)
        if let base { try load(base) }
        for first in older { try readOlderHeader(first, &found, format) }
        for first in newer {
            try readSegment(first, &found, isLast: first == inventory.segments.last)
        }
        try checkEnd(found)
        return found
    }

    /// Reads what the lock file says about the log: the last line at a clean stop, and the marks.
    private mutating func readMarks(_ found: inout Found) throws {
        let name = FileName.lock
        let (stop, mark) = try reading(name) {
            () throws(DiskFailure) -> (LockFile.CleanStop?, ProgressMark?) in
            guard try disk.status(of: name) != nil else { return (nil, nil) }
            let file = LockFile(file: try disk.open(name, .read))
            return (try file.read()?.cleanStop, try file.newestMark())
        }
        // A program that knows no marks leaves those that were there before.
        if let mark, mark.store == found.format.store || found.format.isChecked {
            guard mark.store == found.format.store else {
                throw RecoveryRefusal(
                    .foreignFile, file: name, detail: "its mark names another store")
            }
            found.mark = mark
        } else if found.format.isChecked {
            throw RecoveryRefusal(
                .badLockFile, file: name, detail: "it has no mark of how far the log went")
        }
        durable = [LockFile.CleanStop(sequence: found.mark.sequence, checksum: found.mark.checksum)]
        guard let stop else { return }
        durable.append(stop)
        if stop.sequence > found.mark.sequence {
            found.mark.sequence = stop.sequence
            found.mark.checksum = stop.checksum
            found.mark.bytes = 0
        }
    }

    /// Compares a line, given by its number and checksum, with those that the lock file names.
    ///
    /// A named line was durable before it was named, so another line in its place is not the one that
    /// was acknowledged.
    func checkMarks(_ sequence: SequenceNumber, _ checksum: UInt32, _ name: String) throws {
        for mark in durable where mark.sequence == sequence && mark.checksum != checksum {
            throw RecoveryRefusal(
                .brokenLink, file: name, firstInDoubt: mark.sequence,
                detail: "'lock' names another line \(mark.sequence)")
        }
    }

    /// A log that ends before a line that was durable has lost lines, even if every line that is left
    /// verifies; and so has a last segment that is shorter than it was made.
    private func checkEnd(_ found: Found) throws {
        let mark = found.mark
        func refusal(at offset: Int, _ detail: String) -> RecoveryRefusal {
            RecoveryRefusal(
                .missingEnd, file: FileName.segment(first: found.position.next - found.tail.lines),
                offset: offset, firstInDoubt: found.position.next,
                lastInDoubt: mark.sequence < found.position.next ? nil : mark.sequence,
                detail: detail)
        }
        guard mark.sequence < found.position.next else { throw refusal(at: found.tail.end, "") }
        let tail = found.tail
        guard !tail.isSealed, found.segments.last?.first == mark.segment else { return }
        guard tail.length >= mark.bytes else {
            throw refusal(at: tail.length, "the segment had at least \(mark.bytes) bytes")
        }
        // It was filled with line feeds up to there, and a line has no zeros.
        if let zero = tail.firstZero, zero < mark.bytes {
            throw refusal(at: zero, "zeros stand where the segment was filled with line feeds")
        }
    }

    /// Reads what a start does not need: the segments before the snapshot, and the other snapshots.
    /// Damage in one of them does not stop the reading of the others.
    private mutating func readKept(
        _ older: [SequenceNumber], _ snapshots: [SequenceNumber], _ base: SnapshotFile?,
        _ format: StoreFormat
    ) throws {
        var past = Found(format: format)
        past.isReplayed = false
        for first in older {
            do {
                if past.segments.isEmpty { past.position.next = first }
                try readSegment(first, &past, isLast: false)
            } catch let refusal as RecoveryRefusal {
                furtherFindings.append(refusal)
                past = Found(format: format)
                past.isReplayed = false
            }
        }
        if let base, !past.segments.isEmpty,
            past.position.next != base.header.position.next
                || past.position.previous != base.header.position.previous
        {
            furtherFindings.append(
                RecoveryRefusal(
                    .brokenLink, file: base.name, firstInDoubt: past.position.next,
                    lastInDoubt: base.header.position.next - 1,
                    detail: "the segments before it end with another line"))
        }
        for name in snapshots.map({ FileName.snapshot(last: $0) }) where name != base?.name {
            do {
                let file = try SnapshotFile(verifying: name, on: disk)
                guard file.header.store == format.store else {
                    throw RecoveryRefusal(.foreignFile, file: name)
                }
                report.snapshots += 1
            } catch let refusal as RecoveryRefusal {
                furtherFindings.append(refusal)
            } catch let failure as DiskFailure {
                furtherFindings.append(
                    RecoveryRefusal(.unreadable, file: name, detail: failure.description))
            } catch {
                furtherFindings.append(
                    RecoveryRefusal(.badChecksum, file: name, detail: "\(error)"))
            }
        }
    }

    private mutating func countBytes(_ snapshot: String?, _ segments: [SequenceNumber]) throws {
        var names = segments.map { FileName.segment(first: $0) }
        if let snapshot { names.append(snapshot) }
        for name in names {
            progress.bytesTotal += try reading(name) { () throws(DiskFailure) in
                try disk.status(of: name)?.length ?? 0
            }
        }
        visitor.progress(progress)
    }

    /// The newest snapshot that verifies.
    private mutating func chooseSnapshot(
        _ inventory: Inventory, _ format: StoreFormat
    ) throws -> SnapshotFile? {
        for last in inventory.snapshots.reversed() {
            let name = FileName.snapshot(last: last)
            guard
                let file = try? SnapshotFile(
                    verifying: name, on: disk, progress: visitor.progress),
                file.header.position.next == last + 1
            else {
                report.damagedSnapshots.append(name)
                continue
            }
            guard file.header.store == format.store, file.header.epoch == format.epoch else {
                throw RecoveryRefusal(.foreignFile, file: name)
            }
            report.snapshot = name
            report.snapshots += 1
            loadedSnapshot = SnapshotMark(sequence: last, bytes: file.bytes)
            return file
        }
        return nil
    }

    private mutating func load(_ snapshot: SnapshotFile) throws {
        do {
            try snapshot.forEachItem { content in
                guard try visitor.snapshotLine(content) else {
                    throw PayloadFault("its type '\(content.word)' is not known")
                }
                didRead(content.range.count + 1)
            }
            try visitor.snapshotIsComplete(lastEvent: snapshot.header.position.lastEvent)
        } catch let failure as DiskFailure {
            throw RecoveryRefusal(
                .unreadable, file: snapshot.name, detail: failure.description)
        } catch {
            throw RecoveryRefusal(
                .inconsistentRecord, file: snapshot.name, detail: "\(error)")
        }
    }

    /// Takes a segment into the list that replay does not need: its first line is enough.
    private func readOlderHeader(
        _ first: SequenceNumber, _ found: inout Found, _ format: StoreFormat
    ) throws {
        let name = FileName.segment(first: first)
        let (header, began, length) = try reading(name) {
            () throws(DiskFailure) -> (SegmentHeader?, Timestamp?, Int) in
            let file = try disk.open(name, .read)
            let length = try file.length()
            var scanner = SegmentScanner(
                file: file, limit: length, expected: first, sliceBytes: 4096,
                lineLimit: policy.lineLimitBytes)
            guard case .line(let line) = try scanner.next() else { return (nil, nil, length) }
            return (try? SegmentHeader(line), try? line.time(), length)
        }
        guard let header, let began else {
            throw RecoveryRefusal(.badChecksum, file: name, offset: 0, firstInDoubt: first)
        }
        guard header.store == format.store else {
            throw RecoveryRefusal(.foreignFile, file: name)
        }
        if let before = found.segments.last, before.number + 1 != header.number {
            throw RecoveryRefusal(
                .missingSegment, file: name, firstInDoubt: before.first, lastInDoubt: first - 1,
                detail: "segment \(before.number) is followed by segment \(header.number)")
        }
        found.segments.append(
            Segment(
                name: name, number: header.number, first: first,
                lastEventBefore: header.lastEvent, began: began, bytes: length,
                index: SparseIndex(first: first, policy: policy)))
    }
}
