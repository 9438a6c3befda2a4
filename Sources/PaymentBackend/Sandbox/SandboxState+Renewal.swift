public import PaymentCore

extension SandboxState {
    /// Decides what happens next by itself, if it is due by a moment of the sandbox's clock: one
    /// event, dated when it was due.
    ///
    /// - Parameters:
    ///   - limit: What is due later is left alone.
    ///   - id: The name of the order, should there be one; not used before.
    ///   - store: What is sold.
    /// - Returns: The event and the account that it concerns; nil if nothing is due.
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
            return .subscriptionChanged(subscription.ended(at: at))
        }
    }

    func failsRenewals(in store: StoreCatalogue) -> Bool {
        settings(in: store).shouldEnterBillingRetryOnRenewal
    }

    /// What becomes of a subscription at the end of what was paid for: an order for the next period,
    /// attempts to get it paid, or the end.
    ///
    /// The periods go on from the same anchor, so that an end of a month stays one; only another
    /// product begins anew.
    func renewal(
        of subscription: SandboxSubscription, at moment: Timestamp, as id: OrderID,
        isPayable: Bool, in store: StoreCatalogue
    ) -> SandboxEvent {
        let wanted = subscription.nextProduct ?? subscription.product
        guard subscription.autoRenews, subscription.increase?.isAgreed != false,
            let product = store.product(
                wanted, in: subscription.country, locale: locale(in: store)),
            let period = product.subscriptionPeriod
        else { return .subscriptionChanged(subscription.ended(at: moment)) }
        guard isPayable else {
            let withGrace = settings(in: store).billingGracePeriodIsEnabled
            return .subscriptionChanged(subscription.retrying(withGrace: withGrace))
        }
        var renewed = subscription
        renewed.status = .active
        renewed.graceUntil = nil
        renewed.retryUntil = nil
        renewed.increase = nil
        renewed.nextProduct = nil
        if wanted == subscription.product {
            renewed.price = subscription.increase?.price ?? subscription.price
            renewed.periods += 1
        } else {
            renewed.product = wanted
            renewed.price = product.price
            renewed.period = period
            renewed.anchor = moment
            renewed.periods = 1
        }
        renewed.expiresAt = renewed.period.end(ofPeriod: renewed.periods, from: renewed.anchor)
        return .orderPlaced(order(id, renewing: renewed, at: moment), renewed)
    }

    private func order(
        _ id: OrderID, renewing subscription: SandboxSubscription, at moment: Timestamp
    ) -> SandboxOrder {
        var order = StoreOrder(
            order: id, transaction: nil, original: subscription.original,
            account: subscription.key.account, product: subscription.product,
            price: subscription.price, country: subscription.country,
            appAccountToken: order(subscription.original)?.order.appAccountToken,
            state: .purchased, failure: nil, completed: false, placedAt: moment)
        order.isRenewal = true
        order.expiresAt = subscription.expiresAt
        return SandboxOrder(order: order, isFree: false, kind: .autoRenewableSubscription)
    }
}
