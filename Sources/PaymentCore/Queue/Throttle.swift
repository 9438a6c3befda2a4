/// Slows down the failed attempts of each user, without an effect on other users.
///
/// A user may have ten failed attempts in a minute. The tenth, and each later one in that minute, begins
/// a pause. Each pause is twice as long as the previous one, up to a limit. A correct attempt is accepted
/// as soon as the pause has ended.
///
/// The caller must allow only one attempt of a user at a time, because concurrent attempts would not be
/// counted yet.
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

        /// Whether the entry has no effect any more.
        func isOver(at now: Duration) -> Bool {
            now >= until && now - last >= Throttle.memory
        }

        /// Counts a failed attempt, and begins another minute if the last one is over.
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

    /// The number of failed attempts in a minute that begins the first pause.
    public static let triesInMinute = 10
    /// The first pause.
    public static let firstPause = Duration.seconds(5)
    /// The longest pause.
    public static let longestPause = Duration.seconds(300)
    fileprivate static let minute = Duration.seconds(60)
    /// The time after the end of the last pause after which the pauses begin with the first one again.
    fileprivate static let memory = Duration.seconds(600)

    private let mostUsers: Int
    private var entries: [UInt32: Entry] = [:]

    /// Creates a throttle without any attempts.
    ///
    /// - Parameter mostUsers: The maximum number of remembered users. Beyond it, the user with the oldest
    ///   last failed attempt is forgotten.
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
    /// - Returns: The time that the user must wait before its next attempt; nil if it may try now.
    public func wait(of user: UInt32, at now: Duration) -> Duration? {
        guard let until = entries[user]?.until, now < until else { return nil }
        return until - now
    }

    /// Counts a failed attempt. A correct attempt, or one without an answer, is not counted and changes
    /// nothing: a user with one correct credential must not guess others faster.
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
