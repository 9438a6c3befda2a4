internal import PaymentCore

/// Tells a torn write from damage.
///
/// The next batch is not begun before the sync of the one before has returned. So if any line of a
/// later batch can be found behind the bytes in doubt, those bytes were on the disk once, may have
/// been acknowledged, and must not be cut.
struct TailJudge {
    /// The kind of the bytes in doubt.
    enum Verdict: Equatable {
        /// The rest of a batch that was never acknowledged.
        case torn
        /// Bytes that were durable once; the highest sequence number that still stands there.
        case damage(last: SequenceNumber)
    }

    /// Looks at everything from the first line that does not verify to the end of the last file.
    ///
    /// - Parameters:
    ///   - bytes: What is there.
    ///   - expected: The sequence number of the line that should begin there.
    /// - Returns: Whether they may be cut.
    static func judge(_ bytes: [UInt8], expected: SequenceNumber) -> Verdict {
        var highest: SequenceNumber?
        var provesLaterBatch = false
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                if bytes[offset] == UInt8(ascii: "{"),
                    let start = LineFormat.start(in: bytes, at: offset)
                {
                    highest = max(highest ?? 0, start.sequence)
                    if start.batch > expected { provesLaterBatch = true }
                }
                offset += 1
            }
        }
        guard provesLaterBatch, let highest else { return .torn }
        return .damage(last: highest)
    }

    /// Identifiers that can be read in the bytes, for a repair by hand.
    static func identifiers(in bytes: [UInt8], limit: Int = 16) -> [String] {
        var found: [String] = []
        let pattern = Array("\"id\":\"".utf8)
        var index = 0
        while found.count < limit, index + pattern.count + 36 <= bytes.count {
            if bytes[index...].starts(with: pattern),
                let id = UniqueID(
                    utf8: bytes.span.extracting(index + pattern.count..<index + pattern.count + 36))
            {
                let text = id.description
                if !found.contains(text) { found.append(text) }
            }
            index += 1
        }
        return found
    }
}
