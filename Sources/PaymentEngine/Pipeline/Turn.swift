public import PaymentCore

/// Callbacks for code outside of the engine. All are called on the loop.
public struct EngineHooks {
    /// Receives every batch of records that is committed, after all subscribers.
    public var onCommitted: (([Record]) -> Void)?
    /// Receives the duration of a turn or a commit in which a request with a trace context was recorded.
    /// The text is the trace context of the last such request.
    public var exemplify: ((EngineMeter.Measure, Duration, OpaqueText) -> Void)?
    /// Called after each turn, except turns for the watchdog alone, and whenever an observer or the store
    /// becomes available or unavailable: the state to show may have changed.
    public var didChange: (() -> Void)?
    /// Receives the changes at the embedded store that no call of the queue caused, after their commit.
    /// It must pass them to ``StoreControllers/didChange(_:)``. Without a hook the engine does that
    /// itself, at once.
    public var storeDidChange: ((StoreChange) -> Void)?
}

/// The end of a turn, in a fixed order: review questions, start orders, answer waits, commit; then
/// replies, events, orders.
///
/// Commands are decided and applied as they are read. The whole turn then goes to the log with one
/// commit. While that batch is in flight, the next turn collects further commands.
///
/// Proof: see ``QueueWriter``; work on the loop names it.
public final class Turn: @unchecked Sendable {
    /// The maximum number of orders and questions that start in one turn.
    static let startsOfTurn = 256
    /// The maximum time that one turn spends on each of three tasks: starts, the arrangement of the
    /// agents' turns, and the end of questions without an agent. The rest follows in the next turns,
    /// after the sockets were polled.
    static let slice = Duration.microseconds(500)
    /// The time from the last record to the idle mark of the log.
    static let idleDelay = Duration.milliseconds(50)

    /// Measures the turns.
    public let meter = EngineMeter()
    /// Callbacks for code outside of the engine.
    public var hooks = EngineHooks()
    /// The time of the last committed record.
    public private(set) var lastCommit: Timestamp?

    private let writer: QueueWriter
    private let deadlines: Deadlines
    private let reader: QueueReader
    private let hub: SubscriptionHub
    private let catchUp: SubscriptionCatchUp
    private let delivery: SubscriptionDelivery
    private let questions: QuestionRouting
    private let store: StoreControllers
    private var lastWork = Duration.zero
    private var afterStop: (() -> Void)?

    init(
        deadlines: Deadlines, reader: QueueReader, hub: SubscriptionHub,
        catchUp: SubscriptionCatchUp, delivery: SubscriptionDelivery, questions: QuestionRouting,
        store: StoreControllers
    ) {
        writer = hub.writer
        self.deadlines = deadlines
        self.reader = reader
        self.hub = hub
        self.catchUp = catchUp
        self.delivery = delivery
        self.questions = questions
        self.store = store
    }

    /// Adds a barrier to the running turn. The barrier holds replies that show the state of this turn,
    /// and releases them when the turn is committed.
    public func join(_ barrier: any Barrier) {
        writer.pipeline.running.barriers.append(barrier)
        writer.scheduleTurnEnd()
    }

    /// Ends the running turn. While a batch is in flight, the turn ends after the commit of that batch.
    func end() {
        writer.loop.preconditionOnLoop()
        guard writer.isRunning, writer.pipeline.begin(at: writer.loop.now) else { return }
        meter.begin(.turn)
        // A stop commits the recorded events and starts nothing new.
        if !writer.isReadOnly, afterStop == nil {
            questions.review()
            startOrders()
        }
        writer.pipeline.startsAreDone()
        answerWaits()
        guard writer.isRunning else { return }
        writer.pipeline.running.trace = lastTrace
        let isEmpty = writer.pipeline.running.isEmpty && !writer.journal.wantsCommit
        writer.pipeline.seal(at: writer.loop.now)
        if isEmpty { return probe() }
        meter.begin(.sync)
        let result = writer.journal.submit { [self] result in wasCommitted(result) }
        if let result { wasCommitted(result) } else { awaitCommit() }
    }

    /// Runs a turn even if there is nothing to do, and probes the storage in it unless the log was synced
    /// since the last such turn. The watchdog checks that these turns happen.
    func takeForWatchdog() {
        writer.pipeline.isForWatchdog = true
        writer.scheduleTurnEnd()
    }

