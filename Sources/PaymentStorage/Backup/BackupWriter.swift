public import PaymentCore

/// Writes backups: verified copies of the journal of a state directory.
///
/// A backup is a directory on which the program could start. ``BackupInstaller`` creates a new
/// store from a daemon's backup. The `format.json` of its journal is written last; a directory
/// without one is not a backup.
public enum BackupWriter {
    /// Writes a backup into `backups/` of the state directory. Runs on any thread, for as long as
    /// the copying takes; commits continue meanwhile.
    ///
    /// - Parameters:
    ///   - ticket: The ticket of the log.
    ///   - folder: The directory of the log in the state directory, such as `sandbox` of a store server;
    ///     nil for the state directory itself.
    ///   - state: The state directory; nil if it is that of the log.
    ///   - directories: Directories of small files that are always replaced whole, such as
    ///     `keys`; missing directories are skipped.
    ///   - time: The time in the name of the backup.
    /// - Returns: The result.
    /// - Throws: No backup was written; the files of the attempt were removed.
    public static func write(
        _ ticket: BackupTicket, in folder: String? = nil, of state: (any Disk)? = nil,
        directories: [String] = [], at time: Timestamp
    ) throws(BackupFailure) -> BackupReport {
        let state = state ?? ticket.disk
        let stamp = time.description.filter { $0.isNumber || $0 == "T" || $0 == "Z" }
        let name = "\(stamp)-\(ticket.sequence)"
        do {
            try checkRoom(ticket)
            let backups = try state.directory(FileName.backups, create: true)
            try state.sync()
            guard try backups.status(of: name) == nil else {
                throw BackupFailure("the directory already exists")
            }
            let target = try backups.directory(name, create: true)
            try backups.sync()
            do {
                var bytes = try copy(directories, of: state, to: target)
                let place = try folder.map { try target.directory($0, create: true) } ?? target
                // The names next to the journal are on the disk before its format file.
                try target.sync()
                bytes += try write(ticket, into: place)
                return BackupReport(
                    path: "\(FileName.backups)/\(name)", sequence: ticket.sequence, bytes: bytes)
            } catch {
                clear(target, (folder.map { [$0] } ?? []) + directories)
                try? backups.remove(name)
                throw error
            }
        } catch {
            throw BackupFailure(
                "cannot write backup '\(FileName.backups)/\(name)': \(error)",
                error is DiskFailure ? .disk : (error as? BackupFailure)?.cause ?? .other)
        }
    }

