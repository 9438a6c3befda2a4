internal import PaymentCore

extension BackupTicket {
    /// Finds the files of a backup from outside of the process that owns the journal. There need not be such a
    /// process. Takes no lock and changes nothing.
    ///
    /// The owner may trim files before they are copied. The copy then fails, and a new ticket names
    /// the current files.
    ///
    /// - Parameters:
    ///   - disk: The directory of the journal.
    ///   - policy: Sizes and limits of the journal.
    /// - Throws: There is no journal, or it cannot be read to its end.
    public init(
        reading disk: any Disk, policy: JournalPolicy = JournalPolicy()
    ) throws(BackupFailure) {
        do {
            let inventory = try Inventory(disk)
            guard let last = inventory.segments.last else {
                throw BackupFailure("there is no journal")
            }
            var scanner = SegmentScanner(
                file: try disk.open(FileName.segment(first: last), .read),
                limit: try disk.status(of: FileName.segment(first: last))?.length ?? 0,
                expected: last, lineLimit: policy.lineLimitBytes)
            var head = last - 1
            // Bytes after the last complete line are not acknowledged yet.
            while case .line(let line) = try scanner.next() {
                if !line.isHole { head = line.sequence }
            }
            let segments = inventory.segments.map { first in
                Piece(
                    name: FileName.segment(first: first),
                    bytes: first == last ? scanner.offset : nil)
            }
            let snapshot = try inventory.snapshots.last.map {
                try SnapshotFile(verifying: FileName.snapshot(last: $0), on: disk)
            }
            self.init(
                disk: disk,
                format: try StoreFormat(reading: disk),
                snapshot: snapshot?.name, history: snapshot?.header.history,
                segments: segments, head: head, lastLine: scanner.expected - 1,
                lastChecksum: scanner.chain,
                lineLimitBytes: policy.lineLimitBytes)
        } catch let failure as BackupFailure {
            throw failure
        } catch {
            throw BackupFailure(
                "cannot read the journal: \(error)", error is DiskFailure ? .disk : .damage)
        }
    }
}
