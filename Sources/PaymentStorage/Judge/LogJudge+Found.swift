internal import Crypto
internal import PaymentCore

extension LogJudge {
    /// The findings of reading, before anything is written.
    struct Found {
        var format: StoreFormat
        /// All segments, including those that replay does not need. The log continues in the last one.
        var segments: [Segment] = []
        /// The end of the log.
        var position = Position()
        /// The last segment.
        var tail = Tail()
        /// How far the log went, according to the lock file.
        let marks: LogMarks
        /// Whether the visitor gets the events. It does not if a snapshot includes their effect.
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
        /// The offset at which the last batch begins, and the sequence number of its first line. Except in a
        /// copy, all earlier batches were durable before this one began.
        var lastBatch: (offset: Int, first: SequenceNumber) = (0, 0)
        /// The offset of the first line after the mark, and its sequence number. In a copy everything before it
        /// was durable.
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
        /// Where the first zero after the last good line is.
        var firstZero: Int?
        /// How many bytes after the last good line are neither lines nor blank.
        var bytesInDoubt = 0
        /// The end of the previous segment, according to the header of this one.
        var previous: SegmentHeader.Previous?
    }
}
