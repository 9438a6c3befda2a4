import PaymentCore

/// The catalogues of the store by country, and the requests for them.
struct Catalogues {
    private var known: [CountryCode: Catalogue] = [:]
    /// The number of the last change of each country's catalogue.
    private var editions: [CountryCode: UInt64] = [:]
    private var lastEdition: UInt64 = 0
    /// The countries whose catalogues are requested now, or again after a failure.
    private var wanted: Set<CountryCode> = []
    /// The country of prices without a session; nil until the store has named it.
    var defaultCountry: CountryCode?
    /// The failure of the last request; nil after a success.
    var failure: StoreFailure?

    init(defaultCountry: CountryCode? = nil) {
        self.defaultCountry = defaultCountry
    }

    /// The catalogue of a country, if it is known.
    subscript(country: CountryCode?) -> Catalogue? {
        country.flatMap { known[$0] }
    }

    /// The edition number of a country's catalogue; 0 before the first.
    func edition(of country: CountryCode) -> UInt64 {
        editions[country] ?? 0
    }

    /// The countries with a known catalogue, in the order of their codes.
    var countries: [CountryCode] {
        known.keys.sorted { $0.description < $1.description }
    }

    /// Keeps a catalogue.
    ///
    /// - Returns: Whether it replaces a different one, so that observers must receive the change.
    mutating func use(_ catalogue: Catalogue) -> Bool {
        let former = known.updateValue(catalogue, forKey: catalogue.country)
        guard former != catalogue else { return false }
        lastEdition += 1
        editions[catalogue.country] = lastEdition
        return former != nil
    }

    /// Forgets all catalogues but that of one country.
    mutating func forgetAll(but country: CountryCode?) {
        known = known.filter { $0.key == country }
    }

    /// Notes that a catalogue is wanted.
    ///
    /// - Returns: Whether a request must be sent; false if one is pending already.
    mutating func want(_ country: CountryCode) -> Bool {
        wanted.insert(country).inserted
    }

    /// Notes that the request for a catalogue has ended.
    mutating func endQuestion(_ country: CountryCode) {
        wanted.remove(country)
    }
}
