public import PaymentCore

/// The one thread that owns the engine: it reads the sockets, takes the turns and syncs the journal.
///
/// Work handed over runs in the order of handing over, never inside the caller.
public protocol EngineLoop: Sendable {
    /// Monotonic time since some fixed moment. Deadlines run on it, never on the wall clock.
    var now: Duration { get }

    /// Runs work on the loop, behind everything that is ready now. May be called from any thread.
    func execute(_ body: @escaping @Sendable () -> Void)

    /// Runs work on the loop after it has looked for input once more: work that goes on in many
    /// pieces hands itself over by this, and everybody is heard between the pieces.
    func executeAfterInput(_ body: @escaping @Sendable () -> Void)

    /// Runs work on the loop after a delay, unless it is cancelled before.
    func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> any EngineTimer

    /// Traps when called from another thread than the loop's.
    func preconditionOnLoop()
}

extension EngineLoop {
    /// A loop without input has nothing to look for.
    public func executeAfterInput(_ body: @escaping @Sendable () -> Void) {
        execute(body)
    }
}

/// Work that was scheduled and can be called off.
public protocol EngineTimer: Sendable {
    /// Calls the work off if it has not run.
    func cancel()
}

/// Where the engine gets what it must not make up: the wall clock and identifiers.
public struct EngineSources: Sendable {
    /// The time of day, for records.
    public var wallClock: @Sendable () -> Timestamp
    /// 128 fresh random bits.
    public var randomBits: @Sendable () -> (high: UInt64, low: UInt64)

    /// Names the sources.
    public init(
        wallClock: @escaping @Sendable () -> Timestamp,
        randomBits: @escaping @Sendable () -> (high: UInt64, low: UInt64)
    ) {
        self.wallClock = wallClock
        self.randomBits = randomBits
    }
}
