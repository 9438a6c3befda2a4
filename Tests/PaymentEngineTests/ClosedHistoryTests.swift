import PaymentCore
import PaymentEngine
import PaymentTesting
import Testing

@Suite("Closed things that memory does not have any more") struct ClosedHistoryTests {
    /// A second life whose closed things are in a history, among them one that was bought and finished.
    private static func bench() -> (EngineBench, MemoryHistory, TransactionID) {
        let first = EngineBench.busy()
        first.gateway.isAnswering = true
        let id = first.add(key: "old").transaction.id
        first.run()
        first.finish(id)
        first.run()
        let history = MemoryHistory()
        let bench = first.restarted(history: history)
        bench.gateway.isAnswering = true
        bench.engine.start(observer: RecordingTarget())
        bench.run()
        return (bench, history, id)
    }

    @Test("Users are charged for what their closed transactions take on the disk, from the start")
    func charges() {
        let history = MemoryHistory()
        history.bytesByUser = [1000: 5000]
        let bench = EngineBench(history: history)
        var held: [UInt32: Int]? { bench.engine.queue.share(of: .diskBytes)?.held }
        #expect(held == [1000: 5000])
        let next = MemoryHistory()
        next.bytesByUser = [1001: 7]
        bench.engine.use(next)
        #expect(held == [1001: 7])
    }

    @Test("A repeated add gets the transaction of its key and how it ended")
    func repeatedAdd() {
        let (bench, _, id) = Self.bench()
        #expect(bench.state(id) == nil)
        let reply = bench.add(key: "old")
        #expect(reply.transaction.id == id && reply.isDuplicate)
        #expect(reply.removed?.reason == .finished)
        #expect(bench.engine.queue.unfinishedCount == 0)
    }

    @Test("A used key is refused to another call")
    func usedKey() {
        let (bench, _, id) = Self.bench()
        let refusal = EngineRefusal.refused(.keyReuse(key: "old", transaction: id))
        #expect(throws: refusal) {
            try bench.engine.commands.add(
                AddRequest(productIdentifier: Samples.book, key: "old"), origin: Samples.origin)
        }
        #expect(throws: refusal) {
            try bench.engine.commands.restore(
                RestoreRequest(key: "old"), origin: Samples.origin)
        }
    }

    @Test("A repeated finish changes nothing, and an unknown one is refused")
    func repeatedFinish() {
        let (bench, _, id) = Self.bench()
        let head = bench.engine.queue.head
        #expect(bench.finish(id) == .alreadyFinished)
        #expect(throws: EngineRefusal.refused(.unknownTransaction)) {
            try bench.engine.commands.finish(Samples.transaction(999), origin: Samples.origin)
        }
        #expect(bench.engine.queue.head == head)
    }

    @Test("A purchase of a known order does not appear again")
    func knownOrder() throws {
        let (bench, history, id) = Self.bench()
        let fact = try #require(try history.find(.transaction(id)))
        let order = try #require(fact.fact.transaction?.order)
        #expect(bench.engine.queue.transaction(ofOrder: order) == nil)
        bench.gateway.purchaseAnswers = .told
        bench.engine.store.reconciliation.want()
        bench.run()
        #expect(bench.engine.queue.unfinishedCount == 0)
    }

    @Test("What was closed is found by id and by key, and a key that is open as well")
    func reads() throws {
        let (bench, _, id) = Self.bench()
        let found = try #require(try bench.engine.reader.transaction(id))
        #expect(found.transaction.id == id && found.finish?.reason == .finished)
        #expect(try bench.engine.reader.transaction(Samples.transaction(999)) == nil)
        bench.add(key: "open")
        #expect(try bench.engine.reader.isKnown("old"))
        #expect(try bench.engine.reader.isKnown("open"))
        #expect(try !bench.engine.reader.isKnown("new"))
    }

    @Test("While lookups fail, only calls that depend on closed things are refused")
    func failing() {
        let (bench, history, _) = Self.bench()
        let open = bench.add(key: "open").transaction.id
        bench.run()
        history.isFailing = true
        let unknown = EngineRefusal.historyUnknown(
            ClosedHistoryFailure("the index is missing", isMissingIndex: true))
        let head = bench.engine.queue.head
        #expect(throws: unknown) {
            try bench.engine.commands.add(
                AddRequest(productIdentifier: Samples.coins, key: "new"), origin: Samples.origin)
        }
        #expect(throws: unknown) {
            try bench.engine.commands.finish(Samples.transaction(999), origin: Samples.origin)
        }
        #expect(bench.engine.queue.head == head)
        #expect(bench.add(key: "open").isDuplicate)
        #expect(bench.finish(open) == .completing)
    }

    @Test(
        "A daemon that only reads builds no index, so that asking again is of no use; a follower does"
    )
    func neverIndexed() {
        let (bench, history, id) = Self.bench()
        history.isFailing = true
        let failure = ClosedHistoryFailure("the index is missing", isMissingIndex: true)
        bench.journal.isReadOnly = true
        #expect(throws: EngineRefusal.neverIndexed(failure)) {
            try bench.engine.reader.transaction(id)
        }
        bench.journal.isFollowing = true
        #expect(throws: EngineRefusal.historyUnknown(failure)) {
            try bench.engine.reader.transaction(id)
        }
    }

    @Test("An answer of the store that depends on closed things is asked for again")
    func answerLater() {
        let (bench, history, _) = Self.bench()
        history.isFailing = true
        let id = bench.add().transaction.id
        bench.run()
        #expect(bench.state(id) == .submitted)
        bench.loop.advance(by: .milliseconds(250))
        bench.run()
        #expect(bench.state(id) == .submitted)
        #expect(bench.gateway.submissions.count { $0.transaction == id } == 2)
        let line = "warning: closed transactions cannot be looked up; the store is asked again"
        #expect(bench.log.lines == [line, line])
        history.isFailing = false
        bench.loop.advance(by: .milliseconds(500))
        bench.run()
        #expect(bench.state(id) == .purchased)
    }

    @Test("A restore waits while lookups fail, and then ends")
    func restoreLater() throws {
        let (bench, history, _) = Self.bench()
        bench.gateway.purchaseAnswers = .told
        let id = try bench.engine.commands.restore(RestoreRequest(), origin: Samples.origin).restore
        history.isFailing = true
        bench.run()
        history.isFailing = false
        for _ in 0..<8 {
            bench.loop.advance(by: .seconds(1))
            bench.run()
        }
        #expect(bench.engine.queue.restore(id)?.outcome != nil)
    }
}
