/// Slows down the wrong tries of each user, and of no other one.
///
/// A user may have ten wrong tries in a minute. The tenth, and each one after it in that minute, begins a
/// pause. Each pause is twice as long as the one before, up to a bound. A right try is accepted as soon as
/// the pause has ended. Only one try of a user may be under way at a time; others would not be counted yet.
public struct Throttle: Sendable {
    fileprivate struct Entry: Sendable {
        var minute: Duration
        var wrong = 0
        var pauses = 0
        var until = Duration.zero
        var last: Duration

        init(at now: Duration) {
            minute = now
            last = now
        }

        /// Whether it is as good as no entry.
        func isOver(at now: Duration) -> Bool {
            now >= until && now - last >= Throttle.memory
        }

        /// Counts a wrong try; it begins another minute if the last one is over.
        mutating func count(at now: Duration) {
            last = now
            if now - minute >= Throttle.minute {
                minute = now
                wrong = 0
            }
            wrong += 1
            if wrong >= Throttle.triesInMinute { pause(from: now) }
        }

        private mutating func pause(from now: Duration) {
            if now - until >= Throttle.memory { pauses = 0 }
            let doubled = Throttle.firstPause * (1 << min(pauses, 16))
            until = now + min(doubled, Throttle.longestPause)
            pauses += 1
        }
    }

    /// The wrong tries of a minute before the first pause.
    public static let triesInMinute = 10
    /// The first pause.
    public static let firstPause = Duration.seconds(5)
    /// The longest pause.
    public static let longestPause = Duration.seconds(300)
    fileprivate static let minute = Duration.seconds(60)
    /// The time after the last try after which a user begins with the first pause again.
    fileprivate static let memory = Duration.seconds(600)

    private let mostUsers: Int
    private var entries: [UInt32: Entry] = [:]

    /// Creates a throttle without any tries.
    ///
    /// - Parameter mostUsers: The largest number of users that are remembered. Beyond it, the one whose
    ///   last wrong try is the oldest is forgotten.
    public init(mostUsers: Int = 2048) {
        self.mostUsers = mostUsers
    }

    /// The number of users that are remembered.
    public var userCount: Int { entries.count }

    /// Looks up the pause of a user.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - now: The time of a clock that never goes back.
    /// - Returns: The time that the user has to wait before its next try; nil if it may try now.
    public func wait(of user: UInt32, at now: Duration) -> Duration? {
        guard let until = entries[user]?.until, now < until else { return nil }
        return until - now
    }

    /// Counts a try that was wrong. One that was right, or that got no answer, is not counted and changes
    /// nothing: a user with one right credential must not guess others faster.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - now: The time of the same clock.
    public mutating func noteWrong(by user: UInt32, at now: Duration) {
        if entries[user] == nil { makeRoom(at: now) }
        entries[user, default: Entry(at: now)].count(at: now)
    }

    private mutating func makeRoom(at now: Duration) {
        guard entries.count >= mostUsers else { return }
        entries = entries.filter { !$0.value.isOver(at: now) }
        guard entries.count >= mostUsers else { return }
        let oldest = entries.min { $0.value.last < $1.value.last }
        if let oldest { entries[oldest.key] = nil }
    }
}
