package import PaymentCore
import SandboxControl

/// A page of a list, newest first.
package struct Listing<Item: Sendable>: Sendable {
    /// The items of the page.
    package var items: [Item] = []
    /// The number of items from the first of the page on, as far as the search went; nil for a list that
    /// does not count them because ``StoreSummary`` has the number.
    package var matches: Int?
    /// The order before the next page; nil on the last page.
    package var next: OrderID?
    /// The time of the oldest order that was compared, if older orders exist.
    package var searchedTo: Timestamp?
}

/// A list of orders or of what they belong to, with its filter.
package struct ListQuery<Item: Sendable>: Sendable {
    /// The orders to compare.
    let list: OrderList
    /// Whether the search continues after the page is full, to count the matches.
    let isCounted: Bool
    /// The item of the order at a place; nil if the filter excludes the order.
    let item: @Sendable (EmbeddedStore, SandboxOrder, Int) -> Item?
}

extension ListQuery<SandboxOrder> {
    /// The orders that a filter includes.
    package static func orders(_ filter: OrderFilter) -> ListQuery {
        var simple = OrderFilter()
        simple.state = filter.state
        return ListQuery(list: filter.list, isCounted: filter != simple) { _, known, _ in
            filter.matches(known) ? known : nil
        }
    }

    /// The newest order of each account, newest first.
    ///
    /// - Parameter text: A part of the account's name; nil for every account.
    /// - Returns: The query.
    package static func accounts(_ text: SearchText?) -> ListQuery {
        ListQuery(list: .all, isCounted: true) { store, known, place in
            guard text?.isPart(of: known.order.account) != false,
                store.state.orderTable.isNewest(place, of: known.order.account)
            else { return nil }
            return known
        }
    }
}

extension ListQuery<SubscriptionStory> {
    /// The subscriptions, by their first order, newest first.
    ///
    /// - Parameters:
    ///   - status: The status of the subscriptions; nil for any.
    ///   - text: A part of the name of the account or the product; nil for all.
    /// - Returns: The query.
    package static func subscriptions(
        _ status: SandboxSubscription.Status?, _ text: SearchText?
    ) -> ListQuery {
        ListQuery(list: .all, isCounted: text != nil) { store, known, _ in
            guard let subscription = store.state.subscription(ofChain: known.order.order),
                status == nil || subscription.status == status
            else { return nil }
            if let text, !text.isPart(of: subscription.key.account),
                !text.isPart(of: subscription.product)
            {
                return nil
            }
            return store.story(of: subscription)
        }
    }
}
