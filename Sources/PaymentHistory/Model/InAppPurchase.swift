public import PaymentCore

/// One purchase or renewal in a signed history. All members are always written; a missing value is
/// null.
public struct InAppPurchase: Sendable, Hashable {
    /// The kinds of products.
    public enum ProductType: String, Sendable, Hashable, CaseIterable {
        /// A product that is used up.
        case consumable = "CONSUMABLE"
        /// A product that is owned permanently.
        case nonConsumable = "NON_CONSUMABLE"
        /// A subscription that the store renews until it is cancelled.
        case subscription = "SUBSCRIPTION"
        /// A subscription that lasts for a fixed time.
        case nonRenewingSubscription = "NON_RENEWING_SUBSCRIPTION"
    }

    /// The reasons of a charge.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// A purchase.
        case purchase = "PURCHASE"
        /// A renewal of a subscription.
        case renewal = "RENEWAL"
    }

    /// The revocation of a purchase by the store.
    public struct Revocation: Sendable, Hashable {
        /// The time of the revocation.
        public var date: Timestamp
        /// The reason, in one word. This store uses only `Refund`.
        public var reason: String

        /// The reason of a refund.
        public static let refund = "Refund"

        /// Creates a revocation.
        public init(date: Timestamp, reason: String = Self.refund) {
            self.date = date
            self.reason = reason
        }
    }

    /// The application's own account token from the purchase.
    public var appAccountToken: String?
    /// The bundle identifier of the application.
    public var bundleID: String
    /// The currency code of ISO 4217.
    public var currency: String
    /// The end of the subscription period; nil if the product is not a subscription.
    public var expiresAt: Timestamp?
    /// The order of this charge.
    public var orderID: OrderID
    /// The first order of the chain of renewals; the order itself if it is the first.
    public var originalOrderID: OrderID
    /// The time when the first order of the chain was paid.
    public var originalPurchaseDate: Timestamp
    /// The paid amount, in the smallest unit of the currency.
    public var price: Int64
    /// The identifier of the product.
    public var productID: String
    /// The second name of the product, if it has one.
    public var productSlug: String?
    /// The kind of the product.
    public var productType: ProductType
    /// The time when the order was paid.
    public var purchaseDate: Timestamp
    /// The number of pieces, at least one.
    public var quantity: Int
    /// The revocation; nil if the purchase was not revoked.
    public var revocation: Revocation?
    /// The time when the store looked up this purchase.
    public var fetchedAt: Timestamp
    /// The group of the subscription; nil if the product is not a subscription.
    public var subscriptionID: String?
    /// The reason of the charge.
    public var reason: Reason
    /// The country of the purchase, as two letters.
    public var country: String

    /// Creates a first purchase of one piece that was not revoked.
    public init(
        bundleID: String, order: OrderID, price: Int64, currency: String, productID: String,
        productType: ProductType, purchaseDate: Timestamp, fetchedAt: Timestamp, country: String
    ) {
        self.bundleID = bundleID
        orderID = order
        originalOrderID = order
        self.price = price
        self.currency = currency
        self.productID = productID
        productSlug = productID
        self.productType = productType
        self.purchaseDate = purchaseDate
        originalPurchaseDate = purchaseDate
        self.fetchedAt = fetchedAt
        self.country = country
        quantity = 1
        reason = .purchase
    }

    /// True if the purchase grants access at the moment: it is neither revoked nor expired.
    public func isEntitling(at moment: Timestamp) -> Bool {
        revocation == nil && (expiresAt.map { $0 > moment } ?? true)
    }
}

extension InAppPurchase.ProductType {
    /// The type of a product kind.
    public init(_ kind: Product.Kind) {
        switch kind {
        case .consumable: self = .consumable
        case .nonConsumable: self = .nonConsumable
        case .autoRenewableSubscription: self = .subscription
        case .nonRenewingSubscription: self = .nonRenewingSubscription
        }
    }
}
