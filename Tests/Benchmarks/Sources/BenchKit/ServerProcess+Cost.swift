import Glibc

extension ServerProcess {
    /// The memory that is resident now, in bytes.
    public func residentBytes() throws(BenchFailure) -> Int { try status("VmRSS:") }

    /// The most memory that was resident at any time, in bytes.
    public func peakBytes() throws(BenchFailure) -> Int { try status("VmHWM:") }

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
