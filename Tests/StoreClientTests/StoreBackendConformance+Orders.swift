import PaymentCore
import PaymentTesting
import SandboxControl
import Testing

extension BackendCheck {
    static let repetitions = [
        BackendCheck("Asking again names the same order and places no other") {
            store, control async throws in
            let request = try StoreSamples.request(1)
            let first = try await store.submit(request)
            let second = try await store.submit(request)
            #expect(first == second)
            #expect(await control.testOrders().count == 1)
        },
        BackendCheck("Another transaction for the same is another order") {
            store, control async throws in
            let first = try await store.submit(try StoreSamples.request(1))
            let second = try await store.submit(try StoreSamples.request(2))
            #expect(first != second)
            #expect(await control.testOrders().count == 2)
        },
        BackendCheck("A transaction that ordered one thing cannot order another") {
            store, control async throws in
            let first = try StoreSamples.request(1, token: "t")
            let outcome = try await store.submit(first)
            var requests = [
                try StoreSamples.request(1, product: "remove-ads", token: "t"),
                try StoreSamples.request(1, account: "bob", token: "t"),
                try StoreSamples.request(1, country: StoreSamples.france, token: "t"),
                try StoreSamples.request(1, token: "u"), try StoreSamples.request(1),
            ]
            var cheaper = first
            cheaper.product.price = Price(amount: try #require(Amount("1")), currencyCode: "EUR")
            requests.append(cheaper)
            for other in requests {
                let kind = await failure { () async throws(StoreFailure) in
                    try await store.submit(other)
                }
                #expect(kind == .internalError)
            }
            #expect(await control.testOrders().count == 1)
            #expect(try await store.submit(first) == outcome)
        },
        BackendCheck("A failed order stays failed when asked again") {
            store, control async throws in
            _ = try await control.applyTestSettings(
                StoreSamples.change { $0.failTransactionsEnabled = true })
            let request = try StoreSamples.request(1)
            let first = try await store.submit(request)
            _ = try await control.applyTestSettings(
                StoreSamples.change { $0.failTransactionsEnabled = false })
            #expect(try await store.submit(request) == first)
            #expect(await control.testOrders().count == 1)
        },
        BackendCheck("A non-consumable can be bought again as an order of its own") {
            store, _ async throws in
            let first = try await store.submit(try StoreSamples.request(1, product: "remove-ads"))
            let second = try await store.submit(try StoreSamples.request(2, product: "remove-ads"))
            #expect(first != second)
        },
    ]

    static let ends = [
        BackendCheck("Completing an order twice is as good as once") {
            store, control async throws in
            guard let order = try await store.submit(try StoreSamples.request(1)).paidOrders.first
            else { return }
            try await store.complete(order: order, account: "demo")
            try await store.complete(order: order, account: "demo")
            #expect(await control.testOrders().map(\.completed) == [true])
        },
        BackendCheck("Completing an order that is not there does no harm") {
            store, control async throws in
            try await store.complete(order: StoreSamples.order(1), account: "demo")
            #expect(await control.testOrders().isEmpty)
        },
        BackendCheck("Nobody completes another account's order") { store, control async throws in
            guard let order = try await store.submit(try StoreSamples.request(1)).paidOrders.first
            else { return }
            let kind = await failure { () async throws(StoreFailure) in
                try await store.complete(order: order, account: "bob")
            }
            #expect(kind == .internalError)
            #expect(await control.testOrders().map(\.completed) == [false])
        },
        BackendCheck("An order that was not paid cannot be completed") {
            store, control async throws in
            _ = try await control.applyTestSettings(
                StoreSamples.change { $0.failTransactionsEnabled = true })
            _ = try await store.submit(try StoreSamples.request(1))
            let order = try #require(await control.testOrders().first)
            let kind = await failure { () async throws(StoreFailure) in
                try await store.complete(order: order.order, account: "demo")
            }
            #expect(kind == .internalError)
        },
    ]

    static let controls = [
        BackendCheck("Every failure word ends orders its own way") { store, control async throws in
            let internalError = { PaymentFailure(.internalError, reason: $0) }
            let table: [(String, PaymentFailure)] = [
                ("cancelled", PaymentFailure(.cancelled)),
                ("declined", internalError("declined")),
                ("presentationFailed", PaymentFailure(.presentationFailed)),
                ("unknown", internalError("unknown")),
                ("invalidOfferIdentifier", internalError("invalidOfferIdentifier")),
                ("invalidSignature", internalError("invalidSignature")),
                ("missingOfferParams", internalError("missingOfferParams")),
                ("invalidOfferPrice", internalError("invalidOfferPrice")),
            ]
            for (number, (word, expected)) in table.enumerated() {
                _ = try await control.applyTestSettings(
                    StoreSamples.change {
                        $0.failTransactionsEnabled = true
                        $0.failureError = word
                    })
                let outcome = try await store.submit(try StoreSamples.request(UInt64(number)))
                let order = try #require(await control.testOrders().last)
                #expect(outcome == .failed(expected, order: order.order))
                #expect(order.state == .failed)
                #expect(order.failure == expected)
            }
        },
        BackendCheck("A setting out of range is refused and changes nothing") {
            _, control async throws in
            let before = await control.testSettings()
            let changes = [
                StoreSamples.change { $0.failureError = "overlayTimeout" },
                StoreSamples.change { $0.latencyMs = -1 },
                StoreSamples.change { $0.latencyMs = 600_001 },
                StoreSamples.change { $0.storefront = CountryCode("QQ") },
            ]
            for change in changes {
                var both = change
                both.askToBuyEnabled = true
                let kind = await failure { () async throws(StoreFailure) in
                    try await control.applyTestSettings(both)
                }
                #expect(kind == .internalError)
            }
            #expect(await control.testSettings() == before)
        },
        BackendCheck("A change leaves other settings alone") { _, control async throws in
            _ = try await control.applyTestSettings(
                StoreSamples.change { $0.askToBuyEnabled = true })
            let after = try await control.applyTestSettings(
                StoreSamples.change { $0.failureError = "cancelled" })
            #expect(after.askToBuyEnabled)
            #expect(after.failureError == "cancelled")
            #expect(await control.testSettings() == after)
        },
        BackendCheck("While the store is down nothing is answered and nothing done") {
            store, control async throws in
            _ = try await control.applyTestSettings(StoreSamples.change { $0.storeDown = true })
            let request = try StoreSamples.request(1)
            let kinds = [
                await failure { () async throws(StoreFailure) in try await store.submit(request) },
                await failure { () async throws(StoreFailure) in
                    try await store.logIn(account: "demo", credential: nil)
                },
                await failure { () async throws(StoreFailure) in
                    try await store.catalogue(of: StoreSamples.germany)
                },
                await failure { () async throws(StoreFailure) in try await store.defaultCountry() },
            ]
            #expect(kinds == Array(repeating: .connectionError, count: 4))
            #expect(await control.testOrders().isEmpty)
            _ = try await control.applyTestSettings(StoreSamples.change { $0.storeDown = false })
            guard case .purchased = try await store.submit(request) else {
                Issue.record("the store is up again")
                return
            }
        },
        BackendCheck("With ask to buy an order waits, also when asked again") {
            store, control async throws in
            _ = try await control.applyTestSettings(
                StoreSamples.change { $0.askToBuyEnabled = true })
            let request = try StoreSamples.request(1)
            let first = try await store.submit(request)
            _ = try await control.applyTestSettings(
                StoreSamples.change { $0.askToBuyEnabled = false })
            let order = try #require(await control.testOrders().first)
            #expect(first == .deferred(order: order.order))
            #expect(try await store.submit(request) == first)
            #expect(order.state == .deferred)
        },
        BackendCheck("Whoever may not buy gets a failed order") { store, control async throws in
            let dora = try await store.submit(
                try StoreSamples.request(1, account: "dora", country: StoreSamples.japan))
            _ = try await control.applyTestSettings(
                StoreSamples.change { $0.paymentsAllowed = false })
            #expect(try await !store.facts(of: "demo").paymentsAllowed)
            let demo = try await store.submit(try StoreSamples.request(2))
            let orders = await control.testOrders()
            let failure = PaymentFailure(.internalError, reason: "paymentNotAllowed")
            #expect(orders.map(\.failure) == [failure, failure])
            #expect(dora == .failed(failure, order: orders.first?.order))
            #expect(demo == .failed(failure, order: orders.last?.order))
        },
        BackendCheck("A storefront that was set is every account's country") {
            store, control async throws in
            _ = try await control.applyTestSettings(
                StoreSamples.change { $0.storefront = StoreSamples.japan })
            for account in ["demo", "alice"] {
                let session = try await store.logIn(account: AccountName(account), credential: nil)
                #expect(session.country == StoreSamples.japan)
            }
        },
    ]
}
