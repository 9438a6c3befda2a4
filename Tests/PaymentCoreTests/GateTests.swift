@testable import PaymentCore
import PaymentTesting
import Testing

@Suite("The gate")
struct GateTests {
    static let dear = Samples.product(Samples.coins, .consumable, "12.00")

    /// A transaction that was added in Germany, with its account in France now.
    private func moved(_ mode: GatePolicy.Mode, fallback: Bool = false) -> (Bench, TransactionID) {
        var bench = Bench.gated(mode, fallback: fallback)
        let id = bench.add()
        bench.move(Samples.anna, to: Samples.france)
        return (bench, id)
    }

    @Test("In another country it goes on afresh, is discarded or asked about, as the policy says")
    func otherCountry() {
        for (mode, words, standing) in [
            (.continue, ["product", "refreshed", "submitted"], "submitted 8.49 FR"),
            (.stop, ["discardedByGate"], "removed: discardedByGate"),
            (.ask, ["product", "shouldContinue?", "gated"], "gated 9.99 DE"),
        ] as [(GatePolicy.Mode, [String], String)] {
            var (bench, id) = moved(mode)
            #expect(bench.start().words == words)
            #expect(bench.standing(id) == standing)
        }
    }

    @Test("The question says what would be charged where, and how silence is taken")
    func question() throws {
        var (bench, id) = moved(.ask, fallback: true)
        bench.start()
        let question = try #require(bench.question)
        #expect(question.kind == .shouldContinue)
        #expect(question.cause == .storefront)
        #expect(question.account == Samples.anna)
        #expect(question.transaction == id)
        #expect(question.country == Samples.france)
        #expect(question.product?.product.price.amount.text == "8.49")
        #expect(question.fallback)
        #expect(question.patienceMs == 5000)
        #expect(bench.waitingFor(id) == .gate)
    }

