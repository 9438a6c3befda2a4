@testable import PaymentCore
import PaymentTesting
import Testing

@Suite("Asking for a restore")
struct RestoreRequestTests {
    @Test("The same purchases are restored once at a time; another filter is another restore")
    func joining() throws {
        var bench = Bench.busy()
        let all = bench.restore()
        #expect(try bench.tryRestore() == .joined(all))
        let before = bench.records.count
        #expect(try bench.tryRestore(key: "k") == .joined(all))
        #expect(bench.records.count == before + 1)
        let some = bench.restore(token: "t")
        #expect(some != all)
        #expect(bench.queue.nextRestore()?.restore.id == all)
        bench.end(all, .completed(count: 0))
        #expect(bench.queue.nextRestore()?.restore.id == some)
        #expect(try bench.tryRestore(key: "k") == .duplicate(all))
        #expect(bench.restore() != all)
    }

    @Test("Users take turns with their restores, and each has its own in the order of asking")
    func turns() throws {
        var bench = Bench.busy()
        bench.origin = Origin(uid: 7, connection: 1, request: 1)
        let first = ["1", "2", "3"].map { bench.restore(token: $0) }
        bench.origin = Origin(uid: 9, connection: 2, request: 1)
        let second = bench.restore(token: "4")
        var turn: UInt64 = 0
        var order: [RestoreID] = []
        while let next = bench.queue.nextRestore(after: turn) {
            order.append(next.restore.id)
            turn = next.turn
            bench.end(next.restore.id, .completed(count: 0))
        }
        #expect(order == [first[0], second, first[1], first[2]])
    }

    @Test("A key names one restore, whoever else it is offered to")
    func keys() throws {
        var bench = Bench.busy()
        let id = bench.restore(key: "k")
        #expect(try bench.tryRestore(key: "k") == .duplicate(id))
        let refusal = Refusal.keyReuseByRestore(key: "k", restore: id)
        #expect(bench.restoreRefusal(token: "t", key: "k") == refusal)
        #expect(bench.refusal(of: Samples.coins, key: "k") == refusal)
        let bought = bench.add(key: "bought")
        #expect(
            bench.restoreRefusal(key: "bought") == .keyReuse(key: "bought", transaction: bought))
        bench.logIn(Samples.bert)
        #expect(bench.restoreRefusal(key: "k") == refusal)
    }

    @Test("A key that joined is kept, and a record that gives it away again is refused")
    func keyRecords() throws {
        var bench = Bench.busy()
        let id = bench.restore()
        bench.restore(key: "k")
        let record = Record(
            sequence: bench.queue.head + 1, time: bench.time, origin: nil,
            event: .restoreJoined(id, key: "k"))
        var queue = bench.queue
        #expect(throws: IllegalRecord.self) { try queue.apply(record) }
        bench.add(key: "other")
        let added = try #require(bench.lastChange?.1)
        var second = Transaction(
            id: Samples.transaction(404), account: added.account, payment: added.payment,
            state: .waiting, country: added.country, reason: .purchase, revision: 1,
            createdAt: bench.time, updatedAt: bench.time)
        second.origin = nil
        queue = bench.queue
        #expect(throws: IllegalRecord.self) {
            try queue.apply(
                Record(
                    sequence: queue.head + 1, time: bench.time, origin: nil,
                    event: .transaction(.added(key: "k"), second)))
        }
    }

    @Test("Only so many restores may be unfinished")
    func limit() {
        var limits = Limits()
        limits.unfinishedRestores = 2
        var bench = Bench(limits: limits)
        bench.logIn(Samples.anna)
        bench.restore(token: "1")
        let second = bench.restore(token: "2")
        let refusal = Refusal.shareExceeded(.unfinishedRestores, number: 2, share: nil)
        #expect(bench.restoreRefusal(token: "3") == refusal)
        #expect(bench.restore(token: "2") == second)
        bench.end(second, .completed(count: 0))
        #expect(bench.restoreRefusal(token: "3") == nil)
    }

    @Test("A restore of nobody belongs to the next account that logs in")
    func nobody() throws {
        var bench = Bench()
        let id = bench.restore(key: "k")
        #expect(bench.queue.nextRestore() == nil)
        let waiting = try #require(bench.queue.restore(id)).restore
        #expect(bench.queue.waitingFor(waiting) == .login)
        bench.logIn(Samples.anna)
        let restore = try #require(bench.queue.nextRestore()).restore
        #expect(restore.id == id)
        #expect(restore.account == Samples.anna)
        #expect(bench.queue.waitingFor(restore) == .observer)
        bench.queue.activeObservers.everything = true
        #expect(bench.queue.waitingFor(restore) == .store)
    }

    @Test("When an account leaves its restores end before it does, and only its own")
    func leaving() {
        var bench = Bench.busy()
        let first = bench.restore()
        let second = bench.restore(token: "t")
        #expect(bench.logIn(Samples.anna, in: Samples.norway).count == 1)
        let events = bench.logIn(Samples.bert)
        #expect(
            Array(events.dropLast()) == [
                .restoreEnded(first, account: Samples.anna, .failed(.cancelled)),
                .restoreEnded(second, account: Samples.anna, .failed(.cancelled)),
            ])
        bench.restore()
        #expect(bench.logIn(nil).count == 2)
        #expect(bench.queue.hasNoRestores)
    }

    @Test("An ended restore and its keys are forgotten with what is as old")
    func forgetting() {
        var bench = Bench.busy()
        let old = bench.restore(key: "old")
        bench.end(old, .completed(count: 0))
        let moment = bench.time.advanced(bySeconds: 1)
        bench.time = moment.advanced(bySeconds: 1)
        let new = bench.restore(key: "new")
        bench.end(new, .failed(.connectionError))
        let running = bench.restore(key: "running")
        #expect(bench.forget(before: moment).count == 1)
        #expect(bench.queue.restore(old) == nil)
        #expect(bench.queue.restore(new)?.outcome == .failed(.connectionError))
        #expect(bench.queue.restore(running)?.outcome == nil)
        #expect(bench.forget(before: moment).isEmpty)
        #expect(bench.refusal(of: Samples.coins, key: "old") == nil)
        #expect(bench.refusal(of: Samples.coins, key: "new") != nil)
    }

    @Test("A restore ends once")
    func once() {
        var bench = Bench.busy()
        let id = bench.restore()
        #expect(bench.end(id, .completed(count: 3)).count == 1)
        #expect(bench.end(id, .failed(.cancelled)).isEmpty)
        #expect(bench.give(Samples.purchase(1), by: id) == .ended)
    }
}

