import PaymentCore
import SandboxControl

/// The effect of a control: the events to record, and the order that the caller receives.
struct ControlDecision: Sendable {
    /// The events, in order.
    var events: [SandboxEvent] = []
    /// The order that was created, changed or deleted.
    var order: OrderID?
}

/// The rules of the controls of a test or an operator.
struct ControlRules {
    /// The state before the decision.
    let state: SandboxState
    /// The products and the accounts.
    let store: StoreCatalogue
    private var sales: SaleRules { SaleRules(state: state, store: store) }

    /// Decides on a control. A change that the state already has is not recorded again.
    ///
    /// - Parameters:
    ///   - control: The control.
    ///   - account: The account of the subscription or purchase, if the control names no order.
    ///   - id: The identifier of a new order, not used before.
    ///   - real: The real time.
    /// - Returns: The events to record, and the order to return.
    /// - Throws: The control has nothing to apply to.
    func decide(
        _ control: TestControl, account: AccountName?, as id: OrderID,
        at real: Timestamp
    ) throws(TestFailure) -> ControlDecision {
        let moment = state.now(at: real)
        switch control {
        case .buy(let product, let token):
            return try buy(
                product, token: token, account: account, as: id, at: moment)
        case .decide(let reference, let isApproved):
            return try settle(order(at: reference), isApproved, at: moment)
        case .refund(let reference):
            return try refund(order(at: reference), at: moment)
        case .resolve(let reference):
            return try resolve(order(at: reference), as: id, at: moment)
        case .renew(let product):
            let running = try subscription(to: product, of: account)
            return renew(running, as: id, at: moment)
        case .expire(let product):
            let running = try subscription(to: product, of: account)
            return change(running, to: state.ended(running, at: moment))
        case .autoRenew(let product, let isOn):
            let running = try subscription(to: product, of: account)
            var changed = running
            changed.autoRenews = isOn
            return change(running, to: changed)
        case .priceIncrease(let product, let answer):
            let running = try subscription(to: product, of: account)
            return change(running, to: increased(running, answer))
        case .deleteOrder(let reference):
            let known = try order(at: reference)
            return ControlDecision(
                events: deletion(of: withRenewals(known)), order: known.order.order)
        case .clear:
            return ControlDecision(events: deletion(of: state.orderTable.all.map(\.order.order)))
        case .reset:
            return ControlDecision(events: reset(at: real))
        }
    }

    private func order(at reference: OrderReference) throws(TestFailure) -> SandboxOrder {
        let known =
            switch reference {
            case .transaction(let transaction):
                state.claimed(by: transaction) ?? state.order(of: transaction)
            case .order(let id): state.order(id)
            }
        guard let known else { throw .noSuchOrder }
        return known
    }

    /// The running subscription of an account to a product, now or from the next renewal on.
    ///
    /// - Throws: There is none, or no account is named.
    func subscription(
        to product: ProductIdentifier, of account: AccountName?
    ) throws(TestFailure) -> SandboxSubscription {
        guard let account else { throw .notLoggedIn }
        let group = store.product(product)?.subscriptionGroupIdentifier ?? product
        let known = state.subscriptions[SubscriptionKey(account: account, group: group)]
        guard let known, known.status != .ended,
            known.product == product || known.nextProduct == product
        else {
            throw store.product(product) == nil
                ? .unknownProduct(product) : .noSubscription(product)
        }
        return known
    }

    private func buy(
        _ identifier: ProductIdentifier, token: OpaqueText?, account: AccountName?, as id: OrderID,
        at moment: Timestamp
    ) throws(TestFailure) -> ControlDecision {
        guard let account else { throw .notLoggedIn }
        guard let known = store.account(account) else {
            throw .store(StoreFailure(.unknownAccount, "the store has no such account"))
        }
        let country = sales.settings.storefront ?? known.country
        guard let product = store.product(identifier, in: country, locale: sales.locale)
        else { throw .unknownProduct(identifier) }
        let sale = Sale(
            id: id, account: account, product: identifier, price: product.price, country: country)
        switch sales.decision(on: sale, at: moment) {
        case .owned(let known, let subscription):
            return ControlDecision(
                events: [subscription.map(SandboxEvent.subscriptionChanged)].compactMap { $0 },
                order: known.order.order)
        case .new(let settlement):
            let order = StoreOrder(
                order: id, transaction: nil, original: id, account: account, product: identifier,
                price: product.price, country: country, appAccountToken: token,
                state: .purchased, failure: nil, completed: false, placedAt: moment)
            let placed = SandboxOrder(order: order, kind: product.type).paid(settlement)
            return ControlDecision(
                events: [.orderPlaced(placed, settlement.subscription)], order: id)
        }
    }

    private func settle(
        _ known: SandboxOrder, _ isApproved: Bool, at moment: Timestamp
    ) throws(TestFailure) -> ControlDecision {
        let id = known.order.order
        guard known.order.state == .deferred else { throw .notDecidable(known.order.state) }
        guard isApproved else {
            return ControlDecision(
                events: [.orderRefused(id, PaymentFailure(.cancelled))], order: id)
        }
        let event =
            payment(of: known, at: moment)
            ?? .orderRefused(id, PaymentFailure(.internalError, reason: "priceChanged"))
        return ControlDecision(events: [event], order: id)
    }

