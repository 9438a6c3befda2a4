public import PaymentCore
internal import Synchronization

/// A state directory that this process owns until the value is released.
///
/// Creating the value takes the lock and writes nothing else. Only reading the files shows whether
/// they may be changed.
public final class StateDirectory: Sendable {
    /// The files of the directory.
    public let disk: any Disk
    /// The path with which the directory was opened, for messages.
    public let path: String
    /// Whether the directory is lost with the machine or the container.
    public let isVolatile: Bool
    private let lockFile: LockFile
    private let identity: ProcessIdentity
    private let started: Timestamp
    /// The number of the last mark that was written, and what all marks record about the embedded store.
    private let lastMark = Mutex<LastMark>(LastMark())
    /// The room of the file system, shared with the subdirectories.
    private let sharedSpace: SharedSpace
    /// The names of the subdirectories that were opened.
    private let openedParts = Mutex<[String]>([])
    /// The clean stop of the last owner, if the lock file records one.
    let lastCleanStop: LockFile.CleanStop?
    /// Whether nothing in the directory is changed.
    public let isReadOnly: Bool

    /// Opens a directory of the real file system, and creates it with mode 0700 if it is missing.
    ///
    /// - Parameters:
    ///   - path: The directory.
    ///   - identity: The description of this process for the lock file.
    ///   - started: The time when this process started.
    ///   - isReadOnly: Whether nothing is created or changed.
    ///   - mayLackLock: Whether the directory may have lost its lock file, because its store is replaced.
    /// - Throws: `.inUse` if another process owns it; `.unsuitable` for a directory that other
    ///   users own or can write to, and for NFS; `.failed` if it cannot be opened.
    public convenience init(
        path: String, identity: ProcessIdentity, started: Timestamp, isReadOnly: Bool = false,
        mayLackLock: Bool = false
    ) throws(StorageError) {
        let disk: SystemDisk
        do {
            disk = try SystemDisk(path: path, create: !isReadOnly)
        } catch  where error.isOfDisk {
            throw StorageError(error)
        } catch {
            throw .unsuitable("cannot open state directory '\(path)': \(error.reason)")
        }
        try self.init(
            disk: disk, path: path, owner: ProcessIdentity.effectiveUser, identity: identity,
            started: started, isReadOnly: isReadOnly, mayLackLock: mayLackLock,
            space: SharedSpace(disk, isReadOnly: isReadOnly))
    }

    /// Checks whether a directory of the real file system is usable, without taking, creating or
    /// changing anything. It does not check for another owner process.
    ///
    /// - Throws: `.unsuitable`, as for opening a path.
    public static func examine(path: String, isReadOnly: Bool) throws(StorageError) {
        do {
            guard try SystemDisk.examine(path: path) else {
                if isReadOnly { throw nothingToRead(path) }
                return
            }
            _ = try check(
                SystemDisk(path: path, create: false), path: path,
                owner: ProcessIdentity.effectiveUser)
        } catch let failure as DiskFailure {
            throw .unsuitable("cannot open state directory '\(path)': \(failure.reason)")
        } catch let error as StorageError {
            throw error
        } catch {
            throw .unsuitable("cannot use state directory '\(path)': \(error)")
        }
    }

    /// Takes ownership of a directory.
    ///
    /// - Parameters:
    ///   - disk: The directory.
    ///   - path: The path for messages.
    ///   - owner: The user id that must own it.
    ///   - identity: The description of this process for the lock file.
    ///   - started: The time when this process started.
    ///   - isReadOnly: Whether nothing in it is changed. It is owned all the same, so that no other
    ///     process changes it meanwhile.
    /// - Throws: The errors of opening a path.
    public convenience init(
        disk: any Disk, path: String, owner: UInt32, identity: ProcessIdentity,
        started: Timestamp, isReadOnly: Bool = false
    ) throws(StorageError) {
        try self.init(
            disk: disk, path: path, owner: owner, identity: identity, started: started,
            isReadOnly: isReadOnly, mayLackLock: false,
            space: SharedSpace(disk, isReadOnly: isReadOnly))
    }

