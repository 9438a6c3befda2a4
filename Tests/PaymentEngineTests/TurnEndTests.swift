import PaymentCore
import PaymentEngine
import PaymentTesting
import Testing

@Suite("The end of a turn")
struct TurnEndTests {
    /// The answers of a log that answers later.
    private final class Answers {
        private var waiting: [() -> Void] = []

        init(of bench: EngineBench) {
            bench.journal.later = { [unowned self] in waiting.append($0) }
        }

        func give() {
            guard !waiting.isEmpty else {
                Issue.record("the log has nothing to answer")
                return
            }
            waiting.removeFirst()()
        }
    }

    /// A connection that records the calls of its barrier.
    private final class Connection: Barrier {
        private(set) var told: [String] = []

        func turnIsSealed() { told.append("sealed") }
        func turnIsCommitted() { told.append("committed") }
    }

    @Test("Commands that are read together end in one turn")
    func oneTurn() {
        let bench = EngineBench.busy()
        let turns = bench.engine.turns
        for _ in 1...3 { bench.add() }
        bench.run()
        #expect(bench.engine.turns == turns + 1)
    }

    @Test("Starts take one slice of a turn; the rest follows after the sockets were polled")
    func slice() {
        let bench = EngineBench.busy()
        bench.loop.lookTakes = .microseconds(200)
        var starts: [Int] = []
        bench.journal.onCommit = { records in
            starts.append(records.count { $0.startedOrder != nil })
        }
        for _ in 1...10 { bench.add() }
        bench.run()
        #expect(starts.allSatisfy { $0 <= 3 }, "\(starts)")
        #expect(starts.reduce(0, +) == 10)
    }

    @Test("Questions end before orders start")
    func questionsFirst() throws {
        let bench = EngineBench.busy()
        let agent = bench.agent([.payment])
        bench.addMany(1)
        #expect(bench.question != nil)
        let id = bench.add().transaction.id
        bench.engine.subscriptions.unsubscribe(agent)
        bench.run()
        let closing = bench.journal.durable.firstIndex { record in
            if case .questionClosed = record.event { true } else { false }
        }
        let start = bench.journal.durable.firstIndex { $0.startedOrder == id }
        let (end, beginning) = (try #require(closing), try #require(start))
        #expect(end < beginning)
    }

    @Test("A payment that is added at the end of a wait starts without another call")
    func addedByAnswer() {
        let bench = EngineBench.busy()
        let id = bench.addMany(1)[0]
        _ = bench.engine.reader.wait(for: id, until: .settled) { _ in bench.add() }
        bench.gateway.end()
        bench.run()
        #expect(bench.gateway.submissions.count == 2)
    }

    @Test("A call of the store that had to wait for a commit is made once")
    func effects() {
        let bench = EngineBench.busy()
        bench.gateway.store.mood = .deferring
        let id = bench.addMany(1)[0]
        bench.gateway.endAll()
        bench.engine.store.didChange(.orders(Samples.anna))
        bench.gateway.endAll()
        #expect(bench.state(id) == .deferred)
        #expect(bench.gateway.submissions.count == 2)
        for _ in 1...4 {
            bench.engine.turn.join(Replier())
            bench.run()
        }
        #expect(bench.gateway.submissions.count == 2)
    }

    @Test("The time of the last commit is that of its last record, and empty turns keep it")
    func lastCommit() {
        let bench = EngineBench.busy()
        bench.addMany(2)
        let last = bench.journal.durable.last?.time
        #expect(bench.engine.turn.lastCommit == last)
        bench.engine.takeTurn()
        bench.run()
        #expect(bench.engine.turn.lastCommit == last)
    }

    @Test("A barrier is told of each seal, and once of each commit")
    func barriers() {
        let bench = EngineBench.busy()
        let answers = Answers(of: bench)
        let (early, late) = (Connection(), Connection())
        bench.add()
        bench.engine.turn.join(early)
        bench.run()
        #expect(early.told == ["sealed"])
        bench.engine.turn.join(late)
        bench.run()
        #expect(late.told.isEmpty)
        answers.give()
        #expect(early.told == ["sealed", "committed"])
        #expect(late.told == ["committed"])
        bench.engine.takeTurn()
        bench.run()
        #expect(late.told == ["committed"])
        // Nothing was synced since, so that this turn probes the storage.
        bench.engine.turn.join(late)
        bench.engine.takeTurn()
        bench.run()
        #expect(late.told == ["committed", "sealed"])
        answers.give()
        #expect(late.told == ["committed", "sealed", "committed"])
    }

    @Test("A mark that is due while the storage is probed follows when it has answered")
    func lateMark() {
        let bench = EngineBench.busy()
        bench.loop.advance(by: .seconds(1))
        bench.add()
        bench.run()
        bench.engine.takeTurn()
        bench.run()
        let marks = bench.journal.idleMarks
        let answers = Answers(of: bench)
        bench.engine.takeTurn()
        bench.loop.advance(by: .milliseconds(60))
        #expect(bench.journal.idleMarks == marks)
        answers.give()
        bench.loop.advance(by: .milliseconds(50))
        #expect(bench.journal.idleMarks == marks + 1)
    }

    @Test("Hooks hear of batches with records, and of each turn that is not for the watchdog alone")
    func hooks() {
        let bench = EngineBench.busy()
        var batches: [Int] = []
        var changes = 0
        bench.engine.turn.hooks.onCommitted = { batches.append($0.count) }
        bench.engine.turn.hooks.didChange = { changes += 1 }
        bench.add(key: "k")
        bench.run()
        #expect(batches.count == 1 && changes == 1)
        bench.add(key: "k")
        bench.engine.turn.join(Replier())
        bench.run()
        #expect(batches.count == 1 && changes == 2)
        for _ in 1...2 {
            bench.engine.takeTurn()
            bench.run()
        }
        #expect(batches.count == 1 && changes == 2)
        bench.add()
        bench.engine.takeTurn()
        bench.run()
        #expect(batches.count == 2 && changes == 3)
        #expect(batches.allSatisfy { $0 > 0 })
    }
}

@Suite("An engine that stops or fails")
struct EngineEndTests {
    @Test("A stop releases replies, tells each caller once and marks the log once")
    func stop() {
        let bench = EngineBench.busy()
        bench.loop.advance(by: .seconds(1))
        let marks = bench.journal.idleMarks
        var happened: [String] = []
        let reply = Replier()
        reply.onRelease = { happened.append("reply") }
        bench.engine.turn.join(reply)
        for caller in ["first", "second"] { bench.engine.stop { happened.append(caller) } }
        bench.run()
        #expect(happened == ["reply", "first", "second"])
        #expect(!bench.engine.isRunning)
        #expect(bench.journal.idleMarks == marks + 1)
        #expect(bench.failures.isEmpty)
    }

