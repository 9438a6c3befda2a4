internal import PaymentCore

extension LogJudge {
    /// Reads the snapshot and the segments, and passes their content to the visitor.
    mutating func readJournal(
        _ inventory: Inventory, _ format: StoreFormat, _ marks: LogMarks
    ) throws -> Found {
        var found = Found(format, marks)
        let base = try chooseSnapshot(inventory, format)
        if let base { found.position = base.header.position }
        let older = inventory.segments.filter { $0 < found.position.next }
        let newer = inventory.segments.filter { $0 >= found.position.next }
        if let base, let end = base.header.position.previous {
            try found.marks.check(base.header.position.next - 1, end.checksum, base.name)
        }
        if base == nil, let since = format.storeSince, since > 0 {
            throw RecoveryRefusal(
                .noUsableSnapshot, file: FileName.snapshot(last: since), firstInDoubt: 1,
                lastInDoubt: since,
                detail: "no snapshot verifies that has the orders of the store")
        }
        if isDeep {
            try readKept(
                Kept(segments: older, snapshots: inventory.snapshots, base: base), found)
        }
        guard base != nil || inventory.segments.first == 1 || inventory.segments.isEmpty else {
            throw RecoveryRefusal(
                .noUsableSnapshot, file: FileName.segment(first: 1), firstInDoubt: 1,
                lastInDoubt: inventory.segments.first.map { $0 - 1 },
                detail: "the log begins later and no snapshot verifies"
                    + (snapshotFailure.map { "; \($0)" } ?? ""))
        }
        guard !newer.isEmpty else {
            throw RecoveryRefusal(
                .missingSegment, file: FileName.segment(first: found.position.next),
                firstInDoubt: found.position.next)
        }
        try countBytes(base?.name, newer)
        if let base { try load(base, withStore: format.storeIsInLog(on: disk)) }
        for first in older { try readOlderHeader(first, &found, format) }
        for first in newer {
            try readSegment(first, &found, isLast: first == inventory.segments.last)
        }
        try found.marks.check(end: found)
        return found
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
        // Earlier snapshots lack the records of the embedded store, which then had a journal of its own.
        for last in inventory.snapshots.reversed() where last >= format.storeSince ?? 0 {
            let name = FileName.snapshot(last: last)
            guard let file = verified(name), file.header.position.next == last + 1 else {
                report.damagedSnapshots.append(name)
                continue
            }
            guard file.header.store == format.store, file.header.epoch == format.epoch else {
                throw RecoveryRefusal(.foreignFile, file: name)
            }
            report.snapshot = name
            report.snapshots += 1
            // Their lines are verified whenever they are read.
            try file.header.history?.check(on: disk)
            loadedSnapshot = SnapshotMark(
                sequence: last, bytes: file.bytes, history: file.header.history)
            return file
        }
        return nil
    }

    /// A snapshot that verifies, or that will be verified while it is read. Nil if it is damaged or the disk
    /// cannot read it.
    private mutating func verified(_ name: String) -> SnapshotFile? {
        do {
            if verifiesWhileReading, let quick = try SnapshotFile(unverified: name, on: disk) {
                return quick
            }
            return try SnapshotFile(verifying: name, on: disk, progress: visitor.progress)
        } catch {
            snapshotFailure = snapshotFailure ?? error as? DiskFailure
            return nil
        }
    }

    /// Passes the items of a snapshot to the visitor.
    ///
    /// - Parameters:
    ///   - snapshot: The snapshot.
    ///   - withStore: Whether the items of the embedded store count. They do not while the store has a journal
    ///     of its own: a start that merges the two has then not finished.
    /// - Throws: The snapshot cannot be read, or the visitor objects to an item.
    private mutating func load(_ snapshot: SnapshotFile, withStore: Bool) throws {
        do {
            try snapshot.forEachItem { content in
                if content.isOfStore {
                    guard withStore else { return }
                    loadedSnapshot?.storeBytes += content.range.count + 1
                }
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

    /// Adds a segment that replay does not need to the list. Only its first line is read.
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
        found.segments.countStoreBytes(upTo: header)
        found.segments.append(
            Segment(
                name: name, number: header.number, first: first,
                lastEventBefore: header.lastEvent, began: began,
                storeBytesBefore: header.storeBytes, bytes: length,
                index: SparseIndex(first: first, policy: policy)))
    }
}

extension [Segment] {
    /// Sets the bytes of the embedded store in the last segment, from the header of the next one.
    mutating func countStoreBytes(upTo header: SegmentHeader) {
        guard let last = indices.last else { return }
        self[last].storeBytes = Int(clamping: header.storeBytes &- self[last].storeBytesBefore)
    }
}
