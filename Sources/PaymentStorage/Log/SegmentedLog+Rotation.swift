internal import PaymentCore

extension SegmentedLog {
    /// Changes to the next segment when the active one is used up and the next is ready, and has
    /// one prefilled in time. Never waits: while there is none, lines extend the active segment.
    func prefillAhead() throws(JournalFailure) {
        guard policy.prefillsSegments else {
            guard active.end >= policy.segmentBytes else { return }
            // A disk that is too full for a new file is no reason to stop; the segment grows.
            if let next = try? makeSegmentFile() { try rotate(onto: next) }
            return
        }
        let headroom = min(64 << 10, active.prefilled / 8)
        if active.end >= active.prefilled - headroom, let spare = spares.take() {
            try rotate(onto: spare)
        } else if active.end >= active.prefilled / 2 {
            spares.start(
                length: policy.segmentBytes, margin: policy.shortFreeBytes,
                background: environment.background)
        }
    }

    /// Seals the active segment and begins the next in a file that is filled already.
    ///
    /// The order matters: the seal is durable before the next segment has its name, and the header
    /// before that; so a segment that has a name has a header, and one that has a successor has
    /// a seal.
    func rotate(onto next: PrefilledFile) throws(JournalFailure) {
        precondition(writer.isEmpty, "a segment ends between two batches")
        let seal = SegmentSeal(count: active.lines, digest: active.digest.hex)
        let now = environment.now()
        _ = writer.line("seal", time: now, origin: nil) { seal.encode(into: &$0) }
        try writeBatch()
        do {
            try active.file.sync()
        } catch {
            throw poison(error)
        }
        batchIsDurable()
        // Blanks behind the seal are harmless, so a failure here costs nothing but their room.
        try? active.file.truncate(to: active.end)
        needsMark = false
        let previous = SegmentHeader.Previous(
            checksum: writer.chain, digest: active.digest.hex)
        let header = SegmentHeader(
            store: format.store, number: segments[segments.count - 1].number + 1,
            lastEvent: head, previous: previous, build: build)
        do {
            try begin(header, in: next, at: now)
        } catch {
            throw poison(error)
        }
    }

    /// Makes a file for the next segment on this thread.
    func makeSegmentFile() throws(DiskFailure) -> PrefilledFile {
        if let spare = spares.take() { return spare }
        // A name of its own: the prefiller may be at work on the spare.
        let length = policy.prefillsSegments ? max(policy.firstPrefilledBytes, 4096) : 4096
        return try FilePrefiller.prefill(
            FileName.spare + temporarySuffix, on: directory.disk, length: length)
    }

    private func begin(
        _ header: SegmentHeader, in next: PrefilledFile, at time: Timestamp
    ) throws(DiskFailure) {
        writer.beginSegment()
        let first = writer.line("segment", time: time, origin: nil) { header.encode(into: &$0) }
        let bytes = writer.bytes
        let name = FileName.segment(first: first)
        try next.file.writeAll(bytes, at: 0)
        try next.file.sync()
        try directory.disk.rename(next.name, to: name)
        try directory.disk.sync()
        writer.beginBatch()
        active = ActiveSegment(
            file: next.file, end: bytes.count, prefilled: max(next.length, bytes.count), lines: 1,
            digest: RunningDigest(), previous: header.previous)
        active.digest.update(bytes, background: environment.background)
        segments.append(
            Segment(
                name: name, number: header.number, first: first,
                lastEventBefore: header.lastEvent, began: time, bytes: bytes.count,
                index: SparseIndex(first: first, policy: policy)))
    }
}
