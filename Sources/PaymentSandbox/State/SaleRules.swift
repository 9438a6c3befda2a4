import PaymentCore
import SandboxControl

/// A product for sale to an account, in a country, at the price of the catalogue.
struct Sale {
    let id: OrderID
    let account: AccountName
    let product: ProductIdentifier
    let price: Price
    let country: CountryCode
}

/// The result of a sale.
enum SaleDecision {
    /// An order of its own.
    case new(Settlement)
    /// The account owns the product: its order, and the subscription if it changes.
    case owned(SandboxOrder, SandboxSubscription?)
}

/// The rules of a sale: the products that an account may buy, the price of a purchase or a renewal, and
/// the next state of the subscription. They depend on the catalogue, the settings and the orders so far.
struct SaleRules {
    /// The state before the decision.
    let state: SandboxState
    /// The products and the accounts.
    let store: StoreCatalogue

    /// The current settings: those of the catalogue with the changes since.
    var settings: StoreTestSettings {
        store.initialSettings.applying(state.settingsChange)
    }

    /// The settings after a change.
    func settings(after change: StoreTestSettingsChange) -> StoreTestSettings {
        settings.applying(change)
    }

    /// The locale of the product texts: that of the settings, otherwise that of the catalogue.
    var locale: String { settings.locale?.string ?? store.locale }

    /// A session of an account, in the country of the settings if they name one.
    ///
    /// - Throws: The account is unknown or the credential wrong.
    func session(
        of name: AccountName, credential: OpaqueText?
    ) throws(StoreFailure) -> Session {
        let account = try account(name)
        if let expected = account.credential, !expected.matches(credential) {
            throw StoreFailure(.badCredential, "the credential is wrong")
        }
        let country = settings.storefront ?? account.country
        return Session(account: name, country: country)
    }

    /// Whether catalogue and settings both let an account buy.
    ///
    /// - Throws: The account is unknown.
    func mayBuy(
        _ name: AccountName
    ) throws(StoreFailure) -> Bool {
        let account = try account(name)
        return account.paymentsAllowed && settings.paymentsAllowed
    }

    func account(
        _ name: AccountName
    ) throws(StoreFailure) -> SandboxAccount {
        guard let account = store.account(name) else {
            throw StoreFailure(.unknownAccount, "the store has no such account")
        }
        return account
    }

    /// The country of an account: that of the settings, if they name one.
    ///
    /// - Throws: The account is unknown.
    func country(
        of name: AccountName
    ) throws(StoreFailure) -> CountryCode {
        let account = try account(name)
        return settings.storefront ?? account.country
    }

    /// Decides on a sale at a time of the sandbox's clock: the charge, the chain of the order, and the
    /// next state of the subscription.
    ///
    /// A product that is bought once and owned is not sold again. An order continues a subscription of
    /// the same group: at once if that ended, is unpaid, or has a lower level, otherwise with the next
    /// renewal. A purchase of the current subscription costs nothing and turns renewal on again; if its
    /// renewal is unpaid, the purchase pays the renewal.
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
            // It does not renew, and ends only if it has a period.
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
        // If the order of the current period was deleted, an older order may have another product.
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

    /// The first period of a subscription, or of another product of its group. The introductory offer
    /// applies if the account has not used one of the group.
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

    /// The payment of a renewal that is due and unpaid.
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

    /// Decides the next event that is due by a time of the sandbox's clock, dated when it was due.
    ///
    /// - Parameters:
    ///   - limit: The time; later events are not decided.
    ///   - id: The identifier of a new order, not used before.
    /// - Returns: The event; nil if nothing is due.
    func decideNextDue(
        by limit: Timestamp, as id: OrderID
    ) -> SandboxEvent? {
        guard let (at, subscription) = state.nextDue, at <= limit else { return nil }
        switch subscription.status {
        case .active:
            return renewal(
                of: subscription, at: at, as: id, isPayable: !failsRenewals)
        case .retrying where subscription.graceUntil != nil:
            var ungraced = subscription
            ungraced.graceUntil = nil
            return .subscriptionChanged(ungraced)
        case .retrying, .ended:
            return .subscriptionChanged(state.ended(subscription, at: at))
        }
    }

