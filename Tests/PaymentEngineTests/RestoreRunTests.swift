import PaymentCore
import PaymentEngine
import PaymentTesting
import Testing

@Suite("Restores from request to end")
struct RestoreRunTests {
    private static let three = [
        Samples.purchase(101), Samples.purchase(102, original: 90, token: "t"),
        Samples.purchase(103, isCompleted: false),
    ]

    @Test("Everything comes back by records, then exactly one end that counts it")
    func complete() throws {
        let bench = EngineBench.owning(Self.three)
        let head = bench.engine.durableHead
        let reply = bench.restore(key: "k")
        #expect(reply.state == .running)
        #expect(reply.waitingFor == .store)
        #expect(!reply.isDuplicate)
        bench.run()
        // The one that nobody had completed came by reconciliation, before.
        #expect(bench.ends(of: reply.restore) == [.completed(count: 3)])
        let orders = bench.changes(after: head).map { "\($0.0) \($0.1.order == nil)" }
        #expect(orders == ["restored false", "restored false", "redelivered false"])
        guard case .restoreEnded = bench.journal.durable.last?.event else {
            Issue.record("the end is not the last record")
            return
        }
        let again = bench.restore(key: "k")
        #expect(again.restore == reply.restore)
        #expect(again.state == .completed)
        #expect(again.isDuplicate)
        #expect(again.waitingFor == nil)
        let report = try? bench.engine.reader.restoreReport(reply.restore)
        #expect(report?.outcome == .completed(count: 3))
        #expect(bench.engine.reader.visibleRestores.isEmpty)
    }

    @Test("A filter gives back what carries the token, and nothing else; nothing is an end, too")
    func filter() {
        let bench = EngineBench.owning(Self.three)
        let some = bench.restore(token: "t").restore
        let none = bench.restore(token: "x").restore
        #expect(bench.engine.reader.visibleRestores.map(\.restore.id) == [some, none])
        bench.run()
        #expect(bench.ends(of: some) == [.completed(count: 1)])
        #expect(bench.ends(of: none) == [.completed(count: 0)])
    }

    @Test("Restoring twice shows again what is unfinished and multiplies nothing")
    func twice() {
        let bench = EngineBench.owning(Self.three)
        bench.restore()
        bench.run()
        let before = bench.unfinished.map(\.id)
        let second = bench.restore().restore
        bench.run()
        #expect(bench.ends(of: second) == [.completed(count: 3)])
        #expect(bench.unfinished.map(\.id) == before)
    }

    @Test("The newest of a chain comes back, however many pages the store needs")
    func chains() {
        let purchases = (1...40 as ClosedRange<UInt64>).map { number in
            Samples.purchase(200 + number, original: 200 + number % 10 + 1)
        }
        let bench = EngineBench.owning(purchases)
        bench.gateway.store.pageSize = 7
        let id = bench.restore().restore
        bench.run()
        #expect(bench.ends(of: id) == [.completed(count: 10)])
        let orders = Set(bench.unfinished.compactMap(\.order))
        #expect(orders == Set((231...240).map { Samples.order($0) }))
    }

    @Test("A long answer is given back by turns of bounded size, and the end is the last record")
    func bounded() {
        let bench = EngineBench.owning((1...3000).map { Samples.purchase(UInt64(1000 + $0)) })
        let commits = bench.journal.commits.count
        let id = bench.restore().restore
        bench.run()
        #expect(bench.ends(of: id) == [.completed(count: 3000)])
        #expect(bench.journal.commits[commits...].max() ?? 0 <= 210)
        #expect(bench.unfinished.count == 3000)
        guard case .restoreEnded = bench.journal.durable.last?.event else {
            Issue.record("the end is not the last record")
            return
        }
    }

