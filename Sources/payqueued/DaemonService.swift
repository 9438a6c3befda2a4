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

/// Runs the daemon between READY and the last byte written.
///
/// It describes itself because its group asks for that: without a word of its own everything that it holds
/// would be reflected, down to the catalogue, in a third of the time that a start takes.
struct DaemonService: Service, CustomStringConvertible {
    let description = "payqueued"
    let daemon: Daemon
    let running: Running
    let group: MultiThreadedEventLoopGroup
    let store: DaemonStore
    let storeLoop: any EventLoop
    let retention: NIOLoopBound<RetentionTask>

    func run() async throws {
        daemon.earlyStop.end()
        let loop = running.loop
        let maintenance = try await loop.submit {
            NIOLoopBound(
                MaintenanceTask(
                    daemon: daemon, running: running, storeLoop: storeLoop,
                    retention: retention.value),
                eventLoop: loop)
        }.get()
        try await daemon.restoreConnections(running.server)
        let listeners = try await daemon.listen(running.server, group)
        // Before anybody is told that the daemon is ready: what comes from then on must not be lost.
        // Somebody whose terminal goes away wants the daemon to go as well.
        let hangUps =
            isatty(STDIN_FILENO) == 0 ? await UnixSignalsSequence(trapping: .sighup) : nil
        daemon.announce()
        try await loop.submit { maintenance.value.begin() }.get()
        let reporter = StallReporter(
            pulse: try await loop.submit { maintenance.value.enginePulse }.get(),
            meter: running.engine.turn.meter, log: daemon.log)
        if let watchdog = daemon.watchdog { reporter.begin(every: watchdog.tickInterval) }
        await untilStopped(hangUps)
        reporter.end()
        daemon.administration.end()
        daemon.notifier.stopping(status: "stopping")
        daemon.log.notice("stopping")
        try await loop.submit { maintenance.value.end() }.get()
        for channel in listeners { try? await channel.close() }
        if daemon.keptStore == nil {
            try await drain(loop)
            try await loop.submit { try running.checkpointer.value.close() }.get()
        } else {
            try await handOver(loop)
        }
        try await store.close()
        await running.traces?.close()
        daemon.log.notice("stopped")
        daemon.keptStore?.retry(patience: .milliseconds(100))
        daemon.notifier.barrier(timeout: .seconds(2))
    }

    /// Reloads whenever the daemon is told to by SIGHUP, until it is told to stop.
    private func untilStopped(_ hangUps: UnixSignalsSequence?) async {
        await withTaskGroup(of: Void.self) { group in
            if let hangUps {
                let administration = daemon.administration
                group.addTask {
                    for await _ in hangUps {
                        // What came of it stands in the log: nobody waits for an answer.
                        _ = try? await administration.reload()
                    }
                }
            }
            try? await gracefulShutdown()
            group.cancelAll()
        }
    }

    /// Ends what was begun and leaves the connections to the next process.
    private func handOver(_ loop: any EventLoop) async throws {
        let server = running.server
        let seconds = daemon.configuration.timeouts.drainSeconds
        try await loop.submit { server.hold(graceMs: seconds * 1000) }.get()
        // A call that changes something is answered in milliseconds, unless it waits for a person.
        try await awaitCalls(loop)
        try await loop.submit { server.interruptUniqueCalls() }.get()
        // What a batch has behind such a call.
        try await awaitCalls(loop)
        try await drain(seconds) { try await loop.submit { server.unkeptCount }.get() }
        let count = try await loop.submit {
            try running.checkpointer.value.close()
            return server.handOver()
        }.get()
        daemon.log.notice(
            "passed connections to the service manager",
            metadata: ["connections": .stringConvertible(count)])
    }

    private func awaitCalls(_ loop: any EventLoop) async throws {
        let server = running.server
        for _ in 0..<Self.looksAtCalls {
            guard try await loop.submit({ server.uniqueCallCount }).get() > 0 else { break }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// How often it is looked whether calls have ended that nobody could run again.
    private static let looksAtCalls = 25

    /// Peers get a last line and the time to read it.
    private func drain(_ loop: any EventLoop) async throws {
        let seconds = daemon.configuration.timeouts.drainSeconds
        try await running.server.closeAll(graceMs: seconds * 1000)
        try await drain(seconds) {
            try await loop.submit { running.server.connectionCount }.get()
        }
    }

    /// Waits until nobody is left or the time is over. The service manager's own limit may be shorter
    /// than what is configured here, so it is told that this is meant.
    private func drain(_ seconds: Int, left: () async throws -> Int) async throws {
        for _ in 0..<(seconds * 20) {
            let count = try await left()
            guard count > 0 else { return }
            daemon.progressNotifier.tell("stopping, \(count) connections left")
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
