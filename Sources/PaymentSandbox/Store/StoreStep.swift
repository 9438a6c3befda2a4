public import PaymentCore

/// The external facts that a call of the embedded store needs.
public struct StoreContext {
    /// The real time of the call.
    public var now: Timestamp
    /// Returns an identifier that was never issued before.
    public var makeID: () -> UniqueID
    /// Whether the store is held, because the disk has no room for its records. It then makes only
    /// the changes that a call of the queue requires, and its controls make none.
    public var isHeld = false

    /// Creates a context.
    public init(now: Timestamp, makeID: @escaping () -> UniqueID, isHeld: Bool = false) {
        self.now = now
        self.makeID = makeID
        self.isHeld = isHeld
    }
}

/// The changes behind an answer of the embedded store. The state contains them already.
public struct StoreEffects: Sendable, Hashable {
    /// The records to commit before the answer leaves, in order.
    public var events: [SandboxEvent] = []
    /// The changes that listeners receive after the commit.
    public var changes: Set<StoreChange> = []
}

/// The result of one call of the embedded store.
public struct StoreStep<Answer: Sendable, Failure: Error>: Sendable {
    /// The answer. It must not leave before the events of ``effects`` are durable.
    public var answer: Result<Answer, Failure>
    /// The changes that the call made, those of a failed call included.
    public var effects: StoreEffects
    /// The simulated delay of the answer. The delay begins after the commit, so that a crash during
    /// the delay leaves an order that the queue does not know.
    public var latency = Duration.zero
}

extension StoreStep: Equatable where Answer: Equatable, Failure: Equatable {}
