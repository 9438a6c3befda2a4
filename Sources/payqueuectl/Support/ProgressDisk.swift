import PaymentStorage

/// A directory that reports the progress of long reads to a progress line.
final class ProgressDisk: Disk {
    private let disk: any Disk
    private let path: String
    private let line: ProgressLine

    /// Wraps a directory; the line counts the bytes read from its files.
    init(_ disk: any Disk, line: ProgressLine, path: String = "") {
        self.disk = disk
        self.line = line
        self.path = path
    }

    /// The number of bytes in the files of a directory and of its journal subdirectories.
    static func totalBytes(_ disk: any Disk, below parts: [String] = ["sandbox"]) -> Int {
        let names = (try? disk.list()) ?? []
        let files = names.reduce(0) { sum, name in
            // The work itself reports unreadable files.
            sum + ((try? disk.open(name, .read).length()) ?? 0)
        }
        return parts.filter(names.contains).reduce(files) { sum, part in
            sum
                + ((try? disk.directory(part, create: false)).map { totalBytes($0, below: []) } ?? 0)
        }
    }

    func open(_ name: String, _ mode: OpenMode) throws(DiskFailure) -> any DiskFile {
        ProgressFile(try disk.open(name, mode), path: "\(path)/\(name)", line: line)
    }

    func directory(_ name: String, create: Bool) throws(DiskFailure) -> any Disk {
        ProgressDisk(
            try disk.directory(name, create: create), line: line, path: "\(path)/\(name)")
    }

    func rename(_ name: String, to newName: String) throws(DiskFailure) {
        try disk.rename(name, to: newName)
    }

    func link(_ name: String, into directory: any Disk, as newName: String) throws(DiskFailure) {
        // Links need the wrapped directory.
        let target = (directory as? ProgressDisk)?.disk ?? directory
        try disk.link(name, into: target, as: newName)
    }

    func remove(_ name: String) throws(DiskFailure) { try disk.remove(name) }

    func list() throws(DiskFailure) -> [String] { try disk.list() }

    func status(of name: String) throws(DiskFailure) -> FileStatus? { try disk.status(of: name) }

    func status() throws(DiskFailure) -> FileStatus { try disk.status() }

    func space() throws(DiskFailure) -> DiskSpace { try disk.space() }

    func sync() throws(DiskFailure) { try disk.sync() }
}

/// An open file of a ``ProgressDisk``.
private final class ProgressFile: DiskFile {
    private let file: any DiskFile
    private let path: String
    private let line: ProgressLine

    init(_ file: any DiskFile, path: String, line: ProgressLine) {
        self.file = file
        self.path = path
        self.line = line
    }

    func read(into buffer: inout [UInt8], at offset: Int) throws(DiskFailure) -> Int {
        let count = try file.read(into: &buffer, at: offset)
        line.read(path, upTo: offset + count)
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
