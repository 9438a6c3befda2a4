import Logging
import PaymentEngine
import Synchronization
import Systemd

/// Says in the log that a loop stands still, and at what: the loop itself cannot. The service manager
/// ends the daemon if that lasts, and somebody will want to know why.
final class StallReporter: Sendable {
    private struct State {
        var seen: UInt64 = 0
        var silentLooks = 0
    }

    private let pulse: LoopPulse
    private let meter: EngineMeter
    private let log: Logger
    private let state = Mutex(State())
    /// How many looks without a beat are worth a line.
    private static let patience = 2

    init(pulse: LoopPulse, meter: EngineMeter, log: Logger) {
        self.pulse = pulse
        self.meter = meter
        self.log = log
    }

    /// Looks again and again until the task is cancelled.
    func watch(every interval: Duration) async {
        while !Task.isCancelled {
            do { try await Task.sleep(for: interval) } catch { return }
            look()
        }
    }

    /// Compares with the last look. Each standstill is reported once.
    func look() {
        let beats = pulse.beats
        let isNews = state.withLock { state in
            state.silentLooks = beats == state.seen ? state.silentLooks + 1 : 0
            state.seen = beats
            return state.silentLooks == Self.patience
        }
        guard isNews else { return }
        let activity =
            switch meter.activity {
            case .sync: "sync of the journal"
            case .turn: "turn of the queue"
            case .other: "unknown"
            }
        log.error(
            "a loop stands still; the service manager will end the daemon if it lasts",
            metadata: ["loop": "\(pulse.name)", "at": "\(activity)"])
    }
}
