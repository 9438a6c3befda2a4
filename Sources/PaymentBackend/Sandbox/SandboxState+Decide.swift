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
    /// - Parameters:
    ///   - request: What the queue asks for.
    ///   - id: The name of the order, should there be a new one; not used before.
    ///   - store: What is sold and to whom.
    ///   - time: Now.
    /// - Returns: The answer, and the event behind it if there is one to record first.
    /// - Throws: The account is unknown, or the transaction was used for another order.
    public func decide(
        _ request: OrderRequest, as id: OrderID, in store: StoreCatalogue, at time: Timestamp
    ) throws(StoreFailure) -> SubmitDecision {
        if let known = order(of: request.transaction) {
            guard known.order.isAnswer(to: request) else {
                throw StoreFailure(
                    .internalError,
                    "transaction \(request.transaction) has an order for something else")
            }
            return .answer(known.order.outcome)
        }
        let mayBuy = try mayBuy(request.account, in: store)
        let sold = store.product(request.product.productIdentifier, in: request.country)
        guard let sold else { return .answer(.notSold) }
        guard sold.price.isSame(as: request.product.price) else {
            return .answer(.priceChanged(sold))
        }
        let placed = place(
            request, as: id, mayBuy: mayBuy, settings: settings(in: store), at: time)
        return .record(.orderPlaced(placed), placed.order.outcome)
    }

    private func place(
        _ request: OrderRequest, as id: OrderID, mayBuy: Bool, settings: StoreTestSettings,
        at time: Timestamp
    ) -> SandboxOrder {
        let state: StoreOrder.State
        let failure: PaymentFailure?
        if !mayBuy {
            (state, failure) = (
                .failed, PaymentFailure(.internalError, reason: "paymentNotAllowed")
            )
        } else if settings.failTransactionsEnabled {
            let word = FailureWord(rawValue: settings.failureError) ?? .unknown
            (state, failure) = (.failed, word.failure)
        } else {
            (state, failure) = (settings.askToBuyEnabled ? .deferred : .purchased, nil)
        }
        let product = request.product
        let order = StoreOrder(
            order: id, transaction: request.transaction, original: id, account: request.account,
            product: product.productIdentifier, price: product.price, country: request.country,
            appAccountToken: request.appAccountToken, state: state, failure: failure,
            completed: false, placedAt: time)
        // Buying what one owns for ever is an ordinary order that costs nothing.
        let isOwned =
            product.type == .nonConsumable
            && owns(product.productIdentifier, account: request.account)
        return SandboxOrder(order: order, isFree: isOwned)
    }

    /// Decides about somebody's word on a deferred order: the event to record, or nil if it was
    /// decided the same way before.
    ///
    /// - Throws: The transaction has no order, or one that was decided otherwise.
    public func decide(
        approval isApproved: Bool, of transaction: TransactionID
    ) throws(StoreFailure) -> SandboxEvent? {
        guard let known = order(of: transaction)?.order else {
            throw StoreFailure(.internalError, "transaction \(transaction) has no order")
        }
        switch (known.state, isApproved) {
        case (.deferred, true): return .orderSettled(known.order, nil)
        case (.deferred, false): return .orderSettled(known.order, PaymentFailure(.cancelled))
        case (.purchased, true), (.failed, false): return nil
        case (.purchased, false), (.failed, true), (.refunded, _):
            throw StoreFailure(
                .internalError, "the order of transaction \(transaction) is not deferred")
        }
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
        guard let known = order(id)?.order else { return nil }
        guard known.account == account else {
            throw StoreFailure(.internalError, "order \(id) belongs to another account")
        }
        guard known.state == .purchased || known.state == .refunded else {
            throw StoreFailure(.internalError, "order \(id) was not paid")
        }
        return known.completed ? nil : .orderCompleted(id)
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

    /// Whether a repeated request asks for what was ordered, in every respect that costs money.
    fileprivate func isAnswer(to request: OrderRequest) -> Bool {
        account == request.account && product == request.product.productIdentifier
            && country == request.country && price.isSame(as: request.product.price)
            && appAccountToken == request.appAccountToken
    }
}

extension Price {
    /// Whether both are the same money, however it is written.
    fileprivate func isSame(as other: Price) -> Bool {
        currencyCode == other.currencyCode && amount.isSameNumber(as: other.amount)
    }
}
