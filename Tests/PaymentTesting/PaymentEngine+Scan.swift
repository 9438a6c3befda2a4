public import PaymentCore
public import PaymentEngine

extension PaymentEngine {
    /// Reads the log in one go.
    ///
    /// - Returns: The records and the position up to which there are no others.
    /// - Throws: The log cannot be read.
    public func visibleRecords(
        after position: SequenceNumber, limit: Int, kinds: Set<EventKind>?, bytes: Int = .max
    ) throws(JournalFailure) -> (records: [Record], scanned: SequenceNumber) {
        var scan = LogScan(after: position, limit: limit, kinds: kinds, bytes: bytes)
        while !reader.isDone(scan) { try reader.advance(&scan) }
        return (scan.records, scan.position)
    }
}
