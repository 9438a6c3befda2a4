import DequeModule

/// Subscriptions with unread records and free output space, first in, first out.
struct CatchUpQueue {
    /// Whether a slice of work is coming.
    enum State {
        /// The queue is empty.
        case idle
        /// A slice is coming, or running.
        case scheduled
        /// The slice came within a turn and waits for its end.
        case heldUp
    }

    var state = State.idle
    private var queue: Deque<Subscription> = []

    /// How many subscriptions wait.
    var count: Int { queue.count }

    /// Adds a subscription, unless it is queued, has ended or has no room.
    ///
    /// - Returns: Whether the caller must see to a slice.
    mutating func append(_ subscription: Subscription) -> Bool {
        guard !subscription.isQueued, !subscription.isEnded, subscription.target.hasRoom else {
            return false
        }
        subscription.isQueued = true
        queue.append(subscription)
        guard state == .idle else { return false }
        state = .scheduled
        return true
    }

    /// Takes the first subscription out.
    mutating func next() -> Subscription? {
        let subscription = queue.popFirst()
        subscription?.isQueued = false
        return subscription
    }

    /// Ends a slice.
    ///
    /// - Returns: Whether the caller must see to another one.
    mutating func endSlice() -> Bool {
        state = queue.isEmpty ? .idle : .scheduled
        return state == .scheduled
    }
}
