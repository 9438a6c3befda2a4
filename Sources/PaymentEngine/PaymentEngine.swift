public import Logging
public import PaymentCore

/// The one writer of the queue.
///
/// It takes turns: commands are decided and applied as they are read, then the whole turn goes to
/// the journal with one sync, and only then do replies, events and orders leave. Between reading
/// state and handing records to the journal it never waits.
///
/// Memory runs ahead of the log: by the running turn, and by the batch that is under way where the log
/// answers later. That is safe because nothing of either is seen outside before its commit, and because
/// a failed commit ends the process.
///
/// Proof: every entry point runs on `loop`, which `preconditionOnLoop` checks; no state is touched
/// anywhere else. The class is Sendable only so that answers of the store can name it.
public final class PaymentEngine: @unchecked Sendable {
    /// Decides, appends and applies; everything that changes the queue goes through it.
    let writer: QueueWriter
    /// The store, and what is known about its health.
    public internal(set) var storeHealth: StoreHealth
    /// The live subscriptions in the order of their making.
    public internal(set) var subscriptions: [Subscription] = []
    /// When the journal was last synced.
    public internal(set) var lastCommit: Timestamp?
    /// Turns taken so far; the watchdog looks whether it grows.
    public var turns: UInt64 { pipeline.begun }
    /// How many sessions the store has ended since the start.
    public internal(set) var sessionEnds: UInt64 = 0

    /// Measures the turns.
    public let meter = EngineMeter()
    /// Is shown every batch of records when it is durable, after everybody else; for the log.
    public var witness: (([Record]) -> Void)?
    /// Is told how long a turn or a sync took in which a request with a trace context was recorded, with
    /// the context of the last one.
    public var exemplify: ((EngineMeter.Measure, Duration, OpaqueText) -> Void)?
    /// Is called on the loop behind each turn but those that are taken for the watchdog alone, and
    /// whenever an observer or the store comes or goes: there may be something new to show.
    public var didChange: (() -> Void)?

    let gateway: any StoreGateway
    /// How long people and the store are waited for.
    public let timeouts: EngineTimeouts

    /// Counts, by country, the catalogues that were made known; see ``edition(of:)``.
    var editions: [CountryCode: UInt64] = [:]
    var lastEdition: UInt64 = 0
    /// Why it is not known what is sold, as the store said last.
    var catalogueFailure: StoreFailure?
    /// The countries whose catalogues are asked for until the store says what they are.
    var cataloguesWanted: Set<CountryCode> = []
    /// Counts the sessions that the store has opened. What it says to a question from before the last of
    /// them is about an earlier one.
    var sessionsOpened: UInt64 = 0
    /// Counts how often it was asked where the account in session is.
    var sessionAsks: UInt64 = 0
    /// The newest of those questions that what is known is an answer to, or newer than.
    var sessionAnswered: UInt64 = 0
    /// Asks again what is sold here now.
    var catalogueReload: (any EngineTimer)?
    /// The login that is under way, and those that wait for it.
    var logins: [PendingLogin] = []
    var effects = EffectTable()
    var waiters = Waiters()
    var reconciliation = Reconciliation()
    var restoring = RestoreWork()
    var nextSubscription: UInt64 = 1
    /// The subscriptions that read on from the log when it is their turn.
    var backlog = Backlog()
    /// The subscriptions that have caught up: only they make orders leave.
    var readiness = Observation()
    /// The calls that wait for a login.
    var loginDesk = LoginDesk()
    /// The last answers.
    var answers = GivenAnswers()
    /// The questions that silence will end.
    var clocks: [QuestionID: QuestionClock] = [:]
    /// Whether session or agents changed since the questions were looked at.
    var needsReview = false
    /// Whether somebody could confirm charges when the questions were looked at.
    var hadPaymentAgent = false
    /// The record of the last change of session that was published.
    var lastSessionChange: SequenceNumber = 0
    /// The account in session as of what was published.
    var publishedAccount: AccountName?
    var idleTimer: (any EngineTimer)?
    var lastWork = Duration.zero