    /// Removes the oldest backups below `backups/`, and the remains of unfinished attempts. Directories with
    /// other names stay. No other backup may be written meanwhile.
    ///
    /// - Parameters:
    ///   - state: The state directory.
    ///   - kept: The number of backups that are kept.
    ///   - newest: The path of the backup that stays in any case, also if the clock was set back.
    /// - Returns: The paths of the removed backups.
    public static func removeOldest(
        of state: any Disk, keeping kept: Int, and newest: String
    ) -> [String] {
        guard let backups = try? state.directory(FileName.backups, create: false),
            let names = try? backups.list()
        else { return [] }
        // The names begin with the time, so their order is the order of creation.
        let others = names.filter { name in
            "\(FileName.backups)/\(name)" != newest
                && name.wholeMatch(of: #/\d{8}T\d{9}Z-\d+/#) != nil
        }
        let complete = others.filter { name in
            (try? backups.directory(name, create: false).status(of: FileName.format)) != nil
        }
        let dropped = Set(others).subtracting(complete.suffix(max(0, kept - 1)))
        var removed: [String] = []
        for name in dropped.sorted() {
            guard let old = try? backups.directory(name, create: false) else { continue }
            let inner = ((try? old.list()) ?? []).filter {
                (try? old.status(of: $0))?.kind == .directory
            }
            clear(old, inner)
            guard (try? backups.remove(name)) != nil else { continue }
            removed.append("\(FileName.backups)/\(name)")
        }
        try? backups.sync()
        return removed
    }

    private static func checkRoom(_ ticket: BackupTicket) throws {
        let needed = try ticket.size()
        let free = try ticket.disk.space().freeBytes
        guard free >= Int64(needed) else {
            throw BackupFailure(
                "it needs \(needed) bytes, but only \(free) are free and not claimed by accepted "
                    + "transactions", .disk)
        }
    }

    private static func copy(
        _ directories: [String], of state: any Disk, to target: any Disk
    ) throws -> Int {
        var bytes = 0
        for name in directories {
            guard try state.status(of: name)?.kind == .directory else { continue }
            let source = try state.directory(name, create: false)
            let copy = try target.directory(name, create: true)
            for file in try source.list() where try source.status(of: file)?.kind == .regular {
                bytes += try FileCopy.copy(file, of: source, to: copy)
            }
            try copy.sync()
        }
        return bytes
    }

    /// Copies the journal and verifies the copy.
    private static func write(_ ticket: BackupTicket, into target: any Disk) throws -> Int {
        var bytes = 0
        for piece in ticket.pieces {
            bytes += try FileCopy.copy(
                piece.name, of: ticket.disk, to: target, upTo: piece.bytes)
        }
        var mark = ProgressMark(store: ticket.format.store)
        mark.sequence = ticket.lastLine
        mark.checksum = ticket.lastChecksum
        mark.storeSince = ticket.format.storeSince
        let lock = LockFile.bytes(mark)
        // This syncs the names of all files above as well.
        try target.replaceFile(FileName.lock, with: lock)
        try target.replaceFile(FileName.format, with: ticket.format.bytes)
        let report = JournalVerifier.verify(
            target, isDeep: true, lineLimitBytes: ticket.lineLimitBytes)
        if let finding = report.findings.first {
            throw finding.severity == .unreadable
                ? BackupFailure(
                    "the copy of '\(finding.file)' cannot be read: \(finding.detail)", .disk)
                : BackupFailure(
                    "the copy of '\(finding.file)' is damaged: \(finding.detail)", .damage)
        }
        return bytes + lock.count + ticket.format.bytes.count
    }

    /// Removes an incomplete backup, its format file first. The remains of a failed removal are
    /// therefore not a backup.
    private static func clear(_ target: any Disk, _ directories: [String]) {
        try? target.removeIfPresent(FileName.format)
        try? target.sync()
        let inner = directories.compactMap { try? target.directory($0, create: false) }
        for disk in inner + [target] {
            for name in (try? disk.list()) ?? [] { try? disk.remove(name) }
        }
    }
}

/// The result of a backup.
public struct BackupReport: Sendable, Hashable {
    /// Its directory, relative to the state directory.
    public let path: String
    /// The sequence number of the last event in it.
    public let sequence: SequenceNumber
    /// Its size in bytes.
    public let bytes: Int
}

/// A backup could not be written or installed.
public struct BackupFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence for users.
    public let description: String
    /// The cause.
    public let cause: Cause
    /// Whether files were already changed. The same restore can be repeated.
    public let isBegun: Bool

    /// Creates a failure.
    public init(
        _ description: String, _ cause: Cause = .other, isBegun: Bool = false
    ) {
        self.description = description
        self.cause = cause
        self.isBegun = isBegun
    }

    /// The cause of a failure.
    public enum Cause: Sendable, Hashable {
        /// A store already exists there; nothing else is wrong.
        case occupied
        /// A failure of the disk or a lack of space.
        case disk
        /// Damage to files of the state directory.
        case damage
        /// Something else, as the description says.
        case other
    }
}

/// Copies files from one directory into another.
enum FileCopy {
    /// Copies a file that the target does not have, and syncs it. It does not wait between slices, because
    /// the caller waits for the copy.
    ///
    /// - Returns: The number of copied bytes.
    /// - Throws: The disk failed, or the file is shorter than expected.
    static func copy(
        _ name: String, of source: any Disk, to target: any Disk, upTo count: Int? = nil
    ) throws -> Int {
        let file = try source.open(name, .read)
        let length = try count ?? file.length()
        var copy = PacedFile(
            try target.open(name, .create), sync: StorageEnvironment.syncAtOnce)
        while copy.length < length {
            let bytes = try file.readBytes(
                at: copy.length, count: min(PacedFile.sliceBytes, length - copy.length))
            guard !bytes.isEmpty else { throw BackupFailure("'\(name)' is too short", .damage) }
            try copy.append(bytes)
        }
        try copy.finish()
        return length
    }
}