    @Test("It waits for somebody who watches, then runs; a passive one does not count")
    func observer() {
        let bench = EngineBench.owning(Self.three, isObserved: false)
        let reply = bench.restore()
        #expect(reply.waitingFor == .observer)
        bench.run()
        _ = bench.subscribe(RecordingTarget(), SubscriptionRequest(isPassive: true))
        bench.loop.advance(by: .seconds(600))
        #expect(bench.ends(of: reply.restore).isEmpty)
        bench.engine.start(observer: RecordingTarget())
        bench.run()
        #expect(bench.ends(of: reply.restore) == [.completed(count: 3)])
    }

    @Test("When those who watched left, the end waits and the store is asked again")
    func left() {
        let bench = EngineBench.owning(Self.three, isObserved: false)
        let subscription = bench.engine.start(observer: RecordingTarget())
        bench.run()
        bench.gateway.purchaseAnswers = .held
        let id = bench.restore().restore
        bench.run()
        bench.engine.subscriptions.unsubscribe(subscription)
        bench.gateway.endAll()
        bench.loop.advance(by: .seconds(300))
        bench.gateway.endAll()
        #expect(bench.ends(of: id).isEmpty)
        let given = bench.unfinished.map(\.id)
        bench.gateway.purchaseAnswers = .told
        bench.engine.start(observer: RecordingTarget())
        bench.run()
        #expect(bench.ends(of: id) == [.completed(count: 3)])
        #expect(Array(bench.unfinished.map(\.id).prefix(given.count)) == given)
        #expect(bench.unfinished.count == 3)
    }

    @Test("A restore of nobody runs for the account that logs in")
    func nobody() {
        var store = StoreModel()
        store.elsewhere[Samples.anna] = Self.three
        let bench = EngineBench(store: store)
        bench.gateway.purchaseAnswers = .told
        bench.engine.start(observer: RecordingTarget())
        let reply = bench.restore()
        #expect(reply.waitingFor == .login)
        bench.run()
        bench.logIn()
        #expect(bench.ends(of: reply.restore) == [.completed(count: 3)])
    }

    @Test("A full journal refuses a restore and keeps nothing of it")
    func outOfSpace() {
        let bench = EngineBench.owning(Self.three)
        bench.journal.isShortOfSpace = true
        #expect(throws: EngineRefusal.outOfSpace(Room(shortage: .bytes))) {
            try bench.engine.commands.restore(RestoreRequest(), origin: Samples.origin)
        }
        bench.run()
        #expect(bench.engine.reader.visibleRestores.isEmpty)
    }

    @Test("Who waits for a restore is answered when it ends, or has nothing to wait for")
    func waiting() {
        let bench = EngineBench.owning(Self.three)
        bench.gateway.purchaseAnswers = .held
        let id = bench.restore().restore
        let answers = Kept(0)
        #expect(bench.engine.reader.wait(forRestore: id) { answers.value += 1 } != nil)
        let cancelled = bench.engine.reader.wait(forRestore: id) { answers.value += 100 }
        if let cancelled { bench.engine.reader.cancel(cancelled) }
        bench.run()
        #expect(answers.value == 0)
        bench.gateway.endAll()
        #expect(answers.value == 1)
        #expect(bench.engine.reader.wait(forRestore: id) { answers.value += 100 } == nil)
        #expect(
            bench.engine.reader.wait(forRestore: RestoreID(Samples.transaction(1).value)) {} == nil)
    }

    @Test("A transaction that is finished while a restore runs is not brought back to life")
    func finishMeanwhile() throws {
        let bench = EngineBench.owning((1...600).map { Samples.purchase(UInt64(1000 + $0)) })
        let id = bench.restore().restore
        while bench.unfinished.isEmpty { _ = bench.loop.runOne() }
        let first = try #require(bench.unfinished.first)
        #expect(bench.finish(first.id) == .removed)
        bench.run()
        #expect(bench.ends(of: id) == [.completed(count: 600)])
        #expect(bench.unfinished.count == 599)
        #expect(bench.gateway.completions.isEmpty)
    }
}

