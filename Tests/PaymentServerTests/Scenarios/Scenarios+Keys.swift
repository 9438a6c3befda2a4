import StrictJSON
import Testing

extension Scenario {
    /// Idempotency keys.
    static let keys: [Scenario] = [
        Scenario(
            "a key identifies one payment, however often it is sent"
        ) {
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
        Scenario(
            "a key with other parameters than at its first use is refused"
        ) {
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
        Scenario("keys are compared byte by byte") {
            let client = try await $0.client()
            try await client.logIn()
            let composed = try await client.call("add", ["product": "coins", "key": "\u{E9}"])
            let other = try await client.call("add", ["product": "coins", "key": "e\u{301}"])
            #expect(other["duplicate"] == false)
            #expect(other["transaction"] != composed["transaction"])
        },
        Scenario("a key survives a restart, a finish and a crash") {
            stage in
            let client = try await stage.buyer()
            let params: JSONValue = ["product": "coins", "key": "k"]
            let id = try #require(try await client.call("add", params)["transaction"])
            try await stage.restart()
            let again = try await stage.client()
            #expect(try await again.call("add", params)["transaction"] == id)
            try await again.subscribe()
            try await again.call("wait", ["transaction": id, "until": ["purchased"]]).get()
            _ = try await again.finish(id)
            try await again.call("wait", ["transaction": id, "until": ["removed"]]).get()
            try await stage.kill()
            let late = try await stage.client().call("add", params)
            #expect(late["duplicate"] == true)
            #expect(late["transaction"] == id)
            #expect(late["removed"]?["reason"] == "finished")
        },
        Scenario("a repeated call is charged once, even around a crash") {
            stage in
            let client = try await stage.buyer()
            try await client.set(["latencyMs": 20_000])
            let params: JSONValue = ["product": "coins", "key": "k"]
            let id = try #require(try await client.call("add", params)["transaction"])
            try await client.transaction(id, waitsFor: "store")
            try await stage.kill()
            let again = try await stage.client()
            try await again.set(["latencyMs": 0])
            try await again.subscribe()
            #expect(try await again.call("add", params)["transaction"] == id)
            try await again.call("wait", ["transaction": id, "until": ["purchased"]]).get()
            #expect(try await again.orders().count == 1)
        },
        Scenario("the key is checked first") { stage in
            let client = try await stage.client()
            try await client.logIn()
            let params: JSONValue = ["product": "book", "key": "k"]
            let first = try await client.call("add", params)
            try await client.set(["paymentsAllowed": false])
            let again = try await client.call("add", params)
            #expect(again["duplicate"] == true)
            #expect(again["transaction"] == first["transaction"])
            #expect(try await client.call("add", ["product": "none", "key": "k"]).code == 1102)
        },
        Scenario(
            "then the product, then the permission to pay, then blocking transactions"
        ) {
            stage in
            let client = try await stage.client()
            try await client.logIn()
            _ = try await client.add("book")
            #expect(try await client.call("add", ["product": "book"]).code == 1107)
            try await client.set(["paymentsAllowed": false])
            #expect(try await client.call("add", ["product": "book"]).code == 1103)
            #expect(try await client.call("add", ["product": "none"]).code == 1101)
        },
        Scenario("a key of add is refused for restore, and the reverse") {
            stage in
            let client = try await stage.client()
            try await client.logIn()
            try await client.call("add", ["product": "coins", "key": "a"]).get()
            #expect(try await client.call("restore", ["key": "a"]).code == 1102)
            try await client.call("restore", ["key": "r"]).get()
            let refused = try await client.call("add", ["product": "coins", "key": "r"])
            #expect(refused.code == 1102)
            #expect(try await client.call("transactions").get().transactionIDs.count == 1)
        },
        Scenario("a key of restore identifies one restore") { stage in
            let client = try await stage.buyer()
            let id = try await client.restore(["key": "r"])
            _ = try await client.restored(id)
            let again = try await client.call("restore", ["key": "r"])
            #expect(again["restore"] == id)
            #expect(again["duplicate"] == true)
            #expect(again["state"] == "completed")
            let other = try await client.call("restore", ["key": "r", "appAccountToken": "t"])
            #expect(other.code == 1102)
        },
    ]
}
