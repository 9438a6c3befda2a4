import AsyncHTTPClient
import NIOCore
import PaymentCore
import PaymentTesting
import StoreMessages
import StoreTesting
import Testing

@testable import payqueue_store

@Suite struct GuessDelayTests {
    /// Permits more connections to one host than the shared client.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 100
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    private static let now = Timestamp(milliseconds: 1_795_244_400_000)

    /// A table that notes its pauses instead of waiting.
    private static func table(
        decayMs: Int64 = 6_000
    ) -> (GuessDelay, Shared<[Duration]>) {
        let pauses = Shared<[Duration]>([])
        let table = GuessDelay(decayMs: decayMs) { pause in pauses.withLock { $0.append(pause) } }
        return (table, pauses)
    }

    /// A table whose pauses end when the stream does.
    private static func stopped() -> (GuessDelay, AsyncStream<Void>.Continuation) {
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let table = GuessDelay { _ in for await _ in gate { break } }
        return (table, opener)
    }

    @Test func `each wrong guess is answered later than the one before, up to a limit`()
        async throws
    {
        let (table, pauses) = Self.table()
        for _ in 0..<12 { try await table.pauseAfterWrong([.address("a")], now: Self.now) }
        let found = pauses.withLock { $0 }
        #expect(found.prefix(3) == [.milliseconds(50), .milliseconds(100), .milliseconds(200)])
        #expect(found == found.sorted())
        #expect(found.suffix(6).allSatisfy { $0 == GuessDelay.longestPause })
    }

    @Test func `guesses for an account count wherever they come from`() async throws {
        let (table, pauses) = Self.table()
        for number in 0..<4 {
            try await table.pauseAfterWrong(
                [.address("\(number)"), .account("demo")], now: Self.now)
        }
        #expect(pauses.withLock { $0.last } == .milliseconds(400))
        try await table.pauseAfterWrong([.address("9"), .account("other")], now: Self.now)
        #expect(pauses.withLock { $0.last } == .milliseconds(50))
        try await table.pauseAfterWrong([], now: Self.now)
        #expect(pauses.withLock { $0.last } == .milliseconds(50))
    }

    @Test func `a guess no longer counts after some seconds, however many there were`()
        async throws
    {
        let (table, _) = Self.table()
        for _ in 0..<1000 { try await table.pauseAfterWrong([.address("a")], now: Self.now) }
        #expect(table.level(of: .address("a"), now: Self.now) == 20)
        let later = Self.now.advanced(bySeconds: 6)
        #expect(table.level(of: .address("a"), now: later) == 19)
        #expect(table.level(of: .address("a"), now: Self.now.advanced(bySeconds: 120)) == 0)
    }

    @Test func `the table is limited, and keeps those that guess most`() async throws {
        let (table, _) = Self.table()
        for _ in 0..<5 { try await table.pauseAfterWrong([.address("worst")], now: Self.now) }
        for number in 0..<3 * GuessDelay.sourceLimit {
            try await table.pauseAfterWrong([.address("\(number)")], now: Self.now)
        }
        #expect(table.count <= GuessDelay.sourceLimit)
        #expect(table.level(of: .address("worst"), now: Self.now) == 5)
    }

