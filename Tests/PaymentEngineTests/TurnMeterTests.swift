import PaymentCore
import PaymentEngine
import PaymentTesting
import Testing

@Suite("The measures of a turn")
struct TurnMeterTests {
    private struct Example: Equatable {
        var measure: EngineMeter.Measure
        var duration: Duration
        var trace: OpaqueText
    }

    private func add(_ bench: EngineBench, _ trace: OpaqueText?) throws {
        let origin = Origin(uid: 1000, connection: 7, request: 1, trace: trace)
        _ = try bench.engine.commands.add(
            AddRequest(productIdentifier: Samples.coins), origin: origin)
    }

    @Test("The activity is a turn, a sync within it, or something else")
    func activity() {
        let bench = EngineBench.busy()
        let meter = bench.engine.turn.meter
        var seen: [EngineMeter.Activity] = []
        bench.journal.onAppend = { _ in seen.append(meter.activity) }
        bench.journal.onCommit = { _ in seen.append(meter.activity) }
        let reply = Replier()
        reply.onRelease = { seen.append(meter.activity) }
        bench.add()
        #expect(seen.allSatisfy { $0 == .other })
        bench.engine.turn.join(reply)
        bench.run()
        // The start of the order, the commit and the reply.
        #expect(seen.suffix(3) == [.turn, .sync, .turn])
        #expect(meter.activity == .other)
    }

    @Test("While the log is about to answer a commit or a probe, the thread does something else")
    func later() {
        let bench = EngineBench.busy()
        let meter = bench.engine.turn.meter
        var seen: [EngineMeter.Activity] = []
        var answer: () -> Void = {}
        bench.journal.later = {
            seen.append(meter.activity)
            answer = $0
        }
        let reply = Replier()
        reply.onRelease = { seen.append(meter.activity) }
        func expectLateAnswer(_ what: String) {
            seen = []
            bench.engine.turn.join(reply)
            bench.run()
            #expect(seen == [.sync], "\(what)")
            #expect(meter.activity == .other, "\(what)")
            answer()
            #expect(seen == [.sync, .turn], "\(what)")
            #expect(meter.activity == .other, "\(what)")
        }
        bench.add()
        expectLateAnswer("commit")
        bench.engine.takeTurn()
        bench.run()
        bench.engine.takeTurn()
        expectLateAnswer("probe")
    }

    @Test("An idle mark counts as a sync")
    func idleMark() {
        let bench = EngineBench.busy()
        let meter = bench.engine.turn.meter
        bench.addMany(1)
        bench.journal.failsIdleMarks = true
        var seen: EngineMeter.Activity?
        bench.onFailure = { seen = meter.activity }
        bench.loop.advance(by: .seconds(1))
        #expect(seen == .sync)
        #expect(meter.activity == .other)
    }

    @Test("The last trace of a turn comes with the times of its sync and of all of it")
    func example() throws {
        let bench = EngineBench.busy()
        bench.loop.advance(by: .seconds(10))
        var answer: () -> Void = {}
        bench.journal.later = { answer = $0 }
        var examples: [Example] = []
        bench.engine.turn.hooks.exemplify = { measure, duration, trace in
            examples.append(Example(measure: measure, duration: duration, trace: trace))
        }
        for trace in ["first", "last", nil] as [OpaqueText?] { try add(bench, trace) }
        bench.loop.advance(by: .seconds(3))
        answer()
        let expected = [EngineMeter.Measure.sync, .turn].map { measure in
            Example(measure: measure, duration: .seconds(3), trace: "last")
        }
        #expect(examples == expected)
        for _ in 1...3 {
            try add(bench, nil)
            bench.run()
            answer()
        }
        #expect(examples == expected)
    }
}
