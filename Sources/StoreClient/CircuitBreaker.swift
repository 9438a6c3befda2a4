/// Whether a store is worth asking: after so many failures in a row only a probe is sent.
struct CircuitBreaker: Sendable {
    /// The step that a change of mind asks of the caller.
    enum Turn: Sendable, Hashable {
        /// Nothing.
        case none
        /// The store just went down: say so and begin to probe.
        case wentDown
        /// The store answers again: say so.
        case cameBack
    }

    private let threshold: Int
    private var failures = 0
    /// Whether the store counts as down.
    private(set) var isOpen = false

    init(threshold: Int) {
        self.threshold = max(1, threshold)
    }

    /// A request was answered, whatever the answer said.
    mutating func succeeded() -> Turn {
        failures = 0
        guard isOpen else { return .none }
        isOpen = false
        return .cameBack
    }

    /// A request was not answered, or by something that is no store in order.
    mutating func failed() -> Turn {
        failures += 1
        guard !isOpen, failures >= threshold else { return .none }
        isOpen = true
        return .wentDown
    }
}

/// How many repetitions are affordable: a fifth of the requests that were answered, and a few to
/// begin with, so that a store in trouble is not asked several times as often as one in health.
struct RetryBudget: Sendable {
    private static let most = 200
    private static let cost = 10
    private static let earned = 2
    private var coins = 100

    /// A request was answered.
    mutating func earn() {
        coins = min(Self.most, coins + Self.earned)
    }

    /// Pays for a repetition.
    ///
    /// - Returns: Whether there is one.
    mutating func spend() -> Bool {
        guard coins >= Self.cost else { return false }
        coins -= Self.cost
        return true
    }
}
