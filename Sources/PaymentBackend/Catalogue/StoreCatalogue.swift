public import PaymentCore

/// Everything that a sandbox is configured with: products, accounts and first settings.
public struct StoreCatalogue: Sendable, Hashable {
    /// Who may log in.
    public enum Accounts: Sendable, Hashable {
        /// These and nobody else.
        case listed([SandboxAccount])
        /// Every name that is not empty or too long, with any credential, in one country.
        case anyName(country: CountryCode)
    }

    /// How long the names of accounts and products may be, in bytes of UTF-8.
    public static let identifierLimitBytes = 256

    /// The country that prices are shown in when nobody is logged in.
    public var defaultCountry: CountryCode
    /// Who may log in.
    public var accounts: Accounts
    /// What is sold, in the order that lists show.
    public var products: [CatalogueProduct] {
        didSet { places = Self.places(of: products) }
    }
    /// The test settings that hold until a client changes them.
    public var initialSettings: StoreTestSettings
    /// Which texts of the products are shown, such as `en_US`.
    public var locale: String
    /// How fast subscriptions run, as the number of Apple's files; 0 is real time.
    public var timeRate: Int

    private var places: [ProductIdentifier: Int]

    /// Makes a catalogue.
    public init(
        defaultCountry: CountryCode, accounts: Accounts, products: [CatalogueProduct],
        initialSettings: StoreTestSettings = StoreTestSettings(), locale: String = "en_US",
        timeRate: Int = 0
    ) {
        self.defaultCountry = defaultCountry
        self.accounts = accounts
        self.products = products
        self.initialSettings = initialSettings
        self.locale = locale
        self.timeRate = timeRate
        places = Self.places(of: products)
    }

    /// A product as it is sold in a country; nil if it is not.
    public func product(_ identifier: ProductIdentifier, in country: CountryCode) -> Product? {
        places[identifier].flatMap { products[$0].product(in: country, locale: locale) }
    }

    /// What is sold in a country, in the catalogue's order.
    public func catalogue(of country: CountryCode) -> Catalogue {
        Catalogue(
            country: country,
            products: products.compactMap { $0.product(in: country, locale: locale) })
    }

    /// The account of that name; nil if there is none.
    public func account(_ name: AccountName) -> SandboxAccount? {
        switch accounts {
        case .listed(let listed): listed.first { $0.name == name }
        case .anyName(let country):
            (1...Self.identifierLimitBytes).contains(name.byteCount)
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
