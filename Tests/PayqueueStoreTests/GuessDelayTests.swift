import AsyncHTTPClient
import NIOCore
import PaymentCore
import PaymentTesting
import StoreMessages
import StoreTesting
import Testing

@testable import payqueue_store

@Suite struct GuessDelayTests {
    private static let now = Timestamp(milliseconds: 1_795_244_400_000)

    /// A table that notes its pauses instead of waiting.
    private static func table() -> (GuessDelay, Shared<[Duration]>) {
        let pauses = Shared<[Duration]>([])
        return (GuessDelay { pause in pauses.withLock { $0.append(pause) } }, pauses)
    }

    @Test func `each wrong guess is answered later than the one before, up to a limit`() async {
        let (table, pauses) = Self.table()
        for _ in 0..<12 { await table.pauseAfterWrong("a", now: Self.now) }
        let found = pauses.withLock { $0 }
        #expect(found.prefix(3) == [.milliseconds(50), .milliseconds(100), .milliseconds(200)])
        #expect(found == found.sorted())
        #expect(found.suffix(6).allSatisfy { $0 == GuessDelay.longestPause })
    }

    @Test func `guesses for an account count wherever they come from`() async {
        let (table, pauses) = Self.table()
        for number in 0..<4 {
            await table.pauseAfterWrong("address-\(number)", account: "demo", now: Self.now)
        }
        #expect(pauses.withLock { $0.last } == .milliseconds(400))
        await table.pauseAfterWrong("address-9", account: "other", now: Self.now)
        #expect(pauses.withLock { $0.last } == .milliseconds(50))
    }

    @Test func `a guess no longer counts after some seconds, however many there were`() async {
        let (table, _) = Self.table()
        for _ in 0..<1000 { await table.pauseAfterWrong("a", now: Self.now) }
        #expect(table.level(of: .address("a"), now: Self.now) == 20)
        let later = Self.now.advanced(bySeconds: 6)
        #expect(table.level(of: .address("a"), now: later) == 19)
        #expect(table.level(of: .address("a"), now: Self.now.advanced(bySeconds: 120)) == 0)
    }

    @Test func `the table is limited, and keeps those that guess most`() async {
        let (table, _) = Self.table()
        for _ in 0..<5 { await table.pauseAfterWrong("worst", now: Self.now) }
        for number in 0..<3 * GuessDelay.sourceLimit {
            await table.pauseAfterWrong("\(number)", now: Self.now)
        }
        #expect(table.count <= GuessDelay.sourceLimit)
        #expect(table.level(of: .address("worst"), now: Self.now) == 5)
    }

    @Test func `parallel guesses of an address wait for one another, those of others do not`()
        async throws
    {
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let pausing = Shared(0)
        let table = GuessDelay { _ in
            pausing.withLock { $0 += 1 }
            for await _ in gate { break }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<GuessDelay.pausesPerAddress {
                group.addTask { await table.pauseAfterWrong("a", now: Self.now) }
            }
            while pausing.withLock({ $0 }) < GuessDelay.pausesPerAddress { await Task.yield() }
            try await table.waitForTurn("b")
            let passed = Shared(false)
            group.addTask {
                try await table.waitForTurn("a")
                passed.withLock { $0 = true }
            }
            for _ in 0..<100 { await Task.yield() }
            #expect(!passed.withLock { $0 })
            opener.finish()
            try await group.waitForAll()
            #expect(passed.withLock { $0 })
        }
    }

    @Test(
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("::ffff:192.0.2.3", "192.0.2.3"),
            ("2001:db8:1:2:3::4", "20-1-d-b8-0-1-0-2"), ("2001:db8:1:2::", "20-1-d-b8-0-1-0-2"),
        ])
    func `an address of IPv6 counts with its network`(text: String, key: String) {
        #expect(GuessDelay.key(ofAddress: text) == key)
    }

    @Test func `wrong credentials wait, and the right one is answered at once`() async throws {
        let (table, pauses) = Self.table()
        let served = try await ServedShop(try StoreSamples.sandbox(), guesses: table)
        func logIn(_ credential: String) async throws -> Int {
            var request = HTTPClientRequest(
                url: "http://127.0.0.1:\(served.port)/store-api/v1/sessions")
            request.method = .POST
            request.body = .bytes(
                ByteBuffer(string: #"{"account":"carol","credential":"\#(credential)"}"#))
            let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
            _ = try await answer.body.collect(upTo: 1 << 20)
            return Int(answer.status.code)
        }
        for _ in 0..<20 { #expect(try await logIn("wrong") == 401) }
        #expect(pauses.withLock { $0.count } == 20)
        #expect(pauses.withLock { $0.last } == GuessDelay.longestPause)
        #expect(try await logIn("open-sesame") == 201)
        #expect(pauses.withLock { $0.count } == 20)
        try await served.stop()
    }

    @Test func `so do wrong passwords of the operator's pages`() async throws {
        let (table, pauses) = Self.table()
        let served = try await ServedShop(
            try StoreSamples.sandbox(), guesses: table, password: "right-password")
        func visit(_ password: String?) async throws -> Int {
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(served.port)/")
            if let password { request.setBasicAuth(username: "operator", password: password) }
            let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
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
}
