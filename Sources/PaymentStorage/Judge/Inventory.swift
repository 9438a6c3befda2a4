internal import PaymentCore

/// The files of a journal by their kinds.
struct Inventory {
    /// The first sequence numbers of the segments, ascending.
    private(set) var segments: [SequenceNumber] = []
    /// The sequence numbers of the snapshots, ascending.
    private(set) var snapshots: [SequenceNumber] = []
    /// Files that were never finished.
    private(set) var leftovers: [String] = []
    /// Whether the directory has a format file.
    private(set) var hasFormat = false
    /// Whether it has files of closed things.
    private(set) var hasHistory = false

    init(_ disk: any Disk) throws(DiskFailure) {
        for name in try disk.list() {
            if let first = FileName.segmentFirst(name) {
                segments.append(first)
            } else if let last = FileName.snapshotLast(name) {
                snapshots.append(last)
            } else if name == FileName.spare || name.hasSuffix(temporarySuffix) {
                leftovers.append(name)
            } else if name == FileName.format {
                hasFormat = true
            } else if ArchiveFile.isDataName(name) {
                hasHistory = true
            }
        }
        segments.sort()
        snapshots.sort()
    }

    /// Whether the directory has a file that only a journal has.
    var hasJournal: Bool { hasFormat || hasHistory || !segments.isEmpty || !snapshots.isEmpty }

    /// The directories below a state directory that have a journal which counts: `sandbox` of a store
    /// server, or of a directory of an earlier version.
    static func journals(below disk: any Disk) throws(DiskFailure) -> [String] {
        let name = SeparateStore.directory
        // The start that merged it may not have moved all of its files away yet.
        guard (try? StoreFormat(reading: disk))?.storeSince == nil,
            try disk.status(of: name)?.kind == .directory,
            try Inventory(disk.directory(name, create: false)).hasJournal
        else { return [] }
        return [name]
    }
}