@Suite("Giving purchases back")
struct RestoreStepTests {
    @Test("A completed purchase comes back as a new transaction with all that the store knows")
    func restored() throws {
        var bench = Bench.busy()
        let id = bench.restore()
        #expect(bench.give(Samples.purchase(7, original: 3, token: "t"), by: id) == .given)
        let (change, transaction) = try #require(bench.lastChange)
        #expect(change == .restored)
        #expect(transaction.state == .restored)
        #expect(transaction.reason == .restore)
        #expect(transaction.order == Samples.order(7))
        #expect(transaction.originalOrder == Samples.order(3))
        #expect(transaction.payment.appAccountToken == "t")
        #expect(transaction.account == Samples.anna)
        #expect(transaction.country == Samples.germany)
        #expect(bench.queue.effect(of: .transaction(change, transaction)) == nil)
        #expect(try bench.finish(transaction.id) == .removed)
        #expect(bench.queue.pendingEffects().isEmpty)
    }

    @Test("What is unfinished is shown again, not multiplied")
    func redelivered() throws {
        var bench = Bench.busy()
        let id = bench.restore()
        bench.give(Samples.purchase(1), by: id)
        let restored = try #require(bench.lastChange?.1)
        #expect(bench.give(Samples.purchase(1), by: id) == .given)
        #expect(bench.lastChange?.0 == .redelivered)
        #expect(bench.lastChange?.1.id == restored.id)
        #expect(bench.lastChange?.1.revision == 2)
        bench.reconcile(Samples.purchase(2, isCompleted: false))
        let bought = try #require(bench.lastChange?.1)
        #expect(bench.give(Samples.purchase(2), by: id) == .given)
        #expect(bench.lastChange?.0 == .redelivered)
        #expect(bench.lastChange?.1.id == bought.id)
        #expect(bench.unfinished == [restored.id, bought.id])
    }

    @Test("One that is being completed is not live: the purchase comes back anew")
    func completing() throws {
        let (first, id) = Stage.completing.bench()
        var bench = first
        let restore = bench.restore()
        let coins = Samples.product(Samples.coins, .consumable)
        #expect(bench.give(Samples.purchase(1, by: id, of: coins), by: restore) == .given)
        #expect(bench.lastChange?.0 == .restored)
        #expect(bench.state(id) == .completing)
    }

