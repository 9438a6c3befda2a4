internal import CCRC32C

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A directory of the real file system, held open by a descriptor.
///
/// All names are relative to that descriptor. Renaming the directory or a parent therefore has no
/// effect, and no file is reached through a symbolic link. The path of the directory itself may
/// contain links, because systemd makes `/var/lib/…` a link for services with a dynamic user.
public final class SystemDisk: Disk {
    /// The path or name with which the directory was opened, for messages.
    public let name: String
    private let descriptor: CInt

    /// Opens a directory by its path.
    ///
    /// - Parameters:
    ///   - path: The path, absolute or relative to the working directory.
    ///   - create: Whether it and its missing parents are created with mode 0700.
    /// - Throws: The directory cannot be opened.
    public convenience init(path: String, create: Bool) throws(DiskFailure) {
        if create { try Self.makeDirectories(path) }
        let opened = retrying { openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard opened >= 0 else { throw DiskFailure(.open, path, errno: errno) }
        self.init(descriptor: opened, name: path)
    }

    /// Whether a directory exists. If it does not, the permission of its parents is checked.
    ///
    /// - Throws: The directory could not be created.
    static func examine(path: String) throws(DiskFailure) -> Bool {
        guard !path.isEmpty else { throw DiskFailure(.open, path, errno: ENOENT) }
        guard access(path, F_OK) != 0 else { return true }
        var parent = path[...]
        while true {
            guard errno == ENOENT else { throw DiskFailure(.open, path, errno: errno) }
            while parent.hasSuffix("/") { parent.removeLast() }
            parent = parent.lastIndex(of: "/").map { parent[...$0] } ?? "."
            guard access(String(parent), F_OK) != 0 else { break }
        }
        guard access(String(parent), W_OK | X_OK) == 0 else {
            throw DiskFailure(.open, path, errno: errno)
        }
        return false
    }

    /// Takes ownership of the descriptor of a directory.
    init(descriptor: CInt, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    deinit {
        _ = close(descriptor)
    }

    /// Opens a file of this directory. Anything else with this name is refused. Opening does not wait, although
    /// a pipe would otherwise wait for its other end.
    public func open(_ name: String, _ mode: OpenMode) throws(DiskFailure) -> any DiskFile {
        let access: CInt =
            switch mode {
            case .read: O_RDONLY
            case .update: O_RDWR
            case .create: O_RDWR | O_CREAT | O_EXCL
            case .updateOrCreate: O_RDWR | O_CREAT
            }
        let flags = access | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let opened = retrying { openat(descriptor, name, flags, mode_t(0o600)) }
        guard opened >= 0 else { throw DiskFailure(.open, name, errno: errno) }
        let file = SystemFile(descriptor: opened, name: name)
        try file.checkIsRegular()
        return file
    }

    /// Opens a directory of this directory.
    public func directory(_ name: String, create: Bool) throws(DiskFailure) -> any Disk {
        if create, mkdirat(descriptor, name, 0o700) != 0, errno != EEXIST {
            throw DiskFailure(.open, name, errno: errno)
        }
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW
        let opened = retrying { openat(descriptor, name, flags) }
        guard opened >= 0 else { throw DiskFailure(.open, name, errno: errno) }
        return SystemDisk(descriptor: opened, name: name)
    }

    /// Renames a file.
    public func rename(_ name: String, to newName: String) throws(DiskFailure) {
        guard renameat(descriptor, name, descriptor, newName) == 0 else {
            throw DiskFailure(.rename, name, errno: errno)
        }
    }

    /// Links a file into another directory of the real file system.
    public func link(
        _ name: String, into directory: any Disk, as newName: String
    ) throws(DiskFailure) {
        guard let target = directory as? SystemDisk else {
            throw DiskFailure(.link, name, errno: EXDEV)
        }
        guard linkat(descriptor, name, target.descriptor, newName, 0) == 0 else {
            throw DiskFailure(.link, name, errno: errno)
        }
    }

    /// Removes a name.
    public func remove(_ name: String) throws(DiskFailure) {
        var result = unlinkat(descriptor, name, 0)
        if result != 0, errno == EISDIR { result = unlinkat(descriptor, name, AT_REMOVEDIR) }
        guard result == 0 else {
            throw DiskFailure(.remove, name, errno: errno)
        }
    }

    /// The names in this directory. The call uses a separate descriptor, because the read position
    /// belongs to the descriptor and two threads may list concurrently.
    public func list() throws(DiskFailure) -> [String] {
        let opened = retrying { openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard opened >= 0, let stream = fdopendir(opened) else {
            throw DiskFailure(.list, name, errno: errno)
        }
        defer { closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw DiskFailure(.list, name, errno: errno) }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The status of a name.
    public func status(of name: String) throws(DiskFailure) -> FileStatus? {
        var info = stat()
        guard fstatat(descriptor, name, &info, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw DiskFailure(.examine, name, errno: errno)
        }
        return FileStatus(info)
    }

    /// The status of the directory.
    public func status() throws(DiskFailure) -> FileStatus {
        var info = stat()
        guard fstat(descriptor, &info) == 0 else {
            throw DiskFailure(.examine, name, errno: errno)
        }
        return FileStatus(info)
    }

    /// The free space and kind of the file system.
    public func space() throws(DiskFailure) -> DiskSpace {
        var info = cfilesystem_info()
        guard cfilesystem_examine(descriptor, &info) == 0 else {
            throw DiskFailure(.examine, name, errno: errno)
        }
        return DiskSpace(
            freeBytes: Int64(clamping: info.free_bytes),
            freeFiles: info.files == 0 ? .max : Int64(clamping: info.free_files),
            kind: Self.kind(magic: info.magic))
    }

    /// The greatest length of a file of this process.
    public var longestFile: Int { Int(cfilesystem_longest_file()) }

    /// Makes the entries of the directory durable.
    public func sync() throws(DiskFailure) {
        guard fsync(descriptor) == 0 else { throw DiskFailure(.sync, name, errno: errno) }
    }

    /// The durability of a file system by its `statfs(2)` number. Tmpfs, ramfs and overlay are
    /// volatile; NFS is unreliable.
    private static func kind(magic: UInt64) -> DiskSpace.Kind {
        switch magic {
        case 0x0102_1994, 0x8584_58F6, 0x794C_7630: .volatile
        // Btrfs, ZFS, bcachefs.
        case 0x9123_683E, 0x2FC1_2FC1, 0xCA45_1A4E: .copyOnWrite
        case 0x6969: .network
        default: .durable
        }
    }

    private static func makeDirectories(_ path: String) throws(DiskFailure) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        var prefix = path.hasPrefix("/") ? "" : "."
        for part in parts {
            prefix += "/\(part)"
            // An unwritable parent is permitted if it exists. The subsequent open reports problems
            // with the last component.
            guard mkdir(prefix, 0o700) != 0, errno != EEXIST else { continue }
            let reason = errno
            var info = stat()
            guard stat(prefix, &info) == 0 else { throw DiskFailure(.open, path, errno: reason) }
        }
    }
}

extension FileStatus {
    fileprivate init(_ info: stat) {
        let kind: Kind =
            switch info.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            default: .other
            }
        self.init(
            kind: kind, length: Int(info.st_size), permissions: info.st_mode & 0o7777,
            owner: info.st_uid)
    }
}

/// Repeats a system call while signals interrupt it, at most a thousand times.
func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
    for _ in 0..<1000 {
        let result = call()
        guard result < 0, errno == EINTR else { return result }
    }
    return call()
}
