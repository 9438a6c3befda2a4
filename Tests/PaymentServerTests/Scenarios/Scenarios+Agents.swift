import StrictJSON
import Testing

extension Scenario {
    /// Payments that are confirmed by somebody.
    static let agents: [Scenario] = [
        Scenario("a payment agent confirms each charge") { stage in
            let agent = try await stage.client()
            try await agent.attend(["payment"])
            let client = try await stage.buyer()
            let id = try await client.add()
            let question = try await agent.question("payment")
            #expect(question["transaction"] == id)
            #expect(question["product"]?["productIdentifier"] == "coins")
            #expect(question["price"]?["amount"] == "9.99")
            #expect(question["storefront"]?["countryCode"] == "DE")
            #expect(try await client.orders().isEmpty)
            try await agent.answer(question, true).get()
            try await client.transaction(id, becomes: "purchased")
        },
        Scenario(
            "a person who cancels the confirmation cancels the payment"
        ) { stage in
            let agent = try await stage.client()
            try await agent.attend(["payment"])
            let client = try await stage.buyer()
            let id = try await client.add()
            try await agent.answer(agent.question("payment"), false).get()
            let failed = try await client.transaction(id, becomes: "failed")
            #expect(failed["error"] == ["cancelled": [:]])
            #expect(try await client.orders().isEmpty)
            #expect(try await client.finish(id) == "removed")
        },
        Scenario(
            "if the payment agent leaves, the payment fails with presentationFailed"
        ) { stage in
            let agent = try await stage.client()
            try await agent.attend(["payment"])
            let client = try await stage.buyer()
            let id = try await client.add()
            _ = try await agent.question("payment")
            try await agent.leave()
            let failed = try await client.transaction(id, becomes: "failed")
            #expect(failed["error"] == ["presentationFailed": [:]])
            #expect(try await client.orders().isEmpty)
        },
        Scenario("payment agents are asked one at a time; when one leaves, the next one is asked") {
            stage in
            let first = try await stage.client()
            try await first.attend(["payment"])
            let second = try await stage.client()
            try await second.attend(["payment"])
            let client = try await stage.buyer()
            let id = try await client.add()
            let question = try await first.question("payment")
            #expect(try await second.questions().count == 1)
            #expect(!second.kindsHeard.contains("questionOpened"))
            try await first.leave()
            let again = try await second.question("payment")
            #expect(again["question"] == question["question"])
            try await second.answer(again, true).get()
            try await client.transaction(id, becomes: "purchased")
        },
        Scenario("without a payment agent no confirmation is needed") { stage in
            let client = try await stage.buyer()
            _ = try await client.buy()
            #expect(!client.kindsHeard.contains("questionOpened"))
        },
        Scenario("a stop leaves the questions to payment agents open for the next start") { stage in
            let agent = try await stage.client()
            try await agent.attend(["payment"])
            let client = try await stage.buyer()
            let id = try await client.add()
            let question = try await agent.question("payment")
            try await stage.restart()
            let again = try await stage.client()
            #expect(try await again.questions().map { $0["question"] } == [question["question"]])
            try await again.attend(["payment"])
            try await again.subscribe()
            try await again.answer(question, true).get()
            try await again.transaction(id, becomes: "purchased")
        },
        Scenario("a payment that waits for its confirmation can be withdrawn") {
            stage in
            let agent = try await stage.client()
            try await agent.attend(["payment"])
            let client = try await stage.buyer()
            let id = try await client.add()
            let question = try await agent.question("payment")
            #expect(try await client.finish(id) == "removed")
            _ = try await agent.closing(question)
            #expect(try await agent.answer(question, true).code == 1402)
            #expect(try await client.orders().isEmpty)
        },
    ]

    /// Payments that nobody confirms.
    static let agentsTime: [Scenario] = [
        Scenario(
            "if a payment agent is silent for two minutes, the payment fails"
        ) {
            stage in
            let agent = try await stage.client()
            try await agent.attend(["payment"])
            let client = try await stage.buyer()
            let id = try await client.add()
            _ = try await agent.question("payment")
            try await stage.pass(seconds: 118)
            #expect(try await client.waitingFor(id) == "gate")
            try await stage.pass(seconds: 4)
            let failed = try await client.transaction(id, becomes: "failed")
            #expect(failed["error"] == ["presentationFailed": [:]])
        },
        Scenario("if a payment agent is silent, the next one is asked within the same time") {
            stage in
            let first = try await stage.client()
            try await first.attend(["payment"])
            let second = try await stage.client()
            try await second.attend(["payment"])
            let client = try await stage.buyer()
            let id = try await client.add()
            let question = try await first.question("payment")
            try await stage.pass(seconds: 58)
            #expect(try await second.questions().count == 1)
            #expect(!second.kindsHeard.contains("questionOpened"))
            try await stage.pass(seconds: 4)
            let again = try await second.question("payment")
            #expect(again["question"] == question["question"])
            try await second.answer(again, true).get()
            try await client.transaction(id, becomes: "purchased")
        },
        Scenario("if all payment agents are silent, the payment fails after the whole time") {
            stage in
            for _ in 0..<3 { try await stage.client().attend(["payment"]) }
            let client = try await stage.buyer()
            let id = try await client.add()
            try await stage.pass(seconds: 118)
            #expect(try await client.waitingFor(id) == "gate")
            try await stage.pass(seconds: 4)
            let failed = try await client.transaction(id, becomes: "failed")
            #expect(failed["error"] == ["presentationFailed": [:]])
        },
    ]
}
