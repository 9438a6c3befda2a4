import PaymentCore
import PaymentTesting
import Testing

@Suite("Moments")
struct TimestampTests {
    static let texts: [(Int64, String)] = [
        (0, "1970-01-01T00:00:00.000Z"), (1, "1970-01-01T00:00:00.001Z"),
        (-1, "1969-12-31T23:59:59.999Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (951_868_799_999, "2000-02-29T23:59:59.999Z"),
        (1_078_012_800_000, "2004-02-29T00:00:00.000Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
        (1_795_245_600_000, "2026-11-21T07:20:00.000Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
        (2_147_483_648_000, "2038-01-19T03:14:08.000Z"),
    ]

    @Test("A moment and its text are one", arguments: texts)
    func text(milliseconds: Int64, text: String) {
        let moment = Timestamp(milliseconds: milliseconds)
        #expect(moment.description == text)
        #expect(Timestamp(text) == moment)
    }

    @Test("Years that four digits cannot name are clamped")
    func clamped() {
        #expect(Timestamp(milliseconds: .max).description == "9999-12-31T23:59:59.999Z")
        #expect(Timestamp(milliseconds: .min).description == "0000-01-01T00:00:00.000Z")
    }

    @Test(
        "Any other spelling is no moment",
        arguments: [
            "", "2026-11-21T07:20:00Z", "2026-11-21T07:20:00.00Z", "2026-11-21T07:20:00.0000Z",
            "2026-11-21t07:20:00.000Z", "2026-11-21T07:20:00.000z", "2026-11-21T07:20:00.000+",
            "2026-11-21 07:20:00.000Z", "2026-11-21T07:20:00,000Z", "2026-13-21T07:20:00.000Z",
            "2026-00-21T07:20:00.000Z", "2026-11-00T07:20:00.000Z", "2026-11-31T07:20:00.000Z",
            "2026-02-29T07:20:00.000Z", "2100-02-29T00:00:00.000Z", "2026-11-21T24:00:00.000Z",
            "2026-11-21T07:60:00.000Z", "2026-11-21T07:20:60.000Z", "2026-11-21T07:20:00.-01Z",
            "+026-11-21T07:20:00.000Z", "2026-11-21T07:20:00.000Z ", "２026-11-21T07:20:00.0Z",
        ])
    func refused(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test("Every day of eight hundred years comes back from its number")
    func calendar() {
        var previous = CivilDate(daysSince1970: -146_098)
        for day in -146_097...146_097 {
            let date = CivilDate(daysSince1970: day)
            // A check per day would take longer than all others together.
            if date.daysSince1970 != day { Issue.record("day \(day) comes back as \(date)") }
            let isNext =
                date.day == previous.day + 1 && date.month == previous.month
                || date.day == 1 && (date.month == previous.month + 1 || date.month == 1)
            if !isNext { Issue.record("\(previous) is followed by \(date)") }
            previous = date
        }
    }

    @Test("Moments are ordered and can be moved")
    func order() {
        let moment = Timestamp(milliseconds: 1500)
        #expect(moment < Timestamp(milliseconds: 1501))
        #expect(moment.advanced(bySeconds: 2).milliseconds == 3500)
        #expect(moment.advanced(bySeconds: -2).milliseconds == -500)
    }
}

@Suite("Identifiers")
struct IdentifierTests {
    @Test(
        "Random bits make a version 4 UUID and keep the other 122",
        arguments: [
            (UInt64.max, UInt64.max, "ffffffff-ffff-4fff-bfff-ffffffffffff"),
            (UInt64.zero, UInt64.zero, "00000000-0000-4000-8000-000000000000"),
            (0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210, "01234567-89ab-4def-bedc-ba9876543210"),
        ])
    func random(high: UInt64, low: UInt64, text: String) {
        let id = UniqueID(randomHigh: high, randomLow: low)
        #expect(id.description == text)
        #expect(UniqueID(text) == id)
        #expect(TransactionID(text) == TransactionID(id))
        #expect(OrderID(text)?.description == text)
    }

    @Test(
        "Any other spelling is no identifier",
        arguments: [
            "", "0", "01234567-89ab-4def-bedc-ba987654321", "01234567-89ab-4def-bedc-ba98765432100",
            "01234567-89AB-4def-bedc-ba9876543210", "0123456789ab-4def-bedc-ba9876543210-",
            "01234567_89ab_4def_bedc_ba9876543210", "0123456g-89ab-4def-bedc-ba9876543210",
            " 1234567-89ab-4def-bedc-ba9876543210", "{1234567-89ab-4def-bedc-ba987654321}",
            "01234567-89ab-4def-bedc-ba987654321\u{661}", "------------------------------------",
        ])
    func refused(text: String) {
        #expect(UniqueID(text) == nil)
        #expect(TransactionID(text) == nil)
    }

    @Test("Random identifiers come back from their text and keep their order", arguments: 1...20)
    func roundTrip(seed: Int) {
        var dice = SeededGenerator(seed: UInt64(seed))
        let ids = (0..<200).map { _ in UniqueID(high: dice.next(), low: dice.next()) }
        for id in ids { #expect(UniqueID(id.description) == id) }
        let sorted = ids.sorted(by: UniqueID.precedes)
        #expect(sorted.map(\.description) == ids.map(\.description).sorted())
    }
}

@Suite("Money and words")
struct ValueTests {
    @Test(
        "An amount is kept digit by digit",
        arguments: [
            "0", "0.0", "0.01", "9.99", "9.990", "1200", "123456789012345678",
            "1.00000000000000000",
        ])
    func amount(text: String) throws {
        let amount = try #require(Amount(text))
        #expect(amount.text == text)
    }

    @Test(
        "What is no plain decimal number is no amount",
        arguments: [
            "", ".", "1.", ".5", "-1", "+1", "1e3", "1,5", "01", "00", "00.5", "1.2.3", "1 ", " 1",
            "1_000", "NaN", "1234567890123456789", "12345678901.23456789", "\u{661}", "1\u{0}",
        ])
    func noAmount(text: String) {
        #expect(Amount(text) == nil)
    }

    @Test(
        "Zeros at the end of a fraction change no number",
        arguments: [
            ("1", "1.0", true), ("1.50", "1.5", true), ("0", "0.00", true), ("10", "1", false),
            ("100", "1.00", false), ("1.05", "1.5", false), ("9.99", "9.99", true),
        ])
    func sameNumber(left: String, right: String, isSame: Bool) throws {
        let left = try #require(Amount(left))
        let right = try #require(Amount(right))
        #expect(left.isSameNumber(as: right) == isSame)
        #expect(right.isSameNumber(as: left) == isSame)
    }

    @Test(
        "A price becomes the smallest unit of its currency, rounded half up",
        arguments: [
            ("9.99", "EUR", 999), ("0", "EUR", 0), ("10", "USD", 1000), ("1.5", "EUR", 150),
            ("120", "JPY", 120), ("120.4", "JPY", 120), ("120.5", "JPY", 121),
            ("1.234", "KWD", 1234), ("1.2", "BHD", 1200), ("0.995", "EUR", 100),
            ("0.994", "EUR", 99), ("99.999", "EUR", 10000), ("1", "CLF", 10000),
            ("999999999999999999", "JPY", 999_999_999_999_999_999),
            ("999999999999999999", "EUR", nil as Int64?),
        ])
    func minorUnits(amount: String, currency: String, units: Int64?) throws {
        let price = Price(amount: try #require(Amount(amount)), currencyCode: currency)
        #expect(price.minorUnits == units)
    }

    @Test(
        "A price is rounded half up to the digits of its currency, or padded to them",
        arguments: [
            ("0.99", "JPY", "1"), ("0.49", "CLP", "0"), ("9.5", "KRW", "10"), ("99.4", "VND", "99"),
            ("1.2345", "KWD", "1.235"), ("1.5", "TND", "1.500"), ("0", "EUR", "0.00"),
            ("9.99", "EUR", "9.99"),
            ("9.994", "EUR", "9.99"), ("9.995", "EUR", "10.00"), ("0.005", "USD", "0.01"),
            ("3", "EUR", "3.00"), ("99999999999999999.9", "JPY", "100000000000000000"),
            ("0.99999999999999999", "JPY", "1"),
            ("123456789012345678", "EUR", "123456789012345678"),
        ])
    func rounding(amount: String, currency: String, rounded: String) throws {
        let price = Price(amount: try #require(Amount(amount)), currencyCode: currency)
        #expect(price.roundedToCurrency.amount.text == rounded)
        #expect(price.roundedToCurrency.currencyCode == currency)
    }

    @Test(
        "Zero has the digits of its currency",
        arguments: [("EUR", "0.00"), ("JPY", "0"), ("BHD", "0.000"), ("CLF", "0.0000")])
    func zero(currency: String, text: String) {
        #expect(Price.zero(currencyCode: currency).amount.text == text)
    }

    @Test(
        "A country is two capital letters",
        arguments: [
            ("DE", true), ("ZZ", true), ("AA", true), ("de", false), ("D", false), ("DEU", false),
            ("", false), ("D1", false), ("D ", false), ("@A", false), ("A[", false),
            ("\u{C4}", false),
            ("DE\u{301}", false),
        ])
    func country(text: String, isCountry: Bool) {
        let country = CountryCode(text)
        #expect((country != nil) == isCountry)
        if let country { #expect(country.description == text) }
    }

    @Test(
        "Opaque texts are equal when their bytes are",
        arguments: [
            ("\u{E9}", "e\u{301}", false), ("\u{212B}", "\u{C5}", false), ("a", "a", true),
            ("a", "A", false), ("", "", true), ("", "\u{0}", false),
            ("\u{1F468}", "\u{1F468}", true),
            ("a\u{301}\u{316}", "a\u{316}\u{301}", false),
        ])
    func opaque(left: String, right: String, isEqual: Bool) {
        #expect((OpaqueText(left) == OpaqueText(right)) == isEqual)
        let texts: Set<OpaqueText> = [OpaqueText(left), OpaqueText(right)]
        #expect(texts.count == (isEqual ? 1 : 2))
    }

    @Test("Opaque texts are ordered by their bytes and counted in bytes")
    func opaqueOrder() {
        let texts: [OpaqueText] = ["", "A", "a", "aa", "b", "e\u{301}", "\u{E9}", "\u{1F468}"]
        for (left, right) in zip(texts, texts.dropFirst()) {
            #expect(OpaqueText.precedes(left, right))
            #expect(!OpaqueText.precedes(right, left))
        }
        #expect(OpaqueText("\u{E9}").byteCount == 2)
        #expect(OpaqueText("e\u{301}").byteCount == 3)
    }

    @Test("Of two products with one identifier the first counts")
    func catalogue() {
        let first = Samples.product(Samples.coins, .consumable, "1")
        let second = Samples.product(Samples.coins, .consumable, "2")
        let catalogue = Catalogue(country: Samples.germany, products: [first, second])
        #expect(catalogue.product(Samples.coins) == first)
        #expect(catalogue.product("coin") == nil)
    }

    @Test("Recorded products are equal when everything about them is")
    func recordedProducts() {
        let product = Samples.product(Samples.coins, .consumable)
        let one = RecordedProduct(number: 1, product: product, country: Samples.germany)
        let same = RecordedProduct(number: 1, product: product, country: Samples.germany)
        let other = RecordedProduct(number: 2, product: product, country: Samples.germany)
        let abroad = RecordedProduct(number: 1, product: product, country: Samples.france)
        #expect(one == same)
        #expect(one.hashValue == same.hashValue)
        #expect(one != other)
        #expect(one != abroad)
    }

    @Test("Every limit is published once under its own name, and can be set by it")
    func limits() {
        var limits = Limits()
        #expect(Set(limits.named.map(\.name)).count == Limits.keys.count)
        for (index, key) in Limits.keys.enumerated() { limits[keyPath: key.path] = index + 1 }
        #expect(limits.named.map(\.value) == Array(1...Limits.keys.count))
    }

    @Test("Terminal is what the store has nothing more to decide about")
    func phases() {
        let table: [(TransactionState, TransactionState.Phase, Bool)] = [
            (.waiting, .purchasing, false), (.submitted, .purchasing, false),
            (.deferred, .purchasing, false), (.purchased, .purchased, true),
            (.completing, .purchased, true), (.restored, .restored, true),
            (.failed(.declined), .failed, true),
        ]
        for (state, phase, isTerminal) in table {
            #expect(state.phase == phase)
            #expect(state.isTerminal == isTerminal)
        }
    }
}

@Suite("Text that is searched for")
struct SearchTextTests {
    private static let id = UniqueID(high: 0x1234_ABCD_0000_4000, low: 0x8000_0000_0000_00FF)

    @Test(
        "Four digits or more begin an identifier",
        arguments: [
            ("123", false), ("1234", true), ("1234aBc", true), (" 1234abcd-0000-4000-8000 ", true),
            ("1234abcd-0000-4000-8000-0000000000ff", true), ("1234abce", false),
            ("1234abcd-0000-4000-8000-0000000000fe", false), ("234a", false), ("1234x", false),
        ])
    func beginning(text: String, begins: Bool) throws {
        #expect(try #require(SearchText(text)).begins(Self.id) == begins)
    }

    @Test(
        "A part of another text is found whatever the case of ASCII letters",
        arguments: [
            ("coins", true), ("COINS", true), (".100", true), ("s.1", true), ("coins.1000", false),
            ("ü", false), ("com.", false),
        ])
    func part(text: String, isPart: Bool) throws {
        #expect(try #require(SearchText(text)).isPart(of: "Coins.100") == isPart)
    }

    @Test("White space alone is no text")
    func empty() {
        #expect(SearchText("") == nil && SearchText(" \t") == nil)
    }
}
