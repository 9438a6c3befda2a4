import PaymentCore
import PaymentTesting
import Testing

@Suite("Idempotency keys")
struct KeyTests {
    @Test(
        "The same key and parameters name the first transaction in every stage of it",
        arguments:
            Stage.allCases.filter { $0 != .restored })
    func duplicate(stage: Stage) throws {
        var (bench, id) = stage.bench()
        let head = bench.queue.head
        #expect(try bench.tryAdd(Samples.coins, key: "the key") == .duplicate(id))
        #expect(bench.queue.head == head)
    }

    /// Another call under a key that `coins` with token `t` has.
    struct Reuse: Sendable, CustomTestStringConvertible {
        var product = Samples.coins
        var token: OpaqueText? = "t"
        var account: AccountName? = Samples.anna
        var isDuplicate = false
        var testDescription: String
    }

    static let reuses = [
        Reuse(isDuplicate: true, testDescription: "the same again"),
        Reuse(account: nil, isDuplicate: true, testDescription: "the same, logged out meanwhile"),
        Reuse(product: Samples.pass, testDescription: "another product"),
        Reuse(product: "no such product", testDescription: "a product that is not sold"),
        Reuse(token: nil, testDescription: "no token"),
        Reuse(token: "u", testDescription: "another token"),
        Reuse(account: Samples.bert, testDescription: "another account"),
        Reuse(product: Samples.pass, account: nil, testDescription: "other, logged out"),
    ]

    @Test("Only the same parameters by the same account repeat a call", arguments: reuses)
    func reuse(_ row: Reuse) throws {
        var bench = Bench.busy()
        let id = bench.add(Samples.coins, token: "t", key: "k")
        bench.logIn(row.account)
        let head = bench.queue.head
        let refusal = bench.refusal(of: row.product, token: row.token, key: "k")
        let expected = Refusal.keyReuse(key: "k", transaction: id)
        #expect(refusal == (row.isDuplicate ? nil : expected))
        #expect(bench.queue.head == head)
    }

    @Test("A call made while logged out is repeated by the account that claimed it, by no other")
    func claimed() throws {
        var bench = Bench()
        let id = bench.add(Samples.coins, key: "k")
        #expect(try bench.tryAdd(Samples.coins, key: "k") == .duplicate(id))
        bench.logIn(Samples.anna)
        #expect(try bench.tryAdd(Samples.coins, key: "k") == .duplicate(id))
        bench.logIn(Samples.bert)
        #expect(
            bench.refusal(of: Samples.coins, key: "k") == .keyReuse(key: "k", transaction: id))
    }

    static let spellings: [OpaqueText] = [
        "\u{E9}", "e\u{301}", "\u{212B}", "\u{C5}", "A\u{30A}", "k", "K", "k ", " k", "", "\u{0}",
        "\u{FB01}", "fi",
    ]

    @Test("Keys are told apart by their bytes, however alike they look")
    func bytes() {
        var bench = Bench()
        let ids = Self.spellings.map { bench.add(key: $0) }
        #expect(Set(ids).count == Self.spellings.count)
        for (spelling, id) in zip(Self.spellings, ids) {
            #expect(bench.add(key: spelling) == id)
        }
    }

    @Test("A repeated call is answered before any other rule is asked")
    func beforeEverything() throws {
        var limits = Limits()
        limits.unfinishedTransactions = 1
        var bench = Bench(limits: limits)
        bench.logIn(Samples.anna)
        let id = bench.add(Samples.book, key: "k")
        bench.paymentsAllowed = false
        bench.catalogues = [:]
        #expect(try bench.tryAdd(Samples.book, key: "k") == .duplicate(id))
    }

    @Test("A key is free again when its transaction is forgotten, and not a moment before")
    func forgotten() throws {
        var (bench, id) = Stage.removed.bench()
        let end = try #require(bench.queue.finish(of: id)).time
        bench.forget(before: end)
        #expect(try bench.tryAdd(Samples.coins, key: "the key") == .duplicate(id))
        bench.forget(before: Timestamp(milliseconds: end.milliseconds + 1))
        #expect(bench.queue.transaction(id) == nil)
        let fresh = try bench.tryAdd(Samples.coins, key: "the key")
        #expect(fresh == .accepted(Samples.transaction(2)))
    }

    @Test("A payment whose acceptance a repair lost is found by the key of its submission")
    func lostAcceptance() throws {
        var bench = Bench.busy()
        let id = bench.add(key: "the key")
        bench.start()
        var repaired = Bench.busy()
        repaired.queue = PaymentQueue(limits: Limits())
        for record in bench.records {
            if case .transaction(.added, _) = record.event { continue }
            try repaired.queue.apply(record)
        }
        repaired.queue.activeObservers.everything = true
        repaired.time = bench.time
        #expect(repaired.queue.pendingEffects() == bench.queue.pendingEffects())
        #expect(try repaired.tryAdd(Samples.coins, key: "the key") == .duplicate(id))
        repaired.resolve(id, .purchased(order: Samples.order(1), original: Samples.order(1)))
        #expect(repaired.state(id) == .purchased)
    }
}
