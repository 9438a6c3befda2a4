import PaymentCore
import StrictJSON
import Testing

@testable import PaymentServer

/// A peer that sends no more still reads: what it asked for is answered first.
@Suite struct HalfCloseTests {
    @Test func `input that ends anywhere is answered up to there, and then the peer let go`() throws
    {
        let first = Ask.line(1, "add", ["product": "coins"])
        let second = Ask.line(2, "ping")
        let bytes = Array((first + "\n" + second + "\n").utf8)
        for end in 0...bytes.count {
            let server = try SteppedServer()
            let peer = try server.connect()
            try peer.write(bytes[..<end])
            peer.endInput()
            server.run()
            let messages = try peer.messages()
            let expected: [Int64?] =
                switch end {
                case 0: []
                case ..<first.utf8.count: [-32700]
                case ...(first.utf8.count + 1): [nil]
                case ..<(first.utf8.count + 1 + second.utf8.count): [nil, -32700]
                default: [nil, nil]
                }
            #expect(messages.map(\.errorCode) == expected, "ended at \(end)")
            #expect(peer.isClosed, "ended at \(end)")
            #expect(server.core.connections.isEmpty, "ended at \(end)")
        }
    }

    @Test func `a subscription streams on after the end of input`() throws {
        let server = try SteppedServer()
        let watcher = try server.connect()
        let buyer = try server.connect()
        try watcher.write((Ask.line(1, "subscribe") + "\n").utf8)
        watcher.endInput()
        server.run()
        #expect(try watcher.messages().last?.params(of: "caughtUp") != nil)
        for number in 1...3 {
            _ = try buyer.ask(Ask.line(number, "add", ["product": "coins"]))
            #expect(try watcher.messages().contains { $0.params(of: "event") != nil })
        }
        #expect(!watcher.isClosed)
    }

    @Test func `a subscriber that sends no more is let go when its role is withdrawn`() throws {
        let server = try SteppedServer()
        let watcher = try server.connect(as: PeerCredentials(pid: 1, uid: 2000, gid: 2000))
        try watcher.write((Ask.line(1, "subscribe") + "\n").utf8)
        watcher.endInput()
        server.run()
        #expect(!watcher.isClosed)
        var access = AccessPolicy(ownUser: 1000)
        access.everybody = [.buy]
        server.core.use(Limits(), access)
        server.run()
        #expect(try watcher.messages().last?.params(of: "ended")?["reason"] == "roleWithdrawn")
        #expect(watcher.isClosed)
    }

    @Test func `a subscriber that sends no more is let go when its records were trimmed`() throws {
        let server = try SteppedServer()
        let buyer = try server.connect()
        for number in 1...4 {
            _ = try buyer.ask(Ask.line(number, "add", ["product": "coins"]))
        }
        let watcher = try server.connect()
        let wish: JSONValue = ["after": 1, "onGap": "error", "passive": true]
        try watcher.write((Ask.line(1, "subscribe", wish) + "\n").utf8)
        watcher.endInput()
        server.socketLoop.run()
        server.journal.trim(upTo: server.journal.head - 1)
        server.run()
        #expect(try watcher.messages().last?.params(of: "ended")?["reason"] == "trimmed")
        #expect(watcher.isClosed)
    }

    @Test func `a call that waits is answered after the end of input, and then the peer let go`()
        throws
    {
        let server = try SteppedServer()
        let peer = try server.connect()
        try peer.write((Ask.line(1, "events", ["after": "now", "wait": 5]) + "\n").utf8)
        peer.endInput()
        server.run()
        #expect(try peer.lines().isEmpty)
        #expect(!peer.isClosed)
        server.advance(seconds: 6)
        #expect(try peer.messages().map(\.idNumber) == [1])
        #expect(peer.isClosed)
    }

    @Test func `a waiting call that nobody is told of ends with the peer let go`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        let line = Ask.notification("events", ["after": "now", "wait": 5])
        try peer.write((line + "\n").utf8)
        peer.endInput()
        server.run()
        #expect(!peer.isClosed)
        server.advance(seconds: 6)
        #expect(try peer.lines().isEmpty)
        #expect(peer.isClosed)
    }

    @Test(arguments: ["", "\n", "\r\n \n", " "])
    func `blank lines behind many requests keep no peer`(ending: String) throws {
        for count in [1, 31, 32, 33, 64] {
            let server = try SteppedServer()
            let peer = try server.connect()
            let lines = (1...count).map { Ask.line($0, "ping") + "\n" }
            try peer.write((lines.joined() + ending).utf8)
            peer.endInput()
            server.run()
            #expect(try peer.messages().count == count)
            #expect(peer.isClosed, "\(count) requests")
        }
    }

    @Test func `an unterminated line that is too long is refused at the end of input`() throws {
        var limits = Limits()
        limits.requestLineBytes = 100
        for count in [101, 102, 5_000] {
            let server = try SteppedServer(limits: limits)
            let peer = try server.connect()
            try peer.write(Array(repeating: 0x78, count: count))
            peer.endInput()
            server.run()
            #expect(try peer.messages().map(\.errorCode) == [-32001], "\(count) bytes")
            #expect(peer.isClosed)
        }
    }

    @Test func `notifications are done before the peer is let go`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        try peer.write(Ask.notification("add", ["product": "coins"]).utf8)
        peer.endInput()
        server.run()
        #expect(try peer.lines().isEmpty)
        #expect(peer.isClosed)
        #expect(server.journal.durable.count { $0.isAddition } == 1)
    }
}
