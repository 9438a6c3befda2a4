import StrictJSON
import Testing

extension Scenario {
    /// What a subscription is sent, in which order.
    static let subscribing: [Scenario] = [
        Scenario(
            "a reply precedes the events that its call causes"
        ) {
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
        Scenario(
            "a subscription first receives all unfinished transactions, then new events"
        ) {
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
        Scenario(
            "every subscription receives unfinished transactions until they are finished"
        ) {
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
        Scenario("each event names the previous one") {
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
        Scenario(
            "a cursor continues without gaps and duplicates"
        ) {
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
        Scenario(
            "transactions skipped by a cursor are redelivered if they are unfinished"
        ) {
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
        Scenario("a passive subscription with a cursor gets no redelivery") {
            let client = try await $0.client()
            try await client.logIn()
            _ = try await client.add()
            let other = try await $0.client()
            #expect(try await other.subscribe(["after": "now", "passive": true]).isEmpty)
            #expect(try await other.subscribe(["passive": true]).count == 1)
        },
        Scenario(
            "several subscriptions receive the same events in order"
        ) {
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
        Scenario(
            "a late subscription receives all unfinished transactions at once"
        ) { stage in
            let client = try await stage.buyer()
            var bought: [JSONValue] = []
            for _ in 1...3 { bought.append(try await client.buy()) }
            for _ in 1...2 {
                let other = try await stage.client()
                let again = try await other.subscribe().compactMap { $0.params(of: "event") }
                #expect(again.count == 1, "one batch")
                #expect(again.flatMap(\.transactionIDs) == bought)
            }
        },
        Scenario(
            "after a restart all unfinished transactions are redelivered"
        ) {
            stage in
            let client = try await stage.buyer()
            let id = try await client.buy()
            try await stage.restart()
            let again = try await stage.client()
            #expect(try await again.redelivered() == [id])
            try await stage.kill()
            let last = try await stage.client()
            #expect(try await last.redelivered() == [id])
            _ = try await last.finish(id)
            _ = try await last.event("transactionsRemoved")
            try await stage.restart()
            #expect(try await stage.client().redelivered() == [])
        },
        Scenario("a redelivery is marked and has the same revision") {
            stage in
            let client = try await stage.buyer()
            let id = try await client.add()
            try await client.transaction(id, becomes: "purchased")
            let live = try #require(
                client.heard.compactMap { $0.params(of: "event") }
                    .last { $0.transactionIDs == [id] })
            let again = try await stage.client().subscribe().compactMap { $0.params(of: "event") }
            #expect(again.map { $0["redelivery"] } == [true])
            #expect(again.first?["transactions"] == live["transactions"])
            #expect(live["redelivery"] == nil)
        },
        Scenario("start is the oldest retained record, now is the head") { stage in
            let client = try await stage.buyer()
            let id = try await client.buyAndFinish("coins")
            let other = try await stage.client()
            let all = try await other.subscribe(["after": "start"])
                .compactMap { $0.params(of: "event") }
            #expect(all.filter { $0.transactionIDs == [id] }.count == 4)
            #expect(try await stage.client().subscribe(["after": "now"]).isEmpty)
            let reply = try await stage.client().call("subscribe", ["after": "now"]).get()
            #expect(reply["head"] == all.last?["seq"])
        },
        Scenario("caughtUp is sent once") { stage in
            let client = try await stage.buyer()
            _ = try await client.buy()
            _ = try await client.finish(client.buy())
            _ = try await client.event("transactionsRemoved")
            let ends = client.heard.filter { $0["method"] == "caughtUp" }
            #expect(ends.count == 1)
            let reply = client.heard.firstIndex { $0["result"]?["subscription"] != nil }
            let end = client.heard.firstIndex { $0["method"] == "caughtUp" }
            #expect(try #require(reply) < #require(end))
        },
        Scenario("no record is lost or duplicated between replay and live events") {
            stage in
            let client = try await stage.buyer()
            var cursors: [(JSONValue, Client)] = []
            for _ in 1...4 {
                let head = try #require(
                    try await client.call("events", ["after": "start"]).get()["head"])
                let other = try await stage.client()
                cursors.append((head, other))
                _ = try await client.start("add", ["product": "coins"])
                _ = try await other.start("subscribe", ["after": head])
                _ = try await client.start("add", ["product": "pass"])
            }
            let last = try await client.buy("club")
            for (head, other) in cursors {
                try await other.transaction(last, becomes: "purchased")
                let live = other.heard.compactMap { $0.params(of: "event") }
                    .filter { $0["redelivery"] == nil }
                #expect(live.first?["prev"] == head)
                #expect(live.dropFirst().map { $0["prev"] } == live.dropLast().map { $0["seq"] })
            }
        },
        Scenario(
            "a cursor ahead of the log and a cursor of another log are refused"
        ) { stage in
            let client = try await stage.client()
            #expect(try await client.call("subscribe", ["after": 999_999]).code == 1302)
            #expect(try await client.call("events", ["after": 999_999]).code == 1302)
            let other = try await client.call("subscribe", ["after": 1, "epoch": "other"])
            #expect(other.code == 1303)
            let reply = try await client.call("subscribe", ["after": "now"]).get()
            let head = try #require(reply["head"])
            let epoch = try #require(reply["epoch"])
            #expect(
                try await client.call("subscribe", ["after": head, "epoch": epoch]).code == nil)
        },
        Scenario("after its end a subscription receives nothing") { stage in
            let client = try await stage.buyer()
            let other = try await stage.buyer()
            let names = client.heard.compactMap { $0["result"]?["subscription"] }
            let name = try #require(names.first)
            let ended = try await client.call("unsubscribe", ["subscription": name])
            #expect(ended["unsubscribed"] == true)
            #expect(
                try await client.call("unsubscribe", ["subscription": name])["unsubscribed"]
                    == false)
            let count = client.heard.count
            _ = try await other.buy()
            _ = try await client.call("transactions")
            #expect(client.heard.count == count + 1)
        },
        Scenario("results are events, and equal on every channel") {
            stage in
            let client = try await stage.buyer()
            let id = try await client.add()
            try await client.transaction(id, becomes: "purchased")
            let events = client.heard.compactMap { $0.params(of: "event") }
                .filter { $0.transactionIDs.contains(id) }
            #expect(Set(events.compactMap { $0["seq"] }).count == events.count)
            #expect(client.statesHeard(of: id) == ["purchasing", "purchasing", "purchased"])
            let listed = try await client.call("events", ["after": "start"]).get()["events"]
            let seen = listed?.arrayValue?.filter { $0.transactionIDs.contains(id) }
            #expect(seen?.map { $0["seq"] } == events.map { $0["seq"] })
        },
    ]

    /// What a subscription is sent as time goes by.
    static let subscribingTime: [Scenario] = [
        Scenario("a heartbeat is sent when there are no events") { stage in
            let client = try await stage.client()
            try await client.subscribe(["heartbeat": 5])
            for _ in 1...3 {
                let beat = try await client.notification()
                #expect(beat["method"] == "heartbeat")
                #expect(beat["params"]?["seq"] != nil)
            }
        }
    ]
}