    @Test("Yes lets it go on as it was asked about, no discards it")
    func answers() throws {
        for (value, words, standing) in [
            (true, ["answered true", "refreshed"], "submitted 8.49 FR"),
            (false, ["discardedByGate", "answered false"], "removed: discardedByGate"),
        ] {
            var (bench, id) = moved(.ask)
            bench.start()
            let question = try #require(bench.question)
            #expect(try bench.answer(question.id, value).words == words)
            bench.start()
            #expect(bench.standing(id) == standing)
            #expect(throws: Refusal.questionClosed(question.id)) {
                try bench.answer(question.id, true)
            }
        }
    }

    @Test("Silence is what the question says it is", arguments: [true, false])
    func silence(fallback: Bool) throws {
        var (bench, id) = moved(.ask, fallback: fallback)
        bench.start()
        let question = try #require(bench.question)
        bench.setPolicy(GatePolicy(mode: .ask, fallback: !fallback))
        #expect(bench.timeOut(question.id).words.contains("timedOut \(fallback)"))
        #expect((bench.state(id) == .waiting) == fallback)
        #expect(bench.timeOut(question.id).isEmpty)
    }

    @Test("What is not sold in the new country fails without a question")
    func notSold() {
        var bench = Bench.gated(.ask)
        let id = bench.add(Samples.book)
        bench.move(Samples.anna, to: Samples.norway)
        bench.start()
        #expect(bench.state(id) == .failed(.productNotAvailable))
        #expect(bench.question == nil)
    }

    @Test("Another price in the same country goes on, is discarded or is asked about")
    func otherPrice() throws {
        for (mode, words, standing) in [
            (.continue, ["product", "refreshed"], "waiting 12.00 DE"),
            (.stop, ["discardedByGate"], "removed: discardedByGate"),
            (.ask, ["product", "shouldContinue?", "gated"], "gated 9.99 DE"),
        ] as [(GatePolicy.Mode, [String], String)] {
            var bench = Bench.gated(mode)
            let id = bench.add()
            bench.start()
            #expect(bench.resolve(id, .priceChanged(Self.dear)).words == words)
            #expect(bench.standing(id) == standing)
            guard mode == .ask else { continue }
            let question = try #require(bench.question)
            #expect(question.cause == .price)
            #expect(question.product?.product == Self.dear)
            try bench.answer(question.id, true)
            bench.start()
            #expect(bench.standing(id) == "submitted 12.00 DE")
            #expect(bench.queue.transaction(id)?.attempt == 2)
        }
    }

    @Test("The shown price, however it is written, is nothing to ask about")
    func samePrice() {
        var bench = Bench.gated(.stop)
        let id = bench.add()
        bench.start()
        let same = Samples.product(Samples.coins, .consumable, "9.990")
        #expect(bench.resolve(id, .priceChanged(same)).words == ["product", "refreshed"])
        bench.start()
        #expect(bench.standing(id) == "submitted 9.990 DE")
    }

    @Test("A price of a country that the account has left is not asked about")
    func priceElsewhere() throws {
        var bench = Bench.gated(.ask)
        let id = bench.add()
        bench.start()
        bench.move(Samples.anna, to: Samples.france)
        #expect(bench.resolve(id, .priceChanged(Self.dear)).words == ["refreshed"])
        bench.start()
        #expect(bench.question?.cause == .storefront)
    }

    @Test("Nothing waits behind a gate, and what is let go on keeps its place")
    func order() throws {
        var bench = Bench.gated(.ask)
        let old = (1...3).map { _ in bench.add() }
        bench.move(Samples.anna, to: Samples.france)
        let new = bench.add()
        bench.start()
        #expect(old.allSatisfy { bench.state($0) == .gated })
        #expect(bench.state(new) == .submitted)
        for question in bench.queue.visibleQuestions.reversed() {
            try bench.answer(question.id, true)
        }
        let started = bench.start().compactMap { event -> TransactionID? in
            guard case .transaction(.submitted, let transaction) = event else { return nil }
            return transaction.id
        }
        #expect(started == old)
    }

    @Test("A finish withdraws what is held back, with its question")
    func finish() throws {
        var (bench, id) = moved(.ask)
        bench.start()
        let question = try #require(bench.question)
        #expect(try bench.finish(id) == .removed)
        #expect(bench.queue.finish(of: id)?.reason == .withdrawn)
        #expect(bench.queue.visibleQuestions.isEmpty)
        #expect(throws: Refusal.questionClosed(question.id)) {
            try bench.answer(question.id, true)
        }
    }

    @Test("Back in the old country nothing is asked any more; in a third one it is asked anew")
    func movedAgain() throws {
        for (country, words, standing) in [
            (Samples.germany, ["session", "sessionChanged", "refreshed"], "submitted 9.99 DE"),
            (Samples.norway, ["session", "sessionChanged", "refreshed"], "gated 9.99 DE"),
            (Samples.france, [], "gated 9.99 DE"),
        ] {
            var (bench, id) = moved(.ask)
            bench.start()
            let first = try #require(bench.question)
            #expect(bench.move(Samples.anna, to: country).words == words)
            bench.start()
            #expect(bench.standing(id) == standing)
            if country == Samples.norway {
                #expect(bench.question?.country == Samples.norway)
                #expect(bench.question?.id != first.id)
            }
        }
    }

    @Test("A question of a hidden account is unknown until the account is back, and open then")
    func hidden() throws {
        var (bench, id) = moved(.ask)
        bench.start()
        let question = try #require(bench.question)
        bench.move(nil)
        #expect(bench.queue.visibleQuestions.isEmpty)
        #expect(throws: Refusal.unknownQuestion) { try bench.answer(question.id, true) }
        bench.move(Samples.bert)
        #expect(throws: Refusal.unknownQuestion) { try bench.answer(question.id, true) }
        #expect(bench.move(Samples.anna, to: Samples.france).words == ["session"])
        #expect(bench.question == question)
        try bench.answer(question.id, false)
        #expect(bench.standing(id) == "removed: discardedByGate")
        bench.move(nil)
        #expect(throws: Refusal.unknownQuestion) { try bench.answer(question.id, true) }
    }

    @Test("A request that was shown another country's price asks before that changes")
    func shownElsewhere() throws {
        var bench = Bench.gated(.ask)
        let french = Samples.product(Samples.coins, .consumable, "8.49")
        let request = AddRequest(productIdentifier: Samples.coins)
            .asShown(french, in: Samples.france)
        var events: [Event] = []
        let decision = try bench.queue.decide(request, bench.context, events: &events)
        bench.apply(events)
        guard case .accepted(let id) = decision else {
            Issue.record("not accepted")
            return
        }
        #expect(bench.standing(id) == "waiting 8.49 FR")
    }

    @Test("The same policy again is no record, and a new queue goes on without asking")
    func policy() {
        var bench = Bench.busy()
        #expect(bench.queue.policy.mode == .continue)
        #expect(bench.setPolicy(GatePolicy()).isEmpty)
        #expect(bench.setPolicy(GatePolicy(mode: .stop)).count == 1)
        #expect(bench.setPolicy(GatePolicy(mode: .stop)).isEmpty)
    }
}

