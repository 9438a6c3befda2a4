import PaymentCore
import PaymentEngine
import PaymentTesting
import Testing

@Suite("Reconciliation")
struct ReconciliationTests {
    private static let elsewhere = Samples.purchase(101, isCompleted: false)

    @Test("What was bought elsewhere comes with the account alone, at login and at start")
    func loginAndStart() {
        var store = StoreModel()
        store.elsewhere[Samples.anna] = [Self.elsewhere]
        let bench = EngineBench(store: store, purchases: .told)
        bench.loop.advance(by: .seconds(3600))
        #expect(bench.gateway.purchaseQuestions.isEmpty)
        bench.logIn()
        #expect(bench.unfinished.map(\.order) == [Samples.order(101)])
        bench.gateway.store.elsewhere[Samples.anna]?.append(
            Samples.purchase(102, isCompleted: false))
        let second = bench.restarted()
        #expect(second.unfinished.map(\.order) == [Samples.order(101), Samples.order(102)])
    }

    @Test("It begins with the first observer, again after all of them left, and on a timer")
    func observersAndTimer() {
        let bench = EngineBench.owning([], isObserved: false)
        let before = bench.gateway.purchaseQuestions.count
        let first = bench.engine.start(observer: RecordingTarget())
        bench.run()
        #expect(bench.gateway.purchaseQuestions.count == before + 1)
        let second = bench.engine.start(observer: RecordingTarget())
        bench.run()
        #expect(bench.gateway.purchaseQuestions.count == before + 1)
        bench.engine.subscriptions.unsubscribe(first)
        bench.engine.subscriptions.unsubscribe(second)
        bench.engine.start(observer: RecordingTarget())
        bench.run()
        #expect(bench.gateway.purchaseQuestions.count == before + 2)
        bench.loop.advance(by: .seconds(899))
        #expect(bench.gateway.purchaseQuestions.count == before + 2)
        bench.loop.advance(by: .seconds(2))
        #expect(bench.gateway.purchaseQuestions.count == before + 3)
        bench.loop.advance(by: .seconds(900))
        #expect(bench.gateway.purchaseQuestions.count == before + 4)
    }

    @Test("Any number of wishes while one runs are one more, and each caller is told once")
    func coalesced() {
        let bench = EngineBench.owning([], answers: .held)
        bench.gateway.endAll()
        let before = bench.gateway.purchaseQuestions.count
        let told = Kept(0)
        for _ in 1...20 { bench.engine.store.reconciliation.want { told.value += 1 } }
        bench.run()
        #expect(bench.gateway.purchaseQuestions.count == before + 1)
        bench.gateway.end()
        bench.run()
        #expect(told.value == 1)
        #expect(bench.gateway.purchaseQuestions.count == before + 2)
        bench.gateway.end()
        bench.run()
        #expect(told.value == 20)
        #expect(bench.gateway.purchaseQuestions.count == before + 2)
    }

    @Test("A run that a caller begins in its answer serves the earlier wishes as well")
    func begunByCaller() {
        let bench = EngineBench.owning([], answers: .held)
        bench.gateway.endAll()
        let before = bench.gateway.purchaseQuestions.count
        let engine = bench.engine
        engine.store.reconciliation.want { engine.store.reconciliation.want() }
        engine.store.reconciliation.want()
        bench.gateway.endAll()
        #expect(bench.gateway.purchaseQuestions.count == before + 2)
    }

    @Test("What fails is tried again with patience, and the caller hears of the good end")
    func retries() {
        let bench = EngineBench.owning([Self.elsewhere], answers: .failing(.serviceUnavailable))
        let told = Kept(0)
        bench.engine.store.reconciliation.want { told.value += 1 }
        bench.loop.advance(by: .seconds(600))
        #expect(told.value == 0)
        #expect(bench.gateway.purchaseQuestions.count < 30)
        bench.gateway.purchaseAnswers = .told
        bench.loop.advance(by: .seconds(61))
        #expect(told.value == 1)
        #expect(bench.unfinished.count == 1)
    }

