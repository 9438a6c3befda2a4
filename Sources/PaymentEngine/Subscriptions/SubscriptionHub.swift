public import PaymentCore

/// The live subscriptions: their beginning and end, the observers among them, and heartbeats.
public final class SubscriptionHub {
    /// The live subscriptions in the order of their numbers.
    public private(set) var all: [Subscription] = []
    /// The observers that have caught up: orders start for these only.
    private(set) var readyObservers = ActiveObservers()
    private var active = ObserverTally()
    private var ready = ObserverTally()
    /// The subscriptions that are counted in it.
    private var readyNumbers: Set<UInt64> = []
    /// The record of the last change of session that was delivered.
    var lastSessionChange: SequenceNumber

    /// Whether there has been no observer since this was last set to false.
    var wasUnobserved = true

    let writer: QueueWriter
    private let clocks: QuestionClocks
    private let deadlines: Deadlines
    private var nextNumber: UInt64 = 1

    init(writer: QueueWriter, clocks: QuestionClocks, deadlines: Deadlines) {
        self.writer = writer
        self.clocks = clocks
        self.deadlines = deadlines
        // A subscription that is resumed may have missed the last change, wherever that is recorded.
        lastSessionChange = writer.journal.head
    }

    /// Begins a subscription. Its first delivery comes after the reply to the running turn.
    ///
    /// A name that is new is recorded at the place where the subscription begins. One that is known
    /// makes the subscription begin, unless it says otherwise, at the position acknowledged last.
    ///
    /// - Parameters:
    ///   - request: The request; a cursor must be within the log. A name must not be in use
    ///     (``isNameInUse(_:)``), and there must be room for it.
    ///   - target: Its connection.
    ///   - origin: The caller, for the record of a name.
    /// - Returns: The subscription.
    public func subscribe(
        _ request: SubscriptionRequest, target: any DeliveryTarget, origin: Origin? = nil
    ) -> Subscription {
        var request = request
        let head = writer.queue.head
        if let name = request.name {
            precondition(!isNameInUse(name), "two live subscriptions have the same name")
            let known = writer.queue.acknowledged(by: name)
            request.after = request.after ?? known
            keep(name, from: request.after ?? head, origin: origin)
        }
        let subscription = Subscription(
            number: nextNumber, request: request, head: head, turn: writer.pipeline.current,
            target: target)
        insert(subscription)
        return subscription
    }

    /// Whether a subscription of an earlier process can continue: it is about this log, and its name
    /// and number are free.
    public func canResume(_ place: SubscriptionPlace, epoch: String) -> Bool {
        let isHere =
            epoch == writer.journal.epoch
            && max(place.scanned, place.previous, place.began) <= writer.journal.head
        let isFree = all.allSatisfy { $0.number != place.number }
        return isHere && isFree && !(place.request.name.map(isNameInUse) ?? false)
    }

    /// See ``SubscriptionCatchUp/resume(_:target:)``.
    func resume(_ place: SubscriptionPlace, target: any DeliveryTarget) -> Subscription {
        // There is no reply that it would have to wait for.
        let subscription = Subscription(place, turn: writer.pipeline.committed, target: target)
        insert(subscription)
        all.sort { $0.number < $1.number }
        guard subscription.isLive else { return subscription }
        // Its earlier questions are still open, and their time to answer begins again. Agents are asked
        // again, in turn.
        writer.queue.forEachVisibleQuestion(after: 0) { question, opened in
            guard opened <= subscription.scanned else { return false }
            if question.kind.agent == nil, subscription.admits(question) {
                clocks.isShown(question, to: subscription)
            }
            return true
        }
        return subscription
    }

    private func insert(_ subscription: Subscription) {
        nextNumber = max(nextNumber, subscription.number + 1)
        all.append(subscription)
        subscription.lastDelivery = writer.loop.now
        if let interval = subscription.request.heartbeat {
            deadlines.set(.heartbeat(subscription.number), after: interval)
        }
        if subscription.observes {
            active.add(subscription.request.products, to: &writer.queue.activeObservers)
        }
        observersChanged()
    }

