@testable import PaymentCore
import PaymentTesting
import Testing

@Suite("Taking in what the store says is paid")
struct ReconcileTests {
    private static let coins = Samples.product(Samples.coins, .consumable)

    private static func purchase(_ number: UInt64, by id: TransactionID?) -> StorePurchase {
        Samples.purchase(number, by: id, of: coins, isCompleted: false)
    }

    @Test("It settles the transaction that asked for it", arguments: [Stage.submitted, .deferred])
    func match(stage: Stage) {
        var (bench, id) = stage.bench()
        let number: UInt64 = 1
        #expect(bench.reconcile(Self.purchase(number, by: id)) == true)
        #expect(bench.state(id) == .purchased)
        #expect(bench.queue.transaction(ofOrder: Samples.order(number)) == id)
        #expect(bench.unfinished == [id])
        #expect(bench.queue.pendingEffects().isEmpty)
        #expect(bench.queue.deferredEffects().isEmpty)
    }

    @Test("A charge of an earlier attempt settles what waits for a new one, at the price paid")
    func lateCharge() throws {
        var (bench, id) = Stage.submitted.bench()
        let dear = Samples.product(Samples.coins, .consumable, "12.00")
        bench.resolve(id, .priceChanged(dear))
        #expect(bench.state(id) == .waiting)
        bench.reconcile(Self.purchase(1, by: id))
        let transaction = try #require(bench.queue.transaction(id))
        #expect(transaction.state == .purchased)
        #expect(transaction.payment.product.product.price.amount.text == "9.99")
        #expect(bench.start().isEmpty)
        #expect(bench.queue.visibleCounts.waiting == 0)
    }

    @Test("One that a question is open about is settled, and the question ends")
    func gated() throws {
        var (bench, id) = Stage.waiting.bench()
        var gated = try #require(bench.queue.transaction(id))
        gated.state = .gated
        gated.revision += 1
        let question = Question(
            id: QuestionID(Samples.transaction(5).value), kind: .shouldContinue,
            account: Samples.anna, transaction: id, patienceMs: 1000, openedAt: bench.time)
        bench.apply([.transaction(.gated, gated), .questionOpened(question)])
        bench.reconcile(Self.purchase(1, by: id))
        #expect(bench.state(id) == .purchased)
        #expect(bench.queue.questions.open.isEmpty)
    }

    @Test("One that had ended stays as it ended", arguments: [Stage.failed, .removed])
    func ended(stage: Stage) throws {
        var (bench, id) = stage.bench()
        let before = bench.queue.transaction(id)
        bench.reconcile(Self.purchase(9, by: id))
        let (change, transaction) = try #require(bench.lastChange)
        #expect(change == .appeared)
        #expect(transaction.reason == .purchase)
        #expect(transaction.id != id)
        #expect(transaction.order == Samples.order(9))
        #expect(bench.queue.transaction(id) == before)
    }

    @Test(
        "What nobody here asked for is a renewal or comes from elsewhere", arguments: [true, false])
    func unknown(isRenewal: Bool) throws {
        var bench = Bench.busy()
        let club = Samples.product(Samples.club, .autoRenewableSubscription)
        let stranger = isRenewal ? nil : Samples.transaction(777)
        bench.reconcile(
            Samples.purchase(
                4, original: 2, by: stranger, of: club, token: "t", isRenewal: isRenewal,
                isCompleted: false))
        let (change, transaction) = try #require(bench.lastChange)
        #expect(change == .appeared)
        #expect(transaction.reason == (isRenewal ? .renewal : .external))
        #expect(transaction.originalOrder == Samples.order(2))
        #expect(transaction.payment.appAccountToken == "t")
    }

    @Test(
        "An order is taken in once, ever",
        arguments: [Stage.purchased, .completing, .removed])
    func ledger(stage: Stage) {
        var (bench, id) = stage.bench()
        let before = bench.records
        #expect(bench.reconcile(Self.purchase(1, by: id)) == true)
        #expect(bench.reconcile(Self.purchase(1, by: nil)) == true)
        #expect(bench.records == before)
        let forgotten = bench.forget(before: bench.time.advanced(bySeconds: 1)).count
        #expect(bench.reconcile(Self.purchase(1, by: id)) == true)
        #expect(bench.records.count == before.count + forgotten)
    }

    @Test("What somebody has completed comes back by a restore only")
    func completed() {
        var bench = Bench.busy()
        let before = bench.records.count
        #expect(bench.reconcile(Samples.purchase(1)) == true)
        #expect(bench.records.count == before)
    }