    /// The event that pays an order now; nil if the charge differs from the price that the buyer
    /// expected.
    private func payment(
        of known: SandboxOrder, at moment: Timestamp
    ) -> SandboxEvent? {
        let order = known.order
        let sale = Sale(
            id: order.order, account: order.account, product: order.product, price: order.price,
            country: order.country)
        switch sales.decision(on: sale, at: moment) {
        case .owned(let owned, let subscription):
            return order.transaction.map { .alreadyOwned($0, owned.order.order, subscription) }
        case .new(let settlement):
            let price = settlement.charge(of: order.price).price
            guard price.isZero || price.isSame(as: known.agreed ?? order.price) else { return nil }
            return .orderPaid(order.order, settlement)
        }
    }

    private func refund(
        _ known: SandboxOrder, at moment: Timestamp
    ) throws(TestFailure) -> ControlDecision {
        let order = known.order
        switch order.state {
        case .refunded: return ControlDecision(order: order.order)
        case .deferred, .failed: throw .notDecidable(order.state)
        case .purchased: break
        }
        // The refund of the order that serves a subscription ends the subscription; the refund of a
        // past period does not. The refund of a plan drops the plan.
        var changed: SandboxSubscription?
        if state.latest(ofChain: order.original)?.order.order == order.order {
            changed = state.subscription(ofChain: order.original).map {
                state.ended($0, at: moment)
            }
        } else if var running = state.subscription(ofChain: order.original),
            state.plan(of: running)?.order.order == order.order
        {
            running.nextProduct = nil
            changed = running
        }
        return ControlDecision(
            events: [.orderRefunded(order.order, moment, changed)], order: order.order)
    }

    private func resolve(
        _ known: SandboxOrder, as id: OrderID, at moment: Timestamp
    ) throws(TestFailure) -> ControlDecision {
        if known.isInterrupted {
            guard let event = payment(of: known, at: moment),
                case .orderPaid = event
            else { throw .notDecidable(known.order.state) }
            return ControlDecision(events: [event], order: known.order.order)
        }
        guard known.isPaid, let unpaid = state.subscription(ofChain: known.order.original),
            unpaid.status == .retrying
        else { throw .notDecidable(known.order.state) }
        let event = sales.renewal(
            of: unpaid.unserved(at: moment), at: moment, as: id, isPayable: true)
        return shown(event, of: unpaid)
    }

    private func renew(
        _ running: SandboxSubscription, as id: OrderID,
        at moment: Timestamp
    ) -> ControlDecision {
        var forced = running
        forced.autoRenews = true
        if forced.increase?.isAgreed == false { forced.increase = nil }
        // A forced renewal is not payable by itself: a subscription in billing retry stays there.
        guard running.status == .active else { return change(running, to: forced) }
        forced = forced.restarted(at: moment)
        forced.expiresAt = moment
        let event = sales.renewal(
            of: forced, at: moment, as: id, isPayable: !sales.failsRenewals)
        return shown(event, of: running)
    }

    private func increased(
        _ running: SandboxSubscription, _ answer: PriceIncreaseAnswer
    ) -> SandboxSubscription {
        var changed = running
        switch answer {
        case .decline:
            changed.increase = nil
            changed.autoRenews = false
        case .consent, .pending:
            let announced = running.increase?.price
            let sold = store.product(
                running.product, in: running.country, locale: sales.locale)
            changed.increase = .init(
                price: announced ?? running.price.raised(towards: sold?.price),
                isAgreed: answer == .consent)
        }
        return changed
    }

    private func change(
        _ running: SandboxSubscription, to changed: SandboxSubscription
    ) -> ControlDecision {
        guard changed != running else {
            return ControlDecision(order: state.latest(ofChain: running.original)?.order.order)
        }
        return shown(.subscriptionChanged(changed), of: running)
    }

    /// The event, with the order that serves the subscription after it.
    private func shown(
        _ event: SandboxEvent, of subscription: SandboxSubscription
    ) -> ControlDecision {
        var shown = state.latest(ofChain: subscription.original)?.order.order
        if case .orderPlaced(let placed, _) = event { shown = placed.order.order }
        return ControlDecision(events: [event], order: shown)
    }

    /// An order and, if it is the first of a chain, all other orders of the chain. The first order is
    /// last, so that an incomplete deletion can be repeated.
    private func withRenewals(_ known: SandboxOrder) -> [OrderID] {
        let id = known.order.order
        return state.orderTable.chain(id).map(\.order.order).filter { $0 != id } + [id]
    }

    private func deletion(of orders: [OrderID]) -> [SandboxEvent] {
        stride(from: 0, to: orders.count, by: SandboxEvent.deletionLimit).map { start in
            .ordersDeleted(
                Array(orders[start..<min(start + SandboxEvent.deletionLimit, orders.count)]))
        }
    }

    private func reset(at real: Timestamp) -> [SandboxEvent] {
        guard state.settingsChange != StoreTestSettingsChange() else { return [] }
        let rate = state.decide(rateOf: store.initialSettings, at: real)
        return [rate, .settingsReset].compactMap { $0 }
    }
}
