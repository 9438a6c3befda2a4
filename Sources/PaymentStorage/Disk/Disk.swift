/// A directory and its files, with the operations that the journal needs.
///
/// Names are single path components. Nothing here retries, waits or caches. Each call is one system
/// call, or a few where its comment says so, and the caller handles its outcome. All calls are
/// thread-safe.
public protocol Disk: AnyObject, Sendable {
    /// Opens a file of this directory; never follows a symbolic link. New files get mode 0600.
    func open(_ name: String, _ mode: OpenMode) throws(DiskFailure) -> any DiskFile

    /// Opens a subdirectory. If `create` is set and it is missing, it is created with mode 0700;
    /// the new entry is durable after ``sync()``.
    func directory(_ name: String, create: Bool) throws(DiskFailure) -> any Disk

    /// Renames a file and replaces an existing file of the new name. Durable after ``sync()``.
    func rename(_ name: String, to newName: String) throws(DiskFailure)

    /// Links a file of this directory into `directory`, which must be on the same file system.
    /// Fails with `EEXIST` if the name exists.
    func link(_ name: String, into directory: any Disk, as newName: String) throws(DiskFailure)

    /// Removes a name; that of a directory only if the directory is empty. Durable after ``sync()``.
    func remove(_ name: String) throws(DiskFailure)

    /// The names in this directory without `.` and `..`, sorted by their bytes.
    func list() throws(DiskFailure) -> [String]

    /// The status of a name without following a link; nil if the name does not exist.
    func status(of name: String) throws(DiskFailure) -> FileStatus?

    /// The status of the directory itself.
    func status() throws(DiskFailure) -> FileStatus

    /// The free space and kind of the directory's file system.
    func space() throws(DiskFailure) -> DiskSpace

    /// The greatest length in bytes to which this process may write a file (`RLIMIT_FSIZE`); `Int.max` without
    /// a limit. Others can change it at any time.
    var longestFile: Int { get }

    /// Makes the entries of the directory durable (`fsync`).
    func sync() throws(DiskFailure)
}

/// An open file. Closed, and its lock released, when nothing refers to it any more.
public protocol DiskFile: AnyObject, Sendable {
    /// Reads bytes from `offset` of the file into the buffer, from an index of it up to its end (`pread`).
    ///
    /// - Returns: The number of bytes read; 0 at the end of the file.
    func read(
        into buffer: inout [UInt8], from index: Int, at offset: Int
    ) throws(DiskFailure) -> Int

    /// Writes bytes from the start of `bytes` (`pwrite`), perhaps fewer than `bytes.count`.
    ///
    /// - Returns: The number of bytes written, at least 1.
    func write(_ bytes: Span<UInt8>, at offset: Int) throws(DiskFailure) -> Int

    /// Makes the bytes of the file durable (`fdatasync`), for journal commits and for probes of the
    /// disk.
    func syncData() throws(DiskFailure)

    /// Makes the bytes and the status of the file durable (`fsync`).
    func sync() throws(DiskFailure)

    /// Extends the file to a length in bytes and allocates the space for it, so that later writes up to there
    /// need none. The content of the new part is undefined.
    func allocate(upTo length: Int) throws(DiskFailure)

    /// Cuts the file to a length in bytes, or extends it with zeros.
    func truncate(to length: Int) throws(DiskFailure)

    /// The length in bytes.
    func length() throws(DiskFailure) -> Int

    /// Takes the exclusive advisory lock without waiting (`flock`).
    ///
    /// - Returns: False if another process holds it.
    func lockExclusively() throws(DiskFailure) -> Bool

    /// Releases the lock, if this file holds it.
    func unlock()

    /// The process that holds the lock of the file; nil if there is none or it is unknown.
    func lockHolder() -> Int32?
}

/// The mode of opening a file.
public enum OpenMode: Sendable, Hashable {
    /// For reading; it must exist.
    case read
    /// For reading and writing; it must exist.
    case update
    /// For reading and writing; it must not exist.
    case create
    /// For reading and writing; created if it does not exist.
    case updateOrCreate
}

/// The status of one name in a directory.
public struct FileStatus: Sendable, Hashable {
    /// The kind of a name.
    public enum Kind: Sendable, Hashable {
        /// A regular file.
        case regular
        /// A directory.
        case directory
        /// A link, device, socket or pipe.
        case other
    }

    /// The kind of the name.
    public var kind: Kind
    /// Its length in bytes.
    public var length: Int
    /// The permission bits.
    public var permissions: UInt32
    /// The owner.
    public var owner: UInt32

    /// Creates a status.
    public init(kind: Kind, length: Int, permissions: UInt32, owner: UInt32) {
        self.kind = kind
        self.length = length
        self.permissions = permissions
        self.owner = owner
    }
}

/// The free space of a file system, and its durability.
public struct DiskSpace: Sendable, Hashable {
    /// The durability of a file system.
    public enum Kind: Sendable, Hashable {
        /// Keeps synced data.
        case durable
        /// In memory or on an overlay: lost with the machine or the container.
        case volatile
        /// Keeps synced data, and writes changed blocks to another place: writing over old bytes takes
        /// new room.
        case copyOnWrite
        /// NFS, whose locks and syncs are not reliable.
        case network
    }

    /// The number of bytes that an unprivileged process can still write.
    public var freeBytes: Int64
    /// The number of files that can still be created; `Int64.max` without such a limit.
    public var freeFiles: Int64
    /// The durability of the file system.
    public var kind: Kind

    /// Creates a report.
    public init(freeBytes: Int64, freeFiles: Int64, kind: Kind) {
        self.freeBytes = freeBytes
        self.freeFiles = freeFiles
        self.kind = kind
    }
}
