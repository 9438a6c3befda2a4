import PaymentCore
import PaymentStorage
import PaymentTesting

@testable import EtcdJournal

/// A node with a disk, whose processes follow each other.
///
/// Proof: as for ``Stage``.
final class SimulatedNode: @unchecked Sendable {
    let number: Int
    let name: String
    var disk = MemoryDiskWorld()
    /// The process that runs; nil between two.
    private(set) var life: NodeLife?
    /// The end that the copy surely has on its disk.
    var kept: LogEnd?
    /// Whether etcd had the end of this copy before the lines behind it were gone, so that they stay.
    var hasReported = false
    /// The processes so far.
    private(set) var lives = 0
    private unowned let world: ClusterWorld

    init(_ number: Int, in world: ClusterWorld) {
        self.number = number
        name = "n\(number)"
        self.world = world
    }

    func start() {
        guard life == nil else { return }
        lives += 1
        let life = NodeLife(self, in: world)
        self.life = life
        life.process.begin { await life.run() }
    }

    /// Ends the process.
    ///
    /// - Parameter losesPower: Whether the disk loses what was not synced.
    func stop(losesPower: Bool) {
        guard let life else { return }
        self.life = nil
        life.process.kill()
        let stage = world.stage
        let isCut = losesPower || disk.isOff
        if let end = life.synced { kept = end }
        disk = isCut ? disk.afterPowerCut { stage.chance(500) } : disk.afterKill()
        if world.settings.defect == .disksLie {
            disk.inject(MemoryDiskFault(.syncData, isLasting: true, .ignore))
        }
    }

    /// Begins with the files of another node, as it is said where lines are gone from etcd.
    func copyFiles(of other: SimulatedNode) {
        disk = other.disk.afterPowerCut { false }
        kept = nil
        hasReported = false
    }

    /// The bytes of the log in the files.
    func bytes() -> [UInt8] {
        var all: [UInt8] = []
        let files = disk.files.filter { $0.key.hasPrefix("journal-") }
        for (_, bytes) in files.sorted(by: { $0.key < $1.key }) {
            // Behind the end there are line feeds.
            guard let last = bytes.lastIndex(where: { $0 != UInt8(ascii: "\n") && $0 != 0 }) else {
                continue
            }
            all += bytes[...last] + [UInt8(ascii: "\n")]
        }
        return all
    }
}

/// A process of a node: it joins, follows, and owns, until it ends.
///
/// Proof: as for ``Stage``.
final class NodeLife: LogCopy, @unchecked Sendable {
    let process: SimulatedProcess
    let replay = SeenReplay()
    private(set) var log: EtcdLog?
    private(set) var right: Ownership?
    /// The end of the copy at the last sync.
    private(set) var synced: LogEnd?
    private let node: SimulatedNode
    private unowned let world: ClusterWorld
    private let cluster: EtcdCluster
    /// The times and sequence numbers of the records in the batch that collects.
    private var batch: [(time: Int64, sequence: SequenceNumber)] = []

    init(_ node: SimulatedNode, in world: ClusterWorld) {
        self.node = node
        self.world = world
        process = SimulatedProcess(world.stage)
        process.drift = world.stage.draw(-50...50)
        process.clockStands = world.settings.defect == .clockStands
        var options = EtcdOptions(members: ["m0", "m1", "m2"])
        options.patience = world.settings.patience
        if world.settings.hasUser { options.user = ("queue", "secret") }
        options.bytesPerTransaction = world.settings.bytesPerAppend
        cluster = EtcdCluster(
            options, prefix: "q", node: ClusterNode(name: node.name, peer: nil, version: "1"),
            leaseSeconds: world.settings.leaseSeconds,
            over: SimulatedTransport(world.network, process, node: node.number),
            keptBytes: world.settings.keptBytes, time: process.time)
    }

    func end() throws -> LogEnd {
        guard let log, !process.isDead else { throw CancellationError() }
        return log.end
    }

    func take(_ bytes: [UInt8]) throws {
        guard let log, !process.isDead else { throw CancellationError() }
        try log.follow(bytes)
        world.ledger.check(log.end, of: node.name)
    }

    /// Lives until it fails or is ended.
    func run() async {
        do {
            let log = try await join()
            process.begin { await self.care() }
            let right = try await cluster.follow(self) { _ in }
            guard !process.isDead else { return }
            self.right = right
            world.noteOwner(self)
            cluster.own(log, right)
            process.begin { [self] in
                await cluster.hold(right)
                // As the daemon does, the node begins again.
                if !process.isDead { world.end(node) }
            }
            try await work(log, right)
        } catch {
            guard !process.isDead else { return }
            world.judge(error, of: node)
        }
        if !process.isDead { world.end(node) }
    }

    // MARK: Joining

