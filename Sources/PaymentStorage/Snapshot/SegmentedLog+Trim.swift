public import PaymentCore

extension SegmentedLog {
    /// Selects the files that are older than the retention and removes them from the log's lists.
    ///
    /// Two generations of snapshots stay, with every segment that the older one needs. Before
    /// those, the retention policy decides. Whole segments are removed, oldest first, so that the
    /// log is always one continuous range. Unfinished objects are in the snapshots. Nothing is
    /// removed during a backup.
    ///
    /// - Returns: The removal to perform on any thread; nil if there is none.
    /// - Throws: The directory cannot be listed. The journal is not affected.
    public func trim() throws(JournalFailure) -> Trim? {
        guard !isReadOnly, let newestSnapshot,
            segments.isWorthTrimming(keeping: retention, now: settings.environment.now())
        else { return nil }
        return try trim(upTo: newestSnapshot.sequence)
    }

    /// Selects the files that a snapshot makes superfluous.
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
            upTo: older, keeping: retention, now: settings.environment.now())
        // The list of files on the disk includes files that an earlier trim could not remove.
        let kept = segments.all[0].first
        var names = inventory.segments.filter { $0 < kept }.map { FileName.segment(first: $0) }
        names += inventory.snapshots.filter { $0 < older }.map { FileName.snapshot(last: $0) }
        return names.isEmpty ? nil : Trim(disk: directory.disk, names: names)
    }
}

/// Files that are no longer needed.
public struct Trim: Sendable {
    let disk: any Disk
    /// Their names in the order of removal, which never leaves a gap.
    public let names: [String]

    /// Removes the files, oldest first. Files left by a failure are removed by the next trim.
    ///
    /// Each removal is durable before the next one starts. Otherwise a power cut could leave an
    /// older segment while a newer one is gone.
    public func perform() throws(DiskFailure) {
        for name in names {
            try disk.removeIfPresent(name)
            try disk.sync()
        }
    }
}
