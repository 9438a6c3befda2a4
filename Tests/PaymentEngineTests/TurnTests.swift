import PaymentCore
import PaymentEngine
import PaymentTesting
import Testing

@Suite("The turn")
struct TurnTests {
    @Test("Nothing is seen by anybody before the commit, and everything after it")
    func nothingBefore() {
        let bench = EngineBench.busy()
        let target = RecordingTarget()
        bench.engine.start(observer: target)
        bench.run()
        target.clear()
        let reply = Replier()
        let id = bench.add().transaction.id
        bench.engine.turn.join(reply)
        var seenAtCommit: [Bool] = []
        bench.journal.onCommit = { _ in
            seenAtCommit = [
                reply.isReleased, !target.deliveries.isEmpty, !bench.gateway.submissions.isEmpty,
            ]
        }
        #expect(!reply.isReleased)
        #expect(target.deliveries.isEmpty)
        bench.run()
        #expect(seenAtCommit == [false, false, false])
        #expect(reply.isReleased)
        #expect(target.deliveries.count == 2)
        #expect(bench.gateway.submissions.map(\.transaction) == [id])
    }

    @Test("Replies leave before events, and events before orders")
    func order() {
        let bench = EngineBench.busy()
        let target = RecordingTarget()
        bench.engine.start(observer: target)
        bench.run()
        var happened: [String] = []
        let reply = Replier()
        bench.journal.onCommit = { _ in happened.append("commit") }
        reply.onRelease = { happened.append("reply") }
        target.onDelivery = { _ in
            happened.append(bench.gateway.submissions.isEmpty ? "event" : "late event")
        }
        bench.add()
        bench.engine.turn.join(reply)
        bench.run()
        #expect(happened == ["commit", "reply", "event", "event"])
        #expect(bench.gateway.submissions.count == 1)
    }

    @Test("However many commands a turn has, it is one commit")
    func oneCommit() {
        let bench = EngineBench.busy()
        let before = bench.journal.commits.count
        for _ in 1...100 { bench.add() }
        bench.run()
        #expect(bench.journal.commits.count == before + 1)
        // One hundred acceptances, the product, and sixteen orders that may leave.
        #expect(bench.journal.commits.last == 117)
    }

    @Test("A turn that changes nothing commits nothing, but releases its replies")
    func emptyTurn() {
        let bench = EngineBench.busy()
        bench.add(key: "k")
        bench.run()
        let before = bench.journal.commits.count
        let turns = bench.engine.turns
        let reply = Replier()
        #expect(bench.add(key: "k").isDuplicate)
        bench.engine.turn.join(reply)
        bench.run()
        #expect(reply.isReleased)
        #expect(bench.journal.commits.count == before)
        #expect(bench.engine.turns == turns + 1)
    }

    @Test("What is asked from within a release belongs to the next turn")
    func reentrance() {
        let bench = EngineBench.busy()
        let first = Replier()
        let second = Replier()
        first.onRelease = {
            bench.add(key: "second")
            bench.engine.turn.join(second)
            #expect(!second.isReleased)
        }
        bench.add(key: "first")
        bench.engine.turn.join(first)
        let before = bench.journal.commits.count
        bench.run()
        #expect(second.isReleased)
        #expect(bench.journal.commits.count == before + 2)
        #expect(bench.failures.isEmpty)
    }

    @Test("Several barriers are released in the order of joining, each once per turn")
    func barriers() {
        let bench = EngineBench()
        var released: [Int] = []
        let repliers = (0..<5).map { number in
            let replier = Replier()
            replier.onRelease = { released.append(number) }
            return replier
        }
        for replier in repliers { bench.engine.turn.join(replier) }
        bench.run()
        bench.run()
        #expect(released == [0, 1, 2, 3, 4])
    }

