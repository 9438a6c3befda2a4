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
    /// Reads the log and waits for records.
    public let reader: QueueReader
    /// The live subscriptions.
    public let subscriptions: SubscriptionHub
    /// Brings subscriptions to live records.
    public let catchUp: SubscriptionCatchUp
    /// The commands of clients about the queue.
    public let commands: Commands
    /// Calls that wait for a login.
    public let login: LoginRouting
    /// The open questions.
    public let questions: QuestionRouting
    /// Commits turns and releases what they hold.
    public let turn: Turn
    /// The time limits of persons and of the store.
    public let timeouts: EngineTimeouts
    /// The store's side.
    public let store: StoreControllers
    /// The number of closed things that are removed from memory at a time, at least. It takes a tenth of a
    /// millisecond.
    private static let removedAtOnce = 32

    /// Takes over a queue that was replayed from its journal.
    ///
    /// - Parameters:
    ///   - queue: The state as of the journal's head.
    ///   - journal: The log that receives the records.
    ///   - history: The closed things that the queue does not have in memory.
    ///   - way: The way to the store.
    ///   - loop: The thread that runs the engine.
    ///   - sources: Clock and random bits.
    ///   - defaultCountry: The country of prices while no account is logged in.
    ///   - logger: Receives the log messages.
    ///   - timeouts: The time limits of persons and of the store.
    ///   - onFailure: Called once when the journal has failed. It must end the process before any further
    ///     output leaves.
    public init(
        queue: PaymentQueue, journal: any RecordLog,
        history: any ClosedHistory = EmptyHistory(), store way: StoreWay,
        loop: any EngineLoop, sources: EngineSources, defaultCountry: CountryCode?,
        log logger: Logger,
        timeouts: EngineTimeouts = EngineTimeouts(),
        onFailure: @escaping @Sendable (JournalFailure) -> Void
    ) {
        writer = QueueWriter(
            queue: queue, journal: journal, history: history, loop: loop, sources: sources,
            facts: StoreFacts(
                catalogues: Catalogues(defaultCountry: defaultCountry),
                paymentPatienceMs: timeouts.payment.wholeMilliseconds),
            logger: logger,
            onFailure: onFailure)
        self.timeouts = timeouts
        deadlines = Deadlines(loop: loop)
        reader = QueueReader(writer: writer)
        let clocks = QuestionClocks(writer: writer, deadlines: deadlines)
        subscriptions = SubscriptionHub(writer: writer, clocks: clocks, deadlines: deadlines)
        catchUp = SubscriptionCatchUp(hub: subscriptions, clocks: clocks)
        store = StoreControllers(
            writer: writer, way: way, deadlines: deadlines, timeouts: timeouts)
        commands = Commands(hub: subscriptions, catalogues: store.catalogues)
        login = LoginRouting(
            hub: subscriptions, clocks: clocks, commands: commands, patience: timeouts.login)
        questions = QuestionRouting(writer: writer, clocks: clocks, login: login)
        turn = Turn(
            deadlines: deadlines, reader: reader, hub: subscriptions, catchUp: catchUp,
            delivery: SubscriptionDelivery(hub: subscriptions, catchUp: catchUp, clocks: clocks),
            questions: questions, store: store)
        writer.turn = turn
        writer.clocks = clocks
        store.access.observer = self
        deadlines.handler = turn
    }

    /// Whether the engine has neither stopped nor failed. Commands are allowed only while it is true.
    public var isRunning: Bool { writer.isRunning }

    /// Records the start, and repeats the store requests that were under way when the last process ended.
    /// With a read-only log it does neither.
    ///
    /// A follower only loads the catalogue. It starts when it has become the owner.
    public func start() {
        writer.loop.preconditionOnLoop()
        if isFollowing { loadCatalogue() }
        guard !isReadOnly else { return }
        writer.record(
            .started(incarnation: queue.incarnation + 1), origin: nil, time: writer.time)
        questions.reviewAfterStart()
        store.start()
        writer.scheduleTurnEnd()
    }

    /// Whether the engine refuses all changes, because the log is read-only or another node owns it.
    public var isReadOnly: Bool { writer.isReadOnly }

    /// Whether another node owns the log, or none does.
    public var isFollowing: Bool { writer.journal.isFollowing }

    /// Applies a record that another node has committed and that is in the files of this node.
    /// Subscribers receive it at the end of the turn.
    ///
    /// - Throws: The rules of the queue refuse the record.
    public func follow(_ record: Record) throws {
        writer.loop.preconditionOnLoop()
        try writer.follow(record)
        // The catalogue is loaded now, so that this node can sell as soon as it is the owner.
        if case .sessionChanged = record.event { loadCatalogue() }
    }

    /// Calls a closure when a follower should apply the next records. That is after one slice if
    /// subscriptions wait for a slice, or the session changes in the running turn; otherwise it is at
    /// once. If few subscriptions wait, all of them see the queue after each batch.
    public func whenShown(_ done: @escaping @Sendable () -> Void) {
        let loop = writer.loop
        loop.preconditionOnLoop()
        guard catchUp.hasQueued || writer.pipeline.running.changesSession else { return done() }
        // The turn must end first, because only its end schedules the slice.
        loop.execute { loop.executeAfterInput(done) }
    }

    private func loadCatalogue() {
        if let country = currentCountry { store.catalogues.load(country) }
    }

    /// Commits the rest of the turn and accepts nothing more, for a clean stop. Later answers of the
    /// store are dropped, and the next start repeats the requests.
    ///
    /// - Parameter done: Called when all is committed and released: before this returns if the log
    ///   answers at once; never if a commit fails.
    public func stop(_ done: @escaping () -> Void = {}) {
        writer.loop.preconditionOnLoop()
        turn.stop(done)
    }

    /// Stops for good because the log, or that of the embedded store, cannot be relied on any more.
    public func fail(_ failure: JournalFailure) { writer.fail(failure) }

    /// Runs a turn even if there is nothing to do, and probes the storage in it unless the log was synced
    /// since the last such turn. The watchdog checks that these turns happen.
    public func takeTurn() { turn.takeForWatchdog() }

    /// Replaces the history. The new history contains all closed things of the present one.
    public func use(_ history: any ClosedHistory) {
        writer.loop.preconditionOnLoop()
        writer.history = history
    }

    /// Removes from memory the closed things that the history contains. It removes a few at a time, and clients
    /// are served in between. While records are written, it removes at least as many things as there are
    /// records: a transaction has several, so the removal is faster than transactions are closed.
    ///
    /// - Parameters:
    ///   - keys: The name of each thing.
    ///   - done: Called on the loop when all are removed; not if the engine stops before.
    public func removeClosed(
        _ keys: ArraySlice<ClosedKey>, _ done: @escaping @Sendable () -> Void
    ) {
        writer.loop.preconditionOnLoop()
        removeClosed(keys, after: writer.journal.head, done)
    }

    private func removeClosed(
        _ keys: ArraySlice<ClosedKey>, after head: SequenceNumber,
        _ done: @escaping @Sendable () -> Void
    ) {
        guard writer.isRunning else { return }
        let now = writer.journal.head
        let count = max(Int(now - head), Self.removedAtOnce)
        writer.queue.removeClosed(keys.prefix(count))
        let rest = keys.dropFirst(count)
        guard !rest.isEmpty else { return done() }
        writer.loop.executeAfterInput { [self] in removeClosed(rest, after: now, done) }
    }

    /// Lets a user take all remaining units of the limits that users share; see ``Limits/exemptUser``.
    public func exempt(_ user: UInt32) {
        writer.queue.limits.exemptUser = user
    }

    /// Puts other limits in force, between turns. State that exceeds them stays.
    public func use(_ limits: Limits) {
        writer.loop.preconditionOnLoop()
        writer.queue.limits = limits
        writer.scheduleTurnEnd()
    }
}

