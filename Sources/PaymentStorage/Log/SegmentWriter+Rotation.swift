internal import PaymentCore

extension SegmentWriter {
    /// Changes to the next segment when the active one is used up and the next is ready, and has
    /// one prefilled in time. Never waits: while there is none, lines extend the active segment.
    mutating func prefillAhead(of segments: inout SegmentList) throws(JournalFailure) {
        let policy = settings.policy
        guard policy.prefillsSegments else {
            guard active.end >= policy.segmentBytes else { return }
            // A disk that is too full for a new file is no reason to stop; the segment grows.
            if let next = try? makeSegmentFile() { try rotate(onto: next, in: &segments) }
            return
        }
        let headroom = min(64 << 10, active.prefilled / 8)
        if active.end >= active.prefilled - headroom, let spare = spares.take() {
            try rotate(onto: spare, in: &segments)
        } else if active.end >= active.prefilled / 2 {
            spares.start(
                length: policy.segmentBytes, margin: policy.shortFreeBytes,
                background: settings.environment.background)
        }
    }

    /// Seals the active segment and begins the next in a file that is filled already.
    ///
    /// The order matters: the seal is durable before the next segment has its name, and the header
    /// before that; so a segment that has a name has a header, and one that has a successor has
    /// a seal.
    mutating func rotate(
        onto next: PrefilledFile, in segments: inout SegmentList
    ) throws(JournalFailure) {
        precondition(lines.isEmpty, "a segment ends between two batches")
        let seal = SegmentSeal(count: active.lines, digest: active.digest.hex)
        let now = settings.environment.now()
        _ = lines.line("seal", time: now, origin: nil) { seal.encode(into: &$0) }
        try writeBatch()
        do {
            try active.file.sync()
        } catch {
            throw poison(error)
        }
        batchIsDurable(in: &segments)
        // Blanks behind the seal are harmless, so a failure here costs nothing but their room.
        try? active.file.truncate(to: active.end)
        needsMark = false
        let previous = SegmentHeader.Previous(checksum: lines.chain, digest: active.digest.hex)
        let header = SegmentHeader(
            store: store, number: segments.last.number + 1, lastEvent: head,
            storeBytes: segments.last.allStoreBytes, previous: previous, build: settings.build)
        do {
            segments.append(try begin(header, in: next, at: now))
        } catch {
            throw poison(error)
        }
    }

    /// Makes a file for the next segment on this thread.
    func makeSegmentFile() throws(DiskFailure) -> PrefilledFile {
        if let spare = spares.take() { return spare }
        // A name of its own: the prefiller may be at work on the spare.
        let policy = settings.policy
        let length = policy.prefillsSegments ? max(policy.firstPrefilledBytes, 4096) : 4096
        return try FilePrefiller.prefill(
            FileName.spare + temporarySuffix, on: disk, length: length)
    }

    private mutating func begin(
        _ header: SegmentHeader, in next: PrefilledFile, at time: Timestamp
    ) throws(DiskFailure) -> Segment {
        lines.beginSegment()
        let first = lines.line("segment", time: time, origin: nil) { header.encode(into: &$0) }
        let bytes = lines.bytes
        let name = FileName.segment(first: first)
        try next.file.writeAll(bytes, at: 0)
        try next.file.sync()
        try disk.rename(next.name, to: name)
        try disk.sync()
        lines.beginBatch()
        active = ActiveSegment(
            file: next.file, end: bytes.count, prefilled: max(next.length, bytes.count), lines: 1,
            digest: RunningDigest(), previous: header.previous)
        active.digest.update(bytes, background: settings.environment.background)
        return Segment(
            name: name, number: header.number, first: first, lastEventBefore: header.lastEvent,
            began: time, storeBytesBefore: header.storeBytes, bytes: bytes.count,
            index: SparseIndex(first: first, policy: settings.policy))
    }
}
