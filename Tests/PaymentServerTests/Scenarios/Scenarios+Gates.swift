import StrictJSON
import Testing

extension Scenario {
    /// What happens before somebody is charged otherwise than was shown.
    static let gates: [Scenario] = [
        Scenario("the queue has one stored policy; its default is to continue") {
            stage in
            let client = try await stage.client()
            let policy = try await client.call("delegate").get()
            #expect(policy["mode"] == "continue")
            #expect(policy["fallback"] == false)
            #expect(policy["afterLogin"] == "continue")
            try await client.call("delegate", ["mode": "ask", "timeout": 20]).get()
            try await client.call("delegate", ["fallback": true]).get()
            try await stage.kill()
            let kept = try await stage.client().call("delegate").get()
            #expect(kept["mode"] == "ask")
            #expect(kept["timeout"] == 20)
            #expect(kept["fallback"] == true)
        },
        Scenario(
            "by default, a purchase continues in another country at the price there"
        ) { stage in
            let (client, id) = try await stage.moved()
            try await client.subscribe()
            let paid = try await client.transaction(id, becomes: "purchased")
            #expect(paid["storefront"]?["countryCode"] == "FR")
            #expect(paid["payment"]?["product"]?["price"]?["amount"] == "8.49")
            #expect(try await client.orders().first?["price"]?["amount"] == "8.49")
        },
        Scenario(
            "with the policy ask, a charge in another country opens a question"
        ) { stage in
            let (client, id) = try await stage.moved(["mode": "ask"])
            try await client.subscribe()
            let question = try await client.question("shouldContinue")
            #expect(question["transaction"] == id)
            #expect(question["product"]?["productIdentifier"] == "coins")
            #expect(question["price"]?["amount"] == "8.49")
            #expect(question["storefront"]?["countryCode"] == "FR")
            #expect(question["fallback"] == false)
            #expect(question["deadline"] != nil)
            #expect(try await client.waitingFor(id) == "gate")
            #expect(try await client.orders().isEmpty)
            #expect(try await client.questions().map { $0["question"] } == [question["question"]])
            try await client.answer(question, true).get()
            #expect(try await client.closing(question)["value"] == true)
            let paid = try await client.transaction(id, becomes: "purchased")
            #expect(paid["payment"]?["product"]?["price"]?["amount"] == "8.49")
            #expect(try await client.questions() == [])
        },
        Scenario(
            "a negative answer removes the purchase without a failure"
        ) { stage in
            let (client, id) = try await stage.moved(["mode": "ask"])
            try await client.subscribe()
            let question = try await client.question("shouldContinue")
            try await client.answer(question, false).get()
            let removed = try await client.event("transactionsRemoved")
            #expect(removed.transactionIDs == [id])
            #expect(removed["reason"] == "discardedByGate")
            #expect(!client.statesHeard(of: id).contains("failed"))
            #expect(try await client.finish(id) == "alreadyFinished")
            #expect(try await client.orders().isEmpty)
        },
        Scenario("the policy can discard such purchases without a question") {
            stage in
            let (client, id) = try await stage.moved(["mode": "stop"])
            try await client.subscribe()
            let removed = try await client.event("transactionsRemoved")
            #expect(removed.transactionIDs == [id])
            #expect(removed["reason"] == "discardedByGate")
            #expect(!client.kindsHeard.contains("questionOpened"))
        },
        Scenario("the same country opens no question") { stage in
            let client = try await stage.client()
            try await client.call("delegate", ["mode": "ask"]).get()
            try await client.logIn()
            let id = try await client.add()
            try await client.subscribe()
            try await client.transaction(id, becomes: "purchased")
            #expect(!client.kindsHeard.contains("questionOpened"))
        },
        Scenario("the first answer wins") { stage in
            let (client, _) = try await stage.moved(["mode": "ask"])
            try await client.subscribe()
            let question = try await client.question("shouldContinue")
            let other = try await stage.client()
            #expect(try await other.answer(question, true)["accepted"] == true)
            #expect(try await client.answer(question, false).code == 1402)
            #expect(try await client.answer(["question": "nothing"], true).code == 1401)
            #expect(try await client.closing(question)["value"] == true)
        },
        Scenario(
            "without an answer the purchase is discarded, unless the policy says otherwise"
        ) {
            stage in
            let (client, id) = try await stage.moved(["mode": "ask", "timeout": 1])
            try await client.subscribe()
            let question = try await client.question("shouldContinue")
            let removed = try await client.event("transactionsRemoved")
            #expect(removed["reason"] == "discardedByGate")
            #expect(removed.transactionIDs == [id])
            let closed = try await client.closing(question)
            #expect(closed["reason"] == "timedOut")
            #expect(closed["value"] == false)
        },
        Scenario("the policy can continue a purchase without an answer") { stage in
            let (client, id) = try await stage.moved(
                ["mode": "ask", "timeout": 1, "fallback": true])
            try await client.subscribe()
            let question = try await client.question("shouldContinue")
            #expect(question["fallback"] == true)
            try await client.transaction(id, becomes: "purchased")
        },
        Scenario(
            "a payment that waits for an answer can be finished, which closes the question"
        ) {
            stage in
            let (client, id) = try await stage.moved(["mode": "ask"])
            try await client.subscribe()
            let question = try await client.question("shouldContinue")
            #expect(try await client.finish(id) == "removed")
            let removed = try await client.event("transactionsRemoved")
            #expect(removed["reason"] == "withdrawn")
            #expect(try await client.answer(question, true).code == 1402)
            #expect(try await client.questions() == [])
        },
        Scenario("other payments do not wait behind an open question") { stage in
            let (client, id) = try await stage.moved(["mode": "ask"])
            try await client.subscribe()
            _ = try await client.question("shouldContinue")
            let other = try await client.add("pass")
            try await client.transaction(other, becomes: "purchased")
            #expect(try await client.waitingFor(id) == "gate")
        },
        Scenario("questions survive a restart with their identifiers") { stage in
            let (client, id) = try await stage.moved(["mode": "ask"])
            try await client.subscribe()
            let question = try await client.question("shouldContinue")
            try await stage.kill()
            let again = try await stage.client()
            #expect(try await again.questions().map { $0["question"] } == [question["question"]])
            try await again.subscribe()
            try await again.answer(question, true).get()
            try await again.transaction(id, becomes: "purchased")
        },
        Scenario("a product that is not sold in the new country fails") { stage in
            let client = try await stage.client()
            try await client.call("delegate", ["mode": "ask"]).get()
            try await client.logIn()
            let id = try await client.add("book")
            try await client.set(["storefront": "NO"])
            try await client.subscribe()
            let failed = try await client.transaction(id, becomes: "failed")
            #expect(failed["failureReason"] == "productNotAvailable")
            #expect(failed["error"] == ["internalError": [:]])
            #expect(!client.kindsHeard.contains("questionOpened"))
        },
        Scenario("another price in the same country opens a question as well") {
            stage in
            let client = try await stage.client()
            try await client.call("delegate", ["mode": "ask"]).get()
            try await client.logIn()
            let id = try await client.add()
            try await stage.restart(germanPrice: "10.99")
            let again = try await stage.client()
            try await again.subscribe()
            let question = try await again.question("shouldContinue")
            #expect(question["cause"] == "price")
            #expect(question["price"]?["amount"] == "10.99")
            #expect(try await again.orders().isEmpty)
            try await again.answer(question, true).get()
            let paid = try await again.transaction(id, becomes: "purchased")
            #expect(paid["payment"]?["product"]?["price"]?["amount"] == "10.99")
        },
        Scenario(
            "a price that differs from the shown one is never charged without a question"
        ) {
            stage in
            let client = try await stage.client()
            try await client.call("delegate", ["mode": "stop"]).get()
            try await client.logIn()
            let id = try await client.add()
            try await stage.restart(germanPrice: "10.99")
            let again = try await stage.client()
            try await again.subscribe()
            let removed = try await again.event("transactionsRemoved")
            #expect(removed["reason"] == "discardedByGate")
            #expect(removed.transactionIDs == [id])
            #expect(try await again.orders().isEmpty)
        },
        Scenario(
            "after a login that a purchase caused, the policy can ask first"
        ) { stage in
            let agent = try await stage.client()
            try await agent.call("delegate", ["afterLogin": "ask"]).get()
            try await agent.attend(["login"])
            let client = try await stage.client()
            let call = try await client.start("add", ["product": "coins", "key": "k"])
            _ = try await agent.question("login")
            try await agent.logIn()
            let question = try await agent.question("afterLogin")
            #expect(question["product"]?["productIdentifier"] == "coins")
            try await agent.answer(question, false).get()
            let refused = try await client.reply(to: call)
            #expect(refused.code == 1106)
            #expect(refused.data?["effect"] == "none")
            #expect(try await client.call("transactions")["transactions"] == [])
            let kinds = try await client.call("events", ["after": "start"]).get()["events"]
            #expect(kinds?.arrayValue?.contains { $0["kind"] == "transactionsUpdated" } == false)
        },
        Scenario(
            "after such a login, a country other than the assumed one opens a question"
        ) { stage in
            let agent = try await stage.client()
            try await agent.call("delegate", ["mode": "ask", "afterLogin": "ask"]).get()
            try await agent.attend(["login"])
            let client = try await stage.client()
            let call = try await client.start("add", ["product": "coins"])
            _ = try await agent.question("login")
            try await agent.logIn("bert")
            let asked = try await agent.question("afterLogin")
            #expect(asked["price"]?["amount"] == "8.49")
            #expect(asked["storefront"]?["countryCode"] == "FR")
            try await agent.answer(asked, true).get()
            let id = try #require(try await client.reply(to: call)["transaction"])
            try await client.subscribe()
            let question = try await client.question("shouldContinue")
            #expect(question["transaction"] == id)
            #expect(question["storefront"]?["countryCode"] == "FR")
        },
        Scenario("without that policy no question is opened after a login") {
            stage in
            let agent = try await stage.client()
            try await agent.attend(["login"])
            let client = try await stage.client()
            let call = try await client.start("add", ["product": "coins"])
            _ = try await agent.question("login")
            try await agent.logIn()
            #expect(try await client.reply(to: call).code == nil)
            #expect(try await client.questions() == [])
        },
        Scenario(
            "questions are opened after all unfinished transactions are redelivered"
        ) { stage in
            let client = try await stage.client()
            try await client.call("delegate", ["mode": "ask"]).get()
            try await client.logIn()
            let id = try await client.add()
            try await client.call("logout").get()
            try await client.subscribe()
            try await client.set(["storefront": "FR"])
            try await client.logIn()
            _ = try await client.event("storefrontChanged")
            let again = try await client.notificationsUntilCaughtUp()
                .compactMap { $0.params(of: "event") }
            #expect(again.flatMap(\.transactionIDs) == [id])
            #expect(again.allSatisfy { $0["kind"] == "transactionsUpdated" })
            #expect(try await client.question("shouldContinue")["transaction"] == id)
        },
    ]

    /// Questions that nobody is shown.
    static let gatesTime: [Scenario] = [
        Scenario(
            "the timeout of a question starts when a client receives it"
        ) { stage in
            let (client, id) = try await stage.moved(["mode": "ask", "timeout": 10])
            try await client.subscribe(["kinds": ["transactionsUpdated", "transactionsRemoved"]])
            try await client.transaction(id, waitsFor: "gate")
            try await stage.pass(seconds: 300)
            #expect(try await client.waitingFor(id) == "gate")
            #expect(try await client.questions().first?["deadline"] == nil)
            let other = try await stage.client()
            try await other.subscribe(["kinds": ["questionOpened"]])
            try await stage.pass(seconds: 8)
            #expect(try await client.waitingFor(id) == "gate")
            try await stage.pass(seconds: 4)
            #expect(try await client.listed(id) == nil)
        }
    ]
}
