import PaymentCore
import PaymentEngine
import PaymentTesting
import Testing

@Suite("A store in the turns of the engine")
struct LocalStoreTests {
    private let shop = LocalShop()

    /// Anna in session at the shop, with an observer.
    private func bench() -> EngineBench {
        let bench = EngineBench(shop: shop)
        bench.logIn()
        bench.engine.start(observer: RecordingTarget())
        bench.run()
        return bench
    }

    /// Ends some turns that change nothing.
    private func takeEmptyTurns(_ bench: EngineBench) {
        for _ in 1...4 {
            bench.engine.turn.join(Replier())
            bench.run()
        }
    }

    private func words(_ bench: EngineBench) -> [String] {
        bench.journal.durableStore.map(\.record.word)
    }

    @Test(
        "An order, its charge and the purchase share one commit, as a finish and its completion do")
    func oneCommit() {
        let bench = bench()
        let commits = bench.journal.commits.count
        let id = bench.add().transaction.id
        #expect(shop.submissions.isEmpty)
        bench.run()
        #expect(shop.submissions == [id])
        #expect(bench.state(id) == .purchased)
        #expect(bench.journal.commits.count == commits + 1)
        #expect(words(bench) == ["order"])
        bench.finish(id)
        bench.run()
        #expect(bench.engine.queue.finish(of: id)?.reason == .finished)
        #expect(bench.journal.commits.count == commits + 2)
        #expect(words(bench) == ["order", "completion"])
        #expect(shop.store.orders[id]?.completions == 1)
    }

    @Test(
        "What the store does by itself is committed by itself, and told once after the commit",
        arguments: [[], [.orders(Samples.anna)]] as [[StoreChange]])
    func ownWork(changes: [StoreChange]) {
        let bench = bench()
        shop.wakeAt = Samples.noon
        shop.ownChanges = changes + changes
        var told: [StoreChange] = []
        bench.engine.turn.hooks.storeDidChange = { told.append($0) }
        var toldAtCommit: Int?
        bench.journal.onCommit = { _ in toldAtCommit = told.count }
        // The next call of the store shows that it has work of its own to do.
        bench.engine.store.didChange(.account(nil))
        bench.run()
        #expect(words(bench) == ["renewal"])
        #expect(toldAtCommit == 0)
        #expect(told == changes)
        takeEmptyTurns(bench)
        #expect(told == changes)
    }

    @Test("The watchdog probes the storage again after a commit of the store's records alone")
    func watchdog() {
        let bench = bench()
        shop.wakeAt = Samples.noon
        bench.engine.store.didChange(.account(nil))
        bench.run()
        let syncs = bench.journal.syncs
        for _ in 1...5 {
            bench.engine.takeTurn()
            bench.run()
        }
        // The commit itself is the proof of the first turn.
        #expect(bench.journal.syncs == syncs + 4)
    }

    @Test("A call from outside is answered once, after the commit of what the store did")
    func call() {
        let bench = bench()
        let answers = Kept<[Int?]>([])
        func ask() {
            bench.engine.run(
                { _ in (7, LocalEffects(records: [LocalShop.record("control")])) },
                whenCommitted: { answers.value.append($0) })
        }
        ask()
        var answeredAtCommit: Int?
        bench.journal.onCommit = { _ in answeredAtCommit = answers.value.count }
        bench.run()
        #expect(words(bench) == ["control"])
        #expect(answeredAtCommit == 0)
        #expect(answers.value == [7])
        takeEmptyTurns(bench)
        #expect(answers.value == [7])
        bench.engine.stop()
        ask()
        bench.run()
        #expect(answers.value == [7, nil])
    }

    @Test("A store that cannot record an order stops the engine, and the turn is not committed")
    func fatal() {
        let bench = bench()
        shop.orderFailure = StoreFailure(.storageFailed, "the disk is gone")
        let commits = bench.journal.commits.count
        let ids = (0..<3).map { _ in bench.add().transaction.id }
        let reply = Replier()
        bench.engine.turn.join(reply)
        bench.run()
        #expect(bench.failures.count == 1)
        #expect(shop.submissions == [ids[0]])
        #expect(bench.journal.commits.count == commits)
        #expect(!reply.isReleased)
        #expect(bench.journal.batch.count { $0.startedOrder != nil } == 1)
    }
}

extension Record {
    /// The transaction whose order it starts; nil if it starts none.
    var startedOrder: TransactionID? {
        guard case .transaction(.submitted, let transaction) = event else { return nil }
        return transaction.id
    }
}
