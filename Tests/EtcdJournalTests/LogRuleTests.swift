import Dispatch
import EtcdJournal
import PaymentCore
import PaymentStorage
import PaymentTesting
import Synchronization
import Testing

@Suite(
    "A log in etcd", .ownThreads,
    .enabled(if: EtcdServer.program != nil, "skipped: etcd is not installed"))
struct LogRuleTests {
    @Test("keeps the rules of logs", arguments: LogRule.allCases)
    func rule(_ rule: LogRule) throws {
        try rule.check(EtcdPlace(EtcdServer.shared.get(), prefix: "rule-\(rule.rawValue)"))
    }
}

/// A log in etcd whose nodes come and go.
private final class EtcdPlace: LogPlace {
    private let server: EtcdServer
    private let prefix: String
    private var nodes: [EtcdNode] = []

    init(_ server: EtcdServer, prefix: String) {
        self.server = server
        self.prefix = prefix
    }

    func open(_ replay: any LogReplay) throws -> any RecordLog {
        let node = try EtcdNode(
            "n\(nodes.count)", server: server, prefix: prefix,
            world: nodes.last?.world ?? MemoryDiskWorld())
        nodes.append(node)
        return try waiting { try await node.own(try await node.open(replay)) }
    }

    func settle() {
        for node in nodes { node.queue.run { node.log?.isInFlight ?? false } }
    }

    func kill() { nodes.last?.kill() }

    func failNextCommit() {
        nodes.last?.world.inject(MemoryDiskFault(.write, .fail(errno: 5)))
    }

    func takeOver() throws -> (any RecordLog)? {
        let former = nodes[nodes.count - 1]
        let node = try EtcdNode("other", server: server, prefix: prefix)
        nodes.append(node)
        return try waiting {
            // etcd ends the lease, and the former owner does not know it yet.
            try await former.loseLease()
            return try await node.own(try await node.open(SeenReplay()))
        }
    }
}

/// Runs asynchronous work from a thread that may block.
func waiting<Value>(_ body: @escaping () async throws -> Value) throws -> Value {
    let work = WaitedWork(body)
    let done = DispatchSemaphore(value: 0)
    Task {
        await work.run()
        done.signal()
    }
    done.wait()
    return try work.result.get()
}

/// Work and its result. Proof: the thread that has begun it waits for its end.
private final class WaitedWork<Value>: @unchecked Sendable {
    private(set) var result: Result<Value, any Error> = .failure(CancellationError())
    private let body: () async throws -> Value

    init(_ body: @escaping () async throws -> Value) {
        self.body = body
    }

    func run() async {
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
    }
}
