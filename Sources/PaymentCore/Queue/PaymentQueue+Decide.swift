extension PaymentQueue {
    /// The maximum number of submissions of a transaction while the store keeps changing the price
    /// or the country and no question is opened. The transaction then fails.
    static let attemptsUnasked = 8

    /// Decides about `add` with these checks in this order: key, product, payments allowed, live
    /// transaction, full queue, share of the user. A missing login is not a check; the transaction
    /// waits for it.
    ///
    /// - Parameters:
    ///   - request: The client's request.
    ///   - context: Time, catalogue and identifiers.
    ///   - events: The resulting events are appended: first a product that must be recorded, then
    ///     the acceptance. A duplicate or a refusal appends nothing.
    /// - Returns: The transaction, new or found by the key.
    /// - Throws: The refusal of the first failed check.
    public func decide(
        _ request: AddRequest, _ context: DecisionContext, events: inout [Event]
    ) throws(Refusal) -> AddDecision {
        if let key = request.key, let use = use(of: key, context.closed) {
            switch use {
            case .transaction(let first):
                return try decideRepeated(request, key: key, first: first)
            case .restore(let restore): throw .keyReuseByRestore(key: key, restore: restore.id)
            }
        }
        guard let (product, country) = request.shown ?? shown(request.productIdentifier, context)
        else { throw .unknownProduct(request.productIdentifier) }
        guard session == nil || context.paymentsAllowed else { throw .paymentsNotAllowed }
        if let blocking = blockingTransaction(of: product) {
            throw .alreadyLive(blocking.id, blocking.state.phase)
        }
        try unfinished.require(
            for: context.origin?.uid, .unfinishedTransactions, limits,
            full: .queueFull(limit: limits.unfinishedTransactions))
        let recorded = recorded(product, in: country, events: &events)
        let id = TransactionID(context.makeID())
        let transaction = Transaction(
            id: id, account: session?.account,
            payment: Payment(product: recorded, appAccountToken: request.appAccountToken),
            state: .waiting, country: country, reason: .purchase, revision: 1,
            createdAt: context.now, updatedAt: context.now, origin: context.origin)
        events.append(.transaction(.added(key: request.key), transaction))
        return .accepted(id)
    }

    /// Decides about `finish`. It may finish a transaction of another account; the completion then
    /// waits until that account is in session.
    public func decideFinish(
        _ id: TransactionID, _ context: DecisionContext, events: inout [Event]
    ) throws(Refusal) -> FinishDisposition {
        guard let place = locate(id), table.isLive(place) else {
            guard context.closed[.transaction(id)] != nil else { throw .unknownTransaction }
            return .alreadyFinished
        }
        let stored = table[place]
        switch stored.transaction.state {
        case .waiting, .gated:
            events.append(change(stored.transaction, .removed(.withdrawn), context) { _ in })
            closeQuestions(of: id, because: .withdrawn, context, events: &events)
            return .removed
        case .submitted, .deferred:
            return .ignoredInFlight
        case .failed, .restored:
            events.append(change(stored.transaction, .removed(.finished), context) { _ in })
            return .removed
        case .purchased where stored.transaction.needsNoCompletion:
            events.append(change(stored.transaction, .removed(.finished), context) { _ in })
            return .removed
        case .purchased:
            events.append(
                change(stored.transaction, .completing, context) { $0.state = .completing })
            return .completing
        case .completing:
            return .completing
        }
    }

    /// Decides about a session that the store opened or closed. An equal session changes nothing.
    public func decideSession(_ new: Session?, events: inout [Event]) {
        guard new != session else { return }
        cancelRestores(before: new, events: &events)
        events.append(.sessionChanged(from: session, to: new))
    }

    /// Decides that the store has ended the session; changes nothing while there is no session. It
    /// ends as it does by a logout.
    public func decideSessionEnd(events: inout [Event]) {
        guard let session else { return }
        cancelRestores(before: nil, events: &events)
        events.append(.sessionChanged(from: session, to: nil, cause: .sessionEnded))
    }

    /// Decides about the country to assume while no account is logged in; the same again changes
    /// nothing.
    public func decideAssumedCountry(_ country: CountryCode?, events: inout [Event]) {
        guard country != assumedCountry else { return }
        events.append(.countryAssumed(country))
    }

    /// Decides to forget everything older than a time, if there is anything.
    ///
    /// - Parameters:
    ///   - before: The time.
    ///   - hasOldHistory: Whether a part of the history is as old; see
    ///     ``ClosedHistory/hasPart(before:notBefore:)``.
    ///   - events: The resulting event is appended.
    public func decideForget(
        before: Timestamp, hasOldHistory: Bool = false, events: inout [Event]
    ) {
        let hasOld = hasOldHistory || oldestFinish.map { $0 < before } ?? false
        if hasOld || observers.hasSilent(since: before) || restores.hasEnded(before: before) {
            events.append(.forgotten(before: before))
        }
    }

    /// Decides the effect of the store's answer to an order. A late answer that the transaction
    /// does not need any more changes nothing.
    public func decide(
        _ outcome: OrderOutcome, for id: TransactionID, _ context: DecisionContext,
        events: inout [Event]
    ) {
        guard let place = locate(id), table.isLive(place) else { return }
        let transaction = table[place].transaction
        guard transaction.state == .submitted || transaction.state == .deferred else { return }
        switch outcome {
        case .purchased(let paid):
            // One order is always one purchase. A store that returns an order twice is faulty,
            // unless it marks the order as already owned.
            guard
                paid.charge.offer == .alreadyOwned
                    || (buyer(of: paid.order, context.closed) ?? id) == id
            else {
                let failure = PaymentFailure(.internalError, reason: "orderReused")
                return events.append(failed(transaction, failure, order: nil, context))
            }
            var settled = paid
            settled.charge = charge(paid.charge, ofOrder: paid.order, context)
            events.append(
                change(transaction, .purchased, context) {
                    $0.state = .purchased
                    $0.settle(as: settled)
                })
        case .deferred(let order):
            guard transaction.state == .submitted else { return }
            events.append(
                change(transaction, .deferred, context) {
                    $0.state = .deferred
                    $0.order = order
                })
        case .failed(let failure, let order):
            events.append(failed(transaction, failure, order: order, context))
        case .priceChanged(let product):
            decidePriceChange(of: transaction, to: product, context, events: &events)
        case .notSold:
            events.append(failed(transaction, .productNotAvailable, order: nil, context))
        case .countryChanged:
            events.append(returned(transaction, context))
        }
    }

    /// Returns a transaction to `waiting`, where the country of the session is checked before a
    /// submission. The number of attempts is limited, because a store might refuse the country that
    /// it reports itself.
    private func returned(_ transaction: Transaction, _ context: DecisionContext) -> Event {
        guard transaction.state == .submitted, transaction.attempt < Self.attemptsUnasked else {
            let failure = PaymentFailure(.internalError, reason: "countryChanged")
            return failed(transaction, failure, order: nil, context)
        }
        return change(transaction, .refreshed, context) { $0.state = .waiting }
    }

    /// Decides that the delivery was reported to the store.
    public func decideCompleted(
        _ id: TransactionID, _ context: DecisionContext, events: inout [Event]
    ) {
        guard let place = locate(id), table.isLive(place) else { return }
        let transaction = table[place].transaction
        guard transaction.state == .completing else { return }
        events.append(
            change(transaction, .removed(.finished), context) {
                $0.state = .purchased
            })
    }

    /// The country in which products are shown and sold now; nil while it is unknown.
    public func currentCountry(_ context: DecisionContext) -> CountryCode? {
        session?.country ?? assumedCountry ?? context.defaultCountry
    }

    private func decideRepeated(
        _ request: AddRequest, key: OpaqueText, first: Transaction
    ) throws(Refusal) -> AddDecision {
        let isSame =
            first.payment.product.product.productIdentifier == request.productIdentifier
            && first.requestedToken == request.appAccountToken
            && (session == nil || first.account == session?.account)
        guard isSame else { throw .keyReuse(key: key, transaction: first.id) }
        return .duplicate(first.id)
    }

    /// Applies the policy to a price that changed within one country. The number of attempts
    /// without a question is limited. A store is not followed if it refuses its own price, changes
    /// an approved price or offers another product.
    private func decidePriceChange(
        of transaction: Transaction, to product: Product, _ context: DecisionContext,
        events: inout [Event]
    ) {
        let shown = transaction.payment.product.product
        let isShown = product.expectedPrice.isSame(as: shown.expectedPrice)
        let mode = isShown ? .continue : policy.mode
        guard transaction.state == .submitted,
            product.productIdentifier == shown.productIdentifier,
            mode != .continue || transaction.attempt < Self.attemptsUnasked
        else {
            let failure = PaymentFailure(.internalError, reason: "priceChanged")
            return events.append(failed(transaction, failure, order: nil, context))
        }
        if let session, session.account == transaction.account,
            session.country != transaction.country
        {
            // The new price does not matter, because the country has changed as well.
            return events.append(
                change(transaction, .refreshed, context) { $0.state = .waiting })
        }
        switch mode {
        case .continue:
            let recorded = recorded(product, in: transaction.country, events: &events)
            events.append(
                change(transaction, .refreshed, context) {
                    $0.state = .waiting
                    $0.payment.product = recorded
                    if !isShown { $0.isConfirmed = false }
                })
        case .stop:
            events.append(change(transaction, .removed(.discardedByGate), context) { _ in })
        case .ask:
            let recorded = recorded(product, in: transaction.country, events: &events)
            ask(.shouldContinue, .price, about: transaction, recorded, context, events: &events)
        }
    }

    /// The current product with its country.
    private func shown(
        _ identifier: ProductIdentifier, _ context: DecisionContext
    ) -> (Product, CountryCode)? {
        guard let country = currentCountry(context),
            let product = context.catalogue(country)?.product(identifier)
        else { return nil }
        return (session == nil ? product : product.shown(introduced: context.introduced), country)
    }

    private func blockingTransaction(of product: Product) -> Transaction? {
        guard product.type.isBoughtOnce else { return nil }
        let places = accounts[session?.account]?.blocking[product.productIdentifier]
        return places?.first.map { table[$0].transaction }
    }

    func failed(
        _ transaction: Transaction, _ failure: PaymentFailure, order: OrderID?,
        _ context: DecisionContext
    ) -> Event {
        change(transaction, .failed, context) {
            $0.state = .failed(failure)
            $0.order = order ?? $0.order
        }
    }

    /// An event with the next revision of a transaction, with the time and origin of the context.
    func change(
        _ transaction: Transaction, _ change: TransactionChange, _ context: DecisionContext,
        _ edit: (inout TransactionFields) -> Void
    ) -> Event {
        var next = transaction
        next.edit {
            edit(&$0)
            $0.revision += 1
            $0.updatedAt = context.now
            $0.origin = context.origin
        }
        return .transaction(change, next)
    }

    /// The recorded product, with an event first if the product is new or changed.
    func recorded(
        _ product: Product, in country: CountryCode, events: inout [Event]
    ) -> RecordedProduct {
        let key = ProductKey(identifier: product.productIdentifier, country: country)
        if let known = latestProducts[key]?.last(where: { $0.product == product }) { return known }
        let new = RecordedProduct(
            number: UInt32(products.count + 1), product: product, country: country)
        events.append(.productRecorded(new))
        return new
    }
}

extension Price {
    /// Whether both are the same amount in the same currency, whatever the number of digits.
    public func isSame(as other: Price) -> Bool {
        currencyCode == other.currencyCode && amount.isSameNumber(as: other.amount)
    }
}

extension Product.Kind {
    /// Whether a second purchase is pointless while the first one is unfinished.
    public var isBoughtOnce: Bool {
        switch self {
        case .consumable, .nonRenewingSubscription: false
        case .nonConsumable, .autoRenewableSubscription: true
        }
    }
}