    @Test(
        "A commit that fails is reported once, and nothing of the turn is ever seen",
        arguments: [
            RecordingJournal.Ending.failed, .torn(1), .fenced,
        ])
    func failedCommit(ending: RecordingJournal.Ending) {
        let bench = EngineBench.busy()
        let target = RecordingTarget()
        bench.engine.start(observer: target)
        bench.run()
        target.clear()
        let durableHead = bench.engine.durableHead
        bench.journal.ending = { _ in ending }
        let reply = Replier()
        bench.add()
        bench.engine.turn.join(reply)
        bench.run()
        #expect(bench.failures.count == 1)
        let late = Replier()
        bench.engine.turn.join(late)
        bench.engine.start(observer: target)
        bench.engine.stop()
        bench.loop.advance(by: .seconds(100))
        #expect(bench.failures.count == 1)
        #expect(!reply.isReleased)
        #expect(!late.isReleased)
        #expect(target.deliveries.isEmpty)
        #expect(bench.gateway.submissions.isEmpty)
        #expect(bench.engine.durableHead == durableHead)
    }

    @Test("While a commit is under way the next batch collects, and neither is seen before its own")
    func lateCommit() {
        let bench = EngineBench.busy()
        let target = RecordingTarget()
        bench.engine.start(observer: target)
        bench.run()
        target.clear()
        var commits: [() -> Void] = []
        bench.journal.later = { commits.append($0) }
        let first = Replier()
        let second = Replier()
        let before = bench.engine.durableHead
        let id = bench.add().transaction.id
        bench.engine.turn.join(first)
        bench.run()
        let proposed = bench.engine.queue.head
        let other = bench.add().transaction.id
        bench.engine.turn.join(second)
        bench.run()
        #expect(commits.count == 1)
        #expect(bench.engine.durableHead == before)
        #expect(!first.isReleased && target.deliveries.isEmpty)
        #expect(bench.gateway.submissions.isEmpty)

        commits[0]()
        #expect(first.isReleased)
        #expect(!second.isReleased)
        #expect(bench.engine.durableHead == proposed)
        #expect(bench.gateway.submissions.map(\.transaction) == [id])
        bench.run()
        #expect(commits.count == 2)
        #expect(!second.isReleased)

        commits[1]()
        bench.run()
        #expect(second.isReleased)
        #expect(bench.gateway.submissions.map(\.transaction) == [id, other])
    }

    @Test("An order that was about to be asked for again stays here when the commit fails")
    func failedCommitWithEffects() {
        let bench = EngineBench.busy()
        let id = bench.addMany(1)[0]
        bench.gateway.end(as: .answered)
        bench.run()
        #expect(bench.state(id)?.phase == .purchased)
        bench.engine.store.sessions.logOut(origin: nil)
        bench.run()
        bench.journal.ending = { _ in .failed }
        bench.finish(id)
        bench.gateway.isAnswering = true
        bench.engine.store.sessions.logIn(account: Samples.anna, credential: nil, origin: nil) {
            _ in
        }
        bench.run()
        #expect(bench.failures.count == 1)
        #expect(bench.gateway.completions.isEmpty)
    }

    @Test("The journal is marked idle a moment after the last record, once")
    func idleMark() {
        let bench = EngineBench.busy()
        bench.loop.advance(by: .seconds(1))
        let marks = bench.journal.idleMarks
        bench.add()
        bench.run()
        bench.loop.advance(by: .milliseconds(30))
        bench.add()
        bench.run()
        bench.loop.advance(by: .milliseconds(49))
        #expect(bench.journal.idleMarks == marks)
        bench.loop.advance(by: .milliseconds(1))
        #expect(bench.journal.idleMarks == marks + 1)
        bench.loop.advance(by: .seconds(10))
        #expect(bench.journal.idleMarks == marks + 1)
    }

    @Test("A mark that fails stops the engine like a commit that fails")
    func failedMark() {
        let bench = EngineBench.busy()
        bench.add()
        bench.run()
        bench.journal.failsIdleMarks = true
        bench.loop.advance(by: .seconds(1))
        #expect(bench.failures.count == 1)
        let reply = Replier()
        bench.add()
        bench.engine.turn.join(reply)
        bench.run()
        #expect(!reply.isReleased)
        #expect(bench.failures.count == 1)
    }

