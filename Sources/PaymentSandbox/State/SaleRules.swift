public import PaymentCore
public import SandboxControl

/// A sale of a product to an account in a country, at the price of the catalogue.
struct Sale {
    let id: OrderID
    let account: AccountName
    let product: ProductIdentifier
    let price: Price
    let country: CountryCode
}

/// The result of a sale.
enum SaleDecision {
    /// A new order.
    case new(Settlement)
    /// The account owns the product: the existing order, and the subscription if it changes.
    case owned(SandboxOrder, SandboxSubscription?)
}

extension SandboxState {
    /// Decides the effects of a sale at a time of the sandbox's clock: the charge, the chain of the
    /// order and the change of the subscription.
    ///
    /// An owned product that is bought only once is not sold again. The order continues a
    /// subscription of the same group. It takes effect at once if that subscription has ended, is
    /// unpaid or has a lower level. If that subscription has a higher level, the order takes effect
    /// with the next renewal. Buying the current product costs nothing and enables its renewal; an
    /// unpaid renewal is paid.
    func decision(
        on sale: Sale, at moment: Timestamp
    ) -> SaleDecision {
        guard let product = store.product(sale.product) else {
            return .new(settlement(of: sale, expiresAt: nil, at: moment))
        }
        switch product.type {
        case .consumable:
            return .new(settlement(of: sale, expiresAt: nil, at: moment))
        case .nonConsumable:
            if let known = state.orderTable.owned(sale.product, account: sale.account) {
                return .owned(known, nil)
            }
            return .new(settlement(of: sale, expiresAt: nil, at: moment))
        case .nonRenewingSubscription:
            // It is not renewed: it ends if it has a period, and no other way.
            let end = product.subscriptionPeriod?.end(ofPeriod: 1, from: moment)
            return .new(settlement(of: sale, expiresAt: end, at: moment))
        case .autoRenewableSubscription:
            return subscriptionDecision(on: sale, of: product, at: moment)
        }
    }

    private func settlement(
        of sale: Sale, expiresAt end: Timestamp?, at moment: Timestamp
    ) -> Settlement {
        Settlement(
            at: moment, original: sale.id, expiresAt: end,
            terms: .charge(Charge(price: sale.price)))
    }

    private func subscriptionDecision(
        on sale: Sale, of product: CatalogueProduct, at moment: Timestamp
    ) -> SaleDecision {
        let key = SubscriptionKey(account: sale.account, group: product.offerGroup)
        guard let running = state.subscriptions[key], running.canContinue else {
            return .new(
                begin(sale, of: product, key: key, after: state.subscriptions[key], at: moment))
        }
        // If the order of the current period was deleted, an older one may have another product.
        if running.product == sale.product,
            let latest = state.orderTable.chain(running.original).first(where: {
                !$0.isScheduled && $0.order.state == .purchased
                    && $0.order.product == sale.product
            })
        {
            return running.status == .active
                ? repeated(running, latest, at: moment)
                : .new(paidUp(running, of: product, at: moment))
        }
        if running.status == .active, running.product != sale.product,
            !store.replacesAtOnce(sale.product, running.product)
        {
            return .new(postponed(running, to: sale, at: moment))
        }
        return .new(begin(sale, of: product, key: key, after: running, at: moment))
    }