/// The state of the engine for readers on its loop.
extension PaymentEngine {
    /// The state of the queue, the running batch included.
    public var queue: PaymentQueue {
        _read { yield writer.queue }
    }

    /// The last record that is committed.
    public var durableHead: SequenceNumber { writer.durableHead }

    /// The log as it is now.
    public var log: LogState {
        LogState(
            epoch: writer.journal.epoch, oldest: writer.journal.oldest, head: writer.journal.head,
            committed: writer.durableHead, room: writer.journal.room)
    }

    /// The number of turns so far. The watchdog checks that it grows.
    public var turns: UInt64 { writer.pipeline.begun }

    /// The time of day.
    public var currentTime: Timestamp { writer.time }

    /// The country that products are shown in now.
    public var currentCountry: CountryCode? { writer.currentCountry }

    /// The condition that the transaction of a record waits for now; nil if there is none.
    public func waitingFor(_ record: Record) -> WaitingFor? {
        guard case .transaction(_, var transaction) = record.event else { return nil }
        return writer.ask { queue in
            transaction.account = queue.owner(of: transaction, recordedBy: record.sequence)
            return queue.waitingFor(transaction)
        }
    }
}

extension PaymentEngine: StoreObserver {
    /// Passes a change of session, caused by an answer of the store, to the other parts.
    func sessionDidChange(_ news: SessionNews) {
        switch news {
        case .confirmed: return store.sessionIsConfirmed()
        case .opened(let origin, let sequence):
            writer.pipeline.running.login = (origin, sequence)
            // Calls that failed because a session had ended are made again at once.
            store.orders.endAllWaits()
        case .changed: break
        }
        writer.pipeline.running.changesSession = true
        store.sessionDidChange()
    }

    /// Notifies the hook that the store's health has changed.
    func storeHealthDidChange() {
        turn.hooks.didChange?()
    }
}
