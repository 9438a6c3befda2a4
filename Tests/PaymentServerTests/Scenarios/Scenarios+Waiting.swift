import StrictJSON
import Testing

extension Scenario {
    /// Waiting for what will be, and reading what was.
    static let waiting: [Scenario] = [
        Scenario("a wait ends when the transaction settles") {
            let client = try await $0.client()
            try await client.logIn()
            let id = try await client.add()
            let call = try await client.start("wait", ["transaction": id, "timeout": 60])
            try await client.call("subscribe")
            let reply = try await client.reply(to: call)
            #expect(reply["reached"] == true)
            #expect(reply["transaction"]?["transactionState"] == "purchased")
            let now = try await client.call("wait", ["transaction": id])
            #expect(now["reached"] == true)
        },
        Scenario("a wait that times out is not an error") {
            let client = try await $0.client()
            try await client.logIn()
            let id = try await client.add()
            let reply = try await client.call(
                "wait", ["transaction": id, "timeout": .number("0.3")])
            #expect(reply["reached"] == false)
            #expect(reply["transaction"]?["waitingFor"] == "observer")
        },
        Scenario("a wait ends with the removal of the transaction") {
            let client = try await $0.client()
            try await client.logIn()
            let id = try await client.add()
            let awaited = try await client.start("wait", ["transaction": id, "until": ["removed"]])
            let other = try await client.start("wait", ["transaction": id, "until": ["purchased"]])
            #expect(try await client.finish(id) == "removed")
            #expect(try await client.reply(to: awaited)["reached"] == true)
            #expect(try await client.reply(to: other)["reached"] == false)
        },
        Scenario("the log can be read page by page") {
            let client = try await $0.client()
            try await client.logIn()
            for _ in 1...5 { _ = try await client.add() }
            var after: JSONValue = "start"
            var seen: [JSONValue] = []
            for _ in 1...6 {
                let page = try await client.call("events", ["after": after, "limit": 1])
                seen += page["events"]?.arrayValue ?? []
                after = try #require(page["next"])
            }
            #expect(
                seen.map { $0["kind"] == "storefrontChanged" } == [true]
                    + Array(repeating: false, count: 5))
            let end = try await client.call("events", ["after": after])
            #expect(end["events"] == [])
            #expect(end["next"] == end["head"])
        },
        Scenario("a reader of the log can wait for the next event") {
            let client = try await $0.client()
            try await client.logIn()
            let call = try await client.start("events", ["after": "now", "wait": 30])
            let id = try await client.add()
            let page = try await client.reply(to: call)
            #expect(page["events"]?.arrayValue?.flatMap(\.transactionIDs) == [id])
        },
        Scenario(
            "a wait for the removal includes the completion at the store"
        ) { stage in
            let client = try await stage.buyer()
            let id = try await client.buy()
            try await stage.setStoreAnswers(false)
            #expect(try await client.finish(id) == "completing")
            let call = try await client.start("wait", ["transaction": id, "until": ["removed"]])
            try await stage.setStoreAnswers(true)
            let reply = try await client.reply(to: call)
            #expect(reply["reached"] == true)
            #expect(reply["transaction"]?["removalReason"] == "finished")
        },
        Scenario("after a wait the transaction is in the requested state") {
            stage in
            let client = try await stage.buyer()
            try await client.set(["failTransactionsEnabled": true])
            let id = try await client.add()
            let reply = try await client.call(
                "wait", ["transaction": id, "until": ["purchased", "failed"]])
            #expect(reply["reached"] == true)
            #expect(reply["transaction"]?["transactionState"] == "failed")
            #expect(try await client.call("wait", ["transaction": "nothing"]).code == 1201)
        },
    ]
}
