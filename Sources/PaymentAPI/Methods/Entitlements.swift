public import PaymentCore
import StrictJSON

/// `entitlements`: the current entitlements of the account.
public enum Entitlements: Method {
    /// The method has no parameters.
    public typealias Params = NoParameters

    /// The entitlements of the account.
    public struct Result: WireResult, Hashable {
        /// The latest live order of each product, oldest first.
        public var purchases: [StorePurchase]

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required("entitlements", \.purchases, .list(of: entitlement), "Oldest first.")
        ])

        /// Creates a result.
        public init(purchases: [StorePurchase]) {
            self.purchases = purchases
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "entitlements",
        summary: "List what the account is entitled to now",
        description: """
            Returns the latest live order of each non-consumable and of each active subscription, \
            as the store reports it. Refunded orders and consumables are not listed. Whether the \
            transaction is finished makes no difference.
            """,
        errors: [
            .notLoggedIn, .storeUnavailable, .connectionError, .appNotRegistered, .tooManyInFlight,
            .shareExceeded,
            .cancelled,
        ],
        role: .observe,
        waits: true,
        example: Result(purchases: [Examples.purchase]))

    private static let entitlement = ResultForm<StorePurchase>.object(
        [
            .required(
                "transactionIdentifier", \.order, .identifier, "The identifier of the order."),
            .required(
                "originalTransactionIdentifier", \.original, .identifier,
                "The identifier of the first order of its chain of renewals."),
            .optional(
                "transaction", \.transaction, .identifier,
                "The transaction that asked for the order."),
            .required(
                "productIdentifier", \.product.productIdentifier, .opaque,
                "The identifier by which clients buy the product."),
            .required("product", \.product, Product.form, "The product, as it was sold."),
            .required(
                "storefront", \.country, CountryCode.storefront,
                "The storefront in which it was charged."),
            .optional(
                "appAccountToken", \.appAccountToken, .opaque,
                "The application's own account identifier, as it was sent with the purchase."),
        ], Charge.members(\.charge),
        [
            .required("renewal", \.isRenewal, .flag, "Whether the order renews an earlier one."),
            .required(
                "completed", \.isCompleted, .flag,
                "Whether the order was completed: the store knows that it was delivered."),
            .required("purchasedAt", \.purchasedAt, .time, "The time at which it was paid."),
            .optional(
                "expiresAt", \.expiresAt, .time,
                "The time at which the period ends; only for subscriptions."),
        ])
}
