public import PaymentCore
public import StrictJSON

/// `entitlements`: what the account may use now.
public enum Entitlements: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// What the account is entitled to.
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

    /// What the contract says of it.
    public static let spec = MethodSpec(
        name: "entitlements",
        summary: "List what the account may use now",
        description: """
            The latest live order of each non-consumable and of each subscription that is active, \
            as the store tells it; nothing that was refunded, no consumables. Whether a \
            transaction is unfinished does not matter here.
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
            Schema.required("transactionIdentifier", Schema.identifier, "The order."),
            Schema.required(
                "originalTransactionIdentifier", Schema.identifier, "The first order of its chain."),
            Schema.optional("transaction", Schema.identifier, "The transaction that asked for it."),
            Schema.required("productIdentifier", Schema.text, "What clients buy it by."),
            Schema.required("product", Schema.reference("Product"), "The product as it was sold."),
            Schema.required("storefront", Schema.reference("Storefront"), "Where it was charged."),
            Schema.optional("appAccountToken", Schema.text, "The application's own account."),
        ] + Schema.charge + [
            Schema.required("renewal", Schema.flag, "Whether it renews an order before it."),
            Schema.required(
                "completed", Schema.flag, "Whether the store knows that the goods were delivered."),
            Schema.required("purchasedAt", Schema.time, "When it was paid."),
            Schema.optional("expiresAt", Schema.time, "When it ends, for a subscription."),
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
