public import PaymentCore

/// A product of the catalogue, for all countries and languages.
public struct CatalogueProduct: Sendable, Hashable {
    /// The identifier by which clients buy the product.
    public var productIdentifier: ProductIdentifier
    /// A second name that signed histories show next to the identifier; nil for none.
    public var slug: String?
    /// The type of the product.
    public var type: Product.Kind
    /// Names and descriptions, the most general first.
    public var texts: [ProductText]
    /// The URL of a picture.
    public var iconURL: String?
    /// The period of a subscription; nil without a period.
    public var subscriptionPeriod: SubscriptionPeriod?
    /// The group in which subscriptions replace each other.
    public var subscriptionGroupIdentifier: OpaqueText?
    /// The level within the group; a lower number is a higher level. Nil ranks the product after
    /// all levels, in the order of the catalogue. A change to a higher level takes effect at once,
    /// a change to a lower level at the next renewal.
    public var subscriptionLevel: Int?
    /// The price by country.
    public var prices: CataloguePrices
    /// The offer for new subscribers.
    public var introductoryOffer: CatalogueOffer?
    /// The first promotional offer.
    public var promotionalOffer: CatalogueOffer?

    /// Creates a product with the required properties.
    public init(
        productIdentifier: ProductIdentifier, type: Product.Kind, texts: [ProductText],
        prices: CataloguePrices
    ) {
        self.productIdentifier = productIdentifier
        self.type = type
        self.texts = texts
        self.prices = prices
    }

    /// The product as it is sold in one country, with texts for one locale; nil if it is not sold
    /// there.
    public func product(in country: CountryCode, locale: String) -> Product? {
        guard let price = prices.price(in: country) else { return nil }
        let text = texts.choice(for: locale)
        return Product(
            productIdentifier: productIdentifier, type: type,
            localizedTitle: text?.title ?? productIdentifier.string,
            localizedDescription: text?.description ?? "", iconURL: iconURL, price: price,
            subscriptionPeriod: subscriptionPeriod,
            subscriptionGroupIdentifier: subscriptionGroupIdentifier,
            introductoryPrice: introductoryOffer?.offer(in: country),
            discountedPrice: promotionalOffer?.offer(in: country))
    }
}
