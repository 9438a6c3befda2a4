import StrictJSON
import Testing

extension Scenario {
    /// Purchases that somebody has to approve.
    static let deferred: [Scenario] = [
        Scenario("a purchase that waits for an approval says so") {
            stage in
            let client = try await stage.buyer()
            try await client.set(["askToBuyEnabled": true])
            let reply = try await client.call("add", ["product": "coins"])
            let id = try #require(reply["transaction"])
            let shown = try await client.transaction(id, waitsFor: "approval")
            #expect(shown["transactionState"] == "purchasing")
            #expect(try await client.waitingFor(id) == "approval")
            let status = try await client.status()
            #expect(status == nil || status?["queue"]?["waitingFor"]?["approval"] == 1)
        },
        Scenario("an approved purchase is purchased") { stage in
            let client = try await stage.buyer()
            try await client.set(["askToBuyEnabled": true])
            let id = try await client.add()
            try await client.transaction(id, waitsFor: "approval")
            let reply = try await client.call("decide", ["transaction": id, "outcome": "approve"])
            #expect(reply["state"] == "purchased")
            let paid = try await client.transaction(id, becomes: "purchased")
            #expect(paid["waitingFor"] == nil)
        },
        Scenario("a declined purchase is cancelled") {
            stage in
            let client = try await stage.buyer()
            try await client.set(["askToBuyEnabled": true])
            let id = try await client.add()
            try await client.transaction(id, waitsFor: "approval")
            let reply = try await client.call("decide", ["transaction": id, "outcome": "decline"])
            #expect(reply["state"] == "failed")
            let failed = try await client.transaction(id, becomes: "failed")
            #expect(failed["error"] == ["cancelled": [:]])
            #expect(try await client.finish(id) == "removed")
        },
        Scenario("a purchase that waits for an approval cannot be finished") {
            stage in
            let client = try await stage.buyer()
            try await client.set(["askToBuyEnabled": true])
            let id = try await client.add()
            try await client.transaction(id, waitsFor: "approval")
            #expect(try await client.finish(id) == "ignoredInFlight")
            #expect(try await client.waitingFor(id) == "approval")
        },
        Scenario("other payments do not wait behind an approval") { stage in
            let client = try await stage.buyer()
            try await client.set(["askToBuyEnabled": true])
            for _ in 1...18 {
                try await client.transaction(client.add(), waitsFor: "approval")
            }
            try await client.set(["askToBuyEnabled": false])
            _ = try await client.buy("pass")
        },
        Scenario("waiting for an approval survives restarts") { stage in
            let client = try await stage.buyer()
            try await client.set(["askToBuyEnabled": true])
            let id = try await client.add()
            try await client.transaction(id, waitsFor: "approval")
            try await stage.kill()
            let again = try await stage.client()
            #expect(try await again.waitingFor(id) == "approval")
            try await again.subscribe()
            try await again.call("decide", ["transaction": id, "outcome": "approve"]).get()
            try await again.transaction(id, becomes: "purchased")
            #expect(try await again.orders().count == 1)
        },
        Scenario("only a purchase that waits for a decision can be decided") {
            stage in
            let client = try await stage.buyer()
            let id = try await client.buy()
            let decided = try await client.call(
                "decide", ["transaction": id, "outcome": "decline"])
            #expect(decided.code == 1204)
            let none = try await client.call(
                "decide", ["transaction": "none", "outcome": "approve"])
            #expect(none.code == 1201)
        },
    ]
}
