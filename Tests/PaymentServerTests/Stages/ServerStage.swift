import PaymentServer
import PaymentTesting
import StrictJSON

/// A whole server, reached through pairs of sockets or through its own.
final class ServerStage: Stage {
    /// Nil only between a stop and the next start.
    private var server: LiveServer?

    private init(_ server: LiveServer) {
        self.server = server
    }

    /// Plays a scenario on a server of its own.
    static func run(_ plan: ServerPlan, _ scenario: Scenario) async throws {
        let stage = ServerStage(try await LiveServer(plan))
        do {
            try await scenario.play(stage)
        } catch {
            try await stage.server?.end()
            throw error
        }
        try await stage.server?.end()
    }

    func client() async throws -> Client {
        guard let server else { throw Unexpected("there is no server") }
        return Client(SocketWire(try await server.connect()))
    }

    func restart(germanPrice: String?) async throws {
        guard let last = try await server?.stopped(germanPrice: germanPrice) else { return }
        server = nil
        server = try await LiveServer(after: last)
    }
}

/// A client on a socket.
final class SocketWire: Wire {
    private let peer: Peer

    init(_ peer: Peer) {
        self.peer = peer
    }

    func send(_ line: String) async {
        await peer.send(line)
    }

    func next() async throws -> JSONValue {
        try await peer.message(within: 60)
    }

    func leave() {
        peer.leave()
    }
}