    /// Commits the rest and stops.
    ///
    /// - Parameter done: Called when everything is committed and released; before this returns if the
    ///   log answers at once. Not called when a commit fails.
    func stop(_ done: @escaping () -> Void) {
        afterStop = { [afterStop] in
            afterStop?()
            done()
        }
        end()
        stopIfSettled()
    }

    private func stopIfSettled() {
        guard writer.pipeline.isSettled, let done = afterStop else { return }
        afterStop = nil
        deadlines.cancel(.idleMark)
        markIdle()
        writer.stop()
        done()
    }

    // MARK: Before the commit

    /// Starts orders and opens questions. Nothing starts while a change of session is not committed,
    /// because observers must first receive what the new session sees. An embedded store answers each
    /// order at once, which may change the session.
    private func startOrders() {
        let end = writer.loop.now + Self.slice
        for _ in 0..<Self.startsOfTurn {
            guard writer.isRunning, !writer.pipeline.changesSession else { return }
            guard writer.loop.now < end else { break }
            let context = writer.context(nil)
            writer.ask { queue in
                queue.decideNextStart(context, for: hub.readyObservers, events: &writer.events)
            }
            guard !writer.events.isEmpty, hasRoomForStart() else { return }
            let first = writer.recordsOfTurn
            writer.recordEvents(origin: nil, time: context.now)
            store.orders.submitAtOnce(from: first)
        }
        writer.scheduleTurnEndAfterInput()
    }

    /// Whether there is room for the next start. The room of an order was claimed before; a question
    /// needs free room.
    private func hasRoomForStart() -> Bool {
        if case .transaction(.submitted, _)? = writer.events.first { return true }
        return (try? writer.dropUnlessThereIsRoom(nil)) != nil
    }

    /// Reports the completions of the turn to the embedded store, so that both share the commit. Then it
    /// answers the waits that the turn ends. Their replies belong to the turn: they leave after its
    /// commit and before its events. An answer may cause further commands.
    private func answerWaits() {
        var count = 0
        while count < writer.pipeline.running.records.count {
            if !writer.isReadOnly { store.orders.completeAtOnce(from: count) }
            let answers = reader.waits.endWaits(by: writer.pipeline.running.records[count...])
            count = writer.pipeline.running.records.count
            for answer in answers { answer() }
        }
    }

    /// The trace context of the last request of the turn that carried one, if the hook wants it.
    private var lastTrace: OpaqueText? {
        guard hooks.exemplify != nil else { return nil }
        return writer.pipeline.running.records.last { $0.origin?.trace != nil }?.origin?.trace
    }

    // MARK: The commit

    /// Seals the barriers of this turn: its replies are held apart from later replies until the log
    /// answers.
    private func awaitCommit() {
        meter.begin(.other)
        for barrier in writer.pipeline.inFlight?.barriers ?? [] {
            barrier.turnIsSealed()
        }
        catchUp.turnEnded()
    }

    private func wasCommitted(_ result: CommitResult) {
        guard isGood(result), let batch = writer.pipeline.inFlight else { return }
        let duration = writer.loop.now - batch.submitted
        meter.endSync(duration)
        if let trace = batch.trace { hooks.exemplify?(.sync, duration, trace) }
        writer.pipeline.hasSynced = true
        lastCommit = batch.records.last?.time ?? lastCommit
        probe()
    }

    /// Probes the storage in a turn for the watchdog, unless the log was synced since the last such turn.
    /// A storage that hangs or fails is thus noticed before a client's request needs it.
    private func probe() {
        let isForWatchdog = writer.pipeline.isForWatchdog
        let mustAsk = isForWatchdog && !writer.pipeline.hasSynced
        if isForWatchdog {
            writer.pipeline.isForWatchdog = false
            writer.pipeline.hasSynced = false
        }
        guard mustAsk else { return release(forWatchdog: isForWatchdog) }
        let began = writer.loop.now
        meter.begin(.sync)
        let wasProbed = { [self] (result: CommitResult) in
            guard isGood(result) else { return }
            meter.endSync(writer.loop.now - began)
            release(forWatchdog: true)
        }
        if let result = writer.journal.probe(wasProbed) {
            wasProbed(result)
        } else {
            awaitCommit()
        }
    }

    /// Whether the batch was committed. Otherwise the engine fails, and nothing of the batch is ever
    /// visible outside.
    private func isGood(_ result: CommitResult) -> Bool {
        guard writer.state != .failed else { return false }
        switch result {
        case .committed: return true
        case .fenced(let term):
            writer.fail(JournalFailure("another owner, of term \(term), has taken over the log"))
        case .failed(let failure): writer.fail(failure)
        }
        return false
    }

