/// Which purchases of an account are meant.
public enum PurchaseSelection: String, Sendable, Hashable, CaseIterable {
    /// Paid, not revoked, and not completed; of a chain only the newest, whose completion
    /// completes the older ones. What reconciliation brings.
    case unfinished
    /// The restorable purchases: the latest order of each chain of a non-consumable that is not
    /// revoked, or of a subscription that is active, completed or not.
    case restorable
    /// The entitlements of the account now: as `restorable`, with what is unfinished.
    case entitlements
}

/// A page of purchases.
public struct PurchasePage: Sendable, Hashable {
    /// The purchases, oldest first.
    public var purchases: [StorePurchase]
    /// Orders that the store took back, oldest first; with `unfinished` only. The store may name an
    /// order again and again.
    public var revoked: [RevokedOrder]
    /// Orders that the store has deleted; with `unfinished` only. The store may name an order again and
    /// again.
    public var deleted: [DeletedOrder] = []
    /// Names the next page; nil on the last one.
    public var next: OpaqueText?

    /// Makes a page.
    public init(
        purchases: [StorePurchase] = [], revoked: [RevokedOrder] = [], next: OpaqueText? = nil
    ) {
        self.purchases = purchases
        self.revoked = revoked
        self.next = next
    }
}

/// An order that was paid, as the store tells it.
public struct StorePurchase: Sendable, Hashable {
    /// The order.
    public var order: OrderID
    /// The first order of its chain; the order itself if there is none before.
    public var original: OrderID
    /// The transaction that asked for it; nil for a renewal and for one made elsewhere. Transactions
    /// of other installations are named as well and are simply unknown here.
    public var transaction: TransactionID?
    /// The product that was bought, with the price that a period of it costs.
    public var product: Product
    /// Where it was charged.
    public var country: CountryCode
    /// The application's own account, as the order carries it.
    public var appAccountToken: OpaqueText?
    /// The charge of the order.
    public var charge: Charge
    /// Whether it is a renewal of a subscription.
    public var isRenewal: Bool
    /// Whether a client has confirmed the delivery.
    public var isCompleted: Bool
    /// When it was paid.
    public var purchasedAt: Timestamp
    /// When it ends, for a subscription.
    public var expiresAt: Timestamp?

    /// Makes a purchase; without a charge, of the product's price.
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

/// An order that the store took back.
public struct RevokedOrder: Sendable, Hashable {
    /// The order.
    public var order: OrderID
    /// The product of the order.
    public var product: ProductIdentifier
    /// When and why.
    public var revocation: OrderRevocation

    /// Names an order.
    public init(order: OrderID, product: ProductIdentifier, revocation: OrderRevocation) {
        self.order = order
        self.product = product
        self.revocation = revocation
    }
}

/// An order that the store has deleted.
public struct DeletedOrder: Sendable, Hashable {
    /// The order.
    public var order: OrderID
    /// The transaction that asked for it; nil for one made elsewhere.
    public var transaction: TransactionID?

    /// Names an order.
    public init(order: OrderID, transaction: TransactionID? = nil) {
        self.order = order
        self.transaction = transaction
    }
}

/// A change at the store that no call caused.
public enum StoreChange: Sendable, Hashable {
    /// Orders of an account: a renewal, a purchase elsewhere, a refund, an approval.
    case orders(AccountName)
    /// Where an account is and whether it may buy; nil accounts mean all of them.
    case account(AccountName?)
    /// The products, or their prices.
    case catalogue
    /// The store stopped answering, with the failure that showed it, or, with nil, answers again: what
    /// waits for it need not wait any longer.
    case availability(StoreFailure?)
}
