import PaymentCore
import PaymentEngine
import PaymentTesting
import Testing

@Suite("Calls that let somebody log in")
struct LoginQuestionTests {
    private let answered = Answered<AddReply>()

    private func call(
        _ bench: EngineBench, _ product: ProductIdentifier = Samples.coins, key: OpaqueText? = nil
    ) -> WaitTicket {
        bench.engine.login.addAfterLogin(
            AddRequest(productIdentifier: product, key: key), origin: Samples.origin
        ) { [answered] in answered.take($0) }
    }

    @Test("One question is open for all callers, and a login lets all of them go on")
    func login() throws {
        let bench = EngineBench()
        let target = RecordingTarget()
        bench.agent([.login], target)
        #expect(bench.engine.login.asksForLogin)
        _ = call(bench)
        _ = call(bench, Samples.pass)
        bench.run()
        #expect(answered.all.isEmpty)
        #expect(bench.count(.questionOpened) == 1)
        #expect(bench.question?.question.kind == .login)
        #expect(bench.question?.deadline != nil)
        bench.logIn()
        #expect(answered.all.count == 2)
        let replies = try answered.all.map { try $0.get() }
        #expect(replies.allSatisfy { $0.transaction.account == Samples.anna })
        #expect(bench.lastClosing?.value == true)
        #expect(bench.question == nil)
        #expect(!bench.engine.login.asksForLogin)
    }

    @Test("Dismissed or unanswered for two minutes, the calls come to nothing")
    func discarded() {
        let bench = EngineBench()
        bench.agent([.login])
        _ = call(bench)
        bench.run()
        #expect(bench.answer(false))
        #expect(answered.refusals == [.loginDiscarded])
        _ = call(bench)
        bench.loop.advance(by: .milliseconds(119_999))
        #expect(answered.all.count == 1)
        bench.loop.advance(by: .milliseconds(1))
        #expect(answered.refusals == [.loginDiscarded, .loginDiscarded])
        #expect(bench.engine.queue.unfinishedCount == 0)
        #expect(bench.question == nil)
    }

    @Test("What can be said without a login is said at once")
    func atOnce() {
        let bench = EngineBench()
        let id = bench.add(key: "k").transaction.id
        bench.agent([.login])
        _ = call(bench, key: "k")
        _ = call(bench, "nothing")
        #expect(answered.all.count == 2)
        #expect((try? answered.all[0].get())?.transaction.id == id)
        #expect(answered.refusals[1] == .refused(.unknownProduct("nothing")))
        bench.run()
        #expect(bench.question == nil)
    }

    @Test("When an agent leaves the next is asked; when none is left, the work waits")
    func agentGone() throws {
        let bench = EngineBench()
        let first = bench.agent([.login])
        _ = call(bench)
        bench.run()
        let target = RecordingTarget()
        let second = bench.agent([.login], target)
        #expect(!target.isAsked)
        bench.engine.subscriptions.unsubscribe(first)
        bench.run()
        #expect(target.words.contains { $0.hasPrefix("question login") })
        #expect(answered.all.isEmpty)
        bench.engine.subscriptions.unsubscribe(second)
        bench.run()
        let reply = try #require(try answered.all.first?.get())
        #expect(reply.waitingFor == .login)
        #expect(bench.lastClosing?.reason == .agentGone)
    }

    @Test("A login that is undone within its turn is none")
    func undone() {
        let bench = EngineBench()
        bench.agent([.login])
        _ = call(bench)
        bench.run()
        bench.gateway.isAnswering = true
        let engine = bench.engine
        engine.store.sessions.logIn(account: Samples.anna, credential: nil, origin: nil) { _ in
            engine.store.sessions.logOut(origin: nil)
        }
        bench.run()
        #expect(answered.all.isEmpty)
        #expect(bench.question?.question.kind == .login)
        bench.logIn()
        #expect(answered.refusals == [nil])
    }

    @Test("A purchase that was shown at home asks before it is charged abroad")
    func abroad() throws {
        let bench = EngineBench()
        bench.setPolicy(GatePolicy(mode: .ask))
        bench.engine.start(observer: RecordingTarget())
        bench.agent([.login])
        _ = call(bench)
        bench.logIn(Samples.bert)
        let reply = try #require(try answered.all.first?.get())
        #expect(reply.transaction.country == Samples.germany)
        #expect(bench.question?.question.cause == .storefront)
        #expect(bench.gateway.submissions.isEmpty)
    }

    @Test("Calls that are given up take their question along when they are the last")
    func givenUp() {
        let bench = EngineBench()
        bench.agent([.login])
        let tickets = [call(bench), call(bench)]
        bench.run()
        bench.engine.login.cancel(tickets[0])
        bench.run()
        #expect(bench.question != nil)
        bench.engine.login.cancel(tickets[1])
        bench.run()
        #expect(bench.question == nil)
        bench.logIn()
        #expect(answered.all.isEmpty)
    }

    @Test("A restart ends the question, and the session may begin as ever")
    func restart() {
        let first = EngineBench()
        first.agent([.login])
        _ = call(first)
        first.run()
        let bench = first.restarted()
        #expect(bench.question == nil)
        #expect(bench.lastClosing?.reason == .restarted)
        #expect(bench.engine.queue.unfinishedCount == 0)
    }

