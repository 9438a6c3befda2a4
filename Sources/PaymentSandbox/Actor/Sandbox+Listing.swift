package import PaymentCore
package import SandboxControl

/// A page of a list, newest first.
package struct Listing<Item: Sendable>: Sendable {
    /// The items of the page.
    package var items: [Item] = []
    /// How many there are from the first of the page on, as far as the search went; nil where they were
    /// not counted, since ``StoreSummary`` has the number.
    package var matches: Int?
    /// The order that the next page begins behind; nil on the last page.
    package var next: OrderID?
    /// The time of the oldest order that was compared, where there are older ones.
    package var searchedTo: Timestamp?
}

/// A subscription with the orders of its periods.
package struct SubscriptionStory: Sendable {
    /// The subscription as it stands.
    package var subscription: SandboxSubscription
    /// The paid orders, newest first, at most as many as were asked for.
    package var orders: [SandboxOrder]
    /// The order that serves it, or did last.
    package var serving: OrderID?
}

/// An order with what belongs to it.
package struct OrderStory: Sendable {
    /// The order.
    package var order: SandboxOrder
    /// The subscription that it belongs to, if it belongs to one.
    package var subscription: SubscriptionStory?
}

/// An account as the store knows it.
package struct AccountStory: Sendable {
    /// How many orders it has in each state.
    package var counts: [StoreOrder.State: Int] = [:]
    /// Its newest orders.
    package var orders: [SandboxOrder] = []
    /// The orders by which it owns something now, newest first.
    package var entitlements: [SandboxOrder] = []
    /// Its subscriptions, running or over.
    package var subscriptions: [SubscriptionStory] = []
}

/// The numbers of orders and subscriptions that the store holds.
package struct StoreSummary: Sendable {
    /// How many orders there are in each state.
    package var orders: [StoreOrder.State: Int]
    /// How many subscriptions there are in each state.
    package var subscriptions: [SandboxSubscription.Status: Int]
    /// How many orders wait for a person.
    package var waitingOrders: Int
    /// How many subscriptions wait for a person.
    package var waitingSubscriptions: Int
    /// When the order was placed that waits for a person since the longest time.
    package var waitingSince: Timestamp?
    /// The time on the store's clock.
    package var now: Timestamp
}

/// Lists for people. Each looks at the orders in stretches, and lets other calls of the store happen
/// between them.
extension Sandbox {
    /// Most orders that one call compares; the next page continues after them.
    package static let comparedOrders = 100_000
    /// Orders that are compared before other calls have their turn.
    static let stretch = 1000
    /// Most orders of a subscription or an account that a story shows.
    package static let ordersOfStory = 50

    /// The numbers of orders and subscriptions that the store holds.
    package func summary() async -> StoreSummary {
        await settle()
        return StoreSummary(
            orders: state.orderTable.counts, subscriptions: state.subscriptions.rolls.counts,
            waitingOrders: state.orderTable.waitingCount,
            waitingSubscriptions: state.subscriptions.rolls.waiting.count,
            waitingSince: state.orderTable.firstWaiting?.order.placedAt, now: state.now(at: time()))
    }

    /// A page of the orders that a filter lets through, newest first.
    ///
    /// - Parameters:
    ///   - filter: Which orders.
    ///   - cursor: As the page before named its next; nil for the first page.
    ///   - limit: Most orders of a page.
    /// - Returns: The page.
    /// - Throws: ``TestFailure/pageExpired`` where the order that the page begins behind is gone, or
    ///   orders were deleted meanwhile.
    package func orders(
        _ filter: OrderFilter, before cursor: OrderID?, limit: Int
    ) async throws(TestFailure) -> Listing<SandboxOrder> {
        var simple = OrderFilter()
        simple.state = filter.state
        return try await listing(
            of: filter.list, before: cursor, limit: limit, counts: filter != simple
        ) { known, _ in
            filter.matches(known) ? known : nil
        }
    }

    /// A page of the accounts that have orders, the one with the newest order first: that order of each.
    ///
    /// - Parameters:
    ///   - text: A part of the name; nil for every account.
    ///   - cursor: As the page before named its next; nil for the first page.
    ///   - limit: Most accounts of a page.
    /// - Returns: The page.
    /// - Throws: As ``orders(_:before:limit:)``.
    package func accounts(
        _ text: SearchText?, before cursor: OrderID?, limit: Int
    ) async throws(TestFailure) -> Listing<SandboxOrder> {
        try await listing(of: .all, before: cursor, limit: limit, counts: true) { known, place in
            guard text?.isPart(of: known.order.account) != false,
                state.orderTable.isNewest(place, of: known.order.account)
            else { return nil }
            return known
        }
    }

