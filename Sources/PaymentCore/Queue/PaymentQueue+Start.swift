extension PaymentQueue {
    /// Decides the next step that may start now, if any. It submits a transaction of the account in
    /// session, or opens a question about it, or applies a change of country. Users take turns.
    /// Among the transactions of one user that an observer receives, the first accepted one comes
    /// first. Nothing starts while the account has its maximum number of orders in flight.
    ///
    /// The caller applies the events and calls again until nothing is appended. An order is sent to a
    /// remote store only after its record of `submitted` is on stable storage. The records of an embedded store
    /// follow in the same batch.
    ///
    /// - Parameters:
    ///   - context: Time and catalogues.
    ///   - observers: The observers that can receive events now; nil for all active observers.
    ///   - events: The resulting events are appended.
    public func decideNextStart(
        _ context: DecisionContext, for observers: ActiveObservers? = nil, events: inout [Event]
    ) {
        guard let session, let index = accounts[session.account],
            index.counts.submitted < limits.ordersInFlight,
            let next = nextWaiting(in: index, for: observers ?? activeObservers)
        else { return }
        let transaction = next.transaction
        guard transaction.country == session.country else {
            return decideOtherCountry(transaction, session.country, context, events: &events)
        }
        guard transaction.isConfirmed || !activeObservers.hasPaymentAgent else {
            return ask(
                .payment, nil, about: transaction, transaction.payment.product, context,
                events: &events)
        }
        events.append(
            change(transaction, .submitted(key: next.key), context) {
                $0.state = .submitted
                $0.attempt += 1
            })
    }

    /// Applies the gate policy to a transaction whose country differs from that of the session. The
    /// transaction continues with the product and price of the new country. Unless the policy stops
    /// it, the decision waits for the catalogue of that country.
    private func decideOtherCountry(
        _ transaction: Transaction, _ country: CountryCode, _ context: DecisionContext,
        events: inout [Event]
    ) {
        guard policy.mode != .stop else {
            return events.append(
                change(transaction, .removed(.discardedByGate), context) { _ in })
        }
        guard let catalogue = context.catalogue(country) else { return }
        let identifier = transaction.payment.product.product.productIdentifier
        guard let product = catalogue.product(identifier) else {
            return events.append(failed(transaction, .productNotAvailable, order: nil, context))
        }
        let recorded = recorded(
            product.shown(introduced: context.introduced), in: country, events: &events)
        guard policy.mode == .continue else {
            return ask(
                .shouldContinue, .storefront, about: transaction, recorded, context,
                events: &events)
        }
        events.append(
            change(transaction, .refreshed, context) {
                $0.country = country
                $0.payment.product = recorded
                $0.isConfirmed = false
            })
    }

    /// The external effect of an event; nil for most events.
    public func effect(of event: Event) -> Effect? {
        guard case .transaction(let change, let transaction) = event else { return nil }
        switch change {
        case .submitted, .completing: return effect(for: transaction)
        default: return nil
        }
    }

    /// The external effects in progress for the account in session, in the order of acceptance. The
    /// caller requests them again after a start and after a login, because their progress is
    /// unknown.
    public func pendingEffects() -> [Effect] {
        var effects: [Effect] = []
        guard let account = session?.account, let counts = accounts[account]?.counts else {
            return []
        }
        // Most transactions of a long queue have none, and reading all takes long.
        let expected = counts.submitted + counts.deferred + counts.completing
        guard expected > 0 else { return [] }
        forEachUnfinished { transaction, _, _ in
            if let effect = effect(for: transaction) { effects.append(effect) }
            return effects.count < expected
        }
        return effects
    }

    /// The external effect in progress for one transaction of the account in session; nil if there
    /// is none.
    public func pendingEffect(of id: TransactionID) -> Effect? {
        guard let place = locate(id), table.isLive(place) else { return nil }
        return effect(for: table[place].transaction)
    }

    private func effect(for transaction: Transaction) -> Effect? {
        guard let account = transaction.account, account == session?.account else { return nil }
        switch transaction.state {
        case .submitted, .deferred:
            return .submit(
                OrderRequest(
                    transaction: transaction.id, account: account,
                    product: transaction.payment.product.product, country: transaction.country,
                    appAccountToken: transaction.payment.appAccountToken,
                    attempt: transaction.attempt))
        case .completing:
            return transaction.order.map {
                .complete(transaction.id, order: $0, account: account)
            }
        case .waiting, .gated, .purchased, .restored, .failed:
            return nil
        }
    }

    /// The first accepted transaction of the user whose turn it is, among those with an observer.
    private func nextWaiting(
        in index: AccountIndex, for observers: ActiveObservers
    ) -> TransactionRecord? {
        var next: (turn: UInt64, entry: PlaceList.Entry)?
        for (line, list) in index.waiting where observers.admits(line.product) {
            let turn = line.turn(after: index.lastStarted)
            if let next, next.turn < turn { continue }
            guard let entry = list.first else { continue }
            if let next, next.turn == turn, next.entry.position < entry.position { continue }
            next = (turn, entry)
        }
        return next.map { table[$0.entry.place] }
    }
}
