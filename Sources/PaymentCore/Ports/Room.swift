/// The room of a log on its disk, and whether new work is accepted.
public struct Room: Sendable, Hashable {
    /// The reason why new work is refused.
    public enum Shortage: String, Sendable, Hashable, CaseIterable {
        /// The disk has too few free bytes.
        case bytes
        /// The file system can hold too few further files.
        case files
        /// The quota of the user or the project is used up.
        case quota
        /// The process may not write files of the length that is needed.
        case fileSize

        /// The reason, as a clause without a full stop.
        public var reason: String {
            switch self {
            case .bytes: "what the disk has free is claimed by accepted transactions"
            case .files: "the file system can take too few further files"
            case .quota: "the disk quota is used up"
            case .fileSize: "the limit of file sizes is too low"
            }
        }

        /// Advice against the shortage, as a sentence.
        public var advice: String {
            switch self {
            case .bytes: "Free disk space, or finish transactions; no restart is needed"
            case .files: "Remove files, or give the file system more inodes"
            case .quota: "Raise the quota, or free space within it; no restart is needed"
            case .fileSize: "Raise the limit of file sizes (RLIMIT_FSIZE, LimitFSIZE=)"
            }
        }
    }

    /// The free bytes of the file system.
    public var freeBytes: Int64
    /// The bytes of the log that were written ahead, and that later lines will use.
    public var prefilledBytes: Int64
    /// The bytes of the files `reserve`, which no other program can use.
    public var reserveBytes: Int64
    /// The bytes that accepted work may still write.
    public var claimedBytes: Int64
    /// The bytes that new work may use now; negative if less is free than was claimed.
    public var availableBytes: Int64
    /// The reason why new work is refused; nil if it is accepted.
    public var shortage: Shortage?

    /// Creates a report; a log that needs no disk reports unlimited room.
    public init(
        freeBytes: Int64 = .max, prefilledBytes: Int64 = 0, reserveBytes: Int64 = 0,
        claimedBytes: Int64 = 0, availableBytes: Int64 = .max, shortage: Shortage? = nil
    ) {
        self.freeBytes = freeBytes
        self.prefilledBytes = prefilledBytes
        self.reserveBytes = reserveBytes
        self.claimedBytes = claimedBytes
        self.availableBytes = availableBytes
        self.shortage = shortage
    }

    /// Whether new work is refused.
    public var isShort: Bool { shortage != nil }
}
