internal import Crypto
internal import PaymentCore

/// Prepares a journal that was read for appending. This type makes all writes of a start.
struct LogOpener {
    let directory: StateDirectory
    let settings: LogSettings
    /// The snapshot with which replay began.
    let newestSnapshot: SnapshotMark?
    var report: RecoveryReport
    /// Whether the log is a copy of one that another place commits.
    var isCopy = false
    /// The beginning of a copy in an empty directory; nil for a new store.
    var seed: StoreSeed?

    var disk: any Disk { directory.disk }
    private var policy: JournalPolicy { settings.policy }
    private var space: Space { directory.space(policy) }

    /// Makes the end of the log durable, or creates a store if there is none yet.
    mutating func open(_ verdict: LogJudge.Verdict) throws -> OpenedLog {
        switch verdict {
        case .empty(let inventory):
            guard let seed else { return try makeStore(inventory) }
            return try makeStore(inventory, from: seed)
        case .sound(let inventory, var found):
            var mark = found.marks.last
            mark.parts = found.format.parts.merging(try directory.parts()) { _, opened in opened }
            mark.storeSince = found.format.storeSince
            try givingUpReserve { () throws(DiskFailure) in try directory.announce(mark) }
            try clear(inventory.leftovers)
            try raise(&found.format)
            report.separateStoreLeft = SeparateStore.moveAway(found.format, on: disk)
            let opened = try settle(found)
            // The log becomes a copy, or stops being one, only now that its end is durable.
            if mark.isCopy != isCopy {
                mark.isCopy = isCopy
                mark.storeSince = found.format.storeSince
                (mark.sequence, mark.checksum) = (opened.next - 1, opened.chain)
                try givingUpReserve { () throws(DiskFailure) in try directory.announce(mark) }
            }
            return opened
        case .damaged(let refusal):
            throw StorageError.refused(refusal)
        }
    }

    /// Opens a sound log whose directory is not changed. Nothing can be appended to it.
    mutating func openToRead(_ verdict: LogJudge.Verdict) throws -> OpenedLog {
        guard case .sound(_, let found) = verdict, let last = found.segments.last else {
            throw StorageError.unsuitable(
                "there is no store in '\(directory.path)' that can be read")
        }
        // Nothing is recovered here: that is left to a start that may write.
        report.wasClean = true
        return opened(found, try disk.open(last.name, .read), filledTo: found.tail.end)
    }

    /// Creates a store. The format file comes last, because from then on a segment must be there.
    private mutating func makeStore(_ inventory: Inventory) throws -> OpenedLog {
        report.isNew = true
        var format = StoreFormat.new(settings.environment)
        format.parts = try directory.parts()
        if try !SeparateStore.exists(on: disk) { format.storeSince = 0 }
        var mark = ProgressMark(store: format.store)
        mark.isCopy = isCopy
        mark.parts = format.parts
        mark.storeSince = format.storeSince
        try directory.announce(mark)
        try clear(inventory.leftovers)
        let opened = try beginSegment(format, after: LogJudge.Position(), following: [])
        try disk.replaceFile(FileName.format, with: format.bytes)
        return opened
    }

    mutating func clear(_ leftovers: [String]) throws(DiskFailure) {
        // Earlier versions kept a reserve in each directory.
        if !space.isKept(in: disk) { try disk.removeIfPresent(FileName.reserve) }
        guard !leftovers.isEmpty else { return }
        for name in leftovers {
            // The spare segment is space for accepted work, so it becomes a part of the reserve.
            if name == FileName.spare, try space.keep(name, of: disk) { continue }
            try disk.remove(name)
        }
        try disk.sync()
    }

    /// Writes to the format file which stores belong to this one, and that the journal may have lines that an
    /// older program does not support. The file is on stable storage before the first of these lines.
    private func raise(_ format: inout StoreFormat) throws {
        let isWhole = try !SeparateStore.exists(on: disk)
        guard let raised = format.raised(adding: try directory.parts(), isWhole: isWhole) else {
            return
        }
        do {
            try givingUpReserve { () throws(DiskFailure) in
                try disk.replaceFile(FileName.format, with: raised.bytes)
            }
            format = raised
            directory.use(parts: raised.parts, storeSince: raised.storeSince)
        } catch {
            // An older program refuses lines that it does not know, and the next snapshot writes the file.
            guard error.isOutOfSpace, format.version >= StoreFormat.lineVersion else { throw error }
        }
    }

