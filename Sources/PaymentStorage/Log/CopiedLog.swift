public import PaymentCore

/// A journal in files as a copy of a log that another place commits.
///
/// A batch is sealed as a chunk, and the next batch begins. When the other place has committed the chunk, the
/// same bytes are written to the files. Chunks of other nodes are written in the same way, so all copies have
/// equal files.
///
/// The files are synced from time to time. A crash may cost lines, which are then read from the other place
/// again. One owner calls it on one thread.
public final class CopiedLog {
    /// The journal, for appending and reading.
    public let journal: LocalLog
    private let log: SegmentedLog
    /// The bytes that were written since the last sync.
    private var unsynced = 0

    /// The number of unsynced bytes at which a sync is made. A sync of more would block the thread for long.
    private static let mostUnsynced = 1 << 20

    init(_ journal: LocalLog) {
        self.journal = journal
        log = journal.log
        log.copied = (log.writer.lines.next, log.writer.lines.chain)
    }

    /// The sequence number after the last line in the files, and the checksum of that line.
    public var end: (next: SequenceNumber, chain: UInt32) {
        log.copied ?? (log.writer.lines.next, log.writer.lines.chain)
    }

    /// The beginning that another node needs for a copy of this journal.
    ///
    /// - Parameter limit: The most bytes of lines.
    /// - Returns: The identity, and all lines if they are still there and not too many.
    /// - Throws: The disk failed.
    public func seed(limit: Int) throws(JournalFailure) -> StoreSeed {
        let active = log.writer.active
        var seed = StoreSeed(format: log.format.bytes, firstLines: nil)
        guard log.segments.last.first == 1, active.end <= limit else { return seed }
        do {
            seed.firstLines = try active.file.readBytes(at: 0, count: active.end)
            return seed
        } catch {
            throw JournalFailure(error)
        }
    }

    // MARK: Chunks of this node

    /// Ends the running batch. Ends the segment as well if it is full or has to end. The bytes are in no file
    /// yet.
    ///
    /// - Parameter endsSegment: Whether the segment has to end, so that a snapshot can be taken after it.
    /// - Returns: The chunk for ``write(_:)``; nil if the batch is empty and the segment does not end.
    public func seal(endsSegment: Bool = false) -> LogChunk? {
        precondition(!log.isClosed, "a batch of a journal that is closed")
        let length = log.writer.active.end + log.writer.lines.bytes.count
        let isFull = length >= min(log.settings.policy.segmentBytes, log.writer.limitedBytes)
        guard endsSegment || isFull || !log.writer.lines.isEmpty else { return nil }
        var chunk = log.writer.takeBatch()
        if endsSegment || isFull { end(log.segments.last, in: &chunk) }
        return chunk
    }

    /// Adds the seal of the segment and the header of the next to a chunk.
    private func end(_ segment: Segment, in chunk: inout LogChunk) {
        let now = log.settings.environment.now()
        let active = log.writer.active
        let seal = SegmentSeal(
            count: active.lines + chunk.bodyLines, digest: active.digest.hex(with: chunk.bytes))
        _ = log.writer.lines.line("seal", time: now, origin: nil) { seal.encode(into: &$0) }
        chunk.bytes += log.writer.lines.takeBatch()
        chunk.bodyBytes = chunk.bytes.count
        chunk.bodyLines += 1
        let header = SegmentHeader(
            store: log.format.store, number: segment.number + 1, lastEvent: log.head,
            storeBytes: segment.allStoreBytes + UInt64(chunk.storeBytes),
            previous: SegmentHeader.Previous(
                checksum: log.writer.lines.chain, digest: active.digest.hex(with: chunk.bytes)),
            build: log.settings.build)
        log.writer.lines.beginSegment()
        _ = log.writer.lines.line("segment", time: now, origin: nil) { header.encode(into: &$0) }
        chunk.bytes += log.writer.lines.takeBatch()
        chunk.next = log.writer.lines.next
        chunk.chain = log.writer.lines.chain
        chunk.nextSegment = LogChunk.NextSegment(header: header, began: now)
    }

