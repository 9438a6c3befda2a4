public import PaymentCore

/// The prices of a product or an offer by country. It is not sold in a country without a price.
public enum CataloguePrices: Sendable, Hashable {
    /// A separate price for each listed country.
    case byCountry([CountryCode: Price])
    /// The same number in all countries, because Apple's files name no currency. The price is in
    /// the currency of the country, rounded half up to its digits.
    case everywhere(Amount)

    /// The price in a country; nil if it is not sold there.
    public func price(in country: CountryCode) -> Price? {
        switch self {
        case .byCountry(let prices): prices[country]
        case .everywhere(let amount):
            Countries.currency(of: country).map {
                Price(amount: amount, currencyCode: $0).roundedToCurrency
            }
        }
    }
}

/// An introductory or promotional offer of a product.
public struct CatalogueOffer: Sendable, Hashable {
    /// The way in which an offer is charged.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// Free for all its periods.
        case freeTrial
        /// The price is charged once, for all its periods.
        case payUpFront
        /// The price is charged for each period.
        case payAsYouGo
    }

    /// The permitted number of periods of an offer.
    public static let periodsRange = 1...999

    /// The way in which the offer is charged.
    public var mode: Mode
    /// The prices by country. The offer does not exist in a country without a price.
    public var prices: CataloguePrices
    /// The duration of one period.
    public var period: SubscriptionPeriod
    /// The number of periods.
    public var periods: Int

    /// Creates an offer.
    public init(
        mode: Mode, prices: CataloguePrices, period: SubscriptionPeriod, periods: Int = 1
    ) {
        self.mode = mode
        self.prices = prices
        self.period = period
        self.periods = periods
    }

    /// The duration of all periods together.
    public var wholePeriod: SubscriptionPeriod { period.times(periods) }

    /// The offer in one country; nil if the country has no price for it.
    public func offer(in country: CountryCode) -> PricePeriod? {
        prices.price(in: country).map { PricePeriod(price: $0, period: wholePeriod) }
    }
}
