public import PaymentCore
public import SandboxControl
import StrictJSON

/// `test.orders`: list all orders of the sandbox.
public enum TestOrders: Method {
    /// The selection of a page.
    public struct Params: ParameterRecord {
        /// The most orders of the page.
        public var limit = Paging.defaultLimit
        /// The page token from an earlier result; nil for the first page.
        public var page: OpaqueText?

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            Paging.limit(\.limit), Paging.page(\.page),
        ]

        /// Creates parameters for the first page.
        public init() {}
    }

    /// A page of orders.
    public struct Result: WireResult, Hashable {
        /// The orders, oldest first.
        public var orders: [StoreOrder]
        /// The token of the next page; nil on the last page.
        public var next: String?

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required("orders", \.orders, .list(of: StoreOrder.form), "Oldest first."),
            Paging.next(\.next),
        ])

        /// Creates a result.
        public init(orders: [StoreOrder], next: String? = nil) {
            self.orders = orders
            self.next = next
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        sandbox: Self.self, name: "test.orders",
        summary: "List all orders of the sandbox",
        description:
            "Lists the orders of all accounts, completed ones too, oldest first, page by page.",
        errors: [.pageExpired, .notDurable], example: Result(orders: [Examples.order]))
}

/// `test.buy`: buy a product as if on another device.
public enum TestBuy: ControlMethod {
    /// The purchase.
    public struct Params: ParameterRecord {
        /// The identifier of the product.
        public var product: ProductIdentifier = ""
        /// The application's own account token.
        public var appAccountToken: OpaqueText?

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .required(
                "product", \.product, .text(), "The identifier of the product.",
                example: "coins.100"),
            .optional(
                "appAccountToken", \.appAccountToken,
                .configured(.appAccountToken),
                "The application's own account identifier."),
        ]

        /// Creates parameters with an empty product identifier.
        public init() {}
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        sandbox: Self.self, name: "test.buy",
        summary: "Buy a product as if on another device",
        description: """
            The order is paid as if the account in session had bought it on another device; \
            observers get a transaction with reason external.
            """,
        errors: [.unknownProduct, .notLoggedIn, .notDurable], result: StoreOrder.form.schema,
        example: OrderResult(order: Examples.order))

    /// Requests the purchase.
    public static func request(_ params: Params) -> ControlRequest {
        .run(.buy(params.product, appAccountToken: params.appAccountToken))
    }
}

/// `test.refund`: refund an order.
public enum TestRefund: ControlMethod {
    /// The reference to the order.
    public typealias Params = OrderNaming

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        sandbox: Self.self, name: "test.refund",
        summary: "Refund an order of the sandbox",
        description: """
            The order is refunded immediately and observers get entitlementsRevoked. The refund of \
            the order that serves a subscription ends the subscription, that of a scheduled change \
            cancels the change.
            """,
        errors: [.noSuchOrder, .notDecidable, .notDurable], result: StoreOrder.form.schema,
        example: OrderResult(order: Examples.refundedOrder))

    /// Requests the refund.
    public static func request(_ params: Params) -> ControlRequest {
        .onOrder(params, TestControl.refund)
    }
}

/// `test.resolve`: resolve an interrupted purchase or a failed renewal.
public enum TestResolve: ControlMethod {
    /// The reference to the order.
    public typealias Params = OrderNaming

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        sandbox: Self.self, name: "test.resolve",
        summary: "Resolve an interrupted purchase or a failed renewal",
        description: """
            An interrupted purchase is completed, and observers get it as a new transaction; a \
            renewal in billing retry is paid.
            """,
        errors: [.noSuchOrder, .notDecidable, .notDurable], result: StoreOrder.form.schema,
        example: OrderResult(order: Examples.order))

    /// Requests the resolution.
    public static func request(_ params: Params) -> ControlRequest {
        .onOrder(params, TestControl.resolve)
    }
}

/// `test.deleteOrder`: delete an order.
public enum TestDeleteOrder: ControlMethod {
    /// The reference to the order.
    public typealias Params = OrderNaming

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        sandbox: Self.self, name: "test.deleteOrder",
        summary: "Delete an order of the sandbox",
        description: """
            Deletes the order and its renewals at the store; unfinished transactions of it leave \
            the queue.
            """,
        errors: [.noSuchOrder, .notDurable], example: OrderResult(order: Examples.order))

    /// Requests the deletion.
    public static func request(_ params: Params) -> ControlRequest {
        .onOrder(params, TestControl.deleteOrder)
    }
}

/// `test.clear`: delete all orders.
public enum TestClear: ControlMethod {
    /// The method has no parameters.
    public typealias Params = NoParameters

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        sandbox: Self.self, name: "test.clear",
        summary: "Delete all orders of the sandbox",
        description: """
            Settings stay. Unfinished transactions of these orders are removed from the queue; the \
            reason is 'deleted'.
            """,
        errors: [.notDurable], result: OrderResult.nothing, example: OrderResult(order: nil))

    /// Requests the deletion.
    public static func request(_ params: Params) -> ControlRequest { .run(.clear) }
}

extension StoreOrder {
    /// The form of an order.
    static let form = ResultForm<StoreOrder>.component(
        "Order",
        [
            .required("order", \.order, .identifier, "The identifier of the order."),
            .optional(
                "transaction", \.transaction, .identifier,
                "The transaction that asked for the order."),
            .required(
                "original", \.original, .identifier,
                "The identifier of the first order of its chain of renewals."),
            .required("account", \.account, .opaque, "The account that pays."),
            .required("product", \.product, .opaque, "The product that was bought."),
            .required(
                "price", \.price, Price.form,
                "The price in that country; of a subscription, the price of one period."),
        ], Charge.members(\.charge),
        [
            .required("countryCode", \.country, .country, "The country of the order."),
            .optional(
                "appAccountToken", \.appAccountToken, .opaque,
                "The application's own account identifier, as it was sent with the purchase."),
            .required("state", \.state, .word, "The state."),
            .optional(
                "error", \.failure?.kind, .word, "The error with which the order failed."),
            .optional("failureReason", \.failure?.reason, .text, "The reason behind the error."),
            .required(
                "completed", \.completed, .flag,
                "Whether the order was completed: the store knows that it was delivered."),
            .required("placedAt", \.placedAt, .time, "The time at which the order was placed."),
            .optional(
                "renewal", { $0.isRenewal ? true : nil }, .flag,
                "Whether the order renews an earlier one."),
            .optional(
                "expiresAt", \.expiresAt, .time,
                "The time at which the period ends; only for subscriptions."),
            .optional(
                "revokedAt", \.charge?.revocation?.at, .time,
                "The time at which the order was refunded or revoked."),
        ])
}
