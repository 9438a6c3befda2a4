import PaymentCore
import PaymentSandbox
import Testing

@Suite struct BrokenCatalogueTests {
    /// A file that must be refused, and what the refusal says.
    struct Broken: Sendable, CustomTestStringConvertible {
        let text: String
        let line: Int
        let column: Int
        let path: String?
        let words: String

        var testDescription: String { "\(words) at \(path ?? "line \(line)")" }

        init(_ text: String, _ line: Int, _ column: Int, _ path: String?, _ words: String) {
            self.text = text
            self.line = line
            self.column = column
            self.path = path
            self.words = words
        }
    }

    private static func product(_ members: String) -> String {
        #"{"version":1,"defaultCountry":"DE","products":["# + "\n" + members + "\n]}"
    }

    private static func apple(_ members: String) -> String {
        #"{"version":{"major":4},"# + "\n" + members + "\n}"
    }

    static let noJSON = [
        Broken("", 1, 1, nil, "not JSON"),
        Broken("{\n  \"version\": 1,\n  oops\n}", 3, 3, nil, "not JSON"),
        Broken("{\"ä\": 1, nope}", 1, 10, nil, "not JSON"),
        Broken("{\"a\": 1,\n \"a\": 2}", 2, 2, nil, "occurs twice"),
        Broken("{\"a\": \"\\ud800\"}", 1, 8, nil, "surrogate"),
        Broken(
            "\u{FEFF}{}", 1, 1, nil,
            "the file starts with a byte order mark; save it as UTF-8 without one"),
        Broken("[]", 1, 1, nil, "expected an object"),
        Broken("{}", 1, 1, nil, "'version' is missing"),
    ]

    static let own = [
        Broken("{\"version\": 2}", 1, 13, "version", "not supported"),
        Broken("{\"version\": \"1\"}", 1, 13, "version", "not supported"),
        Broken("{\"version\": 1}", 1, 1, nil, "'defaultCountry' is missing"),
        Broken(
            "{\"version\": 1,\n\"defaultCountry\": \"QQ\"}", 2, 19, "defaultCountry",
            "'QQ' is not a country"),
        Broken(
            "{\"version\":1,\"defaultCountry\":\"DE\",\"accounts\":{}}", 1, 47, "accounts",
            "expected an array"),
        Broken(
            "{\"version\":1,\"defaultCountry\":\"DE\",\"accounts\":[\n{\"name\":\"a\"}]}", 2, 1,
            "accounts[0]", "'country' is missing"),
        Broken(
            """
            {"version":1,"defaultCountry":"DE","accounts":[{"name":"a","country":"DE"},
            {"name":"a","country":"DE"}]}
            """, 2, 9, "accounts[1].name", "listed twice"),
    ]

