import NIOCore
import NIOEmbedded
import PaymentAPI
import PaymentCore
import StrictJSON
import Testing

@testable import PaymentServer

@Suite struct UnreadReplyTests {
    /// The bytes that one user may hold before its requests wait.
    private static let share = 2_250_000

    /// A server whose users together hold 4,800,000 bytes of replies. Its queue has enough transactions for
    /// a page that counts.
    private func makeServer() throws -> SteppedServer {
        var limits = Limits()
        limits.replyLineBytes = 600_000
        let server = try SteppedServer(limits: limits, access: AccessPolicy(ownUser: 7))
        let buyer = try server.connect(as: PeerCredentials(pid: 1, uid: 7, gid: 7))
        let adds = (1...100).map { Ask.line($0, "add", ["product": "coins"]) }
        for _ in 0..<4 { _ = try buyer.ask("[" + adds.joined(separator: ",") + "]") }
        return server
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

    private static let page = Ask.line(1, "transactions", ["limit": 500])

    /// Has connections ask for a page each.
    ///
    /// - Returns: How many were answered: those before which the user held no more than its share.
    private func ask(_ peers: [(peer: SteppedPeer, dam: Dam)]) throws -> Int {
        for (peer, _) in peers { try peer.send(Self.page) }
        let size = peers[0].peer.connection.output.bytes
        #expect(size > 64 * 1024)
        let answered = Self.share / size + 1
        #expect(answered < peers.count)
        #expect(peers.map { $0.dam.bytes > 0 } == peers.indices.map { $0 < answered })
        return answered
    }

    @Test func `requests of a user whose replies nobody reads wait, and those of others do not`()
        throws
    {
        let server = try makeServer()
        let hostile = try connect(40, of: 1000, to: server)
        let answered = try ask(hostile)
        let held = server.core.connections.values.map(\.output.bytes).reduce(0, +)
        #expect((Self.share..<Self.share + 200_000).contains(held))

        for uid: UInt32 in [1001, 0] {
            let other = try connect(1, of: uid, to: server)[0]
            other.dam.open()
            #expect(try other.peer.ask(Ask.line(1, "ping"))["result"] != nil)
        }

        hostile[0].dam.open()
        server.run()
        #expect(hostile.count { $0.dam.bytes > 0 } == answered + 1)
        for (_, dam) in hostile {
            dam.open()
            server.run()
        }
        for (peer, _) in hostile { #expect(try peer.messages().count == 1) }
        #expect(try hostile[0].peer.ask(Ask.line(1, "ping"))["result"] != nil)
    }

    @Test func `requests that wait run when a connection of their user has closed`() throws {
        let server = try makeServer()
        let hostile = try connect(40, of: 1000, to: server)
        let answered = try ask(hostile)
        try hostile[0].peer.channel.close().wait()
        server.run()
        #expect(hostile.count { $0.dam.bytes > 0 } == answered + 1)
    }

    @Test func `a user that holds nothing never waits, whatever others hold`() throws {
        let server = try makeServer()
        let root = try connect(60, of: 0, to: server)
        for (peer, _) in root { try peer.send(Self.page) }
        let held = server.core.connections.values.map(\.output.bytes).reduce(0, +)
        #expect(held > 4_800_000)
        let other = try connect(1, of: 1001, to: server)[0]
        other.dam.open()
        #expect(try other.peer.ask(Ask.line(1, "ping"))["result"] != nil)
    }

    @Test func `late answers of calls that only read wait until their user holds less`() throws {
        let server = try makeServer()
        let hostile = try connect(40, of: 1000, to: server)
        let answered = try ask(hostile)
        let late = try connect(2, of: 1000, to: server)
        let calls = late.map { Self.patientCall(7, $0.peer) }
        for (call, (peer, dam)) in zip(calls, late) {
            peer.connection.requests.wait(call)
            call.relay("late")
            server.run()
            #expect(call.isPostponed && dam.bytes == 0)
        }
        let adding = WaitingCall(
            connection: late[0].peer.connection, idBytes: Array("8".utf8), onlyAsks: false)
        late[0].peer.connection.requests.wait(adding)
        adding.relay("added")
        server.run()
        #expect(!adding.isPostponed && late[0].dam.bytes > 0)
        calls[1].fail(ErrorCode.cancelled.object())
        #expect(calls[1].isPostponed, "it has an answer already")

        for (_, dam) in hostile + late { dam.open() }
        for _ in hostile { server.run() }
        #expect(!calls[0].isPostponed && server.core.unread.waiting.isEmpty)
        #expect(try late[0].peer.messages().map { $0["id"] } == [8, 7])
        #expect(try late[1].peer.messages().map { $0["result"] } == ["late"])
        #expect(answered < hostile.count)
    }

    @Test func `late answers that wait are sent when the server stops`() throws {
        let server = try makeServer()
        let hostile = try connect(40, of: 1000, to: server)
        _ = try ask(hostile)
        let (peer, dam) = try connect(1, of: 1000, to: server)[0]
        for number in 1...3 {
            let call = Self.patientCall(number, peer)
            peer.connection.requests.wait(call)
            call.relay("late")
            #expect(call.isPostponed)
        }
        server.core.closeAll(reason: .shutdown, graceMs: 1000)
        server.run()
        #expect(peer.connection.requests.postponedCall == nil, "although its peer reads nothing")
        dam.open()
        server.run()
        let messages = try peer.messages()
        #expect(messages.prefix(3).map { $0["result"] } == ["late", "late", "late"])
        #expect(messages.count == 4)
    }

    private static func patientCall(_ id: Int, _ peer: SteppedPeer) -> WaitingCall {
        WaitingCall(
            connection: peer.connection, idBytes: Array("\(id)".utf8), onlyAsks: true,
            answerMayWait: true)
    }

    @Test func `a connection that waits and closes is forgotten`() throws {
        let server = try makeServer()
        let hostile = try connect(40, of: 1000, to: server)
        _ = try ask(hostile)
        #expect(server.core.unread.waiting.count > 1)
        for (peer, _) in hostile.reversed() { try peer.channel.close().wait() }
        server.run()
        #expect(server.core.unread.waiting.isEmpty)
    }

    @Test func `one batch of a user comes to its end while others that are half answered wait`()
        throws
    {
        let server = try makeServer()
        let peers = try connect(3, of: 1000, to: server).map(\.peer.connection)
        var unread = UnreadReplies()
        var counted = peers.map {
            unread.count($0, before: 0, whole: 0, begun: 1_000_000)
        }
        #expect(peers.map { unread.admits($0) } == [true, false, false])
        counted[2] = unread.count(peers[2], before: counted[2], whole: 0, begun: 0)
        #expect(peers.map { unread.admits($0) } == [true, true, true])
        counted[2] = unread.count(peers[2], before: counted[2], whole: 1_000_000, begun: 0)
        #expect(peers.map { unread.admits($0) } == [false, false, false])
        counted[2] = unread.count(peers[2], before: counted[2], whole: 0, begun: 0)
        counted[1] = unread.count(peers[1], before: counted[1], whole: 0, begun: 0)
        counted[0] = unread.count(peers[0], before: counted[0], whole: 0, begun: 0)
        #expect(counted == [0, 0, 0])
        #expect(peers.allSatisfy { unread.admits($0) })
    }

    @Test func `what waits for memory is answered when the server stops`() throws {
        let server = try makeServer()
        let hostile = try connect(40, of: 1000, to: server)
        _ = try ask(hostile)
        server.core.closeAll(reason: .shutdown, graceMs: 1000)
        for (_, dam) in hostile { dam.open() }
        server.run()
        for (peer, _) in hostile { #expect(try peer.messages().count == 2) }
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
