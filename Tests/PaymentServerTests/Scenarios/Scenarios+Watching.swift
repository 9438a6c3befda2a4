import StrictJSON
import Testing

extension Scenario {
    /// What a subscription is sent, in which order.
    static let watching = [
        Scenario("a reply comes before the events that its call causes") {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe()
            let id = try await client.buy()
            let replies = client.heard.map { $0["result"]?["transaction"] == id }
            let events = client.heard.map { $0.params(of: "event")?.transactionIDs == [id] }
            let reply = try #require(replies.firstIndex(of: true))
            let event = try #require(events.firstIndex(of: true))
            #expect(reply < event)
            let seq = client.heard[reply]["result"]?["seq"]
            #expect(client.heard[event]["params"]?["seq"] == seq)
        },
        Scenario("a subscription first gets everything unfinished again, then what happens") {
            let client = try await $0.client()
            try await client.logIn()
            let known = [try await client.add(), try await client.add("pass")]
            let other = try await $0.client()
            let first = try await other.subscribe()
            let redelivered = first.compactMap { $0.params(of: "event") }
            #expect(redelivered.allSatisfy { $0["redelivery"] == true })
            #expect(redelivered.flatMap(\.transactionIDs) == known)
            #expect(redelivered.allSatisfy { $0["seq"] == $0["prev"] })
            let new = try await client.add()
            let live = try await other.transaction(new, becomes: "purchasing")
            #expect(live["revision"] == 1)
        },
        Scenario("every subscription gets everything again until it is finished") {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe()
            let id = try await client.buy()
            for _ in 1...3 {
                let again = try await $0.client().subscribe()
                #expect(
                    again.compactMap { $0.params(of: "event") }.flatMap(\.transactionIDs) == [id])
            }
            #expect(try await client.finish(id) == "completing")
            _ = try await client.event("transactionsRemoved")
            #expect(try await $0.client().subscribe().isEmpty)
        },
        Scenario("each event names the one before it") {
            let client = try await $0.client()
            try await client.logIn()
            let subscribed = try await client.call("subscribe")
            _ = try await client.notificationsUntilCaughtUp()
            for _ in 1...5 { _ = try await client.finish(client.buy()) }
            var last = subscribed["head"]
            var count = 0
            while count < 15 {
                guard let event = try await client.notification().params(of: "event") else {
                    continue
                }
                #expect(event["prev"] == last)
                last = event["seq"]
                count += 1
            }
        },
        Scenario("a cursor goes on where it stands, without gap and without doubling") {
            let client = try await $0.client()
            try await client.logIn()
            let start = try await client.call("subscribe", ["after": "now"])["head"]
            for _ in 1...4 { _ = try await client.buy() }
            var sent: [JSONValue?] = []
            while sent.count < 12 {
                sent.append(try await client.event("transactionsUpdated")["seq"])
            }
            for cut in [0, 1, 5, 11] {
                let after = cut == 0 ? start : sent[cut - 1]
                let other = try await $0.client()
                let again = try await other.subscribe(["after": try #require(after)])
                    .compactMap { $0.params(of: "event") }
                let live = again.filter { $0["redelivery"] == nil }
                #expect(live.map { $0["seq"] } == Array(sent[cut...]))
                #expect(live.first?["prev"] == after)
            }
        },
        Scenario("what a cursor skips and nobody finished comes back") {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe()
            let old = try await client.buy()
            let head = try await client.call("events", ["after": "start"])["head"]
            let new = try await client.buy()
            let again = try await $0.client().subscribe(["after": try #require(head)])
                .compactMap { $0.params(of: "event") }
            let redelivered = again.filter { $0["redelivery"] == true }
            #expect(redelivered.flatMap(\.transactionIDs) == [old])
            let live = again.filter { $0["redelivery"] == nil }
            #expect(live.allSatisfy { $0.transactionIDs == [new] })
            #expect(!live.isEmpty)
        },
        Scenario("who only watches from a cursor gets nothing again") {
            let client = try await $0.client()
            try await client.logIn()
            _ = try await client.add()
            let other = try await $0.client()
            #expect(try await other.subscribe(["after": "now", "passive": true]).isEmpty)
            #expect(try await other.subscribe(["passive": true]).count == 1)
        },
        Scenario("several subscriptions get the same events, each in its own order") {
            let client = try await $0.client()
            let others = [try await $0.client(), try await $0.client()]
            try await client.logIn()
            for other in others { try await other.subscribe() }
            _ = try await client.buy()
            var seen: [[JSONValue?]] = []
            for other in others {
                var events: [JSONValue?] = []
                for _ in 1...3 {
                    events.append(try await other.event("transactionsUpdated")["seq"])
                }
                seen.append(events)
            }
            #expect(seen[0] == seen[1])
        },
    ]
}
