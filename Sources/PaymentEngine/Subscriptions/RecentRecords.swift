import PaymentCore

/// The records of the last batches. A subscription that is slightly behind the head reads them here.
/// Otherwise it would read the log from the disk as fast as the log grows.
struct RecentRecords {
    /// The number of newest records that pages are read from. As many older ones may still take
    /// memory.
    static let limit = 1024

    /// The records, oldest first. The first `dropped` of them are not used any more.
    private var records: [Record] = []
    private var dropped = 0
    /// All records after this position are here, up to the last one.
    private var start: SequenceNumber = 0

    /// Keeps the records of a batch.
    ///
    /// - Parameters:
    ///   - batch: The records, in order.
    ///   - position: The last record before the batch.
    mutating func append(_ batch: [Record], after position: SequenceNumber) {
        // The records in between were not stored, so the older ones cannot be used.
        if records.last?.sequence != position {
            removeAll()
            start = position
        }
        records += batch
        let excess = records.count - dropped - Self.limit
        guard excess > 0 else { return }
        dropped += excess
        start = records[dropped - 1].sequence
        // A removal moves all later records, so many are removed together.
        if dropped >= Self.limit {
            records.removeFirst(dropped)
            dropped = 0
        }
    }

    /// Drops all records.
    mutating func removeAll() {
        guard !records.isEmpty else { return }
        records = []
        dropped = 0
    }

    /// Reads a page of the records after a position; nil if one of them may not be here.
    func page(after position: SequenceNumber, count: Int) -> RecordPage? {
        guard position >= start, let end = records.last?.sequence, position < end else {
            return nil
        }
        var low = dropped
        var high = records.count
        while low < high {
            let middle = (low + high) / 2
            if records[middle].sequence <= position { low = middle + 1 } else { high = middle }
        }
        let page = records[low...].prefix(count)
        return RecordPage(records: Array(page), position: page.last?.sequence ?? position)
    }
}
