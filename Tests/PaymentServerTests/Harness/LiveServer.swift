import Foundation
import NIOCore
import NIOPosix
import PaymentBackend
import PaymentCore
import PaymentEngine
import PaymentStorage
import PaymentTesting

@testable import PaymentServer

/// What a ``LiveServer`` is made of.
struct ServerPlan: Sendable {
    /// Where its connections come from.
    enum Door: Sendable {
        /// Pairs of sockets inside of the process.
        case pairs
        /// A listening socket in a directory of its own.
        case path
    }

    var door = Door.pairs
    var limits = Limits()
    var access = AccessPolicy(ownUser: geteuid())
    /// Whether the journal is on the disk, or in memory.
    var isDurable = false
    /// The account that is in session from the start.
    var account: AccountName?
    /// Hears of each commit of the journal in memory, on the server's thread, before anybody else.
    var onCommit: @Sendable ([Record]) -> Void = { _ in }
    /// Says what becomes of a commit of the journal in memory.
    var ending: @Sendable () -> RecordingJournal.Ending = { .kept }
}

/// A whole server with threads, sockets and a sandbox.
final class LiveServer: Sendable {
    let server: PaymentServer
    let engine: PaymentEngine
    let sandbox: Sandbox
    /// The number of times that the journal failed.
    let failures: Counter
    private let plan: ServerPlan
    private let group: MultiThreadedEventLoopGroup
    private let directory: TemporaryDirectory?
    private let listener: (any Channel)?

    /// Starts a server, lets a test use it, and stops it.
    static func run<Result>(
        _ plan: ServerPlan = ServerPlan(), _ body: (LiveServer) async throws -> Result
    ) async throws -> Result {
        let server = try await LiveServer(plan)
        do {
            let result = try await body(server)
            try await server.stop()
            return result
        } catch {
            try await server.stop()
            throw error
        }
    }

    /// Starts a server.
    init(_ plan: ServerPlan) async throws {
        self.plan = plan
        let sandbox = try Shop.sandbox()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let needsDirectory = plan.isDurable || plan.door == .path
        let directory = needsDirectory ? try TemporaryDirectory() : nil
        let failures = Counter()
        self.sandbox = sandbox
        self.group = group
        self.directory = directory
        self.failures = failures
        (engine, server) = try await loop.submit {
            try Self.build(plan, sandbox, directory, loop, failures)
        }.get()
        listener =
            plan.door == .path
            ? try await server.listen(path: "\(directory?.path ?? "")/socket", on: group) : nil
        try await open()
    }

    /// Connects a peer.
    ///
    /// - Parameters:
    ///   - uid: The user that connects, where the test may choose; else its own.
    ///   - reads: Whether the peer reads from the start.
    func connect(as uid: uid_t? = nil, reads: Bool = true) async throws -> Peer {
        if let directory, plan.door == .path {
            return try Peer(path: "\(directory.path)/socket", reads: reads)
        }
        let (ours, theirs) = try Stranger.pair(uid)
        try await server.serve(descriptor: theirs, on: group)
        return Peer(descriptor: ours, reads: reads)
    }

    /// Runs something on the server's thread.
    func onLoop<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await group.next().submit(body).get()
    }

    /// Waits until something holds on the server's thread; throws if it does not come to that.
    func until(_ what: String, _ condition: @escaping @Sendable () -> Bool) async throws {
        for _ in 0..<500 {
            if try await onLoop(condition) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Unexpected("it never came to this: \(what)")
    }

    /// The bytes that the server holds for all connections together.
    func bufferedBytes() async throws -> Int {
        try await onLoop { [core = server.core] in
            core.value.connections.values.reduce(0) { $0 + $1.bufferedBytes }
        }
    }

    /// Stops as the daemon does.
    private func stop() async throws {
        try await listener?.close()
        try await server.closeAll(graceMs: 0)
        try await until("everybody is gone") { [server] in server.connectionCount == 0 }
        try await onLoop { [engine] in
            engine.stop()
            if let journal = engine.journal as? QueueJournal { try journal.close() }
        }
        try await sandbox.close()
        try await group.shutdownGracefully()
    }

    private func open() async throws {
        try await until("the catalogue is known") { [engine] in
            engine.catalogue(of: Samples.germany) != nil
        }
        guard let account = plan.account else { return }
        try await onLoop { [engine] in
            engine.logIn(account: account, credential: nil, origin: nil) { _ in }
        }
        try await until("\(account) is logged in") { [engine] in
            engine.queue.session?.account == account
        }
    }

    private static func build(
        _ plan: ServerPlan, _ sandbox: Sandbox, _ directory: TemporaryDirectory?,
        _ loop: any EventLoop, _ failures: Counter
    ) throws -> (PaymentEngine, PaymentServer) {
        let engineLoop = NIOEngineLoop(loop)
        let engine = PaymentEngine(
            queue: PaymentQueue(limits: plan.limits),
            journal: try journal(plan, directory),
            gateway: BackendGateway(backend: sandbox, loop: engineLoop), loop: engineLoop,
            sources: EngineSources(
                wallClock: { Samples.noon },
                randomBits: { (.random(in: .min ... .max), .random(in: .min ... .max)) }),
            defaultCountry: Samples.germany, log: Samples.log,
            onFailure: { _ in failures.increment() })
        let server = PaymentServer(
            engine: engine, limits: plan.limits, access: plan.access,
            facts: ServerFacts(
                startedAt: Samples.noon, isVolatile: true, logBytes: { 0 },
                country: { Countries.code($0) }),
            testControl: sandbox, log: Samples.log, loop: loop)
        sandbox.listen { server.storeDidChange($0) }
        engine.loadCatalogue(of: Samples.germany)
        engine.start()
        return (engine, server)
    }

    private static func journal(
        _ plan: ServerPlan, _ directory: TemporaryDirectory?
    ) throws -> any EventJournal {
        guard plan.isDurable, let directory else {
            let journal = RecordingJournal()
            journal.onCommit = plan.onCommit
            journal.ending = { _ in plan.ending() }
            return journal
        }
        let state = try StateDirectory(
            path: directory.path + "/state", identity: .current(program: "test"),
            started: Samples.noon)
        let policy = JournalPolicy(firstPreparedBytes: 0, preparesSegments: false, reserveBytes: 0)
        return try QueueJournal.open(
            in: state, settings: LogSettings(policy: policy, build: "test"), load: { _ in },
            replay: { _ in }
        ).journal
    }
}

/// A directory that goes with the value.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/payqueued-server-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            throw Unexpected("cannot make a directory: \(String(cString: strerror(errno)))")
        }
        path = String(cString: made)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
