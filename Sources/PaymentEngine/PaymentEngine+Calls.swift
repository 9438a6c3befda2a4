import Logging
public import PaymentCore

/// Short names for the parts of the writer.
extension PaymentEngine {
    /// The state of the queue, the running batch included.
    public internal(set) var queue: PaymentQueue {
        _read { yield writer.queue }
        _modify { yield &writer.queue }
    }

    /// The last record that is committed.
    public internal(set) var durableHead: SequenceNumber {
        get { writer.durableHead }
        set { writer.durableHead = newValue }
    }

    var events: [Event] {
        _read { yield writer.events }
        _modify { yield &writer.events }
    }

    var pipeline: TurnPipeline {
        _read { yield writer.pipeline }
        _modify { yield &writer.pipeline }
    }

    var journal: any RecordLog { writer.journal }
    var loop: any EngineLoop { writer.loop }
    var sources: EngineSources { writer.sources }
    var logger: Logger { writer.logger }
    var hasFailed: Bool { writer.state == .failed }
    var hasStopped: Bool { writer.state == .stopped }

    /// The country that products are shown in now.
    public var currentCountry: CountryCode? { writer.currentCountry }

    func context(_ origin: Origin?) -> DecisionContext { writer.context(origin) }

    func scheduleTurnEnd() { writer.scheduleTurnEnd() }

    @discardableResult
    func recordEvents(origin: Origin?, time: Timestamp, own: Int? = nil) -> SequenceNumber {
        writer.recordEvents(origin: origin, time: time, own: own)
    }

    func dropUnlessThereIsRoom() throws(EngineRefusal) { try writer.dropUnlessThereIsRoom() }
}

/// Subscriptions.
extension PaymentEngine {
    /// The live subscriptions in the order of their numbers.
    public var subscriptions: [Subscription] { subscriptionHub.all }

    /// Begins a subscription; see ``SubscriptionHub``.
    public func subscribe(
        _ request: SubscriptionRequest, sink: any SubscriptionSink, origin: Origin? = nil
    ) -> Subscription {
        subscriptionHub.subscribe(request, sink: sink, origin: origin)
    }

    /// Ends a subscription; nothing more is delivered to it. The same again changes nothing.
    public func unsubscribe(_ subscription: Subscription) {
        subscriptionHub.unsubscribe(subscription)
    }

    /// Continues a subscription whose connection has room again.
    public func resume(_ subscription: Subscription) {
        catchUp.enqueue(subscription)
    }

    /// Whether a subscription of an earlier process can continue: it is about this log, and its name
    /// and number are free.
    public func canResume(_ place: SubscriptionPlace, epoch: String) -> Bool {
        subscriptionHub.canResume(place, epoch: epoch)
    }

    /// Continues a subscription of an earlier process, which must be possible. Records since its last
    /// delivery come with an unbroken chain of positions; a live one gets no redelivery.
    public func resume(
        _ place: SubscriptionPlace, sink: any SubscriptionSink
    ) -> Subscription {
        loop.preconditionOnLoop()
        let subscription = subscriptionHub.resume(place, sink: sink)
        catchUp.enqueue(subscription)
        return subscription
    }

    /// Changes the rights of the peer of a subscription: whether it may answer questions, and which it
    /// may put to a person, if it offered to.
    public func allow(
        _ subscription: Subscription, toAnswer mayAnswer: Bool, asAgents agents: Set<AgentKind>
    ) {
        catchUp.allow(subscription, toAnswer: mayAnswer, asAgents: agents)
    }

    /// Whether a live subscription has a name.
    public func isNameInUse(_ name: OpaqueText) -> Bool { subscriptionHub.isNameInUse(name) }

    /// Records the names in use once more, so that they are not forgotten.
    public func refreshNamesInUse() { subscriptionHub.refreshNamesInUse() }
}

/// Reading and waiting.
extension PaymentEngine {
    /// Reads on in the log, about as much as a slice of the loop has room for.
    ///
    /// - Throws: The log cannot be read.
    public func advance(_ scan: inout LogScan) throws(JournalFailure) { try reader.advance(&scan) }

    /// Whether a scan has nothing more to find now.
    public func isDone(_ scan: LogScan) -> Bool { scan.isFull || scan.position >= durableHead }

