import PaymentCore
import PaymentSandbox
import SandboxControl

/// What every order of the store should say, worked out from what was asked for and when, with plain
/// numbers and nothing of the store but which of its events happened.
struct Ledger {
    /// An order as it should be.
    struct Entry {
        let order: OrderID
        let transaction: TransactionID?
        let account: AccountName
        let product: ProductIdentifier
        var country: CountryCode
        let token: OpaqueText?
        /// The price of a period, by the country that the order is of.
        var price: Money
        var isRenewal = false
        /// What its buyer was shown.
        var agreed: Money?
        var original: OrderID
        var state = State.failed
        /// What was taken for it, and why that is not the price.
        var charged: Money?
        var offer: PurchaseOffer?
        /// Whether an introductory offer began with it, and did not only go on.
        var beginsOffer = false
        /// Whether it paid a renewal that was due: it is of the country of that, whatever the buyer's is.
        var paysDue = false
        /// When it is to take effect, if that is later.
        var effectiveAt: Timestamp?
        /// Counts payments.
        var rank = 0
        var revocation: OrderRevocation?
        /// How many events had happened when it was taken back.
        var revokedAt: Int?
        var deletedAt: Int?
        /// Whether it had failed before it was paid after all.
        var wasInterrupted = false

        enum State {
            case deferred, failed, paid
        }

        /// Whether it stands in the history: money was taken, or would have been.
        var isPurchase: Bool { state == .paid && offer != .scheduled && deletedAt == nil }
        /// Whether the account has what it was paid for, for as long as that lasts.
        var isLive: Bool { isPurchase && revocation == nil }
    }

    /// A subscription: what its next period costs, whose token that carries.
    struct Chain {
        var original: OrderID
        var product: ProductIdentifier
        var country: CountryCode
        var price: Money
        /// How many periods of the introductory offer are to come, and what each costs.
        var offersLeft = 0
        var offerPrice: Money?
        /// A higher price that was announced.
        var announced: Money?
        var isAgreed = false
        /// The order by which it changes to another product with the next renewal.
        var plan: OrderID?
        var status = SandboxSubscription.Status.active
        var isGraced = false
        /// When the running period ends, by the store.
        var expiresAt: Timestamp?
    }

    /// Somebody buys something.
    struct Sale {
        var account: AccountName
        var product: ProductIdentifier
        var country: CountryCode
        var token: OpaqueText?
        var agreed: Money?
    }

    /// What a sale should come to.
    enum Verdict: Equatable {
        case owned(OrderID)
        case charged(Money, PurchaseOffer?)
        /// The renewal that is due is paid, in its own country.
        case due(Money, PurchaseOffer?)
        case scheduled
    }

    private(set) var entries: [OrderID: Entry] = [:]
    private(set) var chains: [SubscriptionKey: Chain] = [:]
    /// The orders that transactions were given because the account had them.
    private(set) var claims: [TransactionID: OrderID] = [:]
    /// How many events have happened.
    private(set) var count = 0
    private var payments = 0

    /// Takes note of an event of the store and says what is wrong with it, if anything is. The sale is
    /// what was asked for, if somebody bought something.
    mutating func take(_ event: SandboxEvent, _ sale: Sale?, _ market: Market) -> String? {
        count += 1
        switch event {
        case .orderPlaced(let placed, let subscription):
            let finding =
                placed.order.isRenewal
                ? renew(placed.order) : place(placed.order, sale, subscription, market)
            return finding ?? note(subscription)
        case .orderPaid(let id, let settlement):
            return settle(id, settlement?.subscription, market) ?? note(settlement?.subscription)
        case .orderRefused(let id, _): entries[id]?.state = .failed
        case .alreadyOwned(let transaction, let order, let subscription):
            return claim(transaction, order, sale, subscription, market)
        case .orderRefunded(let id, let moment, let subscription):
            entries[id]?.revocation = OrderRevocation(at: moment, reason: "refund")
            entries[id]?.revokedAt = count
            for key in chains.keys where chains[key]?.plan == id { chains[key]?.plan = nil }
            if let subscription { return observe(subscription, market) }
        case .ordersDeleted(let ids): for id in ids { delete(id) }
        case .subscriptionChanged(let subscription): return observe(subscription, market)
        case .orderCompleted, .orderTurnedDown, .settingsChanged, .settingsReset, .clockSet: break
        }
        return nil
    }

