import NIOPosix
import PaymentCore
import PaymentTesting
import StoreClient
import StoreMessages
import StoreTesting
import Testing

/// What the statuses of a store server come to, with and without a word of the API.
@Suite struct StatusTests {
    private static func body(_ kind: String) -> String {
        #"{"error":{"kind":"\#(kind)","message":"no"}}"#
    }

    private static let grant = String(
        decoding: SessionGrant(
            account: "demo", country: Samples.germany, accessToken: "access-token-of-demo",
            expiresAt: Timestamp(milliseconds: 4_000_000_000_000),
            refreshToken: "refresh-token-of-demo"
        ).bytes, as: UTF8.self)

    /// A server that opens sessions and answers everything else as it is told.
    private static func server(
        _ deed: @escaping @Sendable () -> StubServer.Deed
    ) async throws -> StubServer {
        try await StubServer { visit in
            visit.path.hasSuffix("/sessions") ? .answer(201, grant) : deed()
        }
    }

    private static func client(of server: StubServer) throws -> HTTPStore {
        let address = try #require(StoreAddress("http://127.0.0.1:\(server.port)"))
        var options = HTTPStoreOptions(address: address)
        options.retries = 0
        options.failuresUntilDown = 1_000_000
        return try HTTPStore(
            options: options, memory: MemoryOfStore(), group: MultiThreadedEventLoopGroup.singleton)
    }

    @Test(
        arguments: [
            (500, "<h1>oops</h1>", .serviceUnavailable), (502, "", .serviceUnavailable),
            (503, body("serviceUnavailable"), .serviceUnavailable),
            (503, body("connectionError"), .connectionError),
            (500, body("internalError"), .serviceUnavailable),
            (500, body("storageFailed"), .serviceUnavailable),
            (599, body("somethingNew"), .serviceUnavailable),
            (404, "<h1>Not Found</h1>", .appNotRegistered), (404, "", .appNotRegistered),
            (404, body("somethingNew"), .appNotRegistered),
            (400, body("badRequest"), .internalError), (409, body("conflict"), .internalError),
            (422, body("somethingNew"), .internalError), (413, "", .internalError),
            (403, body("appNotRegistered"), .appNotRegistered),
            (429, body("tooManyRequests"), .serviceUnavailable),
            (200, "<h1>Welcome</h1>", .connectionError),
        ] as [(Int, String, StoreFailure.Kind)])
    func `a status says who has failed`(
        status: Int, body: String, kind: StoreFailure.Kind
    ) async throws {
        let server = try await Self.server { .answer(status, body) }
        let store = try Self.client(of: server)
        let found = await failure { () async throws(StoreFailure) in
            try await store.facts(of: "demo")
        }
        #expect(found == kind)
        await store.close()
        await server.stop()
    }

    @Test(
        arguments: [
            (400, body("badRequest"), true), (413, body("tooLarge"), true),
            (422, body("somethingNew"), true), (405, body("methodNotAllowed"), true),
            // What may be mended, what nobody understands, and what the store did not say itself.
            (403, body("appNotRegistered"), false), (409, body("conflict"), false),
            (429, body("tooManyRequests"), false), (400, "<h1>Bad Request</h1>", false),
            (404, "", false), (503, "", false),
        ])
    func `an order that the store refuses for good has failed, any other waits`(
        status: Int, body: String, isFinal: Bool
    ) async throws {
        let server = try await StubServer { visit in
            visit.path.hasSuffix("/sessions")
                ? .answer(201, Self.grant)
                : visit.method == "GET"
                    ? .answer(404, Self.body("notFound")) : .answer(status, body)
        }
        let store = try Self.client(of: server)
        let outcome = try? await store.submit(try StoreSamples.request(1))
        #expect(outcome == (isFinal ? .failed(.paymentInvalid, order: nil) : nil))
        await store.close()
        await server.stop()
    }

    @Test func `a conflict has a word of its own, and the earlier word means the same`() {
        let message = FailureMessage(StoreFailure(.internalError, "taken"))
        #expect(message.kind == .conflict && message.status == 409)
        let earlier = FailureMessage(parsing: Array(Self.body("internalError").utf8), status: 409)
        #expect(earlier?.kind == .conflict)
        #expect(earlier?.failure.kind == .internalError)
    }

    @Test func `an order that the store knows has not failed, however it is refused now`()
        async throws
    {
        let known = #"{"outcome":"deferred","order":"00000000-0000-4009-8000-000000000001"}"#
        let server = try await StubServer { visit in
            visit.path.hasSuffix("/sessions")
                ? .answer(201, Self.grant)
                : visit.method == "GET"
                    ? .answer(200, known) : .answer(400, Self.body("badRequest"))
        }
        let store = try Self.client(of: server)
        let outcome = try await store.submit(try StoreSamples.request(1))
        let order = try #require(OrderID("00000000-0000-4009-8000-000000000001"))
        #expect(outcome == .deferred(order: order))
        await store.close()
        await server.stop()
    }

    @Test func `an order that may have arrived is asked about, whatever refuses it`() async throws {
        let isLost = Shared(true)
        let server = try await Self.server {
            let wasLost = isLost.withLock { value in
                defer { value = false }
                return value
            }
            return wasLost ? .answer(502, "") : .answer(400, Self.body("badRequest"))
        }
        let store = try Self.client(of: server)
        let request = try StoreSamples.request(1)
        for kind in [.serviceUnavailable, .internalError] as [StoreFailure.Kind] {
            let found = await failure { () async throws(StoreFailure) in
                try await store.submit(request)
            }
            #expect(found == kind)
        }
        await store.close()
        await server.stop()
    }
}
