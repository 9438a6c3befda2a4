public import PaymentCore

extension SandboxState {
    /// What is to be done about an order that a queue asks for.
    public enum SubmitDecision: Sendable, Hashable {
        /// Nothing changes; this is the answer.
        case answer(OrderOutcome)
        /// The event is to be recorded; then this is the answer.
        case record(SandboxEvent, OrderOutcome)
    }

    /// Decides about an order. The same transaction never gets a second one.
    ///
    /// What was turned down is turned down again for that attempt and for every one before it,
    /// however late it comes; only a later attempt is a new question. Once the transaction has an
    /// order, every attempt hears of that.
    ///
    /// - Parameters:
    ///   - request: What the queue asks for.
    ///   - id: The name of the order, should there be a new one; not used before.
    ///   - store: What is sold and to whom.
    ///   - time: The real moment.
    /// - Returns: The answer, and the event behind it if there is one to record first.
    /// - Throws: The account is unknown, or the transaction was used for another order.
    public func decide(
        _ request: OrderRequest, as id: OrderID, in store: StoreCatalogue, at time: Timestamp
    ) throws(StoreFailure) -> SubmitDecision {
        if let known = order(of: request.transaction) {
            guard known.isAnswer(to: request) else {
                throw StoreFailure(
                    .internalError,
                    "transaction \(request.transaction) has an order for something else")
            }
            return .answer(known.order.outcome)
        }
        if forgotten.contains(request.transaction.value) {
            return .answer(
                .failed(PaymentFailure(.internalError, reason: "deleted"), order: nil))
        }
        let locale = locale(in: store)
        if let answer = refusal(of: request) {
            return .answer(answer.outcome(of: request, in: store, locale: locale))
        }
        let mayBuy = try mayBuy(request.account, in: store)
        let country = try country(of: request.account, in: store)
        guard country == request.country else {
            let answer = TurnedDown(
                transaction: request.transaction, attempt: request.attempt, price: nil,
                country: country)
            return .record(.orderTurnedDown(answer), .countryChanged(country))
        }
        let sold = store.product(
            request.product.productIdentifier, in: request.country, locale: locale)
        guard let sold, sold.price.isSame(as: request.product.price) else {
            let answer = TurnedDown(
                transaction: request.transaction, attempt: request.attempt, price: sold?.price)
            return .record(
                .orderTurnedDown(answer),
                answer.outcome(of: request, in: store, locale: locale))
        }
        return place(request, of: sold.type, as: id, mayBuy: mayBuy, in: store, at: time)
    }

    /// The answer that an attempt has had, or that a later one has had before it arrived.
    private func refusal(of request: OrderRequest) -> TurnedDown? {
        refusals[request.transaction]?.first { $0.attempt >= request.attempt }
    }

    private func place(
        _ request: OrderRequest, of kind: Product.Kind, as id: OrderID, mayBuy: Bool,
        in store: StoreCatalogue, at time: Timestamp
    ) -> SubmitDecision {
        let (state, failure) = firstState(mayBuy: mayBuy, settings: settings(in: store))
        let product = request.product
        let moment = now(at: time)
        let order = StoreOrder(
            order: id, transaction: request.transaction, original: id, account: request.account,
            product: product.productIdentifier, price: product.price, country: request.country,
            appAccountToken: request.appAccountToken, state: state, failure: failure,
            completed: false, placedAt: moment)
        // Buying what one owns for ever is an ordinary order that costs nothing.
        let isOwned =
            kind == .nonConsumable && owns(product.productIdentifier, account: request.account)
        var placed = SandboxOrder(order: order, isFree: isOwned, kind: kind)
        placed.attempt = request.attempt
        guard state == .purchased else {
            return .record(.orderPlaced(placed, nil), placed.order.outcome)
        }
        let settlement = settlement(
            of: Sale(
                id: id, account: request.account, product: product.productIdentifier,
                price: product.price, country: request.country),
            in: store, at: moment)
        placed = placed.paid(settlement)
        return .record(.orderPlaced(placed, settlement.subscription), placed.order.outcome)
    }

    private func firstState(
        mayBuy: Bool, settings: StoreTestSettings
    ) -> (StoreOrder.State, PaymentFailure?) {
        if !mayBuy {
            return (.failed, PaymentFailure(.internalError, reason: "paymentNotAllowed"))
        }
        if settings.failTransactionsEnabled {
            let word = FailureWord(rawValue: settings.failureError) ?? .unknown
            return (.failed, word.failure)
        }
        if settings.interruptedPurchasesEnabled { return (.failed, .interrupted) }
        return (settings.askToBuyEnabled ? .deferred : .purchased, nil)
    }

    /// Decides about the word that goods were delivered: the event to record, or nil if nothing is
    /// left to do.
    ///
    /// An order that the store does not know needs no completion: saying otherwise would make the
    /// queue repeat itself for ever.
    ///
    /// - Throws: The order is another account's, or was never paid.
    public func decide(
        completionOf id: OrderID, account: AccountName
    ) throws(StoreFailure) -> SandboxEvent? {
        guard let known = order(id) else { return nil }
        guard known.order.account == account else {
            throw StoreFailure(.internalError, "order \(id) belongs to another account")
        }
        guard known.isPaid else { throw StoreFailure(.internalError, "order \(id) was not paid") }
        return known.order.completed ? nil : .orderCompleted(id)
    }
}

extension StoreOrder {
    /// What the queue is told about this order.
    var outcome: OrderOutcome {
        switch state {
        case .deferred: .deferred(order: order)
        // What was taken back was paid all the same; the queue hears of the rest as a revocation.
        case .purchased, .refunded: .purchased(order: order, original: original)
        case .failed:
            .failed(failure ?? PaymentFailure(.internalError, reason: "unknown"), order: order)
        }
    }
}

extension SandboxOrder {
    /// Whether a repeated request asks for what was ordered: by the same attempt in every respect
    /// that costs money, by another one where prices and countries do not count, because nothing
    /// will be charged any more.
    fileprivate func isAnswer(to request: OrderRequest) -> Bool {
        guard order.account == request.account,
            order.product == request.product.productIdentifier,
            order.appAccountToken == request.appAccountToken
        else { return false }
        return attempt != request.attempt
            || order.country == request.country && order.price.isSame(as: request.product.price)
    }
}

extension TurnedDown {
    /// What the queue is told: the country that was told first, or the product as it is sold now, at the
    /// price that was told first.
    fileprivate func outcome(
        of request: OrderRequest, in store: StoreCatalogue, locale: String
    ) -> OrderOutcome {
        if let country { return .countryChanged(country) }
        guard let price else { return .notSold }
        let sold = store.product(
            request.product.productIdentifier, in: request.country, locale: locale)
        var product = sold ?? request.product
        product.price = price
        return .priceChanged(product)
    }
}
