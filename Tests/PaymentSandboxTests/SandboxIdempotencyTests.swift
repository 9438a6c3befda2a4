import PaymentCore
import PaymentTesting
import SandboxControl
import Testing

@testable import PaymentSandbox

/// Whatever is asked in whatever order, and wherever a crash strikes: one transaction, one order.
@Suite struct SandboxIdempotencyTests {
    /// A sandbox, its journal, and what callers were told.
    private struct Model {
        var journal: [SandboxEvent] = []
        var batch: [SandboxEvent] = []
        var state = SandboxState()
        var told: [TransactionID: OrderOutcome] = [:]
        var unheard: [TransactionID: OrderOutcome] = [:]
        var random: SeededGenerator
        let now = Timestamp(milliseconds: 1)

        mutating func step() throws {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: try crash()
            case 1, 2: commit()
            case 3: toggle()
            case 4: try decide()
            default: try submit()
            }
        }

        mutating func submit() throws {
            let number = UInt64.random(in: 1...12, using: &random)
            let names = ["coins.100", "remove-ads"]
            let accounts: [AccountName] = ["demo", "bob"]
            // Mostly a transaction orders the same again; sometimes, wrongly, something else.
            let isWrong = Int.random(in: 0..<5, using: &random) == 0
            let index = Int(number % 2)
            let request = try StoreSamples.request(
                number, account: accounts[isWrong ? 1 - index : index], product: names[index])
            let id = OrderID(UniqueID(randomHigh: random.next(), randomLow: random.next()))
            let hadOrder = state.outcome(of: request.transaction, account: request.account)
            do {
                switch try OrderRules(state: state, store: .example).decide(
                    request, as: id, at: now)
                {
                case .answer(let outcome):
                    try tell(request.transaction, outcome)
                case .record(let event, let outcome):
                    #expect(hadOrder == nil, "a second order for one transaction")
                    record(event)
                    unheard[request.transaction] = outcome
                }
            } catch {
                #expect(
                    accounts.contains {
                        state.outcome(of: request.transaction, account: $0) != nil
                    }, "refused without an order: \(error)")
            }
        }

        mutating func decide() throws {
            let waiting = state.orders.filter { $0.order.state == .deferred }
            guard let order = waiting.randomElement(using: &random)?.order.order else { return }
            let isApproved = Bool.random(using: &random)
            let decision = try ControlRules(state: state, store: .example).decide(
                .decide(.order(order), approved: isApproved), account: nil,
                as: StoreSamples.order(random.next()), at: now)
            for event in decision.events { record(event) }
        }

        mutating func toggle() {
            let change = StoreSamples.change {
                $0.askToBuyEnabled = Bool.random(using: &random)
                $0.failTransactionsEnabled = Int.random(in: 0..<4, using: &random) == 0
            }
            record(.settingsChanged(change))
        }

        mutating func record(_ event: SandboxEvent) {
            state.apply(event)
            batch.append(event)
        }

        mutating func commit() {
            journal += batch
            batch = []
            for (transaction, outcome) in unheard { told[transaction] = outcome }
            unheard = [:]
        }

        mutating func crash() throws {
            // Any beginning of the batch may have reached the disk.
            journal += batch.prefix(Int.random(in: 0...batch.count, using: &random))
            batch = []
            unheard = [:]
            state = SandboxState()
            for event in journal { try state.replay(event) }
        }

        /// What was told once is told again, but for a deferred order that was decided since.
        mutating func tell(_ transaction: TransactionID, _ outcome: OrderOutcome) throws {
            guard let earlier = told[transaction], batch.isEmpty else { return }
            if case .deferred(let order) = earlier {
                #expect(outcome.order == order || outcome.isAlreadyOwned)
            } else {
                #expect(outcome == earlier)
            }
        }

        func check() {
            let transactions = state.orders.compactMap(\.order.transaction)
            #expect(Set(transactions).count == state.orders.count)
            #expect(Set(state.orders.map(\.order.order)).count == state.orders.count)
            for (transaction, outcome) in told {
                let known = ["demo", "bob"].lazy.compactMap {
                    state.outcome(of: transaction, account: $0)
                }.first
                // What waited for an approval may have been bought otherwise meanwhile.
                if case .deferred = outcome, known?.isAlreadyOwned == true { continue }
                #expect(known?.order == outcome.order)
            }
        }
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `no transaction ever has two orders, and no order that was told is lost`(seed: UInt64)
        throws
    {
        var model = Model(random: SeededGenerator(seed: seed))
        for _ in 1...100 {
            try model.step()
            model.check()
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `many callers and a crash at some commit place one order per transaction`(seed: UInt64)
        async throws
    {
        var random = SeededGenerator(seed: seed)
        let journal = MemorySandboxJournal()
        journal.failCommit(Int.random(in: 1...6, using: &random))
        let first = try StoreSamples.sandbox(journal: journal, seed: seed)
        let requests = try (1...60).map { _ in
            try StoreSamples.request(UInt64.random(in: 1...15, using: &random))
        }
        let before = await outcomes(of: requests, at: first)
        let second = try StoreSamples.sandbox(
            journal: MemorySandboxJournal(events: journal.durableEvents), seed: seed + 1000)
        let after = await outcomes(of: requests, at: second)
        for (transaction, orders) in before {
            #expect(orders.count == 1)
            #expect(orders == after[transaction])
        }
        #expect(after.values.allSatisfy { $0.count == 1 })
        #expect(await second.testOrders().count == after.count)
    }

    private func outcomes(
        of requests: [OrderRequest], at sandbox: SandboxService
    ) async -> [TransactionID: Set<OrderID>] {
        await withTaskGroup(of: (TransactionID, OrderID?).self) { group in
            for request in requests {
                group.addTask {
                    (request.transaction, try? await sandbox.submit(request).order)
                }
            }
            return await group.reduce(into: [:]) { orders, answer in
                if let order = answer.1 { orders[answer.0, default: []].insert(order) }
            }
        }
    }
}

extension OrderOutcome {
    /// Whether it names an order that the account had already.
    fileprivate var isAlreadyOwned: Bool {
        guard case .purchased(let paid) = self else { return false }
        return paid.charge.offer == .alreadyOwned
    }

    /// The order that an outcome names.
    fileprivate var order: OrderID? {
        switch self {
        case .purchased(let paid): paid.order
        case .deferred(let order): order
        case .failed(_, let order): order
        case .priceChanged, .notSold, .countryChanged: nil
        }
    }
}