    static let ownProducts = [
        Broken(product(#"{"type":"consumable"}"#), 2, 1, "products[0]", "'productIdentifier'"),
        Broken(
            product(#"{"productIdentifier":"","type":"consumable"}"#), 2, 22,
            "products[0].productIdentifier", "must not be empty"),
        Broken(
            product(
                "{\"productIdentifier\":\"" + String(repeating: "é", count: 129) + "\"}"), 2, 22,
            "products[0].productIdentifier", "longer than 256 bytes"),
        Broken(
            product(#"{"productIdentifier":"a","type":"Consumable"}"#), 2, 33, "products[0].type",
            "unknown product type 'Consumable'; known are consumable"),
        Broken(
            product(
                #"{"productIdentifier":"a","type":"consumable","introductoryPrice":{"mode":"freeTrial","period":"P1W"}}"#
            ), 2, 66, "products[0].introductoryPrice",
            "only an autoRenewableSubscription has an introductory price"),
        Broken(
            product(#"{"productIdentifier":"a","type":"autoRenewableSubscription"}"#), 2, 1,
            "products[0]", "'subscriptionPeriod' is missing"),
        Broken(
            product(
                #"{"productIdentifier":"a","type":"consumable","subscriptionPeriod":"P1M"}"#), 2,
            67, "products[0].subscriptionPeriod", "only subscriptions"),
        Broken(
            product(
                """
                {"productIdentifier":"a","type":"consumable","prices":{
                "DE":{"amount":"1.99"}}}
                """), 3, 6, "products[0].prices.DE", "'currencyCode' is missing"),
        Broken(
            product(
                """
                {"productIdentifier":"a","type":"consumable","prices":{
                "DE":{"amount":"1,99","currencyCode":"EUR"}}}
                """), 3, 16, "products[0].prices.DE.amount", "'1,99' is not an amount"),
        Broken(
            product(
                """
                {"productIdentifier":"a","type":"consumable","prices":{
                "DE":{"amount":1e2,"currencyCode":"EUR"}}}
                """), 3, 16, "products[0].prices.DE.amount", "'1e2' is not an amount"),
        Broken(
            product(
                """
                {"productIdentifier":"a","type":"consumable","prices":{
                "DE":{"amount":"1","currencyCode":"€"}}}
                """), 3, 35, "products[0].prices.DE.currencyCode", "'€' is not a currency"),
        Broken(
            product(
                """
                {"productIdentifier":"a","type":"consumable","prices":{
                "DE":{"amount":"1","currencyCode":"EUR"},
                "DEU":{"amount":"2","currencyCode":"EUR"}}}
                """), 4, 7, "products[0].prices.DEU", "has a price already"),
        Broken(
            product(
                """
                {"productIdentifier":"a","type":"consumable","prices":{
                "JP":{"amount":"120.5","currencyCode":"JPY"}}}
                """), 3, 16, "products[0].prices.JP.amount",
            "'120.5' has more digits after the point than JPY has: 0"),
        Broken(
            product(
                """
                {"productIdentifier":"a","type":"consumable","prices":{
                "DE":{"amount":"1.990","currencyCode":"EUR"}}}
                """), 3, 16, "products[0].prices.DE.amount",
            "'1.990' has more digits after the point than EUR has: 2"),
        Broken(
            product(
                """
                {"productIdentifier":"a","type":"consumable"},
                {"productIdentifier":"a","type":"consumable"}
                """), 3, 22, "products[1].productIdentifier", "listed twice"),
        Broken(
            product(
                """
                {"productIdentifier":"a","type":"nonRenewingSubscription",
                "subscriptionPeriod":{"unit":"month","numberOfUnits":0}}
                """), 3, 54, "products[0].subscriptionPeriod.numberOfUnits", "between 1 and 9999"),
        Broken(
            product(
                """
                {"productIdentifier":"a","type":"autoRenewableSubscription","subscriptionPeriod":"P1M",
                "introductoryPrice":{"mode":"freeTrial","period":"P5000D","periods":2}}
                """), 3, 21, "products[0].introductoryPrice",
            "2 periods of 5000 days are 10000 days; an offer has at most 9999"),
        Broken(
            product(
                """
                {"productIdentifier":"a","type":"consumable","prices":{
                "DE":{"amount":"99999999999999999","currencyCode":"EUR"}}}
                """), 3, 16, "products[0].prices.DE.amount", "'99999999999999999' is too large"),
    ]

    static let appleFiles = [
        Broken(
            "{\"version\":{\"major\":9}}", 1, 21, "version.major", "3, 4 and 5 are"),
        Broken(
            apple(#""settings":{"_storefront":"XYZ"}"#), 2, 27, "settings._storefront",
            "'XYZ' is not a country"),
        Broken(
            apple(#""settings":{"_askToBuyEnabled":1}"#), 2, 32, "settings._askToBuyEnabled",
            "expected true or false"),
        Broken(
            apple(#""products":[{"productID":"a","type":"Consumable"}]"#), 2, 13, "products[0]",
            "'displayPrice' is missing"),
        Broken(
            apple(#""products":[{"productID":"a","type":"Thing","displayPrice":"1"}]"#), 2, 37,
            "products[0].type", "unknown product type 'Thing'"),
        Broken(
            apple(#""products":[{"productID":"a","type":"Consumable","displayPrice":"-1"}]"#), 2,
            65, "products[0].displayPrice", "'-1' is not an amount"),
        Broken(
            apple(
                """
                "subscriptionGroups":[{"id":"g","subscriptions":[
                {"productID":"a","displayPrice":"1","recurringSubscriptionPeriod":"P1M1D"}]}]
                """), 3, 67,
            "subscriptionGroups[0].subscriptions[0].recurringSubscriptionPeriod",
            "'P1M1D' is not a period"),
        Broken(
            apple(
                """
                "subscriptionGroups":[{"id":"g","subscriptions":[
                {"productID":"a","displayPrice":"1","recurringSubscriptionPeriod":"P1M",
                "adHocOffers":[{"paymentMode":"payUpFront","subscriptionPeriod":"P1M"}]}]}]
                """), 4, 16, "subscriptionGroups[0].subscriptions[0].adHocOffers[0]",
            "'displayPrice' is missing"),
        Broken(
            apple(
                """
                "subscriptionGroups":[{"id":"g","subscriptions":[
                {"productID":"a","displayPrice":"1","recurringSubscriptionPeriod":"P1M",
                "introductoryOffer":{"paymentMode":"payAsYouGo","displayPrice":"1",
                "numberOfPeriods":10,"subscriptionPeriod":"P1000D"}}]}]
                """), 4, 21, "subscriptionGroups[0].subscriptions[0].introductoryOffer",
            "10 periods of 1000 days are 10000 days"),
        Broken(
            apple(
                #""products":[{"productID":"a","type":"Consumable","displayPrice":"99999999999999999"}]"#
            ), 2, 65, "products[0].displayPrice", "'99999999999999999' is too large"),
    ]

    @Test(arguments: noJSON + own + ownProducts + appleFiles)
    func `a broken file is refused with its place and the reason`(broken: Broken) throws {
        let error = try #require(throws: CatalogueFailure.self) {
            try CatalogueFile.load(bytes: Array(broken.text.utf8), path: "shop.json")
        }
        #expect(error.file == "shop.json")
        #expect(error.line == broken.line)
        #expect(error.column == broken.column)
        #expect(error.path == broken.path)
        #expect(error.reason.contains(broken.words), "\(error.reason)")
    }

    @Test(arguments: [[0xFF, 0xFE], [0xFE, 0xFF], [0xEF, 0xBB, 0xBF]] as [[UInt8]])
    func `a byte order mark is named, whatever follows`(mark: [UInt8]) throws {
        let error = try #require(throws: CatalogueFailure.self) {
            try CatalogueFile.load(bytes: mark + Array("{ }".utf8), path: "Shop.storekit")
        }
        #expect(error.reason.hasPrefix("the file starts with a byte order mark"))
    }

    @Test func `bytes that are no text are not blamed on a byte order mark`() throws {
        let error = try #require(throws: CatalogueFailure.self) {
            try CatalogueFile.load(bytes: [0x7B, 0x22, 0xFF, 0x22, 0x7D], path: "shop.json")
        }
        #expect(error.reason == "these bytes are not UTF-8 text")
    }

    @Test func `the sentence names file, line, column, value and reason`() throws {
        let error = try #require(throws: CatalogueFailure.self) {
            try CatalogueFile.load(bytes: Array(#"{"version": 7}"#.utf8), path: "/etc/shop.json")
        }
        #expect(
            error.description
                == "cannot read catalogue '/etc/shop.json': line 1, column 13, version: "
                + "this version of the catalogue is not supported; 1 is")
    }

    @Test func `every prefix of a good file is refused, none of them crashes`() throws {
        let bytes = try TestFiles.fixture("version3.storekit")
        let end = try #require(bytes.lastIndex(of: UInt8(ascii: "}")))
        for count in 0...end {
            #expect(throws: CatalogueFailure.self) {
                try CatalogueFile.load(bytes: Array(bytes.prefix(count)), path: "cut.storekit")
            }
        }
    }
}
