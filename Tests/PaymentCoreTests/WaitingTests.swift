import PaymentCore
import PaymentTesting
import Testing

@Suite("What a transaction waits for")
struct WaitingTests {
    /// Who is there, and what a waiting transaction for coins then waits for.
    struct Situation: Sendable, CustomTestStringConvertible {
        var account: AccountName?
        var activeObservers: ActiveObservers
        var expected: WaitingFor
        var testDescription: String
    }

    static let situations = [
        Situation(
            account: nil, activeObservers: ActiveObservers(), expected: .login,
            testDescription: "nobody at all: login comes before observer"),
        Situation(
            account: nil, activeObservers: ActiveObservers(everything: true), expected: .login,
            testDescription: "an observer, nobody logged in"),
        Situation(
            account: Samples.anna, activeObservers: ActiveObservers(), expected: .observer,
            testDescription: "no observer"),
        Situation(
            account: Samples.anna, activeObservers: ActiveObservers(products: [Samples.book]),
            expected: .observer, testDescription: "an observer of another product"),
        Situation(
            account: Samples.anna, activeObservers: ActiveObservers(products: [Samples.coins]),
            expected: .store, testDescription: "an observer of this product"),
        Situation(
            account: Samples.anna, activeObservers: ActiveObservers(everything: true),
            expected: .store,
            testDescription: "an observer of everything"),
    ]

    @Test("A waiting transaction names what is missing", arguments: situations)
    func waiting(_ situation: Situation) {
        var bench = Bench()
        let id = bench.add()
        if let account = situation.account { bench.logIn(account) }
        bench.queue.activeObservers = situation.activeObservers
        #expect(bench.waitingFor(id) == situation.expected)
        #expect(bench.queue.waitingCounts == [situation.expected: 1])
    }

    @Test("What belongs to another account waits for its login")
    func otherAccount() {
        var bench = Bench.busy()
        let id = bench.add()
        bench.logIn(Samples.bert)
        #expect(bench.waitingFor(id) == .login)
        #expect(bench.queue.waitingCounts.isEmpty)
    }

    static let stages: [(Stage, WaitingFor?)] = [
        (.waiting, .store), (.gated, .gate), (.submitted, .store), (.deferred, .approval),
        (.purchased, nil),
        (.completing, nil), (.restored, nil), (.failed, nil), (.removed, nil),
    ]

    @Test("Only a purchasing transaction waits, and then for somebody", arguments: stages)
    func stage(_ stage: Stage, expected: WaitingFor?) {
        let (bench, id) = stage.bench()
        #expect(bench.waitingFor(id) == expected)
    }

    @Test("The counts add up over every transaction that the session sees")
    func counts() {
        var bench = Bench.busy()
        let deferred = bench.add()
        bench.start()
        bench.resolve(deferred, .deferred(order: Samples.order(1)))
        bench.add(Samples.pass)
        bench.start()
        bench.queue.activeObservers = ActiveObservers(products: [Samples.book])
        bench.add(Samples.book)
        bench.add(Samples.coins)
        bench.add(Samples.coins)
        #expect(bench.queue.waitingCounts == [.approval: 1, .store: 2, .observer: 2])
        #expect(bench.queue.visibleCounts.unfinished == 5)
        bench.logIn(Samples.bert)
        #expect(bench.queue.waitingCounts.isEmpty)
        #expect(bench.queue.visibleCounts == StateCounts())
        #expect(bench.queue.unfinishedCount == 5)
    }
}
