import PaymentCore
import PaymentTesting
import Testing

@Suite("Answers of the store")
struct OutcomeTests {
    static let order = Samples.order(1)
    static let paid = OrderOutcome.purchased(order: order, original: Samples.order(2))
    static let product = Samples.product(Samples.coins, .consumable, "12.00")

    @Test("A payment that was made brings the order and the first of its chain")
    func purchased() throws {
        var (bench, id) = Stage.submitted.bench()
        bench.resolve(id, Self.paid)
        let transaction = try #require(bench.queue.transaction(id))
        #expect(transaction.state == .purchased)
        #expect(transaction.order == Self.order)
        #expect(transaction.originalOrder == Samples.order(2))
        #expect(bench.queue.transaction(ofOrder: Self.order) == id)
    }

    @Test("An approval may be waited for, and then ends either way")
    func deferred() {
        var (bench, id) = Stage.submitted.bench()
        bench.resolve(id, .deferred(order: Self.order))
        #expect(bench.state(id) == .deferred)
        #expect(bench.queue.transaction(id)?.order == Self.order)
        #expect(bench.queue.transaction(ofOrder: Self.order) == nil)
        #expect(bench.resolve(id, .deferred(order: Self.order)).isEmpty)
        var refused = bench
        refused.resolve(id, .failed(PaymentFailure(.cancelled), order: nil))
        #expect(refused.state(id) == .failed(PaymentFailure(.cancelled)))
        #expect(refused.queue.transaction(id)?.order == Self.order)
        bench.resolve(id, Self.paid)
        #expect(bench.state(id) == .purchased)
    }

    @Test("A failure is kept with its reason and its order")
    func failed() {
        var (bench, id) = Stage.submitted.bench()
        bench.resolve(id, .failed(.declined, order: Self.order))
        #expect(bench.state(id) == .failed(.declined))
        #expect(bench.queue.transaction(id)?.order == Self.order)
        #expect(bench.queue.transaction(ofOrder: Self.order) == nil)
    }

    @Test("What the store does not sell there has failed")
    func notSold() {
        var (bench, id) = Stage.submitted.bench()
        bench.resolve(id, .notSold)
        #expect(bench.state(id) == .failed(.productNotAvailable))
    }

