import Foundation
import PaymentCore
import PaymentTesting
import Testing

@testable import EtcdJournal
@testable import PaymentStorage

@Suite(
    "Nodes that share a log in etcd", .ownThreads,
    .enabled(if: EtcdServer.program != nil, "skipped: etcd is not installed"))
struct ClusterTests {
    private let server: EtcdServer
    private let prefix = UUID().uuidString

    init() throws {
        server = try EtcdServer.shared.get()
    }

    /// Commits batches of records.
    private func commit(_ log: EtcdLog, _ node: EtcdNode, batches: Int, of size: Int)
        -> CommitResult
    {
        var last: CommitResult = .committed
        for _ in 0..<batches where last == .committed {
            for _ in 0..<size {
                _ = log.append(
                    .countryAssumed(Samples.germany), time: Samples.noon, origin: nil)
            }
            if let now = log.submit({ last = $0 }) { last = now }
            node.queue.run { log.isInFlight }
        }
        return last
    }

    /// The files of the log on a disk, without what is filled ahead.
    private func files(_ node: EtcdNode) throws -> [String: [UInt8]] {
        let disk = MemoryDisk(world: node.world)
        var files: [String: [UInt8]] = [:]
        for name in try disk.list() where name.hasPrefix("journal-") {
            let bytes = try disk.open(name, .read).readAll(limit: .max)
            let end = bytes.lastIndex { $0 != UInt8(ascii: "\n") } ?? -1
            files[name] = Array(bytes[...end])
        }
        return files
    }

    @Test("All have the same files, also a node that comes later")
    func equalFiles() async throws {
        let first = try EtcdNode("first", server: server, prefix: prefix)
        let second = try EtcdNode("second", server: server, prefix: prefix)
        let log = try await first.own(try await first.open(SeenReplay()))
        let seen = SeenReplay()
        let copy = try await second.open(seen)
        #expect(commit(log, first, batches: 40, of: 9) == .committed)
        try await second.cluster.catchUp(copy)
        #expect(seen.records.count == 360)
        #expect(try files(first) == files(second))
        #expect(try files(first).count > 3)
        let third = try EtcdNode("third", server: server, prefix: prefix)
        let late = SeenReplay()
        try await third.cluster.catchUp(try await third.open(late))
        #expect(late.records == seen.records)
        #expect(try files(third) == files(first))
        await first.resign()
        // The former owner appends nothing more, and the next one begins where it ended.
        let next = try await second.own(copy)
        #expect(commit(log, first, batches: 1, of: 1) == .failed(Self.ended))
        #expect(commit(next, second, batches: 3, of: 5) == .committed)
        try await third.cluster.catchUp(EtcdNode.Copy(log: third.log!, replay: late))
        #expect(try files(third) == files(second))
        await second.resign()
    }

    private static let ended = JournalFailure(
        "the lease of the log's owner has ended before an append was answered")

    @Test("A batch of more than a MiB is committed in parts")
    func largeBatch() async throws {
        let first = try EtcdNode("first", server: server, prefix: prefix)
        let log = try await first.own(try await first.open(SeenReplay()))
        #expect(commit(log, first, batches: 1, of: 20_000) == .committed)
        let second = try EtcdNode("second", server: server, prefix: prefix)
        let seen = SeenReplay()
        try await second.cluster.catchUp(try await second.open(seen))
        #expect(seen.records.count == 20_000)
        #expect(try files(first) == files(second))
        await first.resign()
    }

    @Test("An append that was executed without an answer is not executed twice")
    func repeatedAppend() async throws {
        let first = try EtcdNode("first", server: server, prefix: prefix)
        let log = try await first.own(try await first.open(SeenReplay()))
        _ = log.append(.countryAssumed(nil), time: Samples.noon, origin: nil)
        let chunk = try #require(log.copy.seal())
        let right = try #require(first.right)
        func appender() -> LogAppender {
            LogAppender(
                client: first.cluster.client, keys: first.cluster.keys, ownership: right,
                headRevision: right.headRevision)
        }
        #expect(await appender().append(chunk) == .committed)
        // The same owner, which believes that the head is the old one, as after a lost answer.
        #expect(await appender().append(chunk) == .committed)
        let lines = try await first.cluster.client.entries(
            EtcdRange(key: "\(prefix)/log/", end: "\(prefix)/log0"))
        #expect(lines.count == 2)
        #expect(lines.last?.value == chunk.bytes)
        await first.resign()
    }

