import PaymentCore
import PaymentTesting
import SandboxControl
import Synchronization
import Testing

@testable import PaymentSandbox

/// Subscriptions over time and over restarts.
@Suite struct SandboxLifeTests {
    private static let month: Int64 = 30 * 86_400

    /// The wall clock of a test.
    private final class WallClock: Sendable {
        private let time = Mutex(Timestamp(milliseconds: 1_700_000_000_000))
        var now: Timestamp { time.withLock { $0 } }
        func advance(bySeconds seconds: Int64) {
            time.withLock { $0 = $0.advanced(bySeconds: seconds) }
        }
    }

    private func sandbox(
        _ journal: MemorySandboxJournal, wall: WallClock, clock: StandingClock = StandingClock(),
        seed: UInt64 = 1
    ) throws -> SandboxService {
        var state = SandboxState()
        for event in journal.durableEvents { try state.replay(event) }
        return SandboxService(
            store: .example, state: state, journal: journal,
            environment: .init(
                executor: QueueExecutor(), clock: clock, now: { wall.now },
                makeID: SeededIDs(seed: seed).next))
    }

    /// Live, replayed and loaded from a snapshot the state is the same.
    private func expectSame(_ sandbox: SandboxService, _ journal: MemorySandboxJournal) async throws
    {
        let live = try await sandbox.durableState()
        var replayed = SandboxState()
        for event in journal.durableEvents { try replayed.replay(event) }
        #expect(replayed == live)
        var loaded = SandboxState()
        try live.pieces.items { try loaded.load($0) }
        #expect(loaded == live)
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        #expect(loaded.testClock(at: now) == live.testClock(at: now))
        for selection in PurchaseSelection.allCases {
            #expect(
                try PurchasePages(state: loaded, store: .example).purchases(
                    selection, of: "demo", page: nil)
                    == PurchasePages(state: live, store: .example).purchases(
                        selection, of: "demo", page: nil))
        }
    }

    @Test func `a year with everything that can happen replays to the same`() async throws {
        let journal = MemorySandboxJournal()
        let wall = WallClock()
        var sandbox = try sandbox(journal, wall: wall)
        let first = try await sandbox.order(StoreSamples.request(1, product: "pro.monthly"))
        let restart = {
            try await self.expectSame(sandbox, journal)
            sandbox = try self.sandbox(
                MemorySandboxJournal(events: journal.durableEvents), wall: wall, seed: 2)
            sandbox = try self.sandbox(journal, wall: wall, seed: 3)
        }
        try await sandbox.advance(events: 3)
        try await restart()
        try await sandbox.set {
            $0.shouldEnterBillingRetryOnRenewal = true
            $0.billingGracePeriodIsEnabled = true
        }
        try await sandbox.advance(events: 1)
        try await restart()
        _ = try await sandbox.run(.resolve(.order(first)), account: nil)
        try await sandbox.set { $0.shouldEnterBillingRetryOnRenewal = false }
        _ = try await sandbox.run(.priceIncrease("pro.monthly", .consent), account: "demo")
        try await restart()
        try await sandbox.advance(events: 7)
        let orders = await sandbox.testOrders()
        #expect(orders.count == 12)
        #expect(
            orders.compactMap(\.expiresAt).map { $0.description.prefix(10) }.last == "2024-10-21")
        #expect(
            orders.last?.price == Price(amount: try #require(Amount("10.99")), currencyCode: "EUR"))
        let last = try #require(orders.last)
        _ = try await sandbox.run(.refund(.order(last.order)), account: nil)
        #expect(try await sandbox.all(.restorable, of: "demo").purchases.isEmpty)
        _ = try await sandbox.run(.deleteOrder(.order(orders[3].order)), account: nil)
        try await restart()
        #expect(await sandbox.testOrders().count == 11)
    }

    @Test func `renewals that fell due while nothing ran happen at the start, each an order`()
        async throws
    {
        let journal = MemorySandboxJournal()
        let wall = WallClock()
        let before = try sandbox(journal, wall: wall)
        _ = try await before.order(StoreSamples.request(1, product: "pro.monthly"))
        try await before.close()
        wall.advance(bySeconds: 5 * Self.month + 10 * 86_400)
        let after = try sandbox(
            MemorySandboxJournal(events: journal.durableEvents), wall: wall, seed: 2)
        _ = try await after.defaultCountry()
        let orders = await after.testOrders()
        // A free week and six months.
        #expect(orders.count == 7)
        #expect(zip(orders, orders.dropFirst()).allSatisfy { $0.expiresAt == $1.placedAt })
        #expect(try await after.all(.unfinished, of: "demo").purchases.count == 1)
    }

    @Test func `the clock keeps its rate and its lead over restarts`() async throws {
        let journal = MemorySandboxJournal()
        let wall = WallClock()
        let before = try sandbox(journal, wall: wall)
        try await before.set { $0.timeRate = .monthSeconds(300) }
        let start = await before.testClock().now
        _ = try await before.advanceTestClock(to: start.advanced(bySeconds: 100))
        try await before.close()
        wall.advance(bySeconds: 300)
        let after = try sandbox(MemorySandboxJournal(events: journal.durableEvents), wall: wall)
        #expect(await after.testClock().now == start.advanced(bySeconds: 100 + Self.month))
        _ = try await after.run(.reset, account: nil)
        wall.advance(bySeconds: 5)
        #expect(await after.testClock().now == start.advanced(bySeconds: 105 + Self.month))
    }

    @Test func `what is due happens by itself when its time has come`() async throws {
        let wall = WallClock()
        let clock = StandingClock()
        let sandbox = try sandbox(MemorySandboxJournal(), wall: wall, clock: clock)
        let (changes, teller) = AsyncStream.makeStream(of: StoreChange.self)
        sandbox.listen { teller.yield($0) }
        try await sandbox.set { $0.timeRate = .monthSeconds(300) }
        _ = try await sandbox.order(StoreSamples.request(1, product: "pro.monthly"))
        await clock.waitForSleepers(1)
        wall.advance(bySeconds: 300)
        clock.advance(by: .seconds(300))
        var iterator = changes.makeAsyncIterator()
        #expect(await iterator.next() == .orders("demo"))
        #expect(await sandbox.testOrders().count == 2)
        try await sandbox.close()
    }

    @Test func `years of renewals are caught up a few at a time`() async throws {
        let wall = WallClock()
        let sandbox = try sandbox(MemorySandboxJournal(), wall: wall)
        _ = try await sandbox.order(StoreSamples.request(1, product: "pro.monthly"))
        wall.advance(bySeconds: 200 * Self.month)
        _ = try await sandbox.defaultCountry()
        #expect(await sandbox.testOrders().count == 65)
        for _ in 1...3 { _ = try await sandbox.defaultCountry() }
        #expect(await sandbox.testOrders().count > 190)
    }

    @Test func `a listener is told after the commit, and not when that fails`() async throws {
        let journal = MemorySandboxJournal()
        journal.failCommit(2)
        let sandbox = try sandbox(journal, wall: WallClock())
        let told = try await ToldChanges(of: sandbox)
        _ = try await sandbox.run(.buy("coins.100", appAccountToken: nil), account: "demo")
        await told.hears([.orders("demo")])
        await #expect(throws: TestFailure.self) {
            try await sandbox.run(.buy("coins.100", appAccountToken: nil), account: "demo")
        }
        #expect(told.isSilent)
    }

    @Test func `no record of a great deletion is long`() async throws {
        let journal = MemorySandboxJournal()
        let sandbox = try sandbox(journal, wall: WallClock())
        for number: UInt64 in 1...600 { _ = try await sandbox.order(StoreSamples.request(number)) }
        _ = try await sandbox.run(.clear, account: nil)
        let counts = journal.durableEvents.compactMap {
            if case .ordersDeleted(let orders) = $0 { orders.count } else { nil }
        }
        #expect(counts == [256, 256, 88])
        try await expectSame(sandbox, journal)
    }

    @Test func `what a transaction was told is forgotten with its order`() async throws {
        var state = SandboxState()
        let now = Timestamp(milliseconds: 1)
        for attempt: UInt32 in 1...40 {
            var request = try StoreSamples.request(1)
            request.attempt = attempt
            if attempt < 40 {
                request.product.price = Price(amount: StoreSamples.zero, currencyCode: "EUR")
            }
            let decision = try OrderRules(state: state, store: .example).decide(
                request, as: StoreSamples.order(1), at: now)
            guard case .record(let event, _) = decision else { continue }
            state.apply(event)
            var answers = 0
            state.pieces.items { if case .turnedDown = $0 { answers += 1 } }
            #expect(answers == (attempt < 40 ? min(Int(attempt), 16) : 0))
        }
        #expect(state.orders.count == 1)
    }
}