@Suite("Restores that end badly, or late")
struct RestoreEndTests {
    @Test(
        "A store that cannot serve is asked again until the time is up, and its reason is told",
        arguments: [
            (StoreFailure.Kind.serviceUnavailable, RestoreFailure.serviceUnavailable),
            (.connectionError, .connectionError),
        ])
    func deadline(kind: StoreFailure.Kind, failure: RestoreFailure) {
        let bench = EngineBench.owning([], answers: .failing(kind))
        let id = bench.restore().restore
        bench.loop.advance(by: .seconds(59))
        #expect(bench.ends(of: id).isEmpty)
        #expect(bench.gateway.purchaseQuestions.count > 3)
        bench.loop.advance(by: .seconds(2))
        #expect(bench.ends(of: id) == [.failed(failure)])
        bench.loop.advance(by: .seconds(600))
        #expect(bench.ends(of: id).count == 1)
    }

    @Test("A store that says nothing is one that cannot be reached, and a late answer is not heard")
    func silence() {
        let bench = EngineBench.owning([Samples.purchase(1)], answers: .held)
        bench.gateway.endAll()
        let id = bench.restore().restore
        bench.loop.advance(by: .seconds(61))
        #expect(bench.ends(of: id) == [.failed(.connectionError)])
        bench.gateway.endAll()
        #expect(bench.ends(of: id).count == 1)
        #expect(bench.unfinished.isEmpty)
    }

    @Test("The time runs from the moment that an observer and an account are there")
    func clock() {
        let bench = EngineBench.owning([], isObserved: false, answers: .failing(.connectionError))
        let id = bench.restore().restore
        bench.loop.advance(by: .seconds(300))
        bench.engine.start(observer: RecordingTarget())
        bench.loop.advance(by: .seconds(59))
        #expect(bench.ends(of: id).isEmpty)
        bench.loop.advance(by: .seconds(2))
        #expect(bench.ends(of: id) == [.failed(.connectionError)])
    }

    @Test("A store that recovers in time ends it well")
    func recovery() {
        let bench = EngineBench.owning(
            [Samples.purchase(1)], answers: .failing(.serviceUnavailable))
        let id = bench.restore().restore
        bench.loop.advance(by: .seconds(20))
        bench.gateway.purchaseAnswers = .told
        bench.loop.advance(by: .seconds(39))
        #expect(bench.ends(of: id) == [.completed(count: 1)])
    }

    @Test(
        "What asking again cannot mend is told at once",
        arguments: [
            (StoreFailure.Kind.appNotRegistered, RestoreFailure.appNotRegistered),
            (.internalError, .internalError), (.badCredential, .internalError),
        ])
    func atOnce(kind: StoreFailure.Kind, failure: RestoreFailure) {
        let bench = EngineBench.owning([], answers: .failing(kind))
        let id = bench.restore().restore
        bench.run()
        #expect(bench.ends(of: id) == [.failed(failure)])
    }

    @Test("An end that is committed while a logout is proposed is told before the account goes")
    func logoutBehindCommit() {
        let bench = EngineBench.owning([], isObserved: false, answers: .failing(.internalError))
        let target = RecordingTarget()
        bench.engine.start(observer: target)
        bench.run()
        target.clear()
        var commits: [() -> Void] = []
        bench.journal.later = { commits.append($0) }
        let id = bench.restore().restore
        var done = 0
        // Commit by commit, until the end of the restore is under way and not committed.
        while bench.ends(of: id).isEmpty, done < 10 {
            bench.run()
            guard bench.engine.queue.restore(id)?.outcome == nil else { break }
            commits[done]()
            done += 1
        }
        bench.run()
        bench.engine.store.sessions.logOut(origin: nil)
        bench.run()
        #expect(target.kinds.isEmpty)
        while done < commits.count {
            commits[done]()
            done += 1
            bench.run()
        }
        #expect(target.kinds == [.restoreFailed, .storefrontChanged])
    }

