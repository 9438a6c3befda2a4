import Glibc

extension ServerProcess {
    /// The memory that is resident now, in bytes.
    public func residentBytes() throws(BenchFailure) -> Int { try status("VmRSS:") }

    /// The most memory that was resident at any time, in bytes.
    public func peakBytes() throws(BenchFailure) -> Int { try status("VmHWM:") }

    /// Waits until the server uses no processor time, because work such as snapshots is done; at most 30 seconds.
    func awaitQuiet() throws(BenchFailure) {
        var before = try processorSeconds()
        for _ in 0..<60 {
            usleep(500_000)
            let now = try processorSeconds()
            if now - before < 0.02 { return }
            before = now
        }
    }

    private func status(_ name: String) throws(BenchFailure) -> Int {
        let text = try contents(ofFile: "/proc/\(pid)/status")
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        guard let field = line?.split(whereSeparator: \.isWhitespace).dropFirst().first,
            let kibibytes = Int(field)
        else { throw BenchFailure("cannot read \(name) of process \(pid)") }
        return kibibytes << 10
    }
}

/// The files of a directory with their lengths in bytes; subdirectories are left out.
func filesOf(_ directory: String) throws(BenchFailure) -> [(name: String, bytes: Int)] {
    guard let handle = opendir(directory) else { throw failure("list '\(directory)'") }
    defer { closedir(handle) }
    var files: [(name: String, bytes: Int)] = []
    while let entry = readdir(handle) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        var facts = stat()
        guard stat(directory + "/" + name, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            continue
        }
        files.append((name, Int(facts.st_size)))
    }
    return files
}

/// Takes the files of a directory out of the page cache, as far as they are synced.
func dropFromCache(_ directory: String) throws(BenchFailure) {
    sync()
    for file in try filesOf(directory) {
        let descriptor = open(directory + "/" + file.name, O_RDONLY)
        guard descriptor >= 0 else { continue }
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        close(descriptor)
    }
}

/// Reads the files of a directory, so that the page cache has them for the next moments.
func bringIntoCache(_ directory: String) throws(BenchFailure) {
    var block = [UInt8](repeating: 0, count: 1 << 20)
    for file in try filesOf(directory) {
        let descriptor = open(directory + "/" + file.name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { continue }
        defer { close(descriptor) }
        while read(descriptor, &block, block.count) > 0 {}
    }
}

/// The files of the daemon's log in a directory, each with the number of bytes to the end of its last line:
/// the line feeds that fill the file behind it do not count.
func logFiles(in directory: String) throws(BenchFailure) -> [(name: String, bytes: Int)] {
    var files: [(name: String, bytes: Int)] = []
    for file in try filesOf(directory) where file.name.hasPrefix("journal-") {
        let path = directory + "/" + file.name
        files.append((file.name, try endOfLines(ofFile: path, bytes: file.bytes)))
    }
    return files
}

/// The number of bytes of a file without all but one of the line feeds at its end.
func endOfLines(ofFile path: String, bytes: Int) throws(BenchFailure) -> Int {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure("open '\(path)'") }
    defer { close(file) }
    var block = [UInt8](repeating: 0, count: 1 << 16)
    var end = bytes
    while end > 0 {
        let start = max(0, end - block.count)
        let count = pread(file, &block, end - start, off_t(start))
        guard count == end - start else { throw failure("read '\(path)'") }
        if let last = block[..<count].lastIndex(where: { $0 != UInt8(ascii: "\n") }) {
            return min(start + last + 2, bytes)
        }
        end = start
    }
    return 0
}