    // MARK: Rules

    /// What a sale should come to now.
    func verdict(on sale: Sale, at price: Money, _ market: Market) -> Verdict {
        guard let good = Market.good(sale.product) else { return .charged(price, nil) }
        switch good.type {
        case .consumable, .nonRenewingSubscription: return .charged(price, nil)
        case .nonConsumable:
            let owned = entries.values.first {
                $0.isLive && $0.account == sale.account && $0.product == sale.product
            }
            return owned.map { .owned($0.order) } ?? .charged(price, nil)
        case .autoRenewableSubscription: break
        }
        let key = SubscriptionKey(account: sale.account, group: good.key)
        // A higher price that nobody agreed to is never charged: it ends what would be due.
        guard let chain = chains[key], chain.status != .ended,
            chain.status == .active || chain.announced == nil || chain.isAgreed
        else { return first(of: good, sale, at: price, market) }
        if chain.product == sale.product, let serving = serving(chain.original, of: sale.product) {
            return chain.status == .active ? .owned(serving.order) : due(chain)
        }
        if chain.status == .active, chain.product != sale.product,
            !Self.replacesAtOnce(good, chain.product)
        {
            return .scheduled
        }
        return first(of: good, sale, at: price, market)
    }

    /// The first period, by the offer for whoever was never charged one of the group.
    private func first(
        of good: Market.Good, _ sale: Sale, at price: Money, _ market: Market
    ) -> Verdict {
        guard let offered = market.offer(of: good, in: sale.country),
            !isIntroduced(sale.account, good.key)
        else { return .charged(price, nil) }
        return .charged(offered, .introductory)
    }

    private func due(_ chain: Chain) -> Verdict {
        if chain.offersLeft > 0, let price = chain.offerPrice {
            return .due(price, .introductory)
        }
        return .due(chain.announced ?? chain.price, nil)
    }

    private static func replacesAtOnce(
        _ new: Market.Good, _ old: ProductIdentifier
    ) -> Bool {
        guard let old = Market.good(old) else { return true }
        return new.level < old.level || new.level == old.level && new.period == old.period
    }

    /// Whether an account was charged an introductory offer of a group.
    func isIntroduced(_ account: AccountName, _ group: OpaqueText) -> Bool {
        entries.values.contains {
            $0.isPurchase && $0.offer == .introductory && $0.account == account
                && Market.good($0.product)?.key == group
        }
    }

    /// The order that a chain is served by: the last one that was bought or renewed and that the
    /// account still has.
    func serving(_ original: OrderID, of product: ProductIdentifier? = nil) -> Entry? {
        entries.values.filter {
            $0.isLive && $0.original == original && $0.product == product ?? $0.product
        }.max { $0.rank < $1.rank }
    }

    // MARK: What happens

    private mutating func place(
        _ order: StoreOrder, _ sale: Sale?, _ subscription: SandboxSubscription?,
        _ market: Market
    ) -> String? {
        guard let sale, let price = market.price(of: sale.product, in: sale.country) else {
            return "order \(order.order) was placed and nobody asked for it"
        }
        var entry = Entry(
            order: order.order, transaction: order.transaction, account: sale.account,
            product: sale.product, country: sale.country, token: sale.token, price: price,
            original: order.order)
        entry.agreed = sale.agreed
        switch order.state {
        case .deferred: entry.state = .deferred
        case .failed, .refunded: break
        case .purchased:
            entries[entry.order] = entry
            return pay(entry.order, subscription, market)
        }
        entries[entry.order] = entry
        return nil
    }

