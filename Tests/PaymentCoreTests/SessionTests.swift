import PaymentCore
import PaymentTesting
import Testing

@Suite("Accounts and what they see")
struct SessionTests {
    @Test("The same session again is no event; every other one is")
    func changes() {
        var bench = Bench()
        #expect(bench.logIn(nil).isEmpty)
        #expect(bench.logIn(Samples.anna).count == 1)
        #expect(bench.logIn(Samples.anna).isEmpty)
        #expect(bench.logIn(Samples.anna, in: Samples.france).count == 1)
        #expect(bench.logIn(Samples.bert).count == 1)
        #expect(bench.logIn(nil).count == 1)
        #expect(bench.logIn(nil).isEmpty)
    }

    @Test(
        "A session that the store ended ends once, and the next change of session is the end of that"
    )
    func endedByTheStore() {
        var bench = Bench()
        #expect(bench.endSession().isEmpty)
        bench.logIn(Samples.anna)
        #expect(bench.endSession().count == 1)
        #expect(bench.queue.session == nil)
        #expect(bench.queue.endedSession?.session.account == Samples.anna)
        #expect(bench.endSession().isEmpty)
        bench.logIn(Samples.bert)
        #expect(bench.queue.endedSession == nil)
        bench.logIn(nil)
        #expect(bench.queue.endedSession == nil)
    }

    @Test("Work of the ended session comes before what belongs to nobody, after a snapshot too")
    func endedWork() throws {
        var bench = Bench.busy()
        let own = [bench.add(), bench.add(Samples.book)]
        bench.start()
        bench.endSession()
        let unowned = bench.add()
        var copy = PaymentQueue()
        try bench.queue.snapshotItems { try copy.load($0) }
        for queue in [bench.queue, copy] {
            var all: [TransactionID] = []
            var position: UInt64 = 0
            for _ in 1...4 {
                queue.forEachUnfinished(after: position, withEnded: true) { transaction, place, _ in
                    all.append(transaction.id)
                    position = place
                    return false
                }
            }
            #expect(all == own + [unowned])
            #expect(queue.openCounts.unfinished == 3)
            #expect(queue.visibleCounts.unfinished == 1)
            #expect(queue.waitingCounts == [.login: 3])
        }
    }

