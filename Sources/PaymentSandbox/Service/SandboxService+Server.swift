package import PaymentCore
import PaymentHistory
package import SandboxControl

/// The calls that only a store server uses.
extension SandboxService {
    /// The country of an account.
    package func country(of account: AccountName) async throws(StoreFailure) -> CountryCode {
        try await perform { $0.country(of: account, $1) }.get()
    }

    /// The outcome of the order that a transaction of an account has placed; nil if there is none.
    package func outcome(
        of transaction: TransactionID, account: AccountName
    ) async throws(StoreFailure) -> OrderOutcome? {
        try await perform { $0.outcome(of: transaction, account: account, $1) }.get()
    }

    /// A signed page of the payments of an order's account.
    package func signedHistory(
        holding order: OrderID, _ query: HistoryQuery
    ) async throws(StoreFailure) -> HeldHistory {
        let found = try await perform { $0.history(holding: order, query, $1) }.get()
        guard let found else { return .noSuchOrder }
        guard let found else { return .noSuchPage }
        return .page(try await found.signed(query, with: environment.keys.ring()))
    }

    /// The number of orders in each state.
    package func counts() -> [StoreOrder.State: Int] { store.state.orderTable.counts }

    /// The accounts among these that have no order, at most `limit`.
    package func withoutOrders(_ accounts: [AccountName], limit: Int) -> [AccountName] {
        let orders = store.state.orderTable
        return Array(accounts.lazy.filter { !orders.hasOrders($0) }.prefix(limit))
    }

    /// The numbers of orders and subscriptions in the store.
    package func summary() async -> StoreSummary { await read { $0.summary(at: $1) } }

    /// The subscriptions that need an action by a person, at most `limit`.
    package func waitingSubscriptions(limit: Int) async -> [SubscriptionStory] {
        await read { store, _ in store.waitingSubscriptions(limit: limit) }
    }

    /// An order with its subscription; nil if the order is unknown.
    package func story(of order: OrderID) async -> OrderStory? {
        await read { store, _ in store.story(of: order) }
    }

    /// The running subscription of an account to a product; nil if it has none.
    package func story(
        ofSubscriptionTo product: ProductIdentifier, of account: AccountName
    ) async -> SubscriptionStory? {
        await read { store, _ in store.story(ofSubscriptionTo: product, of: account) }
    }

    /// A page of a list, newest first. Other calls run between the stretches of the search.
    ///
    /// - Parameters:
    ///   - query: The list.
    ///   - cursor: The `next` of the previous page; nil for the first page.
    ///   - limit: The maximum number of items.
    /// - Returns: The page.
    /// - Throws: ``TestFailure/pageExpired`` if the order of the cursor was deleted, or deletions moved
    ///   the orders during the search.
    package func list<Item>(
        _ query: ListQuery<Item>, before cursor: OrderID?, limit: Int
    ) async throws(TestFailure) -> Listing<Item> {
        var search = try await read { store, _ throws(TestFailure) in
            try ListSearch(query, before: cursor, limit: limit, in: store)
        }
        while try search.step(in: store) { await Task.yield() }
        return search.page
    }

    /// The orders and subscriptions of an account. The cost grows with its orders.
    package func story(of account: AccountName) async throws(TestFailure) -> AccountStory {
        var walk = try await read { store, _ throws(TestFailure) in
            try OrderWalk(.account(account), before: nil, atMost: .max, in: store)
        }
        var story = AccountStory()
        while true {
            let places = try walk.next(in: store)
            if places.isEmpty { return story }
            for place in places {
                if let known = store.state.orderTable.order(at: place) {
                    story.add(known, of: store)
                }
            }
            await Task.yield()
        }
    }
}
