import Logging
public import PaymentCore

/// The beginning and the end of subscriptions, and the names that outlive them.
extension PaymentEngine {
    /// Begins a subscription. Its first delivery comes after the reply to the running turn.
    ///
    /// A name that is new is recorded at the place where the subscription begins. One that is known
    /// makes the subscription begin, unless it says otherwise, at what the name acknowledged last.
    ///
    /// - Parameters:
    ///   - request: What the subscriber wants; a cursor must lie within the log. A name must not be
    ///     in use (``isNameInUse(_:)``) and there must be room for it (``hasRoom(forName:)``).
    ///   - sink: Its connection.
    ///   - origin: Who asks; it stands on the record of a name.
    /// - Returns: The subscription.
    public func subscribe(
        _ request: SubscriptionRequest, sink: any SubscriptionSink, origin: Origin? = nil
    ) -> Subscription {
        var request = request
        let head = queue.head
        if let name = request.name {
            precondition(!isNameInUse(name), "two live subscriptions have the same name")
            let known = queue.acknowledged(by: name)
            request.after = request.after ?? known
            keep(name, from: request.after ?? head, origin: origin)
        }
        let subscription = Subscription(
            number: nextSubscription, request: request, head: head, turn: pipeline.current,
            sink: sink)
        subscription.lastTold = loop.now
        nextSubscription += 1
        subscriptions.append(subscription)
        observersDidChange()
        armHeartbeat(subscription)
        scheduleTurnEnd()
        return subscription
    }

    /// Ends a subscription; nothing more is delivered to it.
    public func unsubscribe(_ subscription: Subscription) {
        guard !subscription.isEnded else { return }
        subscription.isEnded = true
        subscription.heartbeatTimer?.cancel()
        subscriptions.removeAll { $0 === subscription }
        observersDidChange()
    }

    /// Ends a subscription from this side and tells its subscriber why.
    public func end(_ subscription: Subscription, because reason: SubscriptionEnd) {
        guard !subscription.isEnded else { return }
        tell(.ended(last: subscription.previous, reason: reason), to: subscription)
        subscription.sink.flushDeliveries()
        unsubscribe(subscription)
    }

    /// Whether a live subscription has a name.
    public func isNameInUse(_ name: OpaqueText) -> Bool {
        subscriptions.contains { $0.request.name == name }
    }

    /// Whether a name is known, or can be kept beside those that are.
    public func hasRoom(forName name: OpaqueText) -> Bool {
        queue.acknowledged(by: name) != nil || !journal.isShortOfSpace && queue.hasRoomForObserver
    }

    /// Takes the word of a named observer that it has dealt with everything up to a position. A
    /// position behind the one known changes nothing.
    ///
    /// - Parameters:
    ///   - name: The observer.
    ///   - position: Up to where.
    ///   - origin: Who says so.
    /// - Returns: Up to where it has dealt with everything now.
    /// - Throws: There is no such observer, the position lies ahead of the log, or there is no room
    ///   to keep it.
    public func acknowledge(
        _ name: OpaqueText, upTo position: SequenceNumber, origin: Origin?
    ) throws(EngineRefusal) -> SequenceNumber {
        let context = context(origin)
        do throws(Refusal) {
            try queue.decideAcknowledgement(by: name, upTo: position, context, events: &events)
        } catch {
            throw .refused(error)
        }
        try dropUnlessThereIsRoom()
        recordEvents(origin: origin, time: context.now)
        return queue.acknowledged(by: name) ?? position
    }

    /// A name in use is not forgotten, however long its observer has had nothing to say.
    public func refreshNamesInUse() {
        for subscription in subscriptions {
            guard let name = subscription.request.name else { continue }
            keep(name, from: subscription.scanned, origin: nil)
        }
    }

    private func keep(_ name: OpaqueText, from position: SequenceNumber, origin: Origin?) {
        let context = context(origin)
        queue.decideObserver(name, from: position, context, events: &events)
        recordEvents(origin: origin, time: context.now)
    }
}
