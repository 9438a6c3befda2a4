import PaymentCore
import PaymentTesting
import SandboxControl
import Testing

/// A store back end to be checked, freshly made with the example catalogue.
struct BackendUnderTest: Sendable, CustomTestStringConvertible {
    struct Parts: Sendable {
        let store: any StoreBackend
        let control: any StoreTestControl
        /// Ends what was begun for the check.
        var close: @Sendable () async throws -> Void = {}
    }

    let testDescription: String
    let make: @Sendable () async throws -> Parts
}

/// A thing that every store back end must do, whatever it is made of.
struct BackendCheck: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let run: @Sendable (BackendUnderTest.Parts) async throws -> Void

    init(
        _ sentence: String,
        _ run: @escaping @Sendable (any StoreBackend, any StoreTestControl) async throws -> Void
    ) {
        testDescription = sentence
        self.run = { try await run($0.store, $0.control) }
    }
}

extension BackendCheck {
    static let all =
        sessions + sales + repetitions + ends + controls + attempts + purchases + subscriptions
        + testControls

    static let sessions = [
        BackendCheck("An account gets a session in its own country") { store, _ async throws in
            let session = try await store.logIn(account: "alice", credential: nil)
            #expect(session == Session(account: "alice", country: StoreSamples.states))
        },
        BackendCheck("An account that is not there gets none") { store, _ async throws in
            let kind = await failure { () async throws(StoreFailure) in
                try await store.logIn(account: "nobody", credential: nil)
            }
            #expect(kind == .unknownAccount)
        },
        BackendCheck("Only the right credential opens a session") { store, _ async throws in
            for wrong: OpaqueText? in [nil, "", "open-sesam", "open-sesame ", "Open-sesame"] {
                let kind = await failure { () async throws(StoreFailure) in
                    try await store.logIn(account: "carol", credential: wrong)
                }
                #expect(kind == .badCredential)
            }
            let session = try await store.logIn(account: "carol", credential: "open-sesame")
            #expect(session.country == StoreSamples.country("GB"))
        },
        BackendCheck("An account may buy or not, and an unknown one is an error") {
            store, _ async throws in
            #expect(try await store.facts(of: "demo").paymentsAllowed)
            #expect(try await !store.facts(of: "dora").paymentsAllowed)
            let kind = await failure { () async throws(StoreFailure) in
                try await store.facts(of: "nobody")
            }
            #expect(kind == .unknownAccount)
        },
    ]

    static let sales = [
        BackendCheck("A country's catalogue has its own currency and products") {
            store, _ async throws in
            let german = try await store.catalogue(of: StoreSamples.germany)
            let japanese = try await store.catalogue(of: StoreSamples.japan)
            #expect(german.products.count == 6)
            #expect(japanese.products.count == 5)
            #expect(german.product("coins.100")?.price.currencyCode == "EUR")
            #expect(japanese.product("coins.100")?.price.amount.text == "300")
            #expect(japanese.product("map.berlin") == nil)
        },
        BackendCheck("A country without prices sells nothing") { store, _ async throws in
            #expect(try await store.catalogue(of: StoreSamples.country("NZ")).products.isEmpty)
        },
        BackendCheck("The default country is the catalogue's") { store, _ async throws in
            #expect(try await store.defaultCountry() == StoreSamples.germany)
        },
        BackendCheck("What an order says is kept with it") { store, control async throws in
            let request = try StoreSamples.request(
                1, account: "alice", country: StoreSamples.states, token: "t")
            let outcome = try await store.submit(request)
            let order = try #require(await control.testOrders().first)
            #expect(outcome.paidOrders == [order.order, order.order])
            #expect(order.transaction == request.transaction)
            #expect(order.account == "alice")
            #expect(order.product == "coins.100")
            #expect(order.price == request.product.price)
            #expect(order.country == StoreSamples.states)
            #expect(order.appAccountToken == "t")
            #expect(order.state == .purchased)
            #expect(!order.completed)
        },
        BackendCheck("Another price charges nothing and names the new one") {
            store, control async throws in
            var request = try StoreSamples.request(1)
            request.product.price = Price(amount: try #require(Amount("0.01")), currencyCode: "EUR")
            let sold = try StoreSamples.product("coins.100")
            #expect(try await store.submit(request) == .priceChanged(sold))
            #expect(await control.testOrders().isEmpty)
            request.product = sold
            request.attempt = 2
            guard case .purchased = try await store.submit(request) else {
                Issue.record("the new price was agreed to")
                return
            }
        },
        BackendCheck("The same number written longer is the same price") { store, _ async throws in
            var request = try StoreSamples.request(1)
            request.product.price = Price(
                amount: try #require(Amount("1.990")), currencyCode: "EUR")
            guard case .purchased = try await store.submit(request) else {
                Issue.record("1.990 is 1.99")
                return
            }
        },
        BackendCheck("What is not sold in a country is not charged there") {
            store, control async throws in
            var request = try StoreSamples.request(1, product: "map.berlin")
            request.country = StoreSamples.france
            try await control.set { $0.storefront = StoreSamples.france }
            #expect(try await store.submit(request) == .notSold)
            #expect(await control.testOrders().isEmpty)
        },
        BackendCheck(
            "Where the account is not any more nothing is charged, whatever it costs there"
        ) {
            store, control async throws in
            let first = try StoreSamples.request(1)
            try await control.set { $0.storefront = StoreSamples.states }
            #expect(try await store.submit(first) == .countryChanged(StoreSamples.states))
            // The same attempt has had its answer, also when the account is back.
            try await control.set { $0.storefront = StoreSamples.germany }
            #expect(try await store.submit(first) == .countryChanged(StoreSamples.states))
            #expect(await control.testOrders().isEmpty)
            var second = first
            second.attempt = 2
            guard case .purchased = try await store.submit(second) else {
                Issue.record("the account is there")
                return
            }
            // What is paid stays paid, wherever the account goes.
            try await control.set { $0.storefront = StoreSamples.states }
            guard case .purchased = try await store.submit(second) else {
                Issue.record("it is paid already")
                return
            }
            #expect(await control.testOrders().count == 1)
        },
    ]
}
