public import PaymentCore
public import SandboxControl

/// Everything that a sandbox is configured with: products, accounts and first settings.
public struct StoreCatalogue: Sendable, Hashable {
    /// The accounts that may log in.
    public enum Accounts: Sendable, Hashable {
        /// These and no others.
        case listed([SandboxAccount])
        /// Every name that is not empty or too long, with any credential, in one country.
        case anyName(country: CountryCode)
    }

    /// The country that prices are shown in when no account is logged in.
    public var defaultCountry: CountryCode
    /// The accounts that may log in.
    public var accounts: Accounts
    /// The products, in the order that lists show.
    public var products: [CatalogueProduct] {
        didSet { places = Self.places(of: products) }
    }
    /// The test settings that hold until a client changes them.
    public var initialSettings: StoreTestSettings
    /// Which texts of the products are shown, such as `en_US`.
    public var locale: String
    /// The application that everything is sold in, as signed histories name it.
    public var bundleID = StoreCatalogue.exampleBundleID

    /// The application where none is named.
    public static let exampleBundleID = "com.example.app"

    private var places: [ProductIdentifier: Int]

    /// Creates a catalogue.
    public init(
        defaultCountry: CountryCode, accounts: Accounts, products: [CatalogueProduct],
        initialSettings: StoreTestSettings = StoreTestSettings(), locale: String = "en_US"
    ) {
        self.defaultCountry = defaultCountry
        self.accounts = accounts
        self.products = products
        self.initialSettings = initialSettings
        self.locale = locale
        places = Self.places(of: products)
    }

    /// Whether an account in it has a credential, which makes the file that it came from a secret.
    public var hasCredentials: Bool {
        switch accounts {
        case .listed(let listed): listed.contains { $0.credential != nil }
        case .anyName: false
        }
    }

    /// A product as it is sold in a country, described in a locale, or in the catalogue's own; nil if
    /// it is not sold there.
    public func product(
        _ identifier: ProductIdentifier, in country: CountryCode, locale: String? = nil
    ) -> Product? {
        product(identifier)?.product(in: country, locale: locale ?? self.locale)
    }

    /// The products sold in a country, in the catalogue's order, described in a locale, or in the
    /// catalogue's own.
    public func catalogue(of country: CountryCode, locale: String? = nil) -> Catalogue {
        Catalogue(
            country: country,
            products: products.compactMap {
                $0.product(in: country, locale: locale ?? self.locale)
            })
    }

    /// A product as it stands in the catalogue, sold or not.
    public func product(_ identifier: ProductIdentifier) -> CatalogueProduct? {
        places[identifier].map { products[$0] }
    }

    /// Whether a subscription of a group takes the place of another at once: it has a higher level
    /// (a lower number), or the same with the same period. What has no number comes after what has,
    /// in the order of the catalogue. Otherwise it waits for the next renewal.
    func replacesAtOnce(_ new: ProductIdentifier, _ old: ProductIdentifier) -> Bool {
        guard let newPlace = places[new], let oldPlace = places[old] else { return true }
        let newRank = rank(of: newPlace)
        let oldRank = rank(of: oldPlace)
        if newRank == oldRank {
            return products[newPlace].subscriptionPeriod == products[oldPlace].subscriptionPeriod
        }
        return newRank < oldRank
    }

    private func rank(of place: Int) -> (level: Int, place: Int) {
        products[place].subscriptionLevel.map { ($0, 0) } ?? (.max, place)
    }

    /// The account of that name; nil if there is none.
    public func account(_ name: AccountName) -> SandboxAccount? {
        switch accounts {
        case .listed(let listed): listed.first { $0.name == name }
        case .anyName(let country):
            (1...RecordBounds.identifierBytes).contains(name.byteCount)
                ? SandboxAccount(name: name, country: country) : nil
        }
    }

    /// Adds an account in the default country, without a credential, unless the name is taken.
    ///
    /// A demonstration logs in as `demo` whatever catalogue it was given.
    public mutating func ensureAccount(_ name: AccountName) {
        guard account(name) == nil, case .listed(let listed) = accounts else { return }
        accounts = .listed(listed + [SandboxAccount(name: name, country: defaultCountry)])
    }

    private static func places(of products: [CatalogueProduct]) -> [ProductIdentifier: Int] {
        Dictionary(
            products.enumerated().map { ($1.productIdentifier, $0) },
            uniquingKeysWith: { first, _ in first })
    }
}
