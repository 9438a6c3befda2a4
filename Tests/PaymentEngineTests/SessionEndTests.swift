import PaymentCore
import PaymentEngine
import PaymentTesting
import Testing

@Suite("A session that the store ended")
struct SessionEndTests {
    /// What was asked of the store when it answered that it does not know the session.
    enum Asked: CaseIterable {
        case order, completion, reconciliation, allowance, restorable, entitlements, history
    }

    @Test(
        "Each answer that says so ends it at once, for good, once", arguments: Asked.allCases,
        [StoreFailure.Kind.sessionRevoked, .unknownAccount])
    func ends(_ asked: Asked, _ kind: StoreFailure.Kind) throws {
        let bench = EngineBench.busy()
        let before = bench.engine.queue.head
        switch asked {
        case .order: bench.addMany(1)
        case .completion:
            let id = bench.addMany(1)[0]
            bench.gateway.end()
            bench.run()
            bench.finish(id)
        case .reconciliation:
            bench.gateway.purchaseAnswers = .held
            bench.engine.store.reconciliation.want()
        case .allowance: bench.engine.store.didChange(.account(Samples.anna))
        case .restorable:
            bench.restore()
            bench.gateway.purchaseAnswers = .held
            bench.run()
            bench.gateway.end()
        case .entitlements:
            bench.gateway.purchaseAnswers = .held
            bench.engine.store.listing.entitlements { _ in }
        case .history:
            bench.gateway.historyFailure = kind
            bench.engine.store.listing.signedHistory(of: 1) { _ in }
        }
        bench.run()
        bench.gateway.end(as: .refused(kind))
        bench.run()
        for life in [bench, bench.restarted()] {
            #expect(life.engine.queue.session == nil)
            #expect(life.engine.queue.endedSession?.session.account == Samples.anna)
            let changes = life.journal.durable.filter { $0.sequence > before }
                .compactMap { record in
                    if case .sessionChanged(let from, nil, let cause) = record.event {
                        [from?.account.string, cause?.rawValue]
                    } else {
                        nil
                    }
                }
            #expect(changes == [["anna", "sessionEnded"]])
        }
    }

    @Test("Its work waits for the login, is counted, and goes on when the account is back")
    func work() throws {
        let bench = EngineBench.busy()
        let target = RecordingTarget()
        bench.engine.start(observer: target)
        let ids = bench.addMany(2)
        bench.gateway.end()
        bench.run()
        bench.finish(ids[0])
        bench.run()
        target.clear()
        bench.endSession()
        let kinds = target.deliveries.compactMap { delivery -> EventKind? in
            guard case .record(let record, _) = delivery else { return nil }
            return EventKind(of: record.event)
        }
        #expect(kinds == [.storefrontChanged])
        let left = try #require(bench.engine.queue.transaction(ids[1]))
        #expect(bench.engine.queue.waitingFor(left) == .login)
        #expect(bench.engine.queue.openCounts.submitted == 1)
        #expect(bench.engine.queue.openCounts.completing == 1)
        #expect(bench.engine.queue.waitingCounts == [.login: 1])
        #expect(bench.unfinished.isEmpty)
        bench.loop.advance(by: .seconds(600))
        #expect(bench.gateway.submissions.count == 2)
        #expect(bench.gateway.completions.count == 1)
        target.clear()
        bench.gateway.isAnswering = true
        bench.logIn()
        #expect(bench.gateway.submissions.count == 3)
        #expect(bench.gateway.completions.count == 2)
        #expect(bench.state(ids[1]) == .purchased)
        #expect(bench.finish(ids[0]) == .alreadyFinished)
        #expect(target.words.contains { $0.hasPrefix("redelivery of 1") })
        #expect(bench.engine.queue.endedSession == nil)
        #expect(bench.gateway.store.history == ids)
    }

    @Test("A restore of it ends as for a logout")
    func restores() {
        let bench = EngineBench.busy()
        bench.addMany(1)
        bench.gateway.purchaseAnswers = .held
        let id = bench.restore().restore
        bench.run()
        bench.gateway.end(as: .refused(.sessionRevoked))
        bench.run()
        #expect(bench.engine.queue.session == nil)
        #expect(bench.ends(of: id) == [.failed(.cancelled)])
    }

