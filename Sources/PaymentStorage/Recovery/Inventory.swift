internal import PaymentCore

/// The files of a journal by what they are.
struct Inventory {
    /// The first sequence numbers of the segments, ascending.
    private(set) var segments: [SequenceNumber] = []
    /// The sequence numbers of the snapshots, ascending.
    private(set) var snapshots: [SequenceNumber] = []
    /// Files that were never finished.
    private(set) var leftovers: [String] = []
    /// Whether the directory says what format it has.
    private(set) var hasFormat = false

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
            }
        }
        segments.sort()
        snapshots.sort()
    }
}