    static func settings(_ node: SimulatedNode, _ world: ClusterWorld) -> LogSettings {
        let stage = world.stage
        return LogSettings(
            policy: JournalPolicy(
                segmentBytes: world.settings.segmentBytes, firstPrefilledBytes: 1024,
                reserveBytes: 0, marginBytes: 4096, indexEveryLines: 8, indexEveryBytes: 2048),
            environment: StorageEnvironment(
                now: { Samples.noon }, monotonicNanoseconds: { 0 },
                random: { stage.random.next() }, background: { $0() }),
            build: "payqueued \(node.name)")
    }

    /// Opens the copy as the daemon does, and reads what it has missed.
    private func join() async throws -> EtcdLog {
        let directory = try StateDirectory(
            disk: MemoryDisk(world: node.disk), path: "/\(node.name)", owner: 0,
            identity: ProcessIdentity(pid: 4711, program: "payqueued", bootID: "boot"),
            started: Samples.noon)
        let settings = Self.settings(node, world)
        let seed = try await answered { [self] in
            if let seed = try await cluster.seed() { return seed }
            guard try !directory.hasQueue() else {
                throw ClusterFailure.unsuitable("the cluster has lost its log")
            }
            let made = StoreSeed.new(settings)
            _ = try await cluster.found(
                format: made.seed.format,
                end: LogEnd(next: made.end.next, chain: made.end.chain),
                firstLines: made.seed.firstLines)
            guard let seed = try await cluster.seed() else {
                throw ClusterFailure.failed("another was faster, and is not seen yet")
            }
            return seed
        }
        let copy = try LocalLog.read(in: directory, settings: settings, replay)
            .openCopy(from: seed).copy
        let log = EtcdLog(copy: copy, execute: process.execute)
        log.follower = replay
        self.log = log
        // A start has everything on stable storage.
        synced = log.end
        world.ledger.check(log.end, of: node.name)
        if let kept = node.kept, log.end.next < kept.next {
            world.ledger.find("\(node.name) has lost lines up to \(kept.next - 1)")
        }
        try await answered { [self] in try await cluster.census.report(log.end) }
        // The report of an earlier process still counts.
        if world.ledger.firstKept <= log.end.next { node.hasReported = true }
        try await answered { [self] in try await cluster.catchUp(self) }
        return log
    }

    private func answered<Value>(_ question: () async throws -> Value) async throws -> Value {
        while true {
            do {
                return try await question()
            } catch ClusterFailure.failed {
                try await process.time.sleep(.milliseconds(200))
            }
        }
    }

    // MARK: Owning

    private func care() async {
        var reported: LogEnd?
        while (try? await process.time.sleep(world.stage.milliseconds(500...4000))) != nil {
            do {
                guard let log, !process.isDead else { return }
                if world.settings.defect != .saysTooMuch { synced = try log.sync() }
                let end = log.end
                if end != reported {
                    try await cluster.census.report(end)
                    reported = end
                }
                if let right { try await cluster.removeOldLines(right) }
            } catch let failure as JournalFailure {
                // The daemon ends with its disk, also if nothing more is written.
                if process.isDead { return }
                world.judge(failure, of: node)
                return world.end(node)
            } catch {
                continue
            }
        }
    }

    private func work(_ log: EtcdLog, _ right: Ownership) async throws {
        let stage = world.stage
        while true {
            if world.isEnding || stage.chance(700) {
                try await process.time.sleep(stage.milliseconds(1...world.settings.longestPause))
            }
            guard !world.isEnding || world.endCommits == 0 else { continue }
            if !world.isEnding, stage.chance(30) {
                world.resignations += 1
                return await cluster.resign()
            }
            append(log, stage.draw(1...4))
            if stage.chance(30) { log.endsSegment = true }
            guard try await commit(log) == .committed else { return }
            world.ledger.check(log.end, of: node.name)
        }
    }

    private func append(_ log: EtcdLog, _ count: Int) {
        for _ in 0..<count {
            let time = Samples.noon.milliseconds + Int64(world.stage.number())
            world.ledger.note(time, .open)
            let sequence = log.append(
                .countryAssumed(Samples.germany), time: Timestamp(milliseconds: time), origin: nil)
            batch.append((time, sequence))
        }
    }

    private func commit(_ log: EtcdLog) async throws -> CommitResult {
        let sent = batch
        batch = []
        let result: CommitResult = try await process.suspended { [self] resume in
            if let now = log.submit({ resume(.success($0)) }) { resume(.success(now)) }
            // The next batch collects meanwhile.
            if world.stage.chance(300) { append(log, 1) }
            return nil
        }
        if result == .committed { world.noteCommit() }
        for (time, sequence) in sent {
            switch result {
            case .committed: world.ledger.note(time, .committed(sequence))
            case .fenced: world.ledger.note(time, .fenced)
            case .failed: world.ledger.note(time, .failed)
            }
        }
        return result
    }
}
