import NIOCore
import NIOEmbedded
import PaymentAPI
import PaymentCore
import StrictJSON
import Testing

@testable import PaymentServer

@Suite struct UnreadReplyTests {
    /// A server whose users together hold 800,000 bytes of replies, and one user a little less than half.
    private func makeServer() throws -> SteppedServer {
        var limits = Limits()
        limits.replyLineBytes = 100_000
        return try SteppedServer(limits: limits, access: AccessPolicy(ownUser: 7))
    }

    /// Connections of a user that read nothing, and their dams.
    private func connect(
        _ count: Int, of uid: UInt32, to server: SteppedServer
    ) throws -> [(peer: SteppedPeer, dam: Dam)] {
        try (0..<count).map { _ in
            let peer = try server.connect(as: PeerCredentials(pid: 1, uid: uid, gid: uid))
            let dam = Dam()
            try peer.channel.pipeline.syncOperations.addHandler(dam, position: .first)
            return (peer, dam)
        }
    }

    /// A line whose reply takes about 100,000 bytes.
    private static let large =
        "[" + (1...100).map { Ask.line($0, "help") }.joined(separator: ",") + "]"

    @Test func `requests of a user whose replies nobody reads wait, and those of others do not`()
        throws
    {
        let server = try makeServer()
        let hostile = try connect(8, of: 1000, to: server)
        for (peer, _) in hostile { try peer.send(Self.large) }
        #expect(hostile.map { $0.dam.bytes > 0 } == [true, true, true, true, false, false, false, false])
        #expect(server.core.connections.values.map(\.bufferedBytes).reduce(0, +) < 500_000)

        let other = try connect(1, of: 1001, to: server)[0]
        other.dam.open()
        #expect(try other.peer.ask(Ask.line(1, "ping"))["result"] != nil)
        let root = try connect(1, of: 0, to: server)[0]
        root.dam.open()
        #expect(try root.peer.ask(Ask.line(1, "ping"))["result"] != nil)

        hostile[0].dam.open()
        server.run()
        #expect(hostile.map { $0.dam.bytes > 0 }[1..<6] == [true, true, true, true, false])
        for (_, dam) in hostile {
            dam.open()
            server.run()
        }
        for (peer, _) in hostile {
            #expect(try JSONValue(parsing: peer.bytes()).arrayValue?.count == 100)
        }
        #expect(try hostile[0].peer.ask(Ask.line(1, "ping"))["result"] != nil)
    }

    @Test func `requests that wait run when a connection of their user has closed`() throws {
        let server = try makeServer()
        let hostile = try connect(5, of: 1000, to: server)
        for (peer, _) in hostile { try peer.send(Self.large) }
        #expect(hostile[4].dam.bytes == 0)
        try hostile[0].peer.channel.close().wait()
        server.run()
        #expect(hostile[4].dam.bytes > 0)
    }

    @Test func `one batch of a user comes to its end while others that are half answered wait`()
        throws
    {
        let server = try makeServer()
        let peers = try connect(3, of: 1000, to: server).map(\.peer.connection)
        var unread = UnreadReplies()
        var counted = peers.map {
            unread.count($0, before: 0, whole: 0, begun: 150_000)
        }
        #expect(peers.map { unread.admits($0) } == [true, false, false])
        counted[2] = unread.count(peers[2], before: counted[2], whole: 0, begun: 0)
        #expect(peers.map { unread.admits($0) } == [true, true, true])
        counted[2] = unread.count(peers[2], before: counted[2], whole: 200_000, begun: 0)
        #expect(peers.map { unread.admits($0) } == [false, false, false])
        counted[2] = unread.count(peers[2], before: counted[2], whole: 0, begun: 0)
        counted[1] = unread.count(peers[1], before: counted[1], whole: 0, begun: 0)
        counted[0] = unread.count(peers[0], before: counted[0], whole: 0, begun: 0)
        #expect(counted == [0, 0, 0])
        #expect(peers.allSatisfy { unread.admits($0) })
    }

    @Test func `what waits for memory is answered when the server stops`() throws {
        let server = try makeServer()
        let hostile = try connect(5, of: 1000, to: server)
        for (peer, _) in hostile { try peer.send(Self.large) }
        server.core.closeAll(reason: .shutdown, graceMs: 1000)
        for (_, dam) in hostile { dam.open() }
        server.run()
        #expect(try hostile[4].peer.messages().count == 2)
    }
}

/// A handler that holds what is written, as a socket does whose peer reads nothing.
private final class Dam: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var held: [(data: NIOAny, promise: EventLoopPromise<Void>?)] = []
    private var isOpen = false
    private var context: ChannelHandlerContext?
    /// The bytes that were written so far.
    private(set) var bytes = 0

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        for (_, promise) in held { promise?.fail(ChannelError.ioOnClosedChannel) }
        held.removeAll()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        bytes += unwrapOutboundIn(data).readableBytes
        guard !isOpen else { return context.write(data, promise: promise) }
        held.append((data, promise))
    }

    /// Lets everything pass.
    func open() {
        isOpen = true
        for (data, promise) in held { context?.write(data, promise: promise) }
        held.removeAll()
        context?.flush()
    }
}
