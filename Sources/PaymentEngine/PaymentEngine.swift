public import PaymentCore
public import Logging

/// One payment queue, its log and its store: wires the parts and routes calls to them.
///
/// Commands are decided and applied as they are read. A turn then goes to the log with one commit, and
/// only then do replies, events and orders leave. Between reading state and handing records to the log
/// the engine never waits. ``QueueWriter`` decides, ``Turn`` commits and releases.
///
/// Proof: every entry point runs on the loop, which `preconditionOnLoop` checks; no state is touched
/// anywhere else. The class is Sendable only so that answers of the store can name it.
public final class PaymentEngine: @unchecked Sendable {
    let writer: QueueWriter
    let deadlines: Deadlines
    let reader: QueueReader
    let clocks: QuestionClocks
    let subscriptionHub: SubscriptionHub
    let catchUp: SubscriptionCatchUp
    let commands: Commands
    let login: LoginRouting
    let questions: QuestionRouting
    let turn: Turn
    /// The health of the store.
    public internal(set) var storeHealth: StoreHealth

    let gateway: any StoreGateway
    /// How long people and the store are waited for.
    public let timeouts: EngineTimeouts

    /// Asks again for the catalogue in use after a failure.
    var catalogueReload: (any EngineTimer)?
    var logins = LoginLine()
    var calls = StoreCalls()
    var reconciliation = Reconciliation()
    /// The next reconciliation.
    var reconciliationTimer: (any EngineTimer)?
    /// The restore that is worked at. Restores of an account run one after another, and only one account
    /// is in session.
    var restoreRun: RestoreRun?
    var restoreRuns: UInt64 = 0
    /// The end of the time that the restore may take, and the next attempt.
    var restoreDeadline: (any EngineTimer)?
    var restoreRetry: (any EngineTimer)?
    /// Takes over a queue that was replayed from its journal.
    ///
    /// - Parameters:
    ///   - queue: The state as of the journal's head.
    ///   - journal: Where records go.
    ///   - gateway: The store.
    ///   - loop: The thread that everything runs on.
    ///   - sources: Clock and random bits.
    ///   - defaultCountry: The country of prices while nobody is logged in.
    ///   - logger: Where people read.
    ///   - timeouts: How long people and the store are waited for.
    ///   - onFailure: Called once when the journal failed. It must end the process without letting
    ///     another byte out.
    public init(
        queue: PaymentQueue, journal: any RecordLog, gateway: any StoreGateway,
        loop: any EngineLoop, sources: EngineSources, defaultCountry: CountryCode?,
        log logger: Logger,
        timeouts: EngineTimeouts = EngineTimeouts(),
        onFailure: @escaping @Sendable (JournalFailure) -> Void
    ) {
        writer = QueueWriter(
            queue: queue, journal: journal, loop: loop, sources: sources,
            facts: StoreFacts(catalogues: Catalogues(defaultCountry: defaultCountry)),
            logger: logger,
            paymentPatience: timeouts.payment, onFailure: onFailure)
        self.gateway = gateway
        self.timeouts = timeouts
        storeHealth = StoreHealth(name: gateway.name, since: sources.wallClock())
        deadlines = Deadlines(loop: loop)
        reader = QueueReader(writer: writer)
        clocks = QuestionClocks(writer: writer, deadlines: deadlines)
        subscriptionHub = SubscriptionHub(writer: writer, clocks: clocks, deadlines: deadlines)
        catchUp = SubscriptionCatchUp(hub: subscriptionHub, clocks: clocks)
        commands = Commands(writer: writer)
        login = LoginRouting(
            hub: subscriptionHub, clocks: clocks, commands: commands, patience: timeouts.login)
        questions = QuestionRouting(writer: writer, clocks: clocks, login: login)
        let delivery = SubscriptionDelivery(hub: subscriptionHub, catchUp: catchUp, clocks: clocks)
        turn = Turn(
            deadlines: deadlines, reader: reader, hub: subscriptionHub, catchUp: catchUp,
            delivery: delivery, questions: questions)
        writer.turn = turn
        writer.clocks = clocks
        deadlines.handler = turn
        commands.store = self
        turn.store = self
    }

    /// Counts the start and asks the store again for everything that was under way.
    public func start() {
        loop.preconditionOnLoop()
        writer.record(
            .started(incarnation: queue.incarnation + 1), origin: nil, time: sources.wallClock())
        questions.reviewAfterStart()
        if let country = currentCountry { loadCatalogue(of: country) }
        resumeEffects()
        if queue.session != nil { reconcile() }
        scheduleTurnEnd()
    }

    /// Makes a catalogue known; whatever waited for it goes on.
    public func use(_ catalogue: Catalogue) {
        loop.preconditionOnLoop()
        if catalogues.use(catalogue) { productsDidChange() }
        scheduleTurnEnd()
    }

    /// Makes known in which country prices are shown while nobody is logged in, where the store had
    /// not said so when the engine was made.
    public func use(defaultCountry country: CountryCode) {
        loop.preconditionOnLoop()
        catalogues.failure = nil
        guard catalogues.defaultCountry != country else { return }
        catalogues.defaultCountry = country
        loadCatalogue(of: country)
        scheduleTurnEnd()
    }

    /// The catalogue of a country, if it is known.
    public func catalogue(of country: CountryCode) -> Catalogue? {
        catalogues[country]
    }

    /// Tells the catalogues of a country apart that this process has used one after another: places in
    /// one mean nothing in the next. 0 while none was known.
    public func edition(of country: CountryCode) -> UInt64 {
        catalogues.edition(of: country)
    }

    /// Commits the rest of the turn and takes nothing more; for a clean stop. Answers of the store are
    /// dropped from then on: the next start asks again.
    ///
    /// - Parameter done: Called when all is committed and released: before this returns if the log
    ///   answers at once; never if a commit fails.
    public func stop(_ done: @escaping () -> Void = {}) {
        loop.preconditionOnLoop()
        turn.stop(done)
    }

    /// Stops for good because the log, or that of the embedded store, cannot be relied on any more.
    public func fail(_ failure: JournalFailure) { writer.fail(failure) }

    /// Takes a turn even if there is nothing to do, and has the storage answer in it; the watchdog looks
    /// whether that happens.
    public func takeTurn() { turn.takeForWatchdog() }

    /// Puts other limits in force, between turns. State that exceeds them stays.
    public func use(_ limits: Limits) {
        loop.preconditionOnLoop()
        queue.limits = limits
        scheduleTurnEnd()
    }
}