    /// Ends a subscription; nothing more is delivered to it. The same again changes nothing.
    public func unsubscribe(_ subscription: Subscription) {
        guard !subscription.isEnded else { return }
        subscription.isEnded = true
        deadlines.cancel(.heartbeat(subscription.number))
        all.removeAll { $0 === subscription }
        if subscription.observes {
            active.remove(subscription.request.products, from: &writer.queue.activeObservers)
            countReady(subscription, as: false)
        }
        observersChanged()
    }

    /// Ends a subscription from this side and tells its subscriber why.
    func end(_ subscription: Subscription, because reason: SubscriptionEnd) {
        guard !subscription.isEnded else { return }
        tell(.ended(last: subscription.previous, reason: reason), to: subscription)
        subscription.target.flushDeliveries()
        unsubscribe(subscription)
    }

    /// Hands one delivery over.
    func tell(_ delivery: Delivery, to subscription: Subscription) {
        subscription.target.deliver(delivery, to: subscription)
        if subscription.request.heartbeat != nil { subscription.lastDelivery = writer.loop.now }
    }

    /// Tells a subscriber how far the log was scanned if it has been told nothing for as long as it
    /// asked, so that one whose filter admits little keeps a fresh cursor. One without room is told
    /// nothing.
    func heartbeatIsDue(_ number: UInt64) {
        guard let subscription = all.first(where: { $0.number == number }),
            let interval = subscription.request.heartbeat
        else { return }
        if writer.loop.now - subscription.lastDelivery >= interval, subscription.target.hasRoom {
            tell(.heartbeat(position: subscription.scanned), to: subscription)
            subscription.target.flushDeliveries()
        }
        let silence = writer.loop.now - subscription.lastDelivery
        let rest = silence < interval ? interval - silence : interval
        if !subscription.isEnded { deadlines.set(.heartbeat(number), after: rest) }
    }

    // MARK: Observers

    /// Whether a subscription can ask a person for something.
    func hasAgent(_ kind: AgentKind) -> Bool {
        all.contains { $0.request.agents.contains(kind) }
    }

    /// Whether a subscriber knows the session and what its account has. One that had no room when the
    /// session changed is told later, and counts from then on.
    func isReady(_ subscription: Subscription) -> Bool {
        subscription.isLive && subscription.scanned >= lastSessionChange
    }

    /// Counts the ready observers again. Called when an observer has caught up, and when live ones have
    /// received a change of session.
    func readinessChanged() {
        for subscription in all where subscription.observes {
            countReady(subscription, as: isReady(subscription))
        }
        writer.scheduleTurnEnd()
    }

    private func countReady(_ subscription: Subscription, as isReady: Bool) {
        let number = subscription.number
        if isReady, readyNumbers.insert(number).inserted {
            ready.add(subscription.request.products, to: &readyObservers)
        } else if !isReady, readyNumbers.remove(number) != nil {
            ready.remove(subscription.request.products, from: &readyObservers)
        }
    }

    /// Tells the queue that observers or agents have come or gone.
    func observersChanged() {
        writer.queue.activeObservers.hasPaymentAgent = hasAgent(.payment)
        if writer.queue.activeObservers.isEmpty { wasUnobserved = true }
        clocks.agentsChanged(all)
        readinessChanged()
        writer.turn?.hooks.didChange?()
    }

    // MARK: Names

    /// Whether a live subscription has a name.
    public func isNameInUse(_ name: OpaqueText) -> Bool {
        all.contains { $0.request.name == name }
    }

    /// Records the names in use once more: such a name is not forgotten, however long its observer has
    /// acknowledged nothing.
    public func refreshNamesInUse() {
        for subscription in all {
            guard let name = subscription.request.name else { continue }
            keep(name, from: subscription.scanned, origin: nil)
        }
    }

    /// Takes a name that was given up from its live subscription, which goes on without one.
    func release(_ name: OpaqueText) {
        for subscription in all where subscription.request.name == name {
            subscription.request.name = nil
            subscription.target.nameWasReleased()
        }
    }

    private func keep(_ name: OpaqueText, from position: SequenceNumber, origin: Origin?) {
        writer.write(origin: origin) { queue, context, events in
            queue.decideObserver(name, from: position, context, events: &events)
        }
    }
}
