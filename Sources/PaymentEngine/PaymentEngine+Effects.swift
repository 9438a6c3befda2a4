import Logging
import PaymentCore

/// The effects that records require outside. Each effect is named by its transaction, so that the
/// store recognises a repetition.
extension PaymentEngine {
    /// Asks for everything again that is under way for the account in session.
    func resumeEffects() {
        for effect in queue.pendingEffects() { performWhenCommitted(effect) }
    }

    /// Starts an effect whose record is on stable storage.
    func perform(_ effect: Effect) {
        guard !hasFailed, calls.begin(effect.transaction) else { return }
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

    /// Notes an answer of the store, or its absence.
    func noteStoreAnswer(_ failure: StoreFailure?) {
        let changed = storeHealth.note(failure, at: sources.wallClock())
        if changed { storeHealthDidChange() }
    }

    /// Reports that the store went down or is back.
    func storeHealthDidChange() {
        turn.hooks.didChange?()
        let state: Logger.Metadata = ["store": "\(gateway.name)"]
        if storeHealth.isUp {
            logger.notice("store answers again", metadata: state)
        } else {
            logger.warning("store does not answer; orders wait and are retried", metadata: state)
        }
    }

    /// Stops for good when the embedded store cannot keep what it is told: going on would take money
    /// that no file knows of.
    ///
    /// - Returns: Whether it had to.
    func stopIfFatal(_ failure: StoreFailure) -> Bool {
        guard failure.kind == .storageFailed else { return false }
        fail(JournalFailure(failure.description))
        return true
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
            facts.introduce(transaction.payment.product.product.offerGroup)
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
    func performWhenCommitted(_ effect: Effect) {
        pipeline.running.effects.append(effect)
        scheduleTurnEnd()
    }

    private func finishEffect(_ effect: Effect, failure: StoreFailure?) {
        noteStoreAnswer(failure)
        let id = effect.transaction
        guard let failure else { return finish(calls.succeed(id), effect) }
        guard !stopIfFatal(failure) else { return }
        finish(calls.fail(id, whileAway: storeHealth.isAway), effect)
    }

    private func finish(_ next: StoreCalls.Next, _ effect: Effect) {
        switch next {
        case .done: break
        case .again: performPending(effect.transaction)
        case .wait(let delay, let number):
            storeHealth.planRetry(at: timestamp(after: delay))
            loop.schedule(after: delay) { [self] in
                guard calls.retry(effect.transaction, after: number) else { return }
                if isStillPending(effect) { return perform(effect) }
                _ = calls.succeed(effect.transaction)
                performPending(effect.transaction)
            }.keep()
        }
    }

    /// The time of day that it is after a while.
    func timestamp(after delay: Duration) -> Timestamp {
        Timestamp(milliseconds: sources.wallClock().milliseconds + delay.wholeMilliseconds)
    }

    /// Does what is to be done about a transaction now. While a call about it was under way it may
    /// have moved on: the feed told of its order, and somebody finished it.
    private func performPending(_ id: TransactionID) {
        guard let effect = queue.pendingEffect(of: id) else { return }
        performWhenCommitted(effect)
    }

    /// Whether the queue still wants it: the account is in session and the state has not moved on.
    /// Another effect of the same transaction has a record of its own, perhaps not durable yet.
    func isStillPending(_ effect: Effect) -> Bool {
        queue.pendingEffect(of: effect.transaction) == effect
    }
}
