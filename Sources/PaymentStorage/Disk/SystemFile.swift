internal import CCRC32C

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// An open file of the real file system.
final class SystemFile: DiskFile {
    private let name: String
    private let descriptor: CInt

    /// Takes ownership of a descriptor.
    init(descriptor: CInt, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    deinit {
        _ = close(descriptor)
    }

    func read(
        into buffer: inout [UInt8], from index: Int, at offset: Int
    ) throws(DiskFailure) -> Int {
        let count = buffer.withUnsafeMutableBytes { bytes in
            let free = UnsafeMutableRawBufferPointer(rebasing: bytes[index...])
            return retrying { pread(descriptor, free.baseAddress, free.count, offset) }
        }
        guard count >= 0 else { throw DiskFailure(.read, name, errno: errno) }
        return count
    }

    func write(_ bytes: Span<UInt8>, at offset: Int) throws(DiskFailure) -> Int {
        let count = bytes.withUnsafeBytes { bytes in
            retrying { pwrite(descriptor, bytes.baseAddress, bytes.count, offset) }
        }
        guard count > 0 || bytes.isEmpty else {
            // An empty write without an error would make the caller loop forever.
            throw DiskFailure(.write, name, errno: count == 0 ? EIO : errno)
        }
        return count
    }

    func syncData() throws(DiskFailure) {
        guard fdatasync(descriptor) == 0 else { throw DiskFailure(.sync, name, errno: errno) }
    }

    func sync() throws(DiskFailure) {
        guard fsync(descriptor) == 0 else { throw DiskFailure(.sync, name, errno: errno) }
    }

    func allocate(upTo length: Int) throws(DiskFailure) {
        let end = try self.length()
        guard end < length else { return }
        let result = retrying {
            cfilesystem_allocate(descriptor, Int64(end), Int64(length - end))
        }
        guard result != 0 else { return }
        guard errno == EOPNOTSUPP || errno == ENOSYS else {
            throw DiskFailure(.write, name, errno: errno)
        }
        try fillWithLineFeeds(end..<length)
    }

    func truncate(to length: Int) throws(DiskFailure) {
        guard ftruncate(descriptor, length) == 0 else {
            throw DiskFailure(.truncate, name, errno: errno)
        }
    }

    func length() throws(DiskFailure) -> Int {
        var info = stat()
        guard fstat(descriptor, &info) == 0 else {
            throw DiskFailure(.examine, name, errno: errno)
        }
        return Int(info.st_size)
    }

    /// Checks that the descriptor is that of a file with bytes.
    func checkIsRegular() throws(DiskFailure) {
        var info = stat()
        guard fstat(descriptor, &info) == 0 else {
            throw DiskFailure(.examine, name, errno: errno)
        }
        switch info.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFDIR: throw DiskFailure(.open, name, errno: EISDIR)
        default: throw DiskFailure(.open, name, errno: ENXIO)
        }
    }

    func lockExclusively() throws(DiskFailure) -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        if errno == EWOULDBLOCK { return false }
        throw DiskFailure(.lock, name, errno: errno)
    }

    func unlock() {
        _ = flock(descriptor, LOCK_UN)
    }

    /// Finds the file in the system's list of locks by its inode.
    func lockHolder() -> Int32? {
        var info = stat()
        guard fstat(descriptor, &info) == 0, let list = fopen("/proc/locks", "re") else {
            return nil
        }
        defer { fclose(list) }
        let inode = ":\(info.st_ino)"
        var buffer = [CChar](repeating: 0, count: 512)
        while fgets(&buffer, CInt(buffer.count), list) != nil {
            let line = String(
                decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            // An example: "1: FLOCK  ADVISORY  WRITE 4711 fe:00:131 0 EOF"; "->" marks a waiting
            // process.
            let fields = line.split(separator: " ")
            guard fields.count >= 6, fields[1] == "FLOCK", fields[5].hasSuffix(inode),
                let pid = Int32(fields[4])
            else { continue }
            return pid
        }
        return nil
    }
}
