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
        if active.lines > 1 || segments.count == 1 && active.previous == nil {
            // No room for a file now is the only failure that leaves the journal as it was.
            guard let next = try? makeSegmentFile() else { return nil }
            try rotate(onto: next)
        }
        let current = segments[segments.count - 1]
        var position = Recovery.Position()
        position.next = current.first
        position.lastEvent = current.lastEventBefore
        position.segmentNumber = current.number - 1
        position.previous = active.previous
        return SnapshotTicket(
            disk: directory.disk,
            header: SnapshotHeader(
                store: format.store, epoch: format.epoch, created: environment.now(),
                build: build, position: position))
    }

    /// Says which files may go now that there is a newer snapshot, and forgets them.
    ///
    /// Two generations of snapshots stay, with every segment that the older one needs; of the log
    /// before that, what the retention policy keeps.
    ///
    /// - Returns: What remains to be done, on any thread; nil if nothing.
    public func snapshotWasWritten(_ receipt: SnapshotReceipt) throws(JournalFailure) -> Trim? {
        let inventory: Inventory
        do {
            inventory = try Inventory(directory.disk)
        } catch {
            throw JournalFailure(error)
        }
        let older = inventory.snapshots.last { last in
            last < receipt.sequence && !damagedSnapshots.contains(FileName.snapshot(last: last))
        }
        guard let older else { return nil }
        trimSegments(upTo: older)
        // By what is on the disk, so that what an earlier trim could not remove goes now.
        let kept = segments[0].first
        var names = inventory.segments.filter { $0 < kept }.map { FileName.segment(first: $0) }
        names += inventory.snapshots.filter { $0 < older }.map { FileName.snapshot(last: $0) }
        return names.isEmpty ? nil : Trim(disk: directory.disk, names: names)
    }

    /// Takes the segments out of the list that neither a snapshot nor the policy keeps.
    private func trimSegments(upTo older: SequenceNumber) {
        let retention = policy.retention
        let deadline = environment.now().advanced(bySeconds: -retention.keepSeconds)
        var bytes = Int64(bytesKept)
        var count = 0
        while count + 1 < segments.count {
            let next = segments[count + 1]
            guard next.first <= older + 1, bytes > retention.keepBytes || next.began < deadline
            else { break }
            bytes -= Int64(segments[count].bytes)
            count += 1
        }
        segments.removeFirst(count)
        // Bookmarks count segments from the first in the list.
        bookmarks.removeAll()
    }
}

/// Files that nobody needs any more.
public struct Trim: Sendable {
    let disk: any Disk
    /// Their names, in the order in which they go: what stays is always without a gap.
    public let names: [String]

    /// Takes the files away, the oldest first. What a failure leaves behind goes with the next
    /// trim.
    public func perform() throws(DiskFailure) {
        for name in names { try disk.removeIfPresent(name) }
        try disk.sync()
    }
}
