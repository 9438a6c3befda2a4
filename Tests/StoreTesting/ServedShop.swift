import Hummingbird
import Logging
import NIOCore
import NIOPosix
import PaymentCore
import PaymentSandbox
import PaymentStorage
import PaymentTesting
import ServiceLifecycle
import StoreClient
import StoreMessages
import Synchronization
import Testing

@testable import payqueue_store

/// The store server in this process, over a sandbox of the test.
package final class ServedShop: Sendable {
    package let sandbox: SandboxService
    package let shop: StoreServices
    package let port: Int
    private let group: ServiceGroup
    private let server: Task<Void, any Error>

    /// Begins to serve.
    ///
    /// - Parameters:
    ///   - sandbox: What is served.
    ///   - port: Where; any by default.
    ///   - state: Where sessions are kept; of the server before, or new.
    ///   - catalogue: What the sandbox sells.
    ///   - guesses: What delays the answers to wrong credentials.
    ///   - password: What the operator's pages ask for.
    /// - Throws: It does not listen.
    package init(
        _ sandbox: SandboxService, port: Int = 0, state: StateDirectory? = nil,
        catalogue: StoreCatalogue = .example, guesses: GuessDelay = GuessDelay(),
        password: OpaqueText? = nil
    ) async throws {
        self.sandbox = sandbox
        let shop = try Self.shop(
            sandbox, selling: catalogue, state: try state ?? Self.memoryState(), guesses: guesses,
            password: password)
        self.shop = shop
        var configuration = try StoreConfiguration(StoreOptions.parse(["--demo"]), environment: [:])
        configuration.listen = .host("127.0.0.1", port: port)
        // Where a server has just ended, the port may be taken for a moment.
        var started = await Self.start(configuration, shop)
        for _ in 0..<600 where started == nil {
            try await Task.sleep(for: .milliseconds(100))
            started = await Self.start(configuration, shop)
        }
        (self.port, group, server) = try #require(started, "the server does not listen")
    }

    /// Begins to serve; nil if it cannot listen.
    private static func start(
        _ configuration: StoreConfiguration, _ shop: StoreServices
    ) async -> (Int, ServiceGroup, Task<Void, any Error>)? {
        let (ports, told) = AsyncStream.makeStream(of: Int.self)
        var server = StoreServer(configuration, catalogue: shop.catalogue, tls: nil)
        server.onListening = { told.yield($0 ?? 0) }
        guard
            let application = try? server.application(
                shop, on: MultiThreadedEventLoopGroup.singleton, state: "memory")
        else { return nil }
        var services = ServiceGroupConfiguration(
            services: [FeedTicker(feed: shop.feed), application], logger: silent)
        services.maximumGracefulShutdownDuration = .milliseconds(50)
        let group = ServiceGroup(configuration: services)
        let task = Task {
            defer { told.finish() }
            try await group.run()
        }
        for await port in ports { return (port, group, task) }
        return nil
    }

    /// Stops almost at once: what is under way then gets no answer.
    ///
    /// It stops listening first: the server's library traps if it is cancelled while it accepts.
    package func stop() async throws {
        shop.feed.close()
        await group.triggerGracefulShutdown()
        _ = await server.result
    }

    /// A client of it.
    package func client(
        memory: any StoreMemory = MemoryOfStore(), at other: Int? = nil,
        _ edit: (inout HTTPStoreOptions) -> Void = { _ in }
    ) throws -> HTTPStore {
        let address = try #require(StoreAddress("http://127.0.0.1:\(other ?? port)"))
        var options = HTTPStoreOptions(address: address)
        options.firstPause = .milliseconds(1)
        options.retries = 1
        options.failuresUntilDown = 1_000_000
        edit(&options)
        return try HTTPStore(
            options: options, memory: memory, group: MultiThreadedEventLoopGroup.singleton)
    }

    private static func memoryState() throws -> StateDirectory {
        let disk = MemoryDisk()
        return try StateDirectory(
            disk: disk, path: "/store", owner: try disk.status().owner,
            identity: ProcessIdentity(pid: 1, program: "store", bootID: "boot"),
            started: Timestamp(milliseconds: 0))
    }

    private static func shop(
        _ sandbox: SandboxService, selling catalogue: StoreCatalogue, state: StateDirectory,
        guesses: GuessDelay, password: OpaqueText?
    ) throws -> StoreServices {
        let feed = ChangeFeed(process: String(SessionTokenStore.freshToken().prefix(12)))
        sandbox.listen { feed.note($0) }
        return StoreServices(
            sandbox: sandbox, catalogue: catalogue,
            tokens: try SessionTokenStore(
                files: try SmallFiles("sessions", in: state),
                loop: MultiThreadedEventLoopGroup.singleton.next()),
            terms: try OwnerTerms(files: try SmallFiles("terms", in: state)),
            feed: feed, counters: Counters(), now: { .now }, log: silent, state: state,
            operators: OperatorAccess(password: password),
            merchants: try MerchantAccess(in: state, log: silent, now: .now), guesses: guesses)
    }

    private static var silent: Logger {
        Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    }
}

/// A value that tasks share.
package final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    package init(_ value: Value) { self.value = Mutex(value) }

    package func withLock<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
        value.withLock { value in
            var copy = value
            defer { value = copy }
            return body(&copy)
        }
    }
}

/// Keeps in memory what a client of the store keeps in files.
package final class MemoryOfStore: StoreMemory {
    package init() {}

    private let items = Mutex<[StoreMemoryItem: [UInt8]]>([:])

    package func read(_ item: StoreMemoryItem) -> [UInt8]? { items.withLock { $0[item] } }

    package func write(_ item: StoreMemoryItem, _ bytes: [UInt8]) {
        items.withLock { $0[item] = bytes }
    }

    package var countries: [CountryCode] {
        items.withLock { items in
            items.keys.compactMap { item in
                if case .catalogue(let country) = item { country } else { nil }
            }
        }
    }
}