    @Test("Without room it waits at the store, but what is under way is settled")
    func full() {
        var limits = Limits()
        limits.unfinishedTransactions = 1
        var bench = Bench(limits: limits)
        bench.logIn(Samples.anna)
        bench.queue.activeObservers.everything = true
        let id = bench.add()
        bench.start()
        #expect(bench.reconcile(Self.purchase(2, by: nil)) == false)
        #expect(bench.reconcile(Self.purchase(1, by: id), mayAdd: false) == true)
        #expect(bench.state(id) == .purchased)
        #expect(bench.reconcile(Self.purchase(2, by: nil), mayAdd: false) == false)
    }

    @Test("Another account's transaction is not settled by it")
    func otherAccount() throws {
        var (bench, id) = Stage.submitted.bench()
        bench.logIn(Samples.bert)
        bench.reconcile(Self.purchase(1, by: id), of: Samples.bert)
        #expect(bench.state(id) == .submitted)
        #expect(bench.lastChange?.1.account == Samples.bert)
        #expect(bench.lastChange?.1.reason == .external)
    }

    @Test("Prices that come and go are recorded once each")
    func products() {
        var bench = Bench.busy()
        for number in 1...20 as ClosedRange<UInt64> {
            let product = Samples.product(Samples.coins, .consumable, "\(number % 4).00")
            bench.reconcile(Samples.purchase(number, of: product, isCompleted: false))
        }
        #expect(bench.queue.products.count == 4)
    }

    @Test("Orders that were taken back are told once, a hundred at a time")
    func revoked() {
        var bench = Bench.busy()
        let orders = (1...1200).map { number in
            RevokedOrder(
                order: Samples.order(UInt64(number)),
                product: number % 2 == 0 ? Samples.book : Samples.club,
                revocation: Samples.refund)
        }
        var events: [Event] = []
        bench.queue.decideRevoked(
            orders + orders, of: Samples.anna,
            bench.context(closed: orders.map(\.closedKey)), events: &events)
        let sizes = events.compactMap { event -> Int? in
            guard case .entitlementsRevoked(let revocation) = event else { return nil }
            #expect(revocation.products == [Samples.club, Samples.book])
            return revocation.orders.count
        }
        #expect(sizes == Array(repeating: 100, count: 12))
        bench.apply(events)
        events = []
        bench.queue.decideRevoked(
            orders, of: Samples.anna, bench.context(closed: orders.map(\.closedKey)),
            events: &events)
        #expect(events.isEmpty)
    }

    @Test("A product that stays is not among those that were lost with an order")
    func keptProduct() {
        let bench = Bench.busy()
        let orders = (1...2).map { number in
            RevokedOrder(
                order: Samples.order(number), product: number == 1 ? Samples.book : Samples.club,
                revocation: Samples.refund, keepsProduct: number == 1)
        }
        var events: [Event] = []
        bench.queue.decideRevoked(
            orders, of: Samples.anna, bench.context(closed: orders.map(\.closedKey)),
            events: &events)
        let announced = events.compactMap { event -> Revocation? in
            if case .entitlementsRevoked(let revocation) = event { revocation } else { nil }
        }
        #expect(announced.map(\.products) == [[Samples.club], []])
        #expect(announced.map(\.orders) == [[orders[1].order], [orders[0].order]])
    }

    @Test("A purchase that settles after its order was taken back is marked by the record of it")
    func revokedBeforeSettled() throws {
        let order = RevokedOrder(
            order: Samples.order(1), product: Samples.coins,
            revocation: OrderRevocation(at: Samples.noon, reason: "replaced"))
        var (settled, id) = Stage.submitted.bench()
        settled.revoke([order])
        settled.resolve(id, .purchased(order: Samples.order(1), original: Samples.order(1)))
        #expect(settled.lastChange?.0 == .purchased)
        #expect(settled.lastChange?.1.charge?.revocation == order.revocation)
        #expect(settled.revoke([order]) == 0)
        #expect(settled.queue.transaction(id)?.needsNoCompletion == true)

        var (matched, asker) = Stage.submitted.bench()
        matched.revoke([order])
        matched.reconcile(
            Samples.purchase(1, by: asker, of: Samples.product(Samples.coins, .consumable)))
        #expect(matched.lastChange?.0 == .purchased)
        #expect(matched.lastChange?.1.charge?.revocation == order.revocation)

        var appeared = Bench.busy()
        appeared.revoke([order])
        appeared.reconcile(Samples.purchase(1, isCompleted: false))
        #expect(appeared.lastChange?.0 == .appeared)
        #expect(appeared.lastChange?.1.charge?.revocation == order.revocation)

        var restored = Bench.busy()
        restored.revoke([order])
        let restore = restored.restore()
        restored.give(Samples.purchase(1, isCompleted: true), by: restore)
        #expect(restored.lastChange?.0 == .restored)
        #expect(restored.lastChange?.1.charge?.revocation == order.revocation)
    }

