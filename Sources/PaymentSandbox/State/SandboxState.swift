public import PaymentCore
public import SandboxControl

/// The state of the sandbox as a value: orders, subscriptions, clock and changed settings.
///
/// ``apply(_:)`` is the only way to change it, at run time and in replay. A transaction never has a
/// second order, so the identifiers of deleted orders stay. Catalogue and accounts are configuration and
/// not part of the state: events have the facts that they need from them.
public struct SandboxState: Sendable, Hashable {
    var orderTable = OrderTable()
    /// The changes of clients to the settings of the catalogue.
    public private(set) var settingsChange = StoreTestSettingsChange()
    /// The clock; nil for real time until it is set.
    public private(set) var clock: SandboxClock?
    private(set) var subscriptions = SubscriptionTable()
    /// The refusals of transactions without an order, by increasing attempt.
    private(set) var refusals: [TransactionID: [TurnedDown]] = [:]
    /// The existing orders that transactions were answered with, because the account owns the product.
    private(set) var claims: [TransactionID: OrderID] = [:]
    /// The transactions of ``claims`` by order.
    private var claimants: [OrderID: Set<TransactionID>] = [:]
    private(set) var deletions = DeletionTable()

    /// The maximum number of stored refusals of a transaction.
    static let refusalLimit = 16

    /// Creates the state of a new sandbox.
    public init() {}

    /// Every order, oldest first.
    public var orders: [SandboxOrder] { orderTable.all }

    /// The order with an identifier; nil if it is unknown.
    public func order(_ id: OrderID) -> SandboxOrder? { orderTable[id] }

    /// The order that a transaction placed; nil if there is none.
    public func order(of transaction: TransactionID) -> SandboxOrder? { orderTable[transaction] }

    /// Whether the account owns a product.
    public func owns(_ product: ProductIdentifier, account: AccountName) -> Bool {
        orderTable.owned(product, account: account) != nil
    }

    /// The existing order that a transaction was answered with, because the account owns the product.
    func claimed(by transaction: TransactionID) -> SandboxOrder? {
        claims[transaction].flatMap { orderTable[$0] }
    }

    /// Whether an order has or had this identifier.
    public func isUsed(_ id: OrderID) -> Bool {
        orderTable[id] != nil || deletions.contains(id.value)
    }

    /// The subscription whose chain begins with an order; nil if there is none.
    public func subscription(ofChain original: OrderID) -> SandboxSubscription? {
        subscriptions[chain: original]
    }

    /// The next due event: its time and its subscription; nil if there is none.
    public var nextDue: (at: Timestamp, subscription: SandboxSubscription)? {
        subscriptions.nextDue
    }

    /// Applies an event that was decided on this state. Traps on an event that the state forbids.
    public mutating func apply(_ event: SandboxEvent) {
        if let objection = event.objection(in: self) {
            preconditionFailure("an event was applied to a state that forbids it: \(objection)")
        }
        change(by: event)
    }

