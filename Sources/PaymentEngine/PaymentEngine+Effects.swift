import Logging
import PaymentCore

/// The effects that records require outside. Each effect is named by its transaction, so that the
/// store recognises a repetition.
extension PaymentEngine {
    /// Asks for everything again that is under way for the account in session.
    func resumeEffects() {
        for effect in queue.pendingEffects() { performWhenDurable(effect) }
    }

    /// Starts an effect whose record is on stable storage.
    func perform(_ effect: Effect) {
        guard !hasFailed, effects.begin(effect.transaction) else { return }
        switch effect {
        case .submit(let order):
            let answer = inSession(of: order.account) {
                [self] (result: Result<OrderOutcome, StoreFailure>) in
                guard !hasStopped else { return }
                switch result {
                case .success(let outcome):
                    finishEffect(effect, failure: nil)
                    resolve(order.transaction, outcome)
                case .failure(let failure):
                    finishEffect(effect, failure: failure)
                }
            }
            gateway.submit(order, answer: answer)
        case .complete(let transaction, let order, let account):
            let answer = inSession(of: account) { [self] (result: Result<Void, StoreFailure>) in
                guard !hasStopped else { return }
                switch result {
                case .success:
                    finishEffect(effect, failure: nil)
                    completed(transaction)
                case .failure(let failure):
                    finishEffect(effect, failure: failure)
                }
            }
            gateway.complete(order: order, account: account, answer: answer)
        }
    }

    /// Notes what the store's answer says about its health. A store that says why it does not do what
    /// it was asked is there, unless it has told itself that it is away.
    func noteStoreAnswer(_ failure: StoreFailure?) {
        let isUp = failure?.isAnswer != false && !(failure != nil && storeHealth.isAway)
        if isUp != storeHealth.isUp {
            storeHealth.isUp = isUp
            storeHealth.since = sources.wallClock()
            didChange?()
            let state: Logger.Metadata = ["store": "\(gateway.name)"]
            if isUp {
                logger.notice("store answers again", metadata: state)
            } else {
                logger.warning(
                    "store does not answer; orders wait and are retried", metadata: state)
            }
        }
        storeHealth.lastFailure = failure
        if failure == nil { storeHealth.nextTryAt = nil }
    }

    private func resolve(_ id: TransactionID, _ outcome: OrderOutcome) {
        guard !hasStopped else { return }
        if case .countryChanged(let country) = outcome,
            let account = queue.transaction(id)?.account, account == queue.session?.account
        {
            // First: what goes back to the queue would be sent to the old country again.
            storeChanged(paymentsAllowed: nil, country: country)
        }
        if case .purchased(let paid) = outcome, paid.charge.offer == .introductory,
            let transaction = queue.transaction(id), transaction.account == queue.session?.account
        {
            introduced?.insert(transaction.payment.product.product.offerGroup)
            askAboutSessionAgain()
        }
        let context = context(nil)
        queue.decide(outcome, for: id, context, events: &events)
        recordEvents(origin: nil, time: context.now)
        scheduleTurnEnd()
    }

    private func completed(_ id: TransactionID) {
        guard !hasStopped else { return }
        // It leaves because somebody finished it, and observers are told who.
        let origin = queue.transaction(id)?.origin
        let context = context(origin)
        queue.decideCompleted(id, context, events: &events)
        recordEvents(origin: origin, time: context.now)
    }

    /// Asks for an effect at the end of the running turn: its record may be of this turn.
    func performWhenDurable(_ effect: Effect) {
        pipeline.running.effects.append(effect)
        scheduleTurnEnd()
    }

    private func finishEffect(_ effect: Effect, failure: StoreFailure?) {
        noteStoreAnswer(failure)
        guard let failure else {
            if effects.succeed(effect.transaction) { performPending(effect.transaction) }
            return
        }
        // The embedded store cannot keep what it is told; going on would take money that no file
        // knows of.
        guard !stopIfFatal(failure) else { return }
        let (delay, wait) =
            storeHealth.isAway
            ? effects.postpone(effect.transaction) : effects.fail(effect.transaction)
        // Who tells that the store is back looks at times of its own.
        storeHealth.nextTryAt = storeHealth.isAway ? nil : timestamp(after: delay)
        loop.schedule(after: delay) { [self] in
            guard effects.retry(effect.transaction, after: wait) else { return }
            if isStillPending(effect) {
                perform(effect)
            } else {
                effects.succeed(effect.transaction)
                performPending(effect.transaction)
            }
        }.keep()
    }

    /// The time of day that it is after a while.
    func timestamp(after delay: Duration) -> Timestamp {
        Timestamp(milliseconds: sources.wallClock().milliseconds + delay.wholeMilliseconds)
    }

    /// Does what is to be done about a transaction now. While a call about it was under way it may
    /// have moved on: the feed told of its order, and somebody finished it.
    private func performPending(_ id: TransactionID) {
        guard let effect = queue.pendingEffect(of: id) else { return }
        performWhenDurable(effect)
    }

    /// Whether the queue still wants it: the account is in session and the state has not moved on.
    /// Another effect of the same transaction has a record of its own, perhaps not durable yet.
    func isStillPending(_ effect: Effect) -> Bool {
        queue.pendingEffect(of: effect.transaction) == effect
    }
}
