public import PaymentCore

extension SegmentedLog {
    /// Ends the active segment, so that a snapshot of the present state can be taken.
    ///
    /// Take a copy of the state together with the ticket, before anything else is appended, and
    /// use both up on another thread; then give the receipt to ``snapshotWasWritten(_:)``.
    ///
    /// - Returns: Nil if the disk has no room for the next segment: then nothing has changed, and
    ///   it is worth another try later.
    /// - Throws: The journal is unusable from then on.
    public func beginSnapshot() throws(JournalFailure) -> SnapshotTicket? {
        precondition(!isClosed, "a snapshot of a journal that is closed")
        try commit()
        if writer.active.lines > 1 || segments.all.count == 1 && writer.active.previous == nil {
            // No room for a file now is the only failure that leaves the journal as it was.
            guard let next = try? writer.makeSegmentFile() else { return nil }
            try writer.rotate(onto: next, in: &segments)
        }
        let current = segments.last
        var position = Recovery.Position()
        position.next = current.first
        position.lastEvent = current.lastEventBefore
        position.segmentNumber = current.number - 1
        position.previous = writer.active.previous
        return SnapshotTicket(
            disk: directory.disk,
            header: SnapshotHeader(
                store: format.store, epoch: format.epoch, created: settings.environment.now(),
                build: settings.build, position: position))
    }

    /// Takes note of a snapshot, and says which files may go now that it is there.
    ///
    /// - Returns: What remains to be done, on any thread; nil if nothing. See ``trim()``.
    public func snapshotWasWritten(_ receipt: SnapshotReceipt) throws(JournalFailure) -> Trim? {
        newestSnapshot = SnapshotMark(sequence: receipt.sequence, bytes: receipt.bytes)
        return try trim(upTo: receipt.sequence)
    }

    /// Whether the log has grown so much since the last snapshot, or so old, that another one is
    /// worth its while. Cheap enough for every second.
    ///
    /// A snapshot is what a start is fast by, and what the log can be trimmed behind. A large one
    /// is not written anew for a little growth: half of its size has to come together first, so
    /// that the work for snapshots stays in proportion to the work for the log. An old one is, so
    /// that the log of a quiet queue does not outlive its time.
    public var isSnapshotDue: Bool {
        let covered = newestSnapshot?.sequence ?? 0
        let fresh = segments.all.drop { $0.first <= covered }
        // Its header and marks are no growth.
        guard let first = fresh.first, head > covered else { return false }
        let policy = settings.policy
        let isOld =
            first.began.advanced(bySeconds: policy.retention.keepSeconds / 10)
            <= settings.environment.now()
        let bytes = fresh.reduce(0) { $0 + Int64($1.bytes) }
        let isLong =
            nextSequence - 1 - covered >= UInt64(policy.snapshotEveryLines)
            || bytes >= max(policy.retention.keepBytes / 2, Self.leastGrowthBytes)
        return isOld || isLong && bytes >= Int64(newestSnapshot?.bytes ?? 0) / 2
    }

    private static let leastGrowthBytes: Int64 = 256 << 10
}

/// The newest snapshot that is good.
struct SnapshotMark: Sendable {
    /// The sequence number after which it is true.
    var sequence: SequenceNumber
    /// The length of its file.
    var bytes: Int
}
