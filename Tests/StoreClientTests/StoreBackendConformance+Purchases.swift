import PaymentCore
import PaymentTesting
import SandboxControl
import Testing

extension BackendCheck {
    static let purchases = [
        BackendCheck("What is paid and not completed is unfinished until it is completed") {
            store, _ async throws in
            let order = try await store.order(try StoreSamples.request(1, token: "t"))
            let other = try await store.order(
                try StoreSamples.request(2, account: "bob", country: StoreSamples.france))
            let found = try #require(try await store.all(.unfinished, of: "demo").purchases.first)
            #expect(found.order == order)
            #expect(found.transaction == StoreSamples.transaction(1))
            #expect(found.product == (try StoreSamples.product("coins.100")))
            #expect(found.appAccountToken == "t")
            #expect(!found.isCompleted && !found.isRenewal)
            try await store.complete(order: order, account: "demo")
            #expect(try await store.all(.unfinished, of: "demo").purchases.isEmpty)
            #expect(try await store.all(.unfinished, of: "bob").purchases.map(\.order) == [other])
        },
        BackendCheck("Only what lasts can be restored, and of that one order per product") {
            store, _ async throws in
            for (number, product) in ["coins.100", "season.pass", "remove-ads"].enumerated() {
                _ = try await store.order(
                    try StoreSamples.request(UInt64(number), product: product))
            }
            let again = try await store.order(try StoreSamples.request(7, product: "remove-ads"))
            let monthly = try await store.order(try StoreSamples.request(8, product: "pro.monthly"))
            for selection in [PurchaseSelection.restorable, .entitlements] {
                let found = try await store.all(selection, of: "demo")
                #expect(found.purchases.map(\.order) == [again, monthly])
            }
            try await store.complete(order: again, account: "demo")
            #expect(try await store.all(.restorable, of: "demo").purchases.count == 2)
        },
        BackendCheck("Many purchases come on pages, each of them once") { store, _ async throws in
            var orders: [OrderID] = []
            for number: UInt64 in 1...1001 {
                orders.append(try await store.order(try StoreSamples.request(number)))
            }
            let first = try await store.purchases(.unfinished, of: "demo", page: nil)
            #expect(first.purchases.count == 500)
            #expect(try await store.all(.unfinished, of: "demo").purchases.map(\.order) == orders)
            let kind = await failure { () async throws(StoreFailure) in
                try await store.purchases(.unfinished, of: "demo", page: "nonsense")
            }
            #expect(kind == .internalError)
        },
        BackendCheck("What was taken back is named as such and cannot be restored") {
            store, control async throws in
            let order = try await store.order(try StoreSamples.request(1, product: "remove-ads"))
            let told = try await ToldChanges(of: store)
            let refunded = try await control.run(.refund(.order(order)), account: nil)
            #expect(refunded?.state == .refunded)
            #expect(refunded?.charge?.revocation != nil)
            await told.hears([.orders("demo")])
            let found = try await store.all(.unfinished, of: "demo")
            #expect(found.purchases.isEmpty)
            #expect(found.revoked.map(\.order) == [order])
            #expect(found.revoked.map(\.product) == ["remove-ads"])
            #expect(try await store.all(.restorable, of: "demo") == PurchasePage())
            try await store.complete(order: order, account: "demo")
            #expect(try await control.run(.refund(.order(order)), account: nil)?.order == order)
            #expect(told.isSilent)
        },
        BackendCheck("A purchase made elsewhere is brought and told of") {
            store, control async throws in
            let told = try await ToldChanges(of: store, as: "alice")
            let made = try #require(
                try await control.run(
                    .buy("remove-ads", appAccountToken: "t"), account: "alice"))
            #expect(made.transaction == nil)
            await told.hears([.orders("alice")])
            let found = try #require(try await store.all(.unfinished, of: "alice").purchases.first)
            #expect(found.order == made.order && found.transaction == nil)
            #expect(found.country == StoreSamples.states)
            #expect(found.appAccountToken == "t")
            await #expect(throws: TestFailure.notLoggedIn) {
                try await control.run(.buy("remove-ads", appAccountToken: nil), account: nil)
            }
            await #expect(throws: TestFailure.unknownProduct("map.berlin")) {
                try await control.run(.buy("map.berlin", appAccountToken: nil), account: "alice")
            }
        },
        BackendCheck("What a call of the store asked for is told to nobody") {
            store, _ async throws in
            let told = try await ToldChanges(of: store)
            let order = try await store.order(try StoreSamples.request(1))
            try await store.complete(order: order, account: "demo")
            #expect(told.isSilent)
        },
    ]
}
