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
    /// Room kept in the file `reserve`, freed when the disk is full; 0 for none. A
    /// finish takes about 500 bytes.
    public var reserveBytes: Int
    /// An entry of the index in memory is made for so many lines…
    public var indexEveryLines: Int
    /// …or for so many bytes, whichever comes first.
    public var indexEveryBytes: Int
    /// Below this many free bytes `SpaceLevel.low` is reported.
    public var lowFreeBytes: Int64
    /// Below this many free bytes `SpaceLevel.short` is reported.
    public var shortFreeBytes: Int64
    /// Below this many files that can still be made `SpaceLevel.short` is reported.
    public var shortFreeFiles: Int64
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
        reserveBytes: Int = 4 << 20, indexEveryLines: Int = 256,
        indexEveryBytes: Int = 64 << 10, lowFreeBytes: Int64 = 64 << 20,
        shortFreeBytes: Int64 = 8 << 20, shortFreeFiles: Int64 = 64,
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
        self.indexEveryLines = indexEveryLines
        self.indexEveryBytes = indexEveryBytes
        self.lowFreeBytes = lowFreeBytes
        self.shortFreeBytes = shortFreeBytes
        self.shortFreeFiles = shortFreeFiles
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
