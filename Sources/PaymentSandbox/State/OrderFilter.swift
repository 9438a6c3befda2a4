package import PaymentCore
package import SandboxControl

/// The filter of an order list. An order must meet every condition that is set.
package struct OrderFilter: Sendable, Hashable {
    /// Text to find: the identifier of the order or of its transaction begins with it, or it is a part
    /// of the account's name, the product's identifier or the application's token. The case of ASCII
    /// letters does not matter.
    package var text: SearchText?
    /// The account that ordered.
    package var account: AccountName?
    /// The product that was bought.
    package var product: ProductIdentifier?
    /// The state of the order.
    package var state: StoreOrder.State?
    /// Whether the order must wait for a person.
    package var isWaiting = false
    /// The order was placed at this time or later.
    package var from: Timestamp?
    /// The order was placed before this time.
    package var until: Timestamp?

    /// Creates a filter that admits every order.
    package init() {}

    /// Whether an order meets every condition.
    func matches(_ known: SandboxOrder) -> Bool {
        let order = known.order
        if let state, order.state != state { return false }
        if isWaiting, !known.waitsForPerson { return false }
        if let from, order.placedAt < from { return false }
        if let until, order.placedAt >= until { return false }
        if let account, order.account != account { return false }
        if let product, order.product != product { return false }
        guard let text else { return true }
        return text.begins(order.order.value)
            || order.transaction.map { text.begins($0.value) } == true
            || text.isPart(of: order.account) || text.isPart(of: order.product)
            || order.appAccountToken.map { text.isPart(of: $0) } == true
    }

    /// The shortest list that contains every order which the filter can admit.
    var list: OrderList {
        if let account { return .account(account) }
        return isWaiting ? .waiting : .all
    }
}
