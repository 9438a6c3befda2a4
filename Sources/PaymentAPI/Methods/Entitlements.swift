public import PaymentCore
public import StrictJSON

/// `entitlements`: what the account may use now.
public enum Entitlements: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// The entitlements of the account.
    public struct Result: WireResult, Hashable {
        /// The latest live order of each product, oldest first.
        public var purchases: [StorePurchase]

        /// Makes a result.
        public init(purchases: [StorePurchase]) {
            self.purchases = purchases
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.beginObject()
            writer.name("entitlements")
            writer.beginArray()
            for purchase in purchases {
                writer.element()
                writer.entitlement(purchase)
            }
            writer.endArray()
            writer.endObject()
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "entitlements",
        summary: "List what the account is entitled to now",
        description: """
            Returns the latest live order of each non-consumable and of each active subscription, \
            as the store reports it. Refunded orders and consumables are not listed. Whether the \
            transaction is finished makes no difference.
            """,
        resultSchema: Schema.object([
            Schema.required("entitlements", Schema.list(of: entitlement), "Oldest first.")
        ]),
        errors: [
            .notLoggedIn, .storeUnavailable, .connectionError, .appNotRegistered, .tooManyInFlight,
            .cancelled,
        ],
        role: .observe,
        waits: true,
        example: .init(result: Result(purchases: [Examples.purchase])))

    private static let entitlement = Schema.object(
        [
            Schema.required(
                "transactionIdentifier", Schema.identifier,
                """
                The identifier of the order.
                """),
            Schema.required(
                "originalTransactionIdentifier", Schema.identifier,
                """
                The identifier of the first order of its chain of renewals.
                """),
            Schema.optional(
                "transaction", Schema.identifier,
                """
                The transaction that asked for the order.
                """),
            Schema.required(
                "productIdentifier", Schema.text,
                """
                The identifier by which clients buy the product.
                """),
            Schema.required("product", Schema.reference("Product"), "The product, as it was sold."),
            Schema.required(
                "storefront", Schema.reference("Storefront"),
                """
                The storefront in which it was charged.
                """),
            Schema.optional(
                "appAccountToken", Schema.text,
                """
                The application's own account identifier, as it was sent with the purchase.
                """),
        ] + Schema.charge + [
            Schema.required("renewal", Schema.flag, "Whether the order renews an earlier one."),
            Schema.required(
                "completed", Schema.flag,
                """
                Whether the order was completed: the store knows that it was delivered.
                """),
            Schema.required("purchasedAt", Schema.time, "The time at which it was paid."),
            Schema.optional(
                "expiresAt", Schema.time,
                """
                The time at which the period ends; only for subscriptions.
                """),
        ])
}

extension JSONWriter {
    fileprivate mutating func entitlement(_ purchase: StorePurchase) {
        beginObject()
        name("transactionIdentifier")
        identifier(purchase.order)
        name("originalTransactionIdentifier")
        identifier(purchase.original)
        if let transaction = purchase.transaction {
            name("transaction")
            identifier(transaction)
        }
        name("productIdentifier")
        string(purchase.product.productIdentifier.string)
        name("product")
        product(purchase.product)
        name("storefront")
        storefront(purchase.country)
        if let token = purchase.appAccountToken {
            name("appAccountToken")
            string(token.string)
        }
        chargeMembers(purchase.charge)
        name("renewal")
        bool(purchase.isRenewal)
        name("completed")
        bool(purchase.isCompleted)
        name("purchasedAt")
        time(purchase.purchasedAt)
        if let end = purchase.expiresAt {
            name("expiresAt")
            time(end)
        }
        endObject()
    }
}
