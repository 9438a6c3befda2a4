import PaymentCore
import PaymentTesting
import Testing

@Suite("Sending orders to the store")
struct StartTests {
    private func submitted(_ events: [Event]) -> [TransactionID] {
        events.compactMap { event in
            guard case .transaction(.submitted, let transaction) = event else { return nil }
            return transaction.id
        }
    }

    @Test("Users take turns, and the payments of each leave in their order")
    func usersTakeTurns() {
        var bench = Bench()
        bench.logIn(Samples.anna)
        bench.queue.activeObservers = ActiveObservers()
        var ids: [UInt32: [TransactionID]] = [:]
        for user in [1000, 1000, 1000, 1000, 1001, 1001, 1002] as [UInt32] {
            bench.origin = Origin(uid: user, connection: 1, request: 1)
            ids[user, default: []].append(bench.add())
        }
        bench.origin = nil
        bench.queue.activeObservers.everything = true
        let turns: [(user: UInt32, index: Int)] = [
            (1000, 0), (1001, 0), (1002, 0), (1000, 1), (1001, 1), (1000, 2), (1000, 3),
        ]
        #expect(submitted(bench.start()) == turns.compactMap { ids[$0.user]?[$0.index] })
    }

    @Test(
        "Nothing starts without an account and somebody who watches",
        arguments: [
            (nil, ActiveObservers(everything: true)), (Samples.anna, ActiveObservers()),
            (Samples.anna, ActiveObservers(products: [Samples.book])), (nil, ActiveObservers()),
        ] as [(AccountName?, ActiveObservers)])
    func preconditions(account: AccountName?, activeObservers: ActiveObservers) {
        var bench = Bench()
        let id = bench.add()
        if let account { bench.logIn(account) }
        bench.queue.activeObservers = activeObservers
        #expect(bench.start().isEmpty)
        bench.logIn(Samples.anna)
        bench.queue.activeObservers.everything = true
        #expect(submitted(bench.start()) == [id])
    }

    @Test("Orders leave in the order of acceptance, whatever product they are for")
    func order() {
        var bench = Bench.busy()
        let products = [Samples.pass, Samples.coins, Samples.club, Samples.coins, Samples.book]
        let ids = products.map { bench.add($0) }
        #expect(submitted(bench.start()) == ids)
    }

    @Test("Only products that somebody watches leave; the others keep their places")
    func filter() {
        var bench = Bench.busy()
        let coins = (1...3).map { _ in bench.add(Samples.coins) }
        let passes = (1...3).map { _ in bench.add(Samples.pass) }
        bench.queue.activeObservers = ActiveObservers(products: [Samples.pass])
        #expect(submitted(bench.start()) == passes)
        bench.queue.activeObservers.everything = true
        let late = bench.add(Samples.pass)
        #expect(submitted(bench.start()) == coins + [late])
    }

    @Test("At most sixteen are at the store, and each answer makes room for one")
    func sixteen() throws {
        var bench = Bench.busy()
        let ids = (1...20).map { _ in bench.add() }
        #expect(submitted(bench.start()) == Array(ids[..<16]))
        #expect(bench.start().isEmpty)
        let order = Samples.order(1)
        bench.resolve(ids[3], .purchased(order: order, original: order))
        #expect(submitted(bench.start()) == [ids[16]])
        bench.resolve(ids[0], .failed(.declined, order: nil))
        #expect(submitted(bench.start()) == [ids[17]])
    }

    @Test("Nothing waits behind an approval")
    func approval() {
        var bench = Bench.busy()
        let ids = (1...20).map { _ in bench.add() }
        bench.start()
        for (index, id) in ids[..<16].enumerated() {
            bench.resolve(id, .deferred(order: Samples.order(UInt64(index + 1))))
        }
        #expect(submitted(bench.start()) == Array(ids[16...]))
    }

    @Test("Only the account in session has its orders sent")
    func accounts() {
        var bench = Bench()
        bench.logIn(Samples.bert)
        let bert = bench.add()
        bench.logIn(Samples.anna)
        let anna = bench.add()
        bench.queue.activeObservers.everything = true
        #expect(submitted(bench.start()) == [anna])
        bench.logIn(Samples.bert)
        #expect(submitted(bench.start()) == [bert])
    }

    @Test("Each account has room for sixteen of its own")
    func roomPerAccount() {
        var bench = Bench.busy()
        for _ in 1...16 { bench.add() }
        #expect(submitted(bench.start()).count == 16)
        bench.logIn(Samples.bert)
        for _ in 1...17 { bench.add() }
        #expect(submitted(bench.start()).count == 16)
    }