    /// A page of subscriptions, the one that began last first.
    ///
    /// - Parameters:
    ///   - status: In which state; nil for any.
    ///   - text: A part of the account's name or the product's; nil for all.
    ///   - cursor: As the page before named its next; nil for the first page.
    ///   - limit: Most subscriptions of a page.
    /// - Returns: The page.
    /// - Throws: As ``orders(_:before:limit:)``.
    package func subscriptions(
        _ status: SandboxSubscription.Status?, _ text: SearchText?, before cursor: OrderID?,
        limit: Int
    ) async throws(TestFailure) -> Listing<SubscriptionStory> {
        try await listing(
            of: .all, before: cursor, limit: limit, counts: text != nil
        ) { known, _ in
            guard let subscription = state.subscription(ofChain: known.order.order),
                status == nil || subscription.status == status
            else { return nil }
            if let text, !text.isPart(of: subscription.key.account),
                !text.isPart(of: subscription.product)
            {
                return nil
            }
            return state.story(of: subscription)
        }
    }

    /// The subscriptions that wait for a person, by the end of what was paid, newest first.
    package func waitingSubscriptions(limit: Int) async -> [SubscriptionStory] {
        await settle()
        return state.subscriptions.rolls.waiting.suffix(limit).reversed().compactMap { entry in
            state.subscriptions[entry.key].map { state.story(of: $0) }
        }
    }

    /// An order with what belongs to it; nil if there is none of that name.
    package func story(of order: OrderID) async -> OrderStory? {
        await settle()
        return state.order(order).map { known in
            OrderStory(
                order: known,
                subscription: state.subscription(ofChain: known.order.original).map {
                    state.story(of: $0)
                })
        }
    }

    /// The running subscription of an account to a product; nil if it has none.
    package func story(
        ofSubscriptionTo product: ProductIdentifier, of account: AccountName
    ) async -> SubscriptionStory? {
        await settle()
        let found = try? ControlRules(state, store).subscription(to: product, of: account)
        return found.map { state.story(of: $0) }
    }

    /// The accounts among these that have no order, at most so many of them.
    package func withoutOrders(_ accounts: [AccountName], limit: Int) -> [AccountName] {
        Array(accounts.lazy.filter { !self.state.orderTable.hasOrders($0) }.prefix(limit))
    }

    /// Everything that is known of an account. It grows with the account's orders.
    package func story(of account: AccountName) async throws(TestFailure) -> AccountStory {
        var story = AccountStory()
        try await walk(.account(account), before: nil, atMost: .max) { known, _ in
            story.counts[known.order.state, default: 0] += 1
            if story.orders.count < Self.ordersOfStory { story.orders.append(known) }
            if story.entitlements.count < Self.ordersOfStory,
                PurchasePages(state, store).isMeant(known, by: .entitlements)
            {
                story.entitlements.append(known)
            }
            if let subscription = state.subscription(ofChain: known.order.order) {
                story.subscriptions.append(state.story(of: subscription))
            }
            return true
        }
        return story
    }

    private func listing<Item>(
        of list: OrderList, before cursor: OrderID?, limit: Int, counts: Bool,
        _ item: (SandboxOrder, Int) -> Item?
    ) async throws(TestFailure) -> Listing<Item> {
        var page = Listing<Item>()
        var matches = 0
        var (lastShown, lastCompared): (OrderID?, SandboxOrder?)
        let isWhole = try await walk(list, before: cursor, atMost: Self.comparedOrders) {
            known, place in
            lastCompared = known
            guard let item = item(known, place) else { return true }
            matches += 1
            guard page.items.count < limit else { return counts }
            page.items.append(item)
            lastShown = known.order.order
            return true
        }
        if matches > page.items.count {
            page.next = lastShown
        } else if !isWhole {
            page.next = lastCompared?.order.order
        }
        if counts { page.matches = matches }
        if !isWhole, counts || page.items.count < limit {
            page.searchedTo = lastCompared?.order.placedAt
        }
        return page
    }

    /// Goes through the orders of a list, newest first, in stretches, and tells of each and its place until
    /// the answer is false.
    ///
    /// - Returns: Whether it went to the oldest.
    /// - Throws: As ``orders(_:before:limit:)``.
    @discardableResult
    private func walk(
        _ list: OrderList, before cursor: OrderID?, atMost limit: Int,
        _ visit: (SandboxOrder, Int) -> Bool
    ) async throws(TestFailure) -> Bool {
        await settle()
        guard var place = state.orderTable.place(before: cursor) else { throw .pageExpired }
        let edition = state.orderTable.edition
        var left = limit
        while left > 0 {
            let places = state.orderTable.places(
                of: list, below: place, count: min(left, Self.stretch))
            guard let last = places.last else { return true }
            for place in places {
                guard let known = state.orderTable.order(at: place) else { continue }
                guard visit(known, place) else { return false }
            }
            (place, left) = (last, left - places.count)
            await Task.yield()
            guard edition == state.orderTable.edition else { throw .pageExpired }
        }
        return state.orderTable.places(of: list, below: place, count: 1).isEmpty
    }
}

extension SandboxState {
    /// A subscription with the orders of its periods.
    func story(of subscription: SandboxSubscription) -> SubscriptionStory {
        SubscriptionStory(
            subscription: subscription,
            orders: Array(orderTable.chain(subscription.original).prefix(Sandbox.ordersOfStory)),
            serving: latest(ofChain: subscription.original)?.order.order)
    }
}
