public import PaymentCore
import SandboxControl

extension SandboxState {
    /// Decides the next due event, if one is due by a time of the sandbox's clock. The event has
    /// the date when it was due.
    ///
    /// - Parameters:
    ///   - limit: The time; events due later stay undecided.
    ///   - id: An unused identifier for a new order.
    ///   - store: The catalogue.
    /// - Returns: The event; nil if none is due.
    public func decideNextDue(
        by limit: Timestamp, as id: OrderID, in store: StoreCatalogue
    ) -> SandboxEvent? {
        guard let (at, subscription) = nextDue, at <= limit else { return nil }
        switch subscription.status {
        case .active:
            return renewal(
                of: subscription, at: at, as: id, isPayable: !failsRenewals(in: store), in: store)
        case .retrying where subscription.graceUntil != nil:
            var ungraced = subscription
            ungraced.graceUntil = nil
            return .subscriptionChanged(ungraced)
        case .retrying, .ended:
            return .subscriptionChanged(ended(subscription, at: at))
        }
    }

    func failsRenewals(in store: StoreCatalogue) -> Bool {
        settings(in: store).shouldEnterBillingRetryOnRenewal
    }

    /// The next step of a subscription at the end of its paid period: an order for the next period,
    /// a retry of the payment, or the end.
    ///
    /// A change to another product starts a new period, with the price, country and token of the
    /// purchase that scheduled it.
    func renewal(
        of subscription: SandboxSubscription, at moment: Timestamp, as id: OrderID,
        isPayable: Bool, in store: StoreCatalogue
    ) -> SandboxEvent {
        let wanted = subscription.nextProduct ?? subscription.product
        guard subscription.autoRenews, subscription.increase?.isAgreed != false,
            let product = store.product(
                wanted, in: subscription.country, locale: locale(in: store)),
            let period = product.subscriptionPeriod
        else { return .subscriptionChanged(ended(subscription, at: moment)) }
        guard isPayable else {
            let withGrace = settings(in: store).billingGracePeriodIsEnabled
            return .subscriptionChanged(subscription.retrying(withGrace: withGrace))
        }
        let plan = plan(of: subscription)
        var next = subscription
        if wanted != subscription.product {
            next = next.restarted(at: moment)
            next.product = wanted
            next.price = plan?.order.price ?? product.price
            next.country = plan?.order.country ?? subscription.country
            next.period = period
            next.introductory = nil
            next.increase = nil
        }
        next.nextProduct = nil
        let (renewed, charge) = next.renewed(after: period)
        let last = plan ?? latest(ofChain: subscription.original)
        var order = StoreOrder(
            order: id, transaction: nil, original: subscription.original,
            account: subscription.key.account, product: renewed.product, price: renewed.price,
            country: renewed.country, appAccountToken: last?.order.appAccountToken,
            state: .purchased, failure: nil, completed: false, placedAt: moment)
        order.isRenewal = true
        order.expiresAt = renewed.expiresAt
        order.charge = charge
        var placed = SandboxOrder(order: order, kind: .autoRenewableSubscription)
        if charge.offer == .introductory { placed.group = subscription.key.group }
        return .orderPlaced(placed, renewed)
    }
}
