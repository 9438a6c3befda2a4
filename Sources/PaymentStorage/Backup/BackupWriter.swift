public import PaymentCore

/// Writes backups: verified copies of the journals of a state directory.
///
/// A backup is a directory on which the program could start. ``BackupInstaller`` creates a new
/// store from a daemon's backup. The `format.json` of its main journal is written last; a directory
/// without one is not a backup.
public enum BackupWriter {
    /// One of several journals of a backup.
    public struct Part: Sendable {
        /// The directory of the journal in the state directory, such as `sandbox`.
        public var name: String
        /// The ticket of its log. It is taken after the ticket of the queue, so that the backup's
        /// store has every order that the backup's queue has.
        public var ticket: BackupTicket

        /// Creates a part.
        public init(name: String, ticket: BackupTicket) {
            self.name = name
            self.ticket = ticket
        }
    }

    /// Writes a backup into `backups/` of the state directory. Runs on any thread, for as long as
    /// the copying takes; commits continue meanwhile.
    ///
    /// - Parameters:
    ///   - queue: The ticket of the queue's log.
    ///   - parts: The other journals.
    ///   - directories: Directories of small files that are always replaced whole, such as
    ///     `keys`; missing directories are skipped.
    ///   - time: The time in the name of the backup.
    /// - Returns: The result.
    /// - Throws: No backup was written; the files of the attempt were removed.
    public static func write(
        _ queue: BackupTicket, parts: [Part] = [], directories: [String] = [], at time: Timestamp
    ) throws(BackupFailure) -> BackupReport {
        try write(
            parts.map { ($0.name, $0.ticket) } + [(nil, queue)], of: queue.disk, directories,
            at: time)
    }

    /// Writes a backup of a state directory whose only journal is in a subdirectory.
    ///
    /// - Parameters:
    ///   - journal: The journal.
    ///   - state: The state directory.
    ///   - directories: Directories of small files that are always replaced whole.
    ///   - time: The time in the name of the backup.
    /// - Returns: The result.
    /// - Throws: No backup was written; the files of the attempt were removed.
    public static func write(
        _ journal: Part, of state: any Disk, directories: [String] = [], at time: Timestamp
    ) throws(BackupFailure) -> BackupReport {
        try write([(journal.name, journal.ticket)], of: state, directories, at: time)
    }

    /// A journal with its directory in the state directory; nil for the state directory itself.
    private typealias Journal = (name: String?, ticket: BackupTicket)

    /// Writes journals, the main one last.
    private static func write(
        _ journals: [Journal], of state: any Disk, _ directories: [String], at time: Timestamp
    ) throws(BackupFailure) -> BackupReport {
        guard let main = journals.last?.ticket else {
            preconditionFailure("a backup without a journal")
        }
        let stamp = time.description.filter { $0.isNumber || $0 == "T" || $0 == "Z" }
        let name = "\(stamp)-\(main.sequence)"
        do {
            try checkRoom(journals.map(\.ticket))
            let backups = try state.directory(FileName.backups, create: true)
            try state.sync()
            guard try backups.status(of: name) == nil else {
                throw BackupFailure("the directory already exists")
            }
            let target = try backups.directory(name, create: true)
            try backups.sync()
            do {
                let bytes = try fill(target, journals, of: state, directories)
                return BackupReport(
                    path: "\(FileName.backups)/\(name)", sequence: main.sequence, bytes: bytes)
            } catch {
                clear(target, journals.compactMap(\.name) + directories)
                throw error
            }
        } catch {
            throw BackupFailure(
                "cannot write backup '\(FileName.backups)/\(name)': \(error)",
                isOfDisk: error is DiskFailure || (error as? BackupFailure)?.isOfDisk == true)
        }
    }

    private static func checkRoom(_ tickets: [BackupTicket]) throws {
        guard let first = tickets.first else { return }
        let needed = try tickets.reduce(0) { try $0 + $1.size() }
        let free = try first.disk.space().freeBytes
        guard free >= Int64(needed) + first.margin else {
            throw BackupFailure(
                "it needs \(needed) bytes and \(first.margin) bytes must stay free, "
                    + "but only \(free) are free", isOfDisk: true)
        }
    }

    private static func fill(
        _ target: any Disk, _ journals: [Journal], of state: any Disk, _ directories: [String]
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
        // The main journal comes last: its format file completes the backup.
        for (name, ticket) in journals {
            let copy = try name.map { try target.directory($0, create: true) } ?? target
            bytes += try write(ticket, into: copy, with: journals.compactMap(\.name))
        }
        try target.sync()
        return bytes
    }

    /// Copies one journal and verifies the copy, which belongs to those parts only that are copied.
    private static func write(
        _ ticket: BackupTicket, into target: any Disk, with parts: [String]
    ) throws -> Int {
        var bytes = 0
        for piece in ticket.pieces {
            bytes += try FileCopy.copy(
                piece.name, of: ticket.disk, to: target, upTo: piece.bytes)
        }
        try target.sync()
        var mark = ProgressMark(store: ticket.format.store)
        mark.sequence = ticket.lastLine
        mark.checksum = ticket.lastChecksum
        var format = ticket.format
        format.parts = format.parts.filter { parts.contains($0.key) }
        mark.parts = format.parts
        mark.storeSince = format.storeSince
        let lock = LockFile.bytes(mark)
        try target.replaceFile(FileName.lock, with: lock)
        try target.replaceFile(FileName.format, with: format.bytes)
        let report = JournalVerifier.verify(
            target, isDeep: true, lineLimitBytes: ticket.lineLimitBytes)
        if let finding = report.findings.first {
            throw BackupFailure("the copy of '\(finding.file)' is damaged: \(finding.detail)")
        }
        guard report.last == ticket.lastLine else {
            throw BackupFailure("the copy ends at line \(report.last ?? 0)")
        }
        return bytes + lock.count + format.bytes.count
    }

    /// Removes an incomplete backup, its format files first. The remains of a failed removal are
    /// therefore not a backup.
    private static func clear(_ target: any Disk, _ directories: [String]) {
        try? target.removeIfPresent(FileName.format)
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
    /// Whether the only cause is an existing store.
    public let isOccupied: Bool
    /// Whether the cause is a disk failure or a lack of space.
    public let isOfDisk: Bool

    /// Creates a failure.
    public init(_ description: String, isOccupied: Bool = false, isOfDisk: Bool = false) {
        self.description = description
        self.isOccupied = isOccupied
        self.isOfDisk = isOfDisk
    }
}

/// Copies files from one directory into another.
enum FileCopy {
    /// The number of bytes between syncs, so that a commit never waits for a large write.
    private static let sliceBytes = 1 << 20

    /// Copies a file that the target does not have, and syncs it.
    ///
    /// - Returns: The number of copied bytes.
    /// - Throws: The disk failed, or the file is shorter than expected.
    static func copy(
        _ name: String, of source: any Disk, to target: any Disk, upTo count: Int? = nil
    ) throws -> Int {
        let file = try source.open(name, .read)
        let length = try count ?? file.length()
        let copy = try target.open(name, .create)
        var offset = 0
        while offset < length {
            let bytes = try file.readBytes(
                at: offset, count: min(sliceBytes, length - offset))
            guard !bytes.isEmpty else { throw BackupFailure("'\(name)' is too short") }
            try copy.writeAll(bytes, at: offset)
            try copy.sync()
            offset += bytes.count
        }
        if length == 0 { try copy.sync() }
        return length
    }
}
