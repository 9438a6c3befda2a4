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
        // SIGHUP is trapped before the daemon reports that it is ready, so that no later signal is lost.
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
            // The next start reads the state on all processors. The wait lets the next owner and its
            // links come first.
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
                        // The result is logged, because no caller waits for it.
                        _ = try? await administration.reload()
                    }
                }
            }
            try? await gracefulShutdown()
            group.cancelAll()
        }
    }

    /// Lets another node own the queue as soon as possible, and leaves the connections to the next
    /// start.
    private func giveAway(_ loop: any EventLoop) async throws {
        let server = running.server
        let seconds = daemon.configuration.timeouts.drainSeconds
        try await loop.submit { server.hold(graceMs: seconds * 1000) }.get()
        try await stopEngine(loop)
        // Waiting calls are answered by the next start.
        try await loop.submit { server.closeUnkept() }.get()
        try await leaveConnections(loop)
    }

    /// Stops the work and leaves the connections to the next process.
    private func handOver(_ loop: any EventLoop) async throws {
        let server = running.server
        let seconds = daemon.configuration.timeouts.drainSeconds
        try await loop.submit { server.hold(graceMs: seconds * 1000) }.get()
        // Calls that change something end within milliseconds, unless they wait for a user.
        try await awaitNone { try await loop.submit { server.uniqueCallCount }.get() }
        try await loop.submit { server.interruptUniqueCalls() }.get()
        // This waits for the remaining calls of batches that contained an interrupted call.
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

    /// Commits the recorded events, and gives back the right to the log. A log in a cluster answers
    /// later, and without room or a majority it does not answer at all. In that case the lease is given
    /// up, and the process ends as after a disk failure.
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

    /// The time that the next owner gets after a handover.
    private static let successorsTime = Duration.milliseconds(100)
    /// The maximum time that a stop waits for the commit of the recorded events.
    private static let commitPatience = TimeAmount.seconds(10)

    /// Waits until the count is 0, or has not changed for `patience`, because something blocks the rest;
    /// at most ten seconds.
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

    /// Waits until the received requests are answered, as far as that needs no client. Nothing more is
    /// read meanwhile. An answer may need the disk, which can take a second under load.
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
        // Received requests are answered even if the configuration gives clients no time to read.
        try await awaitAnswers(loop)
        try await drain(seconds) { try await loop.submit { server.connectionCount }.get() }
    }

    /// Waits until no connection is left or the time is over. The time limit of the service manager may
    /// be shorter, so each wait extends it.
    private func drain(_ seconds: Int, left: () async throws -> Int) async throws {
        for _ in 0..<(seconds * 20) {
            let count = try await left()
            guard count > 0 else { return }
            daemon.progressNotifier.tell("stopping, \(count) connections left")
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
