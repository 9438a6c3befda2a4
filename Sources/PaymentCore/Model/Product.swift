/// A product, as it is sold in one country at one moment.
///
/// Names follow the SDK's JSON shape. A transaction keeps the product that
/// it was enqueued with, so that no account is charged another price without a question.
///
/// The parts lie behind one reference, which all copies share: code that looks
/// a product up for a request copies one word instead of a dozen texts.
public struct Product: Sendable, Hashable {
    /// How a product is consumed and whether it can be restored.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Used up; may be bought again and again, is never restored.
        case consumable
        /// Bought once, owned for ever.
        case nonConsumable
        /// Lasts for a time, is not renewed by the store.
        case nonRenewingSubscription
        /// Renewed by the store until it is cancelled.
        case autoRenewableSubscription
    }

    @usableFromInline var storage: ProductStorage

    /// The identifier that clients buy by.
    @inlinable public var productIdentifier: ProductIdentifier {
        get { storage.fields.productIdentifier }
        set { edit { $0.productIdentifier = newValue } }
    }
    /// How it is consumed.
    @inlinable public var type: Kind {
        get { storage.fields.type }
        set { edit { $0.type = newValue } }
    }
    /// The name to show.
    @inlinable public var localizedTitle: String {
        get { storage.fields.localizedTitle }
        set { edit { $0.localizedTitle = newValue } }
    }
    /// The description to show.
    @inlinable public var localizedDescription: String {
        get { storage.fields.localizedDescription }
        set { edit { $0.localizedDescription = newValue } }
    }
    /// Where a picture is, if there is one.
    @inlinable public var iconURL: String? {
        get { storage.fields.iconURL }
        set { edit { $0.iconURL = newValue } }
    }
    /// The one-time price, or the charge of one period.
    @inlinable public var price: Price {
        get { storage.fields.price }
        set { edit { $0.price = newValue } }
    }
    /// The period of a subscription; absent for everything else.
    @inlinable public var subscriptionPeriod: SubscriptionPeriod? {
        get { storage.fields.subscriptionPeriod }
        set { edit { $0.subscriptionPeriod = newValue } }
    }
    /// The group in which subscriptions replace each other.
    @inlinable public var subscriptionGroupIdentifier: OpaqueText? {
        get { storage.fields.subscriptionGroupIdentifier }
        set { edit { $0.subscriptionGroupIdentifier = newValue } }
    }
    /// The offer for new subscribers.
    @inlinable public var introductoryPrice: PricePeriod? {
        get { storage.fields.introductoryPrice }
        set { edit { $0.introductoryPrice = newValue } }
    }
    /// Whether the account that is shown the product gets the introductory offer; nil where there is no
    /// such offer or no account.
    @inlinable public var introductoryOfferEligible: Bool? {
        get { storage.fields.introductoryOfferEligible }
        set { edit { $0.introductoryOfferEligible = newValue } }
    }
    /// A promotional offer.
    @inlinable public var discountedPrice: PricePeriod? {
        get { storage.fields.discountedPrice }
        set { edit { $0.discountedPrice = newValue } }
    }

    /// Makes a product from its parts.
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

    /// The price that the buyer expects to be charged: the introductory price where it is
    /// said to hold, else the price.
    public var expectedPrice: Price {
        guard introductoryOfferEligible == true else { return price }
        return introductoryPrice?.price ?? price
    }

    /// The name that introductory offers are counted by: the group, or the product where it has none.
    public var offerGroup: OpaqueText { subscriptionGroupIdentifier ?? productIdentifier }

    /// The product as an account is shown it.
    ///
    /// - Parameter introduced: The groups that the account was charged an introductory offer of; nil
    ///   while that is not known.
    /// - Returns: The product, saying whether the account gets its introductory offer.
    public func shown(introduced: Set<OpaqueText>?) -> Product {
        guard introductoryPrice != nil, let introduced else { return self }
        var shown = self
        shown.introductoryOfferEligible = !introduced.contains(offerGroup)
        return shown
    }

    /// Two products are equal if all their parts are.
    public static func == (left: Product, right: Product) -> Bool {
        left.storage === right.storage || left.storage.fields == right.storage.fields
    }

    /// Hashes the identifier; two products that share it are rarely in one set.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(productIdentifier)
    }

    /// Changes several parts for the price of one copy.
    @usableFromInline
    mutating func edit(_ change: (inout ProductFields) -> Void) {
        var fields = storage.fields
        change(&fields)
        storage = ProductStorage(fields)
    }
}

/// The part that all copies of one product share. It never changes; a changed product has another.
@usableFromInline
final class ProductStorage: Sendable {
    @usableFromInline let fields: ProductFields

    init(_ fields: ProductFields) {
        self.fields = fields
    }
}

/// The parts of a ``Product``, described there.
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

/// An amount of money in major units, kept digit by digit as it was written.
public struct Price: Sendable, Hashable {
    /// The decimal text of the amount, such as `9.99`. Never a binary fraction.
    public let amount: Amount
    /// ISO 4217.
    public let currencyCode: String

    /// Whether it is nothing.
    public var isZero: Bool { amount.isZero }

    /// Makes a price.
    public init(amount: Amount, currencyCode: String) {
        self.amount = amount
        self.currencyCode = currencyCode
    }
}

/// A decimal number that is not negative, kept as its digits: `0`, `9.99`, `1200`.
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

    /// Whether both are the same number, however many zeros their fractions end in.
    public func isSameNumber(as other: Amount) -> Bool {
        normalized == other.normalized
    }

    /// Whether it is nothing.
    public var isZero: Bool { !text.utf8.contains { $0 >= 0x31 && $0 <= 0x39 } }

    private var normalized: Substring {
        var digits = text[...]
        guard digits.contains(".") else { return digits }
        while digits.last == "0" { digits.removeLast() }
        if digits.last == "." { digits.removeLast() }
        return digits
    }
}

/// How long one period of a subscription lasts.
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

    /// How many units a period may have, and an offer in all its periods. Catalogues, the Store API and
    /// the journal of the sandbox keep to it alike.
    public static let unitsRange = 1...9999

    /// The unit.
    public var unit: Unit
    /// How many of them, within ``unitsRange``.
    public var numberOfUnits: Int

    /// Makes a period.
    public init(unit: Unit, numberOfUnits: Int) {
        self.unit = unit
        self.numberOfUnits = numberOfUnits
    }
}

/// The price of an offer and how long it holds. A price of zero is a free trial.
public struct PricePeriod: Sendable, Hashable {
    /// The amount that is charged.
    public var price: Price
    /// For how long.
    public var period: SubscriptionPeriod

    /// Makes an offer.
    public init(price: Price, period: SubscriptionPeriod) {
        self.price = price
        self.period = period
    }
}