    @Test("After the login that it caused, each add is asked about if the policy says so")
    func afterLogin() throws {
        for (value, refusal) in [(true, nil), (false, .rejectedAfterLogin)]
            as [(Bool, EngineRefusal?)]
        {
            let answered = Answered<AddReply>()
            let bench = EngineBench()
            bench.setPolicy(GatePolicy(timeoutMs: 7000, afterLogin: .ask))
            bench.agent([.login])
            bench.engine.login.addAfterLogin(
                AddRequest(productIdentifier: Samples.coins), origin: Samples.origin
            ) { answered.take($0) }
            bench.logIn()
            #expect(answered.all.isEmpty)
            let question = try #require(bench.question)
            #expect(question.question.kind == .afterLogin)
            #expect(question.question.product?.product.productIdentifier == Samples.coins)
            #expect(question.deadline != nil)
            #expect(bench.answer(value))
            #expect(answered.refusals == [refusal])
            #expect(bench.engine.queue.unfinishedCount == (value ? 1 : 0))
        }
    }

    @Test("Calls with one key are one purchase: one question, and one answer for all of them")
    func afterLoginWithKey() throws {
        for value in [true, false] {
            let bench = EngineBench()
            let answered = Answered<AddReply>()
            bench.setPolicy(GatePolicy(timeoutMs: 7000, afterLogin: .ask))
            bench.agent([.login])
            _ = bench.subscribe(RecordingTarget())
            var request = AddRequest(productIdentifier: Samples.coins)
            request.key = "k"
            func add() {
                bench.engine.login.addAfterLogin(request, origin: Samples.origin) {
                    answered.take($0)
                }
            }
            add()
            add()
            bench.logIn()
            #expect(bench.engine.login.asks(before: request))
            var other = request
            other.productIdentifier = Samples.book
            #expect(!bench.engine.login.asks(before: other))
            add()
            bench.run()
            #expect(answered.all.isEmpty && bench.gateway.submissions.isEmpty)
            #expect(bench.engine.queue.visibleQuestions.count == 1)
            #expect(bench.answer(value))
            #expect(answered.refusals == (0..<3).map { _ in value ? nil : .rejectedAfterLogin })
            #expect(bench.gateway.submissions.count == (value ? 1 : 0))
            #expect(!bench.engine.login.asks(before: request))
        }
    }

    @Test("After the login silence is the policy's fallback, and a logout ends the asking")
    func afterLoginEnds() {
        let bench = EngineBench()
        bench.setPolicy(GatePolicy(timeoutMs: 7000, afterLogin: .ask))
        bench.agent([.login])
        _ = call(bench)
        bench.logIn()
        bench.loop.advance(by: .seconds(7))
        #expect(answered.refusals == [.rejectedAfterLogin])
        bench.engine.store.sessions.logOut(origin: nil)
        bench.run()
        _ = call(bench)
        bench.logIn()
        bench.engine.store.sessions.logOut(origin: nil)
        bench.run()
        #expect(answered.refusals == [.rejectedAfterLogin, .loginDiscarded])
        #expect(bench.question == nil)
    }

    @Test("An agent may be sent for a login alone, and other work waits for it as well")
    func other() throws {
        let bench = EngineBench()
        let logins = Answered<(Session, SequenceNumber)>()
        let works = Answered<Void>()
        bench.engine.login.logInByAgent(origin: Samples.origin) { logins.take($0) }
        #expect(logins.refusals == [.noLoginAgent])
        bench.agent([.login])
        bench.engine.login.logInByAgent(origin: Samples.origin) { logins.take($0) }
        bench.engine.login.continueAfterLogin(origin: Samples.origin) { works.take($0) }
        bench.run()
        #expect(works.all.isEmpty)
        bench.logIn()
        #expect(works.refusals == [nil])
        let (session, sequence) = try #require(try logins.all.last?.get())
        #expect(session.account == Samples.anna)
        let record = bench.journal.durable.first { $0.sequence == sequence }
        #expect(record.flatMap { EventKind(of: $0.event) } == .storefrontChanged)
    }

    @Test("A caller whose predecessor logs out in its answer is not told of a session")
    func loggedOutByCaller() {
        let bench = EngineBench()
        let answers = Answered<(Session, SequenceNumber)>()
        bench.agent([.login])
        let engine = bench.engine
        engine.login.logInByAgent(origin: Samples.origin) {
            answers.take($0)
            engine.store.sessions.logOut(origin: nil)
        }
        engine.login.logInByAgent(origin: Samples.origin) { answers.take($0) }
        bench.logIn()
        #expect(answers.refusals == [nil, .loginDiscarded])
    }

    @Test("A restore lets somebody log in as well, and comes to nothing when nobody does")
    func restores() throws {
        let bench = EngineBench()
        bench.agent([.login])
        let answered = Answered<RestoreReply>()
        for value in [false, true] {
            bench.engine.login.restoreAfterLogin(RestoreRequest(key: "r"), origin: Samples.origin) {
                answered.take($0)
            }
            bench.run()
            if value { bench.logIn() } else { bench.answer(false) }
        }
        #expect(answered.refusals == [.loginDiscarded, nil])
        bench.engine.store.sessions.logOut(origin: nil)
        bench.engine.login.restoreAfterLogin(RestoreRequest(key: "r"), origin: Samples.origin) {
            answered.take($0)
        }
        #expect(try answered.all.last?.get().isDuplicate == true)
    }
}