    /// Makes the end of the log durable and opens it for writing. Needs no space on the disk.
    ///
    /// A batch begins only when the sync of the one before has returned. After an unclean stop only the last
    /// batch is therefore in doubt; in a copy, everything after the mark. The page cache may show bytes that
    /// are not on the disk, and syncing clean pages writes nothing.
    ///
    /// These lines are therefore written again in place. Every byte is the same, so a torn write leaves the
    /// lines unchanged.
    private mutating func settle(_ found: LogJudge.Found) throws -> OpenedLog {
        let tail = found.tail
        let stop = LockFile.CleanStop(
            sequence: found.position.next - 1, checksum: tail.chain)
        let name = FileName.segment(first: found.position.next - tail.lines)
        report.wasClean =
            directory.lastCleanStop == stop && tail.bytesInDoubt == 0 && !tail.isSealed
        let file = try disk.open(name, .update)
        guard !report.wasClean else { return try continueSegment(found, file: file) }
        if tail.bytesInDoubt > 0 { try cut(file, name, tail) }
        let (start, first) = found.marks.last.isCopy ? tail.behindMark : tail.lastBatch
        try file.writeAll(file.readBytes(at: start, count: tail.end - start), at: start)
        // The status is synced as well: without blanks after it, the batch has extended the file.
        try file.sync()
        // The name of the segment becomes durable, in case the last owner was stopped before that.
        try disk.sync()
        report.linesRewritten = Int(found.position.next - first)
        guard tail.isSealed else { return try continueSegment(found, file: file) }
        if isCopy { return try continueSegment(unsealed(found, file), file: file) }
        return try beginSegment(found.format, after: found.position, following: found.segments)
    }

    /// Blanks bytes that were never acknowledged or will be read from the other place again. A copy of them is
    /// put into the quarantine first, if there is space. The first sector is blanked last: until then the next
    /// start finds the rest.
    private mutating func cut(_ file: any DiskFile, _ name: String, _ tail: LogJudge.Tail) throws {
        report.bytesCut = tail.bytesInDoubt
        let end = tail.end + tail.bytesInDoubt
        report.quarantined = try quarantine(
            file.readBytes(at: tail.end, count: tail.bytesInDoubt), of: name)
        let sector = min(end, (tail.end / 512 + 1) * 512)
        try file.fillWithLineFeeds(sector..<end)
        try file.sync()
        try file.fillWithLineFeeds(tail.end..<sector)
    }

    /// Begins a segment in a file of its own, on a journal that has none to continue.
    private func beginSegment(
        _ format: StoreFormat, after position: LogJudge.Position, following segments: [Segment]
    ) throws -> OpenedLog {
        let now = settings.environment.now()
        let header = SegmentHeader(
            store: format.store, number: position.segmentNumber + 1, lastEvent: position.lastEvent,
            storeBytes: position.storeBytes, previous: position.previous, build: settings.build)
        var writer = LineWriter(
            chain: 0, next: position.next, lineLimit: policy.lineLimitBytes, capacity: 512)
        let first = writer.line("segment", time: now, origin: nil) { header.encode(into: &$0) }
        return try beginSegment(
            header, writer.bytes, first: first, at: now, chain: writer.chain, format,
            following: segments)
    }

    /// Begins a segment with the line of its header.
    func beginSegment(
        _ header: SegmentHeader, _ line: [UInt8], first: SequenceNumber, at time: Timestamp,
        chain: UInt32, _ format: StoreFormat, following segments: [Segment]
    ) throws -> OpenedLog {
        let name = FileName.segment(first: first)
        let file = try write(line, as: name)
        var digest = SHA256()
        digest.update(line)
        let segment = Segment(
            name: name, number: header.number, first: first, lastEventBefore: header.lastEvent,
            began: time, storeBytesBefore: header.storeBytes, bytes: line.count,
            index: SparseIndex(first: first, policy: policy))
        let active = ActiveSegment(
            file: file, end: line.count, prefilled: try file.length(), lines: 1,
            digest: RunningDigest(digest), previous: header.previous)
        return OpenedLog(
            format: format, segments: segments + [segment], active: active, chain: chain,
            next: first + 1, head: header.lastEvent, endsWithRecord: false,
            damagedSnapshots: Set(report.damagedSnapshots),
            newestSnapshot: newestSnapshot, isCopy: isCopy)
    }

