package import PaymentCore
package import SandboxControl

/// A page of a list, newest first.
package struct Listing<Item: Sendable>: Sendable {
    /// The items of the page.
    package var items: [Item] = []
    /// The number of matching items from the first item of the page on, as far as the search went.
    /// Nil where they are not counted, because ``StoreSummary`` has the number.
    package var matches: Int?
    /// The order after which the next page begins; nil on the last page.
    package var next: OrderID?
    /// The time of the oldest compared order, if older orders exist.
    package var searchedTo: Timestamp?
}

/// A subscription with the orders of its periods.
package struct SubscriptionStory: Sendable {
    /// The current subscription.
    package var subscription: SandboxSubscription
    /// The paid orders, newest first, up to ``Sandbox/ordersOfStory``.
    package var orders: [SandboxOrder]
    /// The order of the current or last period.
    package var serving: OrderID?
}

/// An order with its subscription.
package struct OrderStory: Sendable {
    /// The order.
    package var order: SandboxOrder
    /// The subscription of the order; nil if it has none.
    package var subscription: SubscriptionStory?
}

/// An account with its orders and subscriptions.
package struct AccountStory: Sendable {
    /// The number of its orders in each state.
    package var counts: [StoreOrder.State: Int] = [:]
    /// Its newest orders.
    package var orders: [SandboxOrder] = []
    /// The orders of its current entitlements, newest first.
    package var entitlements: [SandboxOrder] = []
    /// Its subscriptions, including ended ones.
    package var subscriptions: [SubscriptionStory] = []
}

/// The numbers of orders and subscriptions in the store.
package struct StoreSummary: Sendable {
    /// The number of orders in each state.
    package var orders: [StoreOrder.State: Int]
    /// The number of subscriptions in each state.
    package var subscriptions: [SandboxSubscription.Status: Int]
    /// The number of orders that wait for an action of a user.
    package var waitingOrders: Int
    /// The number of subscriptions that wait for an action of a user.
    package var waitingSubscriptions: Int
    /// The time when the longest waiting order was placed.
    package var waitingSince: Timestamp?
    /// The time of the store's clock.
    package var now: Timestamp
}

/// Lists for the operator pages. Each list compares the orders in stretches and lets other calls
/// run between the stretches.
extension Sandbox {
    /// Most orders that one call compares; the next page continues after them.
    package static let comparedOrders = 100_000
    /// The number of orders compared before other calls can run.
    static let stretch = 1000
    /// The maximum number of orders of a subscription or an account in a story.
    package static let ordersOfStory = 50

    /// The numbers of orders and subscriptions in the store.
    package func summary() async -> StoreSummary {
        await settle()
        return StoreSummary(
            orders: state.orderTable.counts, subscriptions: state.subscriptions.rolls.counts,
            waitingOrders: state.orderTable.waitingCount,
            waitingSubscriptions: state.subscriptions.rolls.waiting.count,
            waitingSince: state.orderTable.firstWaiting?.order.placedAt, now: state.now(at: time()))
    }

    /// A page of the orders that match a filter, newest first.
    ///
    /// - Parameters:
    ///   - filter: The filter.
    ///   - cursor: `next` of the previous page; nil for the first page.
    ///   - limit: The maximum number of orders of a page.
    /// - Returns: The page.
    /// - Throws: ``TestFailure/pageExpired`` if the order of the cursor was deleted, or orders
    ///   were deleted during the search.
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

    /// A page of the accounts with orders, as the newest order of each. The account with the newest
    /// order comes first.
    ///
    /// - Parameters:
    ///   - text: A part of the name; nil for every account.
    ///   - cursor: `next` of the previous page; nil for the first page.
    ///   - limit: The maximum number of accounts of a page.
    /// - Returns: The page.
    /// - Throws: The errors of ``orders(_:before:limit:)``.
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

    /// A page of subscriptions, the latest begun first.
    ///
    /// - Parameters:
    ///   - status: The state; nil for any.
    ///   - text: A part of the account's or the product's name; nil for all.
    ///   - cursor: `next` of the previous page; nil for the first page.
    ///   - limit: The maximum number of subscriptions of a page.
    /// - Returns: The page.
    /// - Throws: The errors of ``orders(_:before:limit:)``.
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

    /// The subscriptions that wait for an action of a user, by the end of the paid period, latest
    /// first.
    package func waitingSubscriptions(limit: Int) async -> [SubscriptionStory] {
        await settle()
        return state.subscriptions.rolls.waiting.suffix(limit).reversed().compactMap { entry in
            state.subscriptions[entry.key].map { state.story(of: $0) }
        }
    }

    /// An order with its subscription; nil if the order is unknown.
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

    /// The accounts of `accounts` without orders, at most `limit` of them.
    package func withoutOrders(_ accounts: [AccountName], limit: Int) -> [AccountName] {
        Array(accounts.lazy.filter { !self.state.orderTable.hasOrders($0) }.prefix(limit))
    }

    /// An account with its orders and subscriptions. The work grows with the account's orders.
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

    /// Calls `visit` with the orders of a list and their places, newest first and in stretches,
    /// until it returns false.
    ///
    /// - Returns: Whether the walk reached the oldest order.
    /// - Throws: The errors of ``orders(_:before:limit:)``.
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