    private init(
        disk: any Disk, path: String, owner: UInt32, identity: ProcessIdentity,
        started: Timestamp, isReadOnly: Bool, mayLackLock: Bool, space: SharedSpace
    ) throws(StorageError) {
        self.isReadOnly = isReadOnly
        sharedSpace = space
        self.disk = disk
        self.path = path
        self.identity = identity
        self.started = started
        do {
            isVolatile = try Self.check(disk, path: path, owner: owner) == .volatile
            if isReadOnly, try disk.status(of: FileName.format) == nil {
                throw Self.nothingToRead(path)
            }
            // A directory that is refused because it has no lock file gets none: with one it would look like an
            // empty directory.
            if !mayLackLock, try disk.status(of: FileName.lock) == nil,
                let format = try? StoreFormat.find(Inventory(disk), disk, checksParts: false),
                format.isChecked
            {
                var refusal = LogMarks.missing
                refusal.directory = path
                throw StorageError.refused(refusal)
            }
            lockFile = LockFile(
                file: try disk.open(FileName.lock, isReadOnly ? .read : .updateOrCreate))
            let text = try lockFile.read()
            guard try Self.take(lockFile) else {
                throw StorageError.inUse(Self.holder(lockFile, text, path: path))
            }
            // The text is read again, because the last owner may have written between the two
            // calls.
            lastCleanStop = try lockFile.read()?.cleanStop
        } catch let failure as DiskFailure where failure.isOfKind {
            var refusal = RecoveryRefusal(.badLockFile, file: failure.name, detail: failure.reason)
            refusal.directory = path
            throw .refused(refusal)
        } catch let failure as DiskFailure where failure.isOfDisk {
            throw StorageError(failure.inDirectory(path))
        } catch let failure as DiskFailure {
            throw .unsuitable(
                "cannot use state directory '\(path)': \(failure.operation.rawValue) "
                    + "'\(failure.name)': \(failure.reason)")
        } catch let error as StorageError {
            throw error
        } catch {
            throw .unsuitable("cannot use state directory '\(path)': \(error)")
        }
    }

    private static func nothingToRead(_ path: String) -> StorageError {
        .unsuitable("there is no store in '\(path)' that can be read")
    }

    /// Takes the lock at once, or waits while its holder is being killed. The next daemon may start
    /// before the system has ended a killed one.
    private static func take(_ lock: LockFile) throws(DiskFailure) -> Bool {
        let isEnding = { lock.holder().map(ProcessIdentity.isEnding) ?? false }
        return try tryRepeatedly(for: 30, while: isEnding) { () throws(DiskFailure) in
            try lock.lock()
        }
    }

    /// Opens a subdirectory with its own journal, such as `sandbox`.
    public func subdirectory(_ name: String) throws(StorageError) -> StateDirectory {
        do {
            let inner = try disk.directory(name, create: true)
            try disk.sync()
            let owner = try inner.status().owner
            let part = try StateDirectory(
                disk: inner, path: "\(path)/\(name)", owner: owner, identity: identity,
                started: started, isReadOnly: isReadOnly, mayLackLock: false, space: sharedSpace)
            openedParts.withLock { $0.append(name) }
            return part
        } catch let error as StorageError {
            throw error
        } catch let failure as DiskFailure {
            throw StorageError(failure.inDirectory(path))
        } catch {
            throw .unsuitable("cannot use state directory '\(path)/\(name)': \(error)")
        }
    }

    /// The space of the file system. This directory and its subdirectories share one value: they use the same
    /// blocks and the same reserve, which is in the top directory.
    func space(_ policy: JournalPolicy) -> Space { sharedSpace.value(policy) }

    /// Whether the directory has the log of a queue.
    ///
    /// - Throws: `.failed` if the disk failed.
    public func hasQueue() throws(StorageError) -> Bool {
        do throws(DiskFailure) {
            return try disk.status(of: FileName.format) != nil
        } catch {
            throw StorageError(error)
        }
    }

    /// The stores in the subdirectories that were opened, by name.
    func parts() throws -> [String: UniqueID] {
        var parts: [String: UniqueID] = [:]
        for name in openedParts.withLock({ $0 }) {
            let inner = try disk.directory(name, create: false)
            guard try inner.status(of: FileName.format) != nil else { continue }
            parts[name] = try StoreFormat(reading: inner).store
        }
        return parts
    }