    @Test("The agents are asked once, and a login is the answer")
    func asked() {
        let bench = EngineBench.busy()
        let target = RecordingTarget()
        bench.agent([.login], target)
        bench.endSession()
        #expect(bench.question?.question.kind == .login)
        #expect(bench.question?.deadline != nil)
        bench.agent([.login])
        #expect(bench.count(.questionOpened) == 1)
        bench.logIn()
        #expect(bench.lastClosing?.value == true)
        #expect(bench.question == nil)
    }

    @Test(
        "Nobody is asked again who has said no, or nothing for two minutes",
        arguments: [true, false])
    func unanswered(isDismissed: Bool) {
        let bench = EngineBench.busy()
        bench.agent([.login])
        bench.endSession()
        if isDismissed {
            #expect(bench.answer(false))
        } else {
            bench.loop.advance(by: .seconds(120))
        }
        bench.agent([.login])
        #expect(bench.question == nil)
        #expect(bench.count(.questionOpened) == 1)
        let next = bench.restarted()
        next.agent([.login])
        #expect(next.question == nil)
    }

    @Test("Without an agent the next one is asked: after another has left, and after a restart")
    func later() {
        var bench = EngineBench.busy()
        bench.endSession()
        #expect(bench.question == nil)
        let first = bench.agent([.login])
        #expect(bench.question != nil)
        bench.engine.subscriptions.unsubscribe(first)
        bench.run()
        #expect(bench.lastClosing?.reason == .agentGone)
        bench.agent([.login])
        #expect(bench.count(.questionOpened) == 2)
        bench = bench.restarted()
        #expect(bench.lastClosing?.reason == .restarted)
        bench.agent([.login])
        #expect(bench.question != nil)
        bench.logIn()
        #expect(bench.question == nil)
    }

    @Test("A call that waits on the question and gives up leaves it open")
    func givenUp() {
        let bench = EngineBench.busy()
        bench.agent([.login])
        bench.endSession()
        let ticket = bench.engine.login.addAfterLogin(
            AddRequest(productIdentifier: Samples.coins), origin: Samples.origin
        ) { _ in }
        bench.run()
        #expect(bench.count(.questionOpened) == 1)
        bench.engine.login.cancel(ticket)
        bench.run()
        #expect(bench.question != nil)
    }

    @Test("What the store said to a question of before a later login ends nothing")
    func stale() {
        let bench = EngineBench.busy()
        let id = bench.addMany(1)[0]
        bench.gateway.isAnswering = true
        bench.engine.store.sessions.logIn(account: Samples.anna, credential: nil, origin: nil) {
            _ in
        }
        bench.run()
        bench.gateway.isAnswering = false
        bench.gateway.end(as: .refused(.sessionRevoked))
        bench.run()
        #expect(bench.engine.queue.session?.account == Samples.anna)
        bench.loop.advance(by: .milliseconds(250))
        bench.gateway.end()
        bench.run()
        #expect(bench.state(id) == .purchased)
    }

    @Test("What the store said of an account that has left ends nothing")
    func otherAccount() {
        let bench = EngineBench.busy()
        bench.addMany(1)
        bench.logIn(Samples.bert)
        bench.gateway.end(as: .refused(.sessionRevoked))
        bench.run()
        #expect(bench.engine.queue.session?.account == Samples.bert)
        bench.engine.store.sessions.logOut(origin: nil)
        bench.run()
        #expect(bench.engine.queue.endedSession == nil)
    }

    @Test("A store that does not answer, or refuses for another reason, ends nothing")
    func otherFailures() {
        let bench = EngineBench.busy()
        let others = StoreFailure.Kind.allCases.filter {
            $0 != .sessionRevoked && $0 != .unknownAccount && $0 != .storageFailed
        }
        for kind in others {
            bench.addMany(1)
            bench.gateway.end(as: .refused(kind))
            bench.run()
        }
        #expect(bench.engine.queue.session?.account == Samples.anna)
    }
}

extension EngineBench {
    /// The store says to everything that was asked, a question about the account at least, that it does
    /// not know the session.
    fileprivate func endSession() {
        engine.store.didChange(.account(Samples.anna))
        run()
        while !gateway.waiting.isEmpty {
            gateway.end(as: .refused(.sessionRevoked))
            run()
        }
    }
}
