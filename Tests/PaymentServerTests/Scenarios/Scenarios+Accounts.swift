import StrictJSON
import Testing

extension Scenario {
    /// What belongs to whom.
    static let accounts = [
        Scenario("logging out hides what belongs to the account, logging in brings it back") {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe()
            let id = try await client.buy()
            let out = try await client.call("logout")
            #expect(out.code == nil)
            let left = try await client.event("storefrontChanged")
            #expect(left["from"]?["countryCode"] == "DE")
            #expect(left["to"] == .some(.null))
            #expect(left["account"] == .some(.null))
            #expect(try await client.notificationsUntilCaughtUp().isEmpty)
            #expect(try await client.listed(id) == nil)
            #expect(try await client.call("wait", ["transaction": id]).code == 1201)
            #expect(
                try await client.call("events", ["after": "start"])["events"]?.arrayValue?
                    .allSatisfy { $0["kind"] == "storefrontChanged" } == true)
            try await client.logIn()
            let back = try await client.event("storefrontChanged")
            #expect(back["to"]?["countryCode"] == "DE")
            #expect(back["account"] == "anna")
            let again = try await client.notificationsUntilCaughtUp()
                .compactMap { $0.params(of: "event") }
            #expect(again.map { $0["redelivery"] } == [true])
            #expect(again.flatMap(\.transactionIDs) == [id])
        },
        Scenario("another account sees none of it") {
            let client = try await $0.client()
            try await client.logIn()
            let id = try await client.add()
            try await client.logIn("bert")
            #expect(try await client.listed(id) == nil)
            #expect(try await client.subscribe().isEmpty)
            let own = try await client.buy()
            try await client.logIn()
            #expect(try await client.listed(own) == nil)
            #expect(try await client.listed(id) != nil)
        },
        Scenario("a hidden transaction can be finished and is completed when it may be seen again")
        {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe()
            let id = try await client.buy()
            try await client.call("logout")
            #expect(try await client.finish(id) == "completing")
            try await client.logIn()
            let removed = try await client.event("transactionsRemoved")
            #expect(removed.transactionIDs == [id])
        },
        Scenario("the same login again changes nothing") {
            let client = try await $0.client()
            let first = try await client.call("login", ["account": "anna"])
            let again = try await client.call("login", ["account": "anna"])
            #expect(again["seq"] == first["seq"])
            #expect(again["account"] == "anna")
            let head = try await client.call("events", ["after": "start"])["head"]
            try await client.call("logout")
            try await client.call("logout")
            let events = try await client.call("events", ["after": try #require(head)])["events"]
            #expect(events?.arrayValue?.map { $0["kind"] } == ["storefrontChanged"])
        },
        Scenario("an unknown account is refused and nobody is logged in") {
            let client = try await $0.client()
            #expect(try await client.call("login", ["account": "nobody"]).code == 1501)
            let added = try await client.call("add", ["product": "coins"])
            #expect(added["waitingFor"] == "login")
        },
        Scenario("a payment goes on in the country of who logs in, at its price") {
            let client = try await $0.client()
            try await client.subscribe()
            let id = try await client.add()
            try await client.logIn("bert")
            let paid = try await client.transaction(id, becomes: "purchased")
            #expect(paid["storefront"]?["countryCode"] == "FR")
            #expect(paid["payment"]?["product"]?["price"]?["amount"] == "8.49")
        },
    ]

    /// Waiting for what will be, and reading what was.
    static let asking = [
        Scenario("waiting ends when the transaction is where it was awaited") {
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
        Scenario("waiting ends with its time, which is no error") {
            let client = try await $0.client()
            try await client.logIn()
            let id = try await client.add()
            let reply = try await client.call(
                "wait", ["transaction": id, "timeout": .number("0.3")])
            #expect(reply["reached"] == false)
            #expect(reply["transaction"]?["waitingFor"] == "observer")
        },
        Scenario("waiting ends with the removal, awaited or not") {
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
        Scenario("reading the log can wait for the next event") {
            let client = try await $0.client()
            try await client.logIn()
            let call = try await client.start("events", ["after": "now", "wait": 30])
            let id = try await client.add()
            let page = try await client.reply(to: call)
            #expect(page["events"]?.arrayValue?.flatMap(\.transactionIDs) == [id])
        },
    ]
}
