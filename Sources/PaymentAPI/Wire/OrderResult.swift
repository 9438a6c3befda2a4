public import PaymentCore
public import StrictJSON

/// The result of the controls of the sandbox: the order that they made or changed.
public struct OrderResult: WireResult, Hashable {
    /// The order; nil where there is none, which is an empty object on the wire.
    public var order: StoreOrder?

    /// Makes a result.
    public init(order: StoreOrder?) {
        self.order = order
    }

    /// Appends the order.
    public func write(into writer: inout JSONWriter) {
        if let order { writer.order(order) } else { writer.raw("{}") }
    }

    /// The schema of a control that always has an order to show.
    static let schema = Schema.reference("Order")
    /// The schema of a control that need not have one.
    static let maybeSchema: JSONValue = [
        "type": "object", "description": "The current state of the order; absent if there is none.",
    ]
}
