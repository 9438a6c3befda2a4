public import PaymentCore

extension SegmentedLog {
    /// Ends the active segment for a snapshot of the current state.
    ///
    /// The caller copies the state together with the ticket before anything else is appended.
    /// Another thread can then write the snapshot. Its receipt goes to ``snapshotWasWritten(_:)``.
    ///
    /// - Returns: The ticket; nil if the disk lacks space for the next segment, or the directory is
    ///   only read. In that case nothing has changed, and the caller can try again later.
    /// - Throws: The journal is unusable from then on.
    public func beginSnapshot() throws(JournalFailure) -> SnapshotTicket? {
        precondition(!isClosed, "a snapshot of a journal that is closed")
        precondition(copied == nil, "a copy ends its segments only where the log does")
        guard !isReadOnly else { return nil }
        try commit()
        guard raiseFormat() else { return nil }
        if writer.active.lines > 1 || segments.all.count == 1 && writer.active.previous == nil
            || newestSnapshot?.sequence == segments.last.first - 1
        {
            // No room for a file now is the only failure that leaves the journal as it was.
            guard let next = try? writer.makeSegmentFile() else { return nil }
            try writer.rotate(onto: next, in: &segments)
        }
        let current = segments.last
        var position = LogJudge.Position()
        position.next = current.first
        position.lastEvent = current.lastEventBefore
        position.storeBytes = current.storeBytesBefore
        position.segmentNumber = current.number - 1
        position.previous = writer.active.previous
        return ticket(position)
    }

    /// The ticket for a snapshot of the state up to the end of a segment.
    func ticket(_ position: LogJudge.Position) -> SnapshotTicket {
        SnapshotTicket(
            disk: budgeted(for: .checkpoint),
            header: SnapshotHeader(
                store: format.store, epoch: format.epoch, created: settings.environment.now(),
                build: settings.build, position: position),
            sync: settings.environment.backgroundSync)
    }

    /// Writes to the format file that snapshots have this version, if a full disk prevented that at the start.
    private func raiseFormat() -> Bool {
        do {
            let isWhole = try format.storeIsInLog(on: directory.disk)
            guard let raised = format.raised(isWhole: isWhole) else { return true }
            try directory.disk.replaceFile(FileName.format, with: raised.bytes)
            format = raised
            directory.use(parts: raised.parts, storeSince: raised.storeSince)
            return true
        } catch {
            return false
        }
    }

    /// Records a written snapshot and selects the files that it makes superfluous.
    ///
    /// - Returns: The removal to perform on any thread; nil if there is none. See ``trim()``.
    public func snapshotWasWritten(_ receipt: SnapshotReceipt) throws(JournalFailure) -> Trim? {
        newestSnapshot = SnapshotMark(
            sequence: receipt.sequence, bytes: receipt.bytes, storeBytes: receipt.storeBytes,
            history: receipt.history)
        return try trim(upTo: receipt.sequence)
    }

    /// Whether the log has grown or aged enough since the last snapshot for another one. Cheap
    /// enough for a call per second.
    ///
    /// Snapshots make starts fast and permit trimming of the log. After a large snapshot the log
    /// must first grow by half of its size, so that the work for snapshots stays proportional to
    /// the log. An old snapshot is replaced regardless of growth, so that a quiet queue's log can
    /// be trimmed in time.
    ///
    /// When space is short, a snapshot is due as soon as it frees more than it takes, because it permits
    /// removing segments. It is put off while it would take claimed space.
    public var isSnapshotDue: Bool {
        let image = writer.space.claims.images + (newestSnapshot?.storeBytes ?? 0)
        guard
            writer.space.hasRoom(image + settings.policy.firstPrefilledBytes, for: .checkpoint)
        else { return false }
        if isPressed, pins == 0, segments.all.count > 1 || head > newestSnapshot?.sequence ?? 0,
            bytesKept > image + settings.policy.marginBytes
        {
            return true
        }
        let covered = newestSnapshot?.sequence ?? 0
        let fresh = segments.all.drop { $0.first <= covered }
        guard let first = fresh.first else { return false }
        let policy = settings.policy
        // Only events count here: headers and marks are no growth, and lines of the store keep no segment.
        let isOld =
            head > covered
            && first.began.advanced(bySeconds: policy.retention.keepSeconds / 10)
                <= settings.environment.now()
        let bytes = fresh.reduce(0) { $0 + Int64($1.bytes) }
        let isLong =
            nextSequence - 1 - covered >= UInt64(policy.snapshotEveryLines)
            || bytes >= max(policy.retention.keepBytes / 4, Self.leastGrowthBytes)
        return isOld || isLong && bytes >= Int64(newestSnapshot?.bytes ?? 0) / 2
    }

    private static let leastGrowthBytes: Int64 = 256 << 10
}

/// The newest valid snapshot.
struct SnapshotMark: Sendable {
    /// The last sequence number that it includes.
    var sequence: SequenceNumber
    /// The length of its file in bytes.
    var bytes: Int
    /// The bytes of the embedded store in it, which the next snapshot has as well.
    var storeBytes = 0
    /// The files of closed things that belong to it.
    var history: HistoryFiles?
}
