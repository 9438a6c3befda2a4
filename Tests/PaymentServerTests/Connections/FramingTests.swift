import PaymentCore
import StrictJSON
import Testing

@testable import PaymentServer

/// Bytes in pieces, on loops that stand still: how a line is cut changes nothing.
@Suite struct FramingTests {
    private static let request = Ask.line(#""é1""#, "ping", #"{"payload":"ü\"\\"}"#)
    private static let reply =
        #"{"jsonrpc":"2.0","id":"é1","result":{"pong":"ü\"\\"}}"# + "\n"

    @Test func `a line cut anywhere is answered like a whole one`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        let bytes = Array((Self.request + "\r\n").utf8)
        for cut in 1..<bytes.count {
            try peer.write(bytes[..<cut])
            server.run()
            #expect(try peer.bytes().isEmpty, "cut at \(cut)")
            try peer.write(bytes[cut...])
            server.run()
            #expect(try String(decoding: peer.bytes(), as: UTF8.self) == Self.reply, "at \(cut)")
        }
    }

    @Test func `two lines cut anywhere are two lines`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        let bytes = Array((Ask.line(1, "ping") + "\n" + Ask.line(2, "ping") + "\n").utf8)
        for first in 1..<bytes.count {
            let second = (first + bytes.count) / 2
            try peer.write(bytes[..<first])
            try peer.write(bytes[first..<second])
            try peer.write(bytes[second...])
            server.run()
            #expect(try peer.messages().map(\.idNumber) == [1, 2], "cut at \(first), \(second)")
        }
    }

    @Test func `a line that comes byte by byte is answered after its last one`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        for byte in Self.request.utf8 {
            try peer.write([byte])
            server.run()
        }
        #expect(try peer.bytes().isEmpty)
        try peer.write([0x0A])
        server.run()
        #expect(try String(decoding: peer.bytes(), as: UTF8.self) == Self.reply)
    }

    @Test func `a thousand lines in one piece are answered in their order`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        let lines = (1...1000).map { Ask.line($0, "ping") + "\n" }
        try peer.write(lines.joined().utf8)
        server.run()
        #expect(try peer.messages().map(\.idNumber) == Array(1...1000))
    }

    @Test func `no more than 32 requests of a connection share a turn`() throws {
        let journal = RecordingJournalOfTurns()
        let server = try SteppedServer(journal: journal.journal)
        let peer = try server.connect()
        let adds = (1...100).map { Ask.line($0, "add", ["product": "coins"]) + "\n" }
        try peer.write(adds.joined().utf8)
        server.run()
        #expect(try peer.messages().map(\.idNumber) == Array(1...100))
        #expect(journal.additions.filter { $0 > 0 } == [32, 32, 32, 4])
    }

    @Test func `CR before LF and blank lines count for nothing`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        try peer.write("\n\r\n \t\r\n".utf8)
        try peer.write((Ask.line(1, "ping") + "\r\n\n\n" + Ask.line(2, "ping") + "\n\r\n").utf8)
        server.run()
        #expect(try peer.messages().map(\.idNumber) == [1, 2])
    }

    @Test func `a line that is too long is refused once and the next one is served`() throws {
        var limits = Limits()
        limits.requestLineBytes = 100
        let server = try SteppedServer(limits: limits)
        let peer = try server.connect()
        let long = String(repeating: "x", count: 5_000) + "\n" + Ask.line(1, "ping") + "\n"
        for size in [1, 7, 99, 100, 101, 102, 5_100] {
            let bytes = Array(long.utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                try peer.write(bytes[start..<min(start + size, bytes.count)])
                server.socketLoop.run()
                #expect(peer.connection.bufferedBytes <= 2_000 || size > 1_000, "by \(size)")
            }
            server.run()
            let messages = try peer.messages()
            #expect(messages.count == 2, "in pieces of \(size)")
            #expect(messages.first?.errorCode == -32001)
            #expect(messages.first?["id"] == .some(.null))
            #expect(messages.first?["error"]?["data"]?["limit"] == 100)
            #expect(messages.last?.idNumber == 1)
        }
    }

    @Test func `a line of exactly the limit is served, one byte more is not`() throws {
        var limits = Limits()
        limits.requestLineBytes = 200
        let server = try SteppedServer(limits: limits)
        let peer = try server.connect()
        let line = Ask.line(1, "ping")
        let padded = line + String(repeating: " ", count: 200 - line.utf8.count)
        #expect(try peer.ask(padded).idNumber == 1)
        #expect(try peer.ask(padded + "\r").idNumber == 1)
        #expect(try peer.ask(padded + " ").errorCode == -32001)
    }

    @Test(arguments: [
        "1", "0", "-1", "1.0", "1e3", "-0", "123456789012345678901234567890", "1E+2", "0.10",
        #""""#, #""a""#, #""\u00e9""#, #""é""#, #""\/""#, #""e\u0301""#, #""\ud83d\ude00""#, "null",
    ])
    func `an id comes back as the very bytes that were sent`(id: String) throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        try peer.send(Ask.line(id, "ping"))
        #expect(try peer.lines() == [#"{"jsonrpc":"2.0","id":\#(id),"result":{"pong":true}}"#])
        try peer.send(Ask.line(id, "finish", #"{"transaction":"nobody"}"#))
        let error = try #require(try peer.lines().first)
        #expect(error.hasPrefix(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":1201"#))
        try peer.send("[\(Ask.line(id, "ping"))]")
        #expect(try peer.lines() == [#"[{"jsonrpc":"2.0","id":\#(id),"result":{"pong":true}}]"#])
    }

    @Test func `a connection that sends without end holds no more than it must`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        let line = Array((Ask.line(1, "ping") + String(repeating: " ", count: 1000) + "\n").utf8)
        var stream: [UInt8] = []
        for _ in 0..<8 { stream += line }
        // Each piece ends inside of a line, so that something is always left over.
        var offset = 0
        try peer.write(stream[..<500])
        for _ in 0..<2_000 {
            var piece: [UInt8] = []
            for _ in 0..<line.count {
                piece.append(stream[(500 + offset) % line.count]); offset += 1
            }
            try peer.write(piece)
            server.run()
            _ = try peer.bytes()
        }
        #expect(peer.connection.reader.capacityBytes < 256 * 1024)
    }
}