    @Test("In another country a transaction goes on with that country's product and price")
    func otherCountry() throws {
        var bench = Bench.busy()
        let id = bench.add(Samples.coins, token: "t")
        bench.logIn(Samples.anna, in: Samples.france)
        let events = bench.start()
        let changes = events.compactMap { event -> TransactionChange? in
            guard case .transaction(let change, _) = event else { return nil }
            return change
        }
        #expect(changes == [.refreshed, .submitted(key: nil)])
        let transaction = try #require(bench.queue.transaction(id))
        #expect(transaction.country == Samples.france)
        #expect(transaction.payment.product.country == Samples.france)
        #expect(transaction.payment.product.product.price.amount.text == "8.49")
        #expect(transaction.payment.appAccountToken == "t")
        #expect(transaction.revision == 3)
    }

    @Test("What is not sold in the new country fails, and what comes after it goes on")
    func notSoldThere() throws {
        var bench = Bench.busy()
        let book = bench.add(Samples.book)
        let coins = bench.add(Samples.coins)
        bench.logIn(Samples.anna, in: Samples.norway)
        #expect(submitted(bench.start()) == [coins])
        #expect(bench.state(book) == .failed(.productNotAvailable))
        #expect(bench.queue.transaction(book)?.order == nil)
    }

    @Test("Until the catalogue of the new country is known, nothing of the old one is sent")
    func unknownCatalogue() {
        var bench = Bench.busy()
        let id = bench.add()
        bench.catalogues[Samples.france] = nil
        bench.logIn(Samples.anna, in: Samples.france)
        #expect(bench.start().isEmpty)
        #expect(bench.state(id) == .waiting)
        bench.catalogues[Samples.france] = Samples.catalogue(of: Samples.france)
        #expect(submitted(bench.start()) == [id])
    }

    @Test("What is at the store already stays as it is when the country changes")
    func submittedStays() {
        var bench = Bench.busy()
        let id = bench.add()
        bench.start()
        bench.logIn(Samples.anna, in: Samples.france)
        #expect(bench.start().isEmpty)
        #expect(bench.queue.transaction(id)?.country == Samples.germany)
    }

    @Test("A refresh that changes how often a product may be bought is counted from then on")
    func changedKind() throws {
        var bench = Bench.busy()
        let id = bench.add(Samples.coins)
        let owned = Samples.product(Samples.coins, .nonConsumable, "8.49")
        bench.catalogues[Samples.france] = Catalogue(country: Samples.france, products: [owned])
        bench.logIn(Samples.anna, in: Samples.france)
        bench.start()
        #expect(bench.refusal(of: Samples.coins) == .alreadyLive(id, .purchasing))
        bench.resolve(id, .failed(.declined, order: nil))
        #expect(bench.refusal(of: Samples.coins) == nil)
    }

    @Test("A refresh that lifts a product's limit leaves nothing behind that blocks")
    func liftedKind() throws {
        var bench = Bench.busy()
        let id = bench.add(Samples.book)
        let usedUp = Samples.product(Samples.book, .consumable, "8.49")
        bench.catalogues[Samples.france] = Catalogue(country: Samples.france, products: [usedUp])
        bench.logIn(Samples.anna, in: Samples.france)
        bench.start()
        bench.resolve(id, .failed(.declined, order: nil))
        try bench.finish(id)
        bench.forget(before: bench.time.advanced(bySeconds: 1))
        bench.catalogues[Samples.france] = Samples.catalogue(of: Samples.france)
        #expect(bench.refusal(of: Samples.book) == nil)
    }

    @Test("A submission asks for the order by the transaction, at the price that was shown")
    func effect() throws {
        var bench = Bench.busy()
        let id = bench.add(Samples.coins, token: "t")
        let event = try #require(bench.start().last)
        let product = Samples.product(Samples.coins, .consumable)
        let request = OrderRequest(
            transaction: id, account: Samples.anna, product: product, country: Samples.germany,
            appAccountToken: "t")
        #expect(bench.queue.effect(of: event) == .submit(request))
        #expect(bench.queue.pendingEffects() == [.submit(request)])
        #expect(Effect.submit(request).transaction == id)
    }

    @Test("Something is under way outside in exactly these stages", arguments: Stage.allCases)
    func pending(stage: Stage) {
        let (bench, id) = stage.bench()
        let expected = [Stage.submitted, .deferred, .completing].contains(stage)
        #expect((bench.queue.pendingEffect(of: id) != nil) == expected)
        #expect(bench.queue.pendingEffects().map(\.transaction) == (expected ? [id] : []))
    }
}
