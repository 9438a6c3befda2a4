import StrictJSON
import Testing

extension Scenario {
    /// What a payment waits for, and what starts it.
    static let waiting = [
        Scenario("logged out, a payment waits for a login and then belongs to who logs in") {
            let client = try await $0.client()
            try await client.subscribe()
            let added = try await client.call("add", ["product": "coins"])
            #expect(added["state"] == "purchasing")
            #expect(added["waitingFor"] == "login")
            #expect(added["duplicate"] == false)
            let id = try #require(added["transaction"])
            try await client.logIn()
            try await client.transaction(id, becomes: "purchased")
            #expect(try await client.listed(id)?["transactionState"] == "purchased")
        },
        Scenario("nobody watching, a payment waits for an observer, who starts it") {
            let client = try await $0.client()
            try await client.logIn()
            let added = try await client.call("add", ["product": "coins"])
            #expect(added["waitingFor"] == "observer")
            let id = try #require(added["transaction"])
            #expect(try await client.waitingFor(id) == "observer")
            try await client.subscribe()
            try await client.transaction(id, becomes: "purchased")
        },
        Scenario("login is waited for before an observer") {
            let client = try await $0.client()
            let added = try await client.call("add", ["product": "coins"])
            #expect(added["waitingFor"] == "login")
            try await client.logIn()
            let id = try #require(added["transaction"])
            #expect(try await client.waitingFor(id) == "observer")
        },
        Scenario("watched and logged in, a payment waits for the store, as long as that takes") {
            let stage = $0
            let client = try await stage.client()
            try await client.logIn()
            try await client.subscribe()
            try await stage.setStoreAnswers(false)
            let added = try await client.call("add", ["product": "coins"])
            #expect(added["waitingFor"] == "store")
            let id = try #require(added["transaction"])
            #expect(try await client.waitingFor(id) == "store")
            try await stage.setStoreAnswers(true)
            try await client.transaction(id, becomes: "purchased")
        },
        Scenario("who only watches starts nothing") {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe(["passive": true])
            let id = try await client.add()
            #expect(try await client.waitingFor(id) == "observer")
            let event = try await client.event("transactionsUpdated")
            #expect(event["transactions"]?[0]?["waitingFor"] == "observer")
        },
        Scenario("an observer of some products starts those and no others") {
            let client = try await $0.client()
            try await client.logIn()
            let pass = try await client.add("pass")
            let coins = try await client.add("coins")
            try await client.subscribe(["products": ["pass"]])
            try await client.transaction(pass, becomes: "purchased")
            #expect(try await client.waitingFor(coins) == "observer")
            let shown = client.heard.compactMap { $0.params(of: "event") }
            #expect(shown.flatMap(\.transactionIDs).allSatisfy { $0 == pass })
        },
        Scenario("an observer of other kinds of events starts nothing") {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe(["kinds": ["storefrontChanged"]])
            let id = try await client.add()
            #expect(try await client.waitingFor(id) == "observer")
        },
        Scenario("when the last observer leaves, nothing new is sent") {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe()
            let first = try await client.add()
            try await client.transaction(first, becomes: "purchased")
            let ended = try await client.call("unsubscribe", ["subscription": "s1"])
            #expect(ended["unsubscribed"] == true)
            let second = try await client.add()
            #expect(try await client.waitingFor(second) == "observer")
            #expect(!client.heard.flatMap(\.params.ids).contains(second))
        },
    ]
}

extension JSONValue {
    /// The parameters of a notification or of nothing.
    fileprivate var params: JSONValue { self["params"] ?? [:] }
    /// The ids of the transactions of an event.
    fileprivate var ids: [JSONValue] { transactionIDs }
}
