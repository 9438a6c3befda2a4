internal import PaymentCore

extension SegmentWriter {
    /// Changes to the next segment when the active one is used up and the next is ready, and starts prefilling
    /// the next one in time. Never waits: while no segment is ready, lines extend the active one.
    mutating func prefillAhead(of segments: inout SegmentList) throws(JournalFailure) {
        if active.end >= usableBytes, let next = nextFile() {
            try rotate(onto: next, in: &segments)
        } else if settings.policy.prefillsSegments {
            prefillNext()
        }
    }

    /// The length at which the active segment ends.
    private var usableBytes: Int {
        let policy = settings.policy
        let wanted =
            policy.prefillsSegments
            ? active.prefilled - min(64 << 10, active.prefilled / 8) : policy.segmentBytes
        return min(wanted, limitedBytes)
    }

    /// The length at which a limit of file sizes ends a segment: three quarters of the limit. The rest is for the
    /// seal and for a batch that is longer than usual, because nothing can be written beyond the limit.
    var limitedBytes: Int {
        let longest = disk.longestFile
        return longest - longest / 4
    }

    /// The file for the next segment; nil to extend the active one. It is made on this thread only if nothing is
    /// prefilled in advance, or if the active one may not become longer.
    private func nextFile() -> PrefilledFile? {
        let mayExtend = settings.policy.prefillsSegments && active.end < limitedBytes
        // A disk that is too full for a new file is no reason to stop; the segment grows.
        return mayExtend ? spares.take() ?? partOfReserve() : try? makeSegmentFile()
    }

    /// Begins to prefill the next segment when half of the active one is used.
    func prefillNext() {
        let policy = settings.policy
        guard active.end >= min(active.prefilled, disk.longestFile) / 2 else { return }
        spares.start(
            length: min(policy.segmentBytes, disk.longestFile), in: space,
            // Only as much as the lines of accepted work still need: the rest is for archive files.
            usesReserve: space.claims.lines + policy.marginBytes > active.blank,
            settings.environment)
    }

    /// Turns a part of the reserve into the next segment if the disk is nearly full. Otherwise lines would need
    /// free blocks, which another process may take first. Fills the file on this thread.
    func partOfReserve() -> PrefilledFile? {
        guard space.isPressed else { return nil }
        let name = FileName.spare + temporarySuffix
        // Without a part the segment grows.
        return try? FilePrefiller.prefill(name, on: disk, length: .max, in: space, for: .other)
    }

    /// Seals the active segment and begins the next in a file that is filled already.
    ///
    /// The order matters. Both the seal and the header are durable before the next segment gets its name. So
    /// every segment with a name has a header, and every one with a successor has a seal.
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
            throw poison(ofSegment(error))
        }
        batchIsDurable(in: &segments)
        // Blanks after the seal are harmless, so a failure here costs nothing but their room.
        try? active.file.truncate(to: active.end)
        let givenBack = active.blank
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
        // The new segment counts as far as it is blank, the old one no longer.
        space.prefilled(by: active.blank - next.length - givenBack, on: disk)
        space.restore()
    }

    /// Makes a file for the next segment on this thread.
    func makeSegmentFile() throws(DiskFailure) -> PrefilledFile {
        if let spare = spares.take() { return spare }
        // The file has another name than the spare, because the prefiller may be writing the spare.
        let policy = settings.policy
        let length = policy.prefillsSegments ? max(policy.firstPrefilledBytes, 4096) : 4096
        return try FilePrefiller.prefill(
            FileName.spare + temporarySuffix, on: disk, length: min(length, disk.longestFile),
            in: space, for: .checkpoint)
    }

    private mutating func begin(
        _ header: SegmentHeader, in next: PrefilledFile, at time: Timestamp
    ) throws(DiskFailure) -> Segment {
        lines.beginSegment()
        let first = lines.line("segment", time: time, origin: nil) { header.encode(into: &$0) }
        let segment = try begin(header, lines.bytes, first: first, in: next, at: time)
        lines.beginBatch()
        return segment
    }

    /// Begins the segment of a header in a file.
    ///
    /// - Parameters:
    ///   - header: The header.
    ///   - bytes: The line that it was read from, or will be.
    ///   - first: The sequence number of that line.
    ///   - next: The file.
    ///   - time: The time of the line.
    /// - Returns: The segment, which is active now.
    /// - Throws: The disk failed.
    mutating func begin(
        _ header: SegmentHeader, _ bytes: [UInt8], first: SequenceNumber, in next: PrefilledFile,
        at time: Timestamp
    ) throws(DiskFailure) -> Segment {
        let name = FileName.segment(first: first)
        try next.file.writeAll(bytes, at: 0)
        try next.file.sync()
        try disk.rename(next.name, to: name)
        try disk.sync()
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
