internal import CSystemd
internal import Glibc

/// The journal of the machine, reached by its native protocol.
public enum Journald {
    /// True if the socket of the journal exists and is writable. This may change at any time.
    public static var isAvailable: Bool { access("/run/systemd/journal/socket", W_OK) == 0 }

    /// Sends an entry to the journal; false if the system refused it.
    ///
    /// Logging must not make the caller fail, so the call does not throw. If no journal listens,
    /// the entry is lost and the result is still true; see ``isAvailable``. The call may block
    /// while the journal's socket is full.
    @discardableResult
    public static func send(_ entry: JournalEntry) -> Bool {
        let texts = entry.assignments.map { Array($0.utf8) }
        let joined = Array(texts.joined())
        return joined.withUnsafeBytes { raw in
            guard let base = raw.baseAddress else { return false }
            var offset = 0
            let parts = texts.map { text in
                defer { offset += text.count }
                // The journal only reads the bytes; the C structure cannot express that.
                return iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: base + offset), iov_len: text.count)
            }
            return sd_journal_sendv(parts, CInt(parts.count)) == 0
        }
    }
}