    /// How long after the last record the journal is marked idle.
    static let idleDelay = Duration.milliseconds(50)

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
            facts: StoreFacts(defaultCountry: defaultCountry), logger: logger,
            paymentPatience: timeouts.payment, onFailure: onFailure)
        self.gateway = gateway
        self.timeouts = timeouts
        publishedAccount = queue.session?.account
        // Who goes on from an earlier process may have missed the last one, wherever it stands.
        lastSessionChange = journal.head
        storeHealth = StoreHealth(name: gateway.name, since: sources.wallClock())
        writer.turn = self
    }

    /// The log as it is now.
    public var log: LogState {
        LogState(
            epoch: journal.epoch, oldest: journal.oldest, head: journal.head,
            committed: durableHead, isShortOfSpace: journal.isShortOfSpace)
    }

    /// Counts the start and asks the store again for everything that was under way.
    public func start() {
        loop.preconditionOnLoop()
        writer.record(
            .started(incarnation: queue.incarnation + 1), origin: nil, time: sources.wallClock())
        reviewAfterStart()
        if let country = currentCountry { loadCatalogue(of: country) }
        resumeEffects()
        if queue.session != nil { reconcile() }
        scheduleTurnEnd()
    }

    /// Makes a catalogue known; whatever waited for it goes on.
    public func use(_ catalogue: Catalogue) {
        loop.preconditionOnLoop()
        let known = catalogues[catalogue.country]
        catalogues[catalogue.country] = catalogue
        if known != catalogue {
            lastEdition += 1
            editions[catalogue.country] = lastEdition
        }
        if let known, known != catalogue { productsDidChange() }
        scheduleTurnEnd()
    }

    /// Makes known in which country prices are shown while nobody is logged in, where the store had
    /// not said so when the engine was made.
    public func use(defaultCountry country: CountryCode) {
        catalogueFailure = nil
        loop.preconditionOnLoop()
        guard defaultCountry != country else { return }
        defaultCountry = country
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
        editions[country] ?? 0
    }

    /// Asks that a participant is told when the running turn is durable.
    ///
    /// A holder of bytes about this turn must join and keep them until then.
    public func join(_ participant: any TurnParticipant) {
        pipeline.running.participants.append(participant)
        scheduleTurnEnd()
    }

    /// Writes the rest of the turn and takes nothing more; for a clean stop. What the store answers
    /// from now on is not heard: the next start asks again.
    public func stop() {
        loop.preconditionOnLoop()
        endTurn()
        idleTimer?.cancel()
        markIdle()
        writer.stop()
    }
}

/// The state of the store.
public struct StoreHealth: Sendable {
    /// The store's name.
    public var name: String
    /// Whether its last answer was one.
    public var isUp = true
    /// Since when.
    public var since: Timestamp
    /// The failure of its last answer; nil after a success.
    public var lastError: String? { lastFailure?.description }
    /// How it failed last.
    var lastFailure: StoreFailure?
    /// When an order is asked for again; nil too while it is away and tells by itself when it is back.
    public var nextTryAt: Timestamp?
    /// Whether it told by itself that it went down, and not yet that it is back.
    var isAway = false

    init(name: String, since: Timestamp) {
        self.name = name
        self.since = since
    }
}

extension PaymentEngine {
    /// The time of day.
    public var currentTime: Timestamp { sources.wallClock() }

    /// The condition that the transaction of a record waits for now; nil if there is none.
    public func waitingFor(_ record: Record) -> WaitingFor? {
        guard case .transaction(_, var transaction) = record.event else { return nil }
        // What belonged to nobody then may belong to somebody now.
        transaction.account = queue.transaction(transaction.id)?.account ?? transaction.account
        return queue.waitingFor(transaction)
    }
}
