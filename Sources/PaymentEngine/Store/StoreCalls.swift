import PaymentCore

/// The calls to the store about transactions: at most one at a time for each, and the backoff of the
/// ones that failed.
struct StoreCalls {
    /// The step after an answer.
    enum Next: Equatable {
        /// Nothing is left to do.
        case done
        /// The store or the queue changed during the call: the caller must determine what the queue
        /// needs now.
        case again
        /// The call may begin again after a delay, by ``endWait(_:)``.
        case wait(Duration)
    }

    private enum State: Equatable {
        /// Next: underWay.
        case idle
        /// Next: idle, waiting.
        case underWay
        /// The call failed. Next: idle.
        case waiting
    }

    private struct Call {
        var state = State.idle
        /// Failures since the last success.
        var failures = 0
        /// Whether the pending answer may be outdated.
        var isWantedAgain = false
    }

    private var calls: [TransactionID: Call] = [:]

    /// Begins a call unless one about its transaction is in progress or waits. Another call then
    /// follows that one.
    ///
    /// - Returns: Whether the call is to be made now.
    mutating func begin(_ id: TransactionID) -> Bool {
        var call = calls[id, default: Call()]
        let begins = call.state == .idle
        if begins { call.state = .underWay } else { call.isWantedAgain = true }
        calls[id] = call
        return begins
    }

    /// Ends the call about a transaction with success.
    mutating func succeed(_ id: TransactionID) -> Next {
        let call = calls.removeValue(forKey: id)
        return call?.isWantedAgain == true ? .again : .done
    }

    /// Ends the call about a transaction with a failure.
    ///
    /// - Parameters:
    ///   - id: The transaction.
    ///   - isAway: Whether the store has announced that it is down. The failure then does not count,
    ///     because otherwise the first attempts after a long outage would be late.
    /// - Returns: The next step.
    mutating func fail(_ id: TransactionID, whileAway isAway: Bool) -> Next {
        var call = calls[id, default: Call()]
        let delay = isAway ? Backoff.longest : Backoff.delay(after: call.failures)
        if !isAway { call.failures += 1 }
        call.state = .waiting
        calls[id] = call
        return .wait(delay)
    }

    /// Ends the wait of a call that has failed, so that it may begin again.
    mutating func endWait(_ id: TransactionID) {
        precondition(calls[id]?.state == .waiting, "the call about \(id) does not wait")
        calls[id]?.state = .idle
    }

    /// Forgets the failures of a call that is not needed any more.
    mutating func forget(_ id: TransactionID) {
        calls[id] = nil
    }

    /// Ensures that another call follows each call that is in progress or waits, because its answer
    /// may be older than changes at the store.
    mutating func retryAll() {
        for (id, call) in calls { calls[id]?.isWantedAgain = call.state != .idle }
    }

    /// Ends every wait before its time, also those of accounts that are not in session.
    ///
    /// - Returns: The transactions that waited.
    mutating func endAllWaits() -> Set<TransactionID> {
        var ended: Set<TransactionID> = []
        for (id, call) in calls {
            guard call.state == .waiting else { continue }
            calls[id]?.state = .idle
            ended.insert(id)
        }
        return ended
    }
}

/// The delays before a failed request is repeated.
enum Backoff {
    static let longest = Duration.seconds(60)

    /// The delay after a number of failures. It doubles with each failure, from 250 milliseconds to
    /// 60 seconds.
    static func delay(after failures: Int) -> Duration {
        min(.milliseconds(250) * (1 << min(failures, 8)), longest)
    }
}
