public import PaymentCore
public import StrictJSON

/// `test.orders`: everything the sandbox knows.
public enum TestOrders: Method {
    /// Which page.
    public struct Params: Sendable, Hashable {
        /// At most so many.
        public var limit: Int
        /// Where an earlier answer said to go on.
        public var page: OpaqueText?
    }

    /// A page of orders.
    public struct Result: WireResult, Hashable {
        /// The orders, oldest first.
        public var orders: [StoreOrder]
        /// Where to go on; nil after the last page.
        public var next: String?

        /// Makes a result.
        public init(orders: [StoreOrder], next: String? = nil) {
            self.orders = orders
            self.next = next
        }

        /// Appends the orders.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"orders\":[")
            for order in orders {
                writer.element()
                writer.order(order)
            }
            writer.raw("]")
            if let next {
                writer.name("next")
                writer.string(next)
            }
            writer.raw("}")
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "test.orders",
        summary: "List all orders of the sandbox",
        description: """
            Lists the orders of all accounts, completed ones too, oldest first, page by page. Only \
            for the sandbox.
            """,
        parameters: [Paging.limit, Paging.page],
        resultSchema: Schema.object([
            Schema.required("orders", Schema.list(of: Schema.reference("Order")), "Oldest first."),
            Paging.next,
        ]),
        errors: [.notSupportedByStore, .pageExpired],
        role: .admin,
        example: .init(result: Result(orders: [Examples.order])))

    private enum Place: Int, ParameterPlace {
        case limit, page
    }

    /// Takes which page.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        Params(
            limit: arguments.integer(Place.limit, in: bytes) ?? Paging.defaultLimit,
            page: arguments.text(Place.page, in: bytes))
    }
}
