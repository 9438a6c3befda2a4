public import PaymentCore

/// Creates a store from a backup.
///
/// The store has a new identifier and a new epoch. The original store may have continued, so
/// cursors that observers stored for it are not valid for the new store. Sequence numbers,
/// transactions and keys are those of the backup.
public struct BackupInstaller {
    private let source: any Disk
    private let directory: StateDirectory
    private let environment: StorageEnvironment
    private let lineLimit = JournalPolicy().lineLimitBytes

    /// The entries of a state directory that are not part of a store.
    private static let bystanders: Set<String> = [
        FileName.lock, FileName.quarantine, FileName.backups, FileName.format,
    ]
    /// A substitute for the format file during a restore, so that no program starts on the
    /// directory.
    private static let unfinished = Array(
        #"{"format":"payqueued-restore","detail":"a backup was being restored; restore it again"}"#
            .utf8)

    private init(
        source: any Disk, directory: StateDirectory, environment: StorageEnvironment
    ) {
        self.source = source
        self.directory = directory
        self.environment = environment
    }

    /// The result of an installation.
    public struct Report: Sendable, Hashable {
        /// The identifier of the new store.
        public let store: UniqueID
        /// The epoch of the new store.
        public let epoch: String
        /// The last sequence number of the backup.
        public let sequence: SequenceNumber
        /// The directory of replaced files, relative to the state directory; nil if there were
        /// none.
        public let setAside: String?
    }

    /// Installs a backup in a state directory that no daemon uses.
    ///
    /// A power cut during the installation leaves a directory that refuses to start. A restore into
    /// it can be repeated.
    ///
    /// - Parameters:
    ///   - source: The backup: a directory that ``BackupWriter`` wrote, or a copy of a state
    ///     directory that was not in use.
    ///   - directory: Owned by the caller; becomes the new store.
    ///   - settingAside: Whether a store that is there already is moved to `quarantine/`. Without
    ///     it, that refuses the restore. Nothing is ever deleted.
    ///   - environment: The source of randomness for the new identifiers, and the clock.
    /// - Returns: The report of the installation.
    /// - Throws: The backup is damaged, or a store is there, and nothing was changed; or the disk
    ///   failed.
    public static func install(
        _ source: any Disk, into directory: StateDirectory, settingAside: Bool,
        environment: StorageEnvironment = .system
    ) throws(BackupFailure) -> Report {
        try install(
            verify(source), into: directory, settingAside: settingAside, environment: environment)
    }

    /// A backup that was verified completely.
    public struct Verified {
        fileprivate let source: any Disk
        /// The directories of the backup that contain their own journals.
        fileprivate let parts: [String]
    }

    /// Verifies a backup by reading all of it, so that nothing is prepared for a damaged one.
    ///
    /// - Parameter source: As for ``install(_:into:settingAside:environment:)``.
    /// - Returns: The backup. It can be installed as long as its files do not change.
    /// - Throws: The backup is damaged, or cannot be read.
    public static func verify(_ source: any Disk) throws(BackupFailure) -> Verified {
        do {
            try check(source)
            let parts = try Inventory.journals(below: source)
            for part in parts { try check(source.directory(part, create: false)) }
            return Verified(source: source, parts: parts)
        } catch let failure as BackupFailure {
            throw failure
        } catch {
            throw BackupFailure("cannot restore backup: \(error)")
        }
    }

    /// Installs a verified backup, as ``install(_:into:settingAside:environment:)`` does.
    ///
    /// - Throws: A store exists, and nothing was changed; or the disk failed.
    public static func install(
        _ backup: Verified, into directory: StateDirectory, settingAside: Bool,
        environment: StorageEnvironment = .system
    ) throws(BackupFailure) -> Report {
        let installer = BackupInstaller(
            source: backup.source, directory: directory, environment: environment)
        do {
            return try installer.run(backup.parts, settingAside: settingAside)
        } catch let failure as BackupFailure {
            throw failure
        } catch {
            throw BackupFailure("cannot restore backup into '\(directory.path)': \(error)")
        }
    }

    private static func check(_ disk: any Disk) throws {
        let report = JournalVerifier.verify(disk, isDeep: true)
        guard !report.isEmpty else {
            throw BackupFailure("cannot restore backup: there is no journal in it")
        }
        guard let finding = report.findings.first(where: { $0.severity > .torn }) else { return }
        throw BackupFailure(
            "cannot restore backup: '\(finding.file)' is damaged: \(finding.detail)")
    }

    private func run(_ parts: [String], settingAside: Bool) throws -> Report {
        let disk = directory.disk
        let old = try oldFormat()
        guard old == nil || settingAside else {
            throw BackupFailure(
                "cannot restore backup: '\(directory.path)' already contains a store",
                .occupied)
        }
        try checkRoom()
        let format = try newFormat(of: source)
        let place = "before-\(format.epoch)"
        if old != nil {
            try keep(FileName.format, of: disk, at: place)
            try copyLock(of: disk, at: place)
        }
        do {
            return try replace(parts, with: format, isReplacing: old != nil, at: place)
        } catch {
            throw BackupFailure(
                "cannot restore backup into '\(directory.path)': \(error)"
                    + (old == nil
                        ? "" : "; the previous files are in '\(FileName.quarantine)/\(place)'"),
                isBegun: true)
        }
    }

    /// Refuses a restore for which the disk has no room. The previous files stay, and take room as well.
    private func checkRoom() throws {
        let (needed, free) = (try Self.bytes(below: source), try directory.disk.space().freeBytes)
        guard needed <= free else {
            throw BackupFailure(
                "cannot restore backup: it needs \(needed >> 20) MiB, and the file system has "
                    + "\(free >> 20) MiB left",
                .disk)
        }
    }

