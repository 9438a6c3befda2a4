import NIOCore

/// The timers of a peer.
struct PeerTimers {
    /// Runs until the line that the peer has begun must be complete.
    var line: Scheduled<Void>?
    /// Runs until the next look at the output.
    var output: Scheduled<Void>?
}

/// The time limits of a peer: for the rest of a line that it has begun, and for reading what waits for it.
///
/// The connection has the timers; this says what they find.
struct PeerDeadlines {
    /// How often the output is looked at within the time that a peer may read nothing.
    static let looksAtOutput = 4

    /// The effect on the timer of the line.
    enum LineAction: Equatable {
        /// Nothing changes.
        case none
        /// The timer starts from now.
        case start
        /// The timer is cancelled.
        case cancel
        /// The peer receives the error for a late line, and the connection ends.
        case answerTimeout
    }

    /// The effect of a look at the output.
    enum OutputAction: Equatable {
        /// It looks again later.
        case lookAgain
        /// No bytes wait, so it looks no more.
        case stop
        /// The peer has read nothing for the whole time: the connection closes.
        case close
    }

    private var line: UInt64?
    private var isLineOverdue = false
    private var isWatchingOutput = false
    private var handedBytes = 0
    private var takenBytes = 0
    private var looksWithoutProgress = 0

    /// Every line has a time of its own, from its first byte to its end.
    ///
    /// - Parameter unfinished: The number of the line that is incomplete after all bytes were looked at.
    /// - Returns: What becomes of the timer.
    mutating func looked(unfinished: UInt64?) -> LineAction {
        guard unfinished != line else { return isLineOverdue ? .answerTimeout : .none }
        line = unfinished
        isLineOverdue = false
        return unfinished == nil ? .cancel : .start
    }

    /// The time of the line is over.
    ///
    /// - Parameter isExhausted: Whether all received bytes were looked at; otherwise the end of the line
    ///   may be among them, and ``looked(unfinished:)`` decides.
    /// - Returns: What the connection does.
    mutating func lineTimedOut(isExhausted: Bool) -> LineAction {
        isLineOverdue = true
        return isExhausted ? .answerTimeout : .none
    }

    /// Bytes were handed to the channel.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - waiting: How many bytes the kernel had not taken before.
    /// - Returns: Whether the connection begins to look at the output.
    mutating func handed(_ count: Int, waiting: Int) -> Bool {
        defer { handedBytes += count }
        guard !isWatchingOutput else { return false }
        isWatchingOutput = true
        takenBytes = handedBytes - waiting
        looksWithoutProgress = 0
        return true
    }

    /// Looks at the output.
    ///
    /// - Parameter waiting: How many bytes the kernel has not taken.
    /// - Returns: What the connection does.
    mutating func lookAtOutput(waiting: Int) -> OutputAction {
        guard waiting > 0 else {
            isWatchingOutput = false
            return .stop
        }
        let taken = handedBytes - waiting
        looksWithoutProgress = taken == takenBytes ? looksWithoutProgress + 1 : 0
        takenBytes = taken
        return looksWithoutProgress < Self.looksAtOutput ? .lookAgain : .close
    }
}
