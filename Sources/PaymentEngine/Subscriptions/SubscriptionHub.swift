public import PaymentCore

/// The live subscriptions: their beginning and end, the observers among them, and heartbeats.
public final class SubscriptionHub {
    /// The live subscriptions in the order of their numbers.
    public private(set) var all: [Subscription] = []
    /// The observers that have caught up: orders start for these only.
    private(set) var readyObservers = ActiveObservers()
    private var active = ObserverTally()
    private var ready = ObserverTally()
    /// The numbers of the subscriptions that are counted in ``readyObservers``.
    private var readyNumbers: Set<UInt64> = []
    /// The record of the last change of session that was delivered.
    var lastSessionChange: SequenceNumber

    /// Whether the queue was without an observer since this was last set to false.
    var wasUnobserved = true

    let writer: QueueWriter
    private let clocks: QuestionClocks
    private let deadlines: Deadlines
    private var nextNumber: UInt64 = 1

    init(writer: QueueWriter, clocks: QuestionClocks, deadlines: Deadlines) {
        self.writer = writer
        self.clocks = clocks
        self.deadlines = deadlines
        // A resumed subscription may have missed the last change of session, whose record is not
        // known here. The head is never before it.
        lastSessionChange = writer.journal.head
    }

    /// Begins a subscription. Its first delivery comes after the reply to the running turn.
    ///
    /// A new name is recorded with the position where the subscription begins. With a known name, the
    /// subscription begins at the last acknowledged position, unless the request has a cursor.
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

    /// Whether a subscription of an earlier process can continue: it belongs to this log, and its
    /// name and number are free.
    public func canResume(_ place: SubscriptionPlace, epoch: String) -> Bool {
        let isHere =
            epoch == writer.journal.epoch
            && max(place.scanned, place.previous, place.began) <= writer.journal.head
        let isFree = all.allSatisfy { $0.number != place.number }
        return isHere && isFree && !(place.request.name.map(isNameInUse) ?? false)
    }

    /// See ``SubscriptionCatchUp/resume(_:target:)``.
    func resume(_ place: SubscriptionPlace, target: any DeliveryTarget) -> Subscription {
        // There is no reply that the subscription must wait for.
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

    /// Ends a subscription; nothing more is delivered to it. A repeated call changes nothing.
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

    /// Ends a subscription, and sends the reason to its subscriber.
    func end(_ subscription: Subscription, because reason: SubscriptionEnd) {
        guard !subscription.isEnded else { return }
        tell(.ended(last: subscription.previous, reason: reason), to: subscription)
        subscription.target.flushDeliveries()
        unsubscribe(subscription)
    }

    /// Passes a delivery to the target of a subscription.
    func tell(_ delivery: Delivery, to subscription: Subscription) {
        subscription.target.deliver(delivery, to: subscription)
        if subscription.request.heartbeat != nil { subscription.lastDelivery = writer.loop.now }
    }

    /// Sends the scanned position to a subscriber that has received nothing for its heartbeat
    /// interval. A subscriber whose filter admits little therefore keeps a fresh cursor. A subscriber
    /// without room receives nothing.
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

    /// Whether a subscriber has received the last change of session and what its account has. A
    /// subscriber without room at that time receives it later, and counts from then on.
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

    /// Updates the queue and the question clocks after observers or agents have come or gone.
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

    /// Records the names in use again, so that retention does not forget them, however old the last
    /// acknowledgement is.
    public func refreshNamesInUse() {
        for subscription in all {
            guard let name = subscription.request.name else { continue }
            keep(name, from: subscription.scanned, origin: nil)
        }
    }

    /// Removes a name that was given up from its live subscription, which continues without a name.
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
