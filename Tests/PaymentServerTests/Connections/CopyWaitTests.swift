import PaymentCore
import PaymentTesting
import StrictJSON
import Testing

@testable import PaymentServer

/// Calls at a node that follows, with positions which its copy of the log does not have.
@Suite struct CopyWaitTests {
    /// A node that follows, and a peer of it.
    private func follower(
        _ daemon: ScriptedDaemon? = nil
    ) throws -> (server: SteppedServer, peer: SteppedPeer) {
        let server = try SteppedServer(daemon: daemon)
        server.journal.isReadOnly = true
        server.journal.isFollowing = true
        return (server, try server.connect())
    }

    /// A request for what is behind a position ahead of the copy.
    private func request(_ method: String, _ server: SteppedServer, ahead: Int = 1) -> String {
        Ask.line("1", method, #"{"after":\#(Int(server.engine.durableHead) + ahead)}"#)
    }

    /// Has the copy get the next record; returns its number.
    @discardableResult
    private func follow(_ server: SteppedServer) throws -> SequenceNumber {
        let next = server.engine.durableHead + 1
        try server.engine.follow(
            Record(
                sequence: next, time: Samples.noon, origin: nil,
                event: .started(incarnation: server.engine.queue.incarnation + 1)))
        server.run()
        return next
    }

    @Test(arguments: ["subscribe", "events"])
    func `a copy that does not get there in five seconds ends the call, which may be repeated`(
        _ method: String
    ) throws {
        let (server, peer) = try follower()
        try peer.send(request(method, server))
        server.advance(seconds: 4)
        #expect(try peer.messages().isEmpty)
        server.advance(seconds: 2)
        let answer = try #require(try peer.messages().first)
        #expect(answer.errorCode == -32014)
        #expect(answer["error"]?["data"]?["effect"]?.stringValue == "none")
        #expect(server.core.connections.count == 1)
    }

    @Test(arguments: ["subscribe", "events"])
    func `a copy that gets there answers the call`(_ method: String) throws {
        let (server, peer) = try follower()
        try peer.send(request(method, server))
        server.advance(seconds: 4)
        let next = try follow(server)
        let answer = try #require(try peer.messages().first)
        #expect(answer["result"]?["head"]?.intValue == Int64(next))
        server.advance(seconds: 2)
        #expect(try peer.messages().allSatisfy { $0.errorCode == nil })
    }

    @Test(arguments: ["subscribe", "events"])
    func `a position that the whole log does not have is refused at once`(_ method: String) throws {
        let (server, peer) = try follower(ScriptedDaemon(hasAll: true))
        try peer.send(request(method, server, ahead: 1000))
        #expect(try peer.messages().map(\.errorCode) == [1302])
    }

    @Test func `an element of a batch does not wait`() throws {
        let (server, peer) = try follower()
        try peer.send("[\(request("events", server))]")
        let answer = try #require(try peer.messages().first?.arrayValue?.first)
        #expect(answer.errorCode == -32014)
    }

    @Test func `a client that leaves does not wait any more`() throws {
        let (server, peer) = try follower()
        try peer.send(request("events", server))
        peer.channel.close(promise: nil)
        server.advance(seconds: 1)
        try follow(server)
        server.advance(seconds: 6)
        #expect(server.core.connections.isEmpty)
        #expect(server.failureCount == 0)
    }
}
