public import PaymentCore

/// Everything the sandbox remembers: orders and changed settings, as a value.
///
/// It changes by ``apply(_:)`` alone, in life and in replay alike. Orders are never dropped, so a
/// transaction has at most one order for ever. Catalogue and accounts are configuration and no part
/// of it: events carry what they need from there.
public struct SandboxState: Sendable, Hashable {
    /// Every order, oldest first.
    public private(set) var orders: [SandboxOrder] = []
    /// What clients changed on top of the settings that the catalogue begins with.
    public private(set) var settingsChange = StoreTestSettingsChange()

    private var places: [OrderID: Int] = [:]
    private var placesByTransaction: [TransactionID: Int] = [:]
    private var owned: Set<Possession> = []

    /// Makes the state of a sandbox that nothing has happened to.
    public init() {}

    // MARK: Questions

    /// The order of that name.
    public func order(_ id: OrderID) -> SandboxOrder? {
        places[id].map { orders[$0] }
    }

    /// The order that a transaction has placed, if it has.
    public func order(of transaction: TransactionID) -> SandboxOrder? {
        placesByTransaction[transaction].map { orders[$0] }
    }

    /// Whether the account has paid for that product before.
    public func owns(_ product: ProductIdentifier, account: AccountName) -> Bool {
        owned.contains(Possession(account: account, product: product))
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

    private func objection(to event: SandboxEvent) -> String? {
        switch event {
        case .orderPlaced(let placed):
            if places[placed.order.order] != nil {
                return "order \(placed.order.order) was placed before"
            }
            if let transaction = placed.order.transaction, placesByTransaction[transaction] != nil {
                return "transaction \(transaction) has an order already"
            }
            return nil
        case .orderSettled(let id, _):
            return order(id)?.order.state == .deferred ? nil : "order \(id) is not deferred"
        case .orderCompleted(let id):
            return order(id)?.order.state == .purchased ? nil : "order \(id) is not paid"
        case .settingsChanged:
            return nil
        }
    }

    private mutating func change(by event: SandboxEvent) {
        switch event {
        case .orderPlaced(let placed):
            places[placed.order.order] = orders.count
            if let transaction = placed.order.transaction {
                placesByTransaction[transaction] = orders.count
            }
            orders.append(placed)
            notePossession(placed.order)
        case .orderSettled(let id, let failure):
            guard let place = places[id] else { return }
            orders[place].order.state = failure == nil ? .purchased : .failed
            orders[place].order.failure = failure
            notePossession(orders[place].order)
        case .orderCompleted(let id):
            guard let place = places[id] else { return }
            orders[place].order.completed = true
        case .settingsChanged(let change):
            settingsChange = settingsChange.merged(with: change)
        }
    }

    private mutating func notePossession(_ order: StoreOrder) {
        guard order.state == .purchased else { return }
        owned.insert(Possession(account: order.account, product: order.product))
    }
}

/// That an account has paid for a product.
private struct Possession: Hashable {
    let account: AccountName
    let product: ProductIdentifier
}
