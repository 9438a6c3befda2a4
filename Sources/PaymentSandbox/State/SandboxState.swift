public import PaymentCore
public import SandboxControl

/// Everything the sandbox remembers: orders, subscriptions, its clock and changed settings, as a
/// value.
///
/// It changes by ``apply(_:)`` alone, at run time and in replay. A transaction has at most one
/// order for ever: what was deleted is forgotten but for its names. Catalogue and accounts are
/// configuration and no part of it: events carry what they need from there.
public struct SandboxState: Sendable, Hashable {
    var orderTable = OrderTable()
    /// The changes of clients on top of the settings that the catalogue begins with.
    public private(set) var settingsChange = StoreTestSettingsChange()
    /// The clock, once it was set; real time until then.
    public private(set) var clock: SandboxClock?
    private(set) var subscriptions: [SubscriptionKey: SandboxSubscription] = [:]
    /// The answers to transactions without an order, by rising attempts.
    private(set) var refusals: [TransactionID: [TurnedDown]] = [:]
    /// The orders that transactions were given because the account had them already.
    private(set) var claims: [TransactionID: OrderID] = [:]
    /// The same, by the orders.
    private var claimants: [OrderID: Set<TransactionID>] = [:]
    /// Names of orders that were deleted, and of their transactions.
    private(set) var forgotten: Set<UniqueID> = []
    /// The newest orders of each account that were deleted, in the order of deletion: each with the
    /// transaction that asked for it, and once more with each that was given it.
    private(set) var deleted: [AccountName: [DeletedOrder]] = [:]

    private var keys: [OrderID: SubscriptionKey] = [:]
    private var dues = DueList()
    /// Which subscriptions are in which state, and which of them wait for a person.
    private(set) var rolls = SubscriptionRolls()

    /// Most answers that are kept of a transaction which was turned down again and again.
    static let refusalLimit = 16
    /// Most deleted orders that are listed per account. A queue that was away while more were deleted
    /// keeps the transactions of the older ones.
    static let deletionsOfAccount = 10_000

    /// Makes the state of a sandbox that nothing has happened to.
    public init() {}

    // MARK: Questions

    /// Every order, oldest first.
    public var orders: [SandboxOrder] { orderTable.all }

    /// The order of that name.
    public func order(_ id: OrderID) -> SandboxOrder? { orderTable[id] }

    /// The order that a transaction has placed, if it has.
    public func order(of transaction: TransactionID) -> SandboxOrder? { orderTable[transaction] }

    /// Whether the account has paid for that product before and still has it.
    public func owns(_ product: ProductIdentifier, account: AccountName) -> Bool {
        orderTable.owned(product, account: account) != nil
    }

    /// The order that a transaction was given because the account had it already, if it was.
    func claimed(by transaction: TransactionID) -> SandboxOrder? {
        claims[transaction].flatMap { orderTable[$0] }
    }

    /// Whether the names of an order were used before, by it or by one that was deleted.
    public func isUsed(_ id: OrderID) -> Bool {
        orderTable[id] != nil || forgotten.contains(id.value)
    }

    /// The subscription that an order belongs to, if it belongs to one.
    public func subscription(ofChain original: OrderID) -> SandboxSubscription? {
        keys[original].flatMap { subscriptions[$0] }
    }

    /// When something happens next by itself, and to which subscription; nil if nothing ever does.
    public var nextDue: (at: Timestamp, subscription: SandboxSubscription)? {
        guard let first = dues.first, let due = subscriptions[first.key] else { return nil }
        return (first.at, due)
    }

    // MARK: Changes

    /// Applies an event that was decided on this very state. Traps on any other.
    public mutating func apply(_ event: SandboxEvent) {
        if let objection = objection(to: event) {
            preconditionFailure("an event was applied to a state that forbids it: \(objection)")
        }
        change(by: event)
    }

    /// Applies an event that was read from a journal.
    ///
    /// - Throws: The event contradicts the state, which is unchanged then.
    public mutating func replay(_ event: SandboxEvent) throws(SandboxInconsistency) {
        if let objection = objection(to: event) { throw SandboxInconsistency(objection) }
        change(by: event)
    }

    private mutating func change(by event: SandboxEvent) {
        switch event {
        case .orderPlaced(let placed, let subscription):
            if let transaction = placed.order.transaction { refusals[transaction] = nil }
            if let subscription { supersede(placed, in: subscription) }
            orderTable.append(placed)
            if let subscription { keep(subscription) }
        case .orderPaid(let id, let settlement): pay(id, settlement)
        case .orderRefused(let id, let failure):
            orderTable.update(id) {
                $0.order.state = .failed
                $0.order.failure = failure
            }
        case .alreadyOwned(let transaction, let order, let subscription):
            claim(transaction, order)
            if let subscription { keep(subscription) }
        case .orderCompleted(let id): orderTable.complete(id)
        case .orderRefunded(let id, let moment, let subscription):
            orderTable.update(id) {
                $0.order.state = .refunded
                $0.order.charge = $0.order.charge ?? Charge(price: $0.order.price)
                $0.order.charge?.revocation = OrderRevocation(at: moment)
            }
            if let subscription { keep(subscription) }
        case .ordersDeleted(let ids): forget(ids)
        case .subscriptionChanged(let subscription):
            shorten(chain: subscription.original, to: subscription.expiresAt)
            keep(subscription)
        case .orderTurnedDown(let answer):
            refusals[answer.transaction, default: []].append(answer)
            if refusals[answer.transaction, default: []].count > Self.refusalLimit {
                refusals[answer.transaction]?.removeFirst()
            }
        case .settingsChanged(let change): settingsChange = settingsChange.merged(with: change)
        case .settingsReset: settingsChange = StoreTestSettingsChange()
        case .clockSet(let clock): self.clock = clock
        }
    }

