import PaymentCore
import PaymentEngine
import PaymentTesting
import Testing

@Suite("Questions before a charge")
struct GateTests {
    @Test("A question waits for somebody who may answer, and then for its time")
    func patience() throws {
        let bench = EngineBench.busy()
        bench.setPolicy(GatePolicy(mode: .ask, timeoutMs: 5000))
        let id = bench.addAndMove()
        #expect(bench.question?.deadline == nil)
        bench.loop.advance(by: .seconds(3600))
        #expect(bench.state(id) == .gated)
        let target = RecordingTarget()
        _ = bench.subscribe(target, SubscriptionRequest(isPassive: true, mayAnswer: true))
        bench.run()
        #expect(target.words.contains { $0.hasPrefix("question shouldContinue") })
        #expect(bench.question?.deadline != nil)
        bench.loop.advance(by: .milliseconds(4999))
        #expect(bench.state(id) == .gated)
        bench.loop.advance(by: .milliseconds(1))
        #expect(bench.engine.queue.finish(of: id)?.reason == .discardedByGate)
        #expect(bench.lastClosing?.reason == .timedOut)
        #expect(bench.gateway.submissions.isEmpty)
    }

    @Test("Who may not answer any more was not asked, and silence is no answer")
    func roles() throws {
        let bench = EngineBench.busy()
        bench.setPolicy(GatePolicy(mode: .ask, timeoutMs: 5000, fallback: true))
        let target = RecordingTarget()
        let subscription = bench.subscribe(
            target, SubscriptionRequest(isPassive: true, agents: [.login], mayAnswer: true))
        bench.run()
        bench.engine.catchUp.allow(subscription, toAnswer: false, asAgents: [])
        let id = bench.addAndMove()
        bench.loop.advance(by: .seconds(3600))
        #expect(bench.state(id) == .gated && bench.question?.deadline == nil)
        bench.engine.store.sessions.logOut(origin: nil)
        bench.run()
        #expect(!bench.engine.login.asksForLogin)
        // What it had offered counts again when it may.
        bench.engine.catchUp.allow(subscription, toAnswer: true, asAgents: [.login])
        #expect(bench.engine.login.asksForLogin)
    }

    @Test("Who may answer from now on is shown what is open, and only then is waited for")
    func grantedRole() throws {
        let bench = EngineBench.busy()
        bench.setPolicy(GatePolicy(mode: .ask, timeoutMs: 5000))
        let id = bench.addAndMove()
        let target = RecordingTarget()
        let subscription = bench.subscribe(target, SubscriptionRequest(isPassive: true))
        bench.run()
        #expect(!target.words.contains { $0.hasPrefix("question") })
        target.roomFor = 0
        bench.engine.catchUp.allow(subscription, toAnswer: true, asAgents: [])
        bench.run()
        #expect(bench.question?.deadline == nil)
        target.roomFor = nil
        bench.engine.catchUp.resume(subscription)
        bench.run()
        #expect(target.words.count { $0.hasPrefix("question shouldContinue") } == 1)
        #expect(bench.question?.deadline != nil)
        bench.loop.advance(by: .seconds(5))
        #expect(bench.engine.queue.finish(of: id)?.reason == .discardedByGate)
    }

    @Test("A finish names its own record, and the key of what it withdrew waits for nobody")
    func withdrawal() throws {
        let (bench, _) = EngineBench.asking()
        let id = bench.addAndMove(key: "k")
        let answer = try bench.engine.commands.finish(id, origin: Samples.origin)
        bench.run()
        #expect(answer.disposition == .removed)
        let own = bench.journal.durable.first { $0.sequence == answer.sequence }
        guard case .transaction(.removed(.withdrawn), let removed)? = own?.event else {
            Issue.record("\(String(describing: own))")
            return
        }
        #expect(removed.id == id && bench.lastClosing?.reason == .withdrawn)
        let again = bench.add(key: "k")
        #expect(again.isDuplicate && again.removed?.reason == .withdrawn)
        #expect(again.waitingFor == nil)
    }

    @Test("Somebody who is there is told live, with the deadline, and yes charges at once")
    func live() throws {
        let (bench, target) = EngineBench.asking()
        let id = bench.addAndMove()
        #expect(bench.question?.deadline != nil)
        #expect(bench.count(.questionOpened) == 1)
        #expect(!target.words.contains { $0.hasPrefix("question") })
        let transaction = try #require(bench.engine.queue.transaction(id))
        #expect(bench.engine.queue.waitingFor(transaction) == .gate)
        #expect(bench.answer(true))
        let order = try #require(bench.gateway.submissions.last)
        #expect(order.country == Samples.france)
        #expect(order.product.price.amount.text == "8.49")
        #expect(bench.state(id) == .submitted)
    }

