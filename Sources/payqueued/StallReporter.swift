import Glibc
import Logging
import PaymentEngine
import PaymentStorage
import Synchronization
import Systemd

/// Logs that a loop has stalled, and its activity, because a stalled loop cannot log. The service
/// manager ends the daemon if the stall lasts, and the operator needs the reason.
final class StallReporter: Sendable {
    private struct State {
        var seen: UInt64 = 0
        var silentLooks = 0
        /// The activity of the last reported stall.
        var reported: EngineMeter.Activity?
        /// The time between checks; nil after the end.
        var interval: Duration?
    }

    private let pulse: LoopPulse
    private let meter: EngineMeter
    private let log: Logger
    private let state = Mutex(State())
    /// The number of checks without a beat before a report.
    private static let patience = 2

    init(pulse: LoopPulse, meter: EngineMeter, log: Logger) {
        self.pulse = pulse
        self.meter = meter
        self.log = log
    }

    /// Checks regularly until ``end()``, on a separate thread. A slow disk can block all event
    /// loops and shared threads.
    func begin(every interval: Duration) {
        state.withLock { $0.interval = interval }
        // Without a thread stalls are not reported; everything else works.
        _ = startThread { [self] in watch() }
    }

    /// Stops the checks.
    func end() {
        state.withLock { $0.interval = nil }
    }

    private func watch() {
        while let interval = state.withLock({ $0.interval }) {
            let (seconds, attoseconds) = interval.components
            var rest = timespec(
                tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
            // A signal that interrupts the sleep must not cause an early check.
            var left = timespec()
            while nanosleep(&rest, &left) != 0, errno == EINTR { rest = left }
            guard state.withLock({ $0.interval }) != nil else { return }
            look()
        }
    }

    /// Compares with the last check. Each stall is reported once, and again if its activity
    /// changes.
    func look() {
        let beats = pulse.beats
        let current = meter.activity
        let isNews = state.withLock { state in
            state.silentLooks = beats == state.seen ? state.silentLooks + 1 : 0
            state.seen = beats
            guard state.silentLooks >= Self.patience else {
                state.reported = nil
                return false
            }
            defer { state.reported = current }
            return state.reported != current
        }
        guard isNews else { return }
        let activity =
            switch current {
            case .sync: "sync of the journal"
            case .turn: "turn of the queue"
            case .other: "unknown"
            }
        log.error(
            "an event loop hangs; the service manager will end the daemon if this lasts",
            metadata: ["loop": "\(pulse.name)", "at": "\(activity)"])
    }
}
