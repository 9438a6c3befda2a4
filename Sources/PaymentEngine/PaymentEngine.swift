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
    let store: StoreControllers
    /// How long people and the store are waited for.
    public let timeouts: EngineTimeouts

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
        commands = Commands(writer: writer)
        login = LoginRouting(
            hub: subscriptionHub, clocks: clocks, commands: commands, patience: timeouts.login)
        questions = QuestionRouting(writer: writer, clocks: clocks, login: login)
        let delivery = SubscriptionDelivery(hub: subscriptionHub, catchUp: catchUp, clocks: clocks)
        turn = Turn(
            deadlines: deadlines, reader: reader, hub: subscriptionHub, catchUp: catchUp,
            delivery: delivery, questions: questions)
        store = StoreControllers(
            writer: writer, gateway: gateway, deadlines: deadlines, timeouts: timeouts)
        writer.turn = turn
        writer.clocks = clocks
        deadlines.handler = turn
        commands.catalogues = store.catalogues
        turn.store = store
        store.access.observer = self
    }

    /// Counts the start and asks the store again for everything that was under way.
    public func start() {
        loop.preconditionOnLoop()
        writer.record(
            .started(incarnation: queue.incarnation + 1), origin: nil, time: sources.wallClock())
        questions.reviewAfterStart()
        store.start()
        scheduleTurnEnd()
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
