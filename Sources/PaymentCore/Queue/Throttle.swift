/// Slows down the wrong tries of each user, and of no other one.
///
/// A user may have ten wrong tries in a minute. Each further one in that minute, and the tenth of a later
/// minute, brings a pause that is twice as long as the one before, up to a bound. A right try is accepted as
/// soon as the pause is over. Tries under way count as wrong until they end, so that many at a time are
/// no way around the limit.
public struct Throttle: Sendable {
    fileprivate struct Entry: Sendable {
        var minute: Duration
        var wrong = 0
        var underWay = 0
        var pauses = 0
        var until = Duration.zero
        var last: Duration

        init(at now: Duration) {
            minute = now
            last = now
        }

        /// Whether it is as good as no entry.
        func isOver(at now: Duration) -> Bool {
            underWay == 0 && now >= until && now - last >= Throttle.memory
        }

        /// Begins another minute if the last one is over.
        mutating func count(at now: Duration) {
            guard now - minute >= Throttle.minute else { return }
            minute = now
            wrong = 0
        }
    }

    /// The wrong tries of a minute before the first pause.
    public static let triesInMinute = 10
    /// The first pause.
    public static let firstPause = Duration.seconds(5)
    /// The longest pause.
    public static let longestPause = Duration.seconds(300)
    /// The time to wait while tries are under way that may use up the minute's.
    public static let shortWait = Duration.seconds(1)
    fileprivate static let minute = Duration.seconds(60)
    /// The time after the last try after which a user begins with the first pause again.
    fileprivate static let memory = Duration.seconds(600)

    private let mostUsers: Int
    private var entries: [UInt32: Entry] = [:]

    /// Creates a throttle without any tries.
    ///
    /// - Parameter mostUsers: The largest number of users that are remembered. Beyond it, the one whose
    ///   last try is the oldest is forgotten.
    public init(mostUsers: Int = 2048) {
        self.mostUsers = mostUsers
    }

    /// The number of users that are remembered.
    public var userCount: Int { entries.count }

    /// Begins a try, unless the user has to wait.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - now: The time of a clock that never goes back.
    /// - Returns: The time to wait before the next try; nil if this one may begin. Then
    ///   ``end(by:wasWrong:at:)`` must follow.
    public mutating func begin(by user: UInt32, at now: Duration) -> Duration? {
        var entry = entries[user] ?? Entry(at: now)
        guard now >= entry.until else { return entry.until - now }
        entry.count(at: now)
        let left = max(1, Self.triesInMinute - entry.wrong)
        guard entry.underWay < left else { return Self.shortWait }
        entry.underWay += 1
        entry.last = now
        if entries[user] == nil { makeRoom(at: now) }
        entries[user] = entry
        return nil
    }

    /// Ends a try that ``begin(by:at:)`` admitted.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - wasWrong: Whether it was wrong. One that was right, or that the store did not answer, changes
    ///     nothing: a user with one right credential must not guess others faster.
    ///   - now: The time of the same clock.
    public mutating func end(by user: UInt32, wasWrong: Bool, at now: Duration) {
        guard var entry = entries[user] else { return }
        entry.underWay -= 1
        entry.last = now
        if wasWrong {
            entry.count(at: now)
            entry.wrong += 1
            if entry.wrong >= Self.triesInMinute { entry.pause(from: now) }
        }
        entries[user] = entry
    }

    private mutating func makeRoom(at now: Duration) {
        guard entries.count >= mostUsers else { return }
        entries = entries.filter { !$0.value.isOver(at: now) }
        guard entries.count >= mostUsers else { return }
        let idle = entries.filter { $0.value.underWay == 0 }
        let oldest = (idle.isEmpty ? entries : idle).min { $0.value.last < $1.value.last }
        if let oldest { entries[oldest.key] = nil }
    }
}

extension Throttle.Entry {
    /// Begins the next pause.
    fileprivate mutating func pause(from now: Duration) {
        if now - until >= Throttle.memory { pauses = 0 }
        let doubled = Throttle.firstPause * (1 << min(pauses, 16))
        until = now + min(doubled, Throttle.longestPause)
        pauses += 1
    }
}
