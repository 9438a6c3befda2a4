/// What can be bought, as it is sold in one country at one moment.
///
/// Names follow the SDK's JSON shape (PROTOCOL.md section 3). A transaction keeps the product that
/// it was enqueued with, so that nobody is charged another price without being asked.
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

    /// The identifier that clients buy by.
    public var productIdentifier: ProductIdentifier
    /// How it is consumed.
    public var type: Kind
    /// The name to show.
    public var localizedTitle: String
    /// The description to show.
    public var localizedDescription: String
    /// Where a picture is, if there is one.
    public var iconURL: String?
    /// The one-time price, or the charge of one period.
    public var price: Price
    /// The period of a subscription; absent for everything else.
    public var subscriptionPeriod: SubscriptionPeriod?
    /// The group in which subscriptions replace each other.
    public var subscriptionGroupIdentifier: OpaqueText?
    /// The offer for new subscribers.
    public var introductoryPrice: PricePeriod?
    /// A promotional offer.
    public var discountedPrice: PricePeriod?

    /// Makes a product from its parts.
    public init(
        productIdentifier: ProductIdentifier, type: Kind, localizedTitle: String,
        localizedDescription: String, iconURL: String? = nil, price: Price,
        subscriptionPeriod: SubscriptionPeriod? = nil,
        subscriptionGroupIdentifier: OpaqueText? = nil, introductoryPrice: PricePeriod? = nil,
        discountedPrice: PricePeriod? = nil
    ) {
        self.productIdentifier = productIdentifier
        self.type = type
        self.localizedTitle = localizedTitle
        self.localizedDescription = localizedDescription
        self.iconURL = iconURL
        self.price = price
        self.subscriptionPeriod = subscriptionPeriod
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.introductoryPrice = introductoryPrice
        self.discountedPrice = discountedPrice
    }
}

/// An amount of money in major units, kept digit by digit as it was written.
public struct Price: Sendable, Hashable {
    /// The decimal text of the amount, such as `9.99`. Never a binary fraction.
    public let amount: Amount
    /// ISO 4217.
    public let currencyCode: String

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

    /// The unit.
    public var unit: Unit
    /// How many of them, at least one.
    public var numberOfUnits: Int

    /// Makes a period.
    public init(unit: Unit, numberOfUnits: Int) {
        self.unit = unit
        self.numberOfUnits = numberOfUnits
    }
}

/// The price of an offer and how long it holds. A price of zero is a free trial.
public struct PricePeriod: Sendable, Hashable {
    /// What is charged.
    public var price: Price
    /// For how long.
    public var period: SubscriptionPeriod

    /// Makes an offer.
    public init(price: Price, period: SubscriptionPeriod) {
        self.price = price
        self.period = period
    }
}
