internal import PaymentCore

extension LogJudge {
    /// Looks for lines of a later batch in everything from the first line that does not verify to the
    /// end of the file.
    ///
    /// The next batch is not begun before the sync of the one before has returned. So if any line of a
    /// later batch can be found behind the bytes in doubt, those bytes were on the disk once, may have
    /// been acknowledged, and must not be cut.
    ///
    /// - Parameters:
    ///   - bytes: What is there.
    ///   - expected: The sequence number of the line that should begin there.
    /// - Returns: The highest sequence number that still stands there, if the bytes were durable once;
    ///   nil if they are the rest of a batch that was never acknowledged.
    static func lastDurable(in bytes: [UInt8], expected: SequenceNumber) -> SequenceNumber? {
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
        return provesLaterBatch ? highest : nil
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
