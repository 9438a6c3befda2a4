public import Logging
public import PaymentCore
public import PaymentEngine

/// Values that tests share, so that a test shows only what it is about.
public enum Samples {
    /// A country where everything below is sold.
    public static let germany = country("DE")
    /// Another one, at other prices.
    public static let france = country("FR")
    /// A third one, where the book is not sold.
    public static let norway = country("NO")
    /// An account in Germany.
    public static let anna: AccountName = "anna"
    /// Another one, in France.
    public static let bert: AccountName = "bert"
    /// A product that is used up.
    public static let coins: ProductIdentifier = "coins"
    /// A product that is owned for ever.
    public static let book: ProductIdentifier = "book"
    /// A subscription that ends.
    public static let pass: ProductIdentifier = "pass"
    /// A subscription that is renewed.
    public static let club: ProductIdentifier = "club"
    /// 2026-11-21T07:20:00.000Z.
    public static let noon = Timestamp(milliseconds: 1_795_245_600_000)
    /// Somebody's call.
    public static let origin = Origin(uid: 1000, connection: 7, request: 1)
    /// A log that nobody reads.
    public static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// A country; traps for what is none, because a test that misspells one proves nothing.
    public static func country(_ code: String) -> CountryCode {
        guard let country = CountryCode(code) else { preconditionFailure("\(code) is no country") }
        return country
    }

    /// The transaction of a number.
    public static func transaction(_ number: UInt64) -> TransactionID {
        TransactionID(UniqueID(randomHigh: 0x7A, randomLow: number))
    }

    /// The order of a number.
    public static func order(_ number: UInt64) -> OrderID {
        OrderID(UniqueID(randomHigh: 0x0A, randomLow: number))
    }

    /// A product of a kind at a price.
    public static func product(
        _ identifier: ProductIdentifier, _ type: Product.Kind, _ amount: String = "9.99",
        _ currency: String = "EUR"
    ) -> Product {
        guard let amount = Amount(amount) else { preconditionFailure("\(amount) is no amount") }
        return Product(
            productIdentifier: identifier, type: type, localizedTitle: identifier.string,
            localizedDescription: "A sample", price: Price(amount: amount, currencyCode: currency))
    }

    /// What is sold in a country. Prices differ between countries; Norway lacks the book.
    public static func catalogue(of country: CountryCode, amount: String? = nil) -> Catalogue {
        let amount = amount ?? (country == germany ? "9.99" : country == france ? "8.49" : "119")
        let products = [
            product(coins, .consumable, amount), product(book, .nonConsumable, amount),
            product(pass, .nonRenewingSubscription, amount),
            product(club, .autoRenewableSubscription, amount),
        ]
        return Catalogue(
            country: country,
            products: country == norway
                ? products.filter { $0.productIdentifier != book } : products)
    }

    /// What an engine is given instead of a clock and chance: time that grows by a millisecond with
    /// each look, and numbers drawn from a seed.
    public static func sources(seed: UInt64) -> EngineSources {
        let chance = SeededChance(seed: seed)
        return EngineSources(
            wallClock: { chance.tick() }, randomBits: { (chance.next(), chance.next()) })
    }
}

extension SeededGenerator {
    /// A number from 0 up to but not including a bound.
    public mutating func below(_ bound: Int) -> Int {
        precondition(bound > 0, "there is no number below \(bound)")
        return Int(next() % UInt64(bound))
    }

    /// Whether something that happens so often in a hundred times happens now.
    public mutating func chance(_ percent: Int) -> Bool {
        below(100) < percent
    }

    /// One of several things; nil of none.
    public mutating func pick<Thing>(_ things: [Thing]) -> Thing? {
        things.isEmpty ? nil : things[below(things.count)]
    }
}

/// Chance and a clock that closures share.
///
/// Proof: a test makes it and everything that holds it, and uses all of it on its own thread.
public final class SeededChance: @unchecked Sendable {
    private var generator: SeededGenerator
    private var time = Samples.noon

    /// Starts a sequence.
    public init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// The next 64 bits.
    public func next() -> UInt64 {
        generator.next()
    }

    /// The time, a millisecond later than before.
    public func tick() -> Timestamp {
        time.milliseconds += 1
        return time
    }
}

extension Samples {
    /// A price of which the amount does not matter.
    public static let price = product(coins, .consumable, "9.99").price
}

extension Samples {
    /// A refund of which the moment does not matter.
    public static let refund = OrderRevocation(at: noon)
}
