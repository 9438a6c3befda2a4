import PaymentCore

/// The calls to the store about transactions: at most one at a time for each, and the backoff of the
/// ones that failed.
struct StoreCalls {
    /// The result of an answer.
    enum Next: Equatable {
        /// Nothing is left to do.
        case done
        /// Something happened at the store or in the queue meanwhile: the queue says what it needs now.
        case again
        /// The call is repeated after a delay, by ``retry(_:after:)`` with the number of the wait.
        case wait(Duration, number: UInt64)
    }

    private enum State: Equatable {
        /// Next: underWay.
        case idle
        /// Next: idle, waiting.
        case underWay
        /// The call failed. Next: idle.
        case waiting(number: UInt64)
    }

    private struct Call {
        var state = State.idle
        /// Failures since the last success.
        var failures = 0
        /// Whether the answer that is on its way may be older than what has happened.
        var isWantedAgain = false
    }

    private var calls: [TransactionID: Call] = [:]
    private var lastWait: UInt64 = 0

    /// Begins a call unless one about its transaction is under way or waits. That one is followed by
    /// another then.
    ///
    /// - Returns: Whether the call is to be made now.
    mutating func begin(_ id: TransactionID) -> Bool {
        var call = calls[id, default: Call()]
        let begins = call.state == .idle
        if begins { call.state = .underWay } else { call.isWantedAgain = true }
        calls[id] = call
        return begins
    }

    /// Ends the call about a transaction well.
    mutating func succeed(_ id: TransactionID) -> Next {
        let call = calls.removeValue(forKey: id)
        return call?.isWantedAgain == true ? .again : .done
    }

    /// Ends the call about a transaction badly.
    ///
    /// - Parameters:
    ///   - id: The transaction.
    ///   - isAway: Whether the store has announced that it is down. The failure does not count then:
    ///     otherwise the first tries after a long outage would come late.
    mutating func fail(_ id: TransactionID, whileAway isAway: Bool) -> Next {
        lastWait += 1
        var call = calls[id, default: Call()]
        let delay = isAway ? Backoff.longest : Backoff.delay(after: call.failures)
        if !isAway { call.failures += 1 }
        call.state = .waiting(number: lastWait)
        calls[id] = call
        return .wait(delay, number: lastWait)
    }

    /// Ends a wait, so that the call may begin again.
    ///
    /// - Returns: False if the wait was ended before its time.
    mutating func retry(_ id: TransactionID, after number: UInt64) -> Bool {
        guard calls[id]?.state == .waiting(number: number) else { return false }
        calls[id]?.state = .idle
        return true
    }

    /// Has every call that is under way or waits followed by another, because its answer may be older
    /// than what has happened at the store.
    mutating func retryAll() {
        for (id, call) in calls { calls[id]?.isWantedAgain = call.state != .idle }
    }

    /// Ends every wait before its time, also those of accounts that are not in session.
    ///
    /// - Returns: The transactions that waited.
    mutating func endAllWaits() -> Set<TransactionID> {
        var ended: Set<TransactionID> = []
        for (id, call) in calls {
            guard case .waiting = call.state else { continue }
            calls[id]?.state = .idle
            ended.insert(id)
        }
        return ended
    }
}

/// How long to wait before something that failed is tried again.
enum Backoff {
    static let longest = Duration.seconds(60)

    /// Twice as long each time, from a quarter of a second to a minute.
    static func delay(after failures: Int) -> Duration {
        min(.milliseconds(250) * (1 << min(failures, 8)), longest)
    }
}