    var failsRenewals: Bool {
        settings.shouldEnterBillingRetryOnRenewal
    }

    /// The next step of a subscription at the end of its paid period: an order for the next period, a
    /// billing retry, or the end.
    ///
    /// A change of the product takes price, country and token from the purchase that requested it.
    func renewal(
        of subscription: SandboxSubscription, at moment: Timestamp, as id: OrderID,
        isPayable: Bool
    ) -> SandboxEvent {
        let wanted = subscription.nextProduct ?? subscription.product
        guard subscription.autoRenews, subscription.increase?.isAgreed != false,
            let product = store.product(
                wanted, in: subscription.country, locale: locale),
            let period = product.subscriptionPeriod
        else { return .subscriptionChanged(state.ended(subscription, at: moment)) }
        guard isPayable else {
            let withGrace = settings.billingGracePeriodIsEnabled
            return .subscriptionChanged(subscription.retrying(withGrace: withGrace))
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

    /// Decides how the clock advances to the next due event, or to the limit if none is due by then.
    ///
    /// - Returns: The events, in order. The clock advances first, so that a journal that ends between
    ///   the two has an event that is due, not one from the future.
    func decideAdvance(
        to limit: Timestamp, as id: OrderID, at real: Timestamp
    ) -> [SandboxEvent] {
        let due = decideNextDue(by: limit, as: id)
        let moment = due == nil ? limit : state.nextDue?.at ?? limit
        return [state.decide(clockAt: moment, real: real), due].compactMap { $0 }
    }
}

extension SandboxSubscription {
    /// Whether a purchase continues the subscription: it has not ended, and its unpaid renewal has no
    /// price increase without consent, which would end it.
    fileprivate var canContinue: Bool {
        switch status {
        case .active: true
        case .retrying: increase?.isAgreed != false
        case .ended: false
        }
    }

    /// The subscription in its next period, of the same product, and the charge.
    ///
    /// The periods continue from the same anchor, so that the last day of a month stays the last day.
    ///
    /// - Parameter usual: The length of a period after an introductory offer.
    /// - Returns: The subscription, and the charge.
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

    /// A subscription whose renewal is paid late. If it was without a grace period, the account was
    /// not entitled since the end of the period, and the next period begins with the payment.
    func unserved(at moment: Timestamp) -> SandboxSubscription {
        guard graceUntil == nil else { return self }
        return restarted(at: moment)
    }

    /// The same subscription, with its next period beginning at a time.
    func restarted(at moment: Timestamp) -> SandboxSubscription {
        var restarted = self
        restarted.anchor = moment
        restarted.periods = 0
        return restarted
    }
}

extension CatalogueProduct {
    /// The name by which introductory offers are counted: the group, or the product without a group.
    var offerGroup: OpaqueText { subscriptionGroupIdentifier ?? productIdentifier }
}

extension SandboxOrder {
    /// The order, paid when it was placed, with the effects of the settlement.
    func paid(_ settlement: Settlement) -> SandboxOrder {
        var paid = self
        paid.settle(settlement)
        return paid
    }

    /// Applies a settlement to the order.
    mutating func settle(_ settlement: Settlement) {
        order.original = settlement.original
        order.expiresAt = settlement.expiresAt
        order.charge = settlement.charge(of: order.price, wasFree: isFree)
        isFree = false
        if order.charge?.offer == .introductory { group = settlement.subscription?.key.group }
        continueSubscription(settlement)
    }

    /// Gives an order that pays a due renewal the price and the country of the subscription, as a
    /// renewal order has them. An order that begins a subscription has them already.
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
