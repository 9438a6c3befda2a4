import PaymentCore

/// A small secret file, such as a private key. It has mode 0600 in a directory with mode 0700
/// inside a state directory, and is replaced whole. Only the owner of the state directory uses it,
/// one call at a time.
public struct SecretFile: Sendable {
    private let root: any Disk
    private let folder: String
    private let name: String
    /// The path of the file, for messages.
    public let path: String

    /// Creates the description of a file; accesses nothing.
    ///
    /// - Parameters:
    ///   - name: The name of the file.
    ///   - folder: The name of its directory, one path component.
    ///   - state: The state directory, which this process owns.
    public init(_ name: String, folder: String, in state: StateDirectory) {
        self.init(name, folder: folder, disk: state.disk, path: state.path)
    }

    /// Creates the description of a file in a state directory that another process may own;
    /// accesses nothing. Writers must use ``whileLocked(waitingUpTo:_:)``.
    public init(_ name: String, folder: String, disk: any Disk, path: String) {
        root = disk
        self.folder = folder
        self.name = name
        self.path = "\(path)/\(folder)/\(name)"
    }

    /// Runs `body` under the lock of this file, which excludes other processes.
    ///
    /// - Parameters:
    ///   - seconds: How long it waits for the lock. A change takes milliseconds: a process that holds
    ///     the lock for longer is stuck.
    ///   - body: Reads and writes the file.
    /// - Returns: The result of `body`.
    /// - Throws: Another process holds the lock for longer, or the lock cannot be created; and the
    ///   errors of `body`.
    public func whileLocked<Value>(
        waitingUpTo seconds: Int = 5, _ body: () throws -> Value
    ) throws -> Value {
        let file: any DiskFile
        let isOurs: Bool
        do throws(DiskFailure) {
            file = try root.directory(folder, create: true).open("\(name).lock", .updateOrCreate)
            isOurs = try tryRepeatedly(for: seconds) { () throws(DiskFailure) in
                try file.lockExclusively()
            }
        } catch {
            throw StorageError(error)
        }
        guard isOurs else {
            throw StorageError.unsuitable("'\(path)' is being changed by another process")
        }
        defer { file.unlock() }
        return try body()
    }

    /// Reads the file.
    ///
    /// - Parameter limit: The maximum length in bytes.
    /// - Returns: Its bytes; nil if there is none.
    /// - Throws: It cannot be read, is longer than that, belongs to another user, or others may
    ///   read it: what others could read is no secret any more.
    public func read(limit: Int) throws(StorageError) -> [UInt8]? {
        let disk: any Disk
        let status: FileStatus
        let owner: UInt32
        do throws(DiskFailure) {
            guard try root.status(of: folder)?.kind == .directory else { return nil }
            disk = try root.directory(folder, create: false)
            guard let found = try disk.status(of: name) else { return nil }
            status = found
            owner = try root.status().owner
        } catch {
            throw StorageError(error)
        }
        try check(status, owner: owner, limit: limit)
        do throws(DiskFailure) {
            return try disk.open(name, .read).readAll(limit: limit)
        } catch {
            throw StorageError(error)
        }
    }

    /// Replaces the file, and returns when it is on stable storage.
    ///
    /// - Throws: It cannot be written; the old file is unchanged.
    public func write(_ bytes: [UInt8]) throws(StorageError) {
        do throws(DiskFailure) {
            let disk = try root.directory(folder, create: true)
            try root.sync()
            try disk.replaceFile(name, with: bytes)
        } catch {
            throw StorageError(error)
        }
    }

    private func check(_ status: FileStatus, owner: UInt32, limit: Int) throws(StorageError) {
        guard status.kind == .regular, status.owner == owner else {
            throw .unsuitable("'\(path)' is not a file of the owner of the state directory")
        }
        guard status.permissions & 0o077 == 0 else {
            throw .unsuitable("'\(path)' can be read by others; chmod 600 '\(path)'")
        }
        guard status.length <= limit else {
            throw .unsuitable("'\(path)' has more than \(limit) bytes")
        }
    }
}
