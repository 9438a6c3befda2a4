public import PaymentCore

extension SegmentedLog {
    /// Fixes the content of a backup at this time. No file is removed until ``endBackup()``.
    ///
    /// The lines up to here never change, so they may be copied on another thread while the journal is written.
    /// The backup of a copy contains only lines that the other place has committed.
    ///
    /// - Returns: The ticket for ``BackupWriter``.
    /// - Throws: The journal is unusable from then on.
    public func beginBackup() throws(JournalFailure) -> BackupTicket {
        precondition(!isClosed, "a backup of a journal that is closed")
        if copied == nil { try commit() }
        let end = copied ?? (nextSequence, writer.lines.chain)
        pins += 1
        return BackupTicket(
            disk: budgeted(for: .other), format: format,
            snapshot: newestSnapshot.map { FileName.snapshot(last: $0.sequence) },
            history: newestSnapshot?.history,
            segments: segments.all.map { BackupTicket.Piece(name: $0.name, bytes: $0.bytes) },
            head: writer.durableHead, lastLine: end.next - 1, lastChecksum: end.chain,
            lineLimitBytes: settings.policy.lineLimitBytes)
    }

    /// Ends a backup, successful or not. Files that the policy does not keep may be removed again.
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
    /// The files of closed things that the snapshot names.
    let history: HistoryFiles?
    let segments: [Piece]
    let head: SequenceNumber
    let lastLine: SequenceNumber
    let lastChecksum: UInt32
    let lineLimitBytes: Int

    /// The sequence number of the last event in the backup.
    public var sequence: SequenceNumber { head }

    /// All files except the format file.
    var pieces: [Piece] {
        let closed = history?.manifest.files.map { Piece(name: $0.name, bytes: $0.bytes) } ?? []
        return closed + (snapshot.map { [Piece(name: $0, bytes: nil)] } ?? []) + segments
    }

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
