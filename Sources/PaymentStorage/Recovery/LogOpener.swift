internal import Crypto
internal import PaymentCore

/// Makes a journal that was read ready to be appended to. All that a start writes, it writes here.
struct LogOpener {
    let directory: StateDirectory
    let settings: LogSettings
    /// The snapshot that the state was begun from.
    let newestSnapshot: SnapshotMark?
    var report: RecoveryReport

    private var disk: any Disk { directory.disk }
    private var policy: JournalPolicy { settings.policy }

    /// Makes the end of the log certain, or makes a store where there is none yet.
    mutating func open(_ verdict: LogJudge.Verdict) throws -> OpenedLog {
        switch verdict {
        case .empty(let inventory):
            return try makeStore(inventory)
        case .sound(let inventory, var found):
            var mark = found.marks.last
            mark.parts = found.format.parts.merging(try directory.parts()) { _, opened in opened }
            mark.storeSince = found.format.storeSince
            try givingUpReserve { () throws(DiskFailure) in try directory.announce(mark) }
            try clear(inventory.leftovers)
            try raise(&found.format)
            if found.format.storeSince != nil { try SeparateStore.moveAway(on: disk) }
            return try settle(found)
        case .damaged(let refusal):
            throw StorageError.refused(refusal)
        }
    }

    /// Makes a store. The format file comes last, because from then on a segment must be there.
    private mutating func makeStore(_ inventory: Inventory) throws -> OpenedLog {
        report.isNew = true
        var format = StoreFormat.new(settings.environment)
        format.parts = try directory.parts()
        if try !SeparateStore.exists(on: disk) { format.storeSince = 0 }
        var mark = ProgressMark(store: format.store)
        mark.parts = format.parts
        mark.storeSince = format.storeSince
        try directory.announce(mark)
        try clear(inventory.leftovers)
        let opened = try beginSegment(format, after: LogJudge.Position(), following: [])
        try disk.replaceFile(FileName.format, with: format.bytes)
        return opened
    }

    private mutating func clear(_ leftovers: [String]) throws(DiskFailure) {
        guard !leftovers.isEmpty else { return }
        for name in leftovers { try disk.remove(name) }
        try disk.sync()
        report.leftovers = leftovers
    }

    /// Says in the format file that from now on there may be lines in the journal which an older
    /// program does not know, and which stores belong to this one. On stable storage before the first
    /// of the lines is.
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
            // Lines of this program need no later version, and the next snapshot writes the file.
            guard error.isOutOfSpace, format.version >= StoreFormat.lineVersion else { throw error }
        }
    }

    /// Makes the end of the log certain and opens it for writing.
    ///
    /// After anything but a clean stop the last segment is written again into a new file, because
    /// what the page cache shows need not be what the disk has, and syncing clean pages proves
    /// nothing. The new file takes the old one's name in one step.
    private mutating func settle(_ found: LogJudge.Found) throws -> OpenedLog {
        let stop = LockFile.CleanStop(
            sequence: found.position.next - 1, checksum: found.tail.chain)
        let name = FileName.segment(first: found.position.next - found.tail.lines)
        report.wasClean =
            directory.lastCleanStop == stop && found.tail.bytesInDoubt == 0
            && !found.tail.isSealed
        if found.tail.bytesInDoubt > 0 {
            report.bytesCut = found.tail.bytesInDoubt
            report.quarantined = try quarantine(name)
        }
        if report.wasClean {
            return try continueSegment(found, file: disk.open(name, .update))
        }
        let file = try rewrite(name, found.tail)
        guard found.tail.isSealed else { return try continueSegment(found, file: file) }
        return try beginSegment(
            found.format, after: found.position, following: found.segments)
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
        let name = FileName.segment(first: first)
        let file = try write(writer.bytes, as: name)
        var digest = SHA256()
        digest.update(writer.bytes)
        let segment = Segment(
            name: name, number: header.number, first: first,
            lastEventBefore: position.lastEvent, began: now, storeBytesBefore: position.storeBytes,
            bytes: writer.bytes.count,
            index: SparseIndex(first: first, policy: policy))
        let active = ActiveSegment(
            file: file, end: writer.bytes.count, prefilled: try file.length(), lines: 1,
            digest: RunningDigest(digest), previous: position.previous)
        return OpenedLog(
            format: format, segments: segments + [segment], active: active, chain: writer.chain,
            next: writer.next, head: position.lastEvent, endsWithRecord: false,
            damagedSnapshots: Set(report.damagedSnapshots),
            newestSnapshot: newestSnapshot)
    }

    private func continueSegment(_ found: LogJudge.Found, file: any DiskFile) throws -> OpenedLog {
        let tail = found.tail
        try prefill(file, from: tail.end)
        let active = ActiveSegment(
            file: file, end: tail.end, prefilled: try file.length(), lines: tail.lines,
            digest: RunningDigest(tail.digest), previous: tail.previous)
        return OpenedLog(
            format: found.format, segments: found.segments, active: active, chain: tail.chain,
            next: found.position.next, head: found.position.lastEvent,
            endsWithRecord: tail.endsWithRecord, damagedSnapshots: Set(report.damagedSnapshots),
            newestSnapshot: newestSnapshot)
    }

    /// Copies the good lines of a segment into a new file that takes its name.
    private mutating func rewrite(_ name: String, _ tail: LogJudge.Tail) throws -> any DiskFile {
        let bytes = try disk.open(name, .read).readBytes(at: 0, count: tail.end)
        report.linesRewritten = Int(tail.lines)
        return try write(bytes, as: name)
    }

    /// Writes a segment aside and gives it its name.
    private func write(_ bytes: [UInt8], as name: String) throws(DiskFailure) -> any DiskFile {
        try givingUpReserve { () throws(DiskFailure) -> any DiskFile in
            try disk.removeIfPresent(name + temporarySuffix)
            return try writeAside(bytes, as: name)
        }
    }

    /// Writes, and once more without the reserve if the disk is full.
    private func givingUpReserve<Result>(
        _ write: () throws(DiskFailure) -> Result
    ) throws(DiskFailure) -> Result {
        do {
            return try write()
        } catch  where error.isOutOfSpace {
            try disk.removeIfPresent(FileName.reserve)
            return try write()
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

    /// Fills the segment ahead with line feeds. Where there is no room it stays unfilled: commits
    /// then extend the file, and find out themselves whether they can.
    private func prefill(_ file: any DiskFile, from end: Int) throws(DiskFailure) {
        guard policy.prefillsSegments, end < policy.segmentBytes else {
            return try file.truncate(to: end)
        }
        let target = min(policy.segmentBytes, end + policy.firstPrefilledBytes)
        do {
            try file.fillWithLineFeeds(end..<target)
            try file.truncate(to: target)
            try file.sync()
        } catch  where error.isOutOfSpace {
            try file.truncate(to: end)
            try file.sync()
        }
    }

    /// Keeps the file as it is under a name made from its content, so that doing it twice leaves
    /// one copy.
    private func quarantine(_ name: String) throws -> String {
        let file = try disk.open(name, .read)
        var digest = SHA256()
        digest.update(try file.readBytes(at: 0, count: file.length()))
        let newName = "\(digest.hex.prefix(16))-\(name)"
        let quarantine = try disk.directory(FileName.quarantine, create: true)
        if try quarantine.status(of: newName) == nil {
            try disk.link(name, into: quarantine, as: newName)
        }
        try quarantine.sync()
        try disk.sync()
        return newName
    }
}
