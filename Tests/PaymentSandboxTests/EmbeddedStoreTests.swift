import PaymentCore
import PaymentTesting
import SandboxControl
import Testing

@testable import PaymentSandbox

/// The embedded store as a value, without an actor: one call, its answer and its effects.
@Suite struct EmbeddedStoreTests {
    private static let start = Timestamp(milliseconds: 1_700_000_000_000)
    private static let monthMs: Int64 = 30 * 86_400_000

    private var store = EmbeddedStore(.example)
    private let ids = SeededIDs(seed: 1)

    private func context(afterMs milliseconds: Int64 = 0) -> StoreContext {
        StoreContext(
            now: Timestamp(milliseconds: Self.start.milliseconds + milliseconds),
            makeID: ids.next)
    }

    private mutating func set(_ edit: (inout StoreTestSettingsChange) -> Void) throws {
        _ = try store.applyTestSettings(StoreSamples.change(edit), context()).answer.get()
    }

    /// The type words of events.
    private func words(_ effects: StoreEffects) -> [String] {
        effects.events.map { "\($0.typeWord)" }
    }

    @Test mutating func `an order is answered with its record, and its repetition without one`()
        throws
    {
        let request = try StoreSamples.request(1)
        let first = store.submit(request, context())
        #expect(words(first.effects) == ["orderPlaced"])
        #expect(first.effects.changes.isEmpty)
        let second = store.submit(request, context())
        #expect(second.answer == first.answer)
        #expect(second.effects == StoreEffects())
        let order = try #require(try first.answer.get().paidOrders.first)
        #expect(
            words(store.complete(order: order, account: "demo", context()).effects) == [
                "orderCompleted"
            ])
        #expect(store.complete(order: order, account: "demo", context()).effects.events.isEmpty)
    }

    /// A call of the store, to be made with each kind of trouble.
    struct Call: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let simulated: SimulatedCall?
        let make: @Sendable (inout EmbeddedStore, StoreContext) -> (StoreFailure?, Duration)

        init<Answer>(
            _ name: String, _ simulated: SimulatedCall?,
            _ make:
                @escaping @Sendable (inout EmbeddedStore, StoreContext) ->
                StoreStep<Answer, StoreFailure>
        ) {
            testDescription = name
            self.simulated = simulated
            self.make = {
                let step = make(&$0, $1)
                if case .failure(let failure) = step.answer { return (failure, step.latency) }
                return (nil, step.latency)
            }
        }
    }

    static let calls = [
        Call("logIn", .login) { $0.logIn(account: "demo", credential: nil, $1) },
        Call("catalogue", .products) { $0.catalogue(of: StoreSamples.germany, $1) },
        Call("defaultCountry", nil) { $0.defaultCountry($1) },
        Call("facts", nil) { $0.facts(of: "demo", $1) },
        Call("country", nil) { $0.country(of: "demo", $1) },
        Call("complete", .completion) {
            $0.complete(order: StoreSamples.order(1), account: "demo", $1)
        },
        Call("unfinished", .reconciliation) {
            $0.purchases(.unfinished, of: "demo", page: nil, $1)
        },
        Call("restorable", .restore) { $0.purchases(.restorable, of: "demo", page: nil, $1) },
        Call("outcome", .purchase) {
            $0.outcome(of: StoreSamples.transaction(1), account: "demo", $1)
        },
        Call("history", .history) { $0.history(of: "demo", HistoryQuery(), $1) },
    ]

    @Test(arguments: calls)
    mutating func `each call fails as the settings say, and has their latency`(call: Call) throws {
        #expect(call.make(&store, context()) == (nil, .zero))
        try set { $0.latencyMs = 250 }
        #expect(call.make(&store, context()) == (nil, .milliseconds(250)))
        for simulated in SimulatedCall.allCases {
            try set { $0.simulatedErrors = [simulated: .serviceUnavailable] }
            let failure = call.make(&store, context()).0
            let expected: StoreFailure.Kind? =
                simulated == call.simulated ? .serviceUnavailable : nil
            #expect(failure?.kind == expected)
            try set { $0.simulatedErrors = [simulated: StoreFailure.Kind?.none] }
        }
        try set { $0.storeDown = true }
        let (failure, latency) = call.make(&store, context())
        #expect(failure?.kind == .connectionError)
        #expect(latency == .milliseconds(250))
    }

    @Test mutating func `a failed call changes nothing, not even by its order`() throws {
        try set { $0.simulatedErrors = [.purchase: .connectionError] }
        let before = store.state
        let step = store.submit(try StoreSamples.request(1), context())
        #expect(
            step.answer
                == .failure(StoreFailure(.connectionError, "the sandbox is set to fail this call")))
        #expect(step.effects == StoreEffects())
        #expect(store.state == before)
    }

    @Test mutating func `a renewal that is due comes before the answer, and is no part of it`()
        throws
    {
        _ = store.submit(try StoreSamples.request(1, product: "pro.monthly"), context())
        let due = try #require(store.wakeAt)
        #expect(due == Timestamp(milliseconds: Self.start.milliseconds + 7 * 86_400_000))
        let early = context(afterMs: 7 * 86_400_000 - 1)
        #expect(store.catchUp(early) == StoreEffects())
        try set { $0.storeDown = true }
        let step = store.defaultCountry(context(afterMs: 7 * 86_400_000))
        #expect(words(step.effects) == ["orderPlaced"])
        #expect(step.effects.changes == [.orders("demo")])
        #expect(try #require(store.wakeAt) > due)
    }

    @Test mutating func `years of renewals happen sixty-four at a time`() throws {
        _ = store.submit(try StoreSamples.request(1, product: "pro.monthly"), context())
        let later = context(afterMs: 100 * Self.monthMs)
        #expect(store.catchUp(later).events.count == EmbeddedStore.eventsAtOnce)
        #expect(try #require(store.wakeAt) < later.now)
        #expect((30...40).contains(store.catchUp(later).events.count))
        #expect(store.catchUp(later).events.isEmpty)
        #expect(try #require(store.wakeAt) > later.now)
    }

    @Test mutating func `the time to wake follows the rate of the clock and does not drift`() throws
    {
        try set { $0.timeRate = .monthSeconds(300) }
        _ = store.submit(try StoreSamples.request(1, product: "pro.monthly"), context())
        // A free week of 300 seconds a month.
        let due = Timestamp(milliseconds: Self.start.milliseconds + 70_000)
        #expect(store.wakeAt == due)
        #expect(store.catchUp(context(afterMs: 69_999)).events.isEmpty)
        #expect(store.wakeAt == due)
        #expect(words(store.catchUp(context(afterMs: 70_000))) == ["orderPlaced"])
    }

    @Test mutating func `a setting is answered with all settings, and refused as a whole`() throws {
        let step = store.applyTestSettings(
            StoreSamples.change { $0.storefront = StoreSamples.japan }, context())
        #expect(try step.answer.get().storefront == StoreSamples.japan)
        #expect(step.effects.changes == [.account(nil)])
        let refused = store.applyTestSettings(
            StoreSamples.change {
                $0.askToBuyEnabled = true
                $0.latencyMs = -1
            }, context())
        #expect(throws: StoreFailure.self) { try refused.answer.get() }
        #expect(refused.effects == StoreEffects())
        #expect(!store.settings.askToBuyEnabled)
        #expect(
            store.applyTestSettings(StoreTestSettingsChange(), context()).effects.events.isEmpty)
    }

    @Test mutating func `controls ignore outages, and a deleted order is returned as it was`()
        throws
    {
        try set { $0.storeDown = true }
        let bought = store.run(.buy("coins.100", appAccountToken: nil), account: "demo", context())
        #expect(words(bought.effects) == ["orderPlaced"])
        #expect(bought.effects.changes == [.orders("demo")])
        let order = try #require(try bought.answer.get())
        let deleted = store.run(.deleteOrder(.order(order.order)), account: nil, context())
        #expect(try deleted.answer.get() == order)
        #expect(store.state.order(order.order) == nil)
        let again = store.run(.deleteOrder(.order(order.order)), account: nil, context())
        #expect(again == StoreStep(answer: .failure(.noSuchOrder), effects: StoreEffects()))
    }

    @Test mutating func `the clock advances to the next event, and to the limit without one`()
        throws
    {
        let limit = Self.start.advanced(bySeconds: 40 * 86_400)
        let idle = store.advanceClock(to: limit, context())
        #expect(words(idle.effects) == ["clockSet"])
        #expect(try idle.answer.get() == TestClock(now: limit, nextEventAt: nil))
        _ = store.submit(try StoreSamples.request(1, product: "pro.monthly"), context())
        let next = try #require(store.state.nextDue?.at)
        let step = store.advanceClock(to: next.advanced(bySeconds: 1), context())
        #expect(words(step.effects) == ["clockSet", "orderPlaced"])
        #expect(try step.answer.get().now == next)
    }

    @Test mutating func `another catalogue and another locale change what is sold`() throws {
        func title() throws -> String? {
            try store.catalogue(of: StoreSamples.germany, context()).answer.get()
                .product("coins.100")?.localizedTitle
        }
        #expect(try title() == "100 coins")
        try set { $0.locale = "de_DE" }
        #expect(try title() == "100 Münzen")
        var other = StoreCatalogue.example
        #expect(store.use(other).isEmpty)
        other.products.removeAll { $0.productIdentifier == "coins.100" }
        #expect(store.use(other) == [.account(nil), .catalogue])
        #expect(try title() == nil)
    }

    @Test mutating func `the events alone make the same state`() throws {
        var replayed = SandboxState()
        func replay(_ effects: StoreEffects) throws {
            for event in effects.events { try replayed.replay(event) }
        }
        for number: UInt64 in 1...20 {
            let product = ["coins.100", "remove-ads", "pro.monthly"][Int(number % 3)]
            let now = context(afterMs: Int64(number) * 20 * 86_400_000)
            try replay(
                store.submit(try StoreSamples.request(number, product: product), now).effects)
            let orders = store.state.orders.map(\.order.order)
            let reference = OrderReference.order(orders[Int(number) % orders.count])
            let control: TestControl =
                number.isMultiple(of: 4) ? .deleteOrder(reference) : .refund(reference)
            try replay(store.run(control, account: "demo", now).effects)
        }
        #expect(replayed == store.state)
    }

    /// The places in memory of the blocks of orders.
    private var blocks: [UnsafeRawPointer?] {
        unsafe store.state.orderTable.slots.blocks.map {
            unsafe $0.withUnsafeBytes { $0.baseAddress }
        }
    }

    @Test mutating func `a call does not copy the tables of the state`() throws {
        var (moves, place) = (0, UnsafeRawPointer?.none)
        for number: UInt64 in 1...1000 {
            _ = store.submit(try StoreSamples.request(number), context())
            let new = unsafe blocks.last ?? nil
            if unsafe new != place { moves += 1 }
            unsafe place = new
        }
        // Each block of 128 is at one place; a copy for each call would move it each time.
        #expect(moves < 20)
    }

    @Test mutating func `a change beside a snapshot copies one block of orders`() throws {
        for number: UInt64 in 1...1000 {
            _ = store.submit(try StoreSamples.request(number), context())
        }
        let pieces = store.state.pieces
        let before = unsafe blocks
        _ = store.submit(try StoreSamples.request(1001), context())
        let moved = unsafe zip(before, blocks).filter { unsafe $0 != $1 }.count
        #expect(moved == 1)
        var loaded = SandboxState()
        try pieces.items { try loaded.load($0) }
        #expect(loaded.orders.count == 1000)
    }
}
