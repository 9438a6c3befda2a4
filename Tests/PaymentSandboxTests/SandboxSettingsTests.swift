import PaymentCore
import PaymentSandbox
import PaymentTesting
import SandboxControl
import StrictJSON
import Testing

@Suite struct SandboxSettingsTests {
    @Test func `what is known without asking follows the locale and the simulated error`()
        async throws
    {
        let sandbox = try StoreSamples.sandbox()
        let title = {
            sandbox.knownCatalogue(of: StoreSamples.germany)?.product("coins.100")?.localizedTitle
        }
        #expect(title() == "100 coins")
        try await sandbox.set { $0.locale = "de_DE" }
        #expect(title() == "100 Münzen")
        try await sandbox.set { $0.simulatedErrors = [.products: .connectionError] }
        #expect(title() == nil)
        _ = try await sandbox.run(.reset, account: nil)
        #expect(title() == "100 coins")
    }

    @Test func `where an account is follows settings, a reset and another catalogue`() async throws
    {
        let sandbox = try StoreSamples.sandbox()
        #expect(try await sandbox.country(of: "carol") == CountryCode("GB"))
        try await sandbox.set { $0.storefront = StoreSamples.japan }
        #expect(try await sandbox.country(of: "carol") == StoreSamples.japan)
        _ = try await sandbox.run(.reset, account: nil)
        #expect(try await sandbox.country(of: "carol") == CountryCode("GB"))
        let kind = await failure { () async throws(StoreFailure) in
            try await sandbox.country(of: "nobody that there is")
        }
        #expect(kind == .unknownAccount)
    }

    @Test func `a rate or a locale that cannot be is refused`() async throws {
        let sandbox = try StoreSamples.sandbox()
        for change in [
            StoreSamples.change { $0.timeRate = .apple(14) },
            StoreSamples.change { $0.timeRate = .monthSeconds(0) },
            StoreSamples.change { $0.locale = OpaqueText(String(repeating: "x", count: 65)) },
        ] {
            let kind = await failure { () async throws(StoreFailure) in
                try await sandbox.applyTestSettings(change)
            }
            #expect(kind == .internalError)
        }
    }

    @Test func `the settings of a .storekit file are those that a reset goes back to`() throws {
        let text = """
            {"version": {"major": 4}, "settings": {
              "_askToBuyEnabled": true, "_billingGracePeriodEnabled": true,
              "_billingIssuesEnabled": true, "_renewalBillingIssuesEnabled": true,
              "_storefront": "DEU", "_timeRate": 6, "_storeKitErrors": [
                {"name": "Load Products", "enabled": true, "current": "networkError"},
                {"name": "App Store Sync", "enabled": true, "current": {"type": "generic"}},
                {"name": "Purchase", "enabled": false, "current": null},
                {"name": "Verification", "enabled": true, "current": "x"}]}}
            """
        let store = try CatalogueFile.load(bytes: Array(text.utf8), path: "a.storekit")
        var expected = StoreTestSettings(askToBuyEnabled: true, storefront: StoreSamples.germany)
        expected.billingGracePeriodIsEnabled = true
        expected.interruptedPurchasesEnabled = true
        expected.shouldEnterBillingRetryOnRenewal = true
        expected.timeRate = .apple(6)
        expected.simulatedErrors = [.products: .connectionError, .restore: .serviceUnavailable]
        #expect(store.initialSettings == expected)
    }

    @Test func `a level in the catalogue counts more than the place`() async throws {
        let product = { (name: String, level: String) in
            """
            {"productIdentifier": "\(name)", "type": "autoRenewableSubscription", \(level)
             "localizedTitle": "x", "subscriptionPeriod": "P1M",
             "subscriptionGroupIdentifier": "g",
             "prices": {"DE": {"amount": "1", "currencyCode": "EUR"}}}
            """
        }
        let text = """
            {"version": 1, "defaultCountry": "DE",
             "accounts": [{"name": "demo", "country": "DE"}], "products": [
             \(product("low", "\"subscriptionLevel\": 2,")),
             \(product("high", "\"subscriptionLevel\": 1,"))]}
            """
        let store = try CatalogueFile.load(bytes: Array(text.utf8), path: "own.json")
        let sandbox = try StoreSamples.sandbox(store: store)
        for name: ProductIdentifier in ["low", "high", "low"] {
            _ = try await sandbox.run(.buy(name, appAccountToken: nil), account: "demo")
        }
        let served = try await sandbox.all(.entitlements, of: "demo").purchases
        #expect(served.map(\.product.productIdentifier) == ["high"])
        // Taking back the change for the worse leaves everything as it is.
        let plan = try #require(await sandbox.testOrders().last)
        _ = try await sandbox.run(.refund(.order(plan.order)), account: nil)
        try await sandbox.advance(events: 1)
        #expect(await sandbox.testOrders().last?.product == "high")
    }

    @Test func `what was turned down is turned down after a restart as well`() async throws {
        let journal = MemorySandboxJournal()
        let first = try StoreSamples.sandbox(journal: journal)
        var request = try StoreSamples.request(1)
        request.product.price = Price(amount: StoreSamples.zero, currencyCode: "EUR")
        let told = try await first.submit(request)
        let second = try StoreSamples.sandbox(
            journal: MemorySandboxJournal(events: journal.durableEvents), seed: 2)
        #expect(try await second.submit(request) == told)
        #expect(try await second.submit(try StoreSamples.request(1)) == told)
        #expect(await second.testOrders().isEmpty)
    }

    @Test func `a journal of before subscriptions still loads`() async throws {
        let order = StoreSamples.order(1)
        let lines: [(String, JSONValue)] = [
            (
                "orderPlaced",
                [
                    "account": "demo", "amount": "9.99", "country": "DE", "currency": "EUR",
                    "order": .string(order.description), "original": .string(order.description),
                    "placedAt": "2023-11-14T22:13:20.123Z", "product": "remove-ads",
                    "state": "deferred",
                    "transaction": .string(StoreSamples.transaction(1).description),
                ]
            ), ("orderSettled", ["order": .string(order.description)]),
            ("settingsChanged", ["latencyMs": 0]),
        ]
        var events: [SandboxEvent] = []
        for line in lines { events.append(try SandboxEvent(typeWord: line.0, payload: line.1)) }
        let sandbox = try StoreSamples.sandbox(journal: MemorySandboxJournal(events: events))
        #expect(try await sandbox.all(.restorable, of: "demo").purchases.map(\.order) == [order])
        #expect(try await sandbox.all(.unfinished, of: "demo").purchases.map(\.order) == [order])
    }
}
