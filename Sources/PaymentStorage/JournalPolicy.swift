/// Sizes and limits of a journal. Bytes unless the name says otherwise.
public struct JournalPolicy: Sendable, Hashable {
    /// How long segments are made in advance, but for the first.
    public var segmentBytes: Int
    /// How far the active segment is prefilled when a journal is opened, so that a state directory
    /// with little in it stays small.
    public var firstPrefilledBytes: Int
    /// Whether segments are filled ahead. Without it every commit extends its file, which costs
    /// about half as much again.
    public var prefillsSegments: Bool
    /// No line is longer; a longer one in a file is damage.
    public var lineLimitBytes: Int
    /// The least room kept in the files `reserve`, which grow with what accepted work may still write;
    /// 0 for none at all.
    public var reserveBytes: Int
    /// Room kept for segment headers, seals, marks, and records that nothing claims.
    public var marginBytes: Int
    /// An entry of the index in memory is made for so many lines…
    public var indexEveryLines: Int
    /// …or for so many bytes, whichever comes first.
    public var indexEveryBytes: Int
    /// Below this many files that can still be made new work is refused.
    public var leastFreeFiles: Int64
    /// After so many lines a snapshot is due: a replay of them takes well under a second.
    public var snapshotEveryLines: Int
    /// The part of the log that is kept behind the snapshots.
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

/// How much of the log stays readable. Whichever is hit first trims; what a snapshot still needs
/// stays in any case.
public struct RetentionPolicy: Sendable, Hashable {
    /// Sealed segments beyond this many bytes may go.
    public var keepBytes: Int64
    /// Segments that ended so long ago may go.
    public var keepSeconds: Int64

    /// Creates a policy; the defaults are 64 MiB and 30 days.
    public init(keepBytes: Int64 = 64 << 20, keepSeconds: Int64 = 30 * 86_400) {
        self.keepBytes = keepBytes
        self.keepSeconds = keepSeconds
    }
}