    @Test("A turn for the watchdog syncs once, unless something was synced since the last of them")
    func askedDisk() {
        let bench = EngineBench.busy()
        bench.engine.takeTurn()
        bench.run()
        let syncs = bench.journal.syncs
        bench.engine.takeTurn()
        bench.run()
        #expect(bench.journal.syncs == syncs + 1)
        bench.add()
        bench.run()
        bench.engine.takeTurn()
        bench.run()
        #expect(bench.journal.syncs == syncs + 1)
        bench.engine.takeTurn()
        bench.run()
        #expect(bench.journal.syncs == syncs + 2)
    }

    @Test("A disk that fails an idle engine stops it, and nothing leaves any more")
    func failedDisk() {
        let bench = EngineBench.busy()
        bench.engine.takeTurn()
        bench.run()
        bench.journal.failsSyncs = true
        let reply = Replier()
        bench.engine.turn.join(reply)
        bench.engine.takeTurn()
        bench.run()
        #expect(bench.failures.count == 1)
        #expect(!reply.isReleased)
    }

    @Test("A clean stop writes the rest of the turn and marks the journal idle")
    func stop() {
        let bench = EngineBench.busy()
        let reply = Replier()
        bench.loop.advance(by: .seconds(1))
        let marks = bench.journal.idleMarks
        let id = bench.add().transaction.id
        bench.engine.turn.join(reply)
        bench.engine.stop()
        #expect(reply.isReleased)
        #expect(bench.journal.batch.isEmpty)
        #expect(bench.journal.idleMarks == marks + 1)
        #expect(bench.restarted().state(id) != nil)
    }

    @Test(
        "A clean stop commits a batch that another one keeps from the log, then tells every caller")
    func stopWithLateCommits() {
        let bench = EngineBench.busy()
        var commits: [() -> Void] = []
        bench.journal.later = { commits.append($0) }
        let replies = [Replier(), Replier()]
        bench.add()
        bench.engine.turn.join(replies[0])
        bench.run()
        let id = bench.add().transaction.id
        bench.engine.turn.join(replies[1])
        bench.run()
        var stops: [Int] = []
        for caller in 1...2 { bench.engine.stop { stops.append(caller) } }
        #expect(stops.isEmpty)
        commits[0]()
        #expect(replies.map(\.isReleased) == [true, false])
        #expect(stops.isEmpty)
        commits[1]()
        #expect(replies.map(\.isReleased) == [true, true])
        #expect(stops == [1, 2])
        #expect(bench.restarted().state(id) != nil)
    }

    @Test("A wait is answered in the batch that ends it, and its reply leaves before the events")
    func waitWithLateCommits() {
        let bench = EngineBench.busy()
        let target = RecordingTarget()
        bench.engine.start(observer: target)
        bench.run()
        let id = bench.addMany(1)[0]
        var happened: [String] = []
        let reply = Replier()
        reply.onRelease = { happened.append("reply") }
        target.onDelivery = { _ in happened.append("event") }
        _ = bench.engine.reader.wait(for: id, until: .settled) { _ in bench.engine.turn.join(reply)
        }
        var commits: [() -> Void] = []
        bench.journal.later = { commits.append($0) }
        bench.gateway.end()
        bench.run()
        // Something is proposed behind the batch that ends the wait.
        bench.add()
        bench.run()
        #expect(happened.isEmpty)
        commits[0]()
        #expect(happened.prefix(2) == ["reply", "event"])
    }

    @Test("Every start is counted and durable before anything else happens")
    func starts() {
        var bench = EngineBench()
        for start in 2...4 as ClosedRange<UInt64> {
            bench = bench.restarted()
            #expect(bench.engine.queue.incarnation == start)
        }
    }

    @Test("The durable head follows the journal, the queue runs ahead of it")
    func heads() {
        let bench = EngineBench.busy()
        let before = bench.engine.durableHead
        bench.add()
        #expect(bench.engine.durableHead == before)
        #expect(bench.engine.queue.head == before + 2)
        bench.run()
        #expect(bench.engine.durableHead == bench.journal.head)
        #expect(bench.engine.durableHead == bench.engine.queue.head)
    }
}
