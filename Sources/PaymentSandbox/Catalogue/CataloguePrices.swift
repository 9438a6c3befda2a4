public import PaymentCore

/// The prices of a product or offer by country. It is not sold in a country without a price.
public enum CataloguePrices: Sendable, Hashable {
    /// A separate price for each listed country.
    case byCountry([CountryCode: Price])
    /// The same number everywhere, in the currency of the country and rounded half up to its
    /// digits. Apple's files do not name a currency.
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
    /// The charging mode of an offer.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// Free for all its periods.
        case freeTrial
        /// One charge for all its periods.
        case payUpFront
        /// One charge for each of its periods.
        case payAsYouGo
    }

    /// The permitted number of periods of an offer.
    public static let periodsRange = 1...999

    /// The charging mode.
    public var mode: Mode
    /// The price by country; a country without a price does not have the offer.
    public var prices: CataloguePrices
    /// The length of one of its periods.
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

    /// The total length of the offer.
    public var wholePeriod: SubscriptionPeriod { period.times(periods) }

    /// The offer in one country; nil if it does not exist there.
    public func offer(in country: CountryCode) -> PricePeriod? {
        prices.price(in: country).map { price in
            // Catalogues may write a free trial without the digits of the currency.
            let written = price.isZero ? Price.zero(currencyCode: price.currencyCode) : price
            return PricePeriod(price: written, period: wholePeriod)
        }
    }
}
