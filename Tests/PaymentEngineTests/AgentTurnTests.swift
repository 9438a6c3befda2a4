import PaymentCore
import PaymentEngine
import PaymentTesting
import Testing

/// Agents are asked one after the other, each for its part of the time.
@Suite("Agents in turn")
struct AgentTurnTests {
    static let failed = TransactionState.failed(PaymentFailure(.presentationFailed))

    /// An agent, its subscription and what it was told.
    private struct Helper {
        let target = RecordingTarget()
        let subscription: Subscription

        init(_ bench: EngineBench, _ kind: AgentKind = .payment, user: UInt32 = 1000) {
            target.user = user
            subscription = bench.agent([kind], target)
        }

        /// How often it was told of the one question that is open.
        var asked: Int { target.questions.count }

        func leave(_ bench: EngineBench) {
            bench.engine.subscriptions.unsubscribe(subscription)
            bench.run()
        }
    }

    private func pass(_ bench: EngineBench, seconds: Int) {
        bench.loop.advance(by: .seconds(seconds))
        bench.run()
    }

    /// Waits until just before a time and then for it.
    ///
    /// - Returns: Whether a condition holds from that time on, and not before.
    private func holds(
        _ bench: EngineBench, after seconds: Int, _ condition: () -> Bool
    ) -> Bool {
        bench.loop.advance(by: .seconds(seconds) - .milliseconds(1))
        bench.run()
        if condition() { return false }
        bench.loop.advance(by: .milliseconds(1))
        bench.run()
        return condition()
    }

    @Test("The second agent is asked when the first was silent for half of the time, and may agree")
    func secondAgent() throws {
        let bench = EngineBench.busy()
        let first = Helper(bench)
        let second = Helper(bench)
        let id = bench.addMany(1)[0]
        #expect(first.asked == 1 && second.asked == 0)
        #expect(holds(bench, after: 60) { second.asked == 1 })
        #expect(second.target.questions == first.target.questions)
        #expect(bench.state(id) == .gated)
        #expect(bench.answer(true))
        #expect(bench.gateway.submissions.map(\.transaction) == [id])
    }

    @Test("Each agent has an equal part of the time that is left, and all together the whole")
    func parts() {
        let bench = EngineBench.busy()
        let agents = (0..<3).map { _ in Helper(bench) }
        let id = bench.addMany(1)[0]
        #expect(holds(bench, after: 40) { agents[1].asked == 1 })
        #expect(agents[2].asked == 0)
        #expect(holds(bench, after: 40) { agents[2].asked == 1 })
        #expect(holds(bench, after: 40) { bench.state(id) == Self.failed })
        #expect(agents.map(\.asked) == [1, 1, 1])
        #expect(bench.lastClosing?.reason == .timedOut)
    }

    @Test("When an agent leaves, the next one is asked at once and has all the time that is left")
    func leaving() {
        let bench = EngineBench.busy()
        let first = Helper(bench)
        let second = Helper(bench)
        let id = bench.addMany(1)[0]
        pass(bench, seconds: 20)
        first.leave(bench)
        #expect(second.asked == 1)
        #expect(holds(bench, after: 100) { bench.state(id) == Self.failed })
    }

    @Test("When those that wait leave, the turn lasts as long as the question")
    func leavingWaiters() throws {
        let bench = EngineBench.busy()
        let first = Helper(bench)
        let second = Helper(bench)
        bench.addMany(1)
        second.leave(bench)
        pass(bench, seconds: 70)
        let third = Helper(bench)
        #expect(third.asked == 0)
        #expect(holds(bench, after: 25) { third.asked == 1 })
        #expect(first.asked == 1)
    }

    @Test("An agent that may not answer any more passes its turn on")
    func withdrawnRole() {
        let bench = EngineBench.busy()
        let first = Helper(bench)
        let second = Helper(bench)
        bench.addMany(1)
        bench.engine.catchUp.allow(first.subscription, toAnswer: false, asAgents: [])
        bench.run()
        #expect(second.asked == 1)
        bench.engine.catchUp.allow(first.subscription, toAnswer: true, asAgents: [.payment])
        bench.run()
        #expect(first.asked == 1, "it had its turn")
    }

