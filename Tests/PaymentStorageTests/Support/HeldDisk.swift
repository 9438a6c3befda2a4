import PaymentStorage
import PaymentTesting

/// The top directory of a simulated disk, whose lock a process holds, according to the system.
final class HeldDisk: Disk {
    private let disk: MemoryDisk
    private let pid: Int32

    init(_ world: MemoryDiskWorld, by pid: Int32) {
        disk = MemoryDisk(world: world)
        self.pid = pid
    }

    func open(_ name: String, _ mode: OpenMode) throws(DiskFailure) -> any DiskFile {
        HeldFile(try disk.open(name, mode), pid)
    }

    func directory(_ name: String, create: Bool) throws(DiskFailure) -> any Disk {
        try disk.directory(name, create: create)
    }

    func rename(_ name: String, to newName: String) throws(DiskFailure) {
        try disk.rename(name, to: newName)
    }

    func link(
        _ name: String, into directory: any Disk, as newName: String
    ) throws(DiskFailure) {
        try disk.link(name, into: directory, as: newName)
    }

    func remove(_ name: String) throws(DiskFailure) { try disk.remove(name) }
    func list() throws(DiskFailure) -> [String] { try disk.list() }

    func status(of name: String) throws(DiskFailure) -> FileStatus? {
        try disk.status(of: name)
    }

    func status() throws(DiskFailure) -> FileStatus { try disk.status() }
    func space() throws(DiskFailure) -> DiskSpace { try disk.space() }
    func sync() throws(DiskFailure) { try disk.sync() }
}

/// A file in a ``HeldDisk``, with the process that holds its lock.
private final class HeldFile: DiskFile {
    private let file: any DiskFile
    private let pid: Int32

    init(_ file: any DiskFile, _ pid: Int32) {
        self.file = file
        self.pid = pid
    }

    func read(
        into buffer: inout [UInt8], from index: Int, at offset: Int
    ) throws(DiskFailure) -> Int {
        try file.read(into: &buffer, from: index, at: offset)
    }

    func write(_ bytes: Span<UInt8>, at offset: Int) throws(DiskFailure) -> Int {
        try file.write(bytes, at: offset)
    }

    func syncData() throws(DiskFailure) { try file.syncData() }
    func sync() throws(DiskFailure) { try file.sync() }
    func truncate(to length: Int) throws(DiskFailure) { try file.truncate(to: length) }
    func length() throws(DiskFailure) -> Int { try file.length() }
    func lockExclusively() throws(DiskFailure) -> Bool { try file.lockExclusively() }
    func unlock() { file.unlock() }
    func lockHolder() -> Int32? { pid }
}