    @Test("The first answer wins; a later one and an unknown question are told apart")
    func first() throws {
        let (bench, _) = EngineBench.asking()
        bench.addAndMove()
        let id = try #require(bench.question).question.id
        #expect(bench.answer(false))
        #expect(throws: EngineRefusal.refused(.questionClosed(id))) {
            try bench.engine.questions.answer(id, value: true, origin: nil)
        }
        let other = QuestionID(UniqueID(high: 1, low: 2))
        #expect(throws: EngineRefusal.refused(.unknownQuestion)) {
            try bench.engine.questions.answer(other, value: true, origin: nil)
        }
    }

    @Test("A question survives a restart with its id, and its time begins again")
    func restart() throws {
        let (first, _) = EngineBench.asking()
        let id = first.addAndMove()
        let question = try #require(first.question).question
        first.loop.advance(by: .seconds(4))
        let bench = first.restarted()
        #expect(bench.question == OpenQuestion(question: question, deadline: nil))
        bench.loop.advance(by: .seconds(60))
        #expect(bench.state(id) == .gated)
        let target = RecordingTarget()
        _ = bench.subscribe(target, SubscriptionRequest(mayAnswer: true))
        bench.run()
        bench.loop.advance(by: .seconds(4))
        #expect(bench.answer(true))
        #expect(bench.gateway.submissions.map(\.transaction) == [id])
    }

    @Test("A changed price is asked about, and the clock stops while the account is away")
    func hiddenClock() throws {
        let (bench, _) = EngineBench.asking()
        let id = bench.add().transaction.id
        bench.gateway.store.catalogues[Samples.germany] = Samples.catalogue(
            of: Samples.germany, amount: "12.00")
        bench.run()
        bench.gateway.end()
        bench.run()
        #expect(bench.question?.question.cause == .price)
        bench.engine.store.sessions.logOut(origin: nil)
        bench.run()
        bench.loop.advance(by: .seconds(3600))
        #expect(bench.state(id) == .gated)
        bench.logIn()
        #expect(bench.question?.deadline != nil)
        bench.loop.advance(by: .seconds(5))
        #expect(bench.engine.queue.finish(of: id)?.reason == .discardedByGate)
    }

    @Test("Moving back ends the question and sends the order as it was shown")
    func back() throws {
        let (bench, _) = EngineBench.asking()
        bench.addAndMove()
        bench.move(to: Samples.germany)
        #expect(bench.lastClosing?.reason == .sessionChanged)
        #expect(bench.gateway.submissions.map(\.country) == [Samples.germany])
    }

    @Test("A crash behind any record of a turn charges nothing that was not agreed to")
    func torn() throws {
        for cut in 0..<4 {
            let (first, _) = EngineBench.asking()
            let id = first.add().transaction.id
            first.gateway.store.catalogues[Samples.germany] = Samples.catalogue(
                of: Samples.germany, amount: "12.00")
            first.run()
            first.journal.ending = { _ in .torn(cut) }
            first.gateway.end()
            first.run()
            let bench = first.restarted()
            _ = bench.subscribe(RecordingTarget(), SubscriptionRequest(mayAnswer: true))
            bench.gateway.isAnswering = true
            bench.run()
            while !bench.gateway.waiting.isEmpty {
                bench.gateway.end()
                bench.run()
            }
            #expect(bench.gateway.store.history.isEmpty, "cut \(cut)")
            #expect(bench.state(id) == .gated, "cut \(cut)")
            #expect(bench.question?.question.cause == .price, "cut \(cut)")
            bench.answer(true)
            bench.run()
            let order = bench.gateway.store.orders[id]
            #expect(order?.request.product.price.amount.text == "12.00", "cut \(cut)")
        }
    }

    @Test("Many questions are opened in several turns and shown again in bounded pages")
    func many() {
        let (bench, _) = EngineBench.asking()
        for _ in 0..<600 { bench.add() }
        bench.move(to: Samples.france)
        #expect(bench.engine.questions.visible.count == 600)
        #expect((bench.journal.commits.max() ?? 0) < 620)
        let target = RecordingTarget()
        var checker = StreamChecker(
            request: SubscriptionRequest(isPassive: true, mayAnswer: true),
            head: bench.journal.head)
        target.onDelivery = { checker.take($0) }
        _ = bench.subscribe(target, SubscriptionRequest(isPassive: true, mayAnswer: true))
        bench.run()
        #expect(target.words.count { $0.hasPrefix("question") } == 600)
        #expect(checker.findings.isEmpty)
        #expect(target.words.last?.hasPrefix("caughtUp") == true)
    }
}

