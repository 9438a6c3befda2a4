import PaymentCore
import PaymentTesting
import SandboxControl
import Testing

extension BackendCheck {
    static let testControls = [
        BackendCheck("An approval makes a deferred order paid, and is told of") {
            store, control async throws in
            try await control.set { $0.askToBuyEnabled = true }
            let request = try StoreSamples.request(1, product: "pro.monthly")
            let told = try await ToldChanges(of: store)
            guard case .deferred(let order) = try await store.submit(request) else {
                Issue.record("nobody was asked")
                return
            }
            let reference = OrderReference.transaction(request.transaction)
            #expect(
                try await control.run(.decide(reference, approved: true), account: nil)?.state
                    == .purchased)
            await told.hears([.orders("demo")])
            #expect(
                try await store.submit(request).paidOrders == [order, order])
            #expect(await control.testClock().nextEventAt != nil)
            await #expect(throws: TestFailure.notDecidable(.purchased)) {
                try await control.run(.decide(reference, approved: true), account: nil)
            }
            await #expect(throws: TestFailure.noSuchOrder) {
                try await control.run(
                    .decide(.transaction(StoreSamples.transaction(9)), approved: true), account: nil
                )
            }
        },
        BackendCheck("An interrupted purchase fails, and is paid once it is resolved") {
            store, control async throws in
            try await control.set { $0.interruptedPurchasesEnabled = true }
            let request = try StoreSamples.request(1)
            guard case .failed(.interrupted, let order?) = try await store.submit(request) else {
                Issue.record("it was not interrupted")
                return
            }
            #expect(try await store.all(.unfinished, of: "demo").purchases.isEmpty)
            let told = try await ToldChanges(of: store)
            _ = try await control.run(.resolve(.order(order)), account: nil)
            await told.hears([.orders("demo")])
            let found = try #require(try await store.all(.unfinished, of: "demo").purchases.first)
            #expect(found.order == order && found.transaction == request.transaction)
            await #expect(throws: TestFailure.notDecidable(.purchased)) {
                try await control.run(.resolve(.order(order)), account: nil)
            }
        },
        BackendCheck("An error can be simulated for each call, and disarmed") {
            store, control async throws in
            let order = try await store.order(try StoreSamples.request(1))
            let calls: [(SimulatedCall, () async throws(StoreFailure) -> Void)] = [
                (
                    .products,
                    { () async throws(StoreFailure) in
                        _ = try await store.catalogue(of: StoreSamples.germany)
                    }
                ),
                (
                    .login,
                    { () async throws(StoreFailure) in
                        _ = try await store.logIn(account: "demo", credential: nil)
                    }
                ),
                (
                    .completion,
                    { () async throws(StoreFailure) in
                        try await store.complete(order: order, account: "demo")
                    }
                ),
                (
                    .reconciliation,
                    { () async throws(StoreFailure) in
                        _ = try await store.purchases(.unfinished, of: "demo", page: nil)
                    }
                ),
                (
                    .restore,
                    { () async throws(StoreFailure) in
                        _ = try await store.purchases(.restorable, of: "demo", page: nil)
                    }
                ),
                (
                    .restore,
                    { () async throws(StoreFailure) in
                        _ = try await store.purchases(.entitlements, of: "demo", page: nil)
                    }
                ),
            ]
            for (name, call) in calls {
                try await control.set { $0.simulatedErrors = [name: .serviceUnavailable] }
                #expect(await failure(call) == .serviceUnavailable, "\(name)")
                try await control.set { $0.simulatedErrors = [name: nil] }
                try await call()
            }
            try await control.set { $0.simulatedErrors = [.purchase: .connectionError] }
            let request = try StoreSamples.request(2)
            let kind = await failure { () async throws(StoreFailure) in
                try await store.submit(request)
            }
            #expect(kind == .connectionError)
            #expect(await control.testOrders().count == 1)
        },
        BackendCheck("Settings that move accounts or texts are told of") {
            store, control async throws in
            let told = try await ToldChanges(of: store)
            try await control.set { $0.storefront = StoreSamples.japan }
            await told.hears([.account(nil)])
            try await control.set { $0.paymentsAllowed = false }
            await told.hears([.account(nil)])
            try await control.set { $0.locale = "de_DE" }
            await told.hears([.catalogue])
            let catalogue = try await store.catalogue(of: StoreSamples.germany)
            #expect(catalogue.product("coins.100")?.localizedTitle == "100 Münzen")
            try await control.set { $0.latencyMs = 0 }
            #expect(told.isSilent)
        },
        BackendCheck("A reset puts every setting back and keeps the orders") {
            store, control async throws in
            let before = await control.testSettings()
            _ = try await store.order(try StoreSamples.request(1))
            try await control.set {
                $0.storefront = StoreSamples.japan
                $0.askToBuyEnabled = true
                $0.simulatedErrors = [.history: .connectionError]
                $0.timeRate = .monthSeconds(300)
            }
            _ = try await control.run(.reset, account: nil)
            #expect(await control.testSettings() == before)
            #expect(await control.testOrders().count == 1)
        },
        BackendCheck("Deleting the first of a chain deletes its renewals, and no order returns") {
            store, control async throws in
            let other = try await store.order(try StoreSamples.request(1))
            let request = try StoreSamples.request(2, product: "pro.monthly")
            let first = try await store.order(request)
            try await control.advance(events: 2)
            let deleted = try await control.run(.deleteOrder(.order(first)), account: nil)
            #expect(deleted?.order == first)
            #expect(await control.testOrders().map(\.order) == [other])
            #expect(await control.testClock().nextEventAt == nil)
            // The transaction is not charged a second time.
            guard case .failed(_, nil) = try await store.submit(request) else {
                Issue.record("a deleted order was placed again")
                return
            }
            #expect(await control.testOrders().count == 1)
            try await store.complete(order: first, account: "demo")
            await #expect(throws: TestFailure.noSuchOrder) {
                try await control.run(.deleteOrder(.order(first)), account: nil)
            }
        },
        BackendCheck("Clearing forgets every order and no setting") {
            store, control async throws in
            try await control.set { $0.locale = "de_DE" }
            for number: UInt64 in 1...600 {
                _ = try await store.order(StoreSamples.request(number))
            }
            let told = try await ToldChanges(of: store)
            _ = try await control.run(.clear, account: nil)
            await told.hears([.orders("demo")])
            #expect(await control.testOrders().isEmpty)
            #expect(try await store.all(.unfinished, of: "demo") == PurchasePage())
            #expect(await control.testSettings().locale == "de_DE")
        },
        BackendCheck("Orders are listed on pages, and a page that never was is refused") {
            store, control async throws in
            for number: UInt64 in 1...5 { _ = try await store.order(StoreSamples.request(number)) }
            let first = try await control.testOrders(page: nil, limit: 3)
            let second = try await control.testOrders(page: first.next, limit: 3)
            #expect(first.orders.count == 3 && second.orders.count == 2 && second.next == nil)
            await #expect(throws: TestFailure.pageExpired) {
                _ = try await control.testOrders(page: "nonsense", limit: 3)
            }
        },
    ]
}
