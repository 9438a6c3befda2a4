package import PaymentCore
package import SandboxControl

/// A subscription with the orders of its periods.
package struct SubscriptionStory: Sendable {
    /// The subscription.
    package var subscription: SandboxSubscription
    /// The newest paid orders, newest first, at most ``EmbeddedStore/ordersOfStory``.
    package var orders: [SandboxOrder]
    /// The order that serves the subscription, or did last.
    package var serving: OrderID?
}

/// An order with its subscription.
package struct OrderStory: Sendable {
    /// The order.
    package var order: SandboxOrder
    /// The subscription of the order, if there is one.
    package var subscription: SubscriptionStory?
}

/// An account with its orders and subscriptions.
package struct AccountStory: Sendable {
    /// The number of orders in each state.
    package var counts: [StoreOrder.State: Int] = [:]
    /// The newest orders.
    package var orders: [SandboxOrder] = []
    /// The orders of the account's current entitlements, newest first.
    package var entitlements: [SandboxOrder] = []
    /// The subscriptions, current and ended.
    package var subscriptions: [SubscriptionStory] = []
}

/// The numbers of orders and subscriptions in the store.
package struct StoreSummary: Sendable {
    /// The number of orders in each state.
    package var orders: [StoreOrder.State: Int]
    /// The number of subscriptions in each state.
    package var subscriptions: [SandboxSubscription.Status: Int]
    /// The number of orders that need an action by a person.
    package var waitingOrders: Int
    /// The number of subscriptions that need an action by a person.
    package var waitingSubscriptions: Int
    /// The time of the oldest order that needs an action by a person.
    package var waitingSince: Timestamp?
    /// The time of the store's clock.
    package var now: Timestamp
}

/// The contents of the operator's pages.
extension EmbeddedStore {
    /// The maximum number of orders of a subscription or an account in a story.
    package static let ordersOfStory = 50

    /// The numbers of orders and subscriptions in the store.
    func summary(at real: Timestamp) -> StoreSummary {
        StoreSummary(
            orders: state.orderTable.counts, subscriptions: state.subscriptions.rolls.counts,
            waitingOrders: state.orderTable.waitingCount,
            waitingSubscriptions: state.subscriptions.rolls.waiting.count,
            waitingSince: state.orderTable.firstWaiting?.order.placedAt, now: state.now(at: real))
    }

    /// The subscriptions that need an action by a person, by the end of the paid period, newest first.
    func waitingSubscriptions(limit: Int) -> [SubscriptionStory] {
        state.subscriptions.rolls.waiting.suffix(limit).reversed().compactMap { entry in
            state.subscriptions[entry.key].map { story(of: $0) }
        }
    }

    /// An order with its subscription; nil if the order is unknown.
    func story(of order: OrderID) -> OrderStory? {
        state.order(order).map { known in
            OrderStory(
                order: known,
                subscription: state.subscription(ofChain: known.order.original).map {
                    story(of: $0)
                })
        }
    }

    /// The running subscription of an account to a product; nil if it has none.
    func story(
        ofSubscriptionTo product: ProductIdentifier, of account: AccountName
    ) -> SubscriptionStory? {
        (try? controls.subscription(to: product, of: account)).map { story(of: $0) }
    }

    /// A subscription with the orders of its periods.
    func story(of subscription: SandboxSubscription) -> SubscriptionStory {
        SubscriptionStory(
            subscription: subscription,
            orders: Array(
                state.orderTable.chain(subscription.original).prefix(Self.ordersOfStory)),
            serving: state.latest(ofChain: subscription.original)?.order.order)
    }
}

extension AccountStory {
    /// Adds an order of the account. The orders come newest first.
    mutating func add(_ known: SandboxOrder, of store: EmbeddedStore) {
        counts[known.order.state, default: 0] += 1
        if orders.count < EmbeddedStore.ordersOfStory { orders.append(known) }
        if entitlements.count < EmbeddedStore.ordersOfStory,
            store.pages.isSelected(known, by: .entitlements)
        {
            entitlements.append(known)
        }
        if let subscription = store.state.subscription(ofChain: known.order.order) {
            subscriptions.append(store.story(of: subscription))
        }
    }
}
