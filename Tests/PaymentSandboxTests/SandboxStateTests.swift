import PaymentCore
import PaymentTesting
import SandboxControl
import Testing

@testable import PaymentSandbox

@Suite struct SandboxStateTests {
    private let now = Timestamp(milliseconds: 1_700_000_000_000)

    private func placed(
        _ request: OrderRequest, in state: inout SandboxState, as number: UInt64
    ) throws -> SandboxOrder {
        let decision = try OrderRules(state: state, store: .example).decide(
            request, as: StoreSamples.order(number), at: now)
        guard case .record(let event, _) = decision else {
            Issue.record("nothing to record: \(decision)")
            throw SandboxInconsistency("no order")
        }
        state.apply(event)
        return try #require(state.order(of: request.transaction))
    }

    private func decide(
        _ isApproved: Bool, _ transaction: TransactionID, in state: inout SandboxState
    ) throws {
        let decision = try ControlRules(state: state, store: .example).decide(
            .decide(.transaction(transaction), approved: isApproved), account: nil,
            as: StoreSamples.order(99), at: now)
        for event in decision.events { state.apply(event) }
    }

    @Test func `deciding changes nothing by itself`() throws {
        let state = SandboxState()
        _ = try OrderRules(state: state, store: .example).decide(
            try StoreSamples.request(1), as: StoreSamples.order(1), at: now)
        #expect(state == SandboxState())
    }

