package import PaymentCore
package import SandboxControl

/// A filter for lists of orders. An order must meet all given conditions.
package struct OrderFilter: Sendable, Hashable {
    /// The search text. It matches the beginning of the order's or transaction's identifier, or a
    /// part of the account, product or application token. ASCII letters match in either case.
    package var text: SearchText?
    /// The account of the order.
    package var account: AccountName?
    /// The product of the order.
    package var product: ProductIdentifier?
    /// The state of the order.
    package var state: StoreOrder.State?
    /// Whether the order must wait for an action of a user.
    package var isWaiting = false
    /// The earliest time of placing.
    package var from: Timestamp?
    /// The time before which the order was placed.
    package var until: Timestamp?

    /// Creates a filter that matches every order.
    package init() {}

    /// Whether an order meets all conditions.
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

    /// The shortest list that contains all matching orders.
    var list: OrderList {
        if let account { return .account(account) }
        return isWaiting ? .waiting : .all
    }
}
