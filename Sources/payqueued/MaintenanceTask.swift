import Logging
import NIOCore
import PaymentCore
import PaymentEngine
import PaymentServer
import PaymentStorage
import Systemd

/// The regular maintenance: watchdog ping, status line, the journal's space and size, and
/// retention. It runs on the engine's loop, so that the watchdog notices a stalled engine. It wakes
/// only for changes and for the watchdog, to save power on an idle machine.
final class MaintenanceTask {
    /// The minimum time between two checks after changes.
    private static let pace = Duration.seconds(1)
    /// The time between two checks of an idle daemon without a watchdog.
    private static let idlePace = TimeAmount.seconds(10)

    private let daemon: Daemon
    private let running: Running
    private let storeLoop: any EventLoop
    let enginePulse = LoopPulse(name: "engine")
    private let storePulse = LoopPulse(name: "store")
    private var gate: WatchdogGate
    private var throttle = StatusThrottle()
    private var seenTurns: UInt64 = 0
    private var isStoreStalled = false
    /// Whether the status line may have changed. Without a change its text is not created.
    private var mayBeNews = false
    private var timers: [Scheduled<Void>?] = [nil, nil]
    private var nextLook: Scheduled<Void>?
    private var wasShort = false
    private var lastLook = Duration.zero
    private var freed = FreedMemory()

    init(
        daemon: Daemon, running: Running, storeLoop: any EventLoop
    ) {
        self.daemon = daemon
        self.running = running
        self.storeLoop = storeLoop
        gate = WatchdogGate(watching: [enginePulse, storePulse])
    }

    /// Sends READY and starts.
    func begin() {
        lastLook = NIOEngineClock.now
        let status = statusLine
        _ = throttle.offer(status, now: lastLook)
        daemon.notifier.ready(status: status)
        if let watchdog = daemon.watchdog {
            // The first tick requires a beat of each loop.
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

    func end() {
        running.engine.turn.hooks.didChange = nil
        daemon.keptStore?.whenOwing(nil)
        nextLook?.cancel()
        for timer in timers { timer?.cancel() }
    }

    /// Schedules a check after a change, at most once a second.
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
        // A shortage since the last check is reported, even if there is room again.
        let found = running.engine.log.room
        if found.isShort, !wasShort { tellRoom(found) }
        running.checkpointer.value.look(now: now)
        running.scrubber.value.look(now: now)
        releaseMemory(now)
        daemon.keptStore?.retry()
        // The checks above may have freed room, which later requests can use, so the room is
        // compared again.
        let room = running.engine.log.room
        if room.isShort != wasShort { tellRoom(room) }
        if !isTold || room.isShort || daemon.keptStore?.owes == true { lookSoon() }
    }

    /// Returns freed memory of connections to the system. It runs on another thread, because it
    /// takes milliseconds.
    private func releaseMemory(_ now: Duration) {
        let connections = running.server.connectionCount
        guard let bytes = ProcessMemory.ownBytes,
            freed.mustRelease(connections: connections, residentBytes: bytes, now: now)
        else { return }
        let loop = running.loop
        let bound = NIOLoopBound(self, eventLoop: loop)
        StorageEnvironment.system.background {
            ProcessMemory.releaseFreed()
            let left = ProcessMemory.ownBytes ?? bytes
            loop.execute { bound.value.freed.settled(at: left) }
        }
    }

    private func tellRoom(_ room: Room) {
        wasShort = room.isShort
        if let shortage = room.shortage {
            daemon.log.warning(
                "new payments are refused: \(shortage.reason)",
                metadata: [
                    "directory": "\(daemon.configuration.stateDirectory.value ?? "")",
                    "missing": "\(shortage.rawValue)", "advice": "\(shortage.advice)",
                    "free": "\(room.freeBytes)", "claimed": "\(room.claimedBytes)",
                    "failure": "\(running.checkpointer.value.lastSpaceFailure ?? "none")",
                ])
        } else {
            daemon.log.notice("there is room again; new payments are accepted")
            // Questions of accepted work may have waited for room, and this turn opens them.
            running.engine.takeTurn()
        }
    }

    /// Pings the watchdog if the engine has taken a turn and the store's loop has answered.
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

    /// Reports the status if it has changed. Returns false if the report is still due.
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
        let store = running.engine.store.access.health.isUp ? "store up" : "store down"
        let ended = queue.endedSession == nil ? [] : ["session ended by the store"]
        let parts =
            (running.member.map { [$0.status] } ?? []) + ["\(queue.unfinishedCount) unfinished"]
            + waiting + ended
            + ["\(running.engine.subscriptions.all.count) observers", store]
        return parts.joined(separator: ", ")
    }

    private func forget() {
        if !running.engine.isReadOnly {
            if let before = running.retention?.value.forgettableTime() {
                running.engine.commands.forget(before: before)
            } else {
                running.engine.subscriptions.refreshNamesInUse()
            }
        }
        // The release is delayed, so that clients waiting for the start are served first. Code for
        // repeated work has run by then.
        running.loop.assumeIsolated().scheduleTask(in: .seconds(15)) { ProcessMemory.releaseCode() }
    }

    private func repeatEvery(_ interval: TimeAmount, slot: Int, _ body: @escaping () -> Void) {
        timers[slot] = running.loop.assumeIsolated().scheduleTask(in: interval) { [self] in
            body()
            repeatEvery(interval, slot: slot, body)
        }
    }
}

/// The monotonic clock of the event loops.
enum NIOEngineClock {
    static var now: Duration {
        .nanoseconds(Int64(truncatingIfNeeded: NIODeadline.now().uptimeNanoseconds))
    }
}
