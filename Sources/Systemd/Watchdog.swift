internal import CSystemd
internal import Synchronization

/// The manager's watchdog, which kills the service without pings for too long.
public struct Watchdog: Sendable, Hashable {
    /// The longest time between pings that the manager tolerates, counted from `READY=1`.
    public let timeout: Duration

    /// Creates a watchdog with a timeout.
    public init(timeout: Duration) {
        self.timeout = timeout
    }

    /// The interval of checking the ``WatchdogGate`` and sending a ping if it allows one.
    ///
    /// The interval is a quarter of the timeout, but at least 1 ms. At the usual half, a loop that
    /// is busy during one check would race the deadline with the next ping.
    public var tickInterval: Duration { max(timeout / 4, .milliseconds(1)) }

    /// Reads the manager's request and removes it from the environment.
    ///
    /// Call it once, before threads start, because it changes the environment. Nil if no manager
    /// watches this process.
    public static func takeFromEnvironment() -> Watchdog? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(1, &microseconds) > 0 else { return nil }
        return Watchdog(timeout: .microseconds(Int64(clamping: microseconds)))
    }
}

/// A counter of the turns of an event loop or queue, for the watchdog.
///
/// The loop must call ``beat()`` at least once per ``Watchdog/tickInterval``, from its work or a
/// repeating task. All methods are thread-safe.
public final class LoopPulse: Sendable {
    /// The name of the loop, for reports of a stall.
    public let name: String
    private let counter = Atomic<UInt64>(0)

    /// Creates a counter at zero.
    public init(name: String) {
        self.name = name
    }

    /// Counts a turn of the loop.
    public func beat() {
        counter.wrappingAdd(1, ordering: .relaxed)
    }

    /// The number of turns so far.
    public var beats: UInt64 { counter.load(ordering: .relaxed) }
}
