public import PaymentCore

/// Reads the lines of a journal for people, without taking or changing anything.
public enum JournalDump {
    /// Gives the lines of all segments in order, as they stand in the files, up to the first that
    /// does not verify.
    ///
    /// - Parameters:
    ///   - disk: The directory.
    ///   - position: Lines with greater sequence numbers are given.
    ///   - includesInternal: Whether headers, marks and seals are given too.
    ///   - lineLimitBytes: A longer line is damage.
    ///   - body: Gets each line.
    /// - Returns: Where reading stopped early: file and byte. Nil if everything was read.
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