    func continueSegment(_ found: LogJudge.Found, file: any DiskFile) throws -> OpenedLog {
        let tail = found.tail
        if let zero = tail.firstZero { try fill(file, from: zero, upTo: tail.length) }
        try prefill(file, from: tail.end)
        return opened(found, file, filledTo: try file.length())
    }

    private func opened(
        _ found: LogJudge.Found, _ file: any DiskFile, filledTo length: Int
    ) -> OpenedLog {
        let tail = found.tail
        let active = ActiveSegment(
            file: file, end: tail.end, prefilled: length, lines: tail.lines,
            digest: RunningDigest(tail.digest), previous: tail.previous)
        return OpenedLog(
            format: found.format, segments: found.segments, active: active, chain: tail.chain,
            next: found.position.next, head: found.position.lastEvent,
            endsWithRecord: tail.endsWithRecord, damagedSnapshots: Set(report.damagedSnapshots),
            newestSnapshot: newestSnapshot, isCopy: isCopy)
    }

    /// Writes a segment under a temporary name and renames it.
    private func write(_ bytes: [UInt8], as name: String) throws(DiskFailure) -> any DiskFile {
        try givingUpReserve { () throws(DiskFailure) -> any DiskFile in
            try disk.removeIfPresent(name + temporarySuffix)
            return try writeAside(bytes, as: name)
        }
    }

    /// Runs a write, and gives up as much of the reserve as it needs if the disk is full.
    private func givingUpReserve<Result>(
        _ write: () throws(DiskFailure) -> Result
    ) throws(DiskFailure) -> Result {
        while true {
            do {
                return try write()
            } catch  where space.giveUp(1 << 16, after: error) {
                continue
            }
        }
    }

    private func writeAside(_ bytes: [UInt8], as name: String) throws(DiskFailure) -> any DiskFile {
        let temporary = name + temporarySuffix
        let file = try disk.open(temporary, .create)
        try file.writeAll(bytes, at: 0)
        try prefill(file, from: bytes.count)
        try file.sync()
        try disk.rename(temporary, to: name)
        try disk.sync()
        return file
    }

    /// Prefills the segment with line feeds. Bytes that are there already stay, because they may be space for
    /// accepted work. If there is no space, the segment stays unfilled: commits then extend the file, or fail.
    /// If the policy prefills nothing, the file is cut to its lines.
    private func prefill(_ file: any DiskFile, from end: Int) throws(DiskFailure) {
        let length = try file.length()
        guard policy.prefillsSegments else {
            return length > end ? try file.truncate(to: end) : ()
        }
        let target = min(policy.segmentBytes, end + policy.firstPrefilledBytes)
        if length < target { try fill(file, from: length, upTo: target) }
    }

    /// Fills a part of the segment with line feeds. If there is no space, the part is cut off.
    private func fill(
        _ file: any DiskFile, from start: Int, upTo end: Int
    ) throws(DiskFailure) {
        do {
            try file.fillWithLineFeeds(start..<end)
        } catch  where error.isOutOfSpace {
            try file.truncate(to: start)
        }
        try file.sync()
    }

    /// Stores a copy of cut bytes under a name made from their content, so that a second call makes no second
    /// copy.
    ///
    /// - Returns: The name; nil if there was no room for the copy.
    private func quarantine(
        _ bytes: [UInt8], of name: String
    ) throws(DiskFailure) -> String? {
        var digest = SHA256()
        digest.update(bytes)
        let newName = "\(digest.hex.prefix(16))-\(name)"
        do {
            let quarantine = try BudgetedDisk(disk, space, for: .other)
                .directory(FileName.quarantine, create: true)
            if try quarantine.status(of: newName) == nil {
                try quarantine.replaceFile(newName, with: bytes)
            }
            try disk.sync()
            return newName
        } catch  where error.isOutOfSpace {
            return nil
        }
    }
}
