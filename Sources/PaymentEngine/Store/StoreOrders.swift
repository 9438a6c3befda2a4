import PaymentCore

/// Sends orders and completions to the store and records the answers. Each call is named by its
/// transaction, so that the store recognises a repetition.
///
/// Proof: see ``PaymentEngine``; used on its loop only.
final class StoreOrders: @unchecked Sendable {
    private let access: StoreAccess
    private let writer: QueueWriter
    private let sessions: SessionController
    private var calls = StoreCalls()

    init(_ access: StoreAccess, _ sessions: SessionController) {
        self.access = access
        self.sessions = sessions
        writer = access.writer
    }

    /// Makes the calls that the queue needs, after the commit of the running turn: the record of a call
    /// may belong to this turn.
    func resume() {
        for effect in writer.queue.pendingEffects() { performWhenDurable(effect) }
    }

    /// Repeats the failed calls of the account in session without further delay, in the order of
    /// acceptance.
    func retryAtOnce() {
        let waited = endAllWaits()
        for effect in writer.queue.pendingEffects() where waited.contains(effect.transaction) {
            performWhenDurable(effect)
        }
    }

    /// Ends the wait of every call that has failed; ``resume()`` makes those that are still needed.
    ///
    /// - Returns: The transactions of those calls.
    @discardableResult
    func endAllWaits() -> Set<TransactionID> {
        let waited = calls.endAllWaits()
        for id in waited { access.deadlines.cancel(.storeCall(id)) }
        return waited
    }

    /// Handles the end of a call's wait. The queue may need another call by now, or none.
    func waitEnded(_ id: TransactionID) {
        calls.endWait(id)
        if let effect = writer.queue.pendingEffect(of: id) {
            performWhenDurable(effect)
        } else {
            calls.forget(id)
        }
    }

    /// Asks for the outcome of every order that waits for an approval, in case it was decided on.
    func askAboutApprovals() {
        calls.retryAll()
        for effect in writer.queue.deferredEffects() { performWhenDurable(effect) }
    }

    /// Submits to a local store the orders that records of the running turn have started. The store's
    /// records are in the same log, so that the order, the charge and the purchase share one commit.
    func submitAtOnce(from first: Int) {
        performAtOnce(from: first) { effect in
            if case .submit = effect { true } else { false }
        }
    }

    /// Reports to a local store the completions that records of the running turn require, in the same
    /// commit.
    func completeAtOnce(from first: Int) {
        performAtOnce(from: first) { effect in
            if case .complete = effect { true } else { false }
        }
    }

    private func performAtOnce(from first: Int, _ isMeant: (Effect) -> Bool) {
        guard let local = access.gateway as? LocalStoreGateway else { return }
        for index in first..<writer.pipeline.running.records.count {
            let event = writer.pipeline.running.records[index].event
            guard let effect = writer.ask({ queue in queue.effect(of: event) }), isMeant(effect)
            else { continue }
            perform(effect, local.perform)
        }
    }

    /// Makes the calls that committed records require, unless a local store was called before the
    /// commit. Then makes the calls that had to wait for the commit and are still needed.
    func perform(_ batch: TurnPipeline.Batch) {
        if !(access.gateway is LocalStoreGateway) {
            for record in batch.records {
                let effect = writer.ask { queue in queue.effect(of: record.event) }
                if let effect { perform(effect, access.send) }
            }
        }
        for effect in batch.effects where isStillPending(effect) {
            if case .submit = effect, let local = access.gateway as? LocalStoreGateway {
                // The order is submitted at once, so that it precedes the orders of the next turn.
                perform(effect, local.perform)
            } else {
                perform(effect, access.send)
            }
        }
    }

