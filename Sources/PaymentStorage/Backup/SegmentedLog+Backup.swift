public import PaymentCore

extension SegmentedLog {
    /// Fixes the content of a backup at this time. No file is removed until ``endBackup()``.
    ///
    /// Existing lines of the active segment never change, and sealed segments never change. Another
    /// thread can therefore copy them while the journal continues.
    ///
    /// - Returns: The ticket for ``BackupWriter``.
    /// - Throws: The journal is unusable from then on.
    public func beginBackup() throws(JournalFailure) -> BackupTicket {
        precondition(!isClosed, "a backup of a journal that is closed")
        try commit()
        pins += 1
        return BackupTicket(
            disk: directory.disk, format: format,
            snapshot: newestSnapshot.map { FileName.snapshot(last: $0.sequence) },
            segments: segments.all.map { BackupTicket.Piece(name: $0.name, bytes: $0.bytes) },
            head: head, lastLine: nextSequence - 1, margin: settings.policy.shortFreeBytes,
            lineLimitBytes: settings.policy.lineLimitBytes)
    }

    /// Permits trimming again, whatever the outcome of the backup.
    public func endBackup() {
        precondition(pins > 0, "a backup ended without having begun")
        pins -= 1
    }
}

/// The content of the backup of one journal.
public struct BackupTicket: Sendable {
    /// A file or the part of it that belongs to the backup.
    struct Piece: Sendable {
        var name: String
        /// The length of the part in bytes; nil for the whole file.
        var bytes: Int?
    }

    let disk: any Disk
    let format: StoreFormat
    let snapshot: String?
    let segments: [Piece]
    let head: SequenceNumber
    let lastLine: SequenceNumber
    let margin: Int64
    let lineLimitBytes: Int

    /// The sequence number of the last event in the backup.
    public var sequence: SequenceNumber { head }

    /// All files except the format file.
    var pieces: [Piece] { (snapshot.map { [Piece(name: $0, bytes: nil)] } ?? []) + segments }

    /// The number of bytes to copy.
    func size() throws(DiskFailure) -> Int {
        var size = 0
        for piece in pieces {
            if let bytes = piece.bytes {
                size += bytes
            } else {
                size += try disk.status(of: piece.name)?.length ?? 0
            }
        }
        return size
    }
}
