import PaymentCore

/// How long to wait before something that failed is tried again.
enum Backoff {
    static let longest = Duration.seconds(60)

    /// Twice as long each time, from a quarter of a second to a minute.
    static func delay(after failures: Int) -> Duration {
        min(.milliseconds(250) * (1 << min(failures, 8)), longest)
    }
}

/// The effects in progress, so that none is requested twice at a time, and how long to wait before
/// a failed one is requested again.
struct EffectTable {
    private var attempts: [TransactionID: Int] = [:]
    private var running: Set<TransactionID> = []
    private var wantedAgain: Set<TransactionID> = []
    /// Effects that failed and wait, each with the number of its wait.
    private var waits: [TransactionID: UInt64] = [:]
    private var lastWait: UInt64 = 0

    /// Whether an effect may be started now; if so it counts as running. If not, because another call
    /// about its transaction is under way or waits, it is wanted as soon as that has ended.
    mutating func begin(_ id: TransactionID) -> Bool {
        if running.insert(id).inserted { return true }
        wantedAgain.insert(id)
        return false
    }

    /// Notes that the store answered.
    ///
    /// - Returns: Whether it is to be asked again, because something happened there meanwhile.
    @discardableResult
    mutating func succeed(_ id: TransactionID) -> Bool {
        running.remove(id)
        attempts[id] = nil
        return wantedAgain.remove(id) != nil
    }

    /// Notes that the answers that are on their way may be older than what happened at the store.
    mutating func wantAllAgain() {
        wantedAgain = running
    }

    /// Notes that it did not, and says how long to wait: twice as long each time, from a quarter of
    /// a second to a minute. The effect counts as running until its wait ends.
    mutating func fail(_ id: TransactionID) -> (delay: Duration, wait: UInt64) {
        let attempt = attempts[id, default: 0]
        attempts[id] = attempt + 1
        return (Backoff.delay(after: attempt), beginWait(id))
    }

    /// Notes a failure while the store is known to be away; its return ends the wait. It does not count
    /// as an attempt: otherwise the first tries after a long outage would come late.
    mutating func postpone(_ id: TransactionID) -> (delay: Duration, wait: UInt64) {
        (Backoff.longest, beginWait(id))
    }

    private mutating func beginWait(_ id: TransactionID) -> UInt64 {
        lastWait += 1
        waits[id] = lastWait
        return lastWait
    }

    /// Lets a failed effect begin again, unless that wait was ended before its time.
    mutating func retry(_ id: TransactionID, after wait: UInt64) -> Bool {
        guard waits[id] == wait else { return false }
        waits[id] = nil
        running.remove(id)
        return true
    }

    /// Ends every wait before its time, also those of accounts that are not in session.
    ///
    /// - Returns: The transactions that waited.
    mutating func endAllWaits() -> Set<TransactionID> {
        let waited = Set(waits.keys)
        waits = [:]
        running.subtract(waited)
        return waited
    }
}
