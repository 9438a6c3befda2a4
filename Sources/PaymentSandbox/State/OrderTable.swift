import PaymentCore
import SandboxControl

/// The lists of orders, each newest first.
enum OrderList {
    /// Every order.
    case all
    /// The orders of an account.
    case account(AccountName)
    /// The orders that need an action by a person.
    case waiting
}

/// The orders of the sandbox, with their indexes. Tables are equal when their orders are.
struct OrderTable: Sendable {
    /// The orders, oldest first. A deleted order leaves a gap until the table is compacted.
    private(set) var slots = OrderSlots()
    private var gaps = 0
    private var places: [OrderID: Int] = [:]
    private var placesByTransaction: [TransactionID: Int] = [:]
    /// The payments of each account, in the order of payment; a deleted order leaves a gap.
    private var payments: [AccountName: [Payment]] = [:]
    /// The paid orders of each chain, in the order of payment.
    private var chains: [OrderID: [Int]] = [:]
    /// The orders of each product of an account that are paid and not refunded.
    private var owned: [Possession: [Int]] = [:]
    /// The number of orders of each account and group that were charged an introductory offer.
    private(set) var introduced: [AccountName: [OpaqueText: Int]] = [:]
    /// The number of orders in each state.
    private(set) var counts: [StoreOrder.State: Int] = [:]
    /// The places of each account's orders, oldest first; a deleted order leaves a gap.
    private var placesByAccount: [AccountName: [Int]] = [:]
    /// The places of the orders that need an action by a person, oldest first.
    private var waiting: [Int] = []
    /// A number that changes when orders move to other places.
    private(set) var edition = 0

    /// A payment, ordered by its time and then by the place of the order. The order does not depend on
    /// the sequence of events.
    private struct Payment {
        let at: Timestamp
        let place: Int

        init(_ order: SandboxOrder, at place: Int) {
            at = order.paidAt
            self.place = place
        }

        static func < (left: Payment, right: Payment) -> Bool {
            (left.at, left.place) < (right.at, right.place)
        }
    }

    private struct Possession: Hashable {
        let account: AccountName
        let product: ProductIdentifier
    }

    // MARK: Questions

    var all: [SandboxOrder] { slots.compactMap { $0 } }

    var count: Int { slots.count - gaps }

    subscript(id: OrderID) -> SandboxOrder? { places[id].flatMap { slots[$0] } }

    subscript(transaction: TransactionID) -> SandboxOrder? {
        placesByTransaction[transaction].flatMap { slots[$0] }
    }

    /// The newest order of a product that an account owns.
    func owned(_ product: ProductIdentifier, account: AccountName) -> SandboxOrder? {
        let places = owned[Possession(account: account, product: product), default: []]
        let payments = places.lazy.compactMap { place in
            slots[place].map { Payment($0, at: place) }
        }
        return payments.max { $0 < $1 }.flatMap { slots[$0.place] }
    }

    /// The orders after an order, or from the first, oldest first; nil for an unknown order.
    func orders(after id: OrderID?) -> (some Sequence<SandboxOrder>)? {
        let start = id.map { places[$0].map { $0 + 1 } } ?? 0
        return start.map { slots[$0...].lazy.compactMap { $0 } }
    }

    /// The place where a list continues after an order, newest first; nil for an unknown order.
    func place(before id: OrderID?) -> Int? { id.map { places[$0] } ?? slots.count }

    /// The next places of a list below a place, newest first, at most `count`, gaps included.
    func places(of list: OrderList, below place: Int, count: Int) -> [Int] {
        let chosen: [Int]
        switch list {
        case .all: return (max(0, place - count)..<place).reversed()
        case .account(let name): chosen = placesByAccount[name, default: []]
        case .waiting: chosen = waiting
        }
        let end = chosen.firstPosition { $0 >= place }
        return chosen[max(0, end - count)..<end].reversed()
    }

    /// The order at a place; nil for a gap.
    func order(at place: Int) -> SandboxOrder? { slots[place] }

    /// The number of orders that need an action by a person.
    var waitingCount: Int { waiting.count }

    /// The oldest order that needs an action by a person.
    var firstWaiting: SandboxOrder? { waiting.first.flatMap { slots[$0] } }

    /// Whether the order at a place is the newest of its account.
    func isNewest(_ place: Int, of account: AccountName) -> Bool {
        placesByAccount[account, default: []].last { slots[$0] != nil } == place
    }

    /// Whether an account has an order.
    func hasOrders(_ account: AccountName) -> Bool {
        placesByAccount[account, default: []].contains { slots[$0] != nil }
    }

    /// The paid orders of an account after one of them, or from the first, in the order of payment; nil
    /// if the account has not paid for that order.
    func paid(by account: AccountName, after id: OrderID?) -> (some Sequence<SandboxOrder>)? {
        let list = payments[account, default: []]
        let start = id.map { position(of: $0, in: list, of: account).map { $0 + 1 } } ?? 0
        return start.map { list[$0...].lazy.compactMap { slots[$0.place] } }
    }

    /// The paid orders of an account before one of them, or from the last, newest first; nil if the
    /// account has not paid for that order.
    func paid(by account: AccountName, before id: OrderID?) -> (some Sequence<SandboxOrder>)? {
        let list = payments[account, default: []]
        let end = id.map { position(of: $0, in: list, of: account) } ?? list.count
        return end.map { list[..<$0].reversed().lazy.compactMap { slots[$0.place] } }
    }

