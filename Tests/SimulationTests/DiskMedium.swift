import PaymentCore
import PaymentStorage
import PaymentTesting

/// The real journal on a disk that fails, tears and forgets.
final class DiskMedium: Medium {
    private var world = MemoryDiskWorld()
    private var journal: LocalLog?
    private let limits: Limits
    private let environment: StorageEnvironment
    private var dice: SeededGenerator
    private let live: () -> PaymentQueue?

    private static let policy = JournalPolicy(
        segmentBytes: 16 << 10, firstPrefilledBytes: 2048, reserveBytes: 0, indexEveryLines: 8,
        indexEveryBytes: 2048, retention: RetentionPolicy(keepBytes: 0, keepSeconds: 1 << 30))

    /// - Parameters:
    ///   - limits: The queue's.
    ///   - seed: Decides what survives.
    ///   - live: The queue of the process that runs, for snapshots.
    init(limits: Limits, seed: UInt64, live: @escaping () -> PaymentQueue?) {
        self.limits = limits
        self.live = live
        dice = SeededGenerator(seed: seed)
        let chance = SeededChance(seed: seed ^ 0xD15C)
        environment = StorageEnvironment(
            now: { chance.tick() },
            monotonicNanoseconds: { UInt64(chance.tick().milliseconds) * 1_000_000 },
            random: { chance.next() }, background: { work in work() })
    }

    func open() throws -> OpenedMedium {
        journal = nil
        let directory = try StateDirectory(
            disk: MemoryDisk(world: world), path: "/state", owner: 0,
            identity: ProcessIdentity(pid: 4711, program: "payqueued", bootID: "boot"),
            started: Samples.noon)
        let found = Found(PaymentQueue(limits: limits))
        let (opened, _) = try LocalLog.open(
            in: directory,
            settings: LogSettings(
                policy: Self.policy, environment: environment, build: "payqueued test"),
            load: { try found.queue.load($0) },
            didLoad: { found.queue.didLoad(upTo: $0) },
            replay: { record in
                found.records.append(record)
                try found.queue.apply(record)
            })
        journal = opened
        return OpenedMedium(journal: opened, queue: found.queue, replayed: found.records)
    }

    func armFailure(_ dice: inout SeededGenerator) {
        switch dice.below(3) {
        case 0: world.inject(MemoryDiskFault(.syncData, .fail(errno: 5)))
        case 1: world.inject(MemoryDiskFault(.write, .fail(errno: 5)))
        default: world.cutPower(atCall: world.callCount + 1 + dice.below(3))
        }
    }

    func processDied(_ dice: inout SeededGenerator) {
        journal = nil
        world.removeFaults()
        if dice.chance(50) {
            world = world.afterKill()
        } else {
            world = world.afterPowerCut { self.dice.chance(50) }
        }
    }

    func trim(_ dice: inout SeededGenerator) {
        guard let journal, let queue = live() else { return }
        do {
            guard let ticket = try journal.log.beginSnapshot() else { return }
            let receipt = try LocalLog.writeSnapshot(ticket) { body in
                queue.snapshotItems { body($0) }
            }
            try journal.log.snapshotWasWritten(receipt)?.perform()
        } catch {
            // The disk failed; the next commit will tell.
        }
    }

    /// What opening gives back.
    private final class Found {
        var queue: PaymentQueue
        var records: [Record] = []

        init(_ queue: PaymentQueue) {
            self.queue = queue
        }
    }
}
