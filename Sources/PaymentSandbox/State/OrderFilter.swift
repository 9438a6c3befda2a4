package import PaymentCore
package import SandboxControl

/// The orders that a list shows: all that meet every condition which is given.
package struct OrderFilter: Sendable, Hashable {
    /// Text that the order has: its identifier or that of its transaction begins with it, or it is a part
    /// of the account's name, the product's, or the application's token. The case of ASCII letters does
    /// not matter.
    package var text: SearchText?
    /// The account that ordered.
    package var account: AccountName?
    /// The product that was bought.
    package var product: ProductIdentifier?
    /// The state of the order.
    package var state: StoreOrder.State?
    /// Whether only orders are shown that wait for a person.
    package var isWaiting = false
    /// Placed then or later.
    package var from: Timestamp?
    /// Placed before that.
    package var until: Timestamp?

    /// Creates a filter that every order passes.
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

    /// The shortest list that holds every order which can pass.
    var list: OrderList {
        if let account { return .account(account) }
        return isWaiting ? .waiting : .all
    }
}
