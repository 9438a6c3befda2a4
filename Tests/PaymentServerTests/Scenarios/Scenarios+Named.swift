import StrictJSON
import Testing

extension Scenario {
    /// Observers with a name.
    static let named: [Scenario] = [
        Scenario("a named observer resumes at its acknowledgement") { stage in
            let client = try await stage.client()
            try await client.logIn()
            try await client.subscribe(["name": "till"])
            let first = try await client.buyAndFinish("coins")
            let head = try #require(
                try await client.call("events", ["after": "start"]).get()["head"])
            #expect(try await client.call("ack", ["name": "till", "seq": head])["acked"] == head)
            try await client.leave()
            let other = try await stage.buyer()
            let second = try await other.buy()
            let again = try await stage.client()
            let replayed = try await again.subscribe(["name": "till"])
                .compactMap { $0.params(of: "event") }.filter { $0["redelivery"] == nil }
            #expect(Set(replayed.flatMap(\.transactionIDs)) == [second])
            #expect(!replayed.flatMap(\.transactionIDs).contains(first))
        },
        Scenario("a name and its acknowledgement survive a crash") {
            stage in
            let client = try await stage.client()
            try await client.logIn()
            let reply = try await client.call("subscribe", ["name": "till"]).get()
            let head = try #require(reply["head"])
            try await client.call("ack", ["name": "till", "seq": head]).get()
            try await stage.kill()
            let again = try await stage.client()
            let listed = try await again.call("observers").get()["observers"]?.arrayValue
            #expect(listed?.map { $0["name"] } == ["till"])
            #expect(listed?.first?["acked"] == head)
            #expect(listed?.first?["connected"] == false)
        },
        Scenario("a name has one subscription at a time") { stage in
            let client = try await stage.client()
            try await client.subscribe(["name": "till"])
            let other = try await stage.client()
            #expect(try await other.call("subscribe", ["name": "till"]).code == 1304)
            try await client.leave()
            try await other.observersLeft(0)
            #expect(try await other.call("subscribe", ["name": "till"]).code == nil)
        },
        Scenario("only known names and past records can be acknowledged") {
            stage in
            let client = try await stage.client()
            #expect(try await client.call("ack", ["name": "nobody", "seq": 1]).code == 1305)
            try await client.subscribe(["name": "till"])
            #expect(try await client.call("ack", ["name": "till", "seq": 99_999]).code == 1302)
        },
        Scenario(
            "an acknowledgement removes no transaction, only a finish does"
        ) { stage in
            let client = try await stage.client()
            try await client.logIn()
            try await client.subscribe(["name": "till"])
            let id = try await client.buy()
            let head = try #require(
                try await client.call("events", ["after": "start"]).get()["head"])
            try await client.call("ack", ["name": "till", "seq": head]).get()
            try await client.leave()
            let again = try await stage.client()
            try await again.observersLeft(0)
            #expect(try await again.redelivered(["name": "till"]) == [id])
        },
    ]
}
