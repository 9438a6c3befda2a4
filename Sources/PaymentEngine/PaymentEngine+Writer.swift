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

    /// Stops for good because the log, or that of the embedded store, cannot be relied on any more.
    public func fail(_ failure: JournalFailure) { writer.fail(failure) }
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

    /// Ends a wait without an answer.
    public func cancelWait(_ wait: UInt64) { reader.waits.cancel(wait) }
}