    private mutating func pay(_ id: OrderID, _ settlement: Settlement?) {
        if let settlement, let subscription = settlement.subscription, var paid = orderTable[id] {
            paid.settle(settlement)
            paid.order.placedAt = settlement.at
            supersede(paid, in: subscription)
        }
        orderTable.update(id) { order in
            order.order.state = .purchased
            order.order.failure = nil
            guard let settlement else {
                let price = order.order.price
                order.order.charge = Charge(
                    price: order.isFree ? .zero(currencyCode: price.currencyCode) : price)
                order.isFree = false
                return
            }
            order.settle(settlement)
            order.settledAt = settlement.at
        }
        if let subscription = settlement?.subscription { keep(subscription) }
    }

    /// The order that served a subscription ends where a new order begins to serve it.
    private mutating func supersede(_ order: SandboxOrder, in subscription: SandboxSubscription) {
        guard !order.isScheduled else { return }
        shorten(chain: subscription.original, to: order.order.placedAt)
    }

    private mutating func shorten(chain original: OrderID, to end: Timestamp) {
        guard let latest = latest(ofChain: original), let current = latest.order.expiresAt,
            current > end
        else { return }
        orderTable.update(latest.order.order) { $0.order.expiresAt = end }
    }

    private mutating func claim(_ transaction: TransactionID, _ order: OrderID) {
        load(claimOf: order, by: transaction)
        refusals[transaction] = nil
        guard let own = orderTable[transaction] else { return }
        orderTable.update(own.order.order) {
            $0.order.state = .failed
            $0.order.failure = .alreadyOwned
        }
    }

    private mutating func forget(_ ids: [OrderID]) {
        var accounts: Set<AccountName> = []
        for id in ids {
            if let account = orderTable[id]?.order.account { accounts.insert(account) }
            forget(id)
        }
        for account in accounts { trimDeletions(of: account) }
    }

    private mutating func trimDeletions(of account: AccountName) {
        let excess = deleted[account, default: []].count - Self.deletionsOfAccount
        if excess > 0 { deleted[account]?.removeFirst(excess) }
    }

    private mutating func forget(_ id: OrderID) {
        guard let order = orderTable[id]?.order else { return }
        forgotten.insert(id.value)
        if let transaction = order.transaction { forgotten.insert(transaction.value) }
        deleted[order.account, default: []].append(
            DeletedOrder(order: id, transaction: order.transaction))
        let claimants = claimants.removeValue(forKey: id) ?? []
        for transaction in claimants.sorted(by: { UniqueID.precedes($0.value, $1.value) }) {
            claims[transaction] = nil
            forgotten.insert(transaction.value)
            deleted[order.account]?.append(DeletedOrder(order: id, transaction: transaction))
        }
        // Deleting a plan drops it.
        if let key = keys[order.original], var running = subscriptions[key],
            plan(of: running)?.order.order == id
        {
            running.nextProduct = nil
            keep(running)
        }
        orderTable.remove(id)
        if let key = keys.removeValue(forKey: id) {
            rolls.replace(subscriptions.removeValue(forKey: key), by: nil)
            dropStaleDues()
        }
    }

    private mutating func keep(_ subscription: SandboxSubscription) {
        if let dropped = subscription.dropped { revoke(dropped) }
        let before = subscriptions.updateValue(subscription, forKey: subscription.key)
        rolls.replace(before, by: subscription)
        if let before, before.original != subscription.original { keys[before.original] = nil }
        keys[subscription.original] = subscription.key
        if let due = subscription.dueAt, due != before?.dueAt {
            dues.insert(
                DueList.Entry(at: due, original: subscription.original, key: subscription.key))
        }
        dropStaleDues()
    }

    /// Takes back the order of a change that was dropped, if that is not done. Nothing was charged
    /// for it.
    private mutating func revoke(_ dropped: SandboxSubscription.DroppedPlan) {
        guard let plan = orderTable[dropped.order], plan.isScheduled, plan.order.state == .purchased
        else { return }
        orderTable.update(dropped.order) {
            $0.order.state = .refunded
            $0.order.charge?.revocation = OrderRevocation(
                at: dropped.at, reason: OrderRevocation.replaced)
        }
    }

    private mutating func dropStaleDues() {
        dues.drop { [subscriptions] entry in
            guard let current = subscriptions[entry.key] else { return true }
            return current.original != entry.original || current.dueAt != entry.at
        }
    }

    /// Takes a piece of a snapshot that no event stands for.
    mutating func load(subscription: SandboxSubscription) { keep(subscription) }

    /// Takes names of deleted orders and transactions.
    mutating func load(forgotten names: [UniqueID]) { forgotten.formUnion(names) }

    /// Takes deleted orders of an account.
    mutating func load(deleted orders: [DeletedOrder], of account: AccountName) {
        deleted[account, default: []] += orders
        trimDeletions(of: account)
    }

    /// Takes the order that a transaction was given.
    mutating func load(claimOf order: OrderID, by transaction: TransactionID) {
        claims[transaction] = order
        claimants[order, default: []].insert(transaction)
    }
}