    /// Waits until there is a record to read behind a position. The answer is given once: in a later
    /// turn if there are records already, otherwise when the next one is committed; never after
    /// ``cancelWait(_:)`` with the number that is returned.
    public func waitForRecord(
        after position: SequenceNumber, _ answer: @escaping () -> Void
    ) -> UInt64 {
        reader.waitForRecord(after: position, answer)
    }

    /// Waits until a visible transaction is in some state or has left the queue. The answer is given
    /// once, in the turn that ends the wait, before its commit: its reply must join that turn.
    public func wait(
        for id: TransactionID, until condition: WaitCondition, answer: @escaping (Bool) -> Void
    ) -> WaitStart {
        reader.wait(for: id, until: condition, answer: answer)
    }

    /// A restore that is remembered and that the session sees.
    public func restoreReport(_ id: RestoreID) -> RestoreReport? { reader.restoreReport(id) }

    /// The restores that have not ended and that the session sees, in the order of acceptance.
    public var visibleRestores: [RestoreReport] { reader.visibleRestores }

    /// Waits until a visible restore has ended; nil when it has, or is not known. The answer is given as
    /// for a transaction.
    public func wait(forRestore id: RestoreID, answer: @escaping () -> Void) -> UInt64? {
        reader.wait(forRestore: id, answer: answer)
    }

    /// Ends a wait without an answer.
    public func cancelWait(_ wait: UInt64) { reader.waits.cancel(wait) }
}

/// Commands.
extension PaymentEngine {
    /// Accepts a payment, or returns the one that its key names.
    ///
    /// - Throws: Nothing was kept.
    public func add(_ request: AddRequest, origin: Origin) throws(EngineRefusal) -> AddReply {
        try commands.add(request, origin: origin)
    }

    /// Looks whether a payment would be accepted or repeated now; changes nothing.
    ///
    /// - Throws: The refusal of the request.
    public func check(_ request: AddRequest, origin: Origin) throws(EngineRefusal) {
        try commands.check(request, origin: origin)
    }

    /// Looks whether a restore would be accepted, joined or repeated now; changes nothing.
    ///
    /// - Throws: The refusal of the request.
    public func check(_ request: RestoreRequest) throws(EngineRefusal) {
        try commands.check(request)
    }

    /// Finishes a transaction: its goods are delivered. Returns the consequence, and the position as of
    /// which that is true.
    ///
    /// - Throws: The transaction is unknown.
    public func finish(
        _ id: TransactionID, origin: Origin
    ) throws(EngineRefusal) -> (disposition: FinishDisposition, sequence: SequenceNumber) {
        try commands.finish(id, origin: origin)
    }

    /// Accepts a restore, or joins the one that is under way for the same purchases.
    ///
    /// - Throws: Nothing was kept.
    public func restore(
        _ request: RestoreRequest, origin: Origin
    ) throws(EngineRefusal) -> RestoreReply {
        try commands.restore(request, origin: origin)
    }

    /// Puts another gate policy in force; the same again changes nothing. Open questions stay as they
    /// were asked.
    ///
    /// - Throws: There is no room to keep it.
    @discardableResult
    public func setPolicy(
        _ policy: GatePolicy, origin: Origin?
    ) throws(EngineRefusal) -> SequenceNumber {
        try commands.setPolicy(policy, origin: origin)
    }

    /// Acknowledges for a named observer that it has dealt with everything up to a position. Returns the
    /// position that is acknowledged now; one behind that changes nothing.
    ///
    /// - Throws: There is no such observer, the position is ahead of the log, or there is no room to
    ///   keep it.
    public func acknowledge(
        _ name: OpaqueText, upTo position: SequenceNumber, origin: Origin?
    ) throws(EngineRefusal) -> SequenceNumber {
        try commands.acknowledge(name, upTo: position, origin: origin)
    }

    /// Whether a name of an observer is known, or there is room for it.
    public func hasRoom(forName name: OpaqueText) -> Bool {
        queue.acknowledged(by: name) != nil || !journal.isShortOfSpace && queue.hasRoomForObserver
    }

    /// Forgets the keys, ids and snapshots of transactions that ended before a moment. Orders are kept
    /// for ever.
    public func forget(before: Timestamp) {
        subscriptionHub.refreshNamesInUse()
        commands.forget(before: before)
    }
}

/// Calls that wait for a login. Each answer is given once, perhaps before the call returns; the ticket
/// that is returned cancels the wait.
extension PaymentEngine {
    /// Whether a call that needs an account opens a login question: there is no session, and an agent
    /// can ask.
    public var asksForLogin: Bool { login.asksForLogin }

