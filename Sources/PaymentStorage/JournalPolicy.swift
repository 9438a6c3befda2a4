/// Sizes and limits of a journal. Bytes unless the name says otherwise.
public struct JournalPolicy: Sendable, Hashable {
    /// The length to which segments are prefilled, except the first.
    public var segmentBytes: Int
    /// How far the active segment is prefilled when a journal is opened, so that a state directory
    /// with little in it stays small.
    public var firstPrefilledBytes: Int
    /// Whether segments are prefilled. Without that, every commit extends its file and takes about 1.5 times as
    /// long.
    public var prefillsSegments: Bool
    /// The maximum length of a line; a longer line in a file is damage.
    public var lineLimitBytes: Int
    /// The minimum size of the files `reserve`, which grow with what accepted work may still write; 0 for no
    /// reserve at all.
    public var reserveBytes: Int
    /// Space kept for segment headers, seals, marks, and records that nothing claims.
    public var marginBytes: Int
    /// The number of lines after which the index in memory gets an entry…
    public var indexEveryLines: Int
    /// …or the number of bytes, whichever comes first.
    public var indexEveryBytes: Int
    /// The minimum number of files that can still be created. Below it new work is refused.
    public var leastFreeFiles: Int64
    /// The number of lines after which a snapshot is due. Their replay takes well under a second.
    public var snapshotEveryLines: Int
    /// The part of the log that is kept before the snapshots.
    public var retention: RetentionPolicy
    /// The sizes of the files of closed things.
    public var archives = ArchiveLimits()

    /// Creates a policy; the defaults are those of the daemon.
    public init(
        segmentBytes: Int = 16 << 20, firstPrefilledBytes: Int = 1 << 20,
        prefillsSegments: Bool = true, lineLimitBytes: Int = 256 << 10,
        reserveBytes: Int = 4 << 20, marginBytes: Int = 1 << 20, indexEveryLines: Int = 256,
        indexEveryBytes: Int = 64 << 10, leastFreeFiles: Int64 = 64,
        snapshotEveryLines: Int = 250_000, retention: RetentionPolicy = RetentionPolicy()
    ) {
        precondition(
            segmentBytes > 0 && firstPrefilledBytes >= 0 && lineLimitBytes > 0
                && indexEveryLines > 0 && indexEveryBytes > 0
                && snapshotEveryLines > 0,
            "a size of the journal is not positive")
        self.segmentBytes = segmentBytes
        self.firstPrefilledBytes = firstPrefilledBytes
        self.prefillsSegments = prefillsSegments
        self.lineLimitBytes = lineLimitBytes
        self.reserveBytes = reserveBytes
        self.marginBytes = marginBytes
        self.indexEveryLines = indexEveryLines
        self.indexEveryBytes = indexEveryBytes
        self.leastFreeFiles = leastFreeFiles
        self.snapshotEveryLines = snapshotEveryLines
        self.retention = retention
    }
}

/// How much of the log stays readable. The limit that is reached first trims the log. What a snapshot still
/// needs stays in any case.
public struct RetentionPolicy: Sendable, Hashable {
    /// The oldest segments may be removed while the log has more bytes than this.
    public var keepBytes: Int64
    /// Segments that ended this many seconds ago may be removed.
    public var keepSeconds: Int64

    /// Creates a policy; the defaults are 64 MiB and 30 days.
    public init(keepBytes: Int64 = 64 << 20, keepSeconds: Int64 = 30 * 86_400) {
        self.keepBytes = keepBytes
        self.keepSeconds = keepSeconds
    }
}
