internal import CSystemd
internal import Glibc

/// The outcome of a notification.
public enum NotifyOutcome: Sendable, Hashable {
    /// The manager's socket took it.
    case sent
    /// No manager asked for notifications.
    case noManager
    /// The system refused it with this `errno`.
    case failed(errno: Int32)
}

/// Tells the service manager how the service is, over the socket named by `NOTIFY_SOCKET`.
///
/// Without a manager every call does nothing, so the same daemon runs in a terminal, in a container
/// and in a test. Each call is one datagram, sent before the call returns and in the order of the
/// calls. No outcome is a reason for a daemon to fail; callers may ignore it.
///
/// No call waits for long for a manager that reads nothing: what comes again by itself, the sign of
/// life and the status, is dropped at once, `READY=1` after half a minute, the rest after
/// ``patience``, with `.failed(errno: EAGAIN)`.
public struct Notifier: Sendable {
    /// How long a change of the service's state may wait for the manager to read what came before.
    static let patience = Duration.seconds(1)
    /// How long the news that the service is ready may wait.
    private static let patienceOfReady = Duration.seconds(30)

    /// Whether a manager asked for notifications when this value was made.
    public let isEnabled: Bool

    /// Makes a notifier for the manager that started this process, if one did.
    public init() {
        isEnabled = Environment.value("NOTIFY_SOCKET") != nil
    }

    /// The service answers clients now, or a reload has ended.
    ///
    /// Call it for the first time when recovery is done and the listener accepts: the manager
    /// starts the units that depend on the service, and arms the watchdog.
    @discardableResult
    public func ready(status: String? = nil) -> NotifyOutcome {
        // A manager that is not notified ends the service, or counts it as reloading for ever.
        send([.ready] + (status.map { [.status($0)] } ?? []), within: Self.patienceOfReady)
    }

    /// A line for `systemctl status`. See ``StatusThrottle`` for how often to send one.
    @discardableResult
    public func status(_ text: String) -> NotifyOutcome {
        send([.status(text)], within: .zero)
    }

    /// The service began to stop. Must be the first act of a stop, before clients are drained.
    @discardableResult
    public func stopping(status: String? = nil) -> NotifyOutcome {
        send([.stopping], status: status)
    }

    /// A reload began. ``ready(status:)`` must follow, also when the configuration is refused:
    /// without it the unit counts as reloading for ever.
    @discardableResult
    public func reloading(status: String? = nil) -> NotifyOutcome {
        send([.reloading(monotonicMicroseconds: Self.monotonicMicroseconds())], status: status)
    }

    /// The start, reload or stop under way is making progress and may take this much longer.
    ///
    /// Send it again and again as work is done, with a short span, so that real hangs are still
    /// found.
    @discardableResult
    public func extendTimeout(by duration: Duration, status: String? = nil) -> NotifyOutcome {
        send([.extendTimeout(duration)], status: status)
    }

    /// The service is alive. Only to be sent when a ``WatchdogGate`` says so.
    @discardableResult
    public func watchdog() -> NotifyOutcome {
        send([.watchdog], within: .zero)
    }

    /// The service is about to exit because of an error. An `errno` of 0 is none of the system, and not
    /// told.
    @discardableResult
    public func failing(errno: Int32, status: String? = nil) -> NotifyOutcome {
        send(errno == 0 ? [] : [.failure(errno: errno)], status: status)
    }

    /// Sends several states as one datagram, in the given order.
    @discardableResult
    public func send(_ states: [ServiceState]) -> NotifyOutcome {
        send(states, within: Self.patience)
    }

    private func send(_ states: [ServiceState], within patience: Duration) -> NotifyOutcome {
        guard isEnabled, !states.isEmpty else { return .noManager }
        guard ManagerSocket.hasRoom(within: patience) else { return .failed(errno: EAGAIN) }
        let text = states.map(\.assignment).joined(separator: "\n")
        return Self.outcome(sd_notify(0, text))
    }

    /// Waits until the manager has read everything sent before, so that the process may exit.
    ///
    /// Blocks the calling thread for at most twice `timeout`, once for room and once for the answer;
    /// never call it on an event loop that still has clients. A manager that did not answer in time
    /// gives `.failed(errno: ETIMEDOUT)`.
    @discardableResult
    public func barrier(timeout: Duration) -> NotifyOutcome {
        guard isEnabled else { return .noManager }
        guard ManagerSocket.hasRoom(within: timeout) else { return .failed(errno: ETIMEDOUT) }
        return Self.outcome(sd_notify_barrier(0, timeout.wholeMicroseconds))
    }

    private func send(_ states: [ServiceState], status: String?) -> NotifyOutcome {
        send(states + (status.map { [.status($0)] } ?? []))
    }

    static func outcome(_ result: CInt) -> NotifyOutcome {
        switch result {
        case 1...: .sent
        case 0: .noManager
        default: .failed(errno: -result)
        }
    }

    private static func monotonicMicroseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }
}
