@testable import PaymentCore
import PaymentTesting
import Testing

/// The legal steps, written down a second time: the rules that `apply` refuses by must agree.
@Suite("What may follow what")
struct TransitionTests {
    static let changes: [(String, TransactionChange)] = [
        ("added", .added(key: nil)), ("gated", .gated), ("submitted", .submitted(key: nil)),
        ("refreshed", .refreshed),
        ("deferred", .deferred), ("purchased", .purchased), ("failed", .failed),
        ("restored", .restored), ("completing", .completing),
        ("finished", .removed(.finished)), ("withdrawn", .removed(.withdrawn)),
        ("discardedByGate", .removed(.discardedByGate)),
        ("rejectedAfterLogin", .removed(.rejectedAfterLogin)), ("deleted", .removed(.deleted)),
    ]

    static let states: [(String, TransactionState)] = [
        ("waiting", .waiting), ("gated", .gated), ("submitted", .submitted),
        ("deferred", .deferred), ("purchased", .purchased), ("completing", .completing),
        ("restored", .restored), ("failed", .failed(.declined)),
    ]

    /// Change, state before, state after. `deleted` keeps the state, whatever it is.
    static let legal: Set<String> = [
        "gated waiting gated", "gated submitted gated", "refreshed gated waiting",
        "failed gated failed", "withdrawn gated gated", "discardedByGate gated gated",
        "discardedByGate submitted submitted", "deleted gated gated",
        "submitted waiting submitted",
        "refreshed waiting waiting", "refreshed submitted waiting",
        "deferred submitted deferred",
        "purchased submitted purchased", "purchased deferred purchased",
        // An earlier attempt was charged late.
        "purchased waiting purchased", "purchased gated purchased",
        "failed waiting failed", "failed submitted failed", "failed deferred failed",
        "completing purchased completing",
        "finished failed failed", "finished restored restored", "finished completing purchased",
        "withdrawn waiting waiting", "discardedByGate waiting waiting",
        "rejectedAfterLogin waiting waiting",
        "deleted waiting waiting", "deleted submitted submitted", "deleted deferred deferred",
        "deleted purchased purchased", "deleted completing completing",
        "deleted restored restored", "deleted failed failed",
    ]

    static let stages: [(String, Stage)] = [
        ("waiting", .waiting), ("gated", .gated), ("submitted", .submitted),
        ("deferred", .deferred), ("purchased", .purchased), ("completing", .completing),
        ("restored", .restored), ("failed", .failed), ("removed", .removed),
    ]

    private func isApplied(
        _ change: TransactionChange, _ queue: inout PaymentQueue, _ next: Transaction
    ) -> Bool {
        let record = Record(
            sequence: queue.head + 1, time: Samples.noon, origin: nil,
            event: .transaction(change, next))
        do {
            try queue.apply(record)
            return true
        } catch {
            return false
        }
    }

