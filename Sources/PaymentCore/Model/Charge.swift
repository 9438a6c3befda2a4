/// Why an order was charged another amount than the price of its product.
public enum PurchaseOffer: String, Sendable, Hashable, CaseIterable {
    /// The introductory offer was charged, for the first period or for one of the first.
    case introductory
    /// The account had it already: the purchase names the order that is there, and nothing was
    /// charged.
    case alreadyOwned
    /// A subscription changes to the product later, and is charged then.
    case scheduled
}

/// An order that the store took back after it was paid.
public struct OrderRevocation: Sendable, Hashable {
    /// The reason of a refund.
    public static let refund = "refund"
    /// The reason of a change of subscription that was dropped before it took effect.
    public static let replaced = "replaced"

    /// The moment, by the clock of the store.
    public var at: Timestamp
    /// The store's word for the reason, such as `refund`.
    public var reason: String

    /// Makes a revocation.
    public init(at: Timestamp, reason: String = OrderRevocation.refund) {
        self.at = at
        self.reason = reason
    }
}

/// The money that the store took for an order. Every view of the order says the same: the transaction,
/// the list of orders, the history, the entitlements.
public struct Charge: Sendable, Hashable {
    /// The amount that was taken, with the digits of its currency; a refund does not change it.
    public var price: Price
    /// Why it is not the price of the product; nil where it is.
    public var offer: PurchaseOffer?
    /// When the subscription changes to the product; only for ``PurchaseOffer/scheduled``.
    public var effectiveAt: Timestamp?
    /// When and why the store took the order back, if it did.
    public var revocation: OrderRevocation?

    /// Makes a charge.
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

/// An order that was paid, as the store tells it to the transaction that asked for it.
public struct PaidOrder: Sendable, Hashable {
    /// The order.
    public var order: OrderID
    /// The first order of its chain; the order itself if there is none before.
    public var original: OrderID
    /// The token that the order carries.
    public var appAccountToken: OpaqueText?
    /// The charge of the order.
    public var charge: Charge

    /// Makes an answer.
    public init(
        order: OrderID, original: OrderID, appAccountToken: OpaqueText? = nil, charge: Charge
    ) {
        self.order = order
        self.original = original
        self.appAccountToken = appAccountToken
        self.charge = charge
    }
}