    // MARK: After the commit

    /// Releases a committed batch: replies, then events, then orders.
    private func release(forWatchdog: Bool) {
        let position = writer.durableHead
        let batch = writer.pipeline.commit()
        let records = batch.records
        if let last = records.last {
            writer.durableHead = last.sequence
            for answer in reader.waits.endRecordWaits() { answer() }
        }
        releaseReplies(batch.barriers)
        if !records.isEmpty { delivery.deliver(batch, after: position) }
        catchUp.advanceNew()
        // Live subscriptions have received the session change. Orders may start for those; others count
        // once they have caught up with it.
        if batch.changesSession { hub.readinessChanged() }
        act(on: batch)
        if !records.isEmpty { hooks.onCommitted?(records) }
        for done in batch.afterCommit { done() }
        for change in batch.storeChanges { tell(change) }
        if !batch.isEmpty {
            lastWork = writer.loop.now
            if !deadlines.isSet(.idleMark) { deadlines.set(.idleMark, after: Self.idleDelay) }
        }
        catchUp.turnEnded()
        if !forWatchdog || !records.isEmpty { hooks.didChange?() }
        let duration = writer.loop.now - batch.began
        meter.endTurn(duration)
        if let trace = batch.trace { hooks.exemplify?(.turn, duration, trace) }
        let isOwed = writer.pipeline.reuse(batch)
        if afterStop != nil {
            if !writer.pipeline.isSettled { end() }
            stopIfSettled()
        } else if isOwed {
            writer.loop.execute { [self] in end() }
        }
    }

    /// Releases the replies of a batch. Later replies are released as well, unless they may show proposed
    /// records.
    private func releaseReplies(_ barriers: [any Barrier]) {
        for barrier in barriers { barrier.turnIsCommitted() }
        guard writer.pipeline.isSettled, !writer.pipeline.running.barriers.isEmpty else {
            return
        }
        let late = writer.pipeline.running.barriers
        writer.pipeline.running.barriers.removeAll(keepingCapacity: true)
        for barrier in late { barrier.turnIsCommitted() }
    }

    /// Sends the store requests of a committed batch, and starts a reconciliation or a restore if one is
    /// due.
    private func act(on batch: TurnPipeline.Batch) {
        guard !writer.isReadOnly else { return }
        store.orders.perform(batch)
        if hub.wasUnobserved, !writer.queue.activeObservers.isEmpty {
            hub.wasUnobserved = false
            if writer.queue.session != nil { store.reconciliation.want() }
        }
        if !hub.readyObservers.isEmpty { store.restores.startNext() }
    }

    /// Passes on a change at the embedded store: to the hook, or without a hook to the controllers.
    private func tell(_ change: StoreChange) {
        guard let tell = hooks.storeDidChange else { return store.didChange(change) }
        tell(change)
    }

    /// Marks the log idle. If the log was used meanwhile, it sets the deadline again, so that one
    /// deadline serves any number of turns. A mark after the last batch proves that the batch was synced.
    private func idleMarkIsDue() {
        let rest = Self.idleDelay - (writer.loop.now - lastWork)
        if rest > .zero {
            deadlines.set(.idleMark, after: rest)
        } else if !writer.pipeline.isSettled {
            deadlines.set(.idleMark, after: Self.idleDelay)
        } else {
            markIdle()
        }
    }

    private func markIdle() {
        guard writer.isRunning else { return }
        meter.begin(.sync)
        defer { meter.begin(.other) }
        do throws(JournalFailure) {
            try writer.journal.markIdle()
        } catch {
            writer.fail(error)
        }
    }
}

extension Turn: DeadlineHandler {
    func isDue(_ deadline: Deadlines.Key) {
        guard writer.isRunning else { return }
        // With a read-only log no question may time out, because the end could not be recorded.
        if writer.isReadOnly, case .question = deadline { return }
        switch deadline {
        case .idleMark: idleMarkIsDue()
        case .question(let id): questions.timeOut(id)
        case .agentTurn(let id): questions.endTurn(of: id)
        case .heartbeat(let number): hub.heartbeatIsDue(number)
        case .catalogue, .storeCall, .storeClock, .reconciliation, .restoreAttempt, .restoreEnd:
            store.isDue(deadline)
        }
    }
}
