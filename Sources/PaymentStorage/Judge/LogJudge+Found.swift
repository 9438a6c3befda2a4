internal import Crypto
internal import PaymentCore

extension LogJudge {
    /// The findings of reading, before anything is written.
    struct Found {
        var format: StoreFormat
        /// All segments, also those that only the log still needs. The last is to be continued.
        var segments: [Segment] = []
        /// Where the log ends.
        var position = Position()
        /// The last segment.
        var tail = Tail()
        /// How far the log went by the word of the lock file.
        let marks: LogMarks
        /// Whether the visitor gets the events. It does not if a snapshot has their effect.
        var isReplayed = true

        init(_ format: StoreFormat, _ marks: LogMarks) {
            self.format = format
            self.marks = marks
        }
    }

    /// The last segment as far as its lines verified.
    struct Tail {
        /// Where the last good line ends.
        var end = 0
        /// Where the last batch begins, and the sequence number of its first line. Except in a copy, every earlier
        /// batch was durable before it was begun.
        var lastBatch: (offset: Int, first: SequenceNumber) = (0, 0)
        /// Where the line behind the mark begins, and its sequence number. In a copy everything before was durable.
        var behindMark: (offset: Int, first: SequenceNumber) = (0, 0)
        /// The number of good lines.
        var lines: UInt64 = 0
        /// The digest of the good lines.
        var digest = SHA256()
        /// The checksum of the last good line.
        var chain: UInt32 = 0
        /// Whether the last good line is a seal.
        var isSealed = false
        /// Whether the last good line is an event or of the embedded store.
        var endsWithRecord = false
        /// The length of the file.
        var length = 0
        /// Where the first zero behind the last good line is.
        var firstZero: Int?
        /// How many bytes behind the last good line are neither lines nor blank.
        var bytesInDoubt = 0
        /// The header's word on the segment before.
        var previous: SegmentHeader.Previous?
    }
}
