@testable import PaymentCore
import PaymentTesting
import Testing

@Suite("Finishing a transaction")
struct FinishTests {
    static let dispositions: [(Stage, FinishDisposition)] = [
        (.waiting, .removed), (.gated, .removed), (.submitted, .ignoredInFlight),
        (.deferred, .ignoredInFlight),
        (.purchased, .completing), (.completing, .completing), (.restored, .removed),
        (.failed, .removed), (.removed, .alreadyFinished),
    ]

    @Test("What a finish comes to depends on the stage alone", arguments: dispositions)
    func disposition(stage: Stage, expected: FinishDisposition) throws {
        var (bench, id) = stage.bench()
        let before = bench.queue.transaction(id)
        #expect(try bench.finish(id) == expected)
        switch expected {
        case .removed:
            let isUnsent = stage == .waiting || stage == .gated
            let reason: RemovalReason = isUnsent ? .withdrawn : .finished
            #expect(bench.queue.finish(of: id)?.reason == reason)
            #expect(bench.queue.finish(of: id)?.origin == Samples.origin)
            #expect(!bench.unfinished.contains(id))
        case .completing:
            #expect(bench.state(id) == .completing)
            #expect(bench.unfinished.contains(id))
        case .ignoredInFlight, .alreadyFinished:
            #expect(bench.queue.transaction(id) == before)
        }
    }

    @Test(
        "A second finish, at once or after the removal, succeeds and changes nothing",
        arguments:
            dispositions)
    func again(stage: Stage, first: FinishDisposition) throws {
        var (bench, id) = stage.bench()
        #expect(try bench.finish(id) == first)
        let before = QueueView(bench.queue)
        let second = try bench.finish(id)
        #expect(second == (first == .removed ? .alreadyFinished : first))
        #expect(QueueView(bench.queue) == before)
    }

    @Test("The answer of the store and a finish may race in either order")
    func races() throws {
        let order = Samples.order(1)
        let paid = OrderOutcome.purchased(order: order, original: order)
        var (bench, id) = Stage.submitted.bench()
        #expect(try bench.finish(id) == .ignoredInFlight)
        bench.resolve(id, paid)
        #expect(bench.state(id) == .purchased)
        #expect(try bench.finish(id) == .completing)
        #expect(bench.resolve(id, paid).isEmpty)
        bench.complete(id)
        #expect(try bench.finish(id) == .alreadyFinished)
        #expect(bench.complete(id).isEmpty)
    }

    @Test(
        "What was never sent is withdrawn whatever it waits for",
        arguments: [
            WaitingFor.observer, .login, .store,
        ])
    func withdrawn(reason: WaitingFor) throws {
        var bench = Bench()
        if reason != .login { bench.logIn(Samples.anna) }
        bench.queue.activeObservers.everything = reason == .store
        let id = bench.add()
        #expect(bench.waitingFor(id) == reason)
        #expect(try bench.finish(id) == .removed)
        #expect(bench.start().isEmpty)
        #expect(bench.queue.pendingEffects().isEmpty)
    }

    @Test("A purchase is listed while it is completed, and leaves as purchased")
    func completing() throws {
        var (bench, id) = Stage.purchased.bench()
        try bench.finish(id)
        #expect(bench.queue.visibleCounts.completing == 1)
        #expect(bench.queue.transaction(id)?.state.phase == .purchased)
        let events = bench.complete(id)
        #expect(events.count == 1)
        #expect(bench.state(id) == .purchased)
        #expect(bench.queue.finish(of: id)?.reason == .finished)
        #expect(bench.queue.unfinishedCount == 0)
    }

    @Test("An id that was never given out, or is forgotten, is unknown")
    func unknown() throws {
        var (bench, id) = Stage.removed.bench()
        #expect(throws: Refusal.unknownTransaction) { try bench.finish(Samples.transaction(77)) }
        bench.forget(before: bench.time.advanced(bySeconds: 1))
        #expect(throws: Refusal.unknownTransaction) { try bench.finish(id) }
    }

    @Test("A hidden transaction may be finished, and is completed when its account is back")
    func hidden() throws {
        var (bench, id) = Stage.purchased.bench()
        bench.logIn(Samples.bert)
        #expect(bench.queue.isVisible(bench.queue.transaction(id)?.account) == false)
        #expect(try bench.finish(id) == .completing)
        let last = try #require(bench.records.last?.event)
        #expect(bench.queue.effect(of: last) == nil)
        #expect(bench.queue.pendingEffects().isEmpty)
        #expect(bench.queue.pendingEffect(of: id) == nil)
        bench.logIn(nil)
        #expect(bench.queue.pendingEffects().isEmpty)
        bench.logIn(Samples.anna)
        let effect = Effect.complete(id, order: Samples.order(1), account: Samples.anna)
        #expect(bench.queue.pendingEffects() == [effect])
        #expect(bench.queue.pendingEffect(of: id) == effect)
        bench.complete(id)
        #expect(bench.queue.pendingEffects().isEmpty)
    }
}
