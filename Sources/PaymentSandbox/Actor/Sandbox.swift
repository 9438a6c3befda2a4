public import PaymentCore
public import PaymentHistory
import SandboxControl
import Synchronization

/// The embedded store: it sells a catalogue to accounts, takes no money and forgets no order.
///
/// Its answers are on stable storage first. Calls that arrive together share one commit. When a
/// commit failed, every later call throws `storageFailed`: memory is ahead of the disk then, and
/// only a new process that replays the journal knows what is true.
///
/// Subscriptions live by the sandbox's own clock. What fell due happens before a call is answered,
/// and a timer makes it happen between calls.
public actor Sandbox {
    /// The outside world of a sandbox.
    public struct Environment: Sendable {
        /// Runs the sandbox. Commits block it, so it is none that must stay responsive.
        public var executor: any SerialExecutor
        /// Waits for the latency that tests set, and for what falls due.
        public var clock: any Clock<Duration>
        /// Tells the real time, which the sandbox's own clock is worked out from.
        public var now: @Sendable () -> Timestamp
        /// Makes the names of orders.
        public var randomness: any RandomNumberGenerator & Sendable
        /// The key with which histories are signed.
        public var keys: any HistoryKeys

        /// Creates an environment.
        public init(
            executor: any SerialExecutor, clock: any Clock<Duration> = ContinuousClock(),
            now: @escaping @Sendable () -> Timestamp,
            randomness: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
            keys: any HistoryKeys = NoHistoryKeys()
        ) {
            self.keys = keys
            self.executor = executor
            self.clock = clock
            self.now = now
            self.randomness = randomness
        }
    }

    /// The word `sandbox`.
    public nonisolated let name = "sandbox"

    /// The products and the accounts.
    private(set) var store: StoreCatalogue
    var catalogues: [CountryCode: Catalogue] = [:]
    private(set) var state: SandboxState
    /// The messages to send when the running batch is durable.
    private var changes: Set<StoreChange> = []
    /// Waits for the next event that falls due, unless none ever does.
    var timer: SandboxTimer?
    nonisolated let listeners = Mutex<[@Sendable (StoreChange) -> Void]>([])
    /// How products are described, and whether they are known without asking, for the one question
    /// that does not wait.
    nonisolated let catalogueSnapshot: Mutex<CatalogueSnapshot>
    private(set) var environment: Environment
    private nonisolated let executor: any SerialExecutor

    private let journal: any SandboxJournal
    private var isDirty = false
    private var isCommitComing = false
    private var waiting: [CheckedContinuation<StoreFailure?, Never>] = []
    private var ending: StoreFailure?

    /// Opens a sandbox.
    ///
    /// - Parameters:
    ///   - store: What is sold and to whom.
    ///   - state: What the journal was replayed to; empty for a new one.
    ///   - journal: Takes everything that happens from now on; no other owner may use it.
    ///   - environment: Executor, clock and randomness.
    public init(
        store: StoreCatalogue, state: SandboxState = SandboxState(),
        journal: sending any SandboxJournal, environment: Environment
    ) {
        self.store = store
        self.state = state
        self.journal = journal
        self.environment = environment
        executor = environment.executor
        catalogueSnapshot = Mutex(
            CatalogueSnapshot(
                SaleRules(state, store).settings, in: store,
                introduced: state.orderTable.introduced.mapValues { Set($0.keys) }))
    }

    deinit { timer?.task.cancel() }

    /// The executor that was given.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// The settings in force: those of the catalogue with what clients changed.
    var settings: StoreTestSettings { sales.settings }

    /// The rules of a sale in the present state.
    var sales: SaleRules { SaleRules(state, store) }

    /// Sells something else from now on, perhaps to others. Orders and settings stay as they are, and
    /// listeners are told. The same again changes nothing.
    public func use(_ new: StoreCatalogue) {
        guard new != store else { return }
        store = new
        catalogues = [:]
        refreshCatalogueSnapshot()
        for listener in listeners.withLock({ $0 }) {
            listener(.account(nil))
            listener(.catalogue)
        }
    }

    /// Commits what is open and ends the journal. Later calls throw `serviceUnavailable`.
    public func close() async throws(StoreFailure) {
        try await makeAllDurable()
        ending = StoreFailure(.serviceUnavailable, "the sandbox was closed")
        timer?.task.cancel()
        timer = nil
        do {
            try journal.close()
        } catch {
            throw StoreFailure(.storageFailed, error.description)
        }
    }

    /// Runs a call of the store: nothing if it is down or the call is told to fail, else `body`, then
    /// the commit, then the latency. The answer is late, not the order, so that a crash in between
    /// leaves an order that the queue does not know: the case that must be right.
    func answer<Value: Sendable>(
        _ call: SimulatedCall? = nil, _ body: () throws(StoreFailure) -> Value
    ) async throws(StoreFailure) -> Value {
        if let ending { throw ending }
        catchUp()
        let settings = settings
        let answer: Result<Value, StoreFailure>
        if settings.storeDown {
            answer = .failure(
                StoreFailure(.connectionError, "the sandbox is set to be down"))
        } else if let kind = call.flatMap({ settings.simulatedErrors[$0] }) {
            answer = .failure(StoreFailure(kind, "the sandbox is set to fail this call"))
        } else {
            do {
                answer = .success(try body())
            } catch {
                answer = .failure(error)
            }
        }
        try await makeDurable()
        armTimer()
        try await wait(settings.latencyMs)
        return try answer.get()
    }

    /// Applies an event and appends it to the running batch.
    func record(_ event: SandboxEvent) {
        changes.formUnion(event.changes(in: state))
        state.apply(event)
        journal.append(event, time: time())
        isDirty = true
        switch event {
        case .settingsChanged, .settingsReset:
            catalogues = [:]
            refreshCatalogueSnapshot()
        case .orderPlaced(let placed, _) where placed.group != nil:
            noteIntroductions(placed.order.account)
        case .orderPaid(let id, _): state.order(id).map { noteIntroductions($0.order.account) }
        case .ordersDeleted:
            for account in state.deletions.orders.keys { noteIntroductions(account) }
        default: break
        }
    }

    private func refreshCatalogueSnapshot() {
        let (settings, store) = (settings, store)
        catalogueSnapshot.withLock {
            $0 = CatalogueSnapshot(settings, in: store, introduced: $0.introduced)
        }
    }

    private func noteIntroductions(_ account: AccountName) {
        let introduced = state.introduced(account)
        catalogueSnapshot.withLock {
            $0.introduced[account] = introduced.isEmpty ? nil : introduced
        }
    }

    /// Whether nothing is served any more.
    var hasEnded: Bool { ending != nil }

    /// The real moment.
    func time() -> Timestamp { environment.now() }

    /// A name that no order has.
    func freshOrderID() -> OrderID {
        while true {
            let id = OrderID(
                UniqueID(
                    randomHigh: environment.randomness.next(),
                    randomLow: environment.randomness.next()))
            if !state.isUsed(id) { return id }
        }
    }

    private func wait(_ milliseconds: Int) async throws(StoreFailure) {
        guard milliseconds > 0 else { return }
        do {
            try await environment.clock.sleep(for: .milliseconds(milliseconds))
        } catch {
            throw StoreFailure(.connectionError, "the call was cancelled before the reply arrived")
        }
    }

    /// Returns when everything recorded so far is on stable storage.
    ///
    /// The first caller steps back once, so that all calls that are waiting for the executor get
    /// their turn, and then commits for all of them. It commits for those who only read as well:
    /// no answer names an order that a crash could still undo.
    func makeDurable() async throws(StoreFailure) {
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
        let companions = waiting
        waiting = []
        for companion in companions { companion.resume(returning: ending) }
        if let ending { throw ending }
    }

    /// Returns when the state as it is on return is on stable storage, later changes included.
    func makeAllDurable() async throws(StoreFailure) {
        repeat { try await makeDurable() } while isDirty
    }

    private func commit() {
        do {
            try journal.commit()
            isDirty = false
            journal.didCommit(state)
            tell()
        } catch {
            ending = StoreFailure(.storageFailed, error.description)
        }
    }

    /// Tells the listeners what has become durable.
    private func tell() {
        guard !changes.isEmpty else { return }
        let told = changes
        changes = []
        for listener in listeners.withLock({ $0 }) {
            for change in told { listener(change) }
        }
    }
}