    @Test("What was accepted while logged out belongs to whoever logs in, behind the rest")
    func claims() throws {
        var bench = Bench()
        bench.logIn(Samples.anna)
        let own = bench.add()
        bench.logIn(nil)
        let unowned = [bench.add(), bench.add(Samples.book)]
        #expect(bench.unfinished == unowned)
        bench.logIn(Samples.anna)
        #expect(bench.unfinished == [own] + unowned)
        for id in unowned { #expect(bench.queue.transaction(id)?.account == Samples.anna) }
        bench.logIn(nil)
        #expect(bench.unfinished.isEmpty)
        bench.logIn(Samples.bert)
        #expect(bench.unfinished.isEmpty)
    }

    @Test("Claiming is no record of its own and leaves the revision alone")
    func claimIsSilent() throws {
        var bench = Bench()
        let id = bench.add()
        let before = try #require(bench.queue.transaction(id))
        #expect(bench.logIn(Samples.anna).count == 1)
        let after = try #require(bench.queue.transaction(id))
        #expect(after.revision == before.revision)
        #expect(after.updatedAt == before.updatedAt)
    }

    @Test("What was withdrawn while logged out is remembered by whoever logs in")
    func claimsFinished() throws {
        var bench = Bench()
        let id = bench.add(key: "k")
        try bench.finish(id)
        #expect(bench.finished == [id])
        bench.logIn(Samples.anna)
        #expect(bench.finished == [id])
        #expect(try bench.finish(id) == .alreadyFinished)
        bench.logIn(Samples.bert)
        #expect(bench.finished.isEmpty)
    }

    @Test("Claimed transactions are sent, counted and block like any other")
    func claimedWork() {
        var bench = Bench()
        bench.queue.activeObservers.everything = true
        let book = bench.add(Samples.book)
        let coins = bench.add()
        bench.logIn(Samples.anna)
        #expect(bench.queue.visibleCounts.waiting == 2)
        #expect(bench.refusal(of: Samples.book) == .alreadyLive(book, .purchasing))
        bench.start()
        #expect(bench.queue.visibleCounts.submitted == 2)
        #expect(bench.state(book) == .submitted)
        #expect(bench.state(coins) == .submitted)
    }

    @Test("Pages begin behind a position and see each transaction once")
    func pages() throws {
        var bench = Bench.busy()
        var ids = (1...50).map { _ in bench.add() }
        for index in [49, 30, 10, 0] { try bench.finish(ids.remove(at: index)) }
        var seen: [TransactionID] = []
        var position: UInt64 = 0
        while true {
            var page: [TransactionID] = []
            bench.queue.forEachUnfinished(after: position) { transaction, place, _ in
                page.append(transaction.id)
                position = place
                return page.count < 7
            }
            guard !page.isEmpty else { break }
            seen += page
        }
        #expect(seen == ids)
    }

    @Test("The newest event of a transaction is the last that observers hear of")
    func newestEvent() throws {
        var (bench, id) = Stage.purchased.bench()
        let newest = bench.queue.head
        try bench.finish(id)
        var seen: SequenceNumber = 0
        bench.queue.forEachUnfinished { _, _, sequence in
            seen = sequence
            return true
        }
        #expect(seen == newest)
        #expect(bench.queue.head == newest + 1)
    }

    @Test("What left the queue is listed in the order of leaving")
    func finishedOrder() throws {
        var bench = Bench.busy()
        let ids = (1...5).map { _ in bench.add() }
        for index in [3, 0, 4] { try bench.finish(ids[index]) }
        #expect(bench.finished == [ids[3], ids[0], ids[4]])
    }
}

@Suite("Forgetting")
struct ForgetTests {
    @Test("Only what was finished before the moment is forgotten")
    func edge() throws {
        var bench = Bench.busy()
        let ids = (1...4).map { _ in bench.add() }
        for id in ids[..<3] { try bench.finish(id) }
        let second = try #require(bench.queue.finish(of: ids[1])).time
        bench.forget(before: second)
        #expect(bench.finished == [ids[1], ids[2]])
        #expect(bench.unfinished == [ids[3]])
        #expect(bench.queue.transaction(ids[0]) == nil)
    }

    @Test("Forgetting nothing is no event")
    func nothing() throws {
        var bench = Bench.busy()
        let id = bench.add()
        #expect(bench.forget(before: bench.time.advanced(bySeconds: 1000)).isEmpty)
        try bench.finish(id)
        let time = try #require(bench.queue.finish(of: id)).time
        #expect(bench.forget(before: time).isEmpty)
        #expect(bench.forget(before: Timestamp(milliseconds: time.milliseconds + 1)).count == 1)
        #expect(bench.forget(before: bench.time.advanced(bySeconds: 1000)).isEmpty)
    }

    @Test("Every account's and nobody's finished transactions are forgotten")
    func accounts() throws {
        var bench = Bench()
        try bench.finish(bench.add())
        for account in [Samples.anna, Samples.bert] {
            bench.logIn(account)
            try bench.finish(bench.add())
        }
        bench.logIn(nil)
        try bench.finish(bench.add())
        #expect(bench.forget(before: bench.time.advanced(bySeconds: 1)).count == 1)
        for number in 1...4 as ClosedRange<UInt64> {
            #expect(bench.queue.transaction(Samples.transaction(number)) == nil)
        }
    }

    @Test("Room that was forgotten is used again without mixing anything up")
    func reuse() throws {
        var bench = Bench.busy()
        var living: [TransactionID] = []
        for round in 0..<40 {
            let ids = (0..<50).map { bench.add(key: OpaqueText("\(round)/\($0)")) }
            for id in ids.dropLast() { try bench.finish(id) }
            living.append(ids[49])
            bench.forget(before: bench.time.advanced(bySeconds: 1))
        }
        #expect(bench.unfinished == living)
        #expect(bench.finished.isEmpty)
        #expect(bench.queue.visibleCounts.waiting == 40)
    }
}
