import PaymentCore
import PaymentTesting
import SandboxControl
import Testing

extension BackendCheck {
    private static let monthly = ProductIdentifier("pro.monthly")
    private static let yearly = ProductIdentifier("pro.yearly")

    static let subscriptions = [
        BackendCheck("A subscription renews itself, one order at a time, each told of") {
            store, control async throws in
            let first = try await store.order(
                try StoreSamples.request(1, product: "pro.monthly", token: "t"))
            try await store.complete(order: first, account: "demo")
            let told = try await ToldChanges(of: store)
            try await control.advance(events: 1)
            await told.hears([.orders("demo")])
            try await control.advance(events: 2)
            let orders = await control.testOrders()
            #expect(orders.map(\.isRenewal) == [false, true, true, true])
            #expect(orders.allSatisfy { $0.original == first && $0.appAccountToken == "t" })
            let found = try await store.all(.unfinished, of: "demo").purchases
            #expect(found.map(\.order) == [try #require(orders.last).order])
            #expect(found.first?.isRenewal == true)
            #expect(found.first?.appAccountToken == "t")
            #expect(try await store.all(.restorable, of: "demo").purchases == found)
        },
        BackendCheck("Completing the newest of a chain completes the older ones") {
            store, control async throws in
            _ = try await store.order(try StoreSamples.request(1, product: "pro.monthly"))
            try await control.advance(events: 3)
            let newest = try #require(await control.testOrders().last)
            try await store.complete(order: newest.order, account: "demo")
            #expect(await control.testOrders().allSatisfy(\.completed))
            #expect(try await store.all(.unfinished, of: "demo").purchases.isEmpty)
        },
        BackendCheck("The clock stops at its limit and never goes back") {
            _, control async throws in
            let start = await control.testClock().now
            let later = start.advanced(bySeconds: 1000)
            #expect(try await control.advanceTestClock(to: later).now >= later)
            #expect(try await control.advanceTestClock(to: start).now >= later)
            #expect(await control.testClock().nextEventAt == nil)
        },
        BackendCheck("Without renewal a subscription ends with its period") {
            store, control async throws in
            _ = try await store.order(try StoreSamples.request(1, product: "pro.monthly"))
            _ = try await control.run(.autoRenew(monthly, false), account: "demo")
            #expect(try await store.all(.entitlements, of: "demo").purchases.count == 1)
            try await control.advance(events: 1)
            #expect(await control.testOrders().count == 1)
            #expect(try await store.all(.entitlements, of: "demo").purchases.isEmpty)
            #expect(await control.testClock().nextEventAt == nil)
            await #expect(throws: TestFailure.noSubscription(monthly)) {
                try await control.run(.renew(monthly), account: "demo")
            }
        },
        BackendCheck("A subscription can be ended and renewed at will") {
            store, control async throws in
            let first = try await store.order(try StoreSamples.request(1, product: "pro.monthly"))
            _ = try await control.run(.autoRenew(monthly, false), account: "demo")
            let renewed = try #require(
                try await control.run(.renew(monthly), account: "demo"))
            #expect(renewed.isRenewal && renewed.original == first)
            try await control.advance(events: 1)
            #expect(await control.testOrders().count == 3)
            _ = try await control.run(.expire(monthly), account: "demo")
            #expect(try await store.all(.restorable, of: "demo").purchases.isEmpty)
            #expect(await control.testClock().nextEventAt == nil)
        },
        BackendCheck("A renewal that cannot be paid has its grace, is retried and resolved") {
            store, control async throws in
            let first = try await store.order(try StoreSamples.request(1, product: "pro.monthly"))
            try await control.set {
                $0.shouldEnterBillingRetryOnRenewal = true
                $0.billingGracePeriodIsEnabled = true
            }
            try await control.advance(events: 1)
            #expect(try await store.all(.entitlements, of: "demo").purchases.count == 1)
            try await control.advance(events: 1)
            #expect(try await store.all(.entitlements, of: "demo").purchases.isEmpty)
            let paid = try #require(
                try await control.run(.resolve(.order(first)), account: nil))
            #expect(paid.isRenewal)
            #expect(
                try await store.all(.entitlements, of: "demo").purchases.map(\.order)
                    == [paid.order])
            await #expect(throws: TestFailure.notDecidable(.purchased)) {
                try await control.run(.resolve(.order(first)), account: nil)
            }
        },
        BackendCheck("After sixty days nobody tries to renew any more") {
            store, control async throws in
            _ = try await store.order(try StoreSamples.request(1, product: "pro.monthly"))
            try await control.set { $0.shouldEnterBillingRetryOnRenewal = true }
            try await control.advance(events: 1)
            let end = await control.testClock().now
            #expect(try await store.all(.entitlements, of: "demo").purchases.isEmpty)
            try await control.advance(events: 1)
            #expect(await control.testClock().now == end.advanced(bySeconds: 60 * 86_400))
            #expect(await control.testClock().nextEventAt == nil)
        },
        BackendCheck("A higher price is paid with consent, ends with silence or a refusal") {
            store, control async throws in
            for (number, answer) in PriceIncreaseAnswer.allCases.enumerated() {
                let account: AccountName = ["demo", "alice", "bob"][number]
                let country = [StoreSamples.germany, StoreSamples.states, StoreSamples.france][
                    number]
                let first = try await store.order(
                    try StoreSamples.request(
                        UInt64(number), account: account, product: "pro.monthly",
                        country: country))
                _ = try await control.run(
                    .priceIncrease(monthly, .pending), account: account)
                _ = try await control.run(.priceIncrease(monthly, answer), account: account)
                try await control.advance(events: 1)
                let chain = await control.testOrders().filter { $0.original == first }
                #expect(chain.count == (answer == .consent ? 2 : 1))
                if let last = chain.last, answer == .consent {
                    #expect(last.price != chain[0].price)
                    _ = try await control.run(.expire(monthly), account: account)
                }
            }
        },
        BackendCheck("A higher level begins at once, a lower one with the next renewal") {
            store, control async throws in
            // In the example the monthly one stands before the yearly one, so it is the higher.
            let first = try await store.order(try StoreSamples.request(1, product: "pro.yearly"))
            let upgrade = try await store.order(try StoreSamples.request(2, product: "pro.monthly"))
            #expect(
                try await store.all(.restorable, of: "demo").purchases.map(\.order) == [upgrade])
            _ = try await store.order(try StoreSamples.request(3, product: "pro.yearly"))
            let running = try await store.all(.restorable, of: "demo").purchases
            #expect(running.map(\.order) == [upgrade])
            try await control.advance(events: 1)
            let renewed = try #require(try await store.all(.restorable, of: "demo").purchases.first)
            #expect(renewed.product.productIdentifier == yearly)
            #expect(renewed.isRenewal && renewed.original == first)
        },
    ]
}
