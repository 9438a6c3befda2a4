@testable import PaymentCore
import PaymentTesting
import Testing

/// Lives of a queue that are drawn from seeds.
@Suite("Replay equals life")
struct ReplayTests {
    /// One life: many commands, most of them sensible.
    static func life(seed: UInt64, steps: Int = 400) -> Bench {
        var dice = SeededGenerator(seed: seed)
        var limits = Limits()
        limits.unfinishedTransactions = 60
        limits.ordersInFlight = 5
        var bench = Bench(limits: limits)
        var ids: [TransactionID] = []
        var orders: UInt64 = 0
        for _ in 0..<steps {
            switch dice.below(20) {
            case 0..<6:
                let products = [Samples.coins, Samples.book, Samples.pass, Samples.club]
                let key = dice.chance(50) ? OpaqueText("k\(dice.below(30))") : nil
                let decision = try? bench.tryAdd(dice.pick(products) ?? Samples.coins, key: key)
                if case .accepted(let id)? = decision { ids.append(id) }
            case 6..<9:
                if let id = dice.pick(ids) { _ = try? bench.finish(id) }
            case 9..<14:
                guard let id = dice.pick(ids) else { continue }
                orders += 1
                // Now and then an order that was given out before.
                let number = dice.chance(90) ? orders : UInt64(dice.below(Int(orders)) + 1)
                bench.resolve(id, outcome(&dice, order: Samples.order(number)))
            case 14..<16:
                for id in ids { bench.complete(id) }
            case 16 where dice.chance(20):
                bench.endSession()
            case 16:
                let countries = [Samples.germany, Samples.france, Samples.norway]
                bench.logIn(
                    dice.pick([nil, Samples.anna, Samples.bert]) ?? nil, in: dice.pick(countries))
            case 17:
                bench.queue.activeObservers = ActiveObservers(
                    everything: dice.chance(50), products: [Samples.coins])
            case 18:
                bench.forget(before: bench.time.advanced(bySeconds: 0))
            default:
                bench.start()
            }
        }
        return bench
    }

    private static func outcome(_ dice: inout SeededGenerator, order: OrderID) -> OrderOutcome {
        switch dice.below(8) {
        case 0..<4: .purchased(order: order, original: order)
        case 4: .deferred(order: order)
        case 5: .failed(.declined, order: dice.chance(50) ? order : nil)
        case 6: .priceChanged(Samples.product(Samples.coins, .consumable, "\(dice.below(5)).00"))
        default: .notSold
        }
    }

    @Test("All records applied to an empty queue make the same queue", arguments: 1...60)
    func replay(seed: Int) throws {
        let bench = Self.life(seed: UInt64(seed))
        var queue = PaymentQueue(limits: bench.queue.limits)
        queue.activeObservers = bench.queue.activeObservers
        for record in bench.records { try queue.apply(record) }
        #expect(QueueView(queue) == QueueView(bench.queue), "seed \(seed)")
    }

    @Test(
        "A snapshot of any moment and the records behind it make the same queue",
        arguments:
            1...30)
    func snapshot(seed: Int) throws {
        let bench = Self.life(seed: UInt64(seed))
        var dice = SeededGenerator(seed: UInt64(seed))
        let cut = dice.below(bench.records.count)
        var early = PaymentQueue(limits: bench.queue.limits)
        for record in bench.records[..<cut] { try early.apply(record) }
        var queue = PaymentQueue(limits: bench.queue.limits)
        queue.activeObservers = bench.queue.activeObservers
        try early.snapshotItems { try queue.load($0) }
        queue.didLoad(upTo: early.head)
        for record in bench.records[cut...] { try queue.apply(record) }
        #expect(QueueView(queue) == QueueView(bench.queue), "seed \(seed)")
    }

    @Test("The counts are what counting gives", arguments: 1...30)
    func counts(seed: Int) {
        let bench = Self.life(seed: UInt64(seed))
        var counted = StateCounts()
        var waiting: [WaitingFor: Int] = [:]
        bench.queue.forEachUnfinished(withEnded: true) { transaction, _, _ in
            counted.add(1, to: transaction.state)
            if let reason = bench.queue.waitingFor(transaction) { waiting[reason, default: 0] += 1 }
            return true
        }
        #expect(bench.queue.openCounts == counted, "seed \(seed)")
        #expect(bench.queue.waitingCounts == waiting, "seed \(seed)")
    }

    @Test("No life doubles a key, an order or an identifier", arguments: 1...30)
    func uniqueness(seed: Int) {
        let bench = Self.life(seed: UInt64(seed))
        var added: Set<TransactionID> = []
        var removed: Set<TransactionID> = []
        var orders: Set<OrderID> = []
        for record in bench.records {
            guard case .transaction(let change, let transaction) = record.event else { continue }
            #expect(!removed.contains(transaction.id), "seed \(seed)")
            switch change {
            case .added: #expect(added.insert(transaction.id).inserted, "seed \(seed)")
            case .removed: removed.insert(transaction.id)
            case .purchased:
                #expect(transaction.order.map { orders.insert($0).inserted } == true)
            default: break
            }
        }
    }
}

@Suite("Loading a snapshot")
struct SnapshotTests {
    @Test("A transaction, a key or an order that is there twice is refused")
    func twice() throws {
        let bench = ReplayTests.life(seed: 5)
        var items: [SnapshotItem] = []
        bench.queue.snapshotItems { items.append($0) }
        for item in items {
            switch item {
            case .transaction, .finished, .order, .product: break
            default: continue
            }
            var queue = PaymentQueue()
            for earlier in items {
                try queue.load(earlier)
                if earlier == item { break }
            }
            #expect(throws: IllegalRecord.self) { try queue.load(item) }
        }
    }

    @Test("The same state is handed out in the same order")
    func order() throws {
        let bench = ReplayTests.life(seed: 6)
        var first: [SnapshotItem] = []
        var second: [SnapshotItem] = []
        bench.queue.snapshotItems { first.append($0) }
        var queue = PaymentQueue()
        for item in first { try queue.load(item) }
        queue.snapshotItems { second.append($0) }
        #expect(first == second)
    }
}
