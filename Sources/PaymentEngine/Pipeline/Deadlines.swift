import HeapModule
import PaymentCore

/// Handles deadlines that have passed.
protocol DeadlineHandler: AnyObject {
    /// Handles a deadline that has passed and is no longer set.
    func isDue(_ deadline: Deadlines.Key)
}

/// The deadlines of the engine, on one timer of the loop. Deadlines of the same time are handled in
/// the order in which they were set.
///
/// Proof: see ``QueueWriter``; the timer names it.
final class Deadlines: @unchecked Sendable {
    /// The subject of a deadline. One key has at most one.
    enum Key: Hashable {
        /// The log is marked idle unless it has been used meanwhile.
        case idleMark
        /// A question ends without an answer, and its fallback applies.
        case question(QuestionID)
        /// The next agent is asked a question.
        case agentTurn(QuestionID)
        /// A heartbeat of the subscription with this number is due.
        case heartbeat(UInt64)
        /// The catalogue of a country is requested again after a failure.
        case catalogue(CountryCode)
        /// A call to the store about a transaction is repeated after a failure.
        case storeCall(TransactionID)
        /// An event of the embedded store is due, such as a renewal.
        case storeClock
        /// The next reconciliation begins.
        case reconciliation
        /// The restore is attempted again after a failure.
        case restoreAttempt
        /// The time that the restore may take is over.
        case restoreEnd
    }

    private struct Entry: Comparable {
        var time: Duration
        var order: UInt64
        var key: Key

        static func < (one: Entry, other: Entry) -> Bool {
            (one.time, one.order) < (other.time, other.order)
        }
    }

    /// Handles the deadlines. Without a handler they pass without effect.
    weak var handler: (any DeadlineHandler)?
    private let loop: any EngineLoop
    /// The current entries, and stale entries that were cancelled or replaced.
    private var heap = Heap<Entry>()
    /// The order number of the current entry of each key.
    private var orders: [Key: UInt64] = [:]
    private var lastOrder: UInt64 = 0
    private var timer: (time: Duration, handle: any EngineTimer)?

    init(loop: any EngineLoop) {
        self.loop = loop
    }

    /// Whether a deadline is set.
    func isSet(_ key: Key) -> Bool { orders[key] != nil }

    /// Sets a deadline, in place of an earlier one of the same key.
    func set(_ key: Key, after delay: Duration) {
        lastOrder += 1
        orders[key] = lastOrder
        heap.insert(Entry(time: loop.now + delay, order: lastOrder, key: key))
        if heap.count > 2 * orders.count + 64 { heap = Heap(heap.unordered.filter(isCurrent)) }
        arm()
    }

    /// Cancels a deadline, if it is set.
    func cancel(_ key: Key) {
        if orders.removeValue(forKey: key) != nil { arm() }
    }

    private func isCurrent(_ entry: Entry) -> Bool { orders[entry.key] == entry.order }

    /// Sets the timer to the time of the first current entry.
    private func arm() {
        while let first = heap.min, !isCurrent(first) { heap.removeMin() }
        guard timer?.time != heap.min?.time else { return }
        timer?.handle.cancel()
        timer = heap.min.map { first in
            (first.time, loop.schedule(after: first.time - loop.now) { [self] in fire() })
        }
    }

    private func fire() {
        timer = nil
        let now = loop.now
        while let first = heap.min, first.time <= now {
            heap.removeMin()
            guard isCurrent(first) else { continue }
            orders[first.key] = nil
            handler?.isDue(first.key)
        }
        arm()
    }
}
