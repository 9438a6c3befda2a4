import PaymentCore
import SandboxControl

/// The rules of the orders that queues request.
struct OrderRules {
    /// The state before the decision.
    let state: SandboxState
    /// The products and the accounts.
    let store: StoreCatalogue
    private var sales: SaleRules { SaleRules(state: state, store: store) }

    /// The decision about an order that a queue requests.
    enum SubmitDecision: Sendable, Hashable {
        /// The answer; the state does not change.
        case answer(OrderOutcome)
        /// The event to record before the answer, and the answer.
        case record(SandboxEvent, OrderOutcome)
    }

    /// Decides on an order. A transaction never gets a second order.
    ///
    /// A refused attempt and all earlier attempts are refused again, however late they arrive. Only a
    /// later attempt is decided again. Once the transaction has an order, every attempt returns
    /// that order.
    ///
    /// - Parameters:
    ///   - request: The order that the queue requests.
    ///   - id: The identifier of a new order, not used before.
    ///   - time: The real time.
    /// - Returns: The answer, and the event to record before it, if there is one.
    /// - Throws: The account is unknown, or the transaction has another order.
    func decide(
        _ request: OrderRequest, as id: OrderID, at time: Timestamp
    ) throws(StoreFailure) -> SubmitDecision {
        if let known = state.claimed(by: request.transaction) {
            guard known.order.account == request.account,
                known.order.product == request.product.productIdentifier
            else {
                throw StoreFailure(
                    .internalError,
                    "transaction \(request.transaction) has asked for a different product before")
            }
            return .answer(.purchased(known.asOwned))
        }
        if let known = state.order(of: request.transaction) {
            guard known.isAnswer(to: request) else {
                throw StoreFailure(
                    .internalError,
                    """
                    transaction \(request.transaction) already has an order with another product, \
                    account, token, country or price
                    """)
            }
            return .answer(known.order.outcome)
        }
        if state.deletions.contains(request.transaction.value) {
            return .answer(
                .failed(PaymentFailure(.internalError, reason: "deleted"), order: nil))
        }
        let locale = sales.locale
        if let answer = refusal(of: request) {
            return .answer(answer.outcome(of: request, in: store, locale: locale))
        }
        let mayBuy = try sales.mayBuy(request.account)
        let country = try sales.country(of: request.account)
        guard country == request.country else {
            let answer = TurnedDown(
                transaction: request.transaction, attempt: request.attempt, price: nil,
                country: country)
            return .record(.orderTurnedDown(answer), .countryChanged(country))
        }
        let identifier = request.product.productIdentifier
        guard let product = store.product(identifier),
            let price = product.prices.price(in: request.country)
        else {
            let answer = TurnedDown(
                transaction: request.transaction, attempt: request.attempt, price: nil)
            return .record(.orderTurnedDown(answer), .notSold)
        }
        let sale = Sale(
            id: id, account: request.account, product: identifier, price: price, country: country)
        let decision = sales.decision(on: sale, at: state.now(at: time))
        if let offered = decision.price(unlike: request.product.expectedPrice, of: sale) {
            var answer = TurnedDown(
                transaction: request.transaction, attempt: request.attempt, price: offered.price)
            answer.isIntroductory = offered.isIntroductory
            return .record(
                .orderTurnedDown(answer),
                answer.outcome(of: request, in: store, locale: locale))
        }
        return place(
            request, sale, of: product.type, decision, mayBuy: mayBuy, settings: sales.settings,
            at: state.now(at: time))
    }

    /// The refusal of this attempt, or of a later attempt that arrived before it.
    private func refusal(of request: OrderRequest) -> TurnedDown? {
        state.refusals[request.transaction]?.first { $0.attempt >= request.attempt }
    }

