import StrictJSON
import Testing

extension Scenario {
    /// What a log that was trimmed still tells.
    static let gaps: [Scenario] = [
        Scenario(
            "a cursor older than the log is refused, or answered with a gap if requested"
        ) { stage in
            let client = try await stage.buyer()
            let old = try await client.buyAndFinish("coins")
            let kept = try await client.buy()
            let head = try #require(
                try await client.call("events", ["after": "start"]).get()["head"])
            try await stage.forgetLog()
            let other = try await stage.client()
            #expect(try await other.call("events", ["after": 1]).code == 1301)
            let refused = try await other.call("subscribe", ["after": 1, "onGap": "error"])
            #expect(refused.code == 1301)
            let again = try await other.subscribe(["after": 1])
            let gap = try #require(again.first?.params(of: "gap"))
            #expect(gap["to"] == head)
            let shown = again.compactMap { $0.params(of: "event") }
            #expect(shown.map { $0["redelivery"] } == [true])
            #expect(shown.flatMap(\.transactionIDs) == [kept])
            #expect(!shown.flatMap(\.transactionIDs).contains(old))
        },
        Scenario(
            "unfinished transactions are kept when the log is trimmed"
        ) {
            stage in
            let client = try await stage.buyer()
            let id = try await client.buy()
            try await stage.forgetLog()
            let other = try await stage.client()
            #expect(try await other.redelivered() == [id])
            #expect(try await other.listed(id)?["transactionState"] == "purchased")
            let reply = try await other.call("subscribe", ["after": "start"]).get()
            #expect(reply["oldest"] == reply["head"]?.intValue.map { .integer(Int($0) + 1) })
        },
    ]
}
