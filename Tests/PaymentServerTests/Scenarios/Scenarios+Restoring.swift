import StrictJSON
import Testing

extension Scenario {
    /// Getting back what the account owns.
    static let restoring: [Scenario] = [
        Scenario(
            "owned products are restored, then the end is reported"
        ) { stage in
            let client = try await stage.buyer()
            let book = try await client.buyAndFinish("book")
            let club = try await client.buyAndFinish("club")
            let reply = try await client.call("restore")
            #expect(reply["state"] == "running")
            #expect(reply["duplicate"] == false)
            let (shown, end) = try await client.restored(#require(reply["restore"]))
            #expect(end["kind"] == "restoreCompleted")
            #expect(end["count"] == 2)
            #expect(Set(shown.compactMap(\.product)) == ["book", "club"])
            for transaction in shown {
                #expect(transaction["reason"] == "restore")
                #expect(transaction["id"] != book && transaction["id"] != club)
                #expect(client.statesHeard(of: transaction["id"] ?? .null).first == "restored")
            }
            #expect(client.kindsHeard.last == "restoreCompleted")
        },
        Scenario(
            "a restored transaction names its original order"
        ) { stage in
            let client = try await stage.buyer()
            let id = try await client.buy("book")
            let order = try await client.listed(id)?["transactionIdentifier"]
            _ = try await client.finish(id)
            _ = try await client.event("transactionsRemoved")
            let restored = try #require(try await client.restoreAll().first)
            #expect(restored["originalTransactionIdentifier"] == order)
            #expect(restored["transactionIdentifier"] == order)
            #expect(restored["id"] != id)
        },
        Scenario("a restore without results ends with a count of zero") {
            stage in
            let client = try await stage.buyer()
            let (shown, end) = try await client.restored(client.restore())
            #expect(shown.isEmpty)
            #expect(end["kind"] == "restoreCompleted")
            #expect(end["count"] == 0)
        },
        Scenario("consumables are not restored") { stage in
            let client = try await stage.buyer()
            try await client.buyAndFinish("coins")
            #expect(try await client.restoreAll().isEmpty)
        },
        Scenario("refunded products are not restored") { stage in
            let client = try await stage.buyer()
            let id = try await client.buyAndFinish("book")
            try await client.call("test.refund", ["transaction": id]).get()
            #expect(try await client.restoreAll().isEmpty)
        },
        Scenario("expired subscriptions are not restored") { stage in
            let client = try await stage.buyer()
            try await client.buyAndFinish("club")
            #expect(try await client.restoreAll().count == 1)
            for id in try await client.call("transactions").get().transactionIDs {
                _ = try await client.finish(id)
            }
            try await client.call("test.expire", ["product": "club"]).get()
            #expect(try await client.restoreAll().isEmpty)
        },
        Scenario("a chain of renewals is restored as one transaction") {
            stage in
            let client = try await stage.buyer()
            try await client.buyAndFinish("club")
            for _ in 1...3 {
                try await client.call("test.renew", ["product": "club"]).get()
                let renewal = try await client.appeared("club")
                _ = try await client.finish(try #require(renewal["id"]))
                _ = try await client.event("transactionsRemoved")
            }
            let orders = try await client.orders()
            #expect(orders.count == 4)
            let restored = try await client.restoreAll()
            #expect(restored.count == 1)
            #expect(restored.first?["transactionIdentifier"] == orders.last?["order"])
            #expect(restored.first?["originalTransactionIdentifier"] == orders.first?["order"])
        },
        Scenario(
            "a repeated restore redelivers unfinished transactions and duplicates none"
        ) { stage in
            let client = try await stage.buyer()
            try await client.buyAndFinish("book")
            let first = try await client.restoreAll()
            let (second, end) = try await client.restored(client.restore())
            #expect(second.map { $0["id"] } == first.map { $0["id"] })
            #expect(end["count"] == 1)
            #expect(try await client.call("transactions").get().transactionIDs.count == 1)
        },
        Scenario("unfinished purchases are counted and stay purchased") {
            stage in
            let client = try await stage.buyer()
            let id = try await client.buy("book")
            let (shown, end) = try await client.restored(client.restore())
            #expect(shown.isEmpty)
            #expect(end["count"] == 1)
            #expect(try await client.call("transactions").get().transactionIDs == [id])
        },
        Scenario(
            "a finished order is restored as a new transaction each time"
        ) {
            stage in
            let client = try await stage.buyer()
            let bought = try await client.buyAndFinish("book")
            var names: Set<JSONValue> = [bought]
            for _ in 1...2 {
                let restored = try #require(try await client.restoreAll().first)
                let id = try #require(restored["id"])
                names.insert(id)
                #expect(try await client.finish(id) == "removed", "the store need not know")
                _ = try await client.event("transactionsRemoved")
            }
            #expect(names.count == 3)
            #expect(try await client.orders().count == 1)
        },
        Scenario(
            "a restore waits for an observer"
        ) {
            stage in
            let client = try await stage.buyer()
            try await client.buyAndFinish("book")
            try await client.call("unsubscribe", ["subscription": "s1"]).get()
            let reply = try await client.call("restore")
            #expect(reply["waitingFor"] == "observer")
            #expect(reply["state"] == "running")
            let watcher = try await stage.client()
            try await watcher.subscribe()
            let end = try await watcher.event("restoreCompleted")
            #expect(end["restore"] == reply["restore"])
            #expect(end["count"] == 1)
        },
        Scenario("a restore continues after a restart and ends once") {
            stage in
            let client = try await stage.buyer()
            try await client.buyAndFinish("book")
            try await stage.setStoreAnswers(false)
            let id = try await client.restore(["key": "r"])
            try await stage.kill()
            let again = try await stage.client()
            #expect(try await again.call("restore", ["key": "r"])["restore"] == id)
            try await again.subscribe()
            try await stage.setStoreAnswers(true)
            let (shown, end) = try await again.restored(id)
            #expect(end["kind"] == "restoreCompleted")
            #expect(shown.map(\.product) == ["book"])
            #expect(try await again.restoreAll().count == 1)
            #expect(again.kindsHeard.filter { $0 == "restoreCompleted" }.count == 2)
        },
        Scenario("a logout cancels a restore") { stage in
            let client = try await stage.buyer()
            try await stage.setStoreAnswers(false)
            let id = try await client.restore()
            try await client.call("logout").get()
            try await stage.setStoreAnswers(true)
            try await client.logIn()
            let events = try await stage.client().subscribe(["after": "start"])
                .compactMap { $0.params(of: "event") }.filter { $0["restore"] == id }
            #expect(events.map { $0["kind"] } == ["restoreFailed"])
            #expect(events.first?["error"] == ["cancelled": [:]])
        },
        Scenario("a login as another account cancels a restore") { stage in
            let client = try await stage.buyer()
            try await client.call("unsubscribe", ["subscription": "s1"]).get()
            let id = try await client.restore()
            try await client.logIn("bert")
            try await client.logIn("anna")
            let reply = try await client.call("wait", ["restore": id])
            #expect(reply["reached"] == true)
            #expect(reply["restore"]?["state"] == "failed")
        },
        Scenario(
            "a restore that the store refuses fails with the reason"
        ) {
            stage in
            let client = try await stage.buyer()
            try await client.set(["simulatedErrors": ["restore": "appNotRegistered"]])
            let (shown, end) = try await client.restored(client.restore())
            #expect(shown.isEmpty)
            #expect(end["kind"] == "restoreFailed")
            #expect(end["error"] == ["appNotRegistered": [:]])
            try await client.set(["simulatedErrors": ["restore": .null]])
            #expect(try await client.restoreAll().isEmpty)
        },
        Scenario("a restore first reconciles unfinished purchases") { stage in
            let client = try await stage.buyer()
            try await client.set(["simulatedErrors": ["reconciliation": "serviceUnavailable"]])
            try await client.call("test.buy", ["product": "book"]).get()
            let call = try await client.start("restore")
            try await client.set(["simulatedErrors": ["reconciliation": .null]])
            let id = try #require(try await client.reply(to: call)["restore"])
            let (shown, end) = try await client.restored(id)
            #expect(shown.isEmpty)
            #expect(end["count"] == 1)
            let listed = try await client.call("transactions").get()["transactions"]?.arrayValue
            #expect(listed?.map { $0["transactionState"] } == ["purchased"])
        },
        Scenario(
            "a second restore joins the first; one with another filter waits"
        ) {
            stage in
            let client = try await stage.client()
            try await client.logIn()
            let first = try await client.call("restore")
            let same = try await client.call("restore")
            #expect(same["restore"] == first["restore"])
            #expect(same["duplicate"] == true)
            let other = try await client.call("restore", ["appAccountToken": "t"])
            #expect(other["restore"] != first["restore"])
            #expect(other["duplicate"] == false)
            try await client.subscribe()
            let ends = [
                try await client.event("restoreCompleted"),
                try await client.event("restoreCompleted"),
            ]
            #expect(ends.map { $0["restore"] } == [first["restore"], other["restore"]])
        },
        Scenario(
            "a restore can be limited to an account token"
        ) {
            stage in
            let client = try await stage.buyer()
            for (product, token) in [("book", "a"), ("club", "b")] as [(JSONValue, JSONValue)] {
                let reply = try await client.call(
                    "add", ["product": product, "appAccountToken": token])
                let id = try #require(reply["transaction"])
                try await client.call("wait", ["transaction": id, "until": ["purchased"]]).get()
                _ = try await client.finish(id)
                _ = try await client.event("transactionsRemoved")
            }
            let restored = try await client.restoreAll(["appAccountToken": "b"])
            #expect(restored.map(\.product) == ["club"])
            #expect(restored.first?["payment"]?["appAccountToken"] == "b")
        },
        Scenario("a client can wait for a restore") { stage in
            let client = try await stage.buyer()
            let id = try await client.restore()
            let reply = try await client.call("wait", ["restore": id])
            #expect(reply["reached"] == true)
            #expect(reply["restore"]?["state"] == "completed")
            #expect(try await client.call("wait", ["restore": "none"]).code == 1201)
        },
        Scenario(
            "every observer receives the restored transactions before the end"
        ) { stage in
            let client = try await stage.buyer()
            try await client.buyAndFinish("book")
            let others = [try await stage.client(), try await stage.client()]
            for other in others { try await other.subscribe() }
            let id = try await client.restore()
            for other in others {
                let (shown, end) = try await other.restored(id)
                #expect(shown.map(\.product) == ["book"])
                #expect(end["kind"] == "restoreCompleted")
            }
        },
    ]

    /// Restores that the store does not answer.
    static let restoringTime: [Scenario] = [
        Scenario(
            "a restore without a response from the store fails after a minute"
        ) {
            stage in
            let client = try await stage.buyer()
            try await stage.setStoreAnswers(false)
            let id = try await client.restore()
            try await stage.pass(seconds: 58)
            #expect(!client.kindsHeard.contains("restoreFailed"))
            let (_, end) = try await client.restored(id)
            #expect(end["kind"] == "restoreFailed")
            #expect(end["error"] == ["connectionError": [:]])
        },
        Scenario(
            "the minute counts only with an observer and a session"
        ) {
            stage in
            let client = try await stage.client()
            try await client.logIn()
            let id = try await client.restore()
            try await stage.pass(seconds: 600)
            try await client.subscribe()
            let (_, end) = try await client.restored(id)
            #expect(end["kind"] == "restoreCompleted")
        },
    ]
}
