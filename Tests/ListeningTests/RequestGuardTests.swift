import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import Listening

/// A connection with a guard, and behind it a responder that the test plays.
private struct GuardedConnection: ~Copyable {
    let channel = EmbeddedChannel()

    init(bodyLimit: Int = 10, isSecure: Bool = false, peer: String = "192.0.2.1") throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 100
        limits.maxHeaderFieldCount = 5
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false,
            withEncoderConfiguration: .init(),
            withDecoderLimitConfiguration: limits)
        try RequestGuard.install(
            on: channel, RequestRules(bodyLimit: bodyLimit, isSecure: isSecure)
        ) { ("text/plain", Array($0.sentence.utf8)) }
        let address =
            peer == "unix"
            ? try SocketAddress(unixDomainSocketPath: "/peer")
            : try SocketAddress(ipAddress: peer, port: 1)
        if peer == "unix" { channel.localAddress = address }
        try channel.connect(to: address).wait()
    }

    // The end of a channel that is open drops what is scheduled on its loop.
    deinit { if channel.isActive { _ = try? channel.finish() } }

    func send(_ text: String) throws {
        try channel.writeInbound(ByteBuffer(string: text))
    }

    /// The targets of the requests that came through since the last look.
    func passed() throws -> [String] {
        var targets: [String] = []
        while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
            if case .head(let head) = part { targets.append(head.uri) }
        }
        return targets
    }

    /// Answers the oldest open request.
    func answer(_ body: String = "fine") throws {
        let headers: HTTPHeaders = ["content-length": "\(body.utf8.count)"]
        try begin(headers)
        try end(body)
    }

    func begin(_ headers: HTTPHeaders = [:]) throws {
        channel.write(
            HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok, headers: headers)),
            promise: nil)
    }

    func end(_ body: String = "fine") throws {
        channel.write(
            HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: body))), promise: nil)
        channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
    }

    /// The bytes that were sent to the client since the last look.
    func sent() throws -> String {
        var text = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) {
            text += String(buffer: bytes)
        }
        return text
    }

    /// The status of the refusal that was sent, if it was one and the only response.
    func refusal() throws -> Int? {
        let text = try sent()
        guard text.ranges(of: "HTTP/1.1 ").count == 1, text.contains("connection: close\r\n") else {
            return nil
        }
        return Int(text.dropFirst(9).prefix(3))
    }
}

@Suite struct RequestGuardTests {
    @Test func `a refused connection that has closed is not kept in memory`() throws {
        weak var kept: EmbeddedChannel?
        let loop: EmbeddedEventLoop
        do {
            let connection = try GuardedConnection()
            kept = connection.channel
            loop = connection.channel.embeddedEventLoop
            try connection.send("GET / HTTP/1.1\r\n\r\n")
            #expect(try connection.refusal() == 400)
        }
        loop.run()
        #expect(kept == nil)
    }

    @Test(
        arguments: [
            ("GET /a?b HTTP/1.1\r\nHost: h\r\n\r\n", "/a?b"),
            ("GET /a HTTP/1.0\r\n\r\n", "/a"),
            ("GET http://h/a?b HTTP/1.1\r\nHost: H:80\r\n\r\n", "/a?b"),
            ("GET http://h?b HTTP/1.1\r\nHost: h\r\n\r\n", "/?b"),
            ("GET http://h:8 HTTP/1.1\r\nHost: h:8\r\n\r\n", "/"),
            ("GET http://h/ HTTP/1.0\r\n\r\n", "/"),
            ("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", "*"),
            ("OPTIONS http://h HTTP/1.1\r\nHost: h\r\n\r\n", "*"),
            ("OPTIONS http://h/ HTTP/1.1\r\nHost: h\r\n\r\n", "/"),
            ("PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nok", "/a"),
            ("PUT /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n", "/a"),
        ])
    func `a valid request comes through with its target as a path`(text: String, target: String)
        throws
    {
        let connection = try GuardedConnection()
        try connection.send(text)
        #expect(try connection.passed() == [target])
        #expect(try connection.sent() == "")
    }

    private static let chunked = "Transfer-Encoding: chunked\r\n"