    private mutating func settle(
        _ id: OrderID, _ subscription: SandboxSubscription?, _ market: Market
    ) -> String? {
        guard let entry = entries[id], entry.state != .paid, entry.deletedAt == nil else {
            return "order \(id) is paid once more"
        }
        entries[id]?.wasInterrupted = entry.state == .failed
        return pay(id, subscription, market)
    }

    private mutating func pay(
        _ id: OrderID, _ subscription: SandboxSubscription?, _ market: Market
    ) -> String? {
        guard var entry = entries[id] else { return "order \(id) is unknown" }
        let sale = Sale(
            account: entry.account, product: entry.product, country: entry.country,
            token: entry.token)
        let verdict = verdict(on: sale, at: entry.price, market)
        payments += 1
        entry.rank = payments
        entry.state = .paid
        let good = Market.good(entry.product)
        let key = good.map { SubscriptionKey(account: entry.account, group: $0.key) }
        switch verdict {
        case .owned(let known): return "order \(id) is charged for what \(known) is there for"
        case .scheduled:
            entry.charged = Money(units: 0, currency: entry.price.currency)
            entry.offer = .scheduled
            if let key, let chain = chains[key] {
                entry.original = chain.original
                entry.effectiveAt = chain.expiresAt
                if let finding = drop(chain.plan, subscription) { return finding }
                chains[key]?.plan = id
            }
        case .charged(let money, let offer), .due(let money, let offer):
            if case .due = verdict, let chain = key.flatMap({ chains[$0] }) {
                entry.paysDue = true
                entry.country = chain.country
                entry.price = offer == nil ? money : chain.price
            }
            if let key, let finding = drop(chains[key]?.plan, subscription) { return finding }
            entry.charged = money
            entry.offer = offer
            if let agreed = entry.agreed, money.units != 0, money != agreed {
                return "order \(id) costs \(money), and its buyer was shown \(agreed)"
            }
            if let good, let key, good.type == .autoRenewableSubscription {
                entry.original = chains[key]?.original ?? id
                entry.beginsOffer = begin(entry, good, key) && offer == .introductory
            }
        }
        entries[id] = entry
        return nil
    }

    /// A subscription begins, goes on as another product, or has its due renewal paid.
    ///
    /// - Returns: Whether it begins.
    private mutating func begin(
        _ entry: Entry, _ good: Market.Good, _ key: SubscriptionKey
    ) -> Bool {
        if var chain = chains[key], entry.paysDue {
            chain.renew(at: entry.charged, entry.offer)
            chains[key] = chain
            return false
        }
        var chain = Chain(
            original: entry.original, product: entry.product, country: entry.country,
            price: entry.price)
        if entry.offer == .introductory, let offer = good.offer, offer.mode == .payAsYouGo {
            chain.offersLeft = offer.periods - 1
            chain.offerPrice = entry.charged
        }
        chains[key] = chain
        return true
    }

    private mutating func renew(_ order: StoreOrder) -> String? {
        let good = Market.good(order.product)
        let key = SubscriptionKey(account: order.account, group: good?.key ?? order.product)
        guard var chain = chains[key], chain.status != .ended else {
            return "order \(order.order) renews nothing"
        }
        let plan = chain.plan.flatMap { entries[$0] }
        let last = plan ?? serving(chain.original)
        if let plan {
            chain.product = plan.product
            chain.country = plan.country
            chain.price = plan.price
            chain.offersLeft = 0
            chain.announced = nil
        }
        // Who was not asked pays what there was to pay.
        if !chain.isAgreed { chain.announced = nil }
        guard case .due(let money, let offer) = due(chain) else { return nil }
        payments += 1
        var entry = Entry(
            order: order.order, transaction: nil, account: order.account,
            product: chain.product, country: chain.country, token: last?.token,
            price: offer == nil ? money : chain.price, original: chain.original)
        entry.isRenewal = true
        entry.state = .paid
        entry.charged = money
        entry.offer = offer
        entry.rank = payments
        entries[entry.order] = entry
        chain.renew(at: money, offer)
        chains[key] = chain
        return nil
    }

