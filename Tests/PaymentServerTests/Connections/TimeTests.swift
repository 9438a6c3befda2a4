import PaymentCore
import StrictJSON
import Testing

@testable import PaymentServer

/// What time does to a connection, on clocks that a test moves.
@Suite struct TimeTests {
    @Test func `a line that is not finished in time ends the connection with a word`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        try peer.write("{".utf8)
        server.advance(seconds: 29)
        #expect(!peer.isClosed)
        server.advance(seconds: 2)
        let message = try #require(try peer.messages().first)
        #expect(message.errorCode == -32002)
        #expect(message["error"]?["data"]?["afterMs"] == 30_000)
        #expect(peer.isClosed)
        #expect(server.core.connections.isEmpty)
    }

    @Test func `bytes alone give an unfinished line no more time`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        for _ in 0..<29 {
            try peer.write(" ".utf8)
            server.advance(seconds: 1)
        }
        #expect(!peer.isClosed)
        server.advance(seconds: 2)
        #expect(peer.isClosed)
    }

    @Test func `a line that is too long has to end in time too`() throws {
        var limits = Limits()
        limits.requestLineBytes = 100
        let server = try SteppedServer(limits: limits)
        let peer = try server.connect()
        try peer.write(Array(repeating: 0x78, count: 500))
        server.advance(seconds: 31)
        #expect(peer.isClosed)
    }

    @Test func `every line has its own time`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        let line = Array((Ask.line(1, "ping") + "\n").utf8)
        try peer.write(line[..<5])
        for _ in 0..<100 {
            server.advance(seconds: 1)
            try peer.write(line[5...] + line[..<5])
            server.run()
        }
        #expect(!peer.isClosed)
        #expect(try peer.messages().count == 100)
    }

    @Test func `the time of a line runs from its first byte`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        let line = Array((Ask.line(1, "ping") + "\n").utf8)
        try peer.write(line[..<5])
        server.advance(seconds: 20)
        try peer.write(line[5...] + line[..<5])
        server.advance(seconds: 29)
        #expect(!peer.isClosed)
        server.advance(seconds: 2)
        #expect(peer.isClosed)
    }

    @Test func `between lines there is no hurry, nor for who subscribed or sends no more`() throws {
        let server = try SteppedServer()
        let idle = try server.connect()
        _ = try idle.ask(Ask.line(1, "ping"))
        let subscribed = try server.connect()
        try subscribed.send(Ask.line(1, "subscribe"))
        try subscribed.write("{".utf8)
        let waiting = try server.connect()
        try waiting.write((Ask.line(1, "events", ["after": "now", "wait": 60]) + "\n").utf8)
        waiting.endInput()
        server.run()
        server.advance(seconds: 50)
        #expect(!idle.isClosed)
        #expect(!subscribed.isClosed)
        #expect(!waiting.isClosed)
    }

    @Test func `who is not read from cannot be late`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        peer.channel.isWritable = false
        try peer.write((Ask.line(1, "ping") + "\n" + Ask.line(2, "ping") + "\n").utf8)
        server.advance(seconds: 45)
        #expect(!peer.isClosed)
        peer.channel.isWritable = true
        peer.channel.pipeline.fireChannelWritabilityChanged()
        server.run()
        #expect(try peer.messages().map(\.idNumber) == [1, 2])
    }

    @Test func `a line that has come is served, however late its slice is`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        let line = Array((Ask.line(1, "ping") + "\n").utf8)
        try peer.write(line[..<5])
        server.advance(seconds: 29)
        server.delay(by: 2) { try peer.write(line[5...]) }
        #expect(try peer.messages().map(\.idNumber) == [1])
        #expect(!peer.isClosed)
    }

    @Test func `a line that is incomplete at its late slice ends the connection`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        try peer.write("{".utf8)
        server.advance(seconds: 29)
        server.delay(by: 2) { try peer.write(" ".utf8) }
        #expect(try peer.messages().map(\.errorCode) == [-32002])
        #expect(peer.isClosed)
    }

    @Test func `heartbeats come in their time and say how far the log was scanned`() throws {
        let server = try SteppedServer()
        let watcher = try server.connect()
        let buyer = try server.connect()
        try watcher.send(
            Ask.line(1, "subscribe", ["heartbeat": 2, "kinds": ["storefrontChanged"]]))
        _ = try watcher.bytes()
        server.advance(seconds: 1)
        #expect(try watcher.bytes().isEmpty)
        _ = try buyer.ask(Ask.line(1, "add", ["product": "coins"]))
        server.advance(seconds: 2)
        let beat = try #require(try watcher.messages().first?.params(of: "heartbeat"))
        #expect(beat["seq"]?.intValue == Int64(server.journal.head))
        server.advance(seconds: 4)
        #expect(try watcher.messages().count { $0.params(of: "heartbeat") != nil } == 2)
    }
}