    @Test(
        "What older records tell of a refund marks a later purchase, and their snapshots do as well"
    )
    func revokedInOldRecords() throws {
        var bench = Bench.busy()
        let old = Revocation(
            account: Samples.anna, products: [Samples.coins], orders: [Samples.order(1)])
        bench.apply([.entitlementsRevoked(old)])
        let time = try #require(bench.records.last?.time)
        bench.reconcile(Samples.purchase(1, isCompleted: false))
        #expect(bench.lastChange?.1.charge?.revocation == OrderRevocation(at: time))

        var queue = PaymentQueue()
        try bench.queue.snapshotItems { item throws(IllegalRecord) in
            switch item {
            case .revokedOrder(let order, _): try queue.load(.revokedOrder(order, nil))
            case .order, .transaction: break
            default: try queue.load(item)
            }
        }
        var events: [Event] = []
        let purchase = Samples.purchase(1, isCompleted: false)
        var context = bench.context
        context.closed = queue.closedFacts(purchase.closedKeys)
        _ = queue.decide(purchase, of: Samples.anna, context, events: &events)
        guard case .transaction(.appeared, let transaction)? = events.last else {
            Issue.record("nothing appeared")
            return
        }
        #expect(transaction.charge?.revocation == OrderRevocation(at: bench.context.now))
    }

    @Test("A record that explains only some of its revocations is refused")
    func halfExplained() {
        var bench = Bench.busy()
        let half = Revocation(
            account: Samples.anna, products: [Samples.coins],
            orders: [Samples.order(1), Samples.order(2)], revocations: [Samples.refund])
        #expect(throws: IllegalRecord.self) {
            try bench.queue.apply(
                Record(
                    sequence: bench.queue.head + 1, time: Samples.noon, origin: nil,
                    event: .entitlementsRevoked(half)))
        }
    }

    @Test("A purchase that was given another order stays when the one that it asked for is deleted")
    func deletedAfterAnother() throws {
        var (bench, id) = Self.givenAnotherOrder()
        #expect(bench.delete(Samples.order(1), askedBy: id) == 0)
        #expect(bench.state(id) == .purchased)
        #expect(bench.delete(Samples.order(2), askedBy: id) == 1)
    }

    @Test(
        "A purchase leaves when both the order that it asked for and the one that it has are deleted"
    )
    func bothDeleted() throws {
        var (bench, id) = Self.givenAnotherOrder()
        #expect(bench.delete(Samples.order(1), Samples.order(2), askedBy: id) == 1)
        #expect(bench.queue.finish(of: id)?.reason == .deleted)
    }

    /// A purchase of an order that was there before it asked for one.
    private static func givenAnotherOrder() -> (Bench, TransactionID) {
        var (bench, id) = Stage.submitted.bench()
        let charge = Charge(price: Samples.price, offer: .alreadyOwned)
        bench.resolve(
            id,
            .purchased(
                PaidOrder(order: Samples.order(2), original: Samples.order(2), charge: charge)))
        return (bench, id)
    }

    @Test("Approvals are asked about in the order of acceptance, for the account in session")
    func approvals() {
        var bench = Bench.busy()
        let ids = (1...5).map { _ in bench.add() }
        bench.start()
        for (index, id) in ids.enumerated().reversed() where index != 2 {
            bench.resolve(id, .deferred(order: Samples.order(UInt64(index))))
        }
        let expected = [0, 1, 3, 4].map { ids[$0] }
        #expect(bench.queue.deferredEffects().map(\.transaction) == expected)
        bench.logIn(Samples.bert)
        #expect(bench.queue.deferredEffects().isEmpty)
        bench.logIn(Samples.anna)
        bench.resolve(ids[0], .failed(.declined, order: nil))
        #expect(bench.queue.deferredEffects().map(\.transaction) == Array(expected.dropFirst()))
    }
}