@Suite("Confirming charges")
struct PaymentAgentTests {
    /// A transaction that an agent is asked about.
    private func asked() throws -> (Bench, TransactionID, Question) {
        let (bench, id) = Stage.gated.bench()
        return (bench, id, try #require(bench.question))
    }

    @Test("Each charge is asked about first: product, price and country as they will be charged")
    func asks() throws {
        let (bench, id, question) = try asked()
        #expect(question.kind == .payment)
        #expect(question.transaction == id)
        #expect(question.country == Samples.germany)
        #expect(question.product?.product.price.amount.text == "9.99")
        #expect(!question.fallback)
        #expect(question.patienceMs == 120_000)
        #expect(bench.queue.visibleCounts.submitted == 0)
    }

    @Test("Yes charges, and is not asked again when the same is sent anew")
    func yes() throws {
        var (bench, id, question) = try asked()
        #expect(try bench.answer(question.id, true).words == ["answered true", "refreshed"])
        #expect(bench.start().words == ["submitted"])
        let same = Samples.product(Samples.coins, .consumable, "9.990")
        bench.resolve(id, .priceChanged(same))
        #expect(bench.start().words == ["submitted"])
    }

    @Test("No, silence and an agent that left fail the payment, each by its name")
    func ends() throws {
        var (refused, id, question) = try asked()
        #expect(try refused.answer(question.id, false).words == ["failed", "answered false"])
        #expect(refused.state(id) == .failed(PaymentFailure(.cancelled)))
        var (silent, second, other) = try asked()
        silent.timeOut(other.id)
        #expect(silent.state(second) == .failed(PaymentFailure(.presentationFailed)))
        var (left, third, _) = try asked()
        #expect(left.loseAgent().words == ["failed", "agentGone"])
        #expect(left.state(third) == .failed(PaymentFailure(.presentationFailed)))
    }

    @Test("Another price or country needs another confirmation")
    func again() throws {
        var (bench, id, question) = try asked()
        try bench.answer(question.id, true)
        bench.start()
        bench.resolve(id, .priceChanged(GateTests.dear))
        bench.start()
        let second = try #require(bench.question)
        #expect(second.kind == .payment)
        #expect(second.product?.product == GateTests.dear)
        try bench.answer(second.id, true)
        bench.move(Samples.anna, to: Samples.france)
        bench.start()
        #expect(bench.question?.country == Samples.france)
        #expect(bench.question?.kind == .payment)
    }

    @Test("A gate is asked before the charge, and the charge after it")
    func afterGate() throws {
        var bench = Bench.gated(.ask)
        bench.queue.activeObservers.hasPaymentAgent = true
        let id = bench.add()
        bench.move(Samples.anna, to: Samples.france)
        bench.start()
        #expect(bench.question?.kind == .shouldContinue)
        try bench.answer(try #require(bench.question).id, true)
        bench.start()
        #expect(bench.question?.kind == .payment)
        #expect(bench.question?.country == Samples.france)
        try bench.answer(try #require(bench.question).id, true)
        bench.start()
        #expect(bench.standing(id) == "submitted 8.49 FR")
    }

    @Test("Without an agent nothing is asked")
    func without() {
        var bench = Bench.busy()
        bench.add()
        #expect(bench.start().words == ["submitted"])
    }
}
