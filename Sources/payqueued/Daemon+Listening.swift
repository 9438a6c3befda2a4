import Glibc
import Logging
import NIOCore
import NIOPosix
import PaymentServer
import PaymentStorage
import Systemd

extension Daemon {
    /// Opens all listening sockets, or none. The caller must have installed the signal handlers for
    /// a stop.
    func listen(
        _ server: PaymentServer, _ group: MultiThreadedEventLoopGroup
    ) async throws -> [any Channel] {
        for foreign in inherited.foreign {
            log.warning(
                "closed an inherited descriptor that is not a socket of this daemon",
                metadata: ["name": "\(foreign.name)", "reason": "\(foreign.reason.rawValue)"])
        }
        let clients = try await listenForClients(server, group)
        do {
            return try await clients + listenForScrapers(server, group)
        } catch {
            for channel in clients { try? await channel.close() }
            place?.remove()
            throw error
        }
    }

    private func listenForClients(
        _ server: PaymentServer, _ group: MultiThreadedEventLoopGroup
    ) async throws -> [any Channel] {
        guard let place else {
            var channels: [any Channel] = []
            for listener in inherited.controls {
                channels.append(
                    try await server.listen(descriptor: listener.descriptor, on: group))
            }
            return channels
        }
        let channel: any Channel
        do {
            channel = try await server.listen(path: place.path, on: group)
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw StartFailure.inUse(
                "cannot listen on '\(place.path)': another daemon has just started there")
        } catch {
            throw StartFailure.configuration("cannot listen on '\(place.path)': \(error)")
        }
        try await protect(place, of: channel)
        return [channel]
    }

    /// Opens the metrics socket, if one is configured.
    private func listenForScrapers(
        _ server: PaymentServer, _ group: MultiThreadedEventLoopGroup
    ) async throws -> [any Channel] {
        if !inherited.scrapers.isEmpty {
            var channels: [any Channel] = []
            for listener in inherited.scrapers {
                channels.append(
                    try await server.listenForScrapers(
                        .descriptor(listener.descriptor), on: group))
            }
            return channels
        }
        guard let place = scraperPlace else { return [] }
        try place.clear()
        let channel: any Channel
        do {
            channel = try await server.listenForScrapers(.path(place.path), on: group)
        } catch {
            throw StartFailure.configuration("cannot listen on '\(place.path)': \(error)")
        }
        try await protect(place, of: channel)
        return [channel]
    }

    /// Applies the configured permissions to the socket. If that fails, the socket is closed and
    /// removed.
    private func protect(_ place: SocketPlace, of channel: any Channel) async throws {
        do throws(StartFailure) {
            try place.protect(
                mode: configuration.socketMode.value, group: configuration.socketGroup.value)
        } catch {
            try? await channel.close()
            place.remove()
            throw error
        }
    }

    /// Logs that the daemon is ready.
    func announce() {
        let path = place?.path ?? inherited.controls.first?.path ?? "an inherited socket"
        log.notice(
            "ready",
            metadata: ["socket": "\(path)", "stateDirectory": "\(statePath)"])
    }
}

extension InheritedSockets {
    /// The name of the metrics socket in the service manager.
    static let scraperName = "metrics"

    /// The inherited sockets for clients.
    var controls: [Listener] { listeners.filter { $0.name != Self.scraperName } }
    /// The inherited sockets for metrics.
    var scrapers: [Listener] { listeners.filter { $0.name == Self.scraperName } }
}
