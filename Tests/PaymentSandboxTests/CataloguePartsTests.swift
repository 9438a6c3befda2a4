import PaymentCore
import Testing

@testable import PaymentSandbox

@Suite struct CataloguePartsTests {
    @Test(arguments: [
        ("P1W", SubscriptionPeriod(unit: .week, numberOfUnits: 1)),
        ("P1M", SubscriptionPeriod(unit: .month, numberOfUnits: 1)),
        ("P2M", SubscriptionPeriod(unit: .month, numberOfUnits: 2)),
        ("P3M", SubscriptionPeriod(unit: .month, numberOfUnits: 3)),
        ("P6M", SubscriptionPeriod(unit: .month, numberOfUnits: 6)),
        ("P1Y", SubscriptionPeriod(unit: .year, numberOfUnits: 1)),
        ("P3D", SubscriptionPeriod(unit: .day, numberOfUnits: 3)),
        ("P7D", SubscriptionPeriod(unit: .day, numberOfUnits: 7)),
        ("P9999D", SubscriptionPeriod(unit: .day, numberOfUnits: 9999)),
    ])
    func `an ISO 8601 period of one unit is read as written`(
        text: String, period: SubscriptionPeriod
    ) {
        #expect(SubscriptionPeriod(iso8601: text) == period)
    }

    @Test(arguments: [
        "", "P", "P1", "1M", "PM", "P0M", "P-1M", "P+1M", "P1.5M", "P1M1D", "PT1H", "p1m", "P1m",
        "P10000D", " P1M", "P1M ", "P١M",
    ])
    func `anything else is no period`(text: String) {
        #expect(SubscriptionPeriod(iso8601: text) == nil)
    }

    @Test(arguments: [
        ("de_AT", "A"), ("de-at", "A"), ("de_CH", "D"), ("de", "D"), ("en_US", "E"), ("ja", "D"),
    ])
    func `texts are chosen by locale, then by language, then the first`(
        locale: String, title: String
    ) {
        let texts = ["de_DE": "D", "de_AT": "A", "en_GB": "E"].sorted {
            $0.value == "D" && $1.value != "D"
        }
        .map { ProductText(locale: $0.key, title: $0.value, description: "") }
        #expect(texts.choice(for: locale)?.title == title)
    }

    @Test func `without texts there is nothing to choose`() {
        #expect([ProductText]().choice(for: "de") == nil)
    }

    @Test func `a credential matches itself only, and does not print itself`() {
        let credential = Credential("open-sesame")
        #expect(credential.matches("open-sesame"))
        for wrong: OpaqueText? in [nil, "", "open", "open-sesame-open", "xpen-sesame"] {
            #expect(!credential.matches(wrong))
        }
        #expect(!Credential("").matches(nil))
        var dumped = ""
        dump(credential, to: &dumped)
        for text in ["\(credential)", String(reflecting: credential), dumped] {
            #expect(!text.contains("sesame"))
        }
    }

    @Test func `a repeated secret is not the secret`() {
        #expect(!Credential("ab").matches("abab"))
        #expect(!Credential("abab").matches("ab"))
    }
}
