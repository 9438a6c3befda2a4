internal import PaymentCore
internal import StrictJSON

/// Writes the last segment of a log: collects lines in the running batch, commits the batch with one
/// write and one sync, and changes to the next segment when this one is full.
///
/// The first failed write or sync is kept, and every later call fails with it. Only the next start can find out
/// what the disk holds.
struct SegmentWriter {
    let disk: any Disk
    let settings: LogSettings
    let store: UniqueID
    let space: Space
    let spares: FilePrefiller
    var lines: LineWriter
    var active: ActiveSegment
    /// The sequence number of the last event appended; 0 if there was never one.
    var head: SequenceNumber
    /// The sequence number of the last event that is durable.
    var durableHead: SequenceNumber
    /// Whether the last durable line is a record. Damage to it could then be taken for a torn write.
    var needsMark: Bool
    /// Whether the running batch has a record: an event, or a line of the embedded store.
    var hasRecords = false
    /// The bytes of the running batch that are lines of the embedded store.
    var pendingStoreBytes = 0
    /// The reason why nothing can be written any more.
    private(set) var failure: JournalFailure?
    /// Lines of the running batch that the index may want, with offsets in the batch.
    var pendingEntries: [SparseIndex.Entry] = []

    /// Continues what recovery found.
    init(_ opened: OpenedLog, disk: any Disk, settings: LogSettings, space: Space) {
        self.disk = disk
        self.space = space
        self.settings = settings
        store = opened.format.store
        spares = FilePrefiller(disk: disk, name: FileName.spare)
        lines = LineWriter(
            chain: opened.chain, next: opened.next, lineLimit: settings.policy.lineLimitBytes)
        active = opened.active
        head = opened.head
        durableHead = opened.head
        needsMark = opened.endsWithRecord
        space.prefilled(by: active.blank, on: disk)
    }

    /// Appends an event to the running batch; see ``SegmentedLog/append(_:time:origin:isOptional:payload:)``.
    mutating func append(
        _ word: StaticString, time: Timestamp, origin: Origin?, isOptional: Bool,
        payload: (inout JSONWriter) -> Void
    ) -> SequenceNumber {
        let entry = SparseIndex.Entry(
            sequence: lines.next, offset: lines.bytes.count, chain: lines.chain)
        head = lines.line(
            word, time: time, origin: origin, isOptional: isOptional, payload: payload)
        hasRecords = true
        noteForIndex(entry)
        return head
    }

    /// Appends a line of the embedded store to the running batch.
    mutating func append(_ record: StoreRecord, time: Timestamp) {
        let entry = SparseIndex.Entry(
            sequence: lines.next, offset: lines.bytes.count, chain: lines.chain)
        pendingStoreBytes += lines.line(of: record, time: time)
        hasRecords = true
        noteForIndex(entry)
    }

    /// Only every so-many-th line of a batch can become an entry, so only those are kept.
    private mutating func noteForIndex(_ entry: SparseIndex.Entry) {
        if let last = pendingEntries.last,
            entry.sequence - last.sequence < UInt64(settings.policy.indexEveryLines),
            entry.offset - last.offset < settings.policy.indexEveryBytes
        {
            return
        }
        pendingEntries.append(entry)
    }

    /// Writes and syncs the running batch, and adds its lines to the list of segments. Does nothing if the
    /// batch is empty.
    mutating func commit(to segments: inout SegmentList) throws(JournalFailure) {
        if let failure { throw failure }
        guard !lines.isEmpty else { return }
        try writeBatch()
        try sync()
        batchIsDurable(in: &segments)
        if hasRecords { needsMark = true }
        hasRecords = false
        durableHead = head
        try prefillAhead(of: &segments)
    }

    /// Syncs the active segment, whether or not anything of it is new.
    mutating func sync() throws(JournalFailure) {
        if let failure { throw failure }
        do {
            try active.file.syncData()
        } catch {
            throw poison(ofSegment(error))
        }
    }

    /// Appends a mark after the last batch, unless nothing was added since the last.
    mutating func markIdle(in segments: inout SegmentList) throws(JournalFailure) {
        try commit(to: &segments)
        guard needsMark else { return }
        needsMark = false
        _ = lines.line("mark", time: settings.environment.now(), origin: nil) { $0.raw("{}") }
        try commit(to: &segments)
    }

    /// Measures the free space, at most once a second, and restores what was given up on a full disk: the
    /// reserve and the spare segment.
    mutating func checkSpace(monotonicMilliseconds: Int64) {
        guard failure == nil else { return }
        space.check(now: monotonicMilliseconds)
        spares.retry()
    }

    /// A failure of the active segment by its name. The file was opened under another one.
    func ofSegment(_ cause: DiskFailure) -> DiskFailure {
        DiskFailure(
            cause.operation, FileName.segment(first: lines.batch - active.lines),
            errno: cause.errno)
    }

    /// Keeps the first failure: from now on nothing is written or synced.
    mutating func poison(_ cause: DiskFailure) -> JournalFailure {
        poison(
            JournalFailure(
                "cannot \(cause.operation.rawValue) journal '\(cause.name)': \(cause.reason)",
                errno: cause.errno, isOutOfSpace: cause.isOutOfSpace))
    }

    /// Keeps the first failure: from now on nothing is written or synced.
    mutating func poison(_ reason: JournalFailure) -> JournalFailure {
        failure = reason
        return reason
    }

    /// Writes the running batch at the end of the active segment. On a full disk it gives up parts of the
    /// reserve first.
    mutating func writeBatch() throws(JournalFailure) {
        try write(lines.bytes, 0..<lines.bytes.count)
    }

    /// Writes a range of an array. The first byte of the array belongs at the end of the active segment.
    mutating func write(_ bytes: [UInt8], _ range: Range<Int>) throws(JournalFailure) {
        var done = range.lowerBound
        while done < range.upperBound {
            do {
                let rest = bytes.span.extracting(done..<range.upperBound)
                done += try active.file.write(rest, at: active.end + done)
            } catch  where givesUpReserve(range.upperBound - done, error) {
                continue
            } catch {
                throw poison(ofSegment(error))
            }
        }
    }

    private func givesUpReserve(_ bytes: Int, _ failure: DiskFailure) -> Bool {
        space.failed(failure)
        return space.giveUp(bytes, after: failure)
    }

    /// Counts the running batch, which was synced, and begins the next.
    mutating func batchIsDurable(in segments: inout SegmentList) {
        let start = active.end
        let blank = active.blank
        space.took(lines.bytes.count - blank)
        active.digest.update(lines.bytes, background: settings.environment.background)
        active.end += lines.bytes.count
        active.lines += lines.next - lines.batch
        space.prefilled(by: active.blank - blank, on: disk)
        segments.extendLast(
            by: pendingEntries, from: start, to: active.end, storeBytes: pendingStoreBytes)
        pendingStoreBytes = 0
        pendingEntries.removeAll(keepingCapacity: true)
        lines.beginBatch()
    }
}

/// The segment that lines are added to.
struct ActiveSegment {
    /// The file.
    var file: any DiskFile
    /// Where the next line goes: the end of the durable lines.
    var end: Int
    /// How far the file is filled ahead.
    var prefilled: Int
    /// The number of durable lines.
    var lines: UInt64
    /// SHA-256 of the durable lines.
    var digest: RunningDigest
    /// How the segment before ended, nil for the first.
    var previous: SegmentHeader.Previous?

    /// The bytes that are filled ahead and not written yet.
    var blank: Int { max(0, prefilled - end) }
}
