import PaymentCore
import PaymentEngine
import PaymentTesting
import Synchronization
import Testing

@Suite("A node whose log another one owns")
struct FollowerTests {
    /// A follower with the records of another life.
    private func follow(_ life: EngineBench) -> EngineBench {
        EngineBench(
            durable: life.journal.durable, store: life.gateway.store, isFollowing: true)
    }

    /// Has a follower own the log.
    private func takeOver(_ bench: EngineBench) {
        bench.journal.isReadOnly = false
        bench.journal.isFollowing = false
        bench.engine.start()
        bench.run()
    }

    @Test("takes what its owner has committed into its queue, and asks the store for nothing of it")
    func applied() throws {
        let life = EngineBench.busy()
        let bench = follow(life)
        bench.engine.start(observer: RecordingTarget())
        bench.run()
        let head = life.journal.head
        let id = life.addMany(1)[0]
        let news = life.journal.durable.filter { $0.sequence > head }
        for record in news { try bench.engine.follow(record) }
        bench.run()
        #expect(bench.state(id) == .submitted)
        #expect(bench.engine.durableHead == news.last?.sequence)
        #expect(bench.gateway.submissions.isEmpty && bench.gateway.purchaseQuestions.isEmpty)
        for record in news {
            #expect(throws: (any Error).self) { try bench.engine.follow(record) }
        }
    }

    @Test("names the missing owner when it refuses a change, or a trial of one")
    func refusals() throws {
        let bench = follow(.busy())
        let request = AddRequest(productIdentifier: Samples.coins, key: nil)
        let refusals: [() throws -> Void] = [
            { _ = try bench.engine.commands.add(request, origin: Samples.origin) },
            { try bench.engine.commands.check(request, origin: Samples.origin) },
            {
                _ = try bench.engine.store.catalogues.assume(
                    Samples.norway, origin: Samples.origin)
            },
        ]
        for (number, refusal) in refusals.enumerated() {
            #expect(throws: EngineRefusal.noOwner, "\(number)") { try refusal() }
        }
    }

    @Test("records nothing about an account that has moved, and does so as the owner")
    func moved() {
        let bench = follow(.busy())
        let head = bench.journal.head
        bench.engine.store.sessions.storeChanged(paymentsAllowed: nil, country: Samples.norway)
        bench.run()
        #expect(bench.journal.head == head && bench.journal.batch.isEmpty)
        takeOver(bench)
        bench.engine.store.sessions.storeChanged(paymentsAllowed: nil, country: Samples.norway)
        bench.run()
        #expect(bench.engine.queue.session?.country == Samples.norway)
    }

    @Test("keeps the session of the queue when the store has ended its own")
    func endedSession() {
        let bench = follow(.busy())
        let head = bench.journal.head
        bench.engine.store.didChange(.account(Samples.anna))
        bench.run()
        #expect(!bench.gateway.waiting.isEmpty)
        while !bench.gateway.waiting.isEmpty {
            bench.gateway.end(as: .refused(.sessionRevoked))
            bench.run()
        }
        #expect(bench.engine.queue.session?.account == Samples.anna)
        #expect(bench.journal.head == head && bench.journal.batch.isEmpty)
    }

    @Test("uses another catalogue at once, and announces it once as the owner")
    func catalogue() {
        let bench = follow(.busy())
        let head = bench.journal.head
        let country = bench.engine.currentCountry ?? Samples.germany
        var catalogue = Samples.catalogue(of: country)
        catalogue = Catalogue(
            country: country,
            products: Array(catalogue.products.dropLast()))
        bench.engine.store.catalogues.use(catalogue)
        bench.run()
        #expect(bench.engine.store.catalogues[country] == catalogue)
        #expect(bench.journal.head == head && bench.journal.batch.isEmpty)
        takeOver(bench)
        func announcements() -> Int {
            bench.journal.durable.count { record in
                if case .productsChanged = record.event { record.sequence > head } else { false }
            }
        }
        #expect(announcements() == 1)
        bench.engine.store.catalogues.use(catalogue)
        bench.run()
        #expect(announcements() == 1)
    }

    @Test("ends no question, which has its whole time again when the node owns the log")
    func question() throws {
        let life = EngineBench.busy()
        life.setPolicy(GatePolicy(mode: .ask, timeoutMs: 5000))
        let id = life.addAndMove()
        let bench = follow(life)
        let target = RecordingTarget()
        _ = bench.subscribe(
            target, SubscriptionRequest(after: bench.journal.head - 1, mayAnswer: true))
        bench.run()
        #expect(target.words.contains { $0.hasPrefix("question") })
        bench.loop.advance(by: .seconds(60))
        #expect(bench.state(id) == .gated)
        takeOver(bench)
        bench.loop.advance(by: .milliseconds(4999))
        #expect(bench.state(id) == .gated)
        bench.loop.advance(by: .milliseconds(1))
        #expect(bench.engine.queue.finish(of: id)?.reason == .discardedByGate)
    }

    @Test("shows a change of session to subscriptions before it takes the next records")
    func shown() throws {
        let bench = follow(.busy())
        nonisolated(unsafe) let target = RecordingTarget()
        _ = bench.subscribe(target)
        bench.run()
        // How much the subscription had been shown when the closure ran.
        let shown = Mutex<Int?>(nil)
        func whenShown() {
            bench.engine.whenShown { shown.withLock { $0 = target.words.count } }
        }
        whenShown()
        let (words, session) = (target.words.count, bench.engine.queue.session)
        #expect(shown.withLock { $0 } == words, "no subscription waits")
        shown.withLock { $0 = nil }
        try bench.engine.follow(
            Record(
                sequence: bench.journal.head + 1, time: Samples.noon, origin: nil,
                event: .sessionChanged(from: session, to: nil)))
        whenShown()
        #expect(shown.withLock { $0 } == nil)
        bench.run()
        #expect(try #require(shown.withLock { $0 }) > words)
    }
}
