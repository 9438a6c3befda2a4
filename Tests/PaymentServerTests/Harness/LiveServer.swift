import Foundation
import NIOCore
import NIOPosix
import PaymentCore
import PaymentEngine
import PaymentSandbox
import PaymentStorage
import PaymentTesting
import StoreMessages
import Synchronization

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
    /// Whether the store is asked over HTTP, or embedded.
    var hasRemoteStore = false
    /// The account that is in session from the start.
    var account: AccountName?
    /// Whether commits of the journal in memory answer some time after they were submitted.
    var commitsLate = false
    /// Hears of each commit of the journal in memory, on the server's thread, before anybody else.
    var onCommit: @Sendable ([Record]) -> Void = { _ in }
    /// Says what becomes of a commit of the journal in memory.
    var ending: @Sendable () -> RecordingJournal.Ending = { .kept }
}

/// A whole server with threads, sockets and a sandbox.
final class LiveServer: Sendable {
    /// What outlives a server: the store, and what was kept of the queue.
    fileprivate struct Remains: Sendable {
        var sandbox: SandboxService
        /// Serves the sandbox to the queue, where the store is not embedded.
        var remote: RemoteStore?
        var feed: Feed
        var directory: TemporaryDirectory?
        var records: [Record] = []
    }

    /// What a store tells, on its way to whichever server there is.
    fileprivate final class Feed: Sendable {
        let listener = Mutex<(@Sendable (StoreChange) -> Void)?>(nil)

        func listen(to store: any StoreBackend) {
            store.listen { [self] change in listener.withLock(\.self)?(change) }
        }
    }

    let server: PaymentServer
    let engine: PaymentEngine
    let sandbox: SandboxService
    /// The number of times that the journal failed.
    let failures: Counter
    private let plan: ServerPlan
    private let remote: RemoteStore?
    private let feed: Feed
    private let group: MultiThreadedEventLoopGroup
    private let directory: TemporaryDirectory?
    private let listener: (any Channel)?
    private let isStopped = Mutex(false)
    private let owned: Owned

    /// The state directory of a server that has one, and its log.
    ///
    /// Proof: the log is set before the server runs and used on its loop only.
    private final class Owned: @unchecked Sendable {
        let state = Mutex<StateDirectory?>(nil)
        var log: (any RecordLog)?
    }

    /// Starts a server, lets a test use it, and stops it.
    static func run<Result>(
        _ plan: ServerPlan = ServerPlan(), _ body: (LiveServer) async throws -> Result
    ) async throws -> Result {
        let server = try await LiveServer(plan)
        do {
            let result = try await body(server)
            try await server.end()
            return result
        } catch {
            try await server.end()
            throw error
        }
    }

    /// Starts a server on a new state.
    convenience init(_ plan: ServerPlan) async throws {
        let needsDirectory = plan.isDurable || plan.door == .path
        let sandbox = try Shop.sandbox()
        let remote = plan.hasRemoteStore ? try await RemoteStore(serving: sandbox) : nil
        let feed = Feed()
        feed.listen(to: remote?.client ?? sandbox)
        try await self.init(
            plan,
            Remains(
                sandbox: sandbox, remote: remote, feed: feed,
                directory: needsDirectory ? try TemporaryDirectory() : nil))
    }

    private init(_ plan: ServerPlan, _ remains: Remains) async throws {
        self.plan = plan
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let failures = Counter()
        let owned = Owned()
        sandbox = remains.sandbox
        remote = remains.remote
        feed = remains.feed
        directory = remains.directory
        self.group = group
        self.failures = failures
        self.owned = owned
        do {
            (engine, server) = try await loop.submit {
                try Self.build(plan, remains, loop, failures, owned)
            }.get()
        } catch {
            try await group.shutdownGracefully()
            throw error
        }
        listener =
            plan.door == .path
            ? try await server.listen(at: .path("\(directory?.path ?? "")/socket"), on: group) : nil
        try await open()
    }

    /// What the next server on the same state begins with.
    struct Successor: Sendable {
        fileprivate let plan: ServerPlan
        fileprivate let remains: Remains
    }

    /// Stops, and says how to go on. The directory is free when nobody holds the server any more.
    ///
    /// - Parameter germanPrice: What everything costs in Germany from then on, if that changes.
    /// - Returns: What the next server begins with.
    /// - Throws: It does not stop.
    func stopped(germanPrice: String? = nil) async throws -> Successor {
        let records = try await stop()
        var sandbox = sandbox
        if let germanPrice {
            guard remote == nil else { throw Unexpected("a remote store goes on as it is") }
            sandbox = try Shop.sandbox(
                try Shop.catalogue(germanPrice: germanPrice), try await sandbox.durableState())
            feed.listen(to: sandbox)
        }
        return Successor(
            plan: plan,
            remains: Remains(
                sandbox: sandbox, remote: remote, feed: feed, directory: directory,
                records: records))
    }

