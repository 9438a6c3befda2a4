import PaymentStorage

/// A directory that cannot be changed, with files of given bytes.
final class GivenDisk: Disk {
    private let files: [String: [UInt8]]

    init(_ files: [String: [UInt8]]) {
        self.files = files
    }

    func open(_ name: String, _ mode: OpenMode) throws(DiskFailure) -> any DiskFile {
        guard mode == .read, let bytes = files[name] else {
            throw DiskFailure(.open, name, errno: 2)
        }
        return GivenBytes(bytes)
    }

    func directory(_ name: String, create: Bool) throws(DiskFailure) -> any Disk {
        throw DiskFailure(.open, name, errno: 2)
    }

    func rename(_ name: String, to newName: String) throws(DiskFailure) {
        throw DiskFailure(.rename, name, errno: 30)
    }

    func link(_ name: String, into directory: any Disk, as newName: String) throws(DiskFailure) {
        throw DiskFailure(.link, name, errno: 30)
    }

    func remove(_ name: String) throws(DiskFailure) {
        throw DiskFailure(.remove, name, errno: 30)
    }

    func list() throws(DiskFailure) -> [String] { files.keys.sorted() }

    func status(of name: String) throws(DiskFailure) -> FileStatus? {
        files[name].map {
            FileStatus(kind: .regular, length: $0.count, permissions: 0o600, owner: 0)
        }
    }

    func status() throws(DiskFailure) -> FileStatus {
        FileStatus(kind: .directory, length: 0, permissions: 0o700, owner: 0)
    }

    func space() throws(DiskFailure) -> DiskSpace {
        DiskSpace(freeBytes: 0, freeFiles: 0, kind: .durable)
    }

    var longestFile: Int { 0 }

    func sync() throws(DiskFailure) {}
}

/// A file of given bytes that cannot be changed.
final class GivenBytes: DiskFile {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    func read(
        into buffer: inout [UInt8], from index: Int, at offset: Int
    ) throws(DiskFailure) -> Int {
        let count = min(buffer.count - index, max(0, bytes.count - offset))
        guard count > 0 else { return 0 }
        buffer.replaceSubrange(index..<index + count, with: bytes[offset..<offset + count])
        return count
    }

    func write(_ bytes: Span<UInt8>, at offset: Int) throws(DiskFailure) -> Int {
        throw DiskFailure(.write, "", errno: 30)
    }

    func syncData() throws(DiskFailure) {}

    func sync() throws(DiskFailure) {}

    func allocate(upTo length: Int) throws(DiskFailure) {
        throw DiskFailure(.write, "", errno: 30)
    }

    func truncate(to length: Int) throws(DiskFailure) {
        throw DiskFailure(.truncate, "", errno: 30)
    }

    func length() throws(DiskFailure) -> Int { bytes.count }

    func lockExclusively() throws(DiskFailure) -> Bool { true }

    func unlock() {}

    func lockHolder() -> Int32? { nil }
}
