/// A selection of an account's purchases.
public enum PurchaseSelection: String, Sendable, Hashable, CaseIterable {
    /// Paid, not revoked, and not completed: the purchases that a reconciliation imports. Of a
    /// chain only the newest, whose completion completes the older ones.
    case unfinished
    /// The restorable purchases: the latest order of each chain, completed or not. The chain is a
    /// non-consumable that is not revoked, or an active subscription.
    case restorable
    /// The current entitlements of the account: `restorable` and `unfinished` together.
    case entitlements
}

/// A page of purchases.
public struct PurchasePage: Sendable, Hashable {
    /// The purchases, oldest first.
    public var purchases: [StorePurchase]
    /// Revoked orders, oldest first; with `unfinished` only. The store may repeat an order.
    public var revoked: [RevokedOrder]
    /// Orders that the store has deleted; with `unfinished` only. The store may repeat an order.
    public var deleted: [DeletedOrder] = []
    /// The token of the next page; nil on the last page.
    public var next: OpaqueText?

    /// Creates a page.
    public init(
        purchases: [StorePurchase] = [], revoked: [RevokedOrder] = [], next: OpaqueText? = nil
    ) {
        self.purchases = purchases
        self.revoked = revoked
        self.next = next
    }
}

/// A paid order, as the store reports it.
public struct StorePurchase: Sendable, Hashable {
    /// The order.
    public var order: OrderID
    /// The first order of its chain; the order itself if it is the first.
    public var original: OrderID
    /// The transaction that requested it; nil for a renewal and for a purchase without a
    /// transaction. It may be a transaction of another installation, which is unknown here.
    public var transaction: TransactionID?
    /// The bought product, with the price of one period.
    public var product: Product
    /// The country of the charge.
    public var country: CountryCode
    /// The application account token of the order.
    public var appAccountToken: OpaqueText?
    /// The charge of the order.
    public var charge: Charge
    /// Whether it is a renewal of a subscription.
    public var isRenewal: Bool
    /// Whether a client has confirmed the delivery.
    public var isCompleted: Bool
    /// The time of the payment.
    public var purchasedAt: Timestamp
    /// The end of a subscription's period; nil for other products.
    public var expiresAt: Timestamp?

    /// Creates a purchase. Without a charge it has the product's price.
    public init(
        order: OrderID, original: OrderID, transaction: TransactionID? = nil, product: Product,
        country: CountryCode, appAccountToken: OpaqueText? = nil, charge: Charge? = nil,
        isRenewal: Bool = false,
        isCompleted: Bool = false, purchasedAt: Timestamp, expiresAt: Timestamp? = nil
    ) {
        self.order = order
        self.original = original
        self.transaction = transaction
        self.product = product
        self.country = country
        self.appAccountToken = appAccountToken
        self.charge = charge ?? Charge(price: product.price)
        self.isRenewal = isRenewal
        self.isCompleted = isCompleted
        self.purchasedAt = purchasedAt
        self.expiresAt = expiresAt
    }
}

/// An order that the store revoked.
public struct RevokedOrder: Sendable, Hashable {
    /// The order.
    public var order: OrderID
    /// The product of the order.
    public var product: ProductIdentifier
    /// The time and reason of the revocation.
    public var revocation: OrderRevocation
    /// Whether the account loses no product: another order gives it, or the order was a scheduled change.
    public var keepsProduct: Bool

    /// Creates a revoked order.
    public init(
        order: OrderID, product: ProductIdentifier, revocation: OrderRevocation,
        keepsProduct: Bool = false
    ) {
        self.order = order
        self.product = product
        self.revocation = revocation
        self.keepsProduct = keepsProduct
    }
}

/// An order that the store has deleted.
public struct DeletedOrder: Sendable, Hashable {
    /// The order.
    public var order: OrderID
    /// The transaction that requested it; nil for a purchase without a transaction.
    public var transaction: TransactionID?

    /// Creates a deleted order.
    public init(order: OrderID, transaction: TransactionID? = nil) {
        self.order = order
        self.transaction = transaction
    }
}

/// A change at the store that no call caused.
public enum StoreChange: Sendable, Hashable {
    /// Orders of an account: a renewal, a purchase elsewhere, a refund, an approval.
    case orders(AccountName)
    /// The country of an account, or whether it may buy; nil means all accounts.
    case account(AccountName?)
    /// The products or their prices.
    case catalogue
    /// The store went down, with the failure that showed it, or, with nil, is available again.
    /// Requests that wait for it can then be sent.
    case availability(StoreFailure?)
}
