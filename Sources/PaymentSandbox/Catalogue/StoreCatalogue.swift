public import PaymentCore
public import SandboxControl

/// The configuration of a sandbox: products, accounts and initial settings.
public struct StoreCatalogue: Sendable, Hashable {
    /// The accounts that may log in.
    public enum Accounts: Sendable, Hashable {
        /// The accounts of a list.
        case listed([SandboxAccount])
        /// All valid names, with any credential, in one country.
        case anyName(country: CountryCode)
    }

    /// The country of the displayed prices while no account is logged in.
    public var defaultCountry: CountryCode
    /// The accounts that may log in.
    public var accounts: Accounts
    /// The products, in the order in which lists show them.
    public var products: [CatalogueProduct] {
        didSet { places = Self.places(of: products) }
    }
    /// The test settings that apply until a client changes them.
    public var initialSettings: StoreTestSettings
    /// The locale of the product texts, such as `en_US`.
    public var locale: String
    /// The bundle identifier of the application, for signed histories.
    public var bundleID = StoreCatalogue.exampleBundleID

    /// The bundle identifier of a catalogue that configures none.
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

    /// Whether any account has a credential. The catalogue file is then confidential.
    public var hasCredentials: Bool {
        switch accounts {
        case .listed(let listed): listed.contains { $0.credential != nil }
        case .anyName: false
        }
    }

    /// A product in a country, with texts of `locale`, or of the catalogue's locale if it is nil.
    /// The result is nil if the product is not sold there.
    public func product(
        _ identifier: ProductIdentifier, in country: CountryCode, locale: String? = nil
    ) -> Product? {
        product(identifier)?.product(in: country, locale: locale ?? self.locale)
    }

    /// The products sold in a country, in the order of the catalogue, with texts of `locale`, or of
    /// the catalogue's locale if it is nil.
    public func catalogue(of country: CountryCode, locale: String? = nil) -> Catalogue {
        Catalogue(
            country: country,
            products: products.compactMap {
                $0.product(in: country, locale: locale ?? self.locale)
            })
    }

    /// A product for all countries; nil if the catalogue does not have it.
    public func product(_ identifier: ProductIdentifier) -> CatalogueProduct? {
        places[identifier].map { products[$0] }
    }

    /// Whether a change of subscription in a group takes effect at once, not at the next renewal.
    /// True if the new product has a higher level (a lower number), or the same level and period.
    /// Products without a level rank after those with one, in the order of the catalogue.
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

    /// The account with a name; nil if it cannot log in.
    public func account(_ name: AccountName) -> SandboxAccount? {
        switch accounts {
        case .listed(let listed): listed.first { $0.name == name }
        case .anyName(let country):
            (1...RecordBounds.identifierBytes).contains(name.byteCount)
                ? SandboxAccount(name: name, country: country) : nil
        }
    }

    /// Adds an account in the default country, without a credential, unless the name exists.
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
