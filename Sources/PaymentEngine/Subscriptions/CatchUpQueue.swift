/// Subscriptions with unread records and free output space: users in turn, and those of each user in turn.
struct CatchUpQueue {
    /// The state of the next slice of work.
    enum State {
        /// The queue is empty.
        case idle
        /// A slice is scheduled or running.
        case scheduled
        /// The slice came within a turn and waits for its end.
        case heldUp
    }

    var state = State.idle
    private var ring = UserRing<Subscription>()
    /// How many subscriptions wait.
    private(set) var count = 0

    /// Whether subscriptions of another user wait.
    func hasSubscriptions(besidesThoseOf user: UInt32) -> Bool {
        ring.hasWork(besidesThatOf: user)
    }

    /// Adds a subscription, unless it is queued, has ended or has no room.
    ///
    /// - Returns: Whether the caller must schedule a slice.
    mutating func append(_ subscription: Subscription) -> Bool {
        guard !subscription.isQueued, !subscription.isEnded, subscription.target.hasRoom else {
            return false
        }
        subscription.isQueued = true
        ring.offer(subscription, of: subscription.target.user)
        count += 1
        guard state == .idle else { return false }
        state = .scheduled
        return true
    }

    /// Takes the next subscription out.
    mutating func next() -> Subscription? {
        guard let (subscription, _) = ring.next() else { return nil }
        count -= 1
        subscription.isQueued = false
        return subscription
    }

    /// Ends a slice.
    ///
    /// - Returns: Whether the caller must schedule another one.
    mutating func endSlice() -> Bool {
        state = ring.isEmpty ? .idle : .scheduled
        return state == .scheduled
    }
}
