import Glibc
import Logging
import NIOCore
import NIOPosix
import PaymentServer
import PaymentStorage
import Systemd

/// The sockets of the daemon, for clients and for scrapers: those that the service manager has opened, and
/// otherwise those at the paths of the configuration.
struct DaemonSockets {
    private let inherited: InheritedSockets
    private let mode: UInt16
    private let group: String?
    /// Nil if the service manager has opened the sockets of clients.
    private let clients: SocketPlace?
    /// Nil if there are no scrapers, or the service manager has opened their sockets.
    private let scrapers: SocketPlace?

    /// Settles the paths and touches no file. A demo passes its temporary directory.
    ///
    /// - Throws: A path is missing or too long.
    init(
        _ configuration: DaemonConfiguration, inherited: InheritedSockets, temporary: String?
    ) throws(ConfigurationProblem) {
        self.inherited = inherited
        mode = configuration.socketMode.value
        group = configuration.socketGroup.value
        clients =
            inherited.controls.isEmpty
            ? try SocketPlace(configuration.socket, temporary: temporary) : nil
        let setting = configuration.metricsSocket
        scrapers =
            inherited.scrapers.isEmpty && setting.value != nil
            ? try SocketPlace(setting, temporary: nil) : nil
    }

    /// Finds what ``prepare()`` would find, and makes nothing. A missing path is no error here: the service
    /// manager passes the sockets of a unit when it starts.
    static func examine(
        _ configuration: DaemonConfiguration, inherited: InheritedSockets, temporary: String?
    ) throws {
        try SocketPlace.check(group: configuration.socketGroup.value)
        if inherited.controls.isEmpty, configuration.socket.value ?? temporary != nil {
            try SocketPlace(configuration.socket, temporary: temporary).examine()
        }
        if inherited.scrapers.isEmpty, configuration.metricsSocket.value != nil {
            try SocketPlace(configuration.metricsSocket, temporary: nil).examine()
        }
    }

    /// The path that clients connect to; nil if an inherited socket has none.
    var path: String? { clients?.path ?? inherited.controls.first?.path }

    private var places: [SocketPlace] { [clients, scrapers].compactMap(\.self) }

    /// Makes the directories of the sockets.
    func prepare() throws {
        for place in places { try place.prepare(group: group) }
    }

    /// Refuses the start if another process listens there.
    func checkAreFree() throws {
        for place in places { try place.checkIsFree() }
    }

    /// Removes the sockets that an earlier owner left. Only called once the state is locked and read.
    func clear() throws {
        for place in places { try place.clear() }
    }

    /// Opens all sockets or none. Only called when a signal to stop is already handled.
    func listen(
        _ server: PaymentServer, on group: MultiThreadedEventLoopGroup, log: Logger
    ) async throws -> [any Channel] {
        for foreign in inherited.foreign {
            log.warning(
                "closed an inherited descriptor that is not a socket of this daemon",
                metadata: ["name": "\(foreign.name)", "reason": "\(foreign.reason.rawValue)"])
        }
        let controls = try await listenForClients(server, group)
        do {
            return try await controls + listenForScrapers(server, group)
        } catch {
            for channel in controls { try? await channel.close() }
            clients?.remove()
            throw error
        }
    }

    private func listenForClients(
        _ server: PaymentServer, _ group: MultiThreadedEventLoopGroup
    ) async throws -> [any Channel] {
        guard let clients else {
            var channels: [any Channel] = []
            for listener in inherited.controls {
                channels.append(
                    try await server.listen(descriptor: listener.descriptor, on: group))
            }
            return channels
        }
        let channel: any Channel
        do {
            channel = try await server.listen(path: clients.path, on: group)
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw StartFailure.inUse(
                "cannot listen on '\(clients.path)': another daemon has just started there")
        } catch {
            throw StartFailure.configuration("cannot listen on '\(clients.path)': \(error)")
        }
        try await protect(clients, of: channel)
        return [channel]
    }

    private func listenForScrapers(
        _ server: PaymentServer, _ group: MultiThreadedEventLoopGroup
    ) async throws -> [any Channel] {
        guard let scrapers else {
            var channels: [any Channel] = []
            for listener in inherited.scrapers {
                channels.append(
                    try await server.listenForScrapers(
                        .descriptor(listener.descriptor), on: group))
            }
            return channels
        }
        let channel: any Channel
        do {
            channel = try await server.listenForScrapers(.path(scrapers.path), on: group)
        } catch {
            throw StartFailure.configuration("cannot listen on '\(scrapers.path)': \(error)")
        }
        try await protect(scrapers, of: channel)
        return [channel]
    }

    /// Sets mode and group of a socket; if that fails, the socket is removed.
    private func protect(_ place: SocketPlace, of channel: any Channel) async throws {
        do throws(StartFailure) {
            try place.protect(mode: mode, group: group)
        } catch {
            try? await channel.close()
            place.remove()
            throw error
        }
    }
}

extension InheritedSockets {
    /// The name of a socket that scrapers connect to.
    static let scraperName = "metrics"

    /// Where clients connect.
    var controls: [Listener] { listeners.filter { $0.name != Self.scraperName } }
    /// Where scrapers connect.
    var scrapers: [Listener] { listeners.filter { $0.name == Self.scraperName } }
}
