import PaymentCore
import PaymentTesting
import Testing

@Suite("Adding a payment")
struct AddTests {
    @Test("An accepted payment waits, with what was asked for, in the country of the session")
    func accepted() throws {
        var bench = Bench.busy()
        let id = bench.add(Samples.coins, token: "player 1", key: "k")
        let transaction = try #require(bench.queue.transaction(id))
        #expect(transaction.state == .waiting)
        #expect(transaction.account == Samples.anna)
        #expect(transaction.payment.product.product.productIdentifier == Samples.coins)
        #expect(transaction.payment.product.country == Samples.germany)
        #expect(transaction.payment.appAccountToken == "player 1")
        #expect(transaction.country == Samples.germany)
        #expect(transaction.reason == .purchase)
        #expect(transaction.revision == 1)
        #expect(transaction.order == nil)
        #expect(transaction.origin == Samples.origin)
        #expect(transaction.createdAt == transaction.updatedAt)
    }

    @Test("A product is recorded before its first transaction, and again only when it has changed")
    func products() {
        var bench = Bench.busy()
        for _ in 1...3 { bench.add(Samples.coins) }
        bench.catalogues[Samples.germany] = Samples.catalogue(of: Samples.germany, amount: "12.00")
        for _ in 1...2 { bench.add(Samples.coins) }
        let numbers = bench.records.compactMap { record -> UInt32? in
            guard case .productRecorded(let product) = record.event else { return nil }
            return product.number
        }
        #expect(numbers == [1, 2])
        #expect(bench.queue.recordedProduct(1)?.product.price.amount.text == "9.99")
        #expect(bench.queue.recordedProduct(2)?.product.price.amount.text == "12.00")
        #expect(bench.queue.recordedProduct(0) == nil)
        #expect(bench.queue.recordedProduct(3) == nil)
    }

    /// Each row breaks a rule and every rule behind it, so that only the order decides the answer.
    enum Rule: Int, CaseIterable, Sendable {
        case key, product, paymentsAllowed, live, full
    }

    @Test(
        "Of several rules that say no, the first in the order of the contract is named",
        arguments: Rule.allCases)
    func order(first: Rule) {
        var limits = Limits()
        limits.unfinishedTransactions = 2
        var bench = Bench(limits: limits)
        bench.logIn(Samples.anna)
        let used = bench.add(Samples.coins, key: "used")
        let live = bench.add(Samples.book)
        bench.paymentsAllowed = first.rawValue > Rule.paymentsAllowed.rawValue
        let product: ProductIdentifier =
            switch first {
            case .key, .product: "no such product"
            case .paymentsAllowed, .live: Samples.book
            case .full: Samples.pass
            }
        let expected: Refusal =
            switch first {
            case .key: .keyReuse(key: "used", transaction: used)
            case .product: .unknownProduct("no such product")
            case .paymentsAllowed: .paymentsNotAllowed
            case .live: .alreadyLive(live, .purchasing)
            case .full: .queueFull(limit: 2)
            }
        let head = bench.queue.head
        #expect(bench.refusal(of: product, key: first == .key ? "used" : "fresh") == expected)
        #expect(bench.queue.head == head)
    }

    @Test("A refused add leaves no key behind")
    func refusedKey() throws {
        var bench = Bench.busy()
        bench.paymentsAllowed = false
        #expect(bench.refusal(of: Samples.coins, key: "k") == .paymentsNotAllowed)
        bench.paymentsAllowed = true
        #expect(try bench.tryAdd(Samples.coins, key: "k") == .accepted(Samples.transaction(1)))
    }

    @Test("A queue takes exactly as many unfinished transactions as its limit says")
    func full() throws {
        var limits = Limits()
        limits.unfinishedTransactions = 3
        var bench = Bench(limits: limits)
        let first = bench.add()
        bench.add()
        bench.add(key: "third")
        #expect(bench.refusal(of: Samples.coins) == .queueFull(limit: 3))
        #expect(try bench.tryAdd(Samples.coins, key: "third") == .duplicate(Samples.transaction(3)))
        #expect(try bench.finish(first) == .removed)
        #expect(bench.refusal(of: Samples.coins) == nil)
        #expect(bench.refusal(of: Samples.coins) == .queueFull(limit: 3))
    }

    @Test("Whether payments are allowed is not asked while nobody is logged in")
    func loggedOutPayments() {
        var bench = Bench()
        bench.paymentsAllowed = false
        #expect(bench.refusal(of: Samples.coins) == nil)
        bench.logIn(Samples.anna)
        #expect(bench.refusal(of: Samples.coins) == .paymentsNotAllowed)
    }