    @Test("Nobody in session leaves nothing to wait for, and another account's answer is not taken")
    func session() {
        let bench = EngineBench.owning([Self.elsewhere], answers: .held)
        let told = Kept(0)
        bench.engine.store.reconciliation.want { told.value += 1 }
        bench.run()
        bench.logIn(Samples.bert)
        bench.gateway.endAll()
        #expect(told.value == 1)
        #expect(bench.unfinished.isEmpty)
        bench.engine.store.sessions.logOut(origin: nil)
        bench.run()
        bench.engine.store.reconciliation.want { told.value += 1 }
        #expect(told.value == 2)
        bench.gateway.purchaseAnswers = .told
        bench.logIn(Samples.anna)
        #expect(bench.unfinished.count == 1)
    }

    @Test("A flood is taken in page by page, by turns of bounded size")
    func flood() {
        let bench = EngineBench.owning([])
        bench.gateway.store.elsewhere[Samples.anna] = (1...5000).map {
            Samples.purchase(UInt64(1000 + $0), isCompleted: false)
        }
        bench.gateway.store.pageSize = 1500
        let commits = bench.journal.commits.count
        bench.engine.store.reconciliation.want()
        bench.run()
        #expect(bench.unfinished.count == 5000)
        #expect(bench.journal.commits[commits...].max() ?? 0 <= 210)
        let head = bench.engine.queue.head
        bench.engine.store.reconciliation.want()
        bench.run()
        #expect(bench.engine.queue.head == head)
    }

    @Test("An order whose answer was lost is settled by it, not bought again or doubled")
    func lostAnswer() {
        let bench = EngineBench.owning([])
        let id = bench.addMany(1)[0]
        bench.gateway.end(as: .answerLost)
        bench.run()
        bench.engine.store.reconciliation.want()
        bench.run()
        #expect(bench.state(id) == .purchased)
        bench.loop.advance(by: .seconds(60))
        #expect(bench.unfinished.count == 1)
        #expect(bench.gateway.submissions.count == 1)
    }

    @Test("An answer that comes after reconciliation has settled an order changes nothing")
    func lateAnswer() {
        let bench = EngineBench.owning([])
        let id = bench.addMany(1)[0]
        let request = bench.gateway.submissions[0]
        _ = bench.gateway.store.submit(request)
        bench.engine.store.reconciliation.want()
        bench.run()
        #expect(bench.state(id) == .purchased)
        let head = bench.engine.queue.head
        bench.gateway.endAll()
        #expect(bench.engine.queue.head == head)
    }

    @Test("What is finished is completed with the store and does not come back, over restarts")
    func finished() {
        var bench = EngineBench.owning([Self.elsewhere])
        bench.finish(bench.unfinished[0].id)
        bench.run()
        #expect(bench.gateway.completions == [Samples.order(101)])
        // The store has not heard of it yet, and says so.
        bench.engine.store.reconciliation.want()
        bench.run()
        bench = bench.restarted()
        #expect(bench.unfinished.count == 1)
        bench.gateway.endAll()
        bench.engine.store.reconciliation.want()
        bench.run()
        #expect(bench.unfinished.isEmpty)
        #expect(bench.changes().filter { $0.1.revision == 1 }.count == 1)
    }

    @Test("Orders that were taken back are told once, over restarts, and only what is new later")
    func revoked() {
        var bench = EngineBench.owning([])
        func told(_ bench: EngineBench) -> [[OrderID]] {
            bench.journal.durable.compactMap { record in
                guard case .entitlementsRevoked(let revocation) = record.event else { return nil }
                return revocation.orders
            }
        }
        let all = (1...700).map {
            RevokedOrder(
                order: Samples.order($0), product: Samples.book, revocation: Samples.refund)
        }
        bench.gateway.store.revoked[Samples.anna] = all
        bench.engine.store.reconciliation.want()
        bench.run()
        #expect(told(bench).map(\.count) == [100, 100, 100, 100, 100, 100, 100])
        bench = bench.restarted()
        #expect(told(bench).count == 7)
        bench.gateway.store.revoked[Samples.anna]?.append(
            RevokedOrder(
                order: Samples.order(701), product: Samples.club, revocation: Samples.refund))
        bench.engine.store.didChange(.orders(Samples.anna))
        bench.run()
        #expect(told(bench).last == [Samples.order(701)])
        #expect(told(bench).count == 8)
    }

