/// A directory and the files in it, as the journal needs them.
///
/// Names are single path components. Nothing here retries, waits or remembers: each call is one
/// system call, or a few where the comment says so, and its outcome is the caller's to judge. Safe
/// to use from several threads, as descriptors are.
public protocol Disk: AnyObject, Sendable {
    /// Opens a file of this directory; never follows a symbolic link. New files get mode 0600.
    func open(_ name: String, _ mode: OpenMode) throws(DiskFailure) -> any DiskFile

    /// Opens a directory of this directory, and makes it with mode 0700 first if `create` says so
    /// and it is not there. A new entry is durable after ``sync()``.
    func directory(_ name: String, create: Bool) throws(DiskFailure) -> any Disk

    /// Gives a file another name, replacing what has it. Durable after ``sync()``.
    func rename(_ name: String, to newName: String) throws(DiskFailure)

    /// Gives a file of this directory a second name in `directory`, which must be on the same file
    /// system. Fails with `EEXIST` if the name is taken.
    func link(_ name: String, into directory: any Disk, as newName: String) throws(DiskFailure)

    /// Takes a name away. Durable after ``sync()``.
    func remove(_ name: String) throws(DiskFailure)

    /// The names in this directory without `.` and `..`, sorted by their bytes.
    func list() throws(DiskFailure) -> [String]

    /// The known facts about a name without following a link, nil if nothing has it.
    func status(of name: String) throws(DiskFailure) -> FileStatus?

    /// The known facts about the directory itself.
    func status() throws(DiskFailure) -> FileStatus

    /// Room and kind of the file system that the directory is on.
    func space() throws(DiskFailure) -> DiskSpace

    /// Makes the directory's entries durable (`fsync`).
    func sync() throws(DiskFailure)
}

/// An open file. Closed, and its lock released, when nothing refers to it any more.
public protocol DiskFile: AnyObject, Sendable {
    /// Reads up to `buffer.count` bytes from `offset` into the front of the buffer (`pread`).
    ///
    /// - Returns: How many bytes were read; 0 at the end of the file.
    func read(into buffer: inout [UInt8], at offset: Int) throws(DiskFailure) -> Int

    /// Writes from the front of `bytes` (`pwrite`), perhaps fewer than there are.
    ///
    /// - Returns: How many bytes were written, at least 1.
    func write(_ bytes: Span<UInt8>, at offset: Int) throws(DiskFailure) -> Int

    /// Makes the file's bytes durable (`fdatasync`). Called for journal commits, and to learn whether the
    /// disk answers.
    func syncData() throws(DiskFailure)

    /// Makes the file's bytes and status durable (`fsync`).
    func sync() throws(DiskFailure)

    /// Cuts the file, or extends it with zeros, to a length in bytes.
    func truncate(to length: Int) throws(DiskFailure)

    /// The length in bytes.
    func length() throws(DiskFailure) -> Int

    /// Takes the exclusive advisory lock without waiting (`flock`).
    ///
    /// - Returns: False if another process holds it.
    func lockExclusively() throws(DiskFailure) -> Bool

    /// Gives the lock back, if this file has it.
    func unlock()

    /// The process that holds the lock of the file, nil if none does or it cannot be told.
    func lockHolder() -> Int32?
}

/// How a file is opened.
public enum OpenMode: Sendable, Hashable {
    /// For reading; it must exist.
    case read
    /// For reading and writing; it must exist.
    case update
    /// For reading and writing; it must not exist.
    case create
    /// For reading and writing; made if it does not exist.
    case updateOrCreate
}

/// The facts about one name of a directory.
public struct FileStatus: Sendable, Hashable {
    /// The meaning of the name.
    public enum Kind: Sendable, Hashable {
        /// A file with bytes.
        case regular
        /// A directory.
        case directory
        /// A link, device, socket or pipe.
        case other
    }

    /// The kind of file.
    public var kind: Kind
    /// Its length in bytes.
    public var length: Int
    /// The permission bits.
    public var permissions: UInt32
    /// The owner.
    public var owner: UInt32

    /// Makes a status.
    public init(kind: Kind, length: Int, permissions: UInt32, owner: UInt32) {
        self.kind = kind
        self.length = length
        self.permissions = permissions
        self.owner = owner
    }
}

/// Room on a file system, and what may be expected of it.
public struct DiskSpace: Sendable, Hashable {
    /// The kind of file system, as far as durability depends on it.
    public enum Kind: Sendable, Hashable {
        /// Keeps what was synced.
        case durable
        /// Lives in memory or on an overlay: gone with the machine or the container.
        case volatile
        /// Reached over NFS, where neither locks nor syncs can be relied on.
        case network
    }

    /// Bytes that an unprivileged process may still write.
    public var freeBytes: Int64
    /// Files that may still be made; `Int64.max` where the file system has no such limit.
    public var freeFiles: Int64
    /// The kind.
    public var kind: Kind

    /// Makes a report.
    public init(freeBytes: Int64, freeFiles: Int64, kind: Kind) {
        self.freeBytes = freeBytes
        self.freeFiles = freeFiles
        self.kind = kind
    }
}
