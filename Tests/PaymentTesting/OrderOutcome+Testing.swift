public import PaymentCore

extension OrderOutcome {
    /// A purchase of the price that the samples have, without a token.
    public static func purchased(order: OrderID, original: OrderID) -> OrderOutcome {
        .purchased(
            PaidOrder(order: order, original: original, charge: Charge(price: Samples.price)))
    }

    /// The order that was paid and the first of its chain; empty unless it was.
    public var paidOrders: [OrderID] {
        guard case .purchased(let paid) = self else { return [] }
        return [paid.order, paid.original]
    }
}
