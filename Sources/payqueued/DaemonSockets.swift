import Glibc
import Logging
import NIOCore
import NIOPosix
import PaymentServer
import PaymentStorage
import Systemd

/// The sockets of the daemon for clients, administrators and scrapers: the ones that the service
/// manager has opened, otherwise the ones at the paths of the configuration.
struct DaemonSockets {
    private let inherited: InheritedSockets
    /// The place of the clients' socket; nil if the service manager has opened the sockets.
    private let clients: SocketPlace?
    /// The socket of root and the daemon's own user; nil if there is none.
    private let administrators: SocketPlace?
    /// The place of the scrapers' socket; nil if there is none, or the service manager has opened the
    /// sockets.
    private let scrapers: SocketPlace?
    /// The group of the sockets at configured paths.
    private let group: String?

    /// Determines the paths. It touches no file.
    ///
    /// - Parameters:
    ///   - configuration: The paths and permissions.
    ///   - inherited: The sockets from the service manager.
    ///   - temporary: The directory of a demo.
    ///   - isStart: Whether the sockets will be opened, so that clients must have one. A check does
    ///     not have the sockets of the service manager.
    /// - Throws: A path is missing or too long, or two sockets have the same path.
    init(
        _ configuration: DaemonConfiguration, inherited: InheritedSockets, temporary: String?,
        isStart: Bool = true
    ) throws(ConfigurationProblem) {
        let mode = configuration.socketMode.value
        group = configuration.socketGroup.value
        func place(
            _ setting: Setting<String?>, mode: UInt16, group: String?
        ) throws(ConfigurationProblem) -> SocketPlace? {
            guard setting.value != nil else { return nil }
            return try SocketPlace(setting, temporary: nil, mode: mode, group: group)
        }
        self.inherited = inherited
        let hasPath = configuration.socket.value ?? temporary != nil
        clients =
            inherited.controls.isEmpty && (hasPath || isStart)
            ? try SocketPlace(
                configuration.socket, temporary: temporary, mode: mode, group: group) : nil
        administrators = try place(configuration.adminSocket, mode: 0o600, group: nil)
        scrapers =
            inherited.scrapers.isEmpty
            ? try place(configuration.metricsSocket, mode: mode, group: group) : nil
        var paths: Set<String> = []
        for place in places where !paths.insert(place.path).inserted {
            throw ConfigurationProblem("two sockets have the path '\(place.path)'")
        }
    }

    /// Reports the problems that ``prepare()`` would find. It creates nothing.
    func examine() throws {
        // The group is checked even if the service manager may pass the sockets.
        _ = try SocketPlace.identifier(of: group)
        for place in places { try place.examine() }
    }

    /// The path that clients connect to; nil if an inherited socket has none.
    var path: String? { clients?.path ?? inherited.controls.first?.path }

    private var places: [SocketPlace] { [clients, administrators, scrapers].compactMap(\.self) }

    /// Creates the directories of the sockets.
    func prepare() throws {
        for place in places { try place.prepare() }
    }

    /// Refuses the start if another process listens on one of the sockets.
    func checkAreFree() throws {
        for place in places { try place.checkIsFree() }
    }

    /// Removes the sockets that an earlier owner left. Called only after the state is locked and
    /// read.
    func clear() throws {
        for place in places { try place.clear() }
    }

    /// Opens all sockets or none. Called only when a stop signal is already handled.
    func listen(
        _ server: PaymentServer, on group: MultiThreadedEventLoopGroup, log: Logger
    ) async throws -> [any Channel] {
        for foreign in inherited.foreign {
            log.warning(
                "refused an inherited descriptor that is not a socket of this daemon",
                metadata: ["name": "\(foreign.name)", "reason": "\(foreign.reason.rawValue)"])
        }
        var channels: [any Channel] = []
        do {
            channels += try await listen(at: scrapers, or: inherited.scrapers) { place in
                try await server.listenForScrapers(at: place, on: group)
            }
            channels += try await listen(at: administrators, or: []) { place in
                try await server.listen(at: place, on: group)
            }
            // The clients' socket is opened last, so that a client that connects finds the other
            // sockets.
            channels += try await listen(at: clients, or: inherited.controls) { place in
                try await server.listen(at: place, on: group)
            }
            return channels
        } catch {
            for channel in channels { await Self.close(channel) }
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
        do {
            return [try await open(.path(place.path, protect: place.protect))]
        } catch let error as StartFailure {
            throw error
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw StartFailure.inUse(
                "cannot listen on '\(place.path)': another daemon has just started there")
        } catch {
            throw StartFailure.configuration("cannot listen on '\(place.path)': \(error)")
        }
    }

    /// Closes a listener, and returns when its socket file is removed.
    static func close(_ channel: any Channel) async {
        channel.close(promise: nil)
        try? await channel.closeFuture.get()
    }
}

extension InheritedSockets {
    /// The name of a socket that scrapers connect to.
    static let scraperName = "metrics"

    /// The sockets for clients.
    var controls: [Listener] { listeners.filter { $0.name != Self.scraperName } }
    /// The sockets for scrapers.
    var scrapers: [Listener] { listeners.filter { $0.name == Self.scraperName } }
}
