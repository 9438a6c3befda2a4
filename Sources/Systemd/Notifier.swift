internal import CSystemd
internal import Glibc

/// The outcome of a notification.
public enum NotifyOutcome: Sendable, Hashable {
    /// The message was sent to the manager's socket.
    case sent
    /// No manager requested notifications.
    case noManager
    /// The system refused the message with this `errno`.
    case failed(errno: Int32)
}

/// A sender of service notifications, over the socket of `NOTIFY_SOCKET`.
///
/// Without a manager every call does nothing, so the same daemon runs in terminals, containers and
/// tests. Each call sends one datagram before it returns, in the order of the calls. A daemon must
/// not fail because of an outcome; callers may ignore it.
///
/// No call waits long for a manager that does not read: the message is dropped with
/// `.failed(errno: EAGAIN)`. Watchdog pings and status lines are dropped at once, because they are
/// sent again anyway. `READY=1` is dropped after half a minute, all other messages after
/// ``patience``.
public struct Notifier: Sendable {
    /// The longest wait of a state change for space in the manager's socket.
    static let patience = Duration.seconds(1)
    /// The longest wait of `READY=1` for space in the manager's socket.
    private static let patienceOfReady = Duration.seconds(30)

    /// True if a manager requested notifications when this value was created.
    public let isEnabled: Bool

    /// Creates a notifier for the manager that started this process, if there is one.
    public init() {
        isEnabled = Environment.value("NOTIFY_SOCKET") != nil
    }

    /// Reports that the service is ready, or that a reload has ended.
    ///
    /// Call it for the first time when recovery is done and the listener accepts: the manager
    /// starts the units that depend on the service, and arms the watchdog.
    @discardableResult
    public func ready(status: String? = nil) -> NotifyOutcome {
        // A manager that is not notified ends the service, or counts it as reloading for ever.
        send([.ready] + (status.map { [.status($0)] } ?? []), within: Self.patienceOfReady)
    }

    /// Sends a line for `systemctl status`. ``StatusThrottle`` limits the rate.
    @discardableResult
    public func status(_ text: String) -> NotifyOutcome {
        send([.status(text)], within: .zero)
    }

    /// Reports the start of a stop. It must be the first step, before clients are drained.
    @discardableResult
    public func stopping(status: String? = nil) -> NotifyOutcome {
        send([.stopping], status: status)
    }

    /// Reports the start of a reload. ``ready(status:)`` must follow, also if the configuration is
    /// refused. Without it the unit counts as reloading forever.
    @discardableResult
    public func reloading(status: String? = nil) -> NotifyOutcome {
        send([.reloading(monotonicMicroseconds: Self.monotonicMicroseconds())], status: status)
    }

    /// Reports progress of a start, reload or stop, and extends its timeout.
    ///
    /// Send it repeatedly while work is done, with a short extension, so that a real hang is still
    /// detected.
    @discardableResult
    public func extendTimeout(by duration: Duration, status: String? = nil) -> NotifyOutcome {
        send([.extendTimeout(duration)], status: status)
    }

    /// Sends a watchdog ping. Send it only when a ``WatchdogGate`` allows it.
    @discardableResult
    public func watchdog() -> NotifyOutcome {
        send([.watchdog], within: .zero)
    }

    /// Reports that the service is about to exit because of an error. An `errno` of 0 is omitted.
    @discardableResult
    public func failing(errno: Int32, status: String? = nil) -> NotifyOutcome {
        send(errno == 0 ? [] : [.failure(errno: errno)], status: status)
    }

    /// Sends several states in one datagram, in order.
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

    /// Waits until the manager has read all earlier messages, so that the process may exit.
    ///
    /// The call blocks for at most twice `timeout`, once for space and once for the answer. Do not
    /// call it on an event loop with clients. Without an answer in time the outcome is
    /// `.failed(errno: ETIMEDOUT)`.
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