    private mutating func claim(
        _ transaction: TransactionID, _ order: OrderID, _ sale: Sale?,
        _ subscription: SandboxSubscription?, _ market: Market
    ) -> String? {
        let own = entries.values.first { $0.transaction == transaction && $0.deletedAt == nil }
        var asked = sale
        if let own {
            asked = Sale(account: own.account, product: own.product, country: own.country)
            entries[own.order]?.state = .failed
        }
        claims[transaction] = order
        guard let asked,
            let price = market.price(of: asked.product, in: asked.country) ?? own?.price
        else { return "\(transaction) is given what it has not asked for" }
        let verdict = verdict(on: asked, at: price, market)
        if verdict != .owned(order) {
            return "\(transaction) is given order \(order), and should be \(verdict)"
        }
        guard let good = Market.good(asked.product) else { return nil }
        let key = SubscriptionKey(account: asked.account, group: good.key)
        let finding = drop(chains[key]?.plan, subscription)
        chains[key]?.plan = nil
        return finding
    }

    /// A change that was to come is given up: its order is revoked. Times are the store's.
    private mutating func drop(
        _ plan: OrderID?, _ subscription: SandboxSubscription?
    ) -> String? {
        guard let plan, entries[plan]?.revocation == nil else { return nil }
        guard let dropped = subscription?.dropped, dropped.order == plan else {
            return "order \(plan) is given up, and stays as if it were to come"
        }
        entries[plan]?.revocation = OrderRevocation(at: dropped.at, reason: "replaced")
        entries[plan]?.revokedAt = count
        return nil
    }

    /// Takes note of when what was paid for ends.
    private mutating func note(_ subscription: SandboxSubscription?) -> String? {
        guard let subscription else { return nil }
        chains[subscription.key]?.expiresAt = subscription.expiresAt
        return nil
    }

    private mutating func delete(_ id: OrderID) {
        entries[id]?.deletedAt = count
        for (key, chain) in chains {
            if chain.original == id { chains[key] = nil }
            if chain.plan == id { chains[key]?.plan = nil }
        }
    }

    /// What becomes of a subscription without an order. Times are the store's; prices are not.
    private mutating func observe(
        _ subscription: SandboxSubscription, _ market: Market
    ) -> String? {
        guard var chain = chains[subscription.key] else { return nil }
        chain.expiresAt = subscription.expiresAt
        chain.status = subscription.status
        chain.isGraced = subscription.graceUntil != nil
        var finding: String?
        if subscription.nextProduct == nil {
            finding = drop(chain.plan, subscription)
            chain.plan = nil
        }
        if subscription.increase == nil {
            chain.announced = nil
        } else if chain.announced == nil {
            let sold = market.price(of: chain.product, in: chain.country)
            chain.announced = chain.price.raised(towards: sold)
        }
        chain.isAgreed = subscription.increase?.isAgreed ?? false
        chains[subscription.key] = chain
        return finding
    }
}

extension Ledger.Chain {
    /// Goes on for a period that was charged so.
    fileprivate mutating func renew(at money: Money?, _ offer: PurchaseOffer?) {
        if offer == .introductory {
            offersLeft -= 1
        } else if let money {
            price = money
            announced = nil
        }
        plan = nil
        status = .active
        isGraced = false
    }
}

extension Money {
    /// A higher price: what is asked now if that is more, else a tenth more, rounded up.
    fileprivate func raised(towards sold: Money?) -> Money {
        if let sold, sold.currency == currency, sold.units > units { return sold }
        return Money(units: max(units + 1, (units * 11 + 9) / 10), currency: currency)
    }
}
