import PaymentCore

/// The observers that handle transactions, and the heartbeats of all subscriptions.
extension PaymentEngine {
    /// The turn that changed the session was told to everybody who keeps up. Work goes on for those
    /// who have caught up by now, and for each of the others when it has.
    func observersHeardOfSession() {
        observersDidCatchUp()
    }

    /// A subscription has caught up.
    func observersDidCatchUp() {
        readiness = activeObservers(of: isReady)
        scheduleTurnEnd()
    }

    /// Whether a subscriber knows who is in session and what that one has. Who had no room when it
    /// changed is told later, and counts from then on.
    func isReady(_ subscription: Subscription) -> Bool {
        subscription.isLive && subscription.scanned >= lastSessionChange
    }

    /// An observer came or left.
    func observersDidChange() {
        queue.activeObservers = activeObservers { _ in true }
        if queue.activeObservers.isEmpty { reconciliation.wasObserved = false }
        readiness = activeObservers(of: isReady)
        agentsDidChange()
        didChange?()
    }

    private func activeObservers(of isCounted: (Subscription) -> Bool) -> ActiveObservers {
        var activeObservers = ActiveObservers()
        for subscription in subscriptions where subscription.observes && isCounted(subscription) {
            if let products = subscription.request.products {
                activeObservers.products.formUnion(products)
            } else {
                activeObservers.everything = true
            }
        }
        return activeObservers
    }

    /// Says how far the log was scanned whenever the subscriber has heard nothing for as long as it
    /// asked, so that a subscriber whose filter admits little keeps a fresh cursor. Who has no room
    /// hears nothing.
    func armHeartbeat(_ subscription: Subscription) {
        guard let interval = subscription.request.heartbeat else { return }
        let silence = loop.now - subscription.lastTold
        let rest = silence < interval ? interval - silence : interval
        subscription.heartbeatTimer = loop.schedule(after: rest) { [self] in
            guard !subscription.isEnded else { return }
            if loop.now - subscription.lastTold >= interval, subscription.sink.hasRoom {
                tell(.heartbeat(position: subscription.scanned), to: subscription)
                subscription.sink.flushDeliveries()
            }
            armHeartbeat(subscription)
        }
    }
}