    @Test("Logging out ends all of the account's, and who watches is told before the account goes")
    func logout() {
        let bench = EngineBench.owning([], isObserved: false, answers: .held)
        let target = RecordingTarget()
        bench.engine.start(observer: target)
        bench.run()
        let first = bench.restore().restore
        let second = bench.restore(token: "t").restore
        let isTold = Kept(false)
        _ = bench.engine.reader.wait(forRestore: second) { isTold.value = true }
        bench.run()
        target.clear()
        bench.engine.store.sessions.logOut(origin: nil)
        bench.run()
        for id in [first, second] { #expect(bench.ends(of: id) == [.failed(.cancelled)]) }
        #expect(target.kinds == [.restoreFailed, .restoreFailed, .storefrontChanged])
        #expect(isTold.value)
        bench.gateway.endAll()
        bench.logIn(Samples.bert)
        bench.gateway.endAll()
        #expect(bench.ends(of: first).count == 1)
    }

    @Test("Another region is no other account: the restore goes on")
    func region() {
        let bench = EngineBench.owning([Samples.purchase(1)], answers: .held)
        let id = bench.restore().restore
        bench.run()
        bench.engine.store.sessions.storeChanged(paymentsAllowed: nil, country: Samples.norway)
        bench.gateway.endAll()
        #expect(bench.ends(of: id) == [.completed(count: 1)])
    }

    /// One life with a restore of everything, cut after any record.
    private func life() -> EngineBench {
        let bench = EngineBench.owning(
            (1...6).map { Samples.purchase(UInt64(100 + $0), isCompleted: $0 % 3 != 0) })
        bench.restore(key: "k")
        bench.run()
        for transaction in bench.unfinished.prefix(2) { bench.finish(transaction.id) }
        bench.run()
        bench.restore(key: "l")
        bench.run()
        return bench
    }

    @Test("After a crash at any record a restore has exactly one end, and no order two purchases")
    func prefixes() throws {
        let whole = life()
        let records = whole.journal.durable
        for cut in 0...records.count {
            let bench = EngineBench(
                durable: Array(records.prefix(cut)), store: whole.gateway.store, purchases: .told)
            if bench.engine.queue.session == nil { bench.logIn() }
            bench.engine.start(observer: RecordingTarget())
            bench.run()
            var ids: Set<RestoreID> = []
            for record in bench.journal.durable {
                if case .restoreRequested(let restore, _) = record.event { ids.insert(restore.id) }
            }
            for id in ids { #expect(bench.ends(of: id).count == 1, "cut \(cut)") }
            let orders = bench.unfinished.filter { $0.state != .completing }.compactMap(\.order)
            #expect(Set(orders).count == orders.count, "cut \(cut)")
            let bought = bench.changes().filter { $0.1.state == .purchased && $0.1.revision == 1 }
            #expect(Set(bought.map(\.1.order)).count == bought.count, "cut \(cut)")
        }
    }

    @Test("What was given back before a crash and finished after it does not come back")
    func crashAndFinish() throws {
        let first = EngineBench.owning((1...5).map { Samples.purchase(UInt64(100 + $0)) })
        let id = first.restore().restore
        first.run()
        // All but the end survives.
        let records = Array(first.journal.durable.dropLast())
        let bench = EngineBench(
            durable: records, store: first.gateway.store, purchases: .told)
        let given = try #require(bench.unfinished.first)
        #expect(bench.finish(given.id) == .removed)
        bench.engine.start(observer: RecordingTarget())
        bench.run()
        #expect(bench.ends(of: id) == [.completed(count: 5)])
        #expect(bench.unfinished.count == 4)
    }
}

extension RecordingTarget {
    /// The kinds of the records that were delivered.
    fileprivate var kinds: [EventKind] {
        deliveries.compactMap { delivery in
            guard case .record(let record, _) = delivery else { return nil }
            return EventKind(of: record.event)
        }
    }
}