    @Test("An append without an answer that the next owner has taken over is committed")
    func appendTakenOver() async throws {
        let first = try EtcdNode("first", server: server, prefix: prefix)
        let log = try await first.own(try await first.open(SeenReplay()))
        let (cluster, right) = (first.cluster, try #require(first.right))
        let keys = cluster.keys
        func appender(behind revision: Int64) -> LogAppender {
            LogAppender(
                client: cluster.client, keys: keys, ownership: right, headRevision: revision)
        }
        func put(_ operations: [EtcdTransaction.Operation]) async throws {
            _ = try await cluster.client.execute(EtcdTransaction(then: operations))
        }
        let before = try #require(try await cluster.client.head(keys)).revision
        _ = log.append(.countryAssumed(nil), time: Samples.noon, origin: nil)
        let chunk = try #require(log.copy.seal())
        #expect(await appender(behind: before).append(chunk) == .committed)
        // The next owner begins where the append ends.
        let end = LogEnd(next: chunk.next, chain: chunk.chain)
        try await put([.put(keys.head, ClusterHead(end: end, term: right.term + 1).bytes)])
        #expect(await appender(behind: before).append(chunk) == .committed)
        #expect(!right.holds)
    }

    @Test("An append without an answer is not called fenced if its lines may have been removed")
    func appendRemoved() async throws {
        let first = try EtcdNode("first", server: server, prefix: prefix)
        let log = try await first.own(try await first.open(SeenReplay()))
        let (cluster, right) = (first.cluster, try #require(first.right))
        _ = log.append(.countryAssumed(nil), time: Samples.noon, origin: nil)
        let chunk = try #require(log.copy.seal())
        let end = LogEnd(next: chunk.next, chain: 1)
        _ = try await cluster.client.execute(
            EtcdTransaction(then: [
                .put(cluster.keys.head, ClusterHead(end: end, term: right.term + 1).bytes)
            ]))
        let appender = LogAppender(
            client: cluster.client, keys: cluster.keys, ownership: right, headRevision: 1)
        guard case .failed = await appender.append(chunk) else {
            Issue.record("the outcome is known")
            return
        }
    }

    @Test(
        "An owner whose key is gone without a next one has ended, and is not fenced by one before")
    func endedBeforeItsFirstAppend() async throws {
        let first = try EtcdNode("first", server: server, prefix: prefix)
        let second = try EtcdNode("second", server: server, prefix: prefix)
        let log = try await first.own(try await first.open(SeenReplay()))
        #expect(commit(log, first, batches: 1, of: 1) == .committed)
        let copy = try await second.open(SeenReplay())
        await first.resign()
        let next = try await second.own(copy)
        try await second.loseLease()
        #expect(second.right?.holds == true)
        #expect(commit(next, second, batches: 1, of: 1) == .failed(Self.ended))
        #expect(second.right?.holds == false)
    }

    @Test("A copy that was torn within a chunk reads the rest of it")
    func tornCopy() async throws {
        let first = try EtcdNode("first", server: server, prefix: prefix)
        let log = try await first.own(try await first.open(SeenReplay()))
        #expect(commit(log, first, batches: 1, of: 10) == .committed)
        let second = try EtcdNode("second", server: server, prefix: prefix)
        let seen = SeenReplay()
        let copy = try await second.open(seen)
        let entry = try await first.cluster.client.entries(
            EtcdRange(key: "\(prefix)/log/", end: "\(prefix)/log0")
        ).last
        let lines = try #require(entry?.value).split(separator: UInt8(ascii: "\n"))
        let half = lines.prefix(4).flatMap { Array($0) + [UInt8(ascii: "\n")] }
        try copy.take(half)
        try await second.cluster.catchUp(copy)
        #expect(seen.records.count == 10)
        #expect(try files(first) == files(second))
        await first.resign()
    }

    @Test("A node with another queue, or with more than the cluster has, takes no part")
    func foreignCopy() async throws {
        let first = try EtcdNode("first", server: server, prefix: prefix)
        let copy = try await first.open(SeenReplay())
        let log = try await first.own(copy)
        #expect(commit(log, first, batches: 1, of: 3) == .committed)
        await first.resign()
        // etcd is restored from an older backup.
        let head = ClusterHead(end: LogEnd(next: 2, chain: 7), term: 1)
        _ = try await first.cluster.client.transact(
            EtcdTransaction(then: [.put("\(prefix)/head", head.bytes)]))
        await #expect(throws: ClusterFailure.self) { try await first.cluster.catchUp(copy) }
    }

    @Test("The lines that a node needs may be gone")
    func trimmedLog() async throws {
        let first = try EtcdNode("first", server: server, prefix: prefix)
        let log = try await first.own(try await first.open(SeenReplay()))
        #expect(commit(log, first, batches: 4, of: 3) == .committed)
        let second = try EtcdNode("second", server: server, prefix: prefix)
        let copy = try await second.open(SeenReplay())
        _ = try await first.cluster.client.transact(
            EtcdTransaction(then: [.remove(from: "\(prefix)/log/", to: "\(prefix)/log0")]))
        await #expect(throws: ClusterFailure.self) { try await second.cluster.catchUp(copy) }
        // Only the lines behind the copy are gone.
        let begun = try #require(try first.log?.copy.seed(limit: 1 << 20).firstLines)
        let header = begun.prefix { $0 != UInt8(ascii: "\n") } + [UInt8(ascii: "\n")]
        _ = try await first.cluster.client.transact(
            EtcdTransaction(then: [.put(first.cluster.keys.lines(from: 1), Array(header))]))
        await #expect(throws: ClusterFailure.self) { try await second.cluster.catchUp(copy) }
        await first.resign()
    }

    @Test("Lines go from etcd when every node has them, and what a torn copy may need stays")
    func oldLines() async throws {
        let first = try EtcdNode("first", server: server, prefix: prefix)
        let log = try await first.own(try await first.open(SeenReplay()))
        let right = try #require(first.right)
        #expect(commit(log, first, batches: 6, of: 3) == .committed)
        let second = try EtcdNode("second", server: server, prefix: prefix)
        let copy = try await second.open(SeenReplay())
        try await second.cluster.catchUp(copy)
        try await second.cluster.census.report(copy.end())
        #expect(commit(log, first, batches: 6, of: 3) == .committed)
        try await first.cluster.census.report(log.end)
        try await first.cluster.removeOldLines(right)
        let names = try await first.cluster.census.copies().nodes.map(\.node.name)
        #expect(names == ["first", "second"])
        let left = try await first.cluster.client.entries(
            EtcdRange(key: "\(prefix)/log/", end: "\(prefix)/log0"))
        let firsts = left.compactMap { first.cluster.keys.first(ofLines: $0.key) }
        #expect(firsts.count == 7)
        #expect(try #require(firsts.first) < copy.end().next)
        try await second.cluster.catchUp(copy)
        #expect(copy.end() == log.end)
        // A node without files comes too late.
        let third = try EtcdNode("third", server: server, prefix: prefix)
        await #expect(throws: StorageError.self) { try await third.open(SeenReplay()) }
        await first.resign()
    }

    @Test("No line is removed if a node has said where it is since the owner looked")
    func meanwhile() async throws {
        let node = try EtcdNode("first", server: server, prefix: prefix)
        let copy = try await node.open(SeenReplay())
        let keys = node.cluster.keys
        func isUnchanged(since revision: Int64) async throws -> Bool {
            try await node.cluster.client.execute(
                EtcdTransaction(when: [
                    .unchanged(from: keys.nodes.key, to: keys.nodesEnd, since: revision)
                ])
            ).succeeded
        }
        let before = try await node.cluster.census.copies().revision
        #expect(try await isUnchanged(since: before))
        try await node.cluster.census.report(copy.end())
        #expect(try await !isUnchanged(since: before))
        #expect(try await isUnchanged(since: node.cluster.census.copies().revision))
    }

    @Test("Of many that want it one owns the log, and each has its turn")
    func oneOwner() async throws {
        var nodes: [(node: EtcdNode, copy: EtcdNode.Copy)] = []
        for number in 0..<4 {
            let node = try EtcdNode("n\(number)", server: server, prefix: prefix)
            nodes.append((node, try await node.open(SeenReplay())))
        }
        var terms: [UInt64] = []
        for (node, copy) in nodes {
            let log = try await node.own(copy)
            terms.append(log.term)
            #expect(commit(log, node, batches: 2, of: 2) == .committed)
            for (other, copy) in nodes where other !== node && other.right == nil {
                try await other.cluster.catchUp(copy)
                #expect(try files(other) == files(node))
            }
            await node.resign()
        }
        #expect(terms == terms.sorted() && Set(terms).count == 4)
    }

    @Test("While there is little in etcd all lines stay, and a node without files can join")
    func lateNode() async throws {
        let first = try EtcdNode("first", server: server, prefix: prefix, keptBytes: 256 << 20)
        let log = try await first.own(try await first.open(SeenReplay()))
        #expect(commit(log, first, batches: 6, of: 3) == .committed)
        try await first.cluster.census.report(log.end)
        try await first.cluster.removeOldLines(try #require(first.right))
        let second = try EtcdNode("second", server: server, prefix: prefix)
        let seen = SeenReplay()
        try await second.cluster.catchUp(try await second.open(seen))
        #expect(seen.records.count == 18)
        await first.resign()
    }

    @Test("A segment ends without a record, where the queue is idle")
    func idleEnd() async throws {
        let first = try EtcdNode("first", server: server, prefix: prefix)
        let copy = try await first.open(SeenReplay())
        #expect(!copy.log.wantsCommit)
        copy.log.endsSegment = true
        #expect(!copy.log.wantsCommit)
        let log = try await first.own(copy)
        #expect(log.wantsCommit)
        var snapshots = 0
        log.segmentEnds = { chunk in
            #expect(chunk.endsSegment)
            return { snapshots += 1 }
        }
        #expect(commit(log, first, batches: 1, of: 0) == .committed)
        #expect(snapshots == 1)
        #expect(!log.wantsCommit)
        let second = try EtcdNode("second", server: server, prefix: prefix)
        try await second.cluster.catchUp(try await second.open(SeenReplay()))
        #expect(try files(first) == files(second))
        #expect(try files(first).count == 2)
        await first.resign()
    }

    @Test("A right ends at its time also while etcd does not answer")
    func silentServer() async throws {
        let server = try EtcdServer()
        let first = try EtcdNode("first", server: server, prefix: prefix, leaseSeconds: 1)
        let copy = try await first.open(SeenReplay())
        let right = try await first.cluster.follow(copy) { _ in }
        server.signal(SIGSTOP)
        defer { server.signal(SIGCONT) }
        await first.cluster.hold(right)
        #expect(!right.holds)
        #expect(right.lease.rest == .zero)
    }

    @Test("A node that stops while it becomes the owner leaves no lease behind")
    func cancelled() async throws {
        let first = try EtcdNode("first", server: server, prefix: prefix)
        let copy = try await first.open(SeenReplay())
        for _ in 0..<10 {
            let (cluster, theirs) = (first.cluster, copy)
            let following = Task { try await cluster.follow(theirs) { _ in } }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...20)))
            following.cancel()
            _ = try? await following.value
            await first.cluster.resign()
            #expect(try await first.cluster.census.owner() == nil)
            #expect(try await first.cluster.census.up().isEmpty)
        }
    }

    @Test("An owner whose lease may have ended appends nothing")
    func endedLease() async throws {
        let clock = StandingDuration()
        let lease = NodeLease(
            id: 1, span: .seconds(4), granted: .seconds(10), time: ClusterTime(now: { clock.now }))
        let right = Ownership(term: 1, headRevision: 1, lease: lease)
        clock.now = .seconds(13)
        #expect(right.holds)
        clock.now = .seconds(14)
        #expect(!right.holds)
        lease.renewed(requested: .seconds(13))
        #expect(right.holds)
        right.end()
        #expect(!right.holds)
    }
}

/// A clock that a test sets.
private final class StandingDuration: @unchecked Sendable {
    var now = Duration.seconds(10)
}
