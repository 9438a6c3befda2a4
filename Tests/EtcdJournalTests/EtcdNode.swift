@testable import EtcdJournal
import Foundation
import NIOPosix
import PaymentCore
import PaymentStorage
import PaymentTesting
import Synchronization

/// A node with a disk in memory, which follows a log in etcd and can own it.
final class EtcdNode {
    /// The disk, which loses what was not synced at a power cut.
    private(set) var world: MemoryDiskWorld
    let cluster: EtcdCluster
    let queue = WorkQueue()
    private(set) var log: EtcdLog?
    private(set) var right: Ownership?
    private var renewing: Task<Void, Never>?
    private let name: String

    /// Small segments, so that tests meet their ends.
    private static let policy = JournalPolicy(
        segmentBytes: 8192, firstPrefilledBytes: 2048, reserveBytes: 0, marginBytes: 4096,
        indexEveryLines: 8, indexEveryBytes: 2048)

    init(
        _ name: String, server: EtcdServer, prefix: String, world: MemoryDiskWorld = .init(),
        keptBytes: Int64 = 0, leaseSeconds: Int = 3
    ) throws {
        self.name = name
        self.world = world
        cluster = try EtcdCluster(
            EtcdOptions(members: [server.member]), prefix: prefix,
            node: ClusterNode(name: name, peer: nil, version: "1"), leaseSeconds: leaseSeconds,
            on: MultiThreadedEventLoopGroup.singleton, keptBytes: keptBytes)
    }

    /// Opens the copy, and puts a new log into the cluster if it has none.
    func open(_ replay: any LogReplay) async throws -> Copy {
        let state = try StateDirectory(
            disk: MemoryDisk(world: world), path: "/\(name)", owner: 0,
            identity: ProcessIdentity(pid: 4711, program: "payqueued", bootID: "boot"),
            started: Samples.noon)
        var random = SeededGenerator(seed: UInt64(name.utf8.reduce(0) { $0 * 31 + Int($1) }))
        let bits = Mutex(random.next())
        let settings = LogSettings(
            policy: Self.policy,
            environment: StorageEnvironment(
                now: { Samples.noon }, monotonicNanoseconds: { 0 },
                random: {
                    bits.withLock {
                        $0 &+= 0x9E37_79B9_7F4A_7C15; return $0
                    }
                },
                background: { $0() }),
            build: "payqueued \(name)")
        let seed = try await cluster.seed()
        let copy = try LocalLog.read(in: state, settings: settings, replay)
            .openCopy(from: seed).copy
        let log = EtcdLog(copy: copy, execute: queue.execute)
        log.follower = replay
        self.log = log
        if seed == nil {
            let mine = try copy.seed(limit: 1 << 20)
            _ = try await cluster.found(
                format: mine.format, end: log.end, firstLines: mine.firstLines)
        }
        return Copy(log: log, replay: replay)
    }

    /// Follows until this node owns the log, and takes it over.
    func own(_ copy: Copy) async throws -> EtcdLog {
        let right = try await cluster.follow(copy) { _ in }
        self.right = right
        renewing = Task { [cluster] in await cluster.hold(right) }
        cluster.own(copy.log, right)
        return copy.log
    }

    /// Ends at once: renews nothing, and loses what was not synced.
    func kill() {
        renewing?.cancel()
        world = world.afterPowerCut { false }
    }

    /// Has etcd end the lease, which the node does not know yet.
    func loseLease() async throws {
        renewing?.cancel()
        await renewing?.value
        guard let right else { return }
        try? await cluster.client.revoke(right.lease.id)
    }

    /// Gives the log to others.
    func resign() async {
        renewing?.cancel()
        await cluster.resign()
    }

    deinit {
        renewing?.cancel()
        let cluster = cluster
        Task { await cluster.close() }
    }

    /// The copy of a node. Proof: the test waits for each call.
    final class Copy: LogCopy, @unchecked Sendable {
        let log: EtcdLog
        /// The receiver, which the log does not keep.
        private let replay: any LogReplay

        init(log: EtcdLog, replay: any LogReplay) {
            self.log = log
            self.replay = replay
        }

        func end() -> LogEnd { log.end }

        func take(_ bytes: [UInt8]) throws { try log.follow(bytes) }
    }
}

/// The loop of a log, whose work the test runs.
final class WorkQueue: Sendable {
    private let works = Mutex<[@Sendable () -> Void]>([])

    /// Keeps work for ``run(while:)``.
    @Sendable func execute(_ work: @escaping @Sendable () -> Void) {
        works.withLock { $0.append(work) }
    }

    /// Runs work as long as a condition holds.
    func run(while isWaiting: () -> Bool) {
        while isWaiting() {
            let next = works.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if let next { next() } else { usleep(200) }
        }
    }
}