    @Test func `few wrong answers of a source wait, and further ones are refused at once`()
        async throws
    {
        let (table, opener) = Self.stopped()
        await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<GuessDelay.waitsPerSource {
                group.addTask { try await table.pauseAfterWrong([.address("a")], now: Self.now) }
            }
            while table.waiting < GuessDelay.waitsPerSource { await Task.yield() }
            await #expect(throws: FailureMessage.self) {
                try await table.pauseAfterWrong([.address("a")], now: Self.now)
            }
            group.addTask { try await table.pauseAfterWrong([.address("b")], now: Self.now) }
            while table.waiting <= GuessDelay.waitsPerSource { await Task.yield() }
            opener.finish()
        }
        #expect(table.waiting == 0)
        await #expect(throws: Never.self) {
            try await table.pauseAfterWrong([.address("a")], now: Self.now)
        }
    }

    @Test func `the wrong answers that wait are limited over all sources`() async throws {
        let (table, opener) = Self.stopped()
        await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<GuessDelay.waitLimit {
                group.addTask {
                    try await table.pauseAfterWrong([.address("\(number)")], now: Self.now)
                }
            }
            while table.waiting < GuessDelay.waitLimit { await Task.yield() }
            for sources in [[GuessDelay.Source.address("new")], []] {
                await #expect(throws: FailureMessage.self) {
                    try await table.pauseAfterWrong(sources, now: Self.now)
                }
            }
            opener.finish()
        }
        #expect(table.waiting == 0)
    }

    @Test(
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("::ffff:192.0.2.3", "192.0.2.3"),
            ("2001:db8:1:2:3::4", "20-1-d-b8-0-1-0-2"), ("2001:db8:1:2::", "20-1-d-b8-0-1-0-2"),
        ])
    func `an address of IPv6 counts with its network`(text: String, key: String) throws {
        let peer = try SocketAddress(ipAddress: text, port: 1)
        #expect(GuessDelay.source(of: peer) == .address(key))
    }

    @Test func `the clients of a Unix socket do not count as one`() throws {
        #expect(GuessDelay.source(of: try SocketAddress(unixDomainSocketPath: "")) == nil)
        #expect(GuessDelay.source(of: nil) == nil)
    }

    /// The status of a login, and its `Retry-After`.
    private static func logIn(
        _ credential: String, at port: Int
    ) async throws -> (status: Int, retryAfter: String?) {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/store-api/v1/sessions")
        request.method = .POST
        request.body = .bytes(
            ByteBuffer(string: #"{"account":"carol","credential":"\#(credential)"}"#))
        let answer = try await Self.client.execute(request, timeout: .seconds(60))
        _ = try await answer.body.collect(upTo: 1 << 20)
        return (Int(answer.status.code), answer.headers.first(name: "retry-after"))
    }

    @Test func `a right credential is answered while as many wrong ones wait as may`() async throws
    {
        let (table, opener) = Self.stopped()
        let served = try await ServedShop(try StoreSamples.sandbox(), guesses: table)
        let port = served.port
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<GuessDelay.waitsPerSource {
                group.addTask { try await Self.logIn("wrong", at: port).status }
            }
            while table.waiting < GuessDelay.waitsPerSource { await Task.yield() }
            let refused = try await Self.logIn("wrong", at: port)
            #expect(refused.status == 429 && refused.retryAfter != nil)
            for _ in 0..<3 { #expect(try await Self.logIn("open-sesame", at: port).status == 201) }
            #expect(table.waiting == GuessDelay.waitsPerSource)
            opener.finish()
            for try await status in group { #expect(status == 401) }
        }
        try await served.stop()
    }

    @Test func `wrong credentials wait, and the right one is answered at once`() async throws {
        // On a busy machine seconds may pass between two guesses.
        let (table, pauses) = Self.table(decayMs: .max)
        let served = try await ServedShop(try StoreSamples.sandbox(), guesses: table)
        func logIn(_ credential: String) async throws -> Int {
            try await Self.logIn(credential, at: served.port).status
        }
        for _ in 0..<20 { #expect(try await logIn("wrong") == 401) }
        #expect(pauses.withLock { $0.count } == 20)
        #expect(pauses.withLock { $0.last } == GuessDelay.longestPause)
        #expect(try await logIn("open-sesame") == 201)
        #expect(pauses.withLock { $0.count } == 20)
        try await served.stop()
    }

    @Test func `so do wrong passwords of the operator's pages`() async throws {
        // On a busy machine seconds may pass between two guesses.
        let (table, pauses) = Self.table(decayMs: .max)
        let served = try await ServedShop(
            try StoreSamples.sandbox(), guesses: table, password: "right-password")
        func visit(_ password: String?) async throws -> Int {
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(served.port)/")
            if let password { request.setBasicAuth(username: "operator", password: password) }
            let answer = try await Self.client.execute(request, timeout: .seconds(60))
            _ = try await answer.body.collect(upTo: 1 << 20)
            return Int(answer.status.code)
        }
        #expect(try await visit(nil) == 401)
        #expect(pauses.withLock { $0.isEmpty })
        for _ in 0..<12 { #expect(try await visit("wrong") == 401) }
        #expect(pauses.withLock { $0.last } == GuessDelay.longestPause)
        #expect(try await visit("right-password") == 200)
        #expect(pauses.withLock { $0.count } == 12)
        try await served.stop()
    }
    @Test func `a page refuses a wrong password, and not a right one, while many wrong ones wait`()
        async throws
    {
        let (table, opener) = Self.stopped()
        let served = try await ServedShop(
            try StoreSamples.sandbox(), guesses: table, password: "right-password")
        let port = served.port
        @Sendable func visit(_ password: String) async throws -> HTTPClientResponse {
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/")
            request.setBasicAuth(username: "operator", password: password)
            let answer = try await Self.client.execute(request, timeout: .seconds(60))
            _ = try await answer.body.collect(upTo: 1 << 20)
            return answer
        }
        try await withThrowingTaskGroup(of: UInt.self) { group in
            for _ in 0..<GuessDelay.waitsPerSource {
                group.addTask { try await visit("wrong").status.code }
            }
            while table.waiting < GuessDelay.waitsPerSource { await Task.yield() }
            let refused = try await visit("wrong")
            #expect(refused.status.code == 429 && refused.headers.contains(name: "retry-after"))
            #expect(try await visit("right-password").status.code == 200)
            opener.finish()
            for try await status in group { #expect(status == 401) }
        }
        try await served.stop()
    }
}
