import Logging
import NIOCore
import PaymentCore
import PaymentEngine
import Systemd

/// The regular chores: the watchdog's ping, the status line, looking after the journal's room
/// and length, forgetting what is too old. Lives on the engine's loop, so that it stands still when the
/// engine does. Wakes for what has changed and for the watchdog; an idle machine is left in peace.
final class MaintenanceTask {
    private static let secondsPerDay: Int64 = 86_400
    /// The least time between two looks at what has changed.
    private static let pace = Duration.seconds(1)
    /// How long an idle daemon that no watchdog wakes lets the disk and the age of its files be.
    private static let idlePace = TimeAmount.seconds(10)

    private let daemon: Daemon
    private let running: Running
    private let storeLoop: any EventLoop
    private let retention: RetentionTask
    let enginePulse = LoopPulse(name: "engine")
    private let storePulse = LoopPulse(name: "store")
    private var gate: WatchdogGate
    private var throttle = StatusThrottle()
    private var seenTurns: UInt64 = 0
    private var isStoreStalled = false
    /// Whether the status line may have changed. An idle daemon writes no text only to compare it.
    private var mayBeNews = false
    private var timers: [Scheduled<Void>?] = [nil, nil]
    private var nextLook: Scheduled<Void>?
    private var wasShort = false
    private var lastLook = Duration.zero

    init(
        daemon: Daemon, running: Running, storeLoop: any EventLoop, retention: RetentionTask
    ) {
        self.daemon = daemon
        self.running = running
        self.retention = retention
        self.storeLoop = storeLoop
        gate = WatchdogGate(watching: [enginePulse, storePulse])
    }

    /// Says READY and begins.
    func begin() {
        lastLook = NIOEngineClock.now
        let status = statusLine
        _ = throttle.offer(status, now: lastLook)
        daemon.notifier.ready(status: status)
        if let watchdog = daemon.watchdog {
            // The first tick wants a beat of each loop.
            beatStore()
            repeatEvery(TimeAmount(watchdog.tickInterval), slot: 0) { [self] in
                tick()
                look()
            }
        } else {
            repeatEvery(Self.idlePace, slot: 0) { [self] in look() }
        }
        running.engine.turn.hooks.didChange = { [self] in
            mayBeNews = true
            lookSoon()
        }
        let bound = NIOLoopBound(self, eventLoop: running.loop)
        daemon.keptStore?.whenOwing { bound.value.lookSoon() }
        lookSoon()
        forget()
        repeatEvery(.hours(1), slot: 1) { [self] in forget() }
    }

    /// Stops.
    func end() {
        running.engine.turn.hooks.didChange = nil
        daemon.keptStore?.whenOwing(nil)
        nextLook?.cancel()
        for timer in timers { timer?.cancel() }
    }

    /// Looks once things have changed, at most once a second.
    private func lookSoon() {
        guard nextLook == nil else { return }
        let rest = max(.zero, Self.pace - (NIOEngineClock.now - lastLook))
        nextLook = running.loop.assumeIsolated().scheduleTask(in: TimeAmount(rest)) { [self] in
            look()
        }
    }

    private func look() {
        nextLook?.cancel()
        nextLook = nil
        let now = NIOEngineClock.now
        lastLook = now
        let isTold = tellStatus(now)
        running.checkpointer.value.look(now: now)
        daemon.keptStore?.retry()
        // Room that comes back is for whoever asks next.
        let isShort = running.engine.log.isShortOfSpace
        if isShort != wasShort { tellRoom(isShort) }
        if !isTold || isShort || daemon.keptStore?.owes == true { lookSoon() }
    }

    private func tellRoom(_ isShort: Bool) {
        wasShort = isShort
        if isShort {
            daemon.log.warning("low disk space; new payments are refused until there is more")
        } else {
            daemon.log.notice("disk space is sufficient again; new payments are accepted")
        }
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
                    "an event loop hangs; the service manager will end the daemon if this lasts",
                    metadata: ["loop": "\(storePulse.name)", "at": "store"])
            }
        }
        running.engine.takeTurn()
        beatStore()
    }

    private func beatStore() {
        let pulse = storePulse
        storeLoop.execute { pulse.beat() }
    }

    /// Tells the status if it has changed. False if that is still to be done.
    private func tellStatus(_ now: Duration) -> Bool {
        let due = mayBeNews ? throttle.offer(statusLine, now: now) : throttle.due(now: now)
        mayBeNews = false
        guard let text = due else { return !throttle.isWaiting }
        guard case .failed = daemon.notifier.status(text) else { return true }
        throttle.lost()
        return false
    }

    private var statusLine: String {
        let queue = running.engine.queue
        let waiting = queue.waitingCounts
            .sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\($0.value) wait for \($0.key.rawValue)" }
        let store = running.engine.storeHealth.isUp ? "store up" : "store down"
        let ended = queue.endedSession == nil ? [] : ["session ended by the store"]
        let parts =
            ["\(queue.unfinishedCount) unfinished"] + waiting + ended
            + ["\(running.engine.subscriptions.all.count) observers", store]
        return parts.joined(separator: ", ")
    }

    private func forget() {
        let days = Int64(daemon.configuration.retention.finishedDays)
        let before = Timestamp.now.advanced(bySeconds: -days * Self.secondsPerDay)
        if retention.mayForget(days: days) {
            running.engine.commands.forget(before: before)
        } else {
            running.engine.subscriptions.refreshNamesInUse()
        }
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

/// The monotonic clock of the loops.
enum NIOEngineClock {
    static var now: Duration {
        .nanoseconds(Int64(truncatingIfNeeded: NIODeadline.now().uptimeNanoseconds))
    }
}
