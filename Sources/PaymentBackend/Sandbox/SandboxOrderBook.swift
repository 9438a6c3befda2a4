import PaymentCore

/// The orders of the sandbox and where to find them. Books are equal when their orders are.
struct SandboxOrderBook: Sendable {
    /// Oldest first; what was deleted leaves a gap until there are too many.
    private var slots: [SandboxOrder?] = []
    private var gaps = 0
    private var places: [OrderID: Int] = [:]
    private var placesByTransaction: [TransactionID: Int] = [:]
    private var placesByAccount: [AccountName: [Int]] = [:]
    /// Of each chain what was paid, in the order of payment.
    private var chains: [OrderID: [Int]] = [:]
    /// Of each product of an account the orders that are paid and not taken back, oldest first.
    private var owned: [Possession: [Int]] = [:]
    /// Of each account how many orders were charged an introductory offer, by what offers are counted
    /// by.
    private(set) var introduced: [AccountName: [OpaqueText: Int]] = [:]

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

    /// The newest order of a product that an account has paid for and still has.
    func owned(_ product: ProductIdentifier, account: AccountName) -> SandboxOrder? {
        owned[Possession(account: account, product: product)]?.last.flatMap { slots[$0] }
    }

    /// The orders after one, or from the first, oldest first; nil if there is no such order.
    func orders(after id: OrderID?) -> (some Sequence<SandboxOrder>)? {
        let start = id.map { places[$0].map { $0 + 1 } } ?? 0
        return start.map { slots[$0...].lazy.compactMap { $0 } }
    }

    /// The orders of an account after one, or from the first; nil if there is no such order.
    func orders(of account: AccountName, after id: OrderID?) -> (some Sequence<SandboxOrder>)? {
        let list = placesByAccount[account, default: []]
        let start = id.map { places[$0].map { list.firstPlace(above: $0) } } ?? 0
        return start.map { list[$0...].lazy.compactMap { slots[$0] } }
    }

    /// What was paid of a chain, newest first.
    func chain(_ original: OrderID) -> some Sequence<SandboxOrder> {
        chains[original, default: []].reversed().lazy.compactMap { slots[$0] }
    }

    // MARK: Changes

    mutating func append(_ order: SandboxOrder) {
        let place = slots.count
        slots.append(order)
        index(order, at: place)
    }

    /// Changes an order that stays the same one.
    mutating func update(_ id: OrderID, _ change: (inout SandboxOrder) -> Void) {
        guard let place = places[id], var order = slots[place] else { return }
        let before = order
        change(&order)
        slots[place] = order
        withdraw(before, at: place)
        enter(order, at: place)
        if order.isPaid && !before.isPaid { join(order, at: place) }
    }

    /// Marks an order and everything before it in its chain as completed. Stops where it was done
    /// before, because then it was done for all that is older. A plan is completed by itself alone: the
    /// order before it is what serves the subscription.
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

    /// Closes the gaps.
    private mutating func close() {
        let orders = all
        self = SandboxOrderBook()
        slots.reserveCapacity(orders.count)
        for order in orders { append(order) }
    }

    private mutating func index(_ order: SandboxOrder, at place: Int) {
        places[order.order.order] = place
        if let transaction = order.order.transaction { placesByTransaction[transaction] = place }
        placesByAccount[order.order.account, default: []].append(place)
        enter(order, at: place)
        if order.isPaid { join(order, at: place) }
    }

    /// By the time of payment, then of placing, so that it does not matter in which order they were
    /// learnt of.
    private mutating func join(_ order: SandboxOrder, at place: Int) {
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
        if order.order.state == .purchased, !order.isScheduled {
            let possession = Possession(
                account: order.order.account, product: order.order.product)
            // Mostly the newest: orders change soon after they were placed.
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

extension SandboxOrderBook: Hashable {
    static func == (left: SandboxOrderBook, right: SandboxOrderBook) -> Bool {
        left.count == right.count
            && left.slots.lazy.compactMap { $0 }.elementsEqual(right.slots.lazy.compactMap { $0 })
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(count)
    }
}

extension [Int] {
    /// The first index of a sorted list whose value is above a bound.
    fileprivate func firstPlace(above bound: Int) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] > bound { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