    /// The first period of a subscription or of another product of its group. The introductory
    /// offer applies if the account has not used one of the group.
    private func begin(
        _ sale: Sale, of product: CatalogueProduct, key: SubscriptionKey,
        after known: SandboxSubscription?, at moment: Timestamp
    ) -> Settlement {
        let original = known?.original ?? sale.id
        let offer = product.introductoryOffer.flatMap { offer in
            hasIntroduced(key)
                ? nil : offer.prices.price(in: sale.country).map { (offer, $0) }
        }
        let isPaidByPeriod = offer?.0.mode == .payAsYouGo
        let usual =
            product.subscriptionPeriod ?? SubscriptionPeriod(unit: .month, numberOfUnits: 1)
        let period = offer.map { isPaidByPeriod ? $0.0.period : $0.0.wholePeriod } ?? usual
        var subscription = SandboxSubscription(
            key: key, original: original, product: sale.product, price: sale.price,
            country: sale.country, period: period, from: moment)
        subscription.dropped = known.flatMap { state.unplanned($0, at: moment).dropped }
        var charge = Charge(price: sale.price)
        if let (offer, price) = offer {
            let first = price.isZero ? Price.zero(currencyCode: price.currencyCode) : price
            charge = Charge(price: first, offer: .introductory)
            subscription.introductory = SandboxSubscription.Introductory(
                price: first, left: isPaidByPeriod ? offer.periods - 1 : 0)
        }
        return Settlement(
            at: moment, original: original, expiresAt: subscription.expiresAt,
            terms: .charge(charge), subscription: subscription)
    }

    /// Whether an introductory offer of a group was charged to an account.
    private func hasIntroduced(_ key: SubscriptionKey) -> Bool {
        state.orderTable.introduced[key.account]?[key.group] != nil
    }

    private func repeated(
        _ running: SandboxSubscription, _ latest: SandboxOrder, at moment: Timestamp
    ) -> SaleDecision {
        var subscription = state.unplanned(running, at: moment)
        subscription.autoRenews = true
        return .owned(latest, subscription == running ? nil : subscription)
    }

    /// The payment of an overdue renewal.
    private func paidUp(
        _ running: SandboxSubscription, of product: CatalogueProduct, at moment: Timestamp
    ) -> Settlement {
        var unpaid = state.unplanned(running, at: moment).unserved(at: moment)
        unpaid.autoRenews = true
        let (renewed, charge) = unpaid.renewed(after: product.subscriptionPeriod)
        return Settlement(
            at: moment, original: running.original, expiresAt: renewed.expiresAt,
            terms: .charge(charge), subscription: renewed)
    }

    private func postponed(
        _ running: SandboxSubscription, to sale: Sale, at moment: Timestamp
    ) -> Settlement {
        var subscription = state.unplanned(running, at: moment)
        subscription.autoRenews = true
        subscription.nextProduct = sale.product
        let charge = Charge(
            price: .zero(currencyCode: sale.price.currencyCode), offer: .scheduled,
            effectiveAt: running.expiresAt)
        return Settlement(
            at: moment, original: running.original, expiresAt: nil, terms: .charge(charge),
            subscription: subscription)
    }

    /// The subscription without its scheduled change, if any.
    func unplanned(
        _ running: SandboxSubscription, at moment: Timestamp
    ) -> SandboxSubscription {
        var unplanned = running
        if let plan = plan(of: running) {
            unplanned.dropped = .init(order: plan.order.order, at: moment)
        }
    }

    /// The subscription, ended at a time together with its scheduled change.
    func ended(_ running: SandboxSubscription, at moment: Timestamp) -> SandboxSubscription {
        unplanned(running, at: moment).ended(at: moment)
    }

    /// Whether the account was charged an introductory offer of the group.
    func hasIntroduced(_ key: SubscriptionKey) -> Bool {
        orderTable.introduced[key.account]?[key.group] != nil
    }

    /// The groups for which an account was charged an introductory offer.
    func introduced(_ account: AccountName) -> Set<OpaqueText> {
        Set(orderTable.introduced[account, default: [:]].keys)
    }

    /// The current or last order of a chain: the newest paid one that is not a scheduled change.
    func latest(ofChain original: OrderID) -> SandboxOrder? {
        orderTable.chain(original).first { !$0.isScheduled && $0.order.state == .purchased }
    }