    @Test(
        "Exactly the listed steps are applied, of all that can be written down", arguments: stages)
    func table(name: String, stage: Stage) throws {
        let (bench, id) = stage.bench()
        let last = try #require(bench.queue.transaction(id))
        for (changeName, change) in Self.changes {
            for (nextName, state) in Self.states {
                var next = last
                next.state = state
                next.revision += 1
                next.order = last.order ?? Samples.order(50)
                var queue = bench.queue
                let step = "\(changeName) \(name) \(nextName)"
                let isApplied = isApplied(change, &queue, next)
                #expect(isApplied == Self.legal.contains(step), "\(step)")
                if !isApplied { #expect(QueueView(queue) == QueueView(bench.queue), "\(step)") }
            }
        }
    }

    /// One way in which a record can contradict the transaction it is about.
    static let contradictions: [(String, @Sendable (inout Transaction) -> Void)] = [
        ("the same revision", { $0.revision -= 1 }),
        ("a revision left out", { $0.revision += 1 }),
        ("another account", { $0.account = Samples.bert }),
        ("nobody's account", { $0.account = nil }),
        (
            "another beginning",
            {
                $0 = Transaction(
                    id: $0.id, account: $0.account, payment: $0.payment, state: $0.state,
                    country: $0.country, reason: $0.reason, revision: $0.revision,
                    createdAt: Samples.noon.advanced(bySeconds: 9999), updatedAt: $0.updatedAt)
            }
        ),
        (
            "another id",
            {
                $0 = Transaction(
                    id: Samples.transaction(404), account: $0.account, payment: $0.payment,
                    state: $0.state, country: $0.country, reason: $0.reason,
                    revision: $0.revision, createdAt: $0.createdAt, updatedAt: $0.updatedAt)
            }
        ),
    ]

    @Test("A step that is legal but for one detail is refused", arguments: contradictions.indices)
    func contradiction(index: Int) throws {
        let (name, edit) = Self.contradictions[index]
        let (bench, id) = Stage.waiting.bench()
        var next = try #require(bench.queue.transaction(id))
        next.state = .submitted
        next.revision += 1
        var queue = bench.queue
        #expect(isApplied(.submitted(key: nil), &queue, next))
        edit(&next)
        queue = bench.queue
        #expect(!isApplied(.submitted(key: nil), &queue, next), "\(name)")
        #expect(QueueView(queue) == QueueView(bench.queue))
    }

    @Test("A purchase needs an order that is nobody else's, a deferral any order")
    func orders() throws {
        var (bench, first) = Stage.purchased.bench()
        let id = bench.add()
        bench.start()
        var next = try #require(bench.queue.transaction(id))
        next.revision += 1
        next.state = .purchased
        for (order, isLegal) in [(nil, false), (Samples.order(1), false), (Samples.order(2), true)]
        {
            next.order = order
            var queue = bench.queue
            #expect(isApplied(.purchased, &queue, next) == isLegal)
        }
        next.state = .deferred
        next.order = nil
        var queue = bench.queue
        #expect(!isApplied(.deferred, &queue, next))
        #expect(bench.queue.transaction(ofOrder: Samples.order(1)) == first)
    }

    /// One way in which a new transaction cannot be accepted.
    static let impossible: [(String, @Sendable (inout Transaction) -> Void)] = [
        ("not waiting", { $0.state = .submitted }),
        ("not the first revision", { $0.revision = 2 }),
        ("of another account than the session's", { $0.account = Samples.bert }),
        ("of nobody while somebody is logged in", { $0.account = nil }),
    ]

    @Test(
        "A transaction begins waiting, at revision 1, as the session's",
        arguments:
            impossible.indices)
    func acceptance(index: Int) throws {
        let (bench, id) = Stage.waiting.bench()
        let known = try #require(bench.queue.transaction(id))
        func fresh() -> Transaction {
            Transaction(
                id: Samples.transaction(404), account: Samples.anna, payment: known.payment,
                state: .waiting, country: known.country, reason: .purchase, revision: 1,
                createdAt: known.createdAt, updatedAt: known.updatedAt)
        }
        var queue = bench.queue
        #expect(isApplied(.added(key: nil), &queue, fresh()))
        #expect(!isApplied(.added(key: nil), &queue, fresh()), "the same id twice")
        queue = bench.queue
        #expect(!isApplied(.added(key: "the key"), &queue, fresh()), "a key that is taken")
        var wrong = fresh()
        Self.impossible[index].1(&wrong)
        queue = bench.queue
        #expect(!isApplied(.added(key: nil), &queue, wrong), "\(Self.impossible[index].0)")
        #expect(QueueView(queue) == QueueView(bench.queue))
    }

    @Test("Records come in order, with or without holes, and none comes twice")
    func sequence() throws {
        var queue = PaymentQueue()
        func record(_ sequence: SequenceNumber, _ event: Event) -> Record {
            Record(sequence: sequence, time: Samples.noon, origin: nil, event: event)
        }
        try queue.apply(record(5, .started(incarnation: 1)))
        #expect(throws: IllegalRecord.self) { try queue.apply(record(5, .countryAssumed(nil))) }
        #expect(throws: IllegalRecord.self) { try queue.apply(record(4, .countryAssumed(nil))) }
        #expect(throws: IllegalRecord.self) {
            try queue.apply(record(6, .started(incarnation: 1)))
        }
        try queue.apply(record(9, .started(incarnation: 2)))
        #expect(queue.head == 9)
        #expect(queue.incarnation == 2)
    }

    @Test("Products are numbered without a gap, and a session follows from the one before")
    func others() throws {
        var bench = Bench.busy()
        bench.add()
        let product = Samples.product(Samples.pass, .nonRenewingSubscription)
        for (number, isLegal) in [(0, false), (1, false), (3, false), (2, true)] {
            var queue = bench.queue
            let recorded = RecordedProduct(
                number: UInt32(number), product: product, country: Samples.germany)
            let record = Record(
                sequence: queue.head + 1, time: Samples.noon, origin: nil,
                event: .productRecorded(recorded))
            let isApplied = (try? queue.apply(record)) != nil
            #expect(isApplied == isLegal, "product \(number)")
        }
        var queue = bench.queue
        let session = Session(account: Samples.bert, country: Samples.france)
        #expect(throws: IllegalRecord.self) {
            try queue.apply(
                Record(
                    sequence: queue.head + 1, time: Samples.noon, origin: nil,
                    event: .sessionChanged(from: nil, to: session)))
        }
    }
}