    @Test("An agent that has had its turn may still answer")
    func lateAnswer() {
        let bench = EngineBench.busy()
        _ = Helper(bench)
        _ = Helper(bench)
        let id = bench.addMany(1)[0]
        pass(bench, seconds: 119)
        #expect(bench.answer(true))
        #expect(bench.gateway.submissions.map(\.transaction) == [id])
    }

    @Test("If the last agent leaves after the others were silent, there is time until the end")
    func silentAgentsStay() {
        let bench = EngineBench.busy()
        let first = Helper(bench)
        let second = Helper(bench)
        let id = bench.addMany(1)[0]
        pass(bench, seconds: 70)
        second.leave(bench)
        #expect(bench.state(id) == .gated && first.asked == 1)
        let third = Helper(bench)
        #expect(third.asked == 1)
        #expect(holds(bench, after: 50) { bench.state(id) == Self.failed })
    }

    @Test("An agent that comes later is asked as the last one, and shares the time that is left")
    func newcomer() {
        let bench = EngineBench.busy()
        let first = Helper(bench)
        let id = bench.addMany(1)[0]
        pass(bench, seconds: 20)
        let second = Helper(bench)
        let third = Helper(bench)
        #expect(first.asked == 1 && second.asked == 0 && third.asked == 0)
        // A third of 100 seconds, of which the first agent was promised no more.
        pass(bench, seconds: 34)
        #expect(second.asked == 1 && third.asked == 0)
        pass(bench, seconds: 34)
        #expect(third.asked == 1)
        #expect(bench.state(id) == .gated)
        pass(bench, seconds: 32)
        #expect(bench.state(id) == Self.failed)
    }

    @Test("The first agent of each user comes before the second one of any")
    func users() {
        let bench = EngineBench.busy()
        let crowd = (0..<3).map { _ in Helper(bench, user: 1001) }
        let other = Helper(bench, user: 1002)
        bench.addMany(1)
        #expect(crowd.map(\.asked) == [1, 0, 0])
        // A third of the half that each user has.
        pass(bench, seconds: 20)
        #expect(other.asked == 1 && crowd.map(\.asked) == [1, 0, 0])
        pass(bench, seconds: 50)
        #expect(crowd.map(\.asked) == [1, 1, 0])
        pass(bench, seconds: 25)
        #expect(crowd.map(\.asked) == [1, 1, 1] && other.asked == 1)
    }

    @Test("Many agents of one user leave half of the time to the agent of another user")
    func crowd() {
        let bench = EngineBench.busy()
        let first = Helper(bench, user: 1001)
        bench.addMany(1)
        let crowd = (0..<15).map { _ in Helper(bench, user: 1002) }
        #expect(first.asked == 1)
        #expect(holds(bench, after: 60) { crowd[0].asked == 1 })
    }

    @Test("Questions go round the agents, and one that was silent is asked after the others")
    func rounds() {
        let bench = EngineBench.busy()
        let agents = (0..<2).map { _ in Helper(bench) }
        bench.addMany(4)
        #expect(agents.map(\.asked) == [2, 2])
        #expect(Set(agents.flatMap(\.target.questions)).count == 4)
        for open in bench.engine.questions.visible.dropFirst() {
            _ = try? bench.engine.questions.answer(open.question.id, value: true, origin: nil)
        }
        bench.run()
        pass(bench, seconds: 60)
        #expect(agents.map(\.asked) == [2, 3], "the first agent was silent")
        #expect(bench.answer(true))
        bench.addMany(3)
        #expect(agents.map(\.asked) == [2, 6])
    }

