public import PaymentCore

extension StoreTestControl {
    /// Every order that the store knows, page by page.
    public func testOrders() async -> [StoreOrder] {
        var orders: [StoreOrder] = []
        var page: OpaqueText?
        repeat {
            guard let next = try? await testOrders(page: page, limit: 1000) else { return orders }
            orders += next.orders
            page = next.next
        } while page != nil
        return orders
    }
}
