public import PaymentCore

/// Reads the lines of a journal for users, without a lock and without changes.
public enum JournalDump {
    /// Passes the lines of all segments to `body` in order and unchanged, up to the first line that
    /// fails verification.
    ///
    /// - Parameters:
    ///   - disk: The directory.
    ///   - position: Only lines with greater sequence numbers are passed.
    ///   - includesInternal: Whether headers, marks and seals are included.
    ///   - lineLimitBytes: The maximum length of a line in bytes; a longer line is damage.
    ///   - body: Receives each line.
    /// - Returns: The file and byte offset where reading stopped early; nil if everything was
    ///   read.
    /// - Throws: The disk could not read a file.
    public static func lines(
        _ disk: any Disk, after position: SequenceNumber = 0, includesInternal: Bool = true,
        lineLimitBytes: Int = JournalPolicy().lineLimitBytes, _ body: (JournalLine) -> Void
    ) throws(DiskFailure) -> (file: String, offset: Int)? {
        for first in try Inventory(disk).segments {
            let name = FileName.segment(first: first)
            let file = try disk.open(name, .read)
            var scanner = SegmentScanner(
                file: file, limit: try file.length(), expected: first, lineLimit: lineLimitBytes)
            scan: while true {
                switch try scanner.next() {
                case .line(let line):
                    guard line.sequence > position, includesInternal || !line.isInternal else {
                        continue
                    }
                    body(line)
                case .end:
                    break scan
                case .damaged:
                    return (name, scanner.offset)
                }
            }
        }
        return nil
    }
}