    @Test("A question says until when the agent has its turn, and the list says when it ends")
    func deadlines() throws {
        let bench = EngineBench.busy()
        let first = Helper(bench)
        let second = Helper(bench)
        bench.addMany(1)
        let whole = try #require(bench.question?.deadline?.milliseconds)
        let record = try #require(
            bench.journal.durable.last { EventKind(of: $0.event) == .questionOpened })
        let end = bench.engine.questions.endOfTurn(of: first.subscription, at: record)
        #expect(end?.milliseconds == whole - 60_000)
        #expect(bench.engine.questions.endOfTurn(of: second.subscription, at: record) == nil)
        pass(bench, seconds: 60)
        guard case .question(let open, _)? = second.target.deliveries.last else {
            Issue.record("\(second.target.words)")
            return
        }
        #expect(open.deadline?.milliseconds == whole)
        #expect(bench.engine.questions.endOfTurn(of: first.subscription, at: record) == nil)
    }

    @Test("Observers that are no agents see each question once, when it is opened")
    func observers() {
        let bench = EngineBench.busy()
        let observer = RecordingTarget()
        _ = bench.subscribe(observer)
        let other = Helper(bench, .login)
        _ = Helper(bench)
        _ = Helper(bench)
        bench.addMany(1)
        pass(bench, seconds: 60)
        #expect(observer.questions.count == 1 && other.asked == 1)
    }

    @Test("Login agents are asked in turn, and without an answer the calls come to nothing")
    func login() {
        let bench = EngineBench()
        let answered = Answered<AddReply>()
        let first = Helper(bench, .login)
        let second = Helper(bench, .login)
        for _ in 0..<2 {
            bench.engine.login.addAfterLogin(
                AddRequest(productIdentifier: Samples.coins), origin: Samples.origin
            ) { answered.take($0) }
        }
        bench.run()
        #expect(first.asked == 1 && second.asked == 0)
        #expect(holds(bench, after: 60) { second.asked == 1 })
        #expect(holds(bench, after: 60) { !answered.all.isEmpty })
        #expect(answered.refusals == [.loginDiscarded, .loginDiscarded])
    }

    @Test("After a restart the turns begin again, and the time with the first agent")
    func restart() {
        let first = EngineBench.busy()
        let agents = (0..<2).map { _ in Helper(first) }
        let id = first.addMany(1)[0]
        pass(first, seconds: 60)
        #expect(agents.map(\.asked) == [1, 1])
        let bench = first.restarted()
        pass(bench, seconds: 100)
        let again = Helper(bench)
        let next = Helper(bench)
        #expect(again.target.questions == agents[0].target.questions)
        #expect(next.asked == 0)
        #expect(holds(bench, after: 60) { next.asked == 1 })
        #expect(holds(bench, after: 60) { bench.state(id) == Self.failed })
    }

    @Test("Agents whose connections outlive the process are asked again, in turn")
    func keptAgents() {
        let first = EngineBench.busy()
        let agents = (0..<2).map { _ in Helper(first) }
        let id = first.addMany(1)[0]
        let places = agents.map(\.subscription.place)
        let bench = first.restarted()
        let targets = places.map { place in
            let target = RecordingTarget()
            _ = bench.engine.catchUp.resume(place, target: target)
            return target
        }
        bench.run()
        #expect(targets.map(\.questions) == [agents[0].target.questions, []])
        #expect(holds(bench, after: 60) { targets[1].isAsked })
        #expect(targets[0].questions.count == 1)
        #expect(bench.answer(true))
        bench.engine.start(observer: RecordingTarget())
        bench.run()
        #expect(bench.gateway.submissions.map(\.transaction) == [id])
    }

    @Test("Turns begin again when the account comes back")
    func session() {
        let bench = EngineBench.busy()
        let first = Helper(bench)
        let second = Helper(bench)
        bench.addMany(1)
        pass(bench, seconds: 60)
        bench.engine.store.sessions.logOut(origin: nil)
        bench.run()
        pass(bench, seconds: 300)
        bench.logIn()
        // The first one was silent.
        #expect(first.asked == 1 && second.asked == 2)
        pass(bench, seconds: 60)
        #expect(first.asked == 2)
    }

    @Test("An agent without room is asked when it has some, if it is still its turn")
    func narrow() {
        let bench = EngineBench.busy()
        let first = Helper(bench)
        let second = Helper(bench)
        first.target.roomFor = 0
        second.target.roomFor = 0
        bench.addMany(1)
        pass(bench, seconds: 60)
        for helper in [first, second] {
            helper.target.roomFor = nil
            bench.engine.catchUp.resume(helper.subscription)
        }
        bench.run()
        #expect(first.asked == 0, "its turn has passed")
        #expect(second.asked == 1)
    }
}
