public import PaymentCore

/// One purchase or renewal as signed histories tell it. Every member is always written, with null
/// where there is nothing to say.
public struct InAppPurchase: Sendable, Hashable {
    /// How a product is consumed.
    public enum ProductType: String, Sendable, Hashable, CaseIterable {
        /// Used up.
        case consumable = "CONSUMABLE"
        /// Owned for ever.
        case nonConsumable = "NON_CONSUMABLE"
        /// Renewed by the store until it is cancelled.
        case subscription = "SUBSCRIPTION"
        /// Lasts for a time.
        case nonRenewingSubscription = "NON_RENEWING_SUBSCRIPTION"
    }

    /// Why money was taken.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// A purchase.
        case purchase = "PURCHASE"
        /// A subscription went on.
        case renewal = "RENEWAL"
    }

    /// That and why a purchase was taken back.
    public struct Revocation: Sendable, Hashable {
        /// When.
        public var date: Timestamp
        /// Why, in one word; `Refund` is the only one that our store uses.
        public var reason: String

        /// The reason of a refund.
        public static let refund = "Refund"

        /// Tells of a revocation.
        public init(date: Timestamp, reason: String = Self.refund) {
            self.date = date
            self.reason = reason
        }
    }

    /// The application's own account, as it was given at the purchase.
    public var appAccountToken: String?
    /// The application.
    public var bundleID: String
    /// ISO 4217.
    public var currency: String
    /// When a subscription ends; nil if it is none.
    public var expiresAt: Timestamp?
    /// The order.
    public var orderID: OrderID
    /// The first order of its chain; the order itself if there is none before.
    public var originalOrderID: OrderID
    /// When the first order of the chain was paid.
    public var originalPurchaseDate: Timestamp
    /// The amount paid, in the smallest unit of the currency.
    public var price: Int64
    /// The product that was bought.
    public var productID: String
    /// The second name of the product.
    public var productSlug: String?
    /// How the product is consumed.
    public var productType: ProductType
    /// When the order was paid.
    public var purchaseDate: Timestamp
    /// How many, at least one.
    public var quantity: Int
    /// Whether it was taken back.
    public var revocation: Revocation?
    /// When the store looked this up.
    public var fetchedAt: Timestamp
    /// The group of a subscription; nil if it is none.
    public var subscriptionID: String?
    /// Why money was taken.
    public var reason: Reason
    /// Where, in two letters.
    public var country: String

    /// Makes a purchase of one piece that was neither revoked nor renewed.
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

    /// Whether it gives the right to something at a moment: neither revoked nor expired by then.
    public func isEntitling(at moment: Timestamp) -> Bool {
        revocation == nil && (expiresAt.map { $0 > moment } ?? true)
    }
}

extension InAppPurchase.ProductType {
    /// The word for a kind of product.
    public init(_ kind: Product.Kind) {
        switch kind {
        case .consumable: self = .consumable
        case .nonConsumable: self = .nonConsumable
        case .autoRenewableSubscription: self = .subscription
        case .nonRenewingSubscription: self = .nonRenewingSubscription
        }
    }
}
