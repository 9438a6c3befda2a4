public import PaymentCore

/// The price of something, country by country. No price in a country means: not sold there.
public enum CataloguePrices: Sendable, Hashable {
    /// A price of its own in each country that is listed.
    case byCountry([CountryCode: Price])
    /// The same number everywhere, in the currency of the country and rounded half up to its digits:
    /// Apple's files name no currency.
    case everywhere(Amount)

    /// The price in a country, if it is sold there.
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
    /// How an offer is charged.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// Nothing, once for all its periods.
        case freeTrial
        /// The price once, for all its periods.
        case payUpFront
        /// The price for each of its periods.
        case payAsYouGo
    }

    /// How many periods an offer may have.
    public static let periodsRange = 1...999

    /// How it is charged.
    public var mode: Mode
    /// The price; in a country without one there is no offer.
    public var prices: CataloguePrices
    /// How long one of its periods is.
    public var period: SubscriptionPeriod
    /// How many periods it has.
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

    /// How long it holds in all.
    public var wholePeriod: SubscriptionPeriod { period.times(periods) }

    /// The offer as it stands in one country.
    public func offer(in country: CountryCode) -> PricePeriod? {
        prices.price(in: country).map { price in
            // A free trial may be written without the digits of the currency.
            let written = price.isZero ? Price.zero(currencyCode: price.currencyCode) : price
            return PricePeriod(price: written, period: wholePeriod)
        }
    }
}