    private func place(
        _ request: OrderRequest, _ sale: Sale, of kind: Product.Kind, _ decision: SaleDecision,
        mayBuy: Bool, settings: StoreTestSettings, at moment: Timestamp
    ) -> SubmitDecision {
        let (state, failure) = firstState(mayBuy: mayBuy, settings: settings)
        // A product that the account owns needs no approval.
        if case .owned(let known, let subscription) = decision, failure == nil {
            return .record(
                .alreadyOwned(request.transaction, known.order.order, subscription),
                .purchased(known.asOwned))
        }
        let order = StoreOrder(
            order: sale.id, transaction: request.transaction, original: sale.id,
            account: sale.account, product: sale.product, price: sale.price,
            country: sale.country, appAccountToken: request.appAccountToken, state: state,
            failure: failure, completed: false, placedAt: moment)
        var placed = SandboxOrder(order: order, kind: kind)
        placed.attempt = request.attempt
        let expected = request.product.expectedPrice
        if !expected.isSame(as: sale.price) { placed.agreed = expected }
        guard state == .purchased, case .new(let settlement) = decision else {
            return .record(.orderPlaced(placed, nil), placed.order.outcome)
        }
        placed.settle(settlement)
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
}

extension StoreOrder {
    /// The outcome of this order, for the queue.
    var outcome: OrderOutcome {
        switch state {
        case .deferred: .deferred(order: order)
        // A refunded order was paid; its charge has the revocation.
        case .purchased, .refunded:
            .purchased(
                PaidOrder(
                    order: order, original: original, appAccountToken: appAccountToken,
                    charge: charge ?? Charge(price: price)))
        case .failed:
            .failed(failure ?? PaymentFailure(.internalError, reason: "unknown"), order: order)
        }
    }
}

extension SandboxOrder {
    /// Whether a repeated request matches the order. The same attempt must expect the same price. For
    /// another attempt, price and country do not matter, because nothing will be charged again.
    fileprivate func isAnswer(to request: OrderRequest) -> Bool {
        guard order.account == request.account,
            order.product == request.product.productIdentifier,
            order.appAccountToken == request.appAccountToken
        else { return false }
        let expected = request.product.expectedPrice
        guard attempt == request.attempt else { return true }
        return agreed?.isSame(as: expected)
            ?? (order.country == request.country && order.price.isSame(as: expected))
    }

    /// The answer to a transaction for a product that this order already paid for.
    var asOwned: PaidOrder {
        PaidOrder(
            order: order.order, original: order.original, appAccountToken: order.appAccountToken,
            charge: Charge(
                price: .zero(currencyCode: order.price.currencyCode), offer: .alreadyOwned,
                revocation: order.charge?.revocation))
    }
}

extension SaleDecision {
    /// The price of the charge, if it differs from the expected price; nil for a charge of zero. A
    /// change that takes effect later is charged at the price of the product.
    fileprivate func price(
        unlike expected: Price, of sale: Sale
    ) -> (price: Price, isIntroductory: Bool)? {
        guard case .new(let settlement) = self else { return nil }
        let charge = settlement.charge(of: sale.price)
        let price = charge.offer == .scheduled ? sale.price : charge.price
        guard !price.isZero, !price.isSame(as: expected) else { return nil }
        return (price, charge.offer == .introductory)
    }
}

extension TurnedDown {
    /// The outcome for the queue: the country of the first answer, or the product as it is sold now, at
    /// the price of the first answer.
    fileprivate func outcome(
        of request: OrderRequest, in store: StoreCatalogue, locale: String
    ) -> OrderOutcome {
        if let country { return .countryChanged(country) }
        guard let price else { return .notSold }
        let sold = store.product(
            request.product.productIdentifier, in: request.country, locale: locale)
        var product = sold ?? request.product
        if isIntroductory, let offer = product.introductoryPrice {
            product.introductoryPrice = PricePeriod(price: price, period: offer.period)
            product.introductoryOfferEligible = true
        } else {
            product.price = price
            product.introductoryOfferEligible = product.introductoryPrice.map { _ in false }
        }
        return .priceChanged(product)
    }
}