    /// The position of an order among the payments of its account; nil if it is not one of them.
    private func position(
        of id: OrderID, in list: [Payment], of account: AccountName
    ) -> Int? {
        guard let place = places[id], let order = slots[place], order.isPaid,
            order.order.account == account
        else { return nil }
        let payment = Payment(order, at: place)
        return list.firstPosition { !($0 < payment) }
    }

    /// The paid orders of a chain, newest first.
    func chain(_ original: OrderID) -> some Sequence<SandboxOrder> {
        chains[original, default: []].reversed().lazy.compactMap { slots[$0] }
    }

    // MARK: Changes

    mutating func append(_ order: SandboxOrder) {
        let place = slots.count
        slots.append(order)
        index(order, at: place)
    }

    /// Changes an order and its indexes. Its identifier must stay the same.
    mutating func update(_ id: OrderID, _ change: (inout SandboxOrder) -> Void) {
        guard let place = places[id], var order = slots[place] else { return }
        let before = order
        change(&order)
        slots[place] = order
        withdraw(before, at: place)
        enter(order, at: place)
        if order.isPaid && !before.isPaid { join(order, at: place) }
    }

    /// Marks an order and all earlier orders of its chain as completed. The loop stops at a completed
    /// order, because all earlier ones are completed as well. A plan is completed alone, because the
    /// order before it still serves the subscription.
    mutating func complete(_ id: OrderID) {
        guard let place = places[id], let order = slots[place] else { return }
        slots[place]?.order.completed = true
        guard !order.isScheduled else { return }
        let chain = chains[order.order.original, default: []]
        guard let position = chain.lastIndex(of: place) else { return }
        for older in chain[..<position].reversed() {
            guard let known = slots[older] else { continue }
            if known.order.completed, !known.isScheduled { return }
            slots[older]?.order.completed = true
        }
    }

    mutating func remove(_ id: OrderID) {
        guard let place = places.removeValue(forKey: id), let order = slots[place] else { return }
        if let transaction = order.order.transaction { placesByTransaction[transaction] = nil }
        withdraw(order, at: place)
        slots[place] = nil
        gaps += 1
        if gaps > 1024, gaps > slots.count / 2 { close() }
    }

    /// Compacts the table, which moves the orders to other places.
    private mutating func close() {
        let (orders, edition) = (all, edition)
        self = OrderTable()
        self.edition = edition + 1
        for order in orders { append(order) }
    }

    private mutating func index(_ order: SandboxOrder, at place: Int) {
        places[order.order.order] = place
        if let transaction = order.order.transaction { placesByTransaction[transaction] = place }
        placesByAccount[order.order.account, default: []].append(place)
        enter(order, at: place)
        if order.isPaid { join(order, at: place) }
    }

    /// Adds a paid order to its chain and to the payments of its account.
    private mutating func join(_ order: SandboxOrder, at place: Int) {
        let payment = Payment(order, at: place)
        let end = payments[order.order.account, default: []].firstPosition { payment < $0 }
        payments[order.order.account, default: []].insert(payment, at: end)
        var chain = chains[order.order.original, default: []]
        chains[order.order.original] = nil
        var position = chain.count
        while position > 0, let earlier = slots[chain[position - 1]],
            (order.paidAt, place) < (earlier.paidAt, chain[position - 1])
        {
            position -= 1
        }
        chain.insert(place, at: position)
        chains[order.order.original] = chain
    }

    private mutating func enter(_ order: SandboxOrder, at place: Int) {
        counts[order.order.state, default: 0] += 1
        if order.waitsForPerson { waiting.insert(place, at: waiting.firstPosition { $0 >= place }) }
        if order.order.state == .purchased, !order.isScheduled {
            let possession = Possession(
                account: order.order.account, product: order.order.product)
            owned[possession, default: []].append(place)
        }
        if order.isPaid, let group = order.group {
            introduced[order.order.account, default: [:]][group, default: 0] += 1
        }
    }

    private mutating func withdraw(_ order: SandboxOrder, at place: Int) {
        counts[order.order.state, default: 1] -= 1
        if order.waitsForPerson { waiting.remove(at: waiting.firstPosition { $0 >= place }) }
        if order.order.state == .purchased, !order.isScheduled {
            let possession = Possession(
                account: order.order.account, product: order.order.product)
            // Most changes are to new orders, which are last.
            if let index = owned[possession]?.lastIndex(of: place) {
                owned[possession]?.remove(at: index)
            }
            if owned[possession]?.isEmpty == true { owned[possession] = nil }
        }
        if order.isPaid, let group = order.group {
            let rest = introduced[order.order.account, default: [:]][group, default: 1] - 1
            introduced[order.order.account]?[group] = rest > 0 ? rest : nil
        }
    }
}

extension OrderTable: Hashable {
    static func == (left: OrderTable, right: OrderTable) -> Bool {
        left.count == right.count
            && left.slots.lazy.compactMap { $0 }.elementsEqual(right.slots.lazy.compactMap { $0 })
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(count)
    }
}

extension Array {
    /// The first index from which on a condition holds for all elements.
    func firstPosition(where holds: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
