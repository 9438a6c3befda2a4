import StrictJSON
import Testing

extension Scenario {
    /// What finishing comes to, in every state.
    static let finishing: [Scenario] = [
        Scenario(
            "a payment that was not submitted is withdrawn by a finish"
        ) {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe(["passive": true])
            let id = try await client.add()
            #expect(try await client.finish(id) == "removed")
            let removed = try await client.event("transactionsRemoved")
            #expect(removed["reason"] == "withdrawn")
            #expect(removed.transactionIDs == [id])
            #expect(try await client.finish(id) == "alreadyFinished")
            #expect(try await client.listed(id) == nil)
        },
        Scenario("a payment that waits for a login can be withdrawn") {
            let client = try await $0.client()
            let id = try await client.add()
            #expect(try await client.finish(id) == "removed")
            try await client.logIn()
            #expect(try await client.subscribe().isEmpty)
        },
        Scenario(
            "a transaction in flight at the store is not finished"
        ) {
            let stage = $0
            let client = try await stage.client()
            try await client.logIn()
            try await client.subscribe()
            try await stage.setStoreAnswers(false)
            let id = try await client.add()
            #expect(try await client.waitingFor(id) == "store")
            #expect(try await client.finish(id) == "ignoredInFlight")
            try await stage.setStoreAnswers(true)
            try await client.transaction(id, becomes: "purchased")
        },
        Scenario(
            "a paid purchase is completed at the store before its removal"
        ) {
            let stage = $0
            let client = try await stage.client()
            try await client.logIn()
            try await client.subscribe()
            let id = try await client.buy()
            try await stage.setStoreAnswers(false)
            #expect(try await client.finish(id) == "completing")
            #expect(try await client.finish(id) == "completing")
            #expect(try await client.listed(id)?["completing"] == true)
            #expect(try await stage.client().subscribe().isEmpty, "it is not delivered again")
            try await stage.setStoreAnswers(true)
            let removed = try await client.event("transactionsRemoved")
            #expect(removed["reason"] == "finished")
            #expect(removed.transactionIDs == [id])
            #expect(try await client.finish(id) == "alreadyFinished")
        },
        Scenario("an unknown transaction cannot be finished") {
            let client = try await $0.client()
            let reply = try await client.call("finish", ["transaction": "somebody-else"])
            #expect(reply.code == 1201)
            #expect(reply.data?["transaction"] == "somebody-else")
        },
        Scenario("after its removal no event names the transaction") {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe()
            let id = try await client.buy()
            _ = try await client.finish(id)
            _ = try await client.event("transactionsRemoved")
            let next = try await client.buy()
            let events = client.heard.compactMap { $0.params(of: "event") }
            let last = try #require(events.lastIndex { $0["kind"] == "transactionsRemoved" })
            #expect(events[last...].dropFirst().allSatisfy { $0.transactionIDs == [next] })
        },
        Scenario("repeated, late and concurrent finishes succeed") {
            stage in
            let client = try await stage.buyer()
            let other = try await stage.client()
            let id = try await client.buy()
            let calls = [
                try await client.start("finish", ["transaction": id]),
                try await client.start("finish", ["transaction": id]),
            ]
            let foreign = try await other.finish(id)
            var answers: [JSONValue?] = [foreign]
            for call in calls { answers.append(try await client.reply(to: call)["disposition"]) }
            #expect(answers.allSatisfy { $0 == "completing" || $0 == "alreadyFinished" })
            _ = try await client.event("transactionsRemoved")
            #expect(try await other.finish(id) == "alreadyFinished")
        },
        Scenario("every observer receives the client that finished") {
            stage in
            let client = try await stage.buyer()
            let id = try await client.buy()
            _ = try await stage.client().finish(id)
            let removed = try await client.event("transactionsRemoved")
            #expect(removed.transactionIDs == [id])
            #expect(removed["by"]?["uid"] != nil)
        },
        Scenario(
            "a finish survives a restart and is completed afterwards"
        ) { stage in
            let client = try await stage.buyer()
            let id = try await client.buy()
            try await stage.setStoreAnswers(false)
            #expect(try await client.finish(id) == "completing")
            try await stage.kill()
            let again = try await stage.client()
            #expect(try await again.listed(id)?["completing"] == true)
            #expect(try await again.redelivered() == [])
            #expect(try await again.finish(id) == "completing")
            try await stage.setStoreAnswers(true)
            let removed = try await again.event("transactionsRemoved")
            #expect(removed.transactionIDs == [id])
            #expect(removed["reason"] == "finished")
            #expect(try await again.orders().map { $0["completed"] } == [true])
        },
        Scenario(
            "a failed transaction is removed at once, without the store"
        ) {
            stage in
            let client = try await stage.buyer()
            try await client.set(["failTransactionsEnabled": true])
            let id = try await client.add()
            try await client.transaction(id, becomes: "failed")
            try await stage.setStoreAnswers(false)
            #expect(try await client.finish(id) == "removed")
            let removed = try await client.event("transactionsRemoved")
            #expect(removed["reason"] == "finished")
            #expect(removed["transactions"]?[0]?["transactionState"] == "failed")
        },
        Scenario("the record submitted precedes the order") { stage in
            let client = try await stage.buyer()
            let id = try await client.add()
            try await client.transaction(id, becomes: "purchased")
            let shown = client.heard.compactMap { $0.params(of: "event") }
                .flatMap { $0["transactions"]?.arrayValue ?? [] }.filter { $0["id"] == id }
            #expect(shown.map { $0["revision"] } == [1, 2, 3])
            #expect(shown.map { $0["waitingFor"] == "store" } == [true, true, false])
            #expect(shown.last?["transactionState"] == "purchased")
        },
        Scenario("finished transactions remain listed") { stage in
            let client = try await stage.buyer()
            let id = try await client.buyAndFinish("coins")
            try await stage.restart()
            let again = try await stage.client()
            let finished = try await again.call("transactions", ["states": ["finished"]]).get()
            #expect(finished.transactionIDs == [id])
            #expect(finished["transactions"]?[0]?["product"] == nil)
            #expect(finished["transactions"]?[0]?.product == "coins")
            #expect(try await again.finish(id) == "alreadyFinished")
        },
        Scenario(
            "no transaction is finished without a client"
        ) { stage in
            let client = try await stage.buyer()
            let id = try await client.buy()
            for _ in 1...2 {
                try await stage.restart()
                let again = try await stage.client()
                #expect(try await again.redelivered() == [id])
                #expect(try await again.orders().map { $0["completed"] } == [false])
            }
        },
        Scenario(
            "the removal event has the final state of the transaction"
        ) {
            stage in
            let client = try await stage.buyer()
            let id = try await client.buy("book")
            _ = try await client.finish(id)
            let removed = try await client.event("transactionsRemoved")
            #expect(removed["transactions"]?[0]?.product == "book")
            #expect(removed["transactions"]?[0]?["transactionState"] == "purchased")
        },
    ]
}
