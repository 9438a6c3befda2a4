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
    /// When the journal was last synced.
    public internal(set) var lastCommit: Timestamp?
    /// Turns taken so far; the watchdog looks whether it grows.
    public var turns: UInt64 { pipeline.begun }

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

    /// How long people and the store are waited for.
    public let timeouts: EngineTimeouts

    let store: StoreControllers
    /// The calls that wait for a login.
    var loginDesk = LoginDesk()
    /// The last answers.
    var answers = RecentAnswers()
    /// Whether somebody could confirm charges when the questions were looked at.
    var hadPaymentAgent = false
    let deadlines: Deadlines
    let reader: QueueReader
    let clocks: QuestionClocks
    let subscriptionHub: SubscriptionHub
    let catchUp: SubscriptionCatchUp
    let delivery: SubscriptionDelivery
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
            facts: StoreFacts(catalogues: Catalogues(defaultCountry: defaultCountry)),
            logger: logger,
            paymentPatience: timeouts.payment, onFailure: onFailure)
        self.timeouts = timeouts
        deadlines = Deadlines(loop: loop)
        reader = QueueReader(writer: writer)
        clocks = QuestionClocks(writer: writer, deadlines: deadlines)
        subscriptionHub = SubscriptionHub(writer: writer, clocks: clocks, deadlines: deadlines)
        catchUp = SubscriptionCatchUp(hub: subscriptionHub, clocks: clocks)
        delivery = SubscriptionDelivery(hub: subscriptionHub, catchUp: catchUp, clocks: clocks)
        store = StoreControllers(
            writer: writer, gateway: gateway, deadlines: deadlines, timeouts: timeouts)
        writer.turn = self
        store.access.observer = self
        deadlines.handler = self
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
        store.start()
        scheduleTurnEnd()
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
        deadlines.cancel(.idleMark)
        markIdle()
        writer.stop()
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
