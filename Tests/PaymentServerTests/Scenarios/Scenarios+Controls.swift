import StrictJSON
import Testing

extension Scenario {
    /// What the controls of a sandbox bring about.
    static let controls: [Scenario] = [
        Scenario(
            "a country set at the store changes the storefront and causes a redelivery"
        ) {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe(["passive": true])
            let id = try await client.add("book")
            let set = try await client.call("test.set", ["storefront": "NOR"])
            #expect(set["storefront"] == "NO")
            let changed = try await client.event("storefrontChanged")
            #expect(changed["from"]?["countryCode"] == "DE")
            #expect(changed["to"]?["countryCode"] == "NO")
            #expect(changed["account"] == "anna")
            let again = try await client.notificationsUntilCaughtUp()
                .compactMap { $0.params(of: "event") }
            #expect(again.flatMap(\.transactionIDs) == [id])
            try await client.call("subscribe")
            let failed = try await client.transaction(id, becomes: "failed")
            #expect(failed["failureReason"] == "productNotAvailable")
            #expect(try await client.call("test.orders")["orders"] == [])
        },
        Scenario("a passive subscription causes no order at the store") {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe(["passive": true])
            let id = try await client.add()
            #expect(try await client.call("test.orders")["orders"] == [])
            try await client.call("subscribe")
            _ = try await client.call("wait", ["transaction": id])
            let orders = try await client.call("test.orders")["orders"]?.arrayValue ?? []
            #expect(orders.map { $0["transaction"] } == [id])
        },
        Scenario(
            "a declined purchase fails, and can be finished at once"
        ) {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe()
            try await client.call("test.set", ["failTransactionsEnabled": true])
            let id = try await client.add()
            let failed = try await client.transaction(id, becomes: "failed")
            #expect(failed["error"] == ["internalError": [:]])
            #expect(failed["failureReason"] == "declined")
            #expect(try await client.finish(id) == "removed")
        },
        Scenario(
            "settings have the defaults of the catalogue and are returned completely"
        ) {
            stage in
            let client = try await stage.client()
            let settings = try await client.call("test.get").get()
            for name in [
                "failTransactionsEnabled", "askToBuyEnabled", "interruptedPurchasesEnabled",
                "billingGracePeriodIsEnabled", "shouldEnterBillingRetryOnRenewal", "storeDown",
            ] { #expect(settings[name] == false, "\(name)") }
            #expect(settings["paymentsAllowed"] == true)
            #expect(settings["latencyMs"] == 0)
            let changed = try await client.set(["askToBuyEnabled": true, "latencyMs": 1])
            #expect(changed["askToBuyEnabled"] == true)
            #expect(changed["failTransactionsEnabled"] == false)
            #expect(try await client.call("test.get").get() == changed)
        },
        Scenario("settings and orders survive a restart") { stage in
            let client = try await stage.buyer()
            _ = try await client.buy()
            try await client.set(["askToBuyEnabled": true])
            try await stage.kill()
            let again = try await stage.client()
            #expect(try await again.call("test.get").get()["askToBuyEnabled"] == true)
            #expect(try await again.orders().count == 1)
        },
        Scenario("a reset restores the default settings and keeps orders") {
            stage in
            let client = try await stage.buyer()
            _ = try await client.buy()
            try await client.set(["askToBuyEnabled": true, "failTransactionsEnabled": true])
            try await client.call("test.reset").get()
            let settings = try await client.call("test.get").get()
            #expect(settings["askToBuyEnabled"] == false)
            #expect(settings["failTransactionsEnabled"] == false)
            #expect(try await client.orders().count == 1)
        },
        Scenario("a clear deletes orders and keeps settings") { stage in
            let client = try await stage.buyer()
            try await client.buyAndFinish("book")
            try await client.set(["locale": "de_DE"])
            try await client.call("test.clear").get()
            #expect(try await client.orders().isEmpty)
            #expect(try await client.call("test.get").get()["locale"] == "de_DE")
            #expect(try await client.restoreAll().isEmpty)
        },
        Scenario("deleting an order also deletes its renewals") { stage in
            let client = try await stage.buyer()
            let other = try await client.buyAndFinish("coins")
            try await client.buyAndFinish("club")
            try await client.call("test.renew", ["product": "club"]).get()
            _ = try await client.appeared("club")
            let first = try await client.orders().dropFirst().first?["order"]
            try await client.call("test.deleteOrder", ["order": try #require(first)]).get()
            #expect(try await client.orders().map { $0["transaction"] } == [other])
        },
        Scenario(
            "test.orders lists all orders, including those that wait for an approval"
        ) { stage in
            let client = try await stage.buyer()
            let paid = try await client.buy()
            try await client.set(["askToBuyEnabled": true])
            let waiting = try await client.add("pass")
            try await client.transaction(waiting, waitsFor: "approval")
            try await client.call("test.buy", ["product": "book"]).get()
            let orders = try await client.orders()
            #expect(orders.map { $0["transaction"] } == [paid, waiting, nil])
            #expect(orders.map { $0["product"] } == ["coins", "pass", "book"])
            #expect(orders.map { $0["state"] } == ["purchased", "deferred", "purchased"])
        },
        Scenario(
            "a simulated failure has the configured name"
        ) {
            stage in
            let client = try await stage.buyer()
            let cases: [(JSONValue, JSONValue)] = [
                ("cancelled", ["cancelled": [:]]), ("declined", ["internalError": [:]]),
                ("presentationFailed", ["presentationFailed": [:]]),
                ("invalidOfferPrice", ["internalError": [:]]), ("unknown", ["internalError": [:]]),
            ]
            for (word, error) in cases {
                try await client.set(["failTransactionsEnabled": true, "failureError": word])
                let id = try await client.add()
                let failed = try await client.transaction(id, becomes: "failed")
                #expect(failed["error"] == error, "\(word)")
                let reason = error["internalError"].map { _ in word }
                #expect(failed["failureReason"] == reason)
            }
            try await client.set(["failTransactionsEnabled": false])
            _ = try await client.buy()
        },
        Scenario("an error of one call is set and cleared separately") { stage in
            let client = try await stage.buyer()
            try await client.set(["simulatedErrors": ["login": "serviceUnavailable"]])
            #expect(try await client.call("login", ["account": "bert"]).code == -32009)
            _ = try await client.buy()
            try await client.set(["simulatedErrors": ["login": .null]])
            #expect(try await client.call("login", ["account": "bert"]).code == nil)
        },
        Scenario("a purchase waits for a store that is unavailable") {
            stage in
            let client = try await stage.buyer()
            try await client.set(["simulatedErrors": ["purchase": "serviceUnavailable"]])
            let id = try await client.add()
            #expect(try await client.waitingFor(id) == "store")
            try await client.set(["simulatedErrors": ["purchase": .null]])
            try await client.transaction(id, becomes: "purchased")
            #expect(try await client.orders().count == 1)
        },
        Scenario("a completion is retried until the store confirms it") {
            stage in
            let client = try await stage.buyer()
            let id = try await client.buy()
            try await client.set(["simulatedErrors": ["completion": "connectionError"]])
            #expect(try await client.finish(id) == "completing")
            #expect(try await client.listed(id)?["completing"] == true)
            try await client.set(["simulatedErrors": ["completion": .null]])
            #expect(try await client.event("transactionsRemoved").transactionIDs == [id])
        },
        Scenario(
            "a subscription renews when its month ends"
        ) { stage in
            let client = try await stage.buyer()
            try await client.buyAndFinish("club")
            try await client.advanceStore(days: 20)
            #expect(try await client.orders().count == 1)
            try await client.advanceStore(days: 20)
            _ = try await client.appeared("club")
            #expect(try await client.orders().map { $0["renewal"] == true } == [false, true])
        },
        Scenario(
            "advancing the clock runs all due events, in order"
        ) { stage in
            let client = try await stage.buyer()
            try await client.buyAndFinish("club")
            let before = try await client.call("test.clock.get").get()
            #expect(before["nextEventAt"] != nil)
            try await client.advanceStore(days: 100)
            let after = try await client.call("test.clock.get").get()
            #expect(after["now"] != before["now"])
            let orders = try await client.orders()
            #expect(orders.count == 4)
            #expect(Set(orders.compactMap { $0["placedAt"] }).count == 4)
        },
        Scenario("without auto-renewal a subscription ends with its period") {
            stage in
            let client = try await stage.buyer()
            try await client.buyAndFinish("club")
            try await client.call("test.autoRenew", ["product": "club", "enabled": false]).get()
            try await client.advanceStore(days: 40)
            #expect(try await client.orders().count == 1)
            #expect(try await client.call("entitlements").get()["entitlements"] == [])
            #expect(try await client.restoreAll().isEmpty)
        },
        Scenario("a forced renewal starts the next period now") { stage in
            let client = try await stage.buyer()
            try await client.buyAndFinish("club")
            try await client.call("test.renew", ["product": "club"]).get()
            let renewal = try await client.appeared("club")
            #expect(renewal["reason"] == "renewal")
            #expect(try await client.call("test.renew", ["product": "book"]).code == 1602)
        },
        Scenario("a subscription can be expired now") { stage in
            let client = try await stage.buyer()
            try await client.buyAndFinish("club")
            try await client.call("test.expire", ["product": "club"]).get()
            #expect(try await client.call("entitlements").get()["entitlements"] == [])
            try await client.advanceStore(days: 40)
            #expect(try await client.orders().count == 1)
        },
        Scenario("a renewal in billing retry succeeds when it is resolved") {
            stage in
            let client = try await stage.buyer()
            let id = try await client.buyAndFinish("club")
            try await client.set(["shouldEnterBillingRetryOnRenewal": true])
            try await client.advanceStore(days: 32)
            #expect(try await client.call("entitlements").get()["entitlements"] == [])
            try await client.set(["shouldEnterBillingRetryOnRenewal": false])
            try await client.call("test.resolve", ["transaction": id]).get()
            #expect(try await client.appeared("club")["reason"] == "renewal")
            #expect(
                try await client.call("entitlements").get()["entitlements"]?.arrayValue?.count == 1)
        },
        Scenario("a grace period keeps an unpaid subscription active for a while") {
            stage in
            let client = try await stage.buyer()
            try await client.buyAndFinish("club")
            try await client.set([
                "shouldEnterBillingRetryOnRenewal": true, "billingGracePeriodIsEnabled": true,
            ])
            try await client.advanceStore(days: 32)
            #expect(
                try await client.call("entitlements").get()["entitlements"]?.arrayValue?.count == 1)
            try await client.advanceStore(days: 30)
            #expect(try await client.call("entitlements").get()["entitlements"] == [])
        },
        Scenario(
            "a price increase is charged with consent only"
        ) { stage in
            let client = try await stage.buyer()
            try await client.buyAndFinish("club")
            try await client.call(
                "test.priceIncrease", ["product": "club", "answer": "consent"]
            ).get()
            try await client.advanceStore(days: 32)
            let renewal = try await client.appeared("club")
            _ = try await client.finish(try #require(renewal["id"]))
            _ = try await client.event("transactionsRemoved")
            try await client.call(
                "test.priceIncrease", ["product": "club", "answer": "decline"]
            ).get()
            try await client.advanceStore(days: 40)
            #expect(try await client.orders().count == 2)
        },
        Scenario(
            "without consent to a price increase a subscription is not renewed"
        ) { stage in
            let client = try await stage.buyer()
            try await client.buyAndFinish("club")
            try await client.call(
                "test.priceIncrease", ["product": "club", "answer": "pending"]
            ).get()
            try await client.advanceStore(days: 40)
            #expect(try await client.orders().count == 1)
        },
        Scenario("a control refuses an unknown order or product") {
            stage in
            let client = try await stage.buyer()
            let unknown: JSONValue = "00000000-0000-0000-0000-000000000000"
            #expect(try await client.call("test.refund", ["order": unknown]).code == 1602)
            #expect(try await client.call("test.resolve", ["order": unknown]).code == 1602)
            #expect(try await client.call("test.expire", ["product": "club"]).code == 1602)
            #expect(try await client.call("test.buy", ["product": "none"]).code == 1101)
        },
    ]
}
