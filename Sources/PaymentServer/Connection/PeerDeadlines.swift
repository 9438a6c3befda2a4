import NIOCore

/// The timers of a peer.
struct PeerTimers {
    /// The timer for the line that the peer has begun and must complete.
    var line: Scheduled<Void>?
    /// The timer for the next check of the output.
    var output: Scheduled<Void>?
}

/// The time limits of a peer: for completing a line that it has begun, and for reading the output that
/// waits for it.
///
/// The connection has the timers. This value decides what a timer has to do.
struct PeerDeadlines {
    /// The number of checks of the output within the time that a peer may read nothing.
    static let looksAtOutput = 4

    /// The effect on the timer of the line.
    enum LineAction: Equatable {
        /// Nothing changes.
        case none
        /// The timer starts again.
        case start
        /// The timer is cancelled.
        case cancel
        /// The peer receives the error for a late line, and the connection ends.
        case answerTimeout
    }

    /// The effect of a check of the output.
    enum OutputAction: Equatable {
        /// The output is checked again later.
        case lookAgain
        /// No bytes wait, so the checks stop.
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

    /// Adapts the timer of the line after the received bytes were examined. Every line has its own time
    /// limit, from its first byte to its end.
    ///
    /// - Parameter unfinished: The number of the incomplete line; nil if there is none.
    /// - Returns: The effect on the timer.
    mutating func looked(unfinished: UInt64?) -> LineAction {
        guard unfinished != line else { return isLineOverdue ? .answerTimeout : .none }
        line = unfinished
        isLineOverdue = false
        return unfinished == nil ? .cancel : .start
    }

    /// Handles the end of the time for a line.
    ///
    /// - Parameter isExhausted: Whether all received bytes were examined. Otherwise the end of the line
    ///   may be among them, and ``looked(unfinished:)`` decides.
    /// - Returns: The action of the connection.
    mutating func lineTimedOut(isExhausted: Bool) -> LineAction {
        isLineOverdue = true
        return isExhausted ? .answerTimeout : .none
    }

    /// Notes that bytes were queued, because the socket did not take them.
    ///
    /// - Parameters:
    ///   - count: The number of bytes.
    ///   - waiting: The number of earlier bytes that the kernel has not taken.
    /// - Returns: Whether the connection must begin to check the output.
    mutating func handed(_ count: Int, waiting: Int) -> Bool {
        defer { handedBytes += count }
        guard !isWatchingOutput else { return false }
        isWatchingOutput = true
        takenBytes = handedBytes - waiting
        looksWithoutProgress = 0
        return true
    }

    /// Checks the output.
    ///
    /// - Parameter waiting: The number of bytes that the kernel has not taken.
    /// - Returns: The action of the connection.
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
