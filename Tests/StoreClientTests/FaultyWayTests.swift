import Foundation
import PaymentCore
import PaymentTesting
import StoreClient
import StoreTesting
import Synchronization
import Testing

@testable import payqueue_store

/// Purchases over a way that loses, doubles and garbles, to a server that is taken away now and then.
@Suite struct FaultyWayTests {
    /// How many purchases; a make target asks for more.
    static let purchases =
        UInt64(
            ProcessInfo.processInfo.environment["PAYQUEUED_FAULTY_PURCHASES"] ?? "") ?? 150
    static let seeds: [UInt64] = [1, 2]

    @Test(arguments: seeds)
    func `every order is charged exactly once, whatever happens on the way`(
        seed: UInt64
    ) async throws {
        let journal = MemorySandboxJournal()
        let first = try await ServedShop(try StoreSamples.sandbox(journal: journal, seed: seed))
        let proxy = try await FaultyProxy(server: first.port, seed: seed, percent: 35)
        let store = try first.client(at: proxy.port) {
            $0.retries = 3
            $0.requestTimeout = .seconds(20)
        }
        let shops = Shared(first)
        let settled = Shared<[TransactionID: OrderID]>([:])
        let total = Self.purchases
        try await withThrowingTaskGroup(of: Void.self) { group in
            let next = Shared<UInt64>(1)
            for _ in 1...16 {
                group.addTask {
                    while true {
                        let number = next.withLock { next in
                            defer { next += 1 }
                            return next
                        }
                        guard number <= total else { return }
                        let request = try StoreSamples.request(number)
                        let order = await Self.purchased(request, at: store)
                        settled.withLock { $0[request.transaction] = order }
                        await Self.completed(order, at: store)
                    }
                }
            }
            group.addTask {
                // Taken away twice; what was not committed is gone, as after a kill.
                var kept = journal
                for share in 1...2 as ClosedRange<UInt64> {
                    while settled.withLock({ UInt64($0.count) }) < total * share / 3 {
                        try await Task.sleep(for: .milliseconds(5))
                    }
                    let old = shops.withLock { $0 }
                    try await old.stop()
                    kept = MemorySandboxJournal(events: kept.durableEvents)
                    let again = try await ServedShop(
                        try StoreSamples.sandbox(
                            journal: kept, seed: seed &+ share &* 1000),
                        port: old.port, state: old.shop.state)
                    shops.withLock { $0 = again }
                }
            }
            try await group.waitForAll()
        }
        let orders = await shops.withLock { $0 }.sandbox.testOrders()
        #expect(orders.count == Int(total))
        #expect(Set(orders.compactMap(\.transaction)).count == Int(total))
        #expect(orders.allSatisfy { $0.state == .purchased && $0.completed })
        for order in orders {
            #expect(order.transaction.flatMap { id in settled.withLock { $0[id] } } == order.order)
        }
        #expect(proxy.counts.count == FaultyProxy.Fault.allCases.count, "a fault was never played")
        await store.close()
        try await proxy.stop()
        try await shops.withLock { $0 }.stop()
    }

    /// Asks as the queue does: again and again until there is an outcome.
    private static func purchased(_ request: OrderRequest, at store: HTTPStore) async -> OrderID {
        while true {
            if let order = try? await store.submit(request).paidOrders.first { return order }
        }
    }

    private static func completed(_ order: OrderID, at store: HTTPStore) async {
        while true {
            do {
                return try await store.complete(order: order, account: "demo")
            } catch {
                continue
            }
        }
    }
}