    /// The order that asked for the change that a subscription is to make with its
    /// next renewal.
    func plan(of subscription: SandboxSubscription) -> SandboxOrder? {
        guard let product = subscription.nextProduct else { return nil }
        return orderTable.chain(subscription.original).first {
            $0.isScheduled && $0.order.state == .purchased && $0.order.product == product
        }
        let plan = state.plan(of: subscription)
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
        let last = plan ?? state.latest(ofChain: subscription.original)
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

    /// Moves the clock on to the next event that is due, and lets that happen; to the limit if none
    /// is due by then.
    ///
    /// - Returns: The events, in order: the clock is moved first, so that a journal which breaks off
    ///   in between has an event that is due, not one of the future.
    public func decideAdvance(
        to limit: Timestamp, as id: OrderID, at real: Timestamp
    ) -> [SandboxEvent] {
        let due = decideNextDue(by: limit, as: id)
        let moment = due == nil ? limit : state.nextDue?.at ?? limit
        return [state.decide(clockAt: moment, real: real), due].compactMap { $0 }
    }
}

extension SandboxSubscription {
    /// Whether a purchase continues it: it is not over, and what is due at once was not raised
    /// without consent, which would end it.
    fileprivate var canContinue: Bool {
        switch status {
        case .active: true
        case .retrying: increase?.isAgreed != false
        case .ended: false
        }
    }

    /// The subscription in its next period of the same product, with the charge for it.
    ///
    /// The periods continue from the same anchor, so that an end of a month stays one.
    ///
    /// - Parameter usual: The length of a period after an introductory offer.
    /// - Returns: The subscription and the charge.
    func renewed(after usual: SubscriptionPeriod?) -> (SandboxSubscription, Charge) {
        var renewed = self
        renewed.status = .active
        renewed.graceUntil = nil
        renewed.retryUntil = nil
        if let offer = introductory, offer.left > 0 {
            renewed.introductory?.left = offer.left - 1
            renewed.periods += 1
            renewed.expiresAt = renewed.period.end(ofPeriod: renewed.periods, from: renewed.anchor)
            return (renewed, Charge(price: offer.price, offer: .introductory))
        }
        renewed.price = increase?.price ?? price
        renewed.increase = nil
        if introductory != nil, let usual {
            renewed.introductory = nil
            renewed.anchor = periods == 0 ? anchor : expiresAt
            renewed.period = usual
            renewed.periods = 0
        }
        renewed.periods += 1
        renewed.expiresAt = renewed.period.end(ofPeriod: renewed.periods, from: renewed.anchor)
        return (renewed, Charge(price: renewed.price))
    }

    /// The subscription for a late payment of its renewal. If there was no grace period, the next
    /// period begins with the payment.
    func unserved(at moment: Timestamp) -> SandboxSubscription {
        guard graceUntil == nil else { return self }
        return restarted(at: moment)
    }

    /// The subscription with its next period beginning at a time.
    func restarted(at moment: Timestamp) -> SandboxSubscription {
        var restarted = self
        restarted.anchor = moment
        restarted.periods = 0
        return restarted
    }
}

extension CatalogueProduct {
    /// The group of its introductory offers: the subscription group, or the product without a
    /// group.
    var offerGroup: OpaqueText { subscriptionGroupIdentifier ?? productIdentifier }
}

extension SandboxOrder {
    /// The order after its payment.
    func paid(_ settlement: Settlement) -> SandboxOrder {
        var paid = self
        paid.settle(settlement)
        return paid
    }

    /// Applies the effects of the payment.
    mutating func settle(_ settlement: Settlement) {
        order.original = settlement.original
        order.expiresAt = settlement.expiresAt
        order.charge = settlement.charge(of: order.price, wasFree: isFree)
        isFree = false
        if order.charge?.offer == .introductory { group = settlement.subscription?.key.group }
        continueSubscription(settlement)
    }

    /// Gives an order that pays a due renewal the price and country of the subscription, as for all
    /// renewals. For the first order of a subscription both are equal.
    private mutating func continueSubscription(_ settlement: Settlement) {
        guard case .charge(let charge) = settlement.terms, charge.offer != .scheduled,
            let paid = settlement.subscription,
            paid.price != order.price || paid.country != order.country
        else { return }
        agreed = agreed ?? order.price
        order.price = paid.price
        order.country = paid.country
    }
}
