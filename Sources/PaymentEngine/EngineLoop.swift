public import PaymentCore

/// The thread that owns the engine: it reads sockets, takes turns and commits.
///
/// Work runs in the order in which it was handed over, never inside the caller.
public protocol EngineLoop: Sendable {
    /// Monotonic time since some fixed moment. Deadlines run on it, never on the wall clock.
    var now: Duration { get }

    /// Runs work on the loop, behind everything that is ready now. May be called from any thread.
    func execute(_ body: @escaping @Sendable () -> Void)

    /// Runs work on the loop after the sockets were polled once more. Long work passes its next
    /// piece to this method, so that clients are served between the pieces.
    func executeAfterInput(_ body: @escaping @Sendable () -> Void)

    /// Runs work on the loop after a delay, unless it is cancelled before.
    func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> any EngineTimer

    /// Traps when called from another thread than the loop's.
    func preconditionOnLoop()
}

extension EngineLoop {
    /// Runs work as ``execute(_:)`` does: a loop without sockets has nothing to poll.
    public func executeAfterInput(_ body: @escaping @Sendable () -> Void) {
        execute(body)
    }
}

/// Work that was scheduled and can be cancelled.
public protocol EngineTimer: Sendable {
    /// Cancels the work if it has not run.
    func cancel()
}

/// The wall clock and the random bits of the engine.
public struct EngineSources: Sendable {
    /// The time of day, for records.
    public var wallClock: @Sendable () -> Timestamp
    /// 128 fresh random bits.
    public var randomBits: @Sendable () -> (high: UInt64, low: UInt64)

    /// Creates the sources.
    public init(
        wallClock: @escaping @Sendable () -> Timestamp,
        randomBits: @escaping @Sendable () -> (high: UInt64, low: UInt64)
    ) {
        self.wallClock = wallClock
        self.randomBits = randomBits
    }
}
