import PaymentCore
import PaymentEngine
import PaymentStorage
import PaymentTesting
import SandboxControl

@testable import PaymentSandbox

/// A state directory on a simulated disk, for one process of an embedded store after another.
struct OneLogRig {
    let world: MemoryDiskWorld
    var seed: UInt64 = 1

    static let policy = JournalPolicy(
        segmentBytes: 1 << 16, firstPrefilledBytes: 1 << 15, reserveBytes: 0, indexEveryLines: 8,
        indexEveryBytes: 2048)

    var settings: LogSettings {
        let chance = SeededChance(seed: seed ^ 0xD15C)
        return LogSettings(
            policy: Self.policy,
            environment: StorageEnvironment(
                now: { chance.tick() },
                monotonicNanoseconds: { UInt64(chance.tick().milliseconds) * 1_000_000 },
                random: { chance.next() }, background: { work in work() }),
            build: "payqueued test")
    }

    func directory() throws -> StateDirectory {
        try StateDirectory(
            disk: MemoryDisk(world: world), path: "/state", owner: 0,
            identity: ProcessIdentity(pid: 4711, program: "payqueued", bootID: "boot"),
            started: Samples.noon)
    }

    func start() throws -> OneLogProcess { try OneLogProcess(self) }
}

/// A process whose store runs in the turns of its engine.
///
/// Proof: a test runs it on one thread.
final class OneLogProcess: @unchecked Sendable {
    let loop = ManualLoop()
    let journal: LocalLog
    let engine: PaymentEngine
    let sandbox: LocalSandbox
    let target = RecordingTarget()
    /// Whether the log has failed.
    var hasFailed: Bool { failures.hasFailed }
    private let failures = Failures()

    /// Proof: a test runs it on one thread.
    private final class Failures: @unchecked Sendable {
        var hasFailed = false
    }

    init(_ rig: OneLogRig) throws {
        let store = SandboxReplay()
        let replay = QueueReplay(limits: Limits(), store: store)
        let reading = try LocalLog.read(in: rig.directory(), settings: rig.settings, replay)
        let (journal, _) = try reading.open()
        self.journal = journal
        let queue = replay.takeQueue(head: journal.head)
        let state = store.takeState()
        _ = try journal.mergeSeparateStore(queue: queue, store: SandboxImage(state: state))
        let ids = SeededIDs(seed: rig.seed)
        sandbox = LocalSandbox(store: .example, state: state, makeID: ids.next)
        engine = PaymentEngine(
            queue: queue, journal: journal, history: journal.openedHistory,
            store: .local(sandbox), loop: loop,
            sources: EngineSources(
                wallClock: { [loop] in
                    Timestamp(
                        milliseconds: Samples.noon.milliseconds
                            + loop.now.components.seconds * 1000
                            + loop.now.components.attoseconds / 1_000_000_000_000_000)
                },
                randomBits: {
                    let id = ids.next()
                    return (id.high, id.low)
                }),
            defaultCountry: sandbox.defaultCountry, log: Samples.log,
            onFailure: { [failures] _ in failures.hasFailed = true })
        engine.start()
        loop.runUntilIdle()
    }

    /// Logs the demo account in and observes.
    func begin() {
        if engine.queue.session == nil {
            engine.store.sessions.logIn(account: "demo", credential: nil, origin: nil) { _ in }
        }
        _ = engine.subscriptions.subscribe(SubscriptionRequest(), target: target)
        loop.runUntilIdle()
    }

    /// Buys and does everything that is ready then.
    func add(_ product: ProductIdentifier, key: OpaqueText) throws -> TransactionID {
        let reply = try engine.commands.add(
            AddRequest(productIdentifier: product, key: key), origin: Samples.origin)
        loop.runUntilIdle()
        return reply.transaction.id
    }

    /// Changes settings of the store by a control.
    func set(_ edit: (inout StoreTestSettingsChange) -> Void) {
        var change = StoreTestSettingsChange()
        edit(&change)
        engine.run { [sandbox, change] now in
            sandbox.run(at: now) { $0.applyTestSettings(change, $1) }
        } whenCommitted: { _ in
        }
        loop.runUntilIdle()
    }

    /// The orders of the store.
    var orders: [SandboxOrder] { sandbox.store.state.orders }
}