    @Test("Nothing is known while the catalogue of the country is not")
    func catalogue() {
        var bench = Bench()
        bench.catalogues[Samples.germany] = nil
        #expect(bench.refusal(of: Samples.coins) == .unknownProduct(Samples.coins))
        bench.catalogues[Samples.germany] = Samples.catalogue(of: Samples.germany)
        #expect(bench.refusal(of: "coins ") == .unknownProduct("coins "))
        bench.defaultCountry = nil
        #expect(bench.refusal(of: Samples.coins) == .unknownProduct(Samples.coins))
    }

    @Test("The country is the session's, else the assumed one, else the default")
    func countries() throws {
        var bench = Bench()
        var events: [Event] = []
        let byDefault = bench.add()
        bench.queue.decideAssumedCountry(Samples.norway, events: &events)
        bench.apply(events)
        let assumed = bench.add()
        bench.logIn(Samples.bert)
        let inSession = bench.add()
        #expect(bench.queue.transaction(byDefault)?.country == Samples.germany)
        #expect(bench.queue.transaction(assumed)?.country == Samples.norway)
        #expect(bench.queue.transaction(inSession)?.country == Samples.france)
    }

    @Test("The same country assumed again is no event; taking it back is")
    func assumedAgain() {
        var bench = Bench()
        func assume(_ country: CountryCode?) -> Int {
            var events: [Event] = []
            bench.queue.decideAssumedCountry(country, events: &events)
            return bench.apply(events).count
        }
        #expect(assume(nil) == 0)
        #expect(assume(Samples.france) == 1)
        #expect(assume(Samples.france) == 0)
        #expect(bench.queue.currentCountry(bench.context) == Samples.france)
        #expect(assume(nil) == 1)
        #expect(bench.queue.currentCountry(bench.context) == Samples.germany)
    }

    @Test(
        "What is bought once is live in these stages and may be bought again in the others",
        arguments: Stage.allCases, [Samples.book, Samples.club])
    func live(stage: Stage, product: ProductIdentifier) throws {
        var bench = Bench.busy()
        var blocking: TransactionID?
        if stage == .restored {
            guard product == Samples.book else { return }
            blocking = bench.restoredTransaction().id
        } else {
            let id = bench.add(product)
            bench.bring(id, to: stage)
            blocking = id
        }
        let id = try #require(blocking)
        let expected: Refusal? =
            switch stage {
            case .waiting, .gated, .submitted, .deferred: .alreadyLive(id, .purchasing)
            case .purchased: .alreadyLive(id, .purchased)
            case .restored: .alreadyLive(id, .restored)
            case .completing, .failed, .removed: nil
            }
        #expect(bench.refusal(of: product) == expected)
    }

    @Test(
        "What is used up or ends may be bought as often as wanted",
        arguments: [Samples.coins, Samples.pass])
    func repeated(product: ProductIdentifier) {
        var bench = Bench.busy()
        let first = bench.add(product)
        let second = bench.add(product)
        #expect(first != second)
        #expect(bench.unfinished == [first, second])
    }

    @Test("What is live for one account is not live for another")
    func liveElsewhere() {
        var bench = Bench.busy()
        bench.add(Samples.book)
        bench.logIn(Samples.bert)
        #expect(bench.refusal(of: Samples.book) == nil)
        bench.logIn(nil)
        #expect(bench.refusal(of: Samples.book) == nil)
    }

    @Test("Of two live transactions the oldest is named, and when it is gone the other one")
    func oldestBlocks() throws {
        var bench = Bench.busy()
        let first = bench.add(Samples.book)
        bench.logIn(nil)
        let second = bench.add(Samples.book)
        bench.logIn(Samples.anna)
        #expect(bench.refusal(of: Samples.book) == .alreadyLive(first, .purchasing))
        try bench.finish(first)
        #expect(bench.refusal(of: Samples.book) == .alreadyLive(second, .purchasing))
        try bench.finish(second)
        #expect(bench.refusal(of: Samples.book) == nil)
    }
}

extension Bench {
    /// Brings an accepted transaction into a state.
    mutating func bring(_ id: TransactionID, to stage: Stage) {
        guard stage != .waiting else { return }
        queue.activeObservers.hasPaymentAgent = stage == .gated
        start()
        let order = Samples.order(1)
        switch stage {
        case .waiting, .gated, .submitted, .restored: break
        case .deferred: resolve(id, .deferred(order: order))
        case .failed: resolve(id, .failed(.declined, order: nil))
        case .purchased, .completing, .removed:
            resolve(id, .purchased(order: order, original: order))
        }
        if stage == .completing || stage == .removed { _ = try? finish(id) }
        if stage == .removed { complete(id) }
    }
}