    /// Accepts a payment, after a login if an agent can ask for one. A refusal that does not depend on
    /// the account, and the transaction that the key names, are answered at once.
    @discardableResult
    public func addAfterLogin(
        _ request: AddRequest, origin: Origin,
        answer: @escaping @Sendable (Result<AddReply, EngineRefusal>) -> Void
    ) -> WaitTicket {
        login.addAfterLogin(request, origin: origin, answer: answer)
    }

    /// Lets a call continue after a login if an agent can ask for one, and at once otherwise. There may
    /// still be no session then.
    @discardableResult
    public func continueAfterLogin(
        origin: Origin, answer: @escaping @Sendable (Result<Void, EngineRefusal>) -> Void
    ) -> WaitTicket {
        login.continueAfterLogin(origin: origin, answer: answer)
    }

    /// Accepts a restore, after a login if an agent can ask for one. A repetition is answered at once.
    @discardableResult
    public func restoreAfterLogin(
        _ request: RestoreRequest, origin: Origin,
        answer: @escaping @Sendable (Result<RestoreReply, EngineRefusal>) -> Void
    ) -> WaitTicket {
        login.restoreAfterLogin(request, origin: origin, answer: answer)
    }

    /// Has the agents ask for a login, unless there is a session. Without a login agent the call fails
    /// with `loginDiscarded`.
    @discardableResult
    public func logInByAgent(
        origin: Origin,
        answer: @escaping @Sendable (Result<(Session, SequenceNumber), EngineRefusal>) -> Void
    ) -> WaitTicket {
        login.logInByAgent(origin: origin, answer: answer)
    }

    /// Ends a wait without an answer. The question is withdrawn when no call waits for it any more,
    /// unless it was opened because the store had ended a session.
    public func giveUp(_ ticket: WaitTicket) { login.cancel(ticket) }
}

/// Questions.
extension PaymentEngine {
    /// The open questions that the session sees, in the order of opening.
    public var visibleQuestions: [OpenQuestion] { questions.visible }

    /// The deadline of an open question; nil until it has reached a subscriber that may answer.
    public func deadline(of question: QuestionID) -> Timestamp? { clocks.deadline(of: question) }

    /// The deadline of the question that a record opened, if it is one and is still open.
    public func deadline(of record: Record) -> Timestamp? {
        guard case .questionOpened(let question) = record.event else { return nil }
        return clocks.deadline(of: question.id)
    }

    /// Takes an answer; the first one wins, and the connection that gave it may repeat it. Returns the
    /// record of the answer.
    ///
    /// - Throws: The session sees no such question, or it has ended.
    public func answer(
        _ id: QuestionID, value: Bool, note: OpaqueText? = nil, origin: Origin?
    ) throws(EngineRefusal) -> SequenceNumber {
        try questions.answer(id, value: value, note: note, origin: origin)
    }
}

/// Turns.
extension PaymentEngine {
    /// The observers of turns outside of the engine.
    public var hooks: EngineHooks {
        get { turn.hooks }
        set { turn.hooks = newValue }
    }

    /// Measures the turns.
    public var meter: EngineMeter { turn.meter }

    /// The time of the last committed record of this process.
    public var lastCommit: Timestamp? { turn.lastCommit }

    /// Turns taken so far; the watchdog looks whether it grows.
    public var turns: UInt64 { writer.pipeline.begun }

    /// Releases a participant when the running turn is committed. A holder of bytes about this turn must
    /// join it and keep them until then.
    public func join(_ participant: any TurnParticipant) {
        writer.pipeline.running.participants.append(participant)
        writer.scheduleTurnEnd()
    }

    /// The log as it is now.
    public var log: LogState {
        LogState(
            epoch: journal.epoch, oldest: journal.oldest, head: journal.head,
            committed: durableHead, isShortOfSpace: journal.isShortOfSpace)
    }

    /// The time of day.
    public var currentTime: Timestamp { writer.time }

    /// The condition that the transaction of a record waits for now; nil if there is none.
    public func waitingFor(_ record: Record) -> WaitingFor? {
        guard case .transaction(_, var transaction) = record.event else { return nil }
        return writer.ask { queue in
            // A transaction without an account belongs to the account that has claimed it since.
            transaction.account = queue.transaction(transaction.id)?.account ?? transaction.account
            return queue.waitingFor(transaction)
        }
    }
}