    @Test("What nobody has completed becomes a purchase, so that its completion is told")
    func uncompleted() throws {
        var bench = Bench.busy()
        let id = bench.restore()
        #expect(bench.give(Samples.purchase(1, isCompleted: false), by: id) == .given)
        let (change, transaction) = try #require(bench.lastChange)
        #expect(change == .appeared)
        #expect(transaction.state == .purchased)
        #expect(bench.queue.transaction(ofOrder: Samples.order(1)) == transaction.id)
        #expect(try bench.finish(transaction.id) == .completing)
    }

    @Test("A purchase under way is settled by what the store names", arguments: [true, false])
    func underWay(isCompleted: Bool) throws {
        var bench = Bench.busy()
        let bought = bench.add(Samples.book)
        bench.start()
        let id = bench.restore()
        let purchase = Samples.purchase(1, by: bought, isCompleted: isCompleted)
        #expect(bench.give(purchase, by: id) == .given)
        #expect(bench.state(bought) == .purchased)
        #expect(bench.unfinished == [bought])
    }

    @Test("What this restore gave and a client finished is not given again; the next one does")
    func again() throws {
        var bench = Bench.busy()
        let first = bench.restore()
        let purchase = Samples.purchase(1)
        bench.give(purchase, by: first)
        let given = try #require(bench.lastChange?.1)
        try bench.finish(given.id)
        let second = bench.restore(token: "t")
        let before = bench.records.count
        #expect(bench.give(purchase, by: first) == .given)
        #expect(bench.records.count == before)
        bench.end(first, .completed(count: 1))
        #expect(bench.give(purchase, by: second) == .given)
        #expect(bench.lastChange?.0 == .restored)
        #expect(bench.lastChange?.1.id != given.id)
    }

    @Test("Without room nothing new comes, but what is there is shown")
    func full() {
        var limits = Limits()
        limits.unfinishedTransactions = 1
        var bench = Bench(limits: limits)
        bench.logIn(Samples.anna)
        let id = bench.restore()
        #expect(bench.give(Samples.purchase(1), by: id, mayAdd: false) == .full)
        #expect(bench.give(Samples.purchase(1), by: id) == .given)
        #expect(bench.give(Samples.purchase(2), by: id) == .full)
        #expect(bench.give(Samples.purchase(1), by: id) == .given)
    }

    @Test("A second live transaction for an order cannot be recorded")
    func apply() throws {
        var bench = Bench.busy()
        bench.give(Samples.purchase(1), by: bench.restore())
        let first = try #require(bench.lastChange?.1)
        let second = Transaction(
            id: Samples.transaction(404), account: first.account, payment: first.payment,
            state: .restored, country: first.country, order: first.order,
            originalOrder: first.originalOrder, reason: .restore, revision: 1,
            createdAt: bench.time, updatedAt: bench.time)
        let record = Record(
            sequence: bench.queue.head + 1, time: bench.time, origin: nil,
            event: .transaction(.restored, second))
        #expect(throws: IllegalRecord.self) { try bench.queue.apply(record) }
        try bench.finish(first.id)
        var queue = bench.queue
        try queue.apply(
            Record(
                sequence: queue.head + 1, time: bench.time, origin: nil, event: record.event))
    }

    @Test("A snapshot of any moment goes on like the queue that it was taken of")
    func snapshots() throws {
        var bench = Bench.busy()
        let first = bench.restore(key: "k")
        bench.give(Samples.purchase(1), by: first)
        try bench.finish(try #require(bench.lastChange?.1).id)
        bench.give(Samples.purchase(2), by: first)
        bench.reconcile(Samples.purchase(3, isCompleted: false))
        for purchase in [Samples.purchase(1), Samples.purchase(2), Samples.purchase(3)] {
            var copy = bench
            copy.queue = PaymentQueue()
            copy.queue.activeObservers = bench.queue.activeObservers
            try bench.queue.snapshotItems { try copy.queue.load($0) }
            copy.queue.didLoad(upTo: bench.queue.head)
            #expect(QueueView(copy.queue) == QueueView(bench.queue))
            var original = bench
            #expect(copy.give(purchase, by: first) == original.give(purchase, by: first))
            #expect(copy.records == original.records)
        }
    }
}
