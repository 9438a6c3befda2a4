import PaymentCore

extension SandboxState {
    /// A product that is paid for, by whom and how.
    struct Sale {
        let id: OrderID
        let account: AccountName
        let product: ProductIdentifier
        let price: Price
        let country: CountryCode
    }

    /// What follows from an order being paid at a moment of the sandbox's clock: the chain that it
    /// joins, and what becomes of the subscription.
    ///
    /// A subscription of the same group is continued by the order: at once if it is over, unpaid, or
    /// of a lower level; with its next renewal if it is of a higher one. Buying what one is
    /// subscribed to costs nothing and switches its renewal on again.
    func settlement(
        of sale: Sale, in store: StoreCatalogue, at moment: Timestamp
    ) -> Settlement {
        let product = store.product(sale.product)
        guard let product, product.type == .autoRenewableSubscription,
            let period = product.subscriptionPeriod
        else {
            // A subscription that nobody renews ends if it has a period, and no other way.
            let isRunning = product?.type == .nonRenewingSubscription
            let end = isRunning ? product?.subscriptionPeriod?.end(ofPeriod: 1, from: moment) : nil
            return Settlement(at: moment, original: sale.id, expiresAt: end)
        }
        let key = SubscriptionKey(
            account: sale.account, group: product.subscriptionGroupIdentifier ?? sale.product)
        guard let running = subscriptions[key] else {
            return begin(sale, key: key, original: sale.id, period: period, at: moment)
        }
        guard running.status == .active else {
            return begin(sale, key: key, original: running.original, period: period, at: moment)
        }
        if running.product == sale.product { return repeated(running, at: moment) }
        guard store.replacesAtOnce(sale.product, running.product) else {
            return postponed(running, to: sale.product, at: moment)
        }
        return begin(sale, key: key, original: running.original, period: period, at: moment)
    }

    private func begin(
        _ sale: Sale, key: SubscriptionKey, original: OrderID, period: SubscriptionPeriod,
        at moment: Timestamp
    ) -> Settlement {
        let subscription = SandboxSubscription(
            key: key, original: original, product: sale.product, price: sale.price,
            country: sale.country, period: period, from: moment)
        return Settlement(
            at: moment, original: original, expiresAt: subscription.expiresAt,
            subscription: subscription)
    }

    private func repeated(_ running: SandboxSubscription, at moment: Timestamp) -> Settlement {
        var subscription = running
        subscription.autoRenews = true
        subscription.nextProduct = nil
        return Settlement(
            at: moment, original: running.original, expiresAt: running.expiresAt, isFree: true,
            subscription: subscription)
    }

    private func postponed(
        _ running: SandboxSubscription, to product: ProductIdentifier, at moment: Timestamp
    ) -> Settlement {
        var subscription = running
        subscription.autoRenews = true
        subscription.nextProduct = product
        return Settlement(
            at: moment, original: running.original, expiresAt: running.expiresAt, isFree: true,
            isScheduled: true, subscription: subscription)
    }

    /// The order that a chain is served by, or was: the newest paid one that is more than a plan.
    func latest(ofChain original: OrderID) -> SandboxOrder? {
        book.chain(original).first { !$0.isScheduled && $0.order.state == .purchased }
    }
}

extension SandboxOrder {
    /// The order, paid from its beginning, with what follows from that.
    func paid(_ settlement: Settlement) -> SandboxOrder {
        var paid = self
        paid.order.original = settlement.original
        paid.order.expiresAt = settlement.expiresAt
        paid.isFree = isFree || settlement.isFree
        paid.isScheduled = settlement.isScheduled
        return paid
    }
}