    /// Starts on what another server kept.
    convenience init(after last: Successor) async throws {
        for _ in 0..<6000 {
            do {
                try await self.init(last.plan, last.remains)
                return
            } catch StorageError.inUse {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        throw Unexpected("the server before this one does not let the directory go")
    }

    /// Stops for good.
    func end() async throws {
        _ = try await stop()
        try await remote?.close()
        try await sandbox.close()
    }

    /// Connects a peer.
    ///
    /// - Parameters:
    ///   - uid: The user that connects, where the test may choose; else its own.
    ///   - reads: Whether the peer reads from the start.
    /// - Returns: The peer.
    /// - Throws: Nobody listens.
    func connect(as uid: uid_t? = nil, reads: Bool = true) async throws -> Peer {
        if let directory, plan.door == .path {
            return try Peer(path: "\(directory.path)/socket", reads: reads)
        }
        let (ours, theirs) = try Stranger.pair(uid)
        try await server.serve(descriptor: theirs)
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
        for _ in 0..<3000 {
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
    ///
    /// - Returns: What a journal in memory has kept.
    private func stop() async throws -> [Record] {
        // What fails while it is started again was stopped before; nothing runs on its loop any more.
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        guard isFirst else { return [] }
        try await listener?.close()
        try await server.closeAll(graceMs: 0)
        try await until("everybody is gone") { [server] in server.connectionCount == 0 }
        feed.listener.withLock { $0 = nil }
        let records = try await onLoop { [engine, owned] in
            engine.stop()
            if let journal = owned.log as? LocalLog { try journal.close() }
            return (owned.log as? RecordingJournal)?.durable ?? []
        }
        try await group.shutdownGracefully()
        owned.state.withLock { state in
            state?.release()
            state = nil
        }
        return records
    }

    private func open() async throws {
        try await until("the catalogue is known") { [engine] in
            engine.store.catalogues[Samples.germany] != nil
        }
        guard let account = plan.account else { return }
        try await onLoop { [engine] in
            engine.store.sessions.logIn(account: account, credential: nil, origin: nil) { _ in }
        }
        try await until("\(account) is logged in") { [engine] in
            engine.queue.session?.account == account
        }
    }

    private static func build(
        _ plan: ServerPlan, _ remains: Remains, _ loop: any EventLoop, _ failures: Counter,
        _ owned: Owned
    ) throws -> (PaymentEngine, PaymentServer) {
        let engineLoop = NIOEngineLoop(loop)
        let (queue, journal) = try open(plan, remains, owned)
        owned.log = journal
        if plan.commitsLate, let journal = journal as? RecordingJournal {
            let loop = loop.assumeIsolated()
            journal.later = { work in loop.scheduleTask(in: .milliseconds(1)) { work() } }
        }
        let engine = PaymentEngine(
            queue: queue, journal: journal,
            store: .remote(
                StoreDispatcher(
                    backend: remains.remote?.client ?? remains.sandbox, loop: engineLoop)),
            loop: engineLoop,
            sources: EngineSources(
                wallClock: { Samples.noon },
                randomBits: { (.random(in: .min ... .max), .random(in: .min ... .max)) }),
            defaultCountry: Samples.germany, log: Samples.log,
            onFailure: { _ in failures.increment() })
        let server = PaymentServer(
            engine: engine, limits: plan.limits, access: plan.access,
            facts: ServerFacts(
                startedAt: Samples.noon, isVolatile: true, logBytes: { 0 }),
            testControl: remains.sandbox, log: Samples.log, loop: engineLoop)
        remains.feed.listener.withLock { $0 = { server.storeDidChange($0) } }
        engine.store.catalogues.load(Samples.germany)
        engine.start()
        return (engine, server)
    }

    /// The queue as the journal tells it, and the journal.
    private static func open(
        _ plan: ServerPlan, _ remains: Remains, _ owned: Owned
    ) throws -> (PaymentQueue, any RecordLog) {
        guard plan.isDurable, let directory = remains.directory else {
            var queue = PaymentQueue(limits: plan.limits)
            for record in remains.records { try queue.apply(record) }
            queue.didLoad(upTo: remains.records.last?.sequence ?? 0)
            let journal = RecordingJournal(durable: remains.records)
            journal.onCommit = plan.onCommit
            journal.ending = { _ in plan.ending() }
            return (queue, journal)
        }
        let state = try StateDirectory(
            path: directory.path + "/state", identity: .current(program: "test"),
            started: Samples.noon)
        owned.state.withLock { $0 = state }
        let policy = JournalPolicy(firstPrefilledBytes: 0, prefillsSegments: false, reserveBytes: 0)
        let replay = QueueReplay(limits: plan.limits)
        let journal = try LocalLog.open(
            in: state, settings: LogSettings(policy: policy, build: "test"), replay
        ).journal
        return (replay.takeQueue(head: journal.head), journal)
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
