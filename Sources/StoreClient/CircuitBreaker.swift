/// Decides whether requests are sent to a store. After a number of failures in a row only probes
/// are sent.
struct CircuitBreaker: Sendable {
    /// The action that a change of state requires of the caller.
    enum Turn: Sendable, Hashable {
        /// No change.
        case none
        /// The store just went down: report it and begin to probe.
        case wentDown
        /// The store answers again: report it.
        case cameBack
    }

    private let threshold: Int
    private var failures = 0
    /// True while the store counts as down.
    private(set) var isOpen = false

    init(threshold: Int) {
        self.threshold = max(1, threshold)
    }

    /// Records a request with an answer; a refusal by the store is an answer too.
    mutating func succeeded() -> Turn {
        failures = 0
        guard isOpen else { return .none }
        isOpen = false
        return .cameBack
    }

    /// Records a request without an answer, or with an answer that is not valid in the Store API.
    mutating func failed() -> Turn {
        failures += 1
        guard !isOpen, failures >= threshold else { return .none }
        isOpen = true
        return .wentDown
    }
}

/// The budget for repetitions: a fifth of the answered requests, and ten to begin with. It keeps
/// retries from multiplying the load of a store in trouble.
struct RetryBudget: Sendable {
    private static let most = 200
    private static let cost = 10
    private static let earned = 2
    private var coins = 100

    /// Records an answered request.
    mutating func earn() {
        coins = min(Self.most, coins + Self.earned)
    }

    /// Pays for one repetition.
    ///
    /// - Returns: False if the budget has too little left.
    mutating func spend() -> Bool {
        guard coins >= Self.cost else { return false }
        coins -= Self.cost
        return true
    }
}
