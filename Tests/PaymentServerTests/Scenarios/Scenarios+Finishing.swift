import StrictJSON
import Testing

extension Scenario {
    /// What finishing comes to, in every state.
    static let finishing = [
        Scenario("what was never sent is withdrawn") {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe(["passive": true])
            let id = try await client.add()
            #expect(try await client.finish(id) == "removed")
            let removed = try await client.event("transactionsRemoved")
            #expect(removed["reason"] == "withdrawn")
            #expect(removed.transactionIDs == [id])
            #expect(try await client.finish(id) == "alreadyFinished")
            #expect(try await client.listed(id) == nil)
        },
        Scenario("what waits for a login can be withdrawn") {
            let client = try await $0.client()
            let id = try await client.add()
            #expect(try await client.finish(id) == "removed")
            try await client.logIn()
            #expect(try await client.subscribe().isEmpty)
        },
        Scenario("what is under way at the store stays") {
            let stage = $0
            let client = try await stage.client()
            try await client.logIn()
            try await client.subscribe()
            try await stage.setStoreAnswers(false)
            let id = try await client.add()
            #expect(try await client.waitingFor(id) == "store")
            #expect(try await client.finish(id) == "ignoredInFlight")
            try await stage.setStoreAnswers(true)
            try await client.transaction(id, becomes: "purchased")
        },
        Scenario("what was paid is completed with the store before it leaves") {
            let stage = $0
            let client = try await stage.client()
            try await client.logIn()
            try await client.subscribe()
            let id = try await client.buy()
            try await stage.setStoreAnswers(false)
            #expect(try await client.finish(id) == "completing")
            #expect(try await client.finish(id) == "completing")
            #expect(try await client.listed(id)?["completing"] == true)
            #expect(try await stage.client().subscribe().isEmpty, "it is not delivered again")
            try await stage.setStoreAnswers(true)
            let removed = try await client.event("transactionsRemoved")
            #expect(removed["reason"] == "finished")
            #expect(removed.transactionIDs == [id])
            #expect(try await client.finish(id) == "alreadyFinished")
        },
        Scenario("nobody finishes what was never there") {
            let client = try await $0.client()
            let reply = try await client.call("finish", ["transaction": "somebody-else"])
            #expect(reply.code == 1201)
            #expect(reply.data?["transaction"] == "somebody-else")
        },
        Scenario("after its removal no event names a transaction again") {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe()
            let id = try await client.buy()
            _ = try await client.finish(id)
            _ = try await client.event("transactionsRemoved")
            let next = try await client.buy()
            let events = client.heard.compactMap { $0.params(of: "event") }
            let last = try #require(events.lastIndex { $0["kind"] == "transactionsRemoved" })
            #expect(events[last...].dropFirst().allSatisfy { $0.transactionIDs == [next] })
        },
    ]

    /// Keys, and what stands in the way of a purchase.
    static let keys = [
        Scenario("a key stands for one payment, however often it is sent") {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe()
            let params: JSONValue = ["product": "coins", "key": "k1", "appAccountToken": "t"]
            let first = try await client.call("add", params)
            #expect(first["duplicate"] == false)
            let id = try #require(first["transaction"])
            for _ in 1...3 {
                let again = try await client.call("add", params)
                #expect(again["duplicate"] == true)
                #expect(again["transaction"] == id)
            }
            _ = try await client.call("wait", ["transaction": id])
            #expect(try await client.call("add", params)["state"] == "purchased")
            _ = try await client.finish(id)
            _ = try await client.event("transactionsRemoved")
            let late = try await client.call("add", params)
            #expect(late["transaction"] == id)
            #expect(late["removed"]?["reason"] == "finished")
        },
        Scenario("a key is refused for anything else than it was first used for") {
            let client = try await $0.client()
            try await client.logIn()
            let first = try await client.call("add", ["product": "coins", "key": "k1"])
            let others: [JSONValue] = [
                ["product": "pass", "key": "k1"],
                ["product": "coins", "key": "k1", "appAccountToken": "t"],
            ]
            for other in others {
                let refused = try await client.call("add", other)
                #expect(refused.code == 1102)
                #expect(refused.data?["transaction"] == first["transaction"])
                #expect(refused.data?["effect"] == "none")
            }
            try await client.logIn("bert")
            let foreign = try await client.call("add", ["product": "coins", "key": "k1"])
            #expect(foreign.code == 1102)
        },
        Scenario("keys are compared by their bytes") {
            let client = try await $0.client()
            try await client.logIn()
            let composed = try await client.call("add", ["product": "coins", "key": "\u{E9}"])
            let other = try await client.call("add", ["product": "coins", "key": "e\u{301}"])
            #expect(other["duplicate"] == false)
            #expect(other["transaction"] != composed["transaction"])
        },
        Scenario("what is owned for ever is not bought twice at a time") {
            let client = try await $0.client()
            try await client.logIn()
            for product: JSONValue in ["book", "club"] {
                let first = try await client.call("add", ["product": product])
                let second = try await client.call("add", ["product": product, "key": "k"])
                #expect(second.code == 1107)
                #expect(second.data?["transaction"] == first["transaction"])
                #expect(second.data?["state"] == "purchasing")
            }
            _ = try await client.add("coins")
            _ = try await client.add("coins")
        },
        Scenario("what was paid blocks until it is finished") {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe()
            let id = try await client.buy("book")
            let blocked = try await client.call("add", ["product": "book", "key": "k"])
            #expect(blocked.code == 1107)
            _ = try await client.finish(id)
            _ = try await client.event("transactionsRemoved")
            let after = try await client.call("add", ["product": "book", "key": "k"])
            #expect(after["duplicate"] == false, "a refused add leaves no key")
        },
        Scenario("what is not sold is not accepted") {
            let client = try await $0.client()
            let refused = try await client.call("add", ["product": "nothing"])
            #expect(refused.code == 1101)
            #expect(refused.data?["product"] == "nothing")
            #expect(try await client.call("transactions")["transactions"] == [])
        },
        Scenario("who may not buy is told so") {
            let client = try await $0.client()
            try await client.logIn("dora")
            #expect(try await client.call("add", ["product": "coins"]).code == 1103)
        },
    ]
}