    @Test func `an owned non-consumable is not sold again, anything else is`() throws {
        var state = SandboxState()
        let first = try placed(
            try StoreSamples.request(1, product: "remove-ads"), in: &state, as: 1)
        let again = try StoreSamples.request(2, product: "remove-ads")
        for _ in 1...2 {
            let decision = try OrderRules(state: state, store: .example).decide(
                again, as: StoreSamples.order(2), at: now)
            let outcome: OrderOutcome
            switch decision {
            case .answer(let known): outcome = known
            case .record(let event, let known):
                state.apply(event)
                outcome = known
            }
            guard case .purchased(let paid) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(paid.order == first.order.order)
            #expect(
                paid.charge == Charge(price: .zero(currencyCode: "EUR"), offer: .alreadyOwned))
        }
        #expect(state.orders.count == 1)
        _ = try placed(try StoreSamples.request(3), in: &state, as: 3)
        let coins = try placed(try StoreSamples.request(4), in: &state, as: 4)
        let bobs = try placed(
            try StoreSamples.request(
                5, account: "bob", product: "remove-ads", country: StoreSamples.france),
            in: &state, as: 5)
        #expect(
            [first, coins, bobs].map { $0.order.charge?.price }
                == [first, coins, bobs].map(\.order.price))
    }

    @Test func `a deleted order is told of to whoever was given it as well`() throws {
        var state = SandboxState()
        let first = try placed(
            try StoreSamples.request(1, product: "remove-ads"), in: &state, as: 1)
        for number: UInt64 in [2, 3] {
            let again = try StoreSamples.request(number, product: "remove-ads")
            guard
                case .record(let event, _) = try OrderRules(state: state, store: .example).decide(
                    again, as: StoreSamples.order(number), at: now)
            else {
                Issue.record("nothing was given")
                return
            }
            state.apply(event)
        }
        var loaded = SandboxState()
        try state.pieces.items { try loaded.load($0) }
        for var state in [state, loaded] {
            state.apply(.ordersDeleted([first.order.order]))
            let told = try deletions(of: state, limit: 2)
            #expect(
                told
                    == (1...3).map {
                        DeletedOrder(
                            order: StoreSamples.order(1), transaction: StoreSamples.transaction($0))
                    })
            #expect(state.outcome(of: StoreSamples.transaction(2), account: "demo") == nil)
        }
    }

    @Test func `of very many deletions the newest are told, each once, also while there are more`()
        throws
    {
        var state = SandboxState()
        let first = try placed(try StoreSamples.request(1), in: &state, as: 1)
        state.apply(.ordersDeleted([StoreSamples.order(1)]))
        func delete(_ numbers: ClosedRange<UInt64>, in state: inout SandboxState) {
            let ids = numbers.map { StoreSamples.order($0) }
            for number in numbers {
                var order = first
                order.order.order = StoreSamples.order(number)
                order.order.original = StoreSamples.order(number)
                order.order.transaction = nil
                state.apply(.orderPlaced(order, nil))
            }
            for start in stride(from: 0, to: ids.count, by: SandboxEvent.deletionLimit) {
                state.apply(
                    .ordersDeleted(Array(ids[start...].prefix(SandboxEvent.deletionLimit))))
            }
        }
        delete(2...10_300, in: &state)
        #expect(
            try deletions(of: state, limit: 500).map(\.order)
                == (301...10_300).map { StoreSamples.order($0) })
        var loaded = SandboxState()
        try state.pieces.items { try loaded.load($0) }
        #expect(loaded == state)
        // What the page ended with is not told any more.
        let page = try PurchasePages(state: state, store: .example).purchases(
            .unfinished, of: "demo", page: "deleted", limit: 500)
        delete(10_301...11_000, in: &state)
        let next = try PurchasePages(state: state, store: .example).purchases(
            .unfinished, of: "demo", page: page.next, limit: 500)
        #expect(page.deleted.last?.order == StoreSamples.order(800))
        #expect(next.deleted.first?.order == StoreSamples.order(1001))
        for wrong: OpaqueText in ["deleted-", "deleted-7", "deletedd", "delete"] {
            #expect(throws: StoreFailure.self) {
                try PurchasePages(state: state, store: .example).purchases(
                    .unfinished, of: "demo", page: wrong)
            }
        }
    }

    private func deletions(of state: SandboxState, limit: Int) throws -> [DeletedOrder] {
        var page = try PurchasePages(state: state, store: .example).purchases(
            .unfinished, of: "demo", page: nil, limit: limit)
        var found = page.deleted
        while let next = page.next {
            page = try PurchasePages(state: state, store: .example).purchases(
                .unfinished, of: "demo", page: next, limit: limit)
            found += page.deleted
        }
        return found
    }

    @Test func `a refused or failed order does not make an owner`() throws {
        var state = SandboxState()
        state.apply(.settingsChanged(StoreSamples.change { $0.failTransactionsEnabled = true }))
        _ = try placed(try StoreSamples.request(1, product: "remove-ads"), in: &state, as: 1)
        #expect(!state.owns("remove-ads", account: "demo"))
    }

    @Test func `an approval makes a deferred order paid, a refusal makes it cancelled`() throws {
        for isApproved in [true, false] {
            var state = SandboxState()
            state.apply(.settingsChanged(StoreSamples.change { $0.askToBuyEnabled = true }))
            let request = try StoreSamples.request(1, product: "remove-ads")
            _ = try placed(request, in: &state, as: 1)
            #expect(!state.owns("remove-ads", account: "demo"))
            try decide(isApproved, request.transaction, in: &state)
            let answer = try OrderRules(state: state, store: .example).decide(
                request, as: StoreSamples.order(2), at: now)
            if isApproved {
                #expect(answer.paidOrders == [StoreSamples.order(1), StoreSamples.order(1)])
            } else {
                let failure = PaymentFailure(.cancelled)
                #expect(answer == .answer(.failed(failure, order: StoreSamples.order(1))))
            }
            #expect(state.owns("remove-ads", account: "demo") == isApproved)
            #expect(throws: TestFailure.notDecidable(isApproved ? .purchased : .failed)) {
                try decide(!isApproved, request.transaction, in: &state)
            }
        }
    }

    @Test func `only an order that exists can be approved`() throws {
        var state = SandboxState()
        #expect(throws: TestFailure.noSuchOrder) {
            try decide(true, StoreSamples.transaction(1), in: &state)
        }
    }

    @Test func `an order that was placed is answered although catalogue and account are gone`()
        throws
    {
        var state = SandboxState()
        let request = try StoreSamples.request(1)
        let order = try placed(request, in: &state, as: 1).order.order
        let empty = StoreCatalogue(
            defaultCountry: StoreSamples.france, accounts: .listed([]), products: [])
        let answer = try OrderRules(state: state, store: empty).decide(
            request, as: StoreSamples.order(2), at: now)
        #expect(answer.paidOrders == [order, order])
    }

    @Test func `a journal that contradicts itself is refused and leaves the state alone`() throws {
        var state = SandboxState()
        let known = try placed(try StoreSamples.request(1), in: &state, as: 1)
        var sameTransaction = known
        sameTransaction.order.order = StoreSamples.order(2)
        let before = state
        let contradictions: [SandboxEvent] = [
            .orderPlaced(known, nil), .orderPlaced(sameTransaction, nil),
            .orderPaid(StoreSamples.order(1), nil), .orderPaid(StoreSamples.order(7), nil),
            .orderRefused(StoreSamples.order(1), .declined), .orderCompleted(StoreSamples.order(7)),
            .orderRefunded(StoreSamples.order(7), now, nil),
            .ordersDeleted([StoreSamples.order(7)]),
            .orderTurnedDown(
                TurnedDown(transaction: StoreSamples.transaction(1), attempt: 2, price: nil)),
        ]
        for event in contradictions {
            #expect(throws: SandboxInconsistency.self) { try state.replay(event) }
            #expect(state == before)
        }
    }

    @Test func `applying a second order of one transaction traps`() async {
        await #expect(processExitsWith: .failure) {
            var state = SandboxState()
            let first = try StoreSamples.request(1)
            for number: UInt64 in [1, 2] {
                let decision = try OrderRules(state: SandboxState(), store: .example).decide(
                    first, as: StoreSamples.order(number), at: Timestamp(milliseconds: 0))
                if case .record(let event, _) = decision { state.apply(event) }
            }
        }
    }
}

extension OrderRules.SubmitDecision {
    /// The order that was paid by now and the first of its chain; empty unless it was.
    fileprivate var paidOrders: [OrderID] {
        guard case .answer(let outcome) = self else { return [] }
        return outcome.paidOrders
    }
}