    /// The members that all marks of an owner share, and the number of the last one.
    private struct LastMark {
        var number: UInt64 = 0
        var parts: [String: UniqueID] = [:]
        var storeSince: SequenceNumber?
    }

    /// Sets what later marks record about the embedded store.
    func use(parts: [String: UniqueID], storeSince: SequenceNumber?) {
        lastMark.withLock {
            $0.parts = parts
            $0.storeSince = storeSince
        }
    }

    /// Releases the lock before this value is released. Everything in the directory must be closed
    /// first.
    public func release() {
        lockFile.unlock()
    }

    /// Writes the owner into the lock file, and a mark without a length: from now on the log may be written
    /// anew. Called when it is certain that the directory will be used, because a refused start leaves every
    /// file unchanged.
    ///
    /// - Parameter mark: The last durable line. Later marks repeat what it records about the embedded store.
    /// - Throws: The lock file was not written or synced.
    func announce(_ mark: ProgressMark) throws(DiskFailure) {
        let marks = try lockFile.marks()
        lastMark.withLock { $0.number = marks.newest?.number ?? 0 }
        use(parts: mark.parts, storeSince: mark.storeSince)
        var mark = mark
        mark.bytes = 0
        try write(mark)
        if !marks.areWhole { try write(mark) }
        try lockFile.write(LockFile.Text(identity: identity, started: started))
        try lockFile.sync()
        try disk.sync()
    }

    /// Syncs the mark that was written last.
    func syncMark() throws(DiskFailure) {
        try lockFile.sync()
    }

    /// Writes a mark into the lock file. Called after the line that it names is on stable storage.
    func write(_ mark: ProgressMark) throws(DiskFailure) {
        var mark = mark
        mark.started = started
        let last = lastMark.withLock { last in
            last.number += 1
            return last
        }
        mark.number = last.number
        mark.parts = last.parts
        mark.storeSince = last.storeSince
        try lockFile.write(mark)
    }

    /// Writes the last line of the journal into the lock file, durably. Called after that line is on stable
    /// storage and before the directory is released.
    func recordCleanStop(
        _ stop: LockFile.CleanStop, _ mark: ProgressMark
    ) throws(DiskFailure) {
        try write(mark)
        try lockFile.write(
            LockFile.Text(identity: identity, started: started, cleanStop: stop))
        try lockFile.sync()
    }

    private static func check(
        _ disk: any Disk, path: String, owner: UInt32
    ) throws -> DiskSpace.Kind {
        let status = try disk.status()
        guard status.owner == owner else {
            throw StorageError.unsuitable(
                "state directory '\(path)' belongs to user \(status.owner), not to user \(owner)")
        }
        guard status.permissions & 0o022 == 0 else {
            throw StorageError.unsuitable(
                "state directory '\(path)' is writable by its group or by everyone; run "
                    + "chmod go-w '\(path)'")
        }
        let kind = try disk.space().kind
        guard kind != .network else {
            throw StorageError.unsuitable(
                "state directory '\(path)' is on NFS, where neither locks nor syncs are reliable")
        }
        return kind
    }

    private static func holder(
        _ lock: LockFile, _ text: LockFile.Text?, path: String
    ) -> LockHolder {
        // The text may be that of an earlier owner while the current one is still starting.
        let pid = lock.holder() ?? text?.identity.pid
        guard let text, text.identity.pid == pid else {
            return LockHolder(directory: path, pid: pid, program: nil, socketPath: nil)
        }
        return LockHolder(
            directory: path, pid: pid, program: text.identity.program,
            socketPath: text.identity.socketPath)
    }
}

/// The room of a directory, measured at its first use.
private final class SharedSpace: Sendable {
    private let disk: any Disk
    private let isReadOnly: Bool
    private let made = Mutex<Space?>(nil)

    init(_ disk: any Disk, isReadOnly: Bool) {
        self.disk = disk
        self.isReadOnly = isReadOnly
    }

    func value(_ policy: JournalPolicy) -> Space {
        made.withLock { made in
            if let made { return made }
            var policy = policy
            // Nothing is written, so nothing is kept free for it.
            if isReadOnly { policy.reserveBytes = 0 }
            let space = Space(disk, policy: policy)
            made = space
            return space
        }
    }
}
