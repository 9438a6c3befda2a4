internal import PaymentCore

/// Chunks of a log that another place commits.
extension SegmentWriter {
    /// Ends the running batch as a chunk, which is in no file yet.
    mutating func takeBatch() -> LogChunk {
        var chunk = LogChunk(
            bytes: [], first: lines.batch, next: lines.next, chain: lines.chain, head: head)
        chunk.entries = pendingEntries
        chunk.storeBytes = pendingStoreBytes
        chunk.bodyLines = lines.next - lines.batch
        chunk.bytes = lines.takeBatch()
        chunk.bodyBytes = chunk.bytes.count
        pendingEntries.removeAll(keepingCapacity: true)
        pendingStoreBytes = 0
        hasRecords = false
        return chunk
    }

    /// Writes the part of a chunk that belongs to the active segment. It is synced later.
    mutating func write(
        _ chunk: LogChunk, to segments: inout SegmentList
    ) throws(JournalFailure) {
        if let failure { throw failure }
        if chunk.bodyBytes > 0 {
            try write(chunk.bytes, 0..<chunk.bodyBytes)
            count(chunk, in: &segments)
        }
        if settings.policy.prefillsSegments { prefillNext() }
        durableHead = chunk.head
    }

    private mutating func count(_ chunk: LogChunk, in segments: inout SegmentList) {
        let start = active.end
        let blank = active.blank
        space.took(chunk.bodyBytes - blank)
        active.digest.update(
            Array(chunk.bytes[..<chunk.bodyBytes]), background: settings.environment.background)
        active.end += chunk.bodyBytes
        active.lines += chunk.bodyLines
        space.prefilled(by: active.blank - blank, on: disk)
        segments.extendLast(
            by: chunk.entries, from: start, to: active.end, storeBytes: chunk.storeBytes)
    }

    /// Begins a segment with the line of its header. The active one has its seal.
    mutating func begin(
        _ header: SegmentHeader, _ line: [UInt8], first: SequenceNumber, at time: Timestamp
    ) throws(JournalFailure) -> Segment {
        let givenBack = active.blank
        do throws(DiskFailure) {
            try active.file.sync()
            // Blanks after the seal are harmless, so a failure here costs nothing but their room.
            try? active.file.truncate(to: active.end)
            let ready = spares.take() ?? partOfReserve()
            let file = if let ready { ready } else { try makeSegmentFile() }
            let segment = try begin(header, line, first: first, in: file, at: time)
            space.prefilled(by: active.blank - file.length - givenBack, on: disk)
            space.restore()
            return segment
        } catch {
            throw poison(error)
        }
    }
}
