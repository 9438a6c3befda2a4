public import PaymentCore

/// The state of the store, as its answers show it.
public struct StoreHealth: Sendable {
    /// The store's name.
    public let name: String
    /// Whether the store answers.
    public private(set) var isUp = true
    /// The time of the last change of ``isUp``.
    public private(set) var since: Timestamp
    /// The failure of the last answer; nil after a success.
    public var lastError: String? { lastFailure?.description }
    /// That failure, with its kind.
    private(set) var lastFailure: StoreFailure?
    /// The time when the next order is requested again. Nil if none is, or if the store has announced
    /// that it is down and will announce its return.
    public private(set) var nextTryAt: Timestamp?
    /// True from the store's message that it is down until its message that it is back.
    private(set) var isAway = false

    init(name: String, since: Timestamp) {
        self.name = name
        self.since = since
    }

    /// Notes the result of a request. A failure that the store itself reports counts as an answer,
    /// unless the store has announced that it is down.
    ///
    /// - Returns: Whether ``isUp`` has changed.
    mutating func note(_ failure: StoreFailure?, at time: Timestamp) -> Bool {
        let wasUp = isUp
        isUp = failure.map { $0.isAnswer && !isAway } ?? true
        if isUp != wasUp { since = time }
        lastFailure = failure
        if failure == nil { nextTryAt = nil }
        return isUp != wasUp
    }

    /// Notes the store's own message that it is down or, with nil, back.
    ///
    /// - Returns: Whether ``isUp`` has changed.
    mutating func announce(_ failure: StoreFailure?, at time: Timestamp) -> Bool {
        isAway = failure != nil
        return note(failure, at: time)
    }

    /// Notes when the next order is requested again. A store that has announced that it is down is
    /// probed by its client instead, at times of its own.
    mutating func planRetry(at time: Timestamp) {
        nextTryAt = isAway ? nil : time
    }
}
