/// A product, as it is sold in one country at one time.
///
/// Names follow the SDK's JSON shape. A transaction keeps the product that it was enqueued with, so
/// that a later change of the price is detected before the charge.
///
/// All copies share the fields through one reference. A lookup therefore copies one word and not a
/// dozen strings.
public struct Product: Sendable, Hashable {
    /// How a product is consumed, and whether it can be restored.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Used up; can be bought repeatedly, is never restored.
        case consumable
        /// Bought once, owned forever.
        case nonConsumable
        /// Lasts for a limited time; the store does not renew it.
        case nonRenewingSubscription
        /// Renewed by the store until it is cancelled.
        case autoRenewableSubscription
    }

    @usableFromInline var storage: ProductStorage

    /// The identifier by which clients buy the product.
    @inlinable public var productIdentifier: ProductIdentifier {
        get { storage.fields.productIdentifier }
        set { edit { $0.productIdentifier = newValue } }
    }
    /// The kind of the product.
    @inlinable public var type: Kind {
        get { storage.fields.type }
        set { edit { $0.type = newValue } }
    }
    /// The name to display.
    @inlinable public var localizedTitle: String {
        get { storage.fields.localizedTitle }
        set { edit { $0.localizedTitle = newValue } }
    }
    /// The description to display.
    @inlinable public var localizedDescription: String {
        get { storage.fields.localizedDescription }
        set { edit { $0.localizedDescription = newValue } }
    }
    /// The URL of a picture; nil if there is none.
    @inlinable public var iconURL: String? {
        get { storage.fields.iconURL }
        set { edit { $0.iconURL = newValue } }
    }
    /// The one-time price, or the charge of one period.
    @inlinable public var price: Price {
        get { storage.fields.price }
        set { edit { $0.price = newValue } }
    }
    /// The period of a subscription; nil for other kinds.
    @inlinable public var subscriptionPeriod: SubscriptionPeriod? {
        get { storage.fields.subscriptionPeriod }
        set { edit { $0.subscriptionPeriod = newValue } }
    }
    /// The group of subscriptions that replace each other; nil without a group.
    @inlinable public var subscriptionGroupIdentifier: OpaqueText? {
        get { storage.fields.subscriptionGroupIdentifier }
        set { edit { $0.subscriptionGroupIdentifier = newValue } }
    }
    /// The introductory offer for new subscribers; nil if there is none.
    @inlinable public var introductoryPrice: PricePeriod? {
        get { storage.fields.introductoryPrice }
        set { edit { $0.introductoryPrice = newValue } }
    }
    /// Whether the account gets the introductory offer. Nil without such an offer or without an
    /// account.
    @inlinable public var introductoryOfferEligible: Bool? {
        get { storage.fields.introductoryOfferEligible }
        set { edit { $0.introductoryOfferEligible = newValue } }
    }
    /// A promotional offer; nil if there is none.
    @inlinable public var discountedPrice: PricePeriod? {
        get { storage.fields.discountedPrice }
        set { edit { $0.discountedPrice = newValue } }
    }

    /// Creates a product from its parts.
    public init(
        productIdentifier: ProductIdentifier, type: Kind, localizedTitle: String,
        localizedDescription: String, iconURL: String? = nil, price: Price,
        subscriptionPeriod: SubscriptionPeriod? = nil,
        subscriptionGroupIdentifier: OpaqueText? = nil, introductoryPrice: PricePeriod? = nil,
        discountedPrice: PricePeriod? = nil
    ) {
        storage = ProductStorage(
            ProductFields(
                productIdentifier: productIdentifier, type: type, localizedTitle: localizedTitle,
                localizedDescription: localizedDescription, iconURL: iconURL, price: price,
                subscriptionPeriod: subscriptionPeriod,
                subscriptionGroupIdentifier: subscriptionGroupIdentifier,
                introductoryPrice: introductoryPrice, discountedPrice: discountedPrice))
    }

    /// The price that the buyer expects: the introductory price if the account is eligible, else
    /// the price.
    public var expectedPrice: Price {
        guard introductoryOfferEligible == true else { return price }
        return introductoryPrice?.price ?? price
    }

    /// The name by which introductory offers are counted: the group, or the product without a
    /// group.
    public var offerGroup: OpaqueText { subscriptionGroupIdentifier ?? productIdentifier }

    /// The product as it is shown to an account.
    ///
    /// - Parameter introduced: The groups for which the account was charged an introductory
    ///   offer; nil while they are unknown.
    /// - Returns: The product, with ``introductoryOfferEligible`` set if both are known.
    public func shown(introduced: Set<OpaqueText>?) -> Product {
        guard introductoryPrice != nil, let introduced else { return self }
        var shown = self
        shown.introductoryOfferEligible = !introduced.contains(offerGroup)
        return shown
    }

    /// Two products are equal if all their fields are equal.
    public static func == (left: Product, right: Product) -> Bool {
        left.storage === right.storage || left.storage.fields == right.storage.fields
    }

    /// Hashes the identifier only; products with the same identifier rarely are in one set.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(productIdentifier)
    }

    /// Changes several fields with a single copy.
    @usableFromInline
    mutating func edit(_ change: (inout ProductFields) -> Void) {
        var fields = storage.fields
        change(&fields)
        storage = ProductStorage(fields)
    }
}

