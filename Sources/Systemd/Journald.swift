internal import CSystemd
internal import Glibc

/// The journal of the machine, reached over its native protocol.
public enum Journald {
    /// Whether a journal listens on this machine. It may be gone a moment later.
    public static var isAvailable: Bool { access("/run/systemd/journal/socket", W_OK) == 0 }

    /// Sends an entry to the journal; false if the system refused it.
    ///
    /// A log must never fail what it tells of, so there is nothing to catch. When no journal
    /// listens, the entry is lost and the answer is still true: see ``isAvailable``. May block
    /// while the journal is so far behind that its socket is full.
    @discardableResult
    public static func send(_ entry: JournalEntry) -> Bool {
        let texts = entry.assignments.map { Array($0.utf8) }
        let joined = Array(texts.joined())
        return joined.withUnsafeBytes { raw in
            guard let base = raw.baseAddress else { return false }
            var offset = 0
            let parts = texts.map { text in
                defer { offset += text.count }
                // The journal only reads; the C structure has no way to say so.
                return iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: base + offset), iov_len: text.count)
            }
            return sd_journal_sendv(parts, CInt(parts.count)) == 0
        }
    }
}