    @Test(
        "A refund counts as the completion of a finished purchase, while the store is called and between calls",
        arguments: [false, true])
    func revokedWhileCompleting(isWaiting: Bool) {
        let bench = EngineBench.owning([Self.elsewhere])
        bench.finish(bench.unfinished[0].id)
        bench.run()
        if isWaiting { bench.gateway.end(as: .requestLost) }
        let finisher = bench.unfinished[0].origin
        let head = bench.engine.queue.head
        bench.gateway.store.revoked[Samples.anna] = [
            RevokedOrder(
                order: Samples.order(101), product: Samples.book, revocation: Samples.refund)
        ]
        bench.engine.store.reconciliation.want()
        bench.run()
        #expect(bench.unfinished.isEmpty)
        let records = bench.journal.durable.filter { $0.sequence > head }
        #expect(records.count == 2)
        if case .transaction(.removed(.finished), _)? = records.first?.event {
            #expect(records.first?.origin == finisher)
        } else {
            Issue.record("the purchase left otherwise")
        }
        if case .entitlementsRevoked? = records.last?.event {
        } else {
            Issue.record("the refund is not announced after it")
        }
        let count = bench.gateway.completions.count
        bench.gateway.endAll()
        bench.loop.advance(by: .seconds(3600))
        bench.run()
        #expect(bench.gateway.completions.count == count)
        #expect(bench.engine.queue.head == records.last?.sequence)
    }

    @Test("A purchase whose answer is older than its announced refund shows the refund")
    func revokedBeforeAnswer() {
        let bench = EngineBench.owning([])
        let id = bench.add().transaction.id
        bench.run()
        bench.gateway.store.revoked[Samples.anna] = [
            RevokedOrder(
                order: Samples.order(1), product: Samples.coins, revocation: Samples.refund)
        ]
        bench.engine.store.didChange(.orders(Samples.anna))
        bench.run()
        bench.gateway.answerSubmission(
            .purchased(order: Samples.order(1), original: Samples.order(1)))
        bench.run()
        #expect(bench.unfinished.map(\.id) == [id])
        let settled = bench.journal.durable.compactMap { record -> Transaction? in
            guard case .transaction(.purchased, let transaction) = record.event else { return nil }
            return transaction
        }
        #expect(settled.map { $0.charge?.revocation } == [Samples.refund])
        #expect(bench.finish(id) == .removed)
    }

    @Test("Without room purchases wait at the store until there is some")
    func outOfSpace() {
        let bench = EngineBench.owning([Self.elsewhere], answers: .none)
        bench.journal.isShortOfSpace = true
        bench.gateway.purchaseAnswers = .told
        bench.engine.store.reconciliation.want()
        bench.run()
        #expect(bench.unfinished.isEmpty)
        bench.journal.isShortOfSpace = false
        bench.loop.advance(by: .seconds(901))
        #expect(bench.unfinished.count == 1)
    }

    @Test("A completion is told through hours of silence, and once the store has heard it no more")
    func completionForHours() {
        let bench = EngineBench.owning([Self.elsewhere])
        bench.finish(bench.unfinished[0].id)
        bench.run()
        for _ in 1...300 {
            bench.gateway.end(as: .requestLost)
            bench.loop.advance(by: .seconds(60))
        }
        #expect(bench.unfinished.map(\.state) == [.completing])
        bench.gateway.endAll()
        #expect(bench.unfinished.isEmpty)
        let count = bench.gateway.completions.count
        bench.loop.advance(by: .seconds(3600))
        #expect(bench.gateway.completions.count == count)
    }
}
