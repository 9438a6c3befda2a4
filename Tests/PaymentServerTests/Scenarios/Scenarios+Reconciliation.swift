import StrictJSON
import Testing

extension Scenario {
    /// What comes without having been asked for here.
    static let reconciliation: [Scenario] = [
        Scenario(
            "a purchase made on another device appears as purchased"
        ) { stage in
            let client = try await stage.buyer()
            let order = try await client.call(
                "test.buy", ["product": "book", "appAccountToken": "elsewhere"]
            ).get()
            let shown = try await client.appeared("book")
            #expect(shown["reason"] == "external")
            #expect(shown["transactionIdentifier"] == order["order"])
            #expect(shown["payment"]?["appAccountToken"] == "elsewhere")
            #expect(shown["revision"] == 1)
            let id = try #require(shown["id"])
            #expect(try await client.finish(id) == "completing")
            _ = try await client.event("transactionsRemoved")
            #expect(try await client.orders().map { $0["completed"] } == [true])
        },
        Scenario(
            "a renewal appears by itself and names its original order"
        ) {
            stage in
            let client = try await stage.buyer()
            let reply = try await client.call("add", ["product": "club", "appAccountToken": "t"])
            let id = try #require(reply["transaction"])
            let first = try await client.transaction(id, becomes: "purchased")
            _ = try await client.finish(id)
            _ = try await client.event("transactionsRemoved")
            try await client.advanceStore(days: 32)
            let renewal = try await client.appeared("club")
            #expect(renewal["reason"] == "renewal")
            #expect(renewal["id"] != id)
            #expect(renewal["transactionIdentifier"] != first["transactionIdentifier"])
            #expect(
                renewal["originalTransactionIdentifier"] == first["transactionIdentifier"])
            #expect(renewal["payment"]?["appAccountToken"] == "t")
        },
        Scenario(
            "reconciliation needs a session and no observer"
        ) {
            stage in
            let client = try await stage.client()
            try await client.logIn()
            let call = try await client.start("events", ["after": "now", "wait": 30])
            try await client.call("test.buy", ["product": "book"]).get()
            let events = try await client.reply(to: call)["events"]?.arrayValue
            let id = events?.first?.transactionIDs.first
            #expect(try await client.listed(try #require(id))?["transactionState"] == "purchased")
        },
        Scenario("of many renewals only the latest appears") { stage in
            let client = try await stage.buyer()
            try await client.buyAndFinish("club")
            try await client.call("logout").get()
            try await client.advanceStore(days: 160)
            try await client.logIn()
            let renewal = try await client.appeared("club")
            let listed = try await client.call("transactions").get().transactionIDs
            #expect(listed == [renewal["id"]])
            let orders = try await client.orders()
            #expect(orders.count >= 5)
            #expect(renewal["transactionIdentifier"] == orders.last?["order"])
            _ = try await client.finish(try #require(renewal["id"]))
            _ = try await client.event("transactionsRemoved")
            #expect(try await client.orders().allSatisfy { $0["completed"] == true })
            try await stage.restart()
            let again = try await stage.client()
            try await again.subscribe()
            #expect(try await again.restoreAll().count == 1)
            #expect(try await again.call("transactions").get().transactionIDs.count == 1)
        },
        Scenario(
            "a finished purchase does not reappear"
        ) {
            stage in
            let client = try await stage.buyer()
            for product in ["coins", "book", "club"] { try await client.buyAndFinish(product) }
            try await client.call("logout").get()
            try await stage.restart()
            let again = try await stage.client()
            try await again.logIn()
            try await again.subscribe()
            let (shown, end) = try await again.restored(
                again.restore(["appAccountToken": "nobody"]))
            #expect(shown.isEmpty, "it has reconciled first")
            #expect(end["count"] == 0)
            #expect(try await again.call("transactions")["transactions"] == [])
        },
        Scenario(
            "an order becomes one transaction, however often the store reports it"
        ) {
            stage in
            let client = try await stage.buyer()
            let id = try await client.buy("book")
            try await client.call("test.buy", ["product": "pass"]).get()
            _ = try await client.appeared("pass")
            _ = try await client.restored(client.restore())
            try await client.call("logout").get()
            try await client.logIn()
            _ = try await client.restored(client.restore())
            let listed = try await client.call("transactions").get()["transactions"]?.arrayValue
            #expect(listed?.count == 2)
            #expect(listed?.first { $0.product == "book" }?["id"] == id)
            #expect(Set(listed?.compactMap { $0["transactionIdentifier"] } ?? []).count == 2)
        },
        Scenario(
            "an order with a lost response is found, and not submitted again"
        ) { stage in
            let client = try await stage.buyer()
            try await client.set(["latencyMs": 3000])
            let id = try await client.add("book")
            try await client.transaction(id, waitsFor: "store")
            try await stage.kill()
            let again = try await stage.client()
            try await again.set(["latencyMs": 0])
            try await again.subscribe()
            try await again.call("wait", ["transaction": id, "until": ["purchased"]]).get()
            _ = try await again.restored(again.restore())
            #expect(try await again.call("transactions").get().transactionIDs == [id])
            #expect(try await again.orders().count == 1)
        },
        Scenario(
            "a failed transaction stays failed; a late success is a new transaction"
        ) { stage in
            let client = try await stage.buyer()
            try await client.set(["interruptedPurchasesEnabled": true])
            let id = try await client.add("book")
            let failed = try await client.transaction(id, becomes: "failed")
            try await client.set(["interruptedPurchasesEnabled": false])
            try await client.call("test.resolve", ["transaction": id]).get()
            let late = try await client.appeared("book")
            #expect(late["id"] != id)
            #expect(failed["error"] == ["internalError": [:]])
            #expect(try await client.listed(id)?["transactionState"] == "failed")
            #expect(client.statesHeard(of: id) == ["purchasing", "purchasing", "failed"])
        },
        Scenario("transaction ids are never reused") { stage in
            var names: Set<JSONValue> = []
            for round in 1...3 {
                let client = try await stage.client()
                if round == 1 { try await client.logIn() }
                try await client.subscribe()
                names.insert(try await client.buyAndFinish("coins"))
                try await stage.restart()
            }
            #expect(names.count == 3)
        },
    ]

    /// What does not come by itself.
    static let reconciliationTime: [Scenario] = [
        Scenario("no timer redelivers a transaction") { stage in
            let client = try await stage.buyer()
            _ = try await client.buy()
            let shown = try await client.transactionEvents()
            try await stage.pass(seconds: 7200)
            #expect(try await client.transactionEvents() == shown)
        }
    ]
}
