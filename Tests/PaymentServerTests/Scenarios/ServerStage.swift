import PaymentServer
import PaymentTesting
import StrictJSON

/// A whole server, reached through pairs of sockets or through its own.
final class ServerStage: Stage {
    private let server: LiveServer
    private var keeper: Client?

    init(_ server: LiveServer) {
        self.server = server
    }

    func client() async throws -> Client {
        Client(SocketWire(try await server.connect()))
    }

    func setStoreAnswers(_ answers: Bool) async throws {
        if keeper == nil { keeper = try await client() }
        let reply = try await keeper?.call("test.set", ["storeDown": .bool(!answers)])
        guard reply?.code == nil else { throw Unexpected("test.set was refused") }
    }
}

/// A client on a socket.
private final class SocketWire: Wire {
    private let peer: Peer

    init(_ peer: Peer) {
        self.peer = peer
    }

    func send(_ line: String) async {
        await peer.send(line)
    }

    func next() async throws -> JSONValue {
        try await peer.message()
    }
}
