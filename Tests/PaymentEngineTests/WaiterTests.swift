import PaymentCore
import PaymentEngine
import PaymentTesting
import Testing

@Suite("Waiting calls")
struct WaiterTests {
    @Test("Waiting ends in the turn that brings the state, with whether it was the one asked for")
    func later() {
        let bench = EngineBench.busy()
        let id = bench.addMany(1)[0]
        var answers: [Bool] = []
        let start = bench.engine.reader.wait(for: id, until: .settled) { answers.append($0) }
        guard case .later = start else {
            Issue.record("there was something to wait for")
            return
        }
        bench.run()
        #expect(answers.isEmpty)
        bench.gateway.end()
        bench.run()
        #expect(answers == [true])
        bench.finish(id)
        bench.gateway.endAll()
        #expect(answers == [true])
    }

    @Test("What is so already is not waited for")
    func now() {
        let bench = EngineBench.busy()
        let id = bench.addMany(1)[0]
        let removal = WaitCondition(phases: [], removal: true)
        let purchasing = WaitCondition(phases: [.purchasing], removal: false)
        func start(_ condition: WaitCondition, _ id: TransactionID) -> WaitStart {
            bench.engine.reader.wait(for: id, until: condition) { _ in }
        }
        #expect(start(purchasing, id) == .now(reached: true))
        #expect(start(.settled, Samples.transaction(404)) == .now(reached: false))
        bench.gateway.end()
        bench.run()
        #expect(start(.settled, id) == .now(reached: true))
        bench.finish(id)
        bench.gateway.endAll()
        #expect(start(.settled, id) == .now(reached: false))
        #expect(start(removal, id) == .now(reached: true))
    }

    @Test(
        "Leaving the queue ends every waiting; only who asked for it has reached it",
        arguments: [
            true, false,
        ])
    func removed(isAskedFor: Bool) {
        let bench = EngineBench()
        let id = bench.addMany(1)[0]
        var answers: [Bool] = []
        let condition = WaitCondition(phases: [.purchased], removal: isAskedFor)
        _ = bench.engine.reader.wait(for: id, until: condition) { answers.append($0) }
        bench.finish(id)
        #expect(answers.isEmpty)
        bench.run()
        #expect(answers == [isAskedFor])
    }

    @Test("A waiting that was cancelled is never answered")
    func cancelled() {
        let bench = EngineBench()
        let id = bench.addMany(1)[0]
        var answers = 0
        let condition = WaitCondition(phases: [], removal: true)
        let first = bench.engine.reader.wait(for: id, until: condition) { _ in answers += 1 }
        _ = bench.engine.reader.wait(for: id, until: condition) { _ in answers += 10 }
        guard case .later(let number) = first else {
            Issue.record("there was something to wait for")
            return
        }
        bench.engine.reader.cancel(number)
        let record = bench.engine.reader.waitForRecord(after: bench.engine.durableHead) {
            answers += 100
        }
        bench.engine.reader.cancel(record)
        bench.finish(id)
        bench.run()
        #expect(answers == 10)
    }

    @Test("Whoever is told of a record may wait for the next one at once")
    func waitAgain() {
        let bench = EngineBench()
        bench.logIn()
        var heard = 0
        func listen() {
            _ = bench.engine.reader.waitForRecord(after: bench.engine.durableHead) {
                heard += 1
                listen()
            }
        }
        listen()
        for _ in 1...5 { bench.addMany(3) }
        #expect(heard == 5)
    }

    @Test("Whoever is told of a transaction may wait for it again at once")
    func waitAgainForTransaction() {
        let bench = EngineBench.busy()
        let id = bench.add().transaction.id
        let removal = WaitCondition(phases: [], removal: true)
        var answers: [Bool] = []
        _ = bench.engine.reader.wait(for: id, until: .settled) { reached in
            answers.append(reached)
            _ = bench.engine.reader.wait(for: id, until: removal) { answers.append($0) }
        }
        bench.run()
        bench.gateway.end()
        bench.run()
        bench.finish(id)
        bench.gateway.endAll()
        #expect(answers == [true, true])
    }
}
