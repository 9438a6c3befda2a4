public import PaymentCore
import StrictJSON

extension StatusReport {
    /// The files of the state directory, and the room for them.
    public struct Storage: Sendable, Hashable {
        /// Damage to a file.
        public struct Damage: Sendable, Hashable {
            /// The file.
            public var file: String
            /// The offset of the damage in bytes, if known.
            public var offset: Int?
            /// The first sequence number in doubt, if known.
            public var first: SequenceNumber?
            /// The last sequence number in doubt, if known.
            public var last: SequenceNumber?
            /// The problem, for people.
            public var detail: String

            /// Creates the part.
            public init(
                file: String, offset: Int?, first: SequenceNumber?, last: SequenceNumber?,
                detail: String
            ) {
                self.file = file
                self.offset = offset
                self.first = first
                self.last = last
                self.detail = detail
            }
        }

        /// Whether the state is only read: nothing is taken.
        public var isReadOnly = false
        /// The number of files of closed things.
        public var archiveFiles = 0
        /// Their length in bytes, without indexes.
        public var archiveBytes = 0
        /// The number of closed transactions that are not in such a file yet.
        public var unarchived = 0
        /// Whether each of them has an intact index.
        public var isIndexed = true
        /// The room on the disk.
        public var room = Room()
        /// The damaged files that are known.
        public var damage: [Damage] = []
        /// The time of the last complete check of all files; nil if there was none in this process.
        public var checkedAt: Timestamp?

        /// Creates the part, of a directory without closed things.
        public init() {}
    }

    static let storageForm = ResultForm<Storage>.object([
        .required(
            "readOnly", \.isReadOnly, .flag, "Whether the state is only read and nothing is taken."),
        .required(
            "archiveFiles", \.archiveFiles, .count,
            "The number of files with finished transactions."),
        .required("archiveBytes", \.archiveBytes, .count, "Their size on disk, in bytes."),
        .required(
            "unarchived", \.unarchived, .count,
            "The finished transactions that are not in such a file yet."),
        .required(
            "indexed", \.isIndexed, .flag,
            "Whether finished transactions can be looked up. If not, an index is being built, or a "
                + "damaged file cannot be indexed."),
        .required("room", \.room, roomForm, "The room on the disk."),
        .required(
            "damage", \.damage, .list(of: damageForm),
            "The damage that readers or the regular check of all files have found."),
        .optional(
            "checkedAt", \.checkedAt, .time,
            "The time of the last check of all files; absent if there was none since the start."),
    ])

    private static let damageForm = ResultForm<Storage.Damage>.object([
        .required("file", \.file, .text, "The file in the state directory."),
        .optional("offset", \.offset, .count, "Where the damage begins, in bytes."),
        .optional("from", \.first, .sequence, "The first sequence number in doubt."),
        .optional("to", \.last, .sequence, "The last sequence number in doubt."),
        .required("detail", \.detail, .text, "The problem, for people."),
    ])

    private static let roomForm = ResultForm<Room>.object([
        .required(
            "free", \.freeBytes, .bytes, "The bytes that the file system has free."),
        .required(
            "prefilled", \.prefilledBytes, .bytes,
            "The bytes that were written ahead and wait for records."),
        .required(
            "reserve", \.reserveBytes, .bytes, "The bytes of the files reserve."),
        .required(
            "claimed", \.claimedBytes, .bytes,
            "The bytes that accepted transactions may still write."),
        .required(
            "available", \.availableBytes, .bytes,
            "The bytes that are left for new payments, at least 0."),
        .required("accepting", { !$0.isShort }, .flag, "Whether there is room for new payments."),
        .optional(
            "shortage", \.shortage, .word, "What is missing if there is no room for new payments."),
        .optional("advice", { $0.shortage?.advice }, .text, "What to do about it."),
    ])
}

extension ResultForm<Int64> {
    /// A number of bytes; at least 0, and without a limit at most 2^53 − 1.
    fileprivate static var bytes: Self {
        Self(Schema.count) { $1.integer(min(max(0, $0), (1 << 53) - 1)) }
    }
}

extension Room.Shortage: WireWord {}
