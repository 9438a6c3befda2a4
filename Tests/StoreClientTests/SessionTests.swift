import NIOPosix
import PaymentCore
import PaymentTesting
import StoreTesting
import StrictJSON
import Testing

@testable import StoreClient
@testable import StoreMessages
@testable import payqueue_store

/// Sessions of a client at the store server: ended by either side, replaced, and kept over restarts.
@Suite struct SessionTests {
    private static let credential: OpaqueText = "open-sesame"
    /// What a store answers that opens a session for "demo".
    private static let grant = String(
        decoding: SessionGrant(
            account: "demo", country: Samples.germany, accessToken: "access-token-of-demo",
            expiresAt: Timestamp(milliseconds: 4_000_000_000_000),
            refreshToken: "refresh-token-of-demo"
        ).bytes, as: UTF8.self)

    @Test func `a session that the store ended is not opened again without its credential`()
        async throws
    {
        let served = try await ServedShop(try StoreSamples.sandbox())
        let memory = MemoryOfStore()
        var store = try served.client(memory: memory)
        _ = try await store.logIn(account: "carol", credential: Self.credential)
        try await Self.revoke(try await store.sessions.accessToken(of: "carol"), at: served)
        for _ in 1...20 {
            #expect(
                await failure { () async throws(StoreFailure) in
                    try await store.country(of: "carol")
                } == .sessionRevoked)
        }
        // Another process knows it, too.
        await store.close()
        store = try served.client(memory: memory)
        for _ in 1...20 {
            #expect(
                await failure { () async throws(StoreFailure) in
                    try await store.country(of: "carol")
                } == .sessionRevoked)
        }
        #expect(served.shop.guesses.count == 0)
        _ = try await store.logIn(account: "carol", credential: Self.credential)
        #expect(try await store.country(of: "carol") == CountryCode("GB"))
        await store.close()
        try await served.stop()
    }

    @Test func `the feed tells of the end of a session that it cannot go on without, and ends`()
        async throws
    {
        let served = try await ServedShop(try StoreSamples.sandbox())
        let store = try served.client()
        let (changes, told) = AsyncStream.makeStream(of: StoreChange.self)
        store.listen { told.yield($0) }
        _ = try await store.logIn(account: "carol", credential: Self.credential)
        var iterator = changes.makeAsyncIterator()
        while await iterator.next() != .account(nil) {}
        try await Self.revoke(try await store.sessions.accessToken(of: "carol"), at: served)
        served.shop.feed.wake("carol")
        while await iterator.next() != .account("carol") {}
        await store.feed.task?.value
        #expect(
            await failure { () async throws(StoreFailure) in
                try await store.country(of: "carol")
            } == .sessionRevoked)
        // It is there again with the next login.
        _ = try await store.logIn(account: "carol", credential: Self.credential)
        while await iterator.next() != .account(nil) {}
        await store.close()
        try await served.stop()
    }

    @Test func `whoever asks while somebody logs in is served by the new session`() async throws {
        let client = Shared<HTTPStore?>(nil)
        let opened = Shared(0)
        let server = try await StubServer { visit in
            if visit.path.hasSuffix("/sessions/refresh") {
                _ = try? await client.withLock { $0 }?.logIn(
                    account: "demo", credential: Self.credential)
                return .answer(401, #"{"error":{"kind":"sessionRevoked","message":"no"}}"#)
            }
            if visit.path.hasSuffix("/account") {
                return .answer(200, #"{"account":"demo","country":"DE","paymentsAllowed":true}"#)
            }
            guard visit.path.hasSuffix("/sessions") else { return .answer(404, "") }
            let count = opened.withLock { count in
                count += 1
                return count
            }
            return .answer(201, Self.grant.replacing("token-of", with: "token-\(count)-of"))
        }
        let address = try #require(StoreAddress("http://127.0.0.1:\(server.port)"))
        let store = try HTTPStore(
            options: HTTPStoreOptions(address: address), memory: MemoryOfStore(),
            group: MultiThreadedEventLoopGroup.singleton)
        client.withLock { $0 = store }
        _ = try await store.logIn(account: "demo", credential: Self.credential)
        store.sessions.forget(accessToken: "access-token-1-of-demo", of: "demo")
        #expect(try await store.country(of: "demo") == Samples.germany)
        client.withLock { $0 = nil }
        await store.close()
        await server.stop()
    }

    @Test func `a configured credential opens it again, and a wrong one is tried once`()
        async throws
    {
        let served = try await ServedShop(try StoreSamples.sandbox())
        let good = try served.client { $0.credential = { _ in Self.credential } }
        _ = try await good.logIn(account: "carol", credential: nil)
        try await Self.revoke(try await good.sessions.accessToken(of: "carol"), at: served)
        #expect(try await good.country(of: "carol") == CountryCode("GB"))
        await good.close()
        let wrong = try served.client { $0.credential = { _ in "wrong" } }
        for _ in 1...20 {
            #expect(
                await failure { () async throws(StoreFailure) in
                    try await wrong.country(of: "carol")
                } == .sessionRevoked)
        }
        #expect(served.shop.guesses.level(of: .account("carol"), now: .now) <= 1)
        await wrong.close()
        try await served.stop()
    }

    @Test func `an account that needs no credential gets another session by itself`() async throws {
        let served = try await ServedShop(try StoreSamples.sandbox())
        let store = try served.client()
        _ = try await store.logIn(account: "demo", credential: nil)
        try await Self.revoke(try await store.sessions.accessToken(of: "demo"), at: served)
        #expect(try await store.country(of: "demo") == CountryCode("DE"))
        await store.close()
        try await served.stop()
    }

    @Test func `logging in again and again leaves one session, and those of others`() async throws {
        let served = try await ServedShop(try StoreSamples.sandbox())
        let other = try served.client()
        _ = try await other.logIn(account: "carol", credential: Self.credential)
        let store = try served.client()
        for _ in 1...SessionTokenStore.sessionsPerAccount {
            _ = try await store.logIn(account: "carol", credential: Self.credential)
        }
        try await Self.reach(2, of: "carol", at: served)
        // Without a credential the session that is there is as good as another one.
        let session = try await store.logIn(account: "carol", credential: nil)
        #expect(session.country == CountryCode("GB"))
        try await Self.reach(2, of: "carol", at: served)
        #expect(try await other.country(of: "carol") == CountryCode("GB"))
        #expect(try await store.country(of: "carol") == CountryCode("GB"))
        await other.close()
        await store.close()
        try await served.stop()
    }

    @Test(arguments: ["carol", "demo"] as [AccountName])
    func `logging out forgets the session at once and ends it at the store`(
        account: AccountName
    ) async throws {
        let served = try await ServedShop(try StoreSamples.sandbox())
        let memory = MemoryOfStore()
        let store = try served.client(memory: memory)
        let proof = account == "carol" ? Self.credential : nil
        _ = try await store.logIn(account: account, credential: proof)
        store.logOut(account: account)
        let kept = try MessageFields(parsing: memory.read(.sessions) ?? [])
        #expect(try kept.objects("sessions").isEmpty)
        #expect(try kept.optional("current") { $0 } == nil)
        try await Self.reach(0, of: account, at: served)
        // What is still under way opens no session of its own.
        #expect(
            await failure { () async throws(StoreFailure) in try await store.country(of: account) }
                == .sessionRevoked)
        #expect(served.shop.tokens.counts[account] == nil)
        // Nor does another process listen to an account that nobody is logged in as.
        let next = try served.client(memory: memory)
        next.start()
        #expect(next.feed.task == nil)
        _ = try await store.logIn(account: account, credential: proof)
        #expect(try await store.country(of: account) != nil)
        await next.close()
        await store.close()
        try await served.stop()
    }

    @Test func `a login that continues a session keeps its feed, and a new session opens another`()
        async throws
    {
        let served = try await ServedShop(try StoreSamples.sandbox())
        let store = try served.client()
        _ = try await store.logIn(account: "carol", credential: Self.credential)
        let feed = try #require(store.feed.task)
        _ = try await store.logIn(account: "carol", credential: nil)
        #expect(store.feed.task == feed)
        _ = try await store.logIn(account: "carol", credential: Self.credential)
        #expect(store.feed.task != feed && feed.isCancelled)
        await store.close()
        try await served.stop()
    }

    @Test func `the end of a feed spares an account that has logged in again`() async throws {
        let served = try await ServedShop(try StoreSamples.sandbox())
        let store = try served.client()
        _ = try await store.logIn(account: "carol", credential: Self.credential)
        // The second step of a logout, behind a login that came after the first step.
        store.feed.end("carol")
        #expect(store.feed.task?.isCancelled == false)
        store.sessions.logOut("carol")
        store.feed.end("carol")
        #expect(store.feed.task == nil)
        await store.close()
        try await served.stop()
    }

    @Test func `logins at one moment leave one session`() async throws {
        let served = try await ServedShop(try StoreSamples.sandbox())
        let store = try served.client()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...8 {
                group.addTask {
                    _ = try await store.logIn(account: "carol", credential: Self.credential)
                }
            }
            try await group.waitForAll()
        }
        try await Self.reach(1, of: "carol", at: served)
        #expect(try await store.country(of: "carol") == CountryCode("GB"))
        await store.close()
        try await served.stop()
    }

    @Test func `a logout outruns a session that is being opened again`() async throws {
        let client = Shared<HTTPStore?>(nil)
        let refusal = #"{"error":{"kind":"sessionRevoked","message":"no"}}"#
        let opened = Shared(0)
        let server = try await StubServer { visit in
            guard visit.path.hasSuffix("/sessions") else { return .answer(401, refusal) }
            let count = opened.withLock { count in
                count += 1
                return count
            }
            if count == 2 { client.withLock { $0 }?.logOut(account: "demo") }
            return .answer(201, Self.grant)
        }
        let address = try #require(StoreAddress("http://127.0.0.1:\(server.port)"))
        let memory = MemoryOfStore()
        let store = try HTTPStore(
            options: HTTPStoreOptions(address: address), memory: memory,
            group: MultiThreadedEventLoopGroup.singleton)
        client.withLock { $0 = store }
        _ = try await store.logIn(account: "demo", credential: nil)
        store.sessions.forget(accessToken: "access-token-of-demo", of: "demo")
        let found = await failure { () async throws(StoreFailure) in
            try await store.country(of: "demo")
        }
        #expect(found == .sessionRevoked)
        let kept = try MessageFields(parsing: memory.read(.sessions) ?? [])
        #expect(try kept.objects("sessions").isEmpty)
        while !server.visits.contains(where: { $0.path.hasSuffix("/sessions/current") }) {
            try await Task.sleep(for: .milliseconds(5))
        }
        client.withLock { $0 = nil }
        await store.close()
        await server.stop()
    }

    @Test("An order is sent only while it may be, also when an earlier attempt was lost")
    func orderOfFormerOwner() async throws {
        let mayOrder = Shared(true)
        // The first attempt is lost, and so is the right to order.
        let server = try await StubServer { visit in
            guard visit.path.contains("/orders/") else {
                return visit.path.contains("/sessions")
                    ? .answer(201, Self.grant) : .answer(404, "")
            }
            guard visit.method == "PUT" else {
                return .answer(404, #"{"error":{"kind":"notFound","message":"no"}}"#)
            }
            mayOrder.withLock { $0 = false }
            return .hangUp
        }
        var options = HTTPStoreOptions(
            address: try #require(StoreAddress("http://127.0.0.1:\(server.port)")))
        options.orderRight = { mayOrder.withLock { $0 } ? .sole : .lost }
        let store = try HTTPStore(
            options: options, memory: MemoryOfStore(), group: MultiThreadedEventLoopGroup.singleton)
        _ = try await store.logIn(account: "demo", credential: Self.credential)
        let order = try StoreSamples.request(1, account: "demo")
        for _ in 1...2 {
            await #expect(throws: StoreFailure.self) { try await store.submit(order) }
        }
        #expect(server.visits.count { $0.method == "PUT" } == 1)
        await store.close()
        await server.stop()
    }

    @Test func `the end of a session is asked for again until the store has heard of it`()
        async throws
    {
        let ends = Shared(0)
        let server = try await StubServer { visit in
            guard visit.path.hasSuffix("/sessions/current") else {
                return visit.path.contains("/sessions")
                    ? .answer(201, Self.grant) : .answer(404, "")
            }
            let count = ends.withLock { count in
                count += 1
                return count
            }
            switch count {
            case 1: return .hangUp
            case 2: return .answer(503, "")
            // The access token has ended meanwhile: another is asked for.
            case 3:
                return .answer(401, #"{"error":{"kind":"sessionExpired","message":"no"}}"#)
            default: return .answer(204, "")
            }
        }
        let address = try #require(StoreAddress("http://127.0.0.1:\(server.port)"))
        let store = try HTTPStore(
            options: HTTPStoreOptions(address: address), memory: MemoryOfStore(),
            group: MultiThreadedEventLoopGroup.singleton)
        _ = try await store.logIn(account: "demo", credential: nil)
        store.logOut(account: "demo")
        while ends.withLock({ $0 }) < 4 { try await Task.sleep(for: .milliseconds(5)) }
        let asked = server.visits.filter { $0.path.hasSuffix("/sessions/refresh") }
        #expect(asked.count == 1)
        // It has been heard: there is nothing left to ask for.
        try await Task.sleep(for: .seconds(1))
        #expect(ends.withLock { $0 } == 4)
        await store.close()
        await server.stop()
    }

    @Test func `a store that is away holds no logout up`() async throws {
        let served = try await ServedShop(try StoreSamples.sandbox())
        let memory = MemoryOfStore()
        let store = try served.client(memory: memory)
        _ = try await store.logIn(account: "carol", credential: Self.credential)
        try await served.stop()
        store.logOut(account: "carol")
        let kept = try MessageFields(parsing: memory.read(.sessions) ?? [])
        #expect(try kept.objects("sessions").isEmpty)
        await store.close()
    }

    private static func revoke(_ token: String, at served: ServedShop) async throws {
        let tokens = served.shop.tokens
        try await tokens.revoke(try tokens.session(ofAccess: token, now: .now))
    }

    /// Waits until the store has so many sessions of an account.
    private static func reach(
        _ count: Int, of account: AccountName, at served: ServedShop
    ) async throws {
        // A minute where the request gets lost on a busy machine and is sent again.
        for _ in 1...12_000 where served.shop.tokens.counts[account] ?? 0 != count {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(served.shop.tokens.counts[account] ?? 0 == count)
    }
}
