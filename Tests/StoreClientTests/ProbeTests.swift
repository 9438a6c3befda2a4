import Glibc
import NIOPosix
import PaymentCore
import PaymentTesting
import StoreClient
import StoreMessages
import StoreTesting
import Testing

extension Shared where Value == Bool {
    /// Whether it is still true; it is not from then on.
    fileprivate func take() -> Bool {
        withLock { value in
            defer { value = false }
            return value
        }
    }
}

@Suite struct ProbeTests {
    private static let interval = Duration.milliseconds(150)

    /// A client that takes the server for down after five failures, and tries nothing twice.
    private static func client(
        of server: StubServer, _ change: (inout HTTPStoreOptions) -> Void = { _ in }
    ) throws -> HTTPStore {
        let address = try #require(StoreAddress("http://127.0.0.1:\(server.port)"))
        var options = HTTPStoreOptions(address: address)
        options.retries = 0
        options.probeInterval = interval
        change(&options)
        return try HTTPStore(
            options: options, memory: MemoryOfStore(), group: MultiThreadedEventLoopGroup.singleton)
    }

    /// Has the client fail until it takes the server for down.
    private static func bringDown(_ store: HTTPStore) async {
        for _ in 1...5 { _ = try? await store.catalogue(of: Samples.germany) }
    }

    /// Waits for so many looks at the server, and returns the time between each and the next.
    private static func spacing(
        _ server: StubServer, count: Int, skipping: Int = 0
    ) async throws -> [Duration] {
        while true {
            let probes = server.visits.filter { $0.path.hasSuffix("/store") }.dropFirst(skipping)
            if probes.count >= count {
                return zip(probes, probes.dropFirst()).map { $1.time - $0.time }
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    @Test func `a store that is down is asked for nothing, and looked at seldom`() async throws {
        let server = try await StubServer { _ in .hangUp }
        let store = try Self.client(of: server)
        await Self.bringDown(store)
        for _ in 1...100 { _ = try? await store.catalogue(of: Samples.germany) }
        let spacing = try await Self.spacing(server, count: 5)
        #expect(spacing.allSatisfy { $0 >= Self.interval }, "\(spacing)")
        #expect(server.visits.filter { !$0.path.hasSuffix("/store") }.count == 5)
        await store.close()
        await server.stop()
    }

    @Test func `an answer that comes byte by byte is waited for no longer than a request may take`()
        async throws
    {
        let server = try await StubServer { _ in
            .drip(1000, every: .milliseconds(20), #"{"defaultCountry":"DE"}"#)
        }
        let store = try Self.client(of: server) { $0.requestTimeout = .milliseconds(200) }
        await #expect(throws: StoreFailure.self) { try await store.defaultCountry() }
        await store.close()
        await server.stop()
    }

    @Test func `a store that is down can say when it is looked at next`() async throws {
        let server = try await StubServer { _ in .hangUp }
        let store = try Self.client(of: server) { $0.probeInterval = .seconds(1000) }
        #expect(store.timeUntilProbe == nil)
        await Self.bringDown(store)
        // The one who looks is another task, which begins when it may.
        while store.timeUntilProbe == nil { try await Task.sleep(for: .milliseconds(1)) }
        let left = try #require(store.timeUntilProbe)
        #expect(left > .seconds(900) && left <= .seconds(1100))
        await store.close()
        #expect(store.timeUntilProbe == nil)
        await server.stop()
    }

    @Test func `down and up are told in the order in which they happened`() async throws {
        let isDown = Shared(true)
        let server = try await StubServer { _ in
            isDown.withLock { $0 } ? .hangUp : .answer(200, #"{"defaultCountry":"DE"}"#)
        }
        let store = try Self.client(of: server) { $0.probeInterval = .milliseconds(5) }
        let told = Shared<[Bool]>([])
        store.listen { change in
            guard case .availability(let failure) = change else { return }
            if failure != nil {
                // The store comes back, and is found to, while the listener is slow to hear of this.
                isDown.withLock { $0 = false }
                usleep(50_000)
            }
            told.withLock { $0.append(failure == nil) }
        }
        for count in 1...5 {
            isDown.withLock { $0 = true }
            while told.withLock({ $0.count }) < 2 * count {
                _ = try? await store.defaultCountry()
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        #expect(told.withLock { $0 } == (1...5).flatMap { _ in [false, true] })
        await store.close()
        await server.stop()
    }

    @Test func `a late answer between two failures does not double the looks`() async throws {
        let (releases, release) = AsyncStream.makeStream(of: Void.self)
        let isFirst = Shared(true)
        let server = try await StubServer { visit in
            let isLate = visit.path.hasSuffix("/store") && isFirst.take()
            guard isLate else { return .hangUp }
            for await _ in releases { break }
            return .answer(200, #"{"defaultCountry":"DE"}"#)
        }
        let store = try Self.client(of: server)
        async let late = store.defaultCountry()
        while server.visits.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        await Self.bringDown(store)
        release.yield()
        #expect(try await late == Samples.germany)
        await Self.bringDown(store)
        let spacing = try await Self.spacing(server, count: 8, skipping: 1)
        #expect(spacing.allSatisfy { $0 >= Self.interval }, "\(spacing)")
        await store.close()
        await server.stop()
    }
}
