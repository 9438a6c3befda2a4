import PaymentCore
import PaymentEngine
import PaymentSandbox
import PaymentStorage
import PaymentTesting

/// The real journal on a disk that fails, tears and forgets.
final class DiskMedium: Medium {
    private var world = MemoryDiskWorld()
    private var journal: LocalLog?
    private var archives: Archives?
    var history: any ClosedHistory { archives ?? EmptyHistory() }
    var isOff: Bool { world.isOff }
    private let limits: Limits
    private let environment: StorageEnvironment
    private var dice: SeededGenerator
    private let live: () -> PaymentEngine?
    private let store: () -> any StoreImage

    private static var policy: JournalPolicy {
        var policy = JournalPolicy(
            segmentBytes: 16 << 10, firstPrefilledBytes: 2048, reserveBytes: 0, indexEveryLines: 8,
            indexEveryBytes: 2048, retention: RetentionPolicy(keepBytes: 0, keepSeconds: 1 << 30))
        policy.archives.mergeBelowBytes = 4 << 10
        policy.archives.fileBytes = 12 << 10
        policy.archives.indexes = 3
        return policy
    }

    /// - Parameters:
    ///   - limits: The queue's.
    ///   - seed: Decides what survives.
    ///   - store: The state of the embedded store now, for checkpoints.
    ///   - live: The engine of the process that runs, for checkpoints.
    init(
        limits: Limits, seed: UInt64, store: @escaping () -> any StoreImage = { NoStoreImage() },
        live: @escaping () -> PaymentEngine?
    ) {
        self.limits = limits
        self.store = store
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
        let sandbox = SandboxReplay()
        let seen = SeenReplay(store: sandbox)
        let (opened, _) = try LocalLog.open(
            in: directory,
            settings: LogSettings(
                policy: Self.policy, environment: environment, build: "payqueued test"),
            seen)
        journal = opened
        var history = opened.openedHistory
        if history.needsIndex { history = try opened.archiveBuilder.index(history) }
        archives = history
        return OpenedMedium(
            journal: opened, queue: try seen.queue(limits: limits),
            store: sandbox.takeState(), replayed: seen.records)
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
        guard let journal, let engine = live(), let archives else { return }
        do {
            guard let ticket = try journal.log.beginSnapshot() else { return }
            let checkpoint = try LocalLog.writeCheckpoint(
                ticket, of: engine.queue, store: store(), after: archives,
                by: journal.archiveBuilder)
            self.archives = checkpoint.history
            engine.use(checkpoint.history)
            engine.removeClosed(checkpoint.moved[...]) {}
            try journal.log.snapshotWasWritten(checkpoint.receipt)?.perform()
            try LocalLog.removeOldArchives(checkpoint.history, by: journal.archiveBuilder)
        } catch {
            // The disk failed; the next commit will tell.
        }
    }
}