@Suite("Payment agents")
struct PaymentAgentTests {
    static let failed = TransactionState.failed(PaymentFailure(.presentationFailed))

    @Test("With an agent nothing is charged before it has agreed")
    func agrees() {
        let bench = EngineBench.busy()
        bench.agent([.payment])
        let id = bench.addMany(1)[0]
        #expect(bench.gateway.submissions.isEmpty)
        #expect(bench.question?.question.kind == .payment)
        #expect(bench.answer(true))
        #expect(bench.gateway.submissions.map(\.transaction) == [id])
    }

    @Test("Two minutes of silence, or the last agent's leaving, fail the payment")
    func silence() {
        let bench = EngineBench.busy()
        let agents = [bench.agent([.payment]), bench.agent([.payment, .login])]
        let ids = bench.addMany(1)
        bench.loop.advance(by: .milliseconds(119_999))
        #expect(bench.state(ids[0]) == .gated)
        bench.loop.advance(by: .milliseconds(1))
        #expect(bench.state(ids[0]) == Self.failed)
        let id = bench.addMany(1)[0]
        bench.engine.subscriptions.unsubscribe(agents[0])
        bench.run()
        #expect(bench.state(id) == .gated)
        bench.engine.subscriptions.unsubscribe(agents[1])
        bench.run()
        #expect(bench.state(id) == Self.failed)
        #expect(bench.lastClosing?.reason == .agentGone)
        let free = bench.addMany(1)[0]
        #expect(bench.gateway.submissions.map(\.transaction) == [free])
    }

    @Test("Agents that leave because the queue stops end no question")
    func stop() {
        let bench = EngineBench.busy()
        let agent = bench.agent([.payment])
        let id = bench.addMany(1)[0]
        bench.engine.questions.prepareStop()
        bench.engine.subscriptions.unsubscribe(agent)
        bench.run()
        #expect(bench.state(id) == .gated && bench.lastClosing == nil)
        let next = bench.restarted()
        next.agent([.payment])
        _ = next.subscribe(RecordingTarget())
        next.run()
        #expect(next.answer(true))
        #expect(next.gateway.submissions.map(\.transaction) == [id])
    }

    @Test(
        "The question stays open for an agent that was cut off with its node, until its time is up")
    func cutOff() {
        let bench = EngineBench.busy()
        for isBack in [true, false] {
            let agent = bench.agent([.payment])
            let id = bench.addMany(1)[0]
            bench.engine.subscriptions.unsubscribe(agent)
            bench.engine.questions.agentsWereCutOff()
            bench.loop.advance(by: .seconds(119))
            #expect(bench.state(id) == .gated)
            let other = isBack ? bench.agent([.payment]) : nil
            if isBack { #expect(bench.answer(true)) }
            bench.loop.advance(by: .seconds(1))
            #expect(bench.state(id) == (isBack ? .submitted : Self.failed))
            if let other { bench.engine.subscriptions.unsubscribe(other) }
        }
    }

    @Test("After a restart an agent has two minutes to come back, and as long again to answer")
    func restart() {
        let first = EngineBench.busy()
        first.agent([.payment])
        let id = first.addMany(1)[0]
        var bench = first.restarted()
        bench.loop.advance(by: .seconds(119))
        #expect(bench.state(id) == .gated)
        bench.agent([.payment])
        bench.loop.advance(by: .seconds(119))
        #expect(bench.state(id) == .gated)
        bench.loop.advance(by: .seconds(1))
        #expect(bench.state(id) == Self.failed)
        let second = EngineBench.busy()
        second.agent([.payment])
        let other = second.addMany(1)[0]
        bench = second.restarted()
        bench.loop.advance(by: .seconds(120))
        #expect(bench.state(other) == Self.failed)
    }

    @Test("An agent is told of questions whatever kinds it asked for")
    func kinds() {
        let bench = EngineBench.busy()
        let target = RecordingTarget()
        _ = bench.subscribe(
            target,
            SubscriptionRequest(kinds: [.restoreFailed], isPassive: true, agents: [.payment]))
        bench.run()
        bench.addMany(1)
        #expect(target.words.count { $0.hasPrefix("record") } == 1)
    }
}
