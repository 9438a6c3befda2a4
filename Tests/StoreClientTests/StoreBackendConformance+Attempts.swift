import PaymentCore
import PaymentTesting
import Testing

extension BackendCheck {
    /// A request for coins at a price that is not theirs.
    private static func cheap(_ number: UInt64, attempt: UInt32) throws -> OrderRequest {
        var request = try StoreSamples.request(number)
        request.product.price = Price(amount: try #require(Amount("0.01")), currencyCode: "EUR")
        request.attempt = attempt
        return request
    }

    static let attempts = [
        BackendCheck("What was turned down is turned down again, however late it comes") {
            store, control async throws in
            let sold = try StoreSamples.product("coins.100")
            #expect(try await store.submit(try cheap(1, attempt: 1)) == .priceChanged(sold))
            #expect(try await store.submit(try cheap(1, attempt: 1)) == .priceChanged(sold))
            // Even at a price that would be right by now.
            #expect(try await store.submit(try StoreSamples.request(1)) == .priceChanged(sold))
            #expect(await control.testOrders().isEmpty)
        },
        BackendCheck("An attempt that a later one has overtaken charges nothing") {
            store, control async throws in
            let sold = try StoreSamples.product("coins.100")
            #expect(try await store.submit(try cheap(1, attempt: 2)) == .priceChanged(sold))
            #expect(try await store.submit(try StoreSamples.request(1)) == .priceChanged(sold))
            #expect(await control.testOrders().isEmpty)
        },
        BackendCheck("A later attempt is decided afresh, and every attempt hears of its order") {
            store, control async throws in
            _ = try await store.submit(try cheap(1, attempt: 1))
            var second = try StoreSamples.request(1)
            second.attempt = 2
            let outcome = try await store.submit(second)
            guard case .purchased = outcome else {
                Issue.record("the price was right: \(outcome)")
                return
            }
            #expect(try await store.submit(try cheap(1, attempt: 1)) == outcome)
            #expect(try await store.submit(try cheap(1, attempt: 3)) == outcome)
            #expect(await control.testOrders().count == 1)
        },
        BackendCheck("What is not sold somewhere may be bought elsewhere by a later attempt") {
            store, control async throws in
            var request = try StoreSamples.request(1, product: "map.berlin")
            request.country = StoreSamples.france
            try await control.set { $0.storefront = StoreSamples.france }
            #expect(try await store.submit(request) == .notSold)
            request.country = StoreSamples.germany
            try await control.set { $0.storefront = StoreSamples.germany }
            #expect(try await store.submit(request) == .notSold)
            request.attempt = 2
            guard case .purchased = try await store.submit(request) else {
                Issue.record("it is sold in Germany")
                return
            }
            #expect(await control.testOrders().count == 1)
        },
    ]
}
