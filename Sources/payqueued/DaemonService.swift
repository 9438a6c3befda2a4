import Glibc
import Logging
import NIOCore
import NIOPosix
import PaymentEngine
import PaymentServer
import ServiceLifecycle
import Synchronization
import Systemd
import UnixSignals

/// Runs the daemon from READY to the last written byte.
///
/// The explicit `description` is necessary: the service group describes its services. By default
/// reflection would print all fields, including the catalogue, and take a third of the start time.
struct DaemonService: Service, CustomStringConvertible {
    let description = "payqueued"
    let daemon: Daemon
    let running: Running
    let group: MultiThreadedEventLoopGroup
    let storeLoop: any EventLoop

    func run() async throws {
        daemon.earlyStop.end()
        let loop = running.loop
        let maintenance = try await loop.submit {
            NIOLoopBound(
                MaintenanceTask(
                    daemon: daemon, running: running, storeLoop: storeLoop),
                eventLoop: loop)
        }.get()
        try await daemon.restoreConnections(running.server)
        var listeners = try await daemon.sockets.listen(
            running.server, on: group, log: daemon.log)
        if let peers = try await running.member?.listen(for: running.server, group) {
            listeners.append(peers)
        }
        // Before the daemon reports that it is ready: what comes from then on must not be lost.
        // A daemon on a terminal ends when the terminal is closed.
        let hangUps =
            isatty(STDIN_FILENO) == 0 ? await UnixSignalsSequence(trapping: .sighup) : nil
        daemon.announce()
        try await loop.submit { maintenance.value.begin() }.get()
        running.follow()
        let reporter = StallReporter(
            pulse: try await loop.submit { maintenance.value.enginePulse }.get(),
            meter: running.engine.turn.meter, log: daemon.log)
        if let watchdog = daemon.watchdog { reporter.begin(every: watchdog.tickInterval) }
        await untilStopped(hangUps)
        reporter.end()
        daemon.administration.end()
        let restarts = daemon.restart.isWanted
        if !restarts {
            daemon.notifier.stopping(status: "stopping")
            daemon.log.notice("stopping")
        }
        try await loop.submit { maintenance.value.end() }.get()
        for channel in listeners { await DaemonSockets.close(channel) }
        if restarts {
            try await giveAway(loop)
            // The next start reads the state on all processors. The next owner and its links come first.
            try? await Task.sleep(for: Self.successorsTime)
        } else if daemon.keptStore == nil {
            try await drain(loop)
            try await stopEngine(loop)
            try await loop.submit { try running.checkpointer.value.close() }.get()
        } else {
            try await handOver(loop)
        }
        await running.member?.leave()
        await running.store.close()
        await running.traces?.close()
        daemon.log.notice(restarts ? "starting again" : "stopped")
        daemon.keptStore?.retry(patience: .milliseconds(100))
        daemon.notifier.barrier(timeout: .seconds(2))
    }

    /// Reloads on every SIGHUP until a stop.
    private func untilStopped(_ hangUps: UnixSignalsSequence?) async {
        await withTaskGroup(of: Void.self) { group in
            if let hangUps {
                let administration = daemon.administration
                group.addTask {
                    for await _ in hangUps {
                        // The log has the result: no caller waits for an answer.
                        _ = try? await administration.reload()
                    }
                }
            }
            try? await gracefulShutdown()
            group.cancelAll()
        }
    }

    /// Has another node own the queue as soon as possible, and leaves the connections to the next start.
    private func giveAway(_ loop: any EventLoop) async throws {
        let server = running.server
        let seconds = daemon.configuration.timeouts.drainSeconds
        try await loop.submit { server.hold(graceMs: seconds * 1000) }.get()
        try await stopEngine(loop)
        // Calls that wait are answered by the next start.
        try await loop.submit { server.closeUnkept() }.get()
        try await leaveConnections(loop)
    }

    /// Stops the work and leaves the connections to the next process.
    private func handOver(_ loop: any EventLoop) async throws {
        let server = running.server
        let seconds = daemon.configuration.timeouts.drainSeconds
        try await loop.submit { server.hold(graceMs: seconds * 1000) }.get()
        // Calls that change something take milliseconds, unless they wait for a user.
        try await awaitNone { try await loop.submit { server.uniqueCallCount }.get() }
        try await loop.submit { server.interruptUniqueCalls() }.get()
        // The remaining calls of batches that contained such a call.
        try await awaitNone { try await loop.submit { server.uniqueCallCount }.get() }
        try await awaitAnswers(loop)
        try await drain(seconds) { try await loop.submit { server.unkeptCount }.get() }
        try await stopEngine(loop)
        try await leaveConnections(loop)
    }

    private func leaveConnections(_ loop: any EventLoop) async throws {
        let server = running.server
        let count = try await loop.submit {
            try running.checkpointer.value.close()
            return server.handOver()
        }.get()
        guard daemon.keptStore != nil else { return }
        daemon.log.notice(
            "passed connections to the service manager",
            metadata: ["connections": .stringConvertible(count)])
    }

    /// Commits what was taken, and gives the right to the log back. A log in a cluster answers later, and not at all without room or a majority: then
    /// the lease is given up, and the process ends as with a failed disk.
    private func stopEngine(_ loop: any EventLoop) async throws {
        await running.member?.stopFollowing()
        let engine = running.engine
        let stopped = loop.makePromise(of: Void.self)
        loop.execute { engine.stop { stopped.succeed() } }
        let limit = loop.scheduleTask(in: Self.commitPatience) { [member = running.member] in
            member?.giveUp()
        }
        try await stopped.futureResult.get()
        limit.cancel()
        await running.member?.resign()
    }

    /// The time for the next owner after a handover.
    private static let successorsTime = Duration.milliseconds(100)
    /// The time that a stop waits for the commit of what was taken.
    private static let commitPatience = TimeAmount.seconds(10)

    /// Waits until nothing is left, or until nothing has changed for a while, because something holds it up;
    /// ten seconds at most.
    private func awaitNone(
        patience: Duration = .milliseconds(250), _ left: () async throws -> Int
    ) async throws {
        var last = 0
        let began = ContinuousClock.now
        var changed = began
        while true {
            let count = try await left()
            guard count > 0 else { return }
            if count != last { changed = .now }
            last = count
            guard changed.duration(to: .now) < patience, began.duration(to: .now) < .seconds(10)
            else { return }
            daemon.progressNotifier.tell("stopping")
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Waits until what was received is answered, as far as that needs no client. Nothing more is read
    /// meanwhile. It may need the disk, which can take a second under load.
    private func awaitAnswers(_ loop: any EventLoop) async throws {
        let server = running.server
        try await awaitNone(patience: .seconds(2)) {
            try await loop.submit { server.unansweredWork }.get()
        }
    }

    /// Sends peers a last line and waits until they have read it.
    private func drain(_ loop: any EventLoop) async throws {
        let server = running.server
        let seconds = daemon.configuration.timeouts.drainSeconds
        try await server.closeAll(graceMs: seconds * 1000)
        // Received requests are answered, also when clients get no time to read.
        try await awaitAnswers(loop)
        try await drain(seconds) { try await loop.submit { server.connectionCount }.get() }
    }

    /// Waits until no connection is left or the time is over. The service manager's own limit may
    /// be shorter than what is configured here, so it is told that this is meant.
    private func drain(_ seconds: Int, left: () async throws -> Int) async throws {
        for _ in 0..<(seconds * 20) {
            let count = try await left()
            guard count > 0 else { return }
            daemon.progressNotifier.tell("stopping, \(count) connections left")
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
