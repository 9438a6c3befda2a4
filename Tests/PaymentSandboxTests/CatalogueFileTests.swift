import PaymentCore
import PaymentTesting
import SandboxControl
import StoreMessages
import StrictJSON
import Testing

@testable import PaymentSandbox

@Suite struct CatalogueFileTests {
    @Test(arguments: [
        ("EUR", "10", "10.00"), ("EUR", "9.9", "9.90"), ("KWD", "1.5", "1.500"),
        ("JPY", "150", "150"),
    ])
    func `amounts have all digits of their currency`(
        currency: String, written: String, shown: String
    ) throws {
        let text = """
            {"version": 1, "defaultCountry": "DE", "products": [
             {"productIdentifier": "coins", "type": "consumable", "localizedTitle": "Coins",
              "prices": {"DE": {"amount": "\(written)", "currencyCode": "\(currency)"}}}]}
            """
        let catalogue = try CatalogueFile.load(bytes: Array(text.utf8), path: "shop.json")
        let product = catalogue.products.first
        #expect(product?.prices.price(in: try #require(CountryCode("DE")))?.amount.text == shown)
    }

    @Test func `the built-in example has six products and five accounts`() throws {
        let example = StoreCatalogue.example
        #expect(
            example.products.map(\.productIdentifier.string) == [
                "coins.100", "remove-ads", "pro.monthly", "pro.yearly", "season.pass", "map.berlin",
            ])
        #expect(
            ["demo", "alice", "bob", "carol", "dora"].map {
                example.account(AccountName($0))?.country.description
            } == ["DE", "US", "FR", "GB", "JP"])
        #expect(example.account("carol")?.credential?.matches("open-sesame") == true)
        #expect(example.account("eve") == nil)
        #expect(example.defaultCountry == StoreSamples.germany)
        #expect(example.initialSettings == StoreTestSettings())
    }

    @Test func `a price is kept digit by digit and belongs to one country`() throws {
        let german = try StoreSamples.product("pro.monthly")
        let japanese = try StoreSamples.product("pro.monthly", in: StoreSamples.japan)
        #expect(german.price == Price(amount: try #require(Amount("9.99")), currencyCode: "EUR"))
        #expect(japanese.price == Price(amount: try #require(Amount("1500")), currencyCode: "JPY"))
        #expect(
            StoreCatalogue.example.product("pro.monthly", in: StoreSamples.country("NZ")) == nil)
    }

    @Test func `every member of our own catalogue arrives in the product`() throws {
        let text = """
            {"version": 1, "defaultCountry": "FR", "locale": "fr_CA", "unknown": [{}],
             "accounts": [{"name": "a", "country": "FRA", "credential": "c",
                           "paymentsAllowed": false, "more": 1}],
             "products": [
              {"productIdentifier": "p", "slug": "s", "type": "autoRenewableSubscription",
               "localizedTitle": "T", "localizedDescription": "D", "iconUrl": "https://x/i.png",
               "localizations": [{"locale": "de", "displayName": "Te", "description": "De"},
                                 {"locale": "fr-FR", "localizedTitle": "Tf"}],
               "subscriptionPeriod": {"unit": "week", "numberOfUnits": 2},
               "subscriptionGroupIdentifier": "g",
               "introductoryPrice": {"price": {"amount": "0", "currencyCode": "EUR"},
                                     "period": {"unit": "day", "numberOfUnits": 3}},
               "discountedPrice": {"prices": {"US": {"value": 1.10, "currencyCode": "USD"}},
                                   "period": "P1M"},
               "prices": {"FR": {"amount": "2.50", "currencyCode": "EUR"},
                          "US": {"amount": 3.00, "currencyCode": "USD"}}},
              {"productIdentifier": "unsold", "type": "consumable", "iconUrl": null}]}
            """
        let store = try CatalogueFile.load(bytes: Array(text.utf8), path: "own.json")
        let french = Product(
            productIdentifier: "p", type: .autoRenewableSubscription, localizedTitle: "Tf",
            localizedDescription: "D", iconURL: "https://x/i.png", price: money("EUR", "2.50"),
            subscriptionPeriod: SubscriptionPeriod(unit: .week, numberOfUnits: 2),
            subscriptionGroupIdentifier: "g",
            introductoryPrice: PricePeriod(
                price: money("EUR", "0.00"),
                period: SubscriptionPeriod(unit: .day, numberOfUnits: 3)))
        var american = french
        american.price = money("USD", "3.00")
        american.introductoryPrice = nil
        american.discountedPrice = PricePeriod(
            price: money("USD", "1.10"), period: SubscriptionPeriod(unit: .month, numberOfUnits: 1))
        #expect(store.catalogue(of: StoreSamples.france).products == [french])
        #expect(store.catalogue(of: StoreSamples.states).products == [american])
        #expect(store.products.map(\.slug) == ["s", nil])
        let account = try #require(store.account("a"))
        #expect(account.country == StoreSamples.france)
        #expect(!account.paymentsAllowed)
    }

    @Test(arguments: [("payUpFront", 1111, 9), ("payAsYouGo", 1111, 9), ("payUpFront", 9999, 1)])
    func `the longest offer of a catalogue is bought, told of and replayed`(
        mode: String, days: Int, periods: Int
    ) throws {
        let text = """
            {"version": 1, "defaultCountry": "FR", "accounts": [{"name": "a", "country": "FR"}],
             "products": [
              {"productIdentifier": "p", "type": "autoRenewableSubscription",
               "subscriptionPeriod": "P1M", "prices": {"FR": {"amount": "2.50", "currencyCode": "EUR"}},
               "introductoryPrice": {"mode": "\(mode)", "periods": \(periods),
                                     "price": {"amount": "1.00", "currencyCode": "EUR"},
                                     "period": {"unit": "day", "numberOfUnits": \(days)}}}]}
            """
        let store = try CatalogueFile.load(bytes: Array(text.utf8), path: "own.json")
        let sold = try #require(store.product("p", in: StoreSamples.france))
        #expect(sold.introductoryPrice?.period.numberOfUnits == 9999)
        var writer = JSONWriter()
        writer.storeProduct(sold)
        #expect(try Product(MessageFields(parsing: writer.bytes)) == sold)
        let bought = try ControlRules(state: SandboxState(), store: store).decide(
            .buy("p", appAccountToken: nil), account: "a", as: StoreSamples.order(1),
            at: Timestamp(milliseconds: 0))
        var (state, replayed) = (SandboxState(), SandboxState())
        for event in bought.events {
            state.apply(event)
            var writer = JSONWriter()
            event.encodePayload(into: &writer)
            let payload = try JSONValue(parsing: String(decoding: writer.bytes, as: UTF8.self))
            try replayed.replay(SandboxEvent(typeWord: "\(event.typeWord)", payload: payload))
        }
        #expect(!state.orders.isEmpty && replayed == state)
    }

    @Test func `a .storekit file of version 3 maps to products, settings and any account`() throws {
        let store = try CatalogueFile.load(
            bytes: try TestFiles.fixture("version3.storekit"), path: "version3.storekit")
        let austria = StoreSamples.country("AT")
        #expect(store.accounts == .anyName(country: austria))
        #expect(store.defaultCountry == austria)
        var settings = StoreTestSettings(storefront: austria)
        settings.timeRate = .apple(15)
        #expect(store.initialSettings == settings)
        #expect(store.locale == "de_AT")
        let catalogue = store.catalogue(of: austria)
        #expect(
            catalogue.products.map(\.productIdentifier.string) == [
                "fixture.coins", "fixture.bare", "fixture.season", "fixture.monthly",
                "fixture.quarterly",
            ])
        #expect(
            catalogue.products.map(\.localizedTitle) == [
                "Münzen", "Bare", "Saisonkarte", "Monthly", "Quarterly",
            ])
        #expect(
            catalogue.products.map(\.type) == [
                .consumable, .nonConsumable, .nonRenewingSubscription, .autoRenewableSubscription,
                .autoRenewableSubscription,
            ])
    }

    @Test func `offers of a .storekit file become introductory and discounted prices`() throws {
        let store = try CatalogueFile.load(
            bytes: try TestFiles.fixture("version3.storekit"), path: "version3.storekit")
        let monthly = try #require(store.product("fixture.monthly", in: StoreSamples.japan))
        let quarterly = try #require(store.product("fixture.quarterly", in: StoreSamples.japan))
        #expect(monthly.price == money("JPY", "4"))
        #expect(monthly.subscriptionGroupIdentifier == "4C7E5D20")
        #expect(monthly.subscriptionPeriod == SubscriptionPeriod(unit: .month, numberOfUnits: 1))
        #expect(
            monthly.introductoryPrice
                == PricePeriod(
                    price: money("JPY", "0"),
                    period: SubscriptionPeriod(unit: .day, numberOfUnits: 3)))
        #expect(
            monthly.discountedPrice
                == PricePeriod(
                    price: money("JPY", "2"),
                    period: SubscriptionPeriod(unit: .month, numberOfUnits: 3)))
        #expect(
            quarterly.introductoryPrice
                == PricePeriod(
                    price: money("JPY", "6"),
                    period: SubscriptionPeriod(unit: .month, numberOfUnits: 3)))
        #expect(quarterly.discountedPrice == nil)
    }

    @Test func `a .storekit file of version 5 sells at its display price, not that of a plan`()
        throws
    {
        let store = try CatalogueFile.load(
            bytes: try TestFiles.fixture("version5.storekit"), path: "version5.storekit")
        let yearly = Product(
            productIdentifier: "fixture.yearly", type: .autoRenewableSubscription,
            localizedTitle: "Yearly with commitment", localizedDescription: "",
            price: money("GBP", "59.88"),
            subscriptionPeriod: SubscriptionPeriod(unit: .year, numberOfUnits: 1),
            subscriptionGroupIdentifier: "9D000001",
            introductoryPrice: PricePeriod(
                price: money("GBP", "0.00"),
                period: SubscriptionPeriod(unit: .week, numberOfUnits: 2))
        )
        #expect(store.catalogue(of: StoreSamples.country("GB")).products == [yearly])
        #expect(store.account("anybody")?.country == StoreSamples.country("GB"))
    }

    @Test(arguments: [
        #"{"identifier": "A"}"#, #"{"version": {"major": 4}}"#,
        #"{"products": [], "settings": {}}"#,
        #"{"version": {"major": 5, "minor": 3}, "products": null, "settings": null}"#,
    ])
    func `a .storekit file may lack nearly everything`(text: String) throws {
        let store = try CatalogueFile.load(bytes: Array(text.utf8), path: "x.storekit")
        #expect(store.products.isEmpty)
        #expect(store.defaultCountry == StoreSamples.states)
        #expect(store.locale == "en_US")
    }

    @Test func `settings of a .storekit file are the first test settings`() throws {
        let text = """
            {"version": {"major": 4}, "settings": {"_failTransactionsEnabled": true,
             "_askToBuyEnabled": true, "_storefront": "JPN", "_new": {"a": [1]}}}
            """
        let store = try CatalogueFile.load(bytes: Array(text.utf8), path: "x.storekit")
        #expect(
            store.initialSettings
                == StoreTestSettings(
                    failTransactionsEnabled: true, askToBuyEnabled: true,
                    storefront: StoreSamples.japan))
        #expect(store.account("whoever you like")?.country == StoreSamples.japan)
    }

    @Test func `an account is added once, and not where every name is right`() {
        var own = StoreCatalogue(
            defaultCountry: StoreSamples.france, accounts: .listed([]), products: [])
        own.ensureAccount("demo")
        own.ensureAccount("demo")
        #expect(
            own.accounts == .listed([SandboxAccount(name: "demo", country: StoreSamples.france)]))
        var apple = StoreCatalogue(
            defaultCountry: StoreSamples.france, accounts: .anyName(country: StoreSamples.france),
            products: [])
        apple.ensureAccount("demo")
        #expect(apple.accounts == .anyName(country: StoreSamples.france))
    }

    @Test func `a name may have 256 bytes and no more, and must have one`() throws {
        let longest = AccountName(String(repeating: "é", count: 128))
        let apple = StoreCatalogue(
            defaultCountry: StoreSamples.france, accounts: .anyName(country: StoreSamples.france),
            products: [])
        #expect(apple.account(longest) != nil)
        #expect(apple.account(AccountName(longest.string + "x")) == nil)
        #expect(apple.account("") == nil)
        let text = """
            {"version": 1, "defaultCountry": "FR",
             "products": [{"productIdentifier": "\(longest)", "type": "consumable"}]}
            """
        let own = try CatalogueFile.load(bytes: Array(text.utf8), path: "own.json")
        #expect(own.products.map(\.productIdentifier) == [longest])
    }

    @Test func `a catalogue that is changed is searched as it is then`() {
        var store = StoreCatalogue.example
        store.products.removeFirst()
        #expect(store.product("coins.100", in: StoreSamples.germany) == nil)
        #expect(store.product("remove-ads", in: StoreSamples.germany) != nil)
    }

    private func money(_ currencyCode: String, _ amount: String) -> Price {
        Price(amount: Amount(amount) ?? StoreSamples.zero, currencyCode: currencyCode)
    }
}
