internal import Glibc

/// The connection of this process's standard error to the journal.
public enum JournalStream {
    /// True if standard error is the stream that the manager connected to the journal.
    ///
    /// False as soon as standard error is redirected, although `JOURNAL_STREAM` is inherited.
    public static var isStandardError: Bool {
        isJournal(descriptor: STDERR_FILENO, announced: Environment.value("JOURNAL_STREAM"))
    }

    /// Writes the reason why the process cannot continue to standard error. If that is the journal,
    /// each line begins with `<3>` (sd-daemon(3)). Without the prefix the journal would store it
    /// with priority `info`.
    public static func writeError(_ text: String) {
        let prefix = isStandardError ? "<3>" : ""
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var bytes = Array(lines.map { "\(prefix)\($0)\n" }.joined().utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    /// True if a descriptor is the stream announced as `device:inode`.
    static func isJournal(descriptor: Int32, announced: String?) -> Bool {
        guard let announced, let stream = parse(announced) else { return false }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return UInt64(status.st_dev) == stream.device && UInt64(status.st_ino) == stream.inode
    }

    /// Parses `device:inode`, both decimal; nil if it is invalid.
    static func parse(_ text: String) -> (device: UInt64, inode: UInt64)? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let device = decimal(parts[0]), let inode = decimal(parts[1])
        else { return nil }
        return (device, inode)
    }

    private static func decimal(_ text: Substring) -> UInt64? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt64(text)
    }
}
