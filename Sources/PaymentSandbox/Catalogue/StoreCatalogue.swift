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

    /// The country that prices are shown in when no account is logged in.
    public var defaultCountry: CountryCode
    /// The accounts that may log in.
    public var accounts: Accounts
    /// The products, in the order of lists.
    public var products: [CatalogueProduct] {
        didSet { places = Self.places(of: products) }
    }
    /// The test settings until a client changes them.
    public var initialSettings: StoreTestSettings
    /// The locale of the product texts, such as `en_US`.
    public var locale: String
    /// The bundle identifier of the application, for signed histories.
    public var bundleID = StoreCatalogue.exampleBundleID

    /// The bundle identifier if none is configured.
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

    /// Whether an account has a credential, which makes the catalogue file a secret.
    public var hasCredentials: Bool {
        switch accounts {
        case .listed(let listed): listed.contains { $0.credential != nil }
        case .anyName: false
        }
    }

    /// A product in a country, with the texts of a locale or of the catalogue's own; nil if it is not
    /// sold there.
    public func product(
        _ identifier: ProductIdentifier, in country: CountryCode, locale: String? = nil
    ) -> Product? {
        product(identifier)?.product(in: country, locale: locale ?? self.locale)
    }

    /// The products sold in a country, in the catalogue's order, with the texts of a locale or of the
    /// catalogue's own.
    public func catalogue(of country: CountryCode, locale: String? = nil) -> Catalogue {
        Catalogue(
            country: country,
            products: products.compactMap {
                $0.product(in: country, locale: locale ?? self.locale)
            })
    }

    /// A product of the catalogue, for all countries.
    public func product(_ identifier: ProductIdentifier) -> CatalogueProduct? {
        places[identifier].map { products[$0] }
    }

    /// Whether a subscription of a group replaces another at once: it has a higher level (a lower number),
    /// or the same level and the same period. Products without a level follow those with one, in the
    /// order of the catalogue. Other changes wait for the next renewal.
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

    /// The account of a name; nil if there is none.
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
