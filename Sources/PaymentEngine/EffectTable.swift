import PaymentCore

/// What is under way outside, so that nothing is asked for twice at a time, and how long to wait
/// before something that failed is asked for again.
struct EffectTable {
    private var attempts: [TransactionID: Int] = [:]
    private var running: Set<TransactionID> = []

    /// Whether an effect may be started now; if so it counts as running.
    mutating func begin(_ id: TransactionID) -> Bool {
        running.insert(id).inserted
    }

    /// Notes that the store answered.
    mutating func succeed(_ id: TransactionID) {
        running.remove(id)
        attempts[id] = nil
    }

    /// Notes that it did not, and says how long to wait: twice as long each time, from a quarter of
    /// a second to a minute. The effect counts as running until ``retry(_:)``.
    mutating func fail(_ id: TransactionID) -> Duration {
        let attempt = attempts[id, default: 0]
        attempts[id] = attempt + 1
        return min(.milliseconds(250) * (1 << min(attempt, 8)), .seconds(60))
    }

    /// Lets a failed effect begin again.
    mutating func retry(_ id: TransactionID) {
        running.remove(id)
    }
}