    /// The bytes of the files that a restore copies.
    private static func bytes(below disk: any Disk, isRoot: Bool = true) throws -> Int64 {
        var bytes: Int64 = 0
        for name in try disk.list() where !bystanders.contains(name) {
            switch try disk.status(of: name) {
            case let status? where status.kind == .directory && isRoot:
                bytes += try Self.bytes(
                    below: disk.directory(name, create: false), isRoot: false)
            case let status? where status.kind == .regular:
                let isSpare = name == FileName.spare || FileName.reserveNumber(name) != nil
                bytes += isSpare ? 0 : Int64(status.length)
            default: break
            }
        }
        return bytes
    }

    /// Replaces the contents of the directory by those of the backup.
    private func replace(
        _ parts: [String], with new: StoreFormat, isReplacing: Bool, at place: String
    ) throws -> Report {
        let disk = directory.disk
        var format = new
        try disk.replaceFile(FileName.format, with: Self.unfinished)
        // This also removes the old store's record of a clean stop.
        var mark = ProgressMark(store: format.store)
        mark.storeSince = format.storeSince
        try directory.announce(mark)
        let hasMoved = try clear(disk, at: place)
        for name in try source.list() where !Self.bystanders.contains(name) {
            // The new store belongs to no cluster.
            guard name != ClusterMembership.directory,
                try source.status(of: name)?.kind == .directory
            else { continue }
            let inner = try source.directory(name, create: false)
            let copy = try disk.directory(name, create: true)
            if parts.contains(name) {
                let part = try newFormat(of: inner)
                _ = try rewrite(inner, to: copy, as: part)
                try copy.replaceFile(
                    FileName.lock, with: LockFile.bytes(ProgressMark(store: part.store)))
                try copy.replaceFile(FileName.format, with: part.bytes)
                format.parts[name] = part.store
            } else {
                try copyFiles(of: inner, to: copy)
            }
        }
        let last = try rewrite(source, to: disk, as: format)
        try disk.replaceFile(FileName.format, with: format.bytes)
        return Report(
            store: format.store, epoch: format.epoch, sequence: last,
            setAside: isReplacing || hasMoved ? "\(FileName.quarantine)/\(place)" : nil)
    }

    /// The existing format file; nil if there is none, or if it is that of an unfinished restore.
    private func oldFormat() throws -> [UInt8]? {
        guard try directory.disk.status(of: FileName.format) != nil else {
            // A journal without its format file counts as a store, although a damaged one.
            let inventory = try Inventory(directory.disk)
            guard inventory.segments.isEmpty, inventory.snapshots.isEmpty else {
                throw BackupFailure(
                    "cannot restore backup: '\(directory.path)' contains a journal without its "
                        + "format file; move it away first")
            }
            return nil
        }
        let bytes = try directory.disk.open(FileName.format, .read).readAll(limit: 1 << 16)
        return bytes == Self.unfinished ? nil : bytes
    }

    /// The format of the backup with new identifiers.
    private func newFormat(of disk: any Disk) throws -> StoreFormat {
        let old = try StoreFormat(reading: disk)
        var new = StoreFormat.new(environment)
        new.version = old.version
        new.minimumReader = old.minimumReader
        new.storeSince = old.storeSince
        return new
    }

    private func rewrite(
        _ source: any Disk, to target: any Disk, as format: StoreFormat
    ) throws -> SequenceNumber {
        var rewriter = StoreRewriter(
            from: source, to: target, as: format, lineLimit: lineLimit)
        try rewriter.run()
        return rewriter.lastLine
    }

    private func copyFiles(of source: any Disk, to target: any Disk) throws {
        for name in try source.list() where try source.status(of: name)?.kind == .regular {
            _ = try FileCopy.copy(name, of: source, to: target)
        }
        try target.sync()
    }
}

extension BackupInstaller {
    /// Moves every file that could be part of a store to the quarantine; false if there was none.
    private func clear(_ disk: any Disk, at place: String) throws -> Bool {
        var hasMoved = false
        for name in try disk.list() where !Self.bystanders.contains(name) {
            if try disk.status(of: name)?.kind == .directory {
                let inner = try disk.directory(name, create: false)
                for file in try inner.list()
                where try inner.status(of: file)?.kind == .regular {
                    try keep(file, of: inner, at: "\(place)-\(name)")
                    try inner.remove(file)
                    hasMoved = true
                }
                try inner.sync()
            } else {
                try keep(name, of: disk, at: place)
                try disk.remove(name)
                hasMoved = true
            }
        }
        try disk.sync()
        return hasMoved
    }

    /// Copies the lock file to the quarantine. It proves how far the log went, and the new store
    /// will overwrite it.
    private func copyLock(of disk: any Disk, at place: String) throws {
        let aside = try disk.directory(FileName.quarantine, create: false)
            .directory(place, create: false)
        let bytes = try disk.open(FileName.lock, .read).readAll(limit: 1 << 16)
        try aside.replaceFile(FileName.lock, with: bytes)
    }

    /// Links a file into a directory of the quarantine, durably. The caller removes the old name.
    private func keep(_ name: String, of disk: any Disk, at place: String) throws {
        let quarantine = try directory.disk.directory(FileName.quarantine, create: true)
        let aside = try quarantine.directory(place, create: true)
        try disk.link(name, into: aside, as: name)
        try aside.sync()
        try quarantine.sync()
        try directory.disk.sync()
    }
}
