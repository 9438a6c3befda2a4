public import PaymentCore
public import SandboxControl
import StrictJSON

/// `test.orders`: everything the sandbox knows.
public enum TestOrders: Method {
    /// A page.
    public struct Params: ParameterRecord {
        /// The most orders of the page.
        public var limit = Paging.defaultLimit
        /// The place at which an earlier result said to go on.
        public var page: OpaqueText?

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            Paging.limit(\.limit), Paging.page(\.page),
        ]

        /// The first page.
        public init() {}
    }

    /// A page of orders.
    public struct Result: WireResult, Hashable {
        /// The orders, oldest first.
        public var orders: [StoreOrder]
        /// The token of the next page; nil on the last one.
        public var next: String?

        /// The members.
        public static let form = ResultForm<Result>.object([
            .required("orders", \.orders, .list(of: StoreOrder.form), "Oldest first."),
            Paging.next(\.next),
        ])

        /// A page of these orders.
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
        errors: [.pageExpired], example: Result(orders: [Examples.order]))
}

/// `test.buy`: a purchase made elsewhere.
public enum TestBuy: ControlMethod {
    /// A purchase.
    public struct Params: ParameterRecord {
        /// The product.
        public var product: ProductIdentifier = ""
        /// The application's own account.
        public var appAccountToken: OpaqueText?

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .required(
                "product", \.product, .text(), "The identifier of the product.",
                example: "coins.100"),
            .optional(
                "appAccountToken", \.appAccountToken,
                .text(maximumBytes: Limits().appAccountTokenBytes),
                "The application's own account identifier."),
        ]

        /// A purchase of no product.
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

    /// Buys the product.
    public static func request(_ params: Params) -> ControlRequest {
        .run(.buy(params.product, appAccountToken: params.appAccountToken))
    }
}

/// `test.refund`: the store takes a purchase back.
public enum TestRefund: ControlMethod {
    /// The order.
    public typealias Params = OrderNaming

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        sandbox: Self.self, name: "test.refund",
        summary: "Refund an order of the sandbox",
        description: """
            The order is refunded immediately and observers get entitlementsRevoked. A \
            subscription ends.
            """,
        errors: [.noSuchOrder, .notDecidable, .notDurable], result: StoreOrder.form.schema,
        example: OrderResult(order: Examples.refundedOrder))

    /// Refunds the order.
    public static func request(_ params: Params) -> ControlRequest {
        .onOrder(params, TestControl.refund)
    }
}

/// `test.resolve`: an end of what kept an order from being paid.
public enum TestResolve: ControlMethod {
    /// The order.
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

    /// Resolves the order.
    public static func request(_ params: Params) -> ControlRequest {
        .onOrder(params, TestControl.resolve)
    }
}

/// `test.deleteOrder`: the store forgets an order.
public enum TestDeleteOrder: ControlMethod {
    /// The order.
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

    /// Deletes the order.
    public static func request(_ params: Params) -> ControlRequest {
        .onOrder(params, TestControl.deleteOrder)
    }
}

/// `test.clear`: the store forgets every order.
public enum TestClear: ControlMethod {
    /// No parameters.
    public typealias Params = NoParameters

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        sandbox: Self.self, name: "test.clear",
        summary: "Delete all orders of the sandbox",
        description: "Settings stay, and so do the queue's records.",
        errors: [.notDurable], result: OrderResult.nothing, example: OrderResult(order: nil))

    /// Deletes all orders.
    public static func request(_ params: Params) -> ControlRequest { .run(.clear) }
}

extension StoreOrder {
    /// An order as the store knows it.
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
