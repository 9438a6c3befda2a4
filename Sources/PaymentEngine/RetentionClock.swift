public import PaymentCore

/// Decides whether retention may rely on the time of day.
///
/// Records carry the time of day, which can be set. Suppose that a machine starts with a wrong clock,
/// which is corrected later. All finished transactions are then old at once, their keys are forgotten,
/// and a client that repeats a key pays twice.
///
/// The time of day is therefore compared with the time that has passed. If the two differ, or nothing
/// can be compared, nothing is forgotten for the whole retention period.
public struct RetentionClock: Sendable, Hashable {
    /// Both clocks at one moment.
    public struct Reading: Sendable, Hashable {
        /// The time of day.
        public var wall: Timestamp
        /// The identifier of the machine's boot.
        public var boot: String
        /// Milliseconds since that boot, including sleep.
        public var uptimeMs: Int64

        /// Creates a reading.
        public init(wall: Timestamp, boot: String, uptimeMs: Int64) {
            self.wall = wall
            self.boot = boot
            self.uptimeMs = uptimeMs
        }
    }

    /// The maximum correction of a clock between two readings, in milliseconds.
    public static let toleranceMs: Int64 = 3_600_000
    /// The maximum time that a machine is assumed to be off, by the time of day, in milliseconds. A
    /// longer absence may just as well be a wrong clock.
    public static let longestAbsenceMs: Int64 = 7 * 86_400_000

    /// The last readings of the clocks.
    public private(set) var last: Reading?
    /// The remaining time during which nothing is forgotten, in milliseconds of a running machine.
    public private(set) var heldMs: Int64

    /// Continues with the reading of an earlier process. Without a reading, the first comparison counts
    /// as a jump of the clock.
    public init(last: Reading? = nil, heldMs: Int64 = 0) {
        self.last = last
        self.heldMs = heldMs
    }

    /// Compares the clocks with the last reading.
    ///
    /// - Parameters:
    ///   - now: The present reading.
    ///   - retentionMs: The retention period, in milliseconds.
    /// - Returns: Whether things that are older than the retention period by the time of day may be
    ///   forgotten.
    public mutating func look(_ now: Reading, retentionMs: Int64) -> Bool {
        if hasJumped(at: now) {
            heldMs = retentionMs
        } else if let elapsed = elapsed(at: now) {
            heldMs = max(0, heldMs - elapsed)
        }
        last = now
        return heldMs == 0
    }

    /// Whether the time of day disagrees with the time that has passed since the last reading, or there
    /// is no last reading.
    public func hasJumped(at now: Reading) -> Bool {
        guard let last else { return true }
        let passed = now.wall.milliseconds - last.wall.milliseconds
        if let elapsed = elapsed(at: now) { return abs(passed - elapsed) > Self.toleranceMs }
        return !(-Self.toleranceMs...Self.longestAbsenceMs).contains(passed)
    }

    /// The milliseconds since the last reading; nil if the machine was booted meanwhile, or that is
    /// unknown.
    private func elapsed(at now: Reading) -> Int64? {
        guard let last, !now.boot.isEmpty, now.boot == last.boot else { return nil }
        return max(0, now.uptimeMs - last.uptimeMs)
    }
}
