public import PaymentCore
import StrictJSON

extension StatusReport {
    /// The files of the state directory, and the room for them.
    public struct Storage: Sendable, Hashable {
        /// The files of closed things.
        public var archives: Archives
        /// The number of closed transactions that are not in such a file yet.
        public var unarchived: Int
        /// The room on the disk.
        public var room: Room

        /// Creates the part.
        public init(archives: Archives = Archives(), unarchived: Int = 0, room: Room = Room()) {
            self.archives = archives
            self.unarchived = unarchived
            self.room = room
        }
    }

    /// The files of closed things.
    public struct Archives: Sendable, Hashable {
        /// The state of the indexes.
        public enum Index: String, Sendable, Hashable, CaseIterable {
            /// Closed things are found.
            case ready
            /// An index is being built; closed things cannot be looked up until then.
            case rebuilding
        }

        /// The number of files.
        public var files: Int
        /// Their size in bytes.
        public var bytes: Int
        /// The state of their indexes.
        public var index: Index

        /// Creates the part.
        public init(files: Int = 0, bytes: Int = 0, index: Index = .ready) {
            self.files = files
            self.bytes = bytes
            self.index = index
        }
    }

    static let storageForm = ResultForm<Storage>.object([
        .required(
            "archives", \.archives,
            .object([
                .required("files", \.files, .count, "The number of files."),
                .required("bytes", \.bytes, .count, "Their size, in bytes."),
                .required(
                    "index", \.index, .word,
                    "Whether closed transactions can be looked up, or an index is being built."),
            ]), "The files of closed transactions."),
        .required(
            "unarchived", \.unarchived, .count,
            "The closed transactions that are not in such a file yet."),
        .required("room", \.room, roomForm, "The room on the disk."),
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

extension StatusReport.Archives.Index: WireWord {}
extension Room.Shortage: WireWord {}