    @Test("A stop from within a release commits and releases nothing twice")
    func stopWithinRelease() {
        let bench = EngineBench.busy()
        let target = RecordingTarget()
        bench.engine.start(observer: target)
        bench.run()
        target.clear()
        let commits = bench.journal.commits.count
        var (releases, stops) = (0, 0)
        let reply = Replier()
        reply.onRelease = {
            releases += 1
            if releases == 1 { bench.engine.stop { stops += 1 } }
        }
        let id = bench.add().transaction.id
        bench.engine.turn.join(reply)
        bench.run()
        #expect(releases == 1 && stops == 1)
        #expect(target.deliveries.count == 2)
        #expect(bench.journal.commits.count == commits + 1)
        #expect(bench.restarted().state(id) == .submitted)
    }

    @Test("After a stop no question times out, and nothing is recorded")
    func deadlines() {
        let (bench, _) = EngineBench.asking()
        let id = bench.addAndMove()
        #expect(bench.question?.deadline != nil)
        bench.engine.stop()
        bench.loop.advance(by: .seconds(60))
        #expect(bench.state(id) == .gated)
        #expect(bench.journal.batch.isEmpty)
    }

    @Test("A commit that is answered after a failure releases nothing")
    func lateAnswer() {
        let bench = EngineBench.busy()
        var answer: () -> Void = {}
        bench.journal.later = { answer = $0 }
        let durableHead = bench.engine.durableHead
        let reply = Replier()
        bench.add()
        bench.engine.turn.join(reply)
        bench.run()
        bench.engine.fail(JournalFailure("the disk is gone"))
        answer()
        bench.run()
        #expect(!reply.isReleased)
        #expect(bench.engine.durableHead == durableHead)
        #expect(bench.gateway.submissions.isEmpty)
    }

    @Test("After a failure the turn that is running does not end")
    func failedTurn() {
        let bench = EngineBench()
        let id = bench.addMany(1)[0]
        let removal = WaitCondition(phases: [], removal: true)
        var answers: [Bool] = []
        _ = bench.engine.reader.wait(for: id, until: removal) { answers.append($0) }
        bench.finish(id)
        let turns = bench.engine.turns
        bench.engine.fail(JournalFailure("the disk is gone"))
        bench.run()
        #expect(answers.isEmpty)
        #expect(bench.engine.turns == turns)
    }

    @Test("Of several failures the first is reported, after it was logged")
    func report() {
        let bench = EngineBench.busy()
        let failures = ["one", "two"].map { JournalFailure($0) }
        var logged: [String] = []
        bench.onFailure = { logged = bench.log.lines }
        for failure in failures { bench.engine.fail(failure) }
        #expect(bench.failures == [failures[0]])
        #expect(logged == ["critical: storage failed; stopping"])
        bench.onFailure = {}
    }

    @Test("An owner whose lease has ended sends no order, and stops for good")
    func lease() {
        let bench = EngineBench.busy()
        bench.add()
        bench.journal.holdsTerm = false
        bench.run()
        #expect(bench.gateway.submissions.isEmpty)
        #expect(bench.failures.count == 1)
        #expect(!bench.engine.isRunning)
    }
}
