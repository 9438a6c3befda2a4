/// A directory that reports each read from its files, for progress and for pacing.
public final class ObservedDisk: Disk {
    /// Called after a read, on the reading thread. Receives the path of the file, the offset after the bytes,
    /// and their number. May wait.
    public typealias Observer = @Sendable (_ path: String, _ end: Int, _ count: Int) -> Void

    private let disk: any Disk
    private let path: String
    private let didRead: Observer

    /// Wraps a directory.
    ///
    /// - Parameters:
    ///   - disk: The directory.
    ///   - path: Its path in the paths of files.
    ///   - didRead: Called after each read.
    public init(_ disk: any Disk, path: String = "", didRead: @escaping Observer) {
        self.disk = disk
        self.path = path
        self.didRead = didRead
    }

    /// Opens a file.
    public func open(_ name: String, _ mode: OpenMode) throws(DiskFailure) -> any DiskFile {
        ObservedFile(try disk.open(name, mode), path: "\(path)/\(name)", didRead: didRead)
    }

    /// Opens a directory, whose reads are reported as well.
    public func directory(_ name: String, create: Bool) throws(DiskFailure) -> any Disk {
        ObservedDisk(
            try disk.directory(name, create: create), path: "\(path)/\(name)", didRead: didRead)
    }

    /// Renames a file.
    public func rename(_ name: String, to newName: String) throws(DiskFailure) {
        try disk.rename(name, to: newName)
    }

    /// Links a file into another directory.
    public func link(
        _ name: String, into directory: any Disk, as newName: String
    ) throws(DiskFailure) {
        // Links need the wrapped directory.
        let target = (directory as? ObservedDisk)?.disk ?? directory
        try disk.link(name, into: target, as: newName)
    }

    /// Removes a name.
    public func remove(_ name: String) throws(DiskFailure) { try disk.remove(name) }

    /// The names in the directory.
    public func list() throws(DiskFailure) -> [String] { try disk.list() }

    /// The status of a name.
    public func status(of name: String) throws(DiskFailure) -> FileStatus? {
        try disk.status(of: name)
    }

    /// The status of the directory.
    public func status() throws(DiskFailure) -> FileStatus { try disk.status() }

    /// The free space and kind of the file system.
    public func space() throws(DiskFailure) -> DiskSpace { try disk.space() }

    /// The greatest length of a file.
    public var longestFile: Int { disk.longestFile }

    /// Makes the entries of the directory durable.
    public func sync() throws(DiskFailure) { try disk.sync() }
}

/// An open file of an ``ObservedDisk``.
private final class ObservedFile: DiskFile {
    private let file: any DiskFile
    private let path: String
    private let didRead: ObservedDisk.Observer

    init(_ file: any DiskFile, path: String, didRead: @escaping ObservedDisk.Observer) {
        self.file = file
        self.path = path
        self.didRead = didRead
    }

    func read(
        into buffer: inout [UInt8], from index: Int, at offset: Int
    ) throws(DiskFailure) -> Int {
        let count = try file.read(into: &buffer, from: index, at: offset)
        didRead(path, offset + count, count)
        return count
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

    func lockHolder() -> Int32? { file.lockHolder() }
}
