import Logging
import NIOCore
import NIOPosix
import PaymentBackend
import PaymentEngine
import PaymentServer
import ServiceLifecycle
import Synchronization
import Systemd

/// Runs the daemon between READY and the last byte written.
struct DaemonService: Service {
    let daemon: Daemon
    let running: Running
    let group: MultiThreadedEventLoopGroup
    let store: DaemonStore
    let storeLoop: any EventLoop

    func run() async throws {
        let loop = running.loop
        let housekeeping = try await loop.submit {
            NIOLoopBound(
                Housekeeping(daemon: daemon, running: running, storeLoop: storeLoop),
                eventLoop: loop)
        }.get()
        let listeners = try await daemon.listen(running.server, group)
        daemon.announce()
        try await loop.submit { housekeeping.value.begin() }.get()
        try? await gracefulShutdown()
        daemon.notifier.stopping(status: "stopping")
        daemon.log.notice("stopping")
        try await loop.submit { housekeeping.value.end() }.get()
        for channel in listeners { try? await channel.close() }
        try await drain(loop)
        try await loop.submit { try running.keeper.value.close() }.get()
        try await store.close()
        daemon.log.notice("stopped")
        daemon.notifier.barrier(timeout: .seconds(2))
    }

    /// Peers get a last line and the time to read it.
    private func drain(_ loop: any EventLoop) async throws {
        let seconds = daemon.configuration.timeouts.value.drainSeconds
        try await running.server.closeAll(graceMs: seconds * 1000)
        for _ in 0..<(seconds * 20) {
            let left = try await loop.submit { running.server.connectionCount }.get()
            if left == 0 { return }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
