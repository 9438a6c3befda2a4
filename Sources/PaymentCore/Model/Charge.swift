/// The reason why an order was charged a different amount than the price of its product.
public enum PurchaseOffer: String, Sendable, Hashable, CaseIterable {
    /// The introductory offer was charged, for the first period or one of the first periods.
    case introductory
    /// The account already owned the product. The purchase names the existing order, and nothing
    /// was charged.
    case alreadyOwned
    /// A subscription changes to the product later and is charged at that time.
    case scheduled
}

/// The refund of a paid order, or its cancellation, by the store.
public struct OrderRevocation: Sendable, Hashable {
    /// The reason of a refund.
    public static let refund = "refund"
    /// The reason of a scheduled change of subscription that was dropped before it took effect.
    public static let replaced = "replaced"

    /// The time of the revocation by the clock of the store.
    public var at: Timestamp
    /// The reason as the store names it, such as `refund`.
    public var reason: String

    /// Creates a revocation.
    public init(at: Timestamp, reason: String = OrderRevocation.refund) {
        self.at = at
        self.reason = reason
    }
}

/// The charge of an order. The transaction, the list of orders, the history and the entitlements
/// show the same charge.
public struct Charge: Sendable, Hashable {
    /// The charged amount, with the digits of its currency. A refund does not change it.
    public var price: Price
    /// The reason why the amount differs from the price of the product; nil when they are equal.
    public var offer: PurchaseOffer?
    /// The time when the subscription changes to the product; only for ``PurchaseOffer/scheduled``.
    public var effectiveAt: Timestamp?
    /// The time and reason of the revocation; nil for an order that was not revoked.
    public var revocation: OrderRevocation?

    /// Creates a charge.
    public init(
        price: Price, offer: PurchaseOffer? = nil, effectiveAt: Timestamp? = nil,
        revocation: OrderRevocation? = nil
    ) {
        self.price = price
        self.offer = offer
        self.effectiveAt = effectiveAt
        self.revocation = revocation
    }
}

/// A paid order, as the store reports it to the transaction that requested it.
public struct PaidOrder: Sendable, Hashable {
    /// The order.
    public var order: OrderID
    /// The first order of its chain; the order itself if it is the first.
    public var original: OrderID
    /// The application account token that the order carries.
    public var appAccountToken: OpaqueText?
    /// The charge of the order.
    public var charge: Charge

    /// Creates a paid order.
    public init(
        order: OrderID, original: OrderID, appAccountToken: OpaqueText? = nil, charge: Charge
    ) {
        self.order = order
        self.original = original
        self.appAccountToken = appAccountToken
        self.charge = charge
    }
}
