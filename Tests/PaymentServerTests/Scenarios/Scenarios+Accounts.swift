import StrictJSON
import Testing

extension Scenario {
    /// What belongs to whom, and what a change of session does.
    static let accounts: [Scenario] = [
        Scenario(
            "a logout hides the transactions of the account, a login shows them again"
        ) {
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
        Scenario(
            "a session that the store ended is reported once, asks once, and its work continues"
        ) { stage in
            let agent = try await stage.client()
            try await agent.attend(["login"])
            let client = try await stage.buyer()
            try await client.set(["simulatedErrors": ["purchase": "sessionRevoked"]])
            let id = try await client.add()
            let end = try await client.event("storefrontChanged")
            #expect(end["from"]?["countryCode"] == "DE")
            #expect(end["to"] == .some(.null))
            #expect(end["account"] == "anna")
            #expect(end["cause"] == "sessionEnded")
            let shown = try await client.call("storefront").result
            #expect(shown?["storefront"] == .some(.null))
            #expect(shown?["sessionEnded"]?["account"] == "anna")
            let question = try await agent.question("login")
            #expect(try await client.call("storefront")["account"] == .some(.null))
            #expect(try await client.call("signedHistory").code == 1504)
            try await client.set(["simulatedErrors": ["purchase": .null]])
            try await agent.logIn()
            #expect(try await agent.closing(question)["value"] == true)
            try await client.transaction(id, becomes: "purchased")
            #expect(try await client.orders().count == 1)
            let changes = client.kindsHeard.filter { $0 == "storefrontChanged" }
            #expect(changes.count == 2, "the end and the login")
            #expect(agent.kindsHeard.filter { $0 == "questionOpened" }.count == 1)
        },
        Scenario(
            "another account sees no transactions of the first"
        ) {
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
        Scenario(
            "a hidden transaction can be finished, and is completed when it is visible again"
        ) {
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
        Scenario("a repeated login changes nothing") {
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
        Scenario("an unknown account is refused, and no session begins") {
            let client = try await $0.client()
            #expect(try await client.call("login", ["account": "nobody"]).code == 1501)
            let added = try await client.call("add", ["product": "coins"])
            #expect(added["waitingFor"] == "login")
        },
        Scenario(
            "a payment continues in the country of the account that logs in, at its price"
        ) {
            let client = try await $0.client()
            try await client.subscribe()
            let id = try await client.add()
            try await client.logIn("bert")
            let paid = try await client.transaction(id, becomes: "purchased")
            #expect(paid["storefront"]?["countryCode"] == "FR")
            #expect(paid["payment"]?["product"]?["price"]?["amount"] == "8.49")
        },
        Scenario(
            "every change of session is one event with the old and the new storefront"
        ) {
            stage in
            let client = try await stage.client()
            try await client.subscribe()
            try await client.logIn()
            try await client.logIn("bert")
            try await client.call("logout").get()
            var seen: [[JSONValue?]] = []
            for _ in 1...3 {
                let event = try await client.event("storefrontChanged")
                seen.append([
                    event["from"]?["countryCode"], event["to"]?["countryCode"], event["account"],
                ])
            }
            #expect(
                seen == [[nil, "DE", "anna"], ["DE", "FR", "bert"], ["FR", nil, .some(.null)]])
            #expect(client.kindsHeard.count == 3)
        },
        Scenario("a login as another account switches the session in one step") {
            stage in
            let client = try await stage.client()
            try await client.logIn()
            let head = try await client.call("events", ["after": "start"]).get()["head"]
            let reply = try await client.call("login", ["account": "bert"])
            #expect(reply["storefront"]?["countryCode"] == "FR")
            let events = try await client.call("events", ["after": try #require(head)])["events"]
            #expect(events?.arrayValue?.count == 1)
            #expect(events?[0]?["from"]?["countryCode"] == "DE")
            #expect(try await client.call("storefront")["account"] == "bert")
        },
        Scenario("a session survives a restart") { stage in
            try await stage.client().logIn()
            try await stage.restart()
            let client = try await stage.client()
            #expect(try await client.call("storefront")["account"] == "anna")
            #expect(try await client.call("login", ["account": "anna"]).code == nil)
            #expect(try await client.call("add", ["product": "coins"])["waitingFor"] == "observer")
        },
        Scenario("a login and a logout survive a crash") { stage in
            let first = try await stage.client()
            try await first.logIn()
            try await stage.kill()
            let second = try await stage.client()
            #expect(try await second.call("storefront")["account"] == "anna")
            try await second.call("logout").get()
            try await stage.kill()
            let storefront = try await stage.client().call("storefront").get()
            #expect(storefront["account"] == .some(.null))
            #expect(storefront["storefront"] == .some(.null))
        },
        Scenario(
            "prev skips the sequence numbers of hidden records"
        ) { stage in
            let client = try await stage.buyer()
            let own = [try await client.buy()]
            try await client.logIn("bert")
            let foreign = try await client.buy()
            try await client.logIn()
            let more = try await client.buy()
            let events = try await stage.client().subscribe(["after": "start"])
                .compactMap { $0.params(of: "event") }.filter { $0["redelivery"] == nil }
            #expect(events.dropFirst().map { $0["prev"] } == events.dropLast().map { $0["seq"] })
            let ids = Set(events.flatMap(\.transactionIDs))
            #expect(ids == Set(own + [more]))
            #expect(!ids.contains(foreign))
        },
        Scenario(
            "an approval during another session is delivered in its own session"
        ) { stage in
            let client = try await stage.buyer()
            try await client.set(["askToBuyEnabled": true])
            let id = try await client.add()
            try await client.transaction(id, waitsFor: "approval")
            let order = try await client.orders().first?["order"]
            try await client.logIn("bert")
            try await client.set(["askToBuyEnabled": false])
            let own = try await client.buy()
            #expect(try await client.call("transactions").get().transactionIDs == [own])
            try await client.logIn()
            try await client.call("decide", ["transaction": id, "outcome": "approve"]).get()
            let paid = try await client.transaction(id, becomes: "purchased")
            #expect(paid["transactionIdentifier"] == order)
        },
        Scenario("a hidden transaction is reported as unknown") {
            stage in
            let client = try await stage.buyer()
            let id = try await client.buy()
            try await client.logIn("bert")
            let hidden = try await client.call("wait", ["transaction": id])
            #expect(hidden.code == 1201)
            #expect(hidden.data?["transaction"] == id)
            #expect(try await client.call("transactions", ["ids": [id]])["transactions"] == [])
        },
        Scenario(
            "a change of session redelivers unfinished transactions, then resumes waiting ones"
        ) { stage in
            let client = try await stage.buyer()
            let paid = try await client.buy()
            try await client.call("logout").get()
            _ = try await client.event("storefrontChanged")
            #expect(try await client.notificationsUntilCaughtUp().isEmpty)
            let waiting = try await client.add()
            try await client.logIn()
            _ = try await client.event("storefrontChanged")
            let again = try await client.notificationsUntilCaughtUp()
                .compactMap { $0.params(of: "event") }
            #expect(again.allSatisfy { $0["redelivery"] == true })
            #expect(Set(again.flatMap(\.transactionIDs)) == [paid, waiting])
            try await client.transaction(waiting, becomes: "purchased")
        },
        Scenario(
            "unfinished transactions survive a logout of their account"
        ) { stage in
            let client = try await stage.client()
            try await client.logIn()
            let id = try await client.add()
            try await client.call("logout").get()
            try await stage.restart()
            let again = try await stage.client()
            #expect(try await again.call("transactions")["transactions"] == [])
            try await again.logIn()
            #expect(try await again.waitingFor(id) == "observer")
        },
        Scenario("country codes have two letters") { stage in
            let client = try await stage.buyer()
            let shown = try await client.set(["storefront": "FRA"])
            #expect(shown["storefront"] == "FR")
            let changed = try await client.event("storefrontChanged")
            #expect(changed["to"]?["countryCode"] == "FR")
            let id = try await client.buy()
            #expect(try await client.listed(id)?["storefront"]?["countryCode"] == "FR")
        },
    ]

    /// Who gets in, and what is assumed of who does not.
    static let atTheDoor: [Scenario] = [
        Scenario(
            "an administrator can wait for work of a session that ended"
        ) { stage in
            let client = try await stage.buyer()
            try await client.set(["simulatedErrors": ["purchase": "sessionRevoked"]])
            let id = try await client.add()
            _ = try await client.event("storefrontChanged")
            let listed = try await client.call("transactions", ["ids": [id]])["transactions"]
            #expect(listed?[0]?["id"] == id)
            let waited = try await client.call("wait", ["transaction": id, "timeout": 0]).get()
            #expect(waited["reached"] == false)
            #expect(waited["transaction"]?["id"] == id)
            #expect(try await client.finish(id) == "ignoredInFlight")
        },
        Scenario("a wrong credential is refused, the right one is accepted") {
            let client = try await $0.client()
            let wrong = try await client.call("login", ["account": "carl", "credential": "x"])
            #expect(wrong.code == 1502)
            let none = try await client.call("login", ["account": "carl"])
            #expect(none.code == 1502)
            let right = try await client.call(
                "login", ["account": "carl", "credential": "open-sesame"])
            #expect(right["account"] == "carl")
        },
        Scenario("a country can be assumed while logged out") {
            let client = try await $0.client()
            #expect(try await client.call("storefront")["storefront"] == .some(.null))
            try await client.call("storefront", ["assume": "FR"])
            let shown = try await client.call("products", ["ids": ["coins"]])
            #expect(shown.code == -32011 || shown["storefront"]?["countryCode"] == "FR")
            try await client.call("storefront", ["assume": ""])
            let back = try await client.call("products", ["ids": ["coins"]])
            #expect(back["storefront"]?["countryCode"] == "DE")
        },
    ]
}
