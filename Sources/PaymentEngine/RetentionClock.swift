public import PaymentCore

/// Decides whether retention may rely on the time of day.
///
/// Records carry the time of day, which can be set. If it were corrected after a start with a wrong
/// clock, all finished transactions would be old at once; their keys would be forgotten, and a client
/// that repeats one would pay twice. So the time of day is compared with the time that has passed. When
/// they differ, or when there is nothing to compare with, nothing is forgotten before the whole time of
/// retention has passed.
public struct RetentionClock: Sendable, Hashable {
    /// Both clocks at one moment.
    public struct Reading: Sendable, Hashable {
        /// The time of day.
        public var wall: Timestamp
        /// Names the start of the machine.
        public var boot: String
        /// Milliseconds since then, sleep included.
        public var uptimeMs: Int64

        /// Creates a reading.
        public init(wall: Timestamp, boot: String, uptimeMs: Int64) {
            self.wall = wall
            self.boot = boot
            self.uptimeMs = uptimeMs
        }
    }

    /// By how much a clock may be corrected between two looks, in milliseconds.
    public static let toleranceMs: Int64 = 3_600_000
    /// How long a machine may have been off, by the time of day. A longer absence may as well be a wrong
    /// clock.
    public static let longestAbsenceMs: Int64 = 7 * 86_400_000

    /// The last readings of the clocks.
    public private(set) var last: Reading?
    /// How much longer nothing is forgotten, in milliseconds of a running machine.
    public private(set) var heldMs: Int64

    /// Continues with the readings of an earlier process. Without one the first look is not trusted.
    public init(last: Reading? = nil, heldMs: Int64 = 0) {
        self.last = last
        self.heldMs = heldMs
    }

    /// Looks at the clocks.
    ///
    /// - Parameters:
    ///   - now: What they show.
    ///   - retentionMs: How long what was finished is remembered.
    /// - Returns: Whether what is older than that by the time of day is so in truth.
    public mutating func look(_ now: Reading, retentionMs: Int64) -> Bool {
        if hasJumped(at: now) {
            heldMs = retentionMs
        } else if let elapsed = elapsed(at: now) {
            heldMs = max(0, heldMs - elapsed)
        }
        last = now
        return heldMs == 0
    }

    /// Whether the time of day does not agree with the time that has passed since the last look, or there
    /// was none.
    public func hasJumped(at now: Reading) -> Bool {
        guard let last else { return true }
        let passed = now.wall.milliseconds - last.wall.milliseconds
        if let elapsed = elapsed(at: now) { return abs(passed - elapsed) > Self.toleranceMs }
        return !(-Self.toleranceMs...Self.longestAbsenceMs).contains(passed)
    }

    /// The milliseconds since the last look; nil if the machine was started meanwhile, or that is unknown.
    private func elapsed(at now: Reading) -> Int64? {
        guard let last, !now.boot.isEmpty, now.boot == last.boot else { return nil }
        return max(0, now.uptimeMs - last.uptimeMs)
    }
}