    private func perform(_ effect: Effect, _ send: (StoreRequest) -> Void) {
        guard writer.isRunning, writer.mayAct(), calls.begin(effect.transaction) else { return }
        switch effect {
        case .submit(let order):
            let answer = answer(to: effect, of: order.account, closed: \.closedKeys) {
                [self] (outcome: OrderOutcome, closed: ClosedFacts) in
                resolve(order.transaction, outcome, closed)
            }
            send(.submit(order, answer))
        case .complete(let transaction, let order, let account):
            let answer = answer(to: effect, of: account, closed: { _ in [] }) {
                [self] (_: Void, _: ClosedFacts) in
                completed(transaction)
                return true
            }
            send(.complete(order, account, answer))
        }
    }

    private func performWhenDurable(_ effect: Effect) {
        writer.pipeline.running.effects.append(effect)
        writer.scheduleTurnEnd()
    }

    /// Whether the queue still needs a call: the account is in session and the state has not moved on.
    /// Another call about the same transaction has a record of its own, perhaps not durable yet.
    private func isStillPending(_ effect: Effect) -> Bool {
        writer.queue.pendingEffect(of: effect.transaction) == effect
    }

    private func answer<Value>(
        to effect: Effect, of account: AccountName,
        closed keys: @escaping @Sendable (Value) -> [ClosedKey],
        _ record: @escaping @Sendable (Value, ClosedFacts) -> Bool
    ) -> StoreAnswer<Value> {
        access.inSession(of: account) { [self] (result: Result<Value, StoreFailure>) in
            guard writer.isRunning else { return }
            switch result {
            case .success(let value):
                access.note(nil)
                guard let closed = try? writer.closedForStore(keys(value)),
                    record(value, closed)
                else {
                    let next = calls.fail(effect.transaction, whileAway: false)
                    return follow(next, effect.transaction)
                }
                follow(calls.succeed(effect.transaction), effect.transaction)
            case .failure(let failure):
                access.note(failure)
                guard !access.stopIfFatal(failure) else { return }
                let next = calls.fail(effect.transaction, whileAway: access.health.isAway)
                follow(next, effect.transaction)
            }
        }
    }

    private func follow(_ next: StoreCalls.Next, _ id: TransactionID) {
        switch next {
        case .done: break
        case .again:
            // The transaction may have changed during the call: the store's feed reported its order, and
            // a client finished it.
            if let effect = writer.queue.pendingEffect(of: id) { performWhenDurable(effect) }
        case .wait(let delay):
            access.planRetry(after: delay)
            access.deadlines.set(.storeCall(id), after: delay)
        }
    }

    /// Records the outcome of an order.
    ///
    /// - Returns: False if the outcome needs more room than was claimed, as for a question or a long
    ///   reason, and there is none. The request is repeated later, and the store gives the same answer.
    private func resolve(
        _ id: TransactionID, _ outcome: OrderOutcome, _ closed: ClosedFacts
    ) -> Bool {
        guard writer.isRunning else { return true }
        switch outcome {
        case .countryChanged(let country):
            // The country is updated first. Otherwise the transaction would be submitted again in the
            // old country.
            if inSession(id) != nil {
                sessions.storeChanged(paymentsAllowed: nil, country: country)
            }
        case .purchased(let paid) where paid.charge.offer == .introductory:
            if let transaction = inSession(id) {
                sessions.introduce(transaction.payment.product.product.offerGroup)
            }
        case .purchased, .deferred, .failed, .priceChanged, .notSold: break
        }
        defer { writer.scheduleTurnEnd() }
        return writer.writeIfRoom(closed: closed) { queue, context, events in
            queue.decide(outcome, for: id, context, events: &events)
        }
    }

    /// The transaction, if it belongs to the account in session.
    private func inSession(_ id: TransactionID) -> Transaction? {
        writer.ask { queue in
            queue.transaction(id).flatMap {
                $0.account != nil && queue.isVisible($0.account) ? $0 : nil
            }
        }
    }

    /// Records that the order of a transaction is completed at the store, or counts as completed.
    func completed(_ id: TransactionID) {
        guard writer.isRunning else { return }
        // The record names the client that finished the transaction.
        let origin = writer.ask { $0.transaction(id)?.origin }
        writer.write(origin: origin) { queue, context, events in
            queue.decideCompleted(id, context, events: &events)
        }
    }
}
