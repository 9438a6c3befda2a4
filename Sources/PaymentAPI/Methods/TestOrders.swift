public import PaymentCore
public import StrictJSON

/// `test.orders`: everything the sandbox knows.
public enum TestOrders: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// All orders.
    public struct Result: WireResult, Hashable {
        /// The orders, oldest first.
        public var orders: [StoreOrder]

        /// Makes a result.
        public init(orders: [StoreOrder]) {
            self.orders = orders
        }

        /// Appends the orders.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"orders\":[")
            for order in orders {
                writer.element()
                writer.order(order)
            }
            writer.raw("]}")
        }
    }

    /// What the contract says of it.
    public static let spec = MethodSpec(
        name: "test.orders",
        summary: "List every order that the sandbox knows",
        description: "Of all accounts, finished ones too, oldest first. Only a sandbox tells.",
        resultSchema: Schema.object([
            Schema.required("orders", Schema.list(of: Schema.reference("Order")), "Oldest first.")
        ]),
        errors: [.notSupportedByStore, .tooManyInFlight, .cancelled],
        role: .admin,
        waits: true,
        example: .init(result: Result(orders: [Examples.order])))
}

extension JSONWriter {
    fileprivate mutating func order(_ order: StoreOrder) {
        beginObject()
        name("order")
        identifier(order.order)
        if let transaction = order.transaction {
            name("transaction")
            identifier(transaction)
        }
        name("original")
        identifier(order.original)
        name("account")
        string(order.account.string)
        name("product")
        string(order.product.string)
        name("price")
        price(order.price)
        name("countryCode")
        string(order.country.description)
        if let token = order.appAccountToken {
            name("appAccountToken")
            string(token.string)
        }
        name("state")
        string(order.state.wireWord)
        if let failure = order.failure { self.failure(failure) }
        name("completed")
        bool(order.completed)
        name("placedAt")
        time(order.placedAt)
        endObject()
    }

    private mutating func failure(_ failure: PaymentFailure) {
        name("error")
        string(failure.kind.wireWord)
        if let reason = failure.reason {
            name("failureReason")
            string(reason)
        }
    }
}
