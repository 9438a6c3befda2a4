internal import PaymentCore

/// The space of a state directory in numbers, and the rules for its use.
///
/// Accepted work claims the bytes that it may still write. New work is accepted while everything that is free,
/// written ahead or in reserve is more than the claims. Copies of the state, such as snapshots and
/// backups, take only what is not claimed.
struct SpaceLedger: Sendable, Equatable {
    /// The uses of room other than the lines of the journal.
    enum Use: Sendable {
        /// A checkpoint: snapshot, archive files and their indexes. It may take its own claims.
        case checkpoint
        /// Everything that can wait: segments made ahead, backups, indexes that are built again.
        case other
    }

    /// The bytes that accepted work may still write.
    var claims = SpaceClaims()
    /// The bytes that the file system has free, less what was written since they were measured.
    var free: Int64 = 0
    /// The files that the file system can still take.
    var freeFiles: Int64 = .max
    /// The bytes that were written ahead in segments.
    var prefilled: Int64 = 0
    /// The bytes of the files `reserve`.
    var reserve: Int64 = 0
    /// Whether writing over old bytes takes new room. Then nothing that was written ahead is room, and
    /// every line may take twice its length.
    var isCopyOnWrite = false
    /// The bytes kept for segment headers, seals, marks, and records that nothing claims.
    var margin: Int64
    /// The minimum number of free files. With fewer, new work is refused.
    var leastFreeFiles: Int64

    /// The free space above which the reserve need not hold all claims: other processes do not fill so much at
    /// once.
    private static let farFromFull: Int64 = 1 << 30
    /// The claims that the reserve holds in any case.
    private static let reserveWhenFar: Int64 = 64 << 20

    /// Starts without claims.
    init(margin: Int, leastFreeFiles: Int64) {
        self.margin = Int64(margin)
        self.leastFreeFiles = leastFreeFiles
    }

    /// The claims in bytes of the disk.
    var claimed: Int64 { inBlocks(claims.total) }

    /// The bytes that have to stay: claims, the constant part, and what each segment wastes.
    var needed: Int64 { claimed + margin + claimed / 64 }

    /// The space that no other process can take.
    var own: Int64 { reserve + usable }

    /// The bytes that were written ahead and will be used: only lines of the journal can use it.
    private var usable: Int64 {
        isCopyOnWrite ? 0 : min(prefilled, Int64(claims.lines) + margin)
    }

    /// The room for new work; negative if less is there than was claimed.
    var available: Int64 { free + own - needed }

    /// Whether new work fits that may write so many bytes in its life.
    func admits(_ bytes: Int) -> Bool {
        freeFiles >= leastFreeFiles && available >= inBlocks(bytes)
    }

    /// The length that the reserve should have, if there is room for it.
    ///
    /// - Parameters:
    ///   - bytes: Claims of new work to add.
    ///   - isFilling: Whether something failed for want of room, although bytes are free.
    /// - Returns: Its length in bytes.
    func wantedReserve(for bytes: Int = 0, isFilling: Bool) -> Int64 {
        // On such a disk a file gives its room back when it is removed, and not before.
        guard !isCopyOnWrite else { return 0 }
        let all = needed + inBlocks(bytes)
        let isFar = !isFilling && free > all + Self.farFromFull
        return max(0, (isFar ? min(all, Self.reserveWhenFar) : all) - usable)
    }

    /// The bytes that a use may still take.
    func room(for use: Use) -> Int64 {
        switch use {
        case .checkpoint: available + inBlocks(claims.images)
        case .other: min(available, free)
        }
    }

    /// Counts bytes that were taken from the free ones.
    mutating func take(_ bytes: Int) {
        free -= Int64(bytes)
    }

    private func inBlocks(_ bytes: Int) -> Int64 { Int64(bytes) * (isCopyOnWrite ? 2 : 1) }
}
