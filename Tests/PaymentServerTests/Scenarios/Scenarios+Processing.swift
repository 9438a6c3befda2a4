import StrictJSON
import Testing

extension Scenario {
    /// When a payment is sent to the store, and what it waits for until then.
    static let processing: [Scenario] = [
        Scenario(
            "logged out, a payment waits for a login and belongs to the account that logs in"
        ) {
            let client = try await $0.client()
            try await client.subscribe()
            let added = try await client.call("add", ["product": "coins"])
            #expect(added["state"] == "purchasing")
            #expect(added["waitingFor"] == "login")
            #expect(added["duplicate"] == false)
            let id = try #require(added["transaction"])
            try await client.logIn()
            try await client.transaction(id, becomes: "purchased")
            #expect(try await client.listed(id)?["transactionState"] == "purchased")
        },
        Scenario(
            "a payment without an observer waits; the first observer starts it"
        ) {
            let client = try await $0.client()
            try await client.logIn()
            let added = try await client.call("add", ["product": "coins"])
            #expect(added["waitingFor"] == "observer")
            let id = try #require(added["transaction"])
            #expect(try await client.waitingFor(id) == "observer")
            try await client.subscribe()
            try await client.transaction(id, becomes: "purchased")
        },
        Scenario(
            "a payment waits for a login first, then for an observer"
        ) {
            let client = try await $0.client()
            let added = try await client.call("add", ["product": "coins"])
            #expect(added["waitingFor"] == "login")
            try await client.logIn()
            let id = try #require(added["transaction"])
            #expect(try await client.waitingFor(id) == "observer")
        },
        Scenario(
            "with an observer and a session, a payment waits for the store without a time limit"
        ) {
            let stage = $0
            let client = try await stage.client()
            try await client.logIn()
            try await client.subscribe()
            try await stage.setStoreAnswers(false)
            let added = try await client.call("add", ["product": "coins"])
            #expect(added["waitingFor"] == "store")
            let id = try #require(added["transaction"])
            #expect(try await client.waitingFor(id) == "store")
            try await stage.setStoreAnswers(true)
            try await client.transaction(id, becomes: "purchased")
        },
        Scenario("a passive subscription starts no payments") {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe(["passive": true])
            let id = try await client.add()
            #expect(try await client.waitingFor(id) == "observer")
            let event = try await client.event("transactionsUpdated")
            #expect(event["transactions"]?[0]?["waitingFor"] == "observer")
        },
        Scenario(
            "an observer of some products starts payments for these products only"
        ) {
            let client = try await $0.client()
            try await client.logIn()
            let pass = try await client.add("pass")
            let coins = try await client.add("coins")
            try await client.subscribe(["products": ["pass"]])
            try await client.transaction(pass, becomes: "purchased")
            #expect(try await client.waitingFor(coins) == "observer")
            let shown = client.heard.compactMap { $0.params(of: "event") }
            #expect(shown.flatMap(\.transactionIDs).allSatisfy { $0 == pass })
        },
        Scenario(
            "a subscription without transaction events starts no payments"
        ) {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe(["kinds": ["storefrontChanged"]])
            let id = try await client.add()
            #expect(try await client.waitingFor(id) == "observer")
        },
        Scenario("when the last observer leaves, no new orders are submitted") {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe()
            let first = try await client.add()
            try await client.transaction(first, becomes: "purchased")
            let ended = try await client.call("unsubscribe", ["subscription": "s1"])
            #expect(ended["unsubscribed"] == true)
            let second = try await client.add()
            #expect(try await client.waitingFor(second) == "observer")
            #expect(client.statesHeard(of: second).isEmpty)
        },
        Scenario("an accepted payment survives a crash") {
            stage in
            let client = try await stage.client()
            try await client.logIn()
            let id = try await client.add()
            try await stage.kill()
            let again = try await stage.client()
            #expect(try await again.listed(id)?["transactionState"] == "purchasing")
            try await again.subscribe()
            try await again.transaction(id, becomes: "purchased")
        },
        Scenario("a submitted order is settled without an observer") {
            stage in
            let client = try await stage.buyer()
            try await client.set(["askToBuyEnabled": true])
            let id = try await client.add()
            try await client.transaction(id, waitsFor: "approval")
            try await client.call("unsubscribe", ["subscription": "s1"]).get()
            try await client.call("decide", ["transaction": id, "outcome": "approve"]).get()
            try await client.call("wait", ["transaction": id, "until": ["purchased"]]).get()
            #expect(try await stage.client().redelivered() == [id])
        },
        Scenario(
            "a finished purchase is completed at the store without an observer"
        ) { stage in
            let client = try await stage.buyer()
            let id = try await client.buy()
            try await client.call("unsubscribe", ["subscription": "s1"]).get()
            #expect(try await client.finish(id) == "completing")
            let gone = try await client.call("wait", ["transaction": id, "until": ["removed"]])
            #expect(gone["reached"] == true)
            #expect(try await client.orders().map { $0["completed"] } == [true])
        },
        Scenario("orders are submitted in the order of acceptance") { stage in
            let client = try await stage.client()
            try await client.logIn()
            var added: [JSONValue] = []
            for number in 0..<24 {
                added.append(try await client.add(number % 2 == 0 ? "coins" : "pass"))
            }
            try await client.subscribe()
            for id in added {
                try await client.call("wait", ["transaction": id, "until": ["purchased"]]).get()
            }
            #expect(try await client.orders().compactMap { $0["transaction"] } == added)
        },
        Scenario("at most sixteen orders of an account are in flight") {
            stage in
            let client = try await stage.client()
            try await client.logIn()
            for _ in 0..<20 { _ = try await client.add() }
            try await client.set(["latencyMs": 3000])
            try await client.subscribe()
            for _ in 0..<16 { _ = try await client.event("transactionsUpdated") }
            let revisions = try await client.call("transactions").get()["transactions"]?.arrayValue
            #expect(revisions?.map { $0["revision"] == 2 } == (0..<20).map { $0 < 16 })
            try await client.set(["latencyMs": 0])
        },
        Scenario("a broken connection counts as an observer that leaves") {
            stage in
            let watcher = try await stage.buyer()
            let client = try await stage.client()
            _ = try await client.buy()
            try await watcher.leave()
            try await client.observersLeft(0)
            let id = try await client.add()
            #expect(try await client.waitingFor(id) == "observer")
        },
    ]
}
