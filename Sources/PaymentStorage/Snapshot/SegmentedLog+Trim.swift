public import PaymentCore

extension SegmentedLog {
    /// Says which files may go by now, because they are older than what is kept, and forgets them.
    ///
    /// Two generations of snapshots stay, with every segment that the older one needs; of the log
    /// before that, what the retention policy keeps. Whole segments go, the oldest first, so that
    /// the log is one unbroken range at any time. What is unfinished lives in the snapshots. Nothing
    /// goes while a backup is being copied.
    ///
    /// - Returns: What remains to be done, on any thread; nil if nothing.
    /// - Throws: The directory cannot be listed. The journal is as good as before.
    public func trim() throws(JournalFailure) -> Trim? {
        let retention = settings.policy.retention
        guard let newestSnapshot,
            segments.isWorthTrimming(keeping: retention, now: settings.environment.now())
        else { return nil }
        return try trim(upTo: newestSnapshot.sequence)
    }

    /// Does so for the files that a snapshot makes superfluous.
    func trim(upTo newest: SequenceNumber) throws(JournalFailure) -> Trim? {
        guard pins == 0 else { return nil }
        let inventory: Inventory
        do {
            inventory = try Inventory(directory.disk)
        } catch {
            throw JournalFailure(error)
        }
        let older = inventory.snapshots.last { last in
            last < newest && !damagedSnapshots.contains(FileName.snapshot(last: last))
        }
        guard let older else { return nil }
        segments.trim(
            upTo: older, keeping: settings.policy.retention, now: settings.environment.now())
        // By what is on the disk, so that what an earlier trim could not remove goes now.
        let kept = segments.all[0].first
        var names = inventory.segments.filter { $0 < kept }.map { FileName.segment(first: $0) }
        names += inventory.snapshots.filter { $0 < older }.map { FileName.snapshot(last: $0) }
        return names.isEmpty ? nil : Trim(disk: directory.disk, names: names)
    }
}

/// Files that are no longer needed.
public struct Trim: Sendable {
    let disk: any Disk
    /// Their names, in the order in which they go: what stays is always without a gap.
    public let names: [String]

    /// Takes the files away, the oldest first. What a failure leaves behind goes with the next
    /// trim.
    ///
    /// Each removal is durable before the next one begins: a power cut must not leave an older
    /// segment behind a younger one that is gone.
    public func perform() throws(DiskFailure) {
        for name in names {
            try disk.removeIfPresent(name)
            try disk.sync()
        }
    }
}