    @Test(
        "What is refused because the account is elsewhere is looked at again, though not for ever")
    func countryChanged() {
        var (bench, id) = Stage.submitted.bench()
        bench.resolve(id, .countryChanged(Samples.france))
        #expect(bench.state(id) == .waiting)
        var refused = 1
        while bench.state(id) == .waiting, refused < 100 {
            bench.start()
            bench.resolve(id, .countryChanged(Samples.france))
            refused += 1
        }
        #expect(refused == 8)
        #expect(
            bench.state(id) == .failed(PaymentFailure(.internalError, reason: "countryChanged")))
    }

    static let outcomes: [OrderOutcome] = [
        paid, .deferred(order: order), .failed(.declined, order: order), .priceChanged(product),
        .notSold, .countryChanged(Samples.france),
    ]

    @Test(
        "An answer that comes too late changes nothing",
        arguments: Stage.allCases.filter { ![.submitted, .deferred].contains($0) }, outcomes)
    func late(stage: Stage, outcome: OrderOutcome) {
        var (bench, id) = stage.bench()
        let before = QueueView(bench.queue)
        #expect(bench.resolve(id, outcome).isEmpty)
        #expect(QueueView(bench.queue) == before)
    }

    @Test(
        "No answer of the store breaks the queue in a stage that takes one",
        arguments: [Stage.submitted, .deferred], outcomes)
    func taken(stage: Stage, outcome: OrderOutcome) {
        var (bench, id) = stage.bench()
        bench.resolve(id, outcome)
        #expect(bench.queue.transaction(id)?.state.isTerminal != nil)
    }

    @Test("An answer to a transaction that nobody knows changes nothing", arguments: outcomes)
    func unknown(outcome: OrderOutcome) {
        var bench = Bench.busy()
        #expect(bench.resolve(Samples.transaction(5), outcome).isEmpty)
        #expect(bench.complete(Samples.transaction(5)).isEmpty)
    }

    @Test(
        "An order becomes one transaction, for ever",
        arguments: [
            Stage.purchased, .completing, .removed,
        ])
    func ledger(stage: Stage) throws {
        var (bench, first) = stage.bench()
        let second = bench.add()
        bench.start()
        bench.resolve(second, .purchased(order: Self.order, original: Self.order))
        let expected = PaymentFailure(.internalError, reason: "orderReused")
        #expect(bench.state(second) == .failed(expected))
        #expect(bench.queue.transaction(second)?.order == nil)
        #expect(bench.queue.transaction(ofOrder: Self.order) == first)
        bench.forget(before: bench.time.advanced(bySeconds: 1))
        let third = bench.add()
        bench.start()
        bench.resolve(third, .purchased(order: Self.order, original: Self.order))
        #expect(bench.state(third) == .failed(expected))
    }

    @Test("An order that failed may still be paid for by another transaction")
    func failedOrder() {
        var bench = Bench.busy()
        let first = bench.add()
        let second = bench.add()
        bench.start()
        bench.resolve(first, .failed(.declined, order: Self.order))
        bench.resolve(second, .purchased(order: Self.order, original: Self.order))
        #expect(bench.state(second) == .purchased)
    }

    @Test("A changed price goes on at the new one, as a new attempt")
    func priceChanged() throws {
        var (bench, id) = Stage.submitted.bench()
        bench.resolve(id, .priceChanged(Self.product))
        let transaction = try #require(bench.queue.transaction(id))
        #expect(transaction.state == .waiting)
        #expect(transaction.payment.product.product == Self.product)
        #expect(transaction.payment.product.country == Samples.germany)
        #expect(bench.queue.pendingEffects().isEmpty)
        bench.start()
        #expect(bench.state(id) == .submitted)
        #expect(bench.queue.transaction(id)?.attempt == 2)
    }

    @Test("A store that refuses the price it asks for is asked eight times, and no more")
    func restlessPrice() {
        var (bench, id) = Stage.submitted.bench()
        for attempt in 1...8 {
            #expect(bench.queue.transaction(id)?.attempt == UInt32(attempt))
            bench.resolve(id, .priceChanged(Self.product))
            bench.start()
        }
        let expected = PaymentFailure(.internalError, reason: "priceChanged")
        #expect(bench.state(id) == .failed(expected))
    }

    @Test("A transaction that comes back from the store keeps its place in the order")
    func returned() {
        var bench = Bench.busy()
        let ids = (1...18).map { _ in bench.add() }
        bench.start()
        bench.resolve(ids[5], .priceChanged(Self.product))
        bench.resolve(ids[2], .priceChanged(Self.product))
        let started = bench.start().compactMap { event -> TransactionID? in
            guard case .transaction(.submitted, let transaction) = event else { return nil }
            return transaction.id
        }
        #expect(started == [ids[2], ids[5]])
        #expect(bench.unfinished == ids)
    }

    @Test(
        "A price that changes once somebody was asked to approve is a failure",
        arguments: [
            product, Samples.product(Samples.coins, .consumable),
        ])
    func priceChangedLate(product: Product) {
        var (bench, id) = Stage.deferred.bench()
        bench.resolve(id, .priceChanged(product))
        let expected = PaymentFailure(.internalError, reason: "priceChanged")
        #expect(bench.state(id) == .failed(expected))
    }

    @Test("A store that offers another product instead of another price is not followed")
    func otherProduct() {
        var (bench, id) = Stage.submitted.bench()
        bench.resolve(id, .priceChanged(Samples.product(Samples.book, .nonConsumable)))
        let expected = PaymentFailure(.internalError, reason: "priceChanged")
        #expect(bench.state(id) == .failed(expected))
        #expect(bench.refusal(of: Samples.book) == nil)
    }

    @Test("Only what is being completed can be completed", arguments: Stage.allCases)
    func completed(stage: Stage) {
        var (bench, id) = stage.bench()
        let events = bench.complete(id)
        #expect(events.count == (stage == .completing ? 1 : 0))
    }
}