/// The immutable storage that all copies of a product share. A changed product has new storage.
@usableFromInline
final class ProductStorage: Sendable {
    @usableFromInline let fields: ProductFields

    init(_ fields: ProductFields) {
        self.fields = fields
    }
}

/// The fields of a ``Product``, described there.
@usableFromInline
struct ProductFields: Sendable, Hashable {
    @usableFromInline var productIdentifier: ProductIdentifier
    @usableFromInline var type: Product.Kind
    @usableFromInline var localizedTitle: String
    @usableFromInline var localizedDescription: String
    @usableFromInline var iconURL: String?
    @usableFromInline var price: Price
    @usableFromInline var subscriptionPeriod: SubscriptionPeriod?
    @usableFromInline var subscriptionGroupIdentifier: OpaqueText?
    @usableFromInline var introductoryPrice: PricePeriod?
    @usableFromInline var discountedPrice: PricePeriod?
    @usableFromInline var introductoryOfferEligible: Bool?
}

/// An amount of money in major units, kept with exactly the digits that it was written with.
public struct Price: Sendable, Hashable {
    /// The decimal text of the amount, such as `9.99`; never a binary fraction.
    public let amount: Amount
    /// The ISO 4217 code of the currency.
    public let currencyCode: String

    /// Whether the amount is zero.
    public var isZero: Bool { amount.isZero }

    /// Creates a price.
    public init(amount: Amount, currencyCode: String) {
        self.amount = amount
        self.currencyCode = currencyCode
    }
}

/// A non-negative decimal number, kept as its digits: `0`, `9.99`, `1200`.
public struct Amount: Sendable, Hashable {
    /// The digits, valid as a JSON number.
    public let text: String

    /// Reads digits with an optional fraction; nil for signs, exponents, leading zeros, more than
    /// 18 digits, or an empty side of the point.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count),
            parts.allSatisfy({ part in
                !part.isEmpty && part.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
            }),
            parts[0] == "0" || parts[0].utf8.first != 0x30,
            parts.reduce(0, { $0 + $1.utf8.count }) <= 18
        else { return nil }
        self.text = String(text)
    }

    /// Whether both amounts are the same number; trailing zeros of the fraction do not count.
    public func isSameNumber(as other: Amount) -> Bool {
        text == other.text || normalized == other.normalized
    }

    /// Whether the number is zero.
    public var isZero: Bool { !text.utf8.contains { $0 >= 0x31 && $0 <= 0x39 } }

    private var normalized: Substring {
        var digits = text[...]
        guard digits.contains(".") else { return digits }
        while digits.last == "0" { digits.removeLast() }
        if digits.last == "." { digits.removeLast() }
        return digits
    }
}

/// The length of one period of a subscription.
public struct SubscriptionPeriod: Sendable, Hashable {
    /// The unit of a period.
    public enum Unit: String, Sendable, Hashable, CaseIterable {
        /// Calendar days.
        case day
        /// Seven days.
        case week
        /// Calendar months.
        case month
        /// Calendar years.
        case year
    }

    /// The permitted number of units of a period, and of an offer in all its periods. Catalogues,
    /// the Store API and the sandbox journal use the same range.
    public static let unitsRange = 1...9999

    /// The unit.
    public var unit: Unit
    /// The number of units, within ``unitsRange``.
    public var numberOfUnits: Int

    /// Creates a period.
    public init(unit: Unit, numberOfUnits: Int) {
        self.unit = unit
        self.numberOfUnits = numberOfUnits
    }
}

/// The price and the duration of an offer. A price of zero is a free trial.
public struct PricePeriod: Sendable, Hashable {
    /// The charged amount.
    public var price: Price
    /// The duration of the offer.
    public var period: SubscriptionPeriod

    /// Creates an offer.
    public init(price: Price, period: SubscriptionPeriod) {
        self.price = price
        self.period = period
    }
}
