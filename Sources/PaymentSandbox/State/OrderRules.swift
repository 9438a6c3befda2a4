public import PaymentCore
import SandboxControl

/// Decides about the orders that queues request.
public struct OrderRules {
    private let state: SandboxState
    private let store: StoreCatalogue
    private var sales: SaleRules { SaleRules(state, store) }

    /// The rules in a state of a sandbox that sells a catalogue.
    public init(_ state: SandboxState, _ store: StoreCatalogue) {
        self.state = state
        self.store = store
    }

    /// The decision about an order that a queue requests.
    public enum SubmitDecision: Sendable, Hashable {
        /// Nothing changes; this is the answer.
        case answer(OrderOutcome)
        /// The event is to be recorded; then this is the answer.
        case record(SandboxEvent, OrderOutcome)
    }

    /// Decides about an order. The same transaction never gets a second one.
    ///
    /// A refused attempt is refused again, as is every earlier one, however late it comes; only a
    /// later attempt is decided again. Once the transaction has an order, every attempt returns
    /// that order.
    ///
    /// - Parameters:
    ///   - request: What the queue asks for.
    ///   - id: The name of the order, should there be a new one; not used before.
    ///   - time: The real moment.
    /// - Returns: The answer, and the event behind it if there is one to record first.
    /// - Throws: The account is unknown, or the transaction was used for another order.
    public func decide(
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
                    transaction \(request.transaction) already has an order for a different \
                    product
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
        let sold = store.product(
            request.product.productIdentifier, in: request.country, locale: locale)
        guard let sold else {
            let answer = TurnedDown(
                transaction: request.transaction, attempt: request.attempt, price: nil)
            return .record(.orderTurnedDown(answer), .notSold)
        }
        let sale = Sale(
            id: id, account: request.account, product: sold.productIdentifier, price: sold.price,
            country: country)
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
            request, sale, of: sold.type, decision, mayBuy: mayBuy, settings: sales.settings,
            at: state.now(at: time))
    }

    /// The answer that an attempt has had, or that a later one has had before it arrived.
    private func refusal(of request: OrderRequest) -> TurnedDown? {
        state.refusals[request.transaction]?.first { $0.attempt >= request.attempt }
    }

    private func place(
        _ request: OrderRequest, _ sale: Sale, of kind: Product.Kind, _ decision: SaleDecision,
        mayBuy: Bool, settings: StoreTestSettings, at moment: Timestamp
    ) -> SubmitDecision {
        let (state, failure) = firstState(mayBuy: mayBuy, settings: settings)
        // A product that the account has needs no approval.
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
        // An order that was taken back was paid all the same; the charge tells of the rest.
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
    /// Whether a repeated request asks for what was ordered: by the same attempt at the price that was
    /// expected, by another one where prices and countries do not count, because nothing
    /// will be charged any more.
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

    /// The answer to a transaction that asked for what this order is there for.
    var asOwned: PaidOrder {
        PaidOrder(
            order: order.order, original: order.original, appAccountToken: order.appAccountToken,
            charge: Charge(
                price: .zero(currencyCode: order.price.currencyCode), offer: .alreadyOwned,
                revocation: order.charge?.revocation))
    }
}

extension SaleDecision {
    /// The price that would be charged, where it is another one than was expected; what costs nothing
    /// is as good as any. A change that takes effect later is charged at the price of the product.
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
    /// The outcome for the queue: the country that was told first, or the product as it is sold
    /// now, at the price that was told first.
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
