internal import CSystemd
internal import Synchronization

/// The manager's promise to kill the service when no sign of life comes for too long.
public struct Watchdog: Sendable, Hashable {
    /// How long the manager waits for a sign of life. It counts from `READY=1` on.
    public let timeout: Duration

    /// Makes a watchdog of a known timeout.
    public init(timeout: Duration) {
        self.timeout = timeout
    }

    /// How often to look at the ``WatchdogGate``, and ping if it allows.
    ///
    /// A quarter of the timeout: a loop that was busy across one look must not be killed for it,
    /// which at the customary half would be a race between the next ping and the deadline.
    /// Never less than a millisecond, however little the manager allows.
    public var tickInterval: Duration { max(timeout / 4, .milliseconds(1)) }

    /// Reads what the manager asked of this process, and removes it from the environment.
    ///
    /// Call it once, before the first thread starts: it changes the environment. Nil when no
    /// manager watches this process.
    public static func takeFromEnvironment() -> Watchdog? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(1, &microseconds) > 0 else { return nil }
        return Watchdog(timeout: .microseconds(Int64(clamping: microseconds)))
    }
}

/// Counts the turns of one event loop or queue, for the watchdog to see that it moves.
///
/// The loop itself must call ``beat()``, from work that it does anyway or from a repeating task of
/// its own that comes at least once in each ``Watchdog/tickInterval``. Safe to read and to beat
/// from any thread.
public final class LoopPulse: Sendable {
    /// The name of the loop in reports of a stall.
    public let name: String
    private let counter = Atomic<UInt64>(0)

    /// Makes a pulse that never beat.
    public init(name: String) {
        self.name = name
    }

    /// The loop took a turn.
    public func beat() {
        counter.wrappingAdd(1, ordering: .relaxed)
    }

    /// How often the loop took a turn so far.
    public var beats: UInt64 { counter.load(ordering: .relaxed) }
}
