internal import PaymentCore

/// Judges the bytes after the last good line of a segment.
enum TailJudge {
    /// Decides about bytes that do not verify.
    ///
    /// - Parameters:
    ///   - reason: The reason why the first of them does not verify.
    ///   - file: The segment.
    ///   - name: The name of the segment.
    ///   - scanner: A scanner at the first of these bytes.
    ///   - length: The length of the file.
    ///   - isLast: Whether no segment follows.
    ///   - mayTearAnywhere: Whether batches did not wait for the sync of the one before, as in a copy after its
    ///     mark. A later batch then proves nothing.
    /// - Returns: The number of bytes to cut.
    /// - Throws: They may have been acknowledged.
    static func bytesToCut(
        _ reason: RecoveryRefusal.Reason, _ file: any DiskFile, _ name: String,
        _ scanner: SegmentScanner, _ length: Int, isLast: Bool, mayTearAnywhere: Bool
    ) throws(RecoveryRefusal) -> Int {
        let offset = scanner.offset
        let rest = try reading(name) { () throws(DiskFailure) in
            try file.readBytes(at: offset, count: length - offset)
        }
        let around = try reading(name) { () throws(DiskFailure) in
            try file.readBytes(at: max(0, offset - 4096), count: 16_384)
        }
        func refusal(lastInDoubt: SequenceNumber?) -> RecoveryRefusal {
            RecoveryRefusal(
                reason, file: name, offset: offset, firstInDoubt: scanner.expected,
                lastInDoubt: lastInDoubt, identifiers: identifiers(in: around))
        }
        if !mayTearAnywhere, let last = lastDurable(in: rest, expected: scanner.expected) {
            throw refusal(lastInDoubt: last)
        }
        // Bytes with a valid checksum were written as they are, so they are no torn write. A segment with a
        // successor was durable up to its seal.
        let mayBeTorn: Bool =
            switch reason {
            case .badChecksum, .unfinishedLine, .lineTooLong: isLast
            default: false
            }
        guard mayBeTorn else { throw refusal(lastInDoubt: nil) }
        let blanks = rest.reversed().prefix { $0 == UInt8(ascii: "\n") || $0 == 0 }.count
        return rest.count - blanks
    }

    /// The offset of the first zero after the last good line; nil if there is none.
    static func firstZero(
        _ file: any DiskFile, _ name: String, from end: Int, _ length: Int
    ) throws(RecoveryRefusal) -> Int? {
        var offset = end
        while offset < length {
            let bytes = try reading(name) { () throws(DiskFailure) in
                try file.readBytes(at: offset, count: min(1 << 20, length - offset))
            }
            guard !bytes.isEmpty else { return nil }
            if let zero = bytes.firstIndex(of: 0) { return offset + zero }
            offset += bytes.count
        }
        return nil
    }

    /// Looks for lines of a later batch in everything from the first line that does not verify to the
    /// end of the file.
    ///
    /// The next batch is not begun before the sync of the one before has returned. So if any line of a
    /// later batch can be found after the bytes in doubt, those bytes were on the disk once, may have
    /// been acknowledged, and must not be cut.
    ///
    /// - Parameters:
    ///   - bytes: These bytes.
    ///   - expected: The sequence number of the line that should begin there.
    /// - Returns: The highest sequence number found in the bytes, if they were durable once; nil if they are
    ///   the rest of a batch that was never acknowledged.
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