    /// Writes a chunk that was committed.
    ///
    /// - Parameter chunk: The chunk; it continues the files.
    /// - Throws: The journal is unusable from then on.
    public func write(_ chunk: LogChunk) throws(JournalFailure) {
        // The mark of a clean stop names the end of the files, so nothing may follow that end.
        guard !log.isClosed else { throw JournalFailure("the journal is closed") }
        precondition(chunk.first == end.next, "a chunk does not continue the files")
        try log.writer.write(chunk, to: &log.segments)
        if let next = chunk.nextSegment { try begin(next, chunk) }
        log.copied = (chunk.next, chunk.chain)
        unsynced += chunk.bytes.count
        // The segment before was synced, and so is the first line of the new one.
        if chunk.endsSegment || unsynced >= Self.mostUnsynced { try sync() }
    }

    /// Syncs everything that was written, and a mark of it. From then on the other place need not keep those
    /// lines for this copy.
    ///
    /// - Throws: The journal is unusable from then on.
    public func sync() throws(JournalFailure) {
        guard unsynced > 0, !log.isClosed else { return }
        try log.writer.sync()
        log.noteProgress()
        do {
            try log.directory.syncMark()
        } catch {
            throw log.writer.poison(error)
        }
        unsynced = 0
    }

    /// Begins the segment that a chunk begins.
    private func begin(
        _ next: LogChunk.NextSegment, _ chunk: LogChunk
    ) throws(JournalFailure) {
        let header = next.header
        let segment = log.segments.last
        // A header made by this node is right. One made elsewhere must be checked.
        guard header.store == log.format.store, header.number == segment.number + 1,
            header.lastEvent == chunk.head, header.storeBytes == segment.allStoreBytes,
            header.previous?.digest == log.writer.active.digest.hex
        else {
            throw log.writer.poison(
                JournalFailure("segment \(header.number) does not follow the files that are here"))
        }
        let line = Array(chunk.bytes[chunk.bodyBytes...])
        let started = try log.writer.begin(header, line, first: chunk.next - 1, at: next.began)
        log.segments.append(started)
    }

    // MARK: Chunks of other nodes

    /// Takes a chunk that another node has made: verifies each line, writes all, and passes the content to
    /// `replay`.
    ///
    /// - Parameters:
    ///   - bytes: The lines after those in the files.
    ///   - replay: Receives the content, after all is verified and written.
    /// - Returns: The lines as a chunk; nil if there are none.
    /// - Throws: A ``ChunkFault`` if the lines do not continue the files, which stay as they are; a
    ///   `JournalFailure` as ``write(_:)``; or what the receiver throws.
    @discardableResult
    public func follow(_ bytes: [UInt8], into replay: any LogReplay) throws -> LogChunk? {
        precondition(log.writer.lines.isEmpty, "a log that has a batch follows no other")
        var reader = ChunkReader(bytes, next: end.next, chain: end.chain, head: log.head)
        var lines: [JournalLine] = []
        while let line = try reader.line() {
            if !line.isInternal { lines.append(line) }
        }
        let chunk = reader.chunk
        guard chunk.next > end.next else { return nil }
        try write(chunk)
        log.writer.lines.resume(at: chunk.next, chain: chunk.chain)
        log.writer.head = chunk.head
        for line in lines { try journal.replay(line, into: replay) }
        return chunk
    }

    // MARK: Snapshots

    /// The ticket for a snapshot of the state at the end of a chunk that ends a segment.
    ///
    /// The caller copies the state before anything after the chunk is applied. The snapshot may be written when
    /// the chunk is in the files.
    ///
    /// - Returns: The ticket; nil if the chunk ends no segment.
    public func snapshotTicket(behind chunk: LogChunk) -> SnapshotTicket? {
        guard let header = chunk.nextSegment?.header, !log.isClosed else { return nil }
        var position = LogJudge.Position()
        position.next = chunk.next - 1
        position.lastEvent = header.lastEvent
        position.storeBytes = header.storeBytes
        position.segmentNumber = header.number - 1
        position.previous = header.previous
        return log.ticket(position)
    }
}
