@testable import PaymentCore
import PaymentTesting
import Testing

/// Keeps account of what was agreed about each transaction, and finds what was charged without.
struct Agreements {
    /// A price in a country.
    struct Terms: Hashable {
        var currency: String
        var amount: String
        var country: CountryCode

        init(_ product: RecordedProduct?, _ country: CountryCode?) {
            currency = product?.product.price.currencyCode ?? ""
            amount = product?.product.price.amount.text ?? ""
            self.country = country ?? Samples.norway
        }
    }

    private(set) var findings: [String] = []
    private var mode = GatePolicy().mode
    private var agreed: [TransactionID: Set<Terms>] = [:]
    private var refused: Set<TransactionID> = []
    private var questions: [QuestionID: Question] = [:]

    mutating func take(_ record: Record) {
        switch record.event {
        case .policyChanged(let policy): mode = policy.mode
        case .questionOpened(let question): questions[question.id] = question
        case .questionClosed(let closing):
            guard let question = questions[closing.id], let id = question.transaction else {
                return
            }
            if closing.value == true {
                agreed[id, default: []].insert(Terms(question.product, question.country))
            }
            if closing.value == false { refused.insert(id) }
        case .transaction(let change, let transaction): take(change, transaction)
        default: break
        }
    }

    private mutating func take(_ change: TransactionChange, _ transaction: Transaction) {
        let id = transaction.id
        let terms = Terms(transaction.payment.product, transaction.country)
        switch change {
        case .added: agreed[id] = [terms]
        case .refreshed where mode == .continue: agreed[id, default: []].insert(terms)
        case .refreshed, .submitted:
            if agreed[id]?.contains(terms) != true {
                findings.append("\(id) went on with \(terms), which nobody agreed to")
            }
            if refused.contains(id) { findings.append("\(id) went on after a no") }
        default: break
        }
    }
}

/// Lives with many questions, cut off behind any record and begun again.
@Suite("Torn batches", .ownThreads)
struct TornBatchTests {
    /// A life in batches of one or several commands.
    static func life(seed: UInt64, steps: Int = 150) -> (bench: Bench, batches: [Range<Int>]) {
        var dice = SeededGenerator(seed: seed)
        var limits = Limits()
        limits.ordersInFlight = 4
        var bench = Bench(limits: limits)
        bench.queue.activeObservers.everything = true
        var batches: [Range<Int>] = []
        var begin = 0
        for _ in 0..<steps {
            step(&bench, &dice)
            guard dice.chance(60), bench.records.count > begin else { continue }
            batches.append(begin..<bench.records.count)
            begin = bench.records.count
        }
        return (bench, batches)
    }

    private static func step(_ bench: inout Bench, _ dice: inout SeededGenerator) {
        let known = bench.unfinished
        switch dice.below(16) {
        case 0..<3:
            _ = try? bench.tryAdd(dice.pick([Samples.coins, Samples.pass]) ?? Samples.coins)
        case 3..<6: bench.start()
        case 6..<8:
            guard let id = dice.pick(known) else { return }
            let price = "\(dice.below(3) + 1).00"
            let product = bench.queue.transaction(id)?.payment.product.product.productIdentifier
            bench.resolve(
                id, .priceChanged(Samples.product(product ?? Samples.coins, .consumable, price)))
        case 8..<11:
            guard let question = dice.pick(bench.queue.visibleQuestions) else { return }
            _ = try? bench.answer(question.id, dice.chance(60))
        case 11:
            if let question = dice.pick(bench.queue.visibleQuestions) { bench.timeOut(question.id) }
        case 12..<14:
            let countries = [Samples.germany, Samples.france, Samples.norway]
            let account = dice.chance(80) ? Samples.anna : dice.pick([nil, Samples.bert]) ?? nil
            bench.move(account, to: dice.pick(countries))
        case 14:
            let modes = [GatePolicy.Mode.ask, .ask, .ask, .stop, .continue]
            bench.setPolicy(
                GatePolicy(mode: dice.pick(modes) ?? .ask, fallback: dice.chance(50)))
        default:
            if dice.chance(50) {
                if bench.queue.activeObservers.hasPaymentAgent {
                    bench.loseAgent()
                } else {
                    bench.queue.activeObservers.hasPaymentAgent = true
                }
            } else if let id = dice.pick(known) {
                _ = try? bench.finish(id)
            }
        }
    }

    @Test("A life charges nothing that nobody agreed to", arguments: 1...40)
    func life(seed: Int) {
        var agreements = Agreements()
        for record in Self.life(seed: UInt64(seed)).bench.records { agreements.take(record) }
        #expect(agreements.findings.isEmpty, "seed \(seed)")
    }

    @Test(
        "Cut off behind any record, what begins again holds back exactly what is asked about",
        arguments: 1...15)
    func everyPrefix(seed: Int) throws {
        let (life, batches) = Self.life(seed: UInt64(seed))
        for batch in batches {
            for cut in batch {
                var bench = try begun(again: life, upTo: cut)
                #expect(bench.review(afterStart: true).isEmpty, "seed \(seed) cut \(cut)")
                check(bench.queue, "seed \(seed) cut \(cut)")
                try goOn(&bench)
                var agreements = Agreements()
                for record in bench.records { agreements.take(record) }
                #expect(agreements.findings.isEmpty, "seed \(seed) cut \(cut)")
            }
        }
    }

    @Test("A snapshot of any moment has the same questions", arguments: 1...15)
    func snapshots(seed: Int) throws {
        let (life, batches) = Self.life(seed: UInt64(seed))
        let cut = batches[batches.count / 2].upperBound
        let early = try begun(again: life, upTo: cut).queue
        var queue = PaymentQueue(limits: early.limits)
        queue.activeObservers = early.activeObservers
        try early.snapshotItems { try queue.load($0) }
        queue.didLoad(upTo: early.head)
        #expect(QueueView(queue) == QueueView(early), "seed \(seed)")
        #expect(queue.visibleQuestions == early.visibleQuestions)
        var positions: [[SequenceNumber]] = [[], []]
        for (index, queue) in [early, queue].enumerated() {
            queue.forEachVisibleQuestion { _, opened in
                positions[index].append(opened)
                return true
            }
        }
        #expect(positions[0] == positions[1], "seed \(seed)")
    }

    /// A new process on the first records of a life.
    private func begun(again life: Bench, upTo cut: Int) throws -> Bench {
        var bench = Bench(limits: life.queue.limits)
        for record in life.records[..<cut] {
            try bench.queue.apply(record)
            bench.records.append(record)
        }
        bench.skipIDs(1000)
        bench.time = life.time
        bench.queue.activeObservers.everything = true
        bench.review(afterStart: true)
        return bench
    }

    private func check(_ queue: PaymentQueue, _ place: Comment) {
        var held: Set<TransactionID> = []
        for book in queue.accounts.values {
            for entry in book.live.all {
                let transaction = queue.table[entry.place].transaction
                if transaction.state == .gated { held.insert(transaction.id) }
            }
        }
        let asked = queue.questions.all.compactMap(\.transaction)
        #expect(Set(asked) == held && asked.count == held.count, place)
    }

    /// Starts what may start, says yes to half of the questions and no to the others.
    private func goOn(_ bench: inout Bench) throws {
        for _ in 0..<3 {
            bench.start()
            for (index, question) in bench.queue.visibleQuestions.enumerated() {
                try bench.answer(question.id, index % 2 == 0)
            }
        }
        bench.start()
    }
}
