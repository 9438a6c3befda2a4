public import PaymentCore
public import PaymentHistory
import SandboxControl
import Synchronization

/// The embedded store with an executor, a journal, a clock and listeners.
///
/// The rules are those of ``EmbeddedStore``. An answer leaves after the events behind it are on stable storage; calls
/// that arrive together share one commit. After a failed commit every call throws `storageFailed`: the state is ahead
/// of the disk, and only a new process can replay the journal.
public actor SandboxService {
    /// The executor, time and random numbers of a store.
    public struct Environment: Sendable {
        /// The executor of the actor. Commits block it.
        public var executor: any SerialExecutor
        /// The clock of simulated latency and of the timer for due events.
        public var clock: any Clock<Duration>
        /// Returns the real time.
        public var now: @Sendable () -> Timestamp
        /// Returns an identifier that was never issued before.
        public var makeID: @Sendable () -> UniqueID
        /// The keys that sign histories.
        public var keys: any HistoryKeys
        /// Called once, when the journal has failed. Every later call fails as well.
        public var storageFailed: @Sendable (StoreFailure) -> Void

        /// Creates an environment.
        public init(
            executor: any SerialExecutor, clock: any Clock<Duration> = ContinuousClock(),
            now: @escaping @Sendable () -> Timestamp,
            makeID: @escaping @Sendable () -> UniqueID = Environment.randomID,
            keys: any HistoryKeys = NoHistoryKeys(),
            storageFailed: @escaping @Sendable (StoreFailure) -> Void = { _ in }
        ) {
            self.executor = executor
            self.clock = clock
            self.now = now
            self.makeID = makeID
            self.keys = keys
            self.storageFailed = storageFailed
        }

        /// Returns an identifier from the system's random numbers.
        @Sendable
        public static func randomID() -> UniqueID {
            var generator = SystemRandomNumberGenerator()
            return UniqueID(randomHigh: generator.next(), randomLow: generator.next())
        }
    }

    private(set) var store: EmbeddedStore
    nonisolated let environment: Environment
    nonisolated let listeners = Mutex<[@Sendable (StoreChange) -> Void]>([])
    nonisolated let snapshot: Mutex<CatalogueSnapshot>
    private let journal: any SandboxJournal
    private var timer = WakeTimer()
    /// The changes that listeners receive after the next commit.
    private var changes: Set<StoreChange> = []
    /// Whether the journal has events that are not committed.
    private var isDirty = false
    private var isCommitComing = false
    /// The calls that wait for the coming commit.
    private var waiting: [CheckedContinuation<StoreFailure?, Never>] = []
    /// The failure of all calls after a failed commit or after ``close()``.
    private var ending: StoreFailure?

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - catalogue: The products and the accounts.
    ///   - state: The state from the journal; empty for a new store.
    ///   - journal: Stores all later events; it must not have another owner.
    ///   - environment: The executor, time and random numbers.
    public init(
        store catalogue: StoreCatalogue, state: SandboxState = SandboxState(),
        journal: sending any SandboxJournal, environment: Environment
    ) {
        let store = EmbeddedStore(catalogue, state: state)
        self.store = store
        self.journal = journal
        self.environment = environment
        snapshot = Mutex(CatalogueSnapshot(store))
    }

    deinit { timer.cancel() }

    /// The executor of the environment.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe environment.executor.asUnownedSerialExecutor()
    }

    /// Replaces the catalogue and notifies the listeners. Orders and settings stay. The same catalogue has no effect.
    public func use(_ catalogue: StoreCatalogue) {
        let changes = store.use(catalogue)
        snapshot.withLock { $0.use(store) }
        notify(changes)
    }

    /// Commits the open events and closes the journal. Later calls throw `serviceUnavailable`.
    public func close() async throws(StoreFailure) {
        try await makeAllDurable()
        ending = StoreFailure(.serviceUnavailable, "the sandbox was closed")
        timer.cancel()
        do {
            try journal.close()
        } catch {
            throw StoreFailure(.storageFailed, error.description)
        }
    }

    /// Runs a call of the store, commits its events and returns its answer after the latency.
    ///
    /// - Throws: The commit failed, or the store was closed.
    func perform<Answer, Failure>(
        _ call: (inout EmbeddedStore, StoreContext) -> StoreStep<Answer, Failure>
    ) async throws(StoreFailure) -> Result<Answer, Failure> {
        if let ending { throw ending }
        let context = context()
        let step = call(&store, context)
        record(step.effects, at: context.now)
        try await makeDurable()
        setTimer()
        try await sleep(step.latency)
        return step.answer
    }

    /// Commits the open events and reads from the store. A failed commit is left to the calls that can throw it:
    /// lists show what the store has.
    func read<Value, Failure>(
        _ body: (EmbeddedStore, Timestamp) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try? await makeAllDurable()
        return try body(store, environment.now())
    }

    /// Returns when the present state and all later changes are on stable storage.
    func makeAllDurable() async throws(StoreFailure) {
        repeat { try await makeDurable() } while isDirty
    }

    private func context() -> StoreContext {
        StoreContext(now: environment.now(), makeID: environment.makeID)
    }

    private func record(_ effects: StoreEffects, at time: Timestamp) {
        guard !effects.events.isEmpty else { return }
        for event in effects.events { journal.append(event, time: time) }
        changes.formUnion(effects.changes)
        isDirty = true
        snapshot.withLock { $0.update(after: effects.events, of: store) }
    }

    /// Returns when all events so far are on stable storage.
    ///
    /// The first caller yields once, so that calls which are queued at the executor run and share its commit. Calls
    /// that only read wait as well: no answer names an order that a crash could undo.
    private func makeDurable() async throws(StoreFailure) {
        if let ending { throw ending }
        guard isDirty else { return }
        if isCommitComing {
            if let failure = await withCheckedContinuation({ waiting.append($0) }) { throw failure }
            return
        }
        isCommitComing = true
        await Task.yield()
        isCommitComing = false
        commit()
        let resumed = waiting
        waiting = []
        for call in resumed { call.resume(returning: ending) }
        if let ending { throw ending }
    }

    private func commit() {
        do {
            try journal.commit()
        } catch {
            let failure = StoreFailure(.storageFailed, error.description)
            ending = failure
            environment.storageFailed(failure)
            return
        }
        isDirty = false
        journal.didCommit(store.state)
        let committed = changes
        changes = []
        notify(committed)
    }

    private func notify(_ changes: Set<StoreChange>) {
        guard !changes.isEmpty else { return }
        for listener in listeners.withLock({ $0 }) {
            for change in changes { listener(change) }
        }
    }

    private func sleep(_ latency: Duration) async throws(StoreFailure) {
        guard latency > .zero else { return }
        do {
            try await environment.clock.sleep(for: latency)
        } catch {
            throw StoreFailure(.connectionError, "the call was cancelled before the reply arrived")
        }
    }

    /// Sets the timer to the next due event.
    private func setTimer() {
        timer.set(
            ending == nil ? store.wakeAt : nil, now: environment.now(), clock: environment.clock
        ) { [weak self] in await self?.wakeUp() }
    }

    /// Applies the due events. After a failed commit, the next call throws the failure.
    private func wakeUp() async {
        timer.reset()
        guard ending == nil else { return }
        let context = context()
        record(store.catchUp(context), at: context.now)
        try? await makeDurable()
        setTimer()
    }
}
