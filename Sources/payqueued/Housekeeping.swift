import Logging
import NIOCore
import PaymentCore
import PaymentEngine
import Systemd

/// What is done again and again beside the work: the watchdog's ping, the status line, forgetting
/// what is too old. Lives on the engine's loop, so that it stands still when the engine does.
final class Housekeeping {
    private static let secondsPerDay: Int64 = 86_400

    private let daemon: Daemon
    private let running: Running
    private let storeLoop: any EventLoop
    let enginePulse = LoopPulse(name: "engine")
    private let storePulse = LoopPulse(name: "store")
    private var gate: WatchdogGate
    private var throttle = StatusThrottle()
    private var told: StatusSource?
    private var seenTurns: UInt64 = 0
    private var isStoreStalled = false
    private var timers: [Scheduled<Void>?] = [nil, nil, nil]

    init(daemon: Daemon, running: Running, storeLoop: any EventLoop) {
        self.daemon = daemon
        self.running = running
        self.storeLoop = storeLoop
        gate = WatchdogGate(watching: [enginePulse, storePulse])
    }

    /// Says READY and begins.
    func begin() {
        daemon.notifier.ready(status: statusLine)
        if let watchdog = daemon.watchdog {
            // The first tick wants a beat of each loop.
            beatStore()
            repeatEvery(TimeAmount(watchdog.tickInterval), slot: 0) { [self] in tick() }
        }
        repeatEvery(.seconds(1), slot: 1) { [self] in
            tellStatus()
            running.keeper.value.look(now: NIOEngineClock.now)
        }
        forget()
        repeatEvery(.hours(1), slot: 2) { [self] in forget() }
    }

    /// Stops.
    func end() {
        for timer in timers { timer?.cancel() }
    }

    /// The engine must take a turn for each ping, the store's loop must answer.
    private func tick() {
        if running.engine.turns != seenTurns {
            seenTurns = running.engine.turns
            enginePulse.beat()
        }
        switch gate.tick([enginePulse, storePulse]) {
        case .ping:
            isStoreStalled = false
            daemon.notifier.watchdog()
        case .withhold(let stalled):
            if !isStoreStalled, stalled.contains(storePulse.name) {
                isStoreStalled = true
                daemon.log.error(
                    "a loop stands still; the service manager will end the daemon if it lasts",
                    metadata: ["loop": "\(storePulse.name)", "at": "store"])
            }
        }
        // A turn for the pulse alone changes nothing that the status tells.
        if told?.turns == running.engine.turns { told?.turns += 1 }
        running.engine.takeTurn()
        beatStore()
    }

    private func beatStore() {
        let pulse = storePulse
        storeLoop.execute { pulse.beat() }
    }

    /// Tells the status if it may have changed. An idle daemon writes no text only to compare it.
    private func tellStatus() {
        let now = NIOEngineClock.now
        let source = StatusSource(running.engine)
        let text = source == told ? throttle.due(now: now) : throttle.offer(statusLine, now: now)
        told = source
        if let text, case .failed = daemon.notifier.status(text) { throttle.lost() }
    }

    private var statusLine: String {
        let queue = running.engine.queue
        let waiting = queue.waitingCounts
            .sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\($0.value) wait for \($0.key.rawValue)" }
        let store = running.engine.storeHealth.isUp ? "store up" : "store down"
        let parts =
            ["\(queue.unfinishedCount) unfinished"] + waiting
            + ["\(running.engine.subscriptions.count) observers", store]
        return parts.joined(separator: ", ")
    }

    private func forget() {
        let days = Int64(daemon.configuration.retention.value.finishedDays)
        let before = Timestamp.now.advanced(bySeconds: -days * Self.secondsPerDay)
        running.engine.forget(before: before)
        // Not at once: those who waited for the start are served first, and what is done again and again
        // has been done by then.
        running.loop.assumeIsolated().scheduleTask(in: .seconds(15)) { ProcessMemory.releaseCode() }
    }

    private func repeatEvery(_ interval: TimeAmount, slot: Int, _ body: @escaping () -> Void) {
        timers[slot] = running.loop.assumeIsolated().scheduleTask(in: interval) { [self] in
            body()
            repeatEvery(interval, slot: slot, body)
        }
    }
}

/// What the status line is made of: it cannot have changed while this has not.
private struct StatusSource: Equatable {
    var turns: UInt64
    var head: SequenceNumber
    var observers: Int
    var isStoreUp: Bool

    init(_ engine: PaymentEngine) {
        turns = engine.turns
        head = engine.queue.head
        observers = engine.subscriptions.count
        isStoreUp = engine.storeHealth.isUp
    }
}

/// The monotonic clock of the loops.
enum NIOEngineClock {
    static var now: Duration {
        .nanoseconds(Int64(truncatingIfNeeded: NIODeadline.now().uptimeNanoseconds))
    }
}