    /// Applies an event that was read from a journal.
    ///
    /// - Throws: The event contradicts the state; the state does not change.
    public mutating func replay(_ event: SandboxEvent) throws(SandboxInconsistency) {
        if let objection = event.objection(in: self) { throw SandboxInconsistency(objection) }
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
        case .ordersDeleted(let ids): for id in ids { forget(id) }
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

    /// Ends the order that served a subscription when a new order begins to serve it.
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

    private mutating func forget(_ id: OrderID) {
        guard let order = orderTable[id]?.order else { return }
        deletions.note(DeletedOrder(order: id, transaction: order.transaction), of: order.account)
        let claimants = claimants.removeValue(forKey: id) ?? []
        for transaction in claimants.sorted(by: { UniqueID.precedes($0.value, $1.value) }) {
            claims[transaction] = nil
            deletions.note(DeletedOrder(order: id, transaction: transaction), of: order.account)
        }
        // The deletion of a plan drops the plan.
        if var running = subscriptions[chain: order.original],
            plan(of: running)?.order.order == id
        {
            running.nextProduct = nil
            keep(running)
        }
        orderTable.remove(id)
        subscriptions.remove(chain: id)
    }

    private mutating func keep(_ subscription: SandboxSubscription) {
        if let dropped = subscription.dropped { revoke(dropped) }
        subscriptions.keep(subscription)
    }

    /// Revokes the order of a dropped change, if it is not revoked yet. Nothing was charged for it.
    private mutating func revoke(_ dropped: SandboxSubscription.DroppedPlan) {
        guard let plan = orderTable[dropped.order], plan.isScheduled, plan.order.state == .purchased
        else { return }
        orderTable.update(dropped.order) {
            $0.order.state = .refunded
            $0.order.charge?.revocation = OrderRevocation(
                at: dropped.at, reason: OrderRevocation.replaced)
        }
    }

    /// Adds a subscription from a snapshot.
    mutating func load(subscription: SandboxSubscription) { keep(subscription) }

    /// Adds identifiers of deleted orders and transactions from a snapshot.
    mutating func load(forgotten names: [UniqueID]) { deletions.load(names) }

    /// Adds deleted orders of an account from a snapshot.
    mutating func load(deleted orders: [DeletedOrder], of account: AccountName) {
        deletions.load(orders, of: account)
    }

    /// Records the existing order that a transaction was answered with.
    mutating func load(claimOf order: OrderID, by transaction: TransactionID) {
        claims[transaction] = order
        claimants[order, default: []].insert(transaction)
    }

    /// A subscription without its scheduled change.
    func unplanned(
        _ running: SandboxSubscription, at moment: Timestamp
    ) -> SandboxSubscription {
        var unplanned = running
        if let plan = plan(of: running) {
            unplanned.dropped = .init(order: plan.order.order, at: moment)
        }
        unplanned.nextProduct = nil
        return unplanned
    }

    /// A subscription that ended at a time, without its scheduled change.
    func ended(_ running: SandboxSubscription, at moment: Timestamp) -> SandboxSubscription {
        unplanned(running, at: moment).ended(at: moment)
    }

    /// The groups of the introductory offers that an account was charged.
    func introduced(_ account: AccountName) -> Set<OpaqueText> {
        Set(orderTable.introduced[account, default: [:]].keys)
    }

    /// The order that serves a chain, or served it last: the newest paid order that is not a plan.
    func latest(ofChain original: OrderID) -> SandboxOrder? {
        orderTable.chain(original).first { !$0.isScheduled && $0.order.state == .purchased }
    }

    /// The order that requested the scheduled change of a subscription.
    func plan(of subscription: SandboxSubscription) -> SandboxOrder? {
        guard let product = subscription.nextProduct else { return nil }
        return orderTable.chain(subscription.original).first {
            $0.isScheduled && $0.order.state == .purchased && $0.order.product == product
        }
    }

    /// The outcome of the order of a transaction; nil if it has none, or is another
    /// account's.
    public func outcome(
        of transaction: TransactionID, account: AccountName
    ) -> OrderOutcome? {
        if let known = claimed(by: transaction) {
            return known.order.account == account ? .purchased(known.asOwned) : nil
        }
        guard let known = order(of: transaction), known.order.account == account else {
            return nil
        }
        return known.order.outcome
    }

    /// Decides on the completion of an order: the event to record, or nil if there is nothing to do.
    ///
    /// Completing an unknown order succeeds: a failure would make the queue repeat the call forever.
    ///
    /// - Throws: The order is of another account, or was not paid.
    public func decide(
        completionOf id: OrderID, account: AccountName
    ) throws(StoreFailure) -> SandboxEvent? {
        guard let known = order(id) else { return nil }
        guard known.order.account == account else {
            throw StoreFailure(.internalError, "order \(id) belongs to another account")
        }
        guard known.isPaid else { throw StoreFailure(.internalError, "order \(id) was not paid") }
        return known.order.completed ? nil : .orderCompleted(id)
    }

    /// A page of all orders, oldest first, at most `limit`.
    ///
    /// - Throws: ``TestFailure/pageExpired`` for an unknown page.
    public func testOrders(
        page: OpaqueText?, limit: Int
    ) throws(TestFailure) -> (orders: [StoreOrder], next: OpaqueText?) {
        let last = page.map { OrderID($0.string) }
        guard last != .some(nil), let orders = orderTable.orders(after: last ?? nil) else {
            throw .pageExpired
        }
        var found: [StoreOrder] = []
        for known in orders {
            if found.count == max(1, limit) {
                return (found, found.last.map { OpaqueText($0.order.description) })
            }
            found.append(known.order)
        }
        return (found, nil)
    }
}
