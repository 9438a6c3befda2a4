import PaymentCore
import Testing

@Suite struct CountriesTests {
    @Test func `the table has each of the 249 countries once, and Kosovo`() {
        #expect(Countries.all.count == 250)
        #expect(Set(Countries.all).count == 250)
        #expect(Set(Countries.all.compactMap(Countries.alpha3)).count == 250)
        #expect(Countries.all.map(\.description) == Countries.all.map(\.description).sorted())
    }

    @Test func `every row is two letters, three letters and a currency of three`() {
        for country in Countries.all {
            for text in [Countries.alpha3(of: country), Countries.currency(of: country)] {
                let letters = text?.utf8.filter { (0x41...0x5A).contains($0) }
                #expect(letters?.count == 3, "\(country)")
                #expect(text?.utf8.count == 3, "\(country)")
            }
        }
    }

    @Test(arguments: [
        ("DE", "DEU", "EUR"), ("US", "USA", "USD"), ("NL", "NLD", "EUR"), ("GB", "GBR", "GBP"),
        ("JP", "JPN", "JPY"), ("CH", "CHE", "CHF"), ("HR", "HRV", "EUR"), ("BG", "BGR", "EUR"),
        ("CW", "CUW", "XCG"), ("SX", "SXM", "XCG"), ("SL", "SLE", "SLE"), ("VE", "VEN", "VES"),
        ("LI", "LIE", "CHF"), ("SV", "SLV", "USD"), ("SN", "SEN", "XOF"), ("CM", "CMR", "XAF"),
        ("PF", "PYF", "XPF"), ("MS", "MSR", "XCD"), ("AQ", "ATA", "XXX"), ("XK", "XKS", "EUR"),
        ("AD", "AND", "EUR"), ("ZW", "ZWE", "ZWG"), ("AT", "AUT", "EUR"), ("AU", "AUS", "AUD"),
    ])
    func `a country has its codes and its currency`(
        alpha2: String, alpha3: String, currency: String
    ) throws {
        let country = try #require(CountryCode(alpha2))
        #expect(Countries.code(alpha2) == country)
        #expect(Countries.code(alpha3) == country)
        #expect(Countries.alpha3(of: country) == alpha3)
        #expect(Countries.currency(of: country) == currency)
    }

    @Test(arguments: ["", "D", "de", "deu", "QQ", "QQQ", "GERM", "ÄÖ", "D\u{0}"])
    func `letters that name no country give none`(text: String) {
        #expect(Countries.code(text) == nil)
    }
}
