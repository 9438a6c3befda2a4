import PaymentCore
import PaymentStorage
import PaymentTesting
import Synchronization

/// A journal on a simulated disk, with a clock and random numbers that a test can foresee.
struct StorageRig {
    var world: MemoryDiskWorld
    var policy: JournalPolicy
    var disk: any Disk
    var environment = StorageEnvironment.foreseeable()

    /// Small files, so that simulated power cuts have few sectors to choose from.
    static let smallPolicy = JournalPolicy(
        segmentBytes: 8192, firstPrefilledBytes: 2048, reserveBytes: 0, marginBytes: 4096,
        indexEveryLines: 8, indexEveryBytes: 2048)

    init(
        world: MemoryDiskWorld = MemoryDiskWorld(), policy: JournalPolicy = smallPolicy,
        disk: (any Disk)? = nil
    ) {
        self.world = world
        self.policy = policy
        self.disk = disk ?? MemoryDisk(world: world)
    }

    /// A journal that is open, and all that opening it gave back.
    struct Opened {
        let journal: LocalLog
        let report: RecoveryReport
        let items: [SnapshotItem]
        let loadedUpTo: SequenceNumber?
        let records: [Record]
    }

    func open() throws -> Opened {
        let directory = try stateDirectory()
        let seen = SeenReplay()
        let (journal, report) = try LocalLog.open(in: directory, settings: settings, seen)
        return Opened(
            journal: journal, report: report, items: seen.items, loadedUpTo: seen.loadedUpTo,
            records: seen.records)
    }

    func stateDirectory() throws(StorageError) -> StateDirectory {
        try StateDirectory(
            disk: disk, path: "/state", owner: 0,
            identity: ProcessIdentity(pid: 4711, program: "payqueued", bootID: "boot"),
            started: Timestamp(milliseconds: 1_795_244_400_000))
    }

    var settings: LogSettings {
        LogSettings(policy: policy, environment: environment, build: "payqueued test")
    }

    /// The refusal that opening ends in, nil if it succeeds.
    func refusal() throws -> RecoveryRefusal? {
        do {
            _ = try open()
            return nil
        } catch StorageError.refused(let refusal) {
            return refusal
        }
    }
}

extension StorageEnvironment {
    /// Time goes on by a millisecond whenever it is asked for; chance is a seed's; background work
    /// is done at once.
    static func foreseeable(seed: UInt64 = 1) -> StorageEnvironment {
        let clock = Counter(1_795_244_400_000)
        let generator = SharedGenerator(SeededGenerator(seed: seed))
        return StorageEnvironment(
            now: { Timestamp(milliseconds: clock.next()) },
            monotonicNanoseconds: { UInt64(clock.next()) * 1_000_000 },
            random: { generator.next() }, background: { work in work() })
    }
}

/// A number that grows by one each time.
final class Counter: Sendable {
    private let value: Mutex<Int64>

    init(_ first: Int64) {
        value = Mutex(first)
    }

    func next() -> Int64 {
        value.withLock { value in
            value += 1
            return value
        }
    }
}

/// A seeded generator that several closures share.
final class SharedGenerator: Sendable {
    private let generator: Mutex<SeededGenerator>

    init(_ generator: SeededGenerator) {
        self.generator = Mutex(generator)
    }

    func next() -> UInt64 {
        generator.withLock { $0.next() }
    }
}

/// A disk whose background work waits until a test lets it run.
final class HeldWork: Sendable {
    private let work = Mutex<[@Sendable () -> Void]>([])

    func hold(_ piece: @escaping @Sendable () -> Void) {
        work.withLock { $0.append(piece) }
    }

    func run() {
        let pieces = work.withLock { work in
            defer { work = [] }
            return work
        }
        for piece in pieces { piece() }
    }
}
