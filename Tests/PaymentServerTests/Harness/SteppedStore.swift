import PaymentCore
import PaymentEngine
import PaymentSandbox
import PaymentTesting
import StoreMessages
import Synchronization

/// A sandbox without threads: its actor, the tasks that call it and its clock all run when a test
/// runs a loop.
final class SteppedStore {
    /// What its time is counted on.
    let loop = ManualLoop()
    private(set) var sandbox: SandboxService
    fileprivate let tasks: TaskSteps

    /// Opens a sandbox that nothing has happened to.
    init() throws {
        tasks = TaskSteps(loop: loop)
        sandbox = Self.sandbox(try Shop.catalogue(), SandboxState(), loop)
    }

    /// Opens it again with other prices.
    func reopen(germanPrice: String) throws {
        let found = Found()
        call { sandbox in
            let state = try? await sandbox.durableState()
            found.state.withLock { $0 = state }
        }
        loop.runUntilIdle()
        guard let state = found.state.withLock({ $0 }) else { throw Unexpected("no state") }
        sandbox = Self.sandbox(try Shop.catalogue(germanPrice: germanPrice), state, loop)
    }

    private static func sandbox(
        _ catalogue: StoreCatalogue, _ state: SandboxState, _ loop: ManualLoop
    ) -> SandboxService {
        SandboxService(
            store: catalogue, state: state, journal: MemorySandboxJournal(),
            environment: .init(
                executor: ActorSteps(loop: loop), clock: SteppedClock(loop: loop),
                now: { Samples.noon.advanced(by: loop.now) },
                makeID: SeededIDs(seed: UInt64(state.orders.count) + 1).next,
                keys: SampleKeys()))
    }

    private final class Found: Sendable {
        let state = Mutex<SandboxState?>(nil)
    }

    /// Calls the sandbox in a task that runs with the loop.
    func call(_ body: @escaping @Sendable (SandboxService) async -> Void) {
        tasks.start(sandbox, body)
    }

    /// The way of an engine to this store.
    func gateway(for engineLoop: ManualLoop) -> SteppedGateway {
        SteppedGateway(sandbox: sandbox, tasks: tasks, loop: engineLoop)
    }
}

/// Asks a ``SteppedStore`` and brings the answers to the loop of an engine.
struct SteppedGateway: StoreGateway {
    fileprivate let sandbox: SandboxService
    fileprivate let tasks: TaskSteps
    fileprivate let loop: ManualLoop

    var name: String { sandbox.name }

    func send(_ request: StoreRequest) {
        tasks.start(sandbox) { [loop] sandbox in loop.execute(await request.send(to: sandbox)) }
    }

    func knownCatalogue(of country: CountryCode) -> Catalogue? {
        sandbox.knownCatalogue(of: country)
    }

    func knownFacts(of account: AccountName) -> AccountFacts? { sandbox.knownFacts(of: account) }
}

/// Runs the jobs of an actor on a loop.
///
/// Proof: see ``ManualLoop``; whoever enqueues runs on that loop or is the test that runs it.
private final class ActorSteps: SerialExecutor, Sendable {
    private let loop: ManualLoop

    init(loop: ManualLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

/// Runs tasks on a loop.
///
/// Proof: see ``ActorSteps``.
private final class TaskSteps: TaskExecutor, Sendable {
    private let loop: ManualLoop

    init(loop: ManualLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    func start(
        _ sandbox: SandboxService, _ body: @escaping @Sendable (SandboxService) async -> Void
    ) {
        Task(executorPreference: self) { await body(sandbox) }
    }
}

/// The clock of a ``ManualLoop``.
private struct SteppedClock: Clock {
    struct Instant: InstantProtocol {
        var time: Swift.Duration

        func advanced(by duration: Swift.Duration) -> Instant {
            Instant(time: time + duration)
        }

        func duration(to other: Instant) -> Swift.Duration {
            other.time - time
        }

        static func < (left: Instant, right: Instant) -> Bool {
            left.time < right.time
        }
    }

    let loop: ManualLoop
    var now: Instant { Instant(time: loop.now) }
    var minimumResolution: Swift.Duration { .milliseconds(1) }

    func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        // What still sleeps at the end of a test is left behind.
        await withUnsafeContinuation { done in
            _ = loop.schedule(after: max(.zero, deadline.time - loop.now)) { done.resume() }
        }
        try Task.checkCancellation()
    }
}

extension Timestamp {
    /// The moment so much later.
    func advanced(by duration: Duration) -> Timestamp {
        Timestamp(milliseconds: milliseconds + duration.wholeMilliseconds)
    }
}