    @Test(
        arguments: [
            ("GET / HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost:\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
            ("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: 127.0.0.1:80@evil.example\r\n\r\n", 400),
            ("GET http://a/ HTTP/1.1\r\nHost: b\r\n\r\n", 400),
            ("GET http://a:81/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET http://a/ HTTP/1.0\r\nHost: b\r\n\r\n", 400),
            ("GET http:/// HTTP/1.0\r\n\r\n", 400),
            ("GET http://a@b/ HTTP/1.1\r\nHost: b\r\n\r\n", 400),
            ("GET https://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\nHost: a\r\n\(chunked)Content-Length: 1\r\n\r\n0\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\nHost: a\r\n\(chunked)\(chunked)\r\n0\r\n\r\n", 400),
            ("PUT / HTTP/1.0\r\nHost: a\r\n\(chunked)\r\n0\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
            ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
            ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n", 413),
            ("PUT / HTTP/1.1\r\nHost: a\r\n\(chunked)\r\nzz\r\n", 400),
            ("PUT / HTTP/1.1\r\nHost: a\r\n\(chunked)\r\nb\r\nabcdefghijk\r\n", 413),
            ("BREW / HTTP/1.1\r\nHost: a\r\n\r\n", 501),
            ("get / HTTP/1.1\r\nHost: a\r\n\r\n", 501),
            ("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 501),
            ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
            ("GET / HTTP/3.7\r\nHost: a\r\n\r\n", 505),
            ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 200))\r\n\r\n", 431),
            ("GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "x: y\r\n", count: 9))\r\n", 431),
        ])
    func `a request that is not valid is refused, and its connection closed`(
        text: String, status: Int
    ) throws {
        let connection = try GuardedConnection()
        try connection.send(text)
        #expect(try connection.refusal() == status)
        // The rest of what the client sends is discarded.
        try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try connection.passed().count <= 1)
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!connection.channel.isActive)
    }

    @Test(arguments: ["unix", "127.0.0.1", "::1"])
    func `a client of this machine need not name a host`(peer: String) throws {
        let connection = try GuardedConnection(peer: peer)
        try connection.send("GET /a HTTP/1.1\r\nHost:\r\n\r\n")
        #expect(try connection.passed() == ["/a"])
        try connection.send("GET http://h/ HTTP/1.1\r\nHost:\r\n\r\n")
        #expect(try connection.passed() == [])
    }

    @Test func `the host of an absolute target takes the place of a missing header`() throws {
        let connection = try GuardedConnection()
        try connection.send("GET http://h:8/a HTTP/1.0\r\n\r\n")
        guard
            case .head(let head)? = try connection.channel.readInbound(
                as: HTTPServerRequestPart.self)
        else {
            Issue.record("no request came through")
            return
        }
        #expect(head.headers["host"] == ["h:8"])
    }

    @Test func `a refusal waits for the responses before it`() throws {
        let connection = try GuardedConnection()
        try connection.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        try connection.send("GET /3 HTTP/1.1\r\n\r\n")
        #expect(try connection.passed() == ["/1", "/2"])
        try connection.answer("one")
        let first = try connection.sent()
        #expect(first.hasSuffix("\r\n\r\none") && !first.contains("400"))
        try connection.answer("two")
        let rest = try connection.sent()
        #expect(rest.contains("\r\n\r\ntwoHTTP/1.1 400 Bad Request\r\n"))
        #expect(rest.hasSuffix("the Host header is missing"))
    }

    @Test func `a broken body is answered once, also if its handler answers too`() throws {
        let connection = try GuardedConnection()
        try connection.send("PUT / HTTP/1.1\r\nHost: a\r\n\(Self.chunked)\r\n")
        #expect(try connection.passed() == ["/"])
        try connection.send("zz\r\n")
        #expect(try connection.refusal() == 400)
        try connection.answer()
        #expect(try connection.sent() == "")
    }

    @Test func `a response that has begun ends before the connection is closed`() throws {
        let connection = try GuardedConnection()
        try connection.send("PUT / HTTP/1.1\r\nHost: a\r\n\(Self.chunked)\r\n")
        try connection.begin(["content-length": "4"])
        try connection.send("zz\r\n")
        try connection.end()
        let text = try connection.sent()
        #expect(text.hasSuffix("\r\n\r\nfine"))
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!connection.channel.isActive)
    }

    @Test func `a refused HEAD request has no body`() throws {
        let connection = try GuardedConnection()
        try connection.send("HEAD / HTTP/1.1\r\n\r\n")
        #expect(try connection.sent().hasSuffix("connection: close\r\n\r\n"))
    }

    @Test func `a request to switch protocols is the last of its connection`() throws {
        let connection = try GuardedConnection()
        try connection.send(
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n")
        guard
            case .head(let head)? = try connection.channel.readInbound(
                as: HTTPServerRequestPart.self)
        else {
            Issue.record("no request came through")
            return
        }
        #expect(head.headers["connection"] == ["close"])
    }

    @Test func `responses and refusals over TLS demand TLS in future`() throws {
        for isSecure in [true, false] {
            let connection = try GuardedConnection(isSecure: isSecure)
            try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n\r\n")
            try connection.answer()
            let words = "strict-transport-security: max-age=31536000\r\n"
            #expect(try connection.sent().ranges(of: words).count == (isSecure ? 2 : 0))
        }
    }
}
