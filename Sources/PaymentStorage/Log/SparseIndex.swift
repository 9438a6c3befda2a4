internal import PaymentCore

/// Finds a line of one segment without reading the segment from its beginning.
struct SparseIndex: Sendable {
    /// A line that reading can begin at.
    struct Entry: Sendable, Equatable {
        /// Its sequence number.
        var sequence: SequenceNumber
        /// Where it begins in the file.
        var offset: Int
        /// The checksum of the line before, which its own continues from.
        var chain: UInt32
    }

    private let everyLines: UInt64
    private let everyBytes: Int
    private var entries: [Entry]

    /// An index of the first line only.
    init(first: SequenceNumber, policy: JournalPolicy) {
        everyLines = UInt64(policy.indexEveryLines)
        everyBytes = policy.indexEveryBytes
        entries = [Entry(sequence: first, offset: 0, chain: 0)]
    }

    /// Offers a line. Lines are offered in order; a line that was offered before changes nothing.
    mutating func offer(_ entry: Entry) {
        guard let last = entries.last, entry.sequence > last.sequence,
            entry.sequence - last.sequence >= everyLines
                || entry.offset - last.offset >= everyBytes
        else { return }
        entries.append(entry)
    }

    /// The last entry at or before a line of this segment.
    func entry(for sequence: SequenceNumber) -> Entry {
        var low = 0
        var high = entries.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if entries[middle].sequence <= sequence { low = middle } else { high = middle }
        }
        return entries[low]
    }
}

/// The facts about one segment that are kept in memory.
struct Segment: Sendable {
    /// The name of its file.
    let name: String
    /// Counts the segments of the store from 1.
    let number: UInt64
    /// The sequence number of its first line.
    let first: SequenceNumber
    /// The sequence number of the last event before it.
    let lastEventBefore: SequenceNumber
    /// When its first line was written, which is when the segment before ended.
    let began: Timestamp
    /// The bytes of all lines of the embedded store before it, since the log began.
    let storeBytesBefore: UInt64
    /// The bytes of its lines; for the active segment of the lines that are durable.
    var bytes: Int
    /// How many of them are lines of the embedded store.
    var storeBytes = 0
    /// The index of its lines.
    var index: SparseIndex

    /// The bytes of all lines of the embedded store up to its end, since the log began.
    var allStoreBytes: UInt64 { storeBytesBefore + UInt64(storeBytes) }
}
