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
        let controls = try await listen(at: clients, or: inherited.controls) { place in
            try await server.listen(at: place, on: group)
        }
        do {
            return try await controls
                + listen(at: scrapers, or: inherited.scrapers) { place in
                    try await server.listenForScrapers(at: place, on: group)
                }
        } catch {
            for channel in controls { await Self.close(channel) }
            throw error
        }
    }

    /// Opens a socket at a path or, without a path, those of the service manager.
    private func listen(
        at place: SocketPlace?, or inherited: [InheritedSockets.Listener],
        _ open: (ListeningPlace) async throws -> any Channel
    ) async throws -> [any Channel] {
        guard let place else {
            var channels: [any Channel] = []
            for listener in inherited {
                channels.append(try await open(.descriptor(listener.descriptor)))
            }
            return channels
        }
        let channel: any Channel
        do {
            channel = try await open(.path(place.path))
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw StartFailure.inUse(
                "cannot listen on '\(place.path)': another daemon has just started there")
        } catch {
            throw StartFailure.configuration("cannot listen on '\(place.path)': \(error)")
        }
        try await protect(place, of: channel)
        return [channel]
    }

    /// Closes a listener, and returns when its socket file is removed.
    static func close(_ channel: any Channel) async {
        channel.close(promise: nil)
        try? await channel.closeFuture.get()
    }

    /// Sets mode and group of a socket; if that fails, the socket is removed.
    private func protect(_ place: SocketPlace, of channel: any Channel) async throws {
        do throws(StartFailure) {
            try place.protect(mode: mode, group: group)
        } catch {
            await Self.close(channel)
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
