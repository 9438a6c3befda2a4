import PaymentCore
import PaymentSandbox
import PaymentTesting

/// An amount of money as a whole number of the smallest units.
struct Money: Hashable {
    var units: Int64
    var currency: String

    /// The amount as it is to be written, with all digits of its currency.
    var price: Price {
        let digits = currency == "JPY" ? 0 : 2
        var text = String(units)
        if digits > 0 {
            text = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
            text.insert(".", at: text.index(text.endIndex, offsetBy: -digits))
        }
        guard let amount = Amount(text) else { preconditionFailure("\(text) is no amount") }
        return Price(amount: amount, currencyCode: currency)
    }
}

/// What is sold where and for how much, in plain numbers. The catalogue of the store is made of it, and
/// what everything should cost is read from it.
struct Market {
    /// How the first periods of a subscription are charged.
    struct Offer {
        let mode: CatalogueOffer.Mode
        let period: SubscriptionPeriod
        let periods: Int
        /// What is charged at a time, by country; nowhere else there is the offer.
        let units: [CountryCode: Int64]
    }

    /// Something that is sold.
    struct Good {
        let identifier: ProductIdentifier
        let type: Product.Kind
        var group: OpaqueText?
        var level = 1
        var period: SubscriptionPeriod?
        var offer: Offer?

        /// What its introductory offers are counted by.
        var key: OpaqueText { group ?? identifier }
    }

    static let japan = Samples.country("JP")
    static let countries = [Samples.germany, Samples.france, japan]
    static let gold: ProductIdentifier = "gold"
    static let silver: ProductIdentifier = "silver"
    static let annual: ProductIdentifier = "annual"
    static let bronze: ProductIdentifier = "bronze"

    static let goods: [Good] = {
        let week = SubscriptionPeriod(unit: .week, numberOfUnits: 1)
        let month = SubscriptionPeriod(unit: .month, numberOfUnits: 1)
        let year = SubscriptionPeriod(unit: .year, numberOfUnits: 1)
        let group: OpaqueText = "metals"
        return [
            Good(identifier: Samples.coins, type: .consumable),
            Good(identifier: Samples.book, type: .nonConsumable),
            Good(identifier: Samples.pass, type: .nonRenewingSubscription, period: month),
            Good(
                identifier: Samples.club, type: .autoRenewableSubscription, period: month,
                offer: Offer(
                    mode: .payUpFront, period: month, periods: 2,
                    units: [Samples.germany: 499, Samples.france: 399, japan: 600])),
            Good(
                identifier: gold, type: .autoRenewableSubscription, group: group, period: month,
                offer: Offer(
                    mode: .payAsYouGo, period: month, periods: 3,
                    units: [Samples.germany: 199, Samples.france: 149])),
            Good(
                identifier: silver, type: .autoRenewableSubscription, group: group, level: 2,
                period: month,
                offer: Offer(
                    mode: .freeTrial, period: week, periods: 2,
                    units: [Samples.germany: 0, Samples.france: 0, japan: 0])),
            Good(
                identifier: annual, type: .autoRenewableSubscription, group: group, level: 2,
                period: year),
            Good(
                identifier: bronze, type: .autoRenewableSubscription, group: group, level: 3,
                period: week),
        ]
    }()

    static func good(_ identifier: ProductIdentifier) -> Good? {
        goods.first { $0.identifier == identifier }
    }

    static func currency(of country: CountryCode) -> String { country == japan ? "JPY" : "EUR" }

    /// The price of the first good in each country; each further one costs more. Japan has no book.
    var basePrices: [CountryCode: Int64] = [
        Samples.germany: 999, Samples.france: 849, japan: 1190,
    ]
    /// Where accounts are, and which of them may not buy.
    var countries: [AccountName: CountryCode] = [
        Samples.anna: Samples.germany, Samples.bert: Samples.france,
    ]
    var barred: Set<AccountName> = []

    /// What something costs, per period where it has one; nil where it is not sold.
    func price(of identifier: ProductIdentifier, in country: CountryCode) -> Money? {
        guard let place = Self.goods.firstIndex(where: { $0.identifier == identifier }),
            let base = basePrices[country],
            identifier != Samples.book || country != Self.japan
        else { return nil }
        return Money(units: base + Int64(place) * 70, currency: Self.currency(of: country))
    }

    /// What the introductory offer costs each time it is charged; nil where there is none.
    func offer(of good: Good, in country: CountryCode) -> Money? {
        good.offer?.units[country].map {
            Money(units: $0, currency: Self.currency(of: country))
        }
    }

    /// The same as the store reads it.
    var catalogue: StoreCatalogue {
        let accounts = [Samples.anna, Samples.bert].map { name in
            SandboxAccount(
                name: name, country: countries[name] ?? Samples.germany,
                paymentsAllowed: !barred.contains(name))
        }
        let products = Self.goods.map { good in
            var product = CatalogueProduct(
                productIdentifier: good.identifier, type: good.type, texts: [],
                prices: .byCountry(prices { price(of: good.identifier, in: $0) }))
            product.subscriptionPeriod = good.period
            if good.type == .autoRenewableSubscription {
                product.subscriptionGroupIdentifier = good.group
                product.subscriptionLevel = good.level
            }
            product.introductoryOffer = good.offer.map { offer in
                CatalogueOffer(
                    mode: offer.mode, prices: .byCountry(prices { self.offer(of: good, in: $0) }),
                    period: offer.period, periods: offer.periods)
            }
            return product
        }
        return StoreCatalogue(
            defaultCountry: Samples.germany, accounts: .listed(accounts), products: products)
    }

    private func prices(_ money: (CountryCode) -> Money?) -> [CountryCode: Price] {
        var prices: [CountryCode: Price] = [:]
        for country in Self.countries { prices[country] = money(country)?.price }
        return prices
    }
}

extension Money {
    /// A price with all digits of its currency.
    init?(_ price: Price) {
        guard let units = Int64(price.amount.text.filter { $0 != "." }) else { return nil }
        self.init(units: units, currency: price.currencyCode)
    }
}
