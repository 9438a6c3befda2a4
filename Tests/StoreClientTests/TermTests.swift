import PaymentCore
import PaymentStorage
import PaymentTesting
import StoreClient
import StoreTesting
import Testing

@testable import payqueue_store

/// The orders of a queue that several nodes share.
@Suite("Terms of owners") struct TermTests {
    /// A client whose node owns the queue with a term.
    private static func owner(
        _ term: UInt64, of queue: String = "q1", at served: ServedShop
    ) throws -> HTTPStore {
        try served.client { $0.orderRight = { .owner(queue: queue, term: term) } }
    }

    private static func state() throws -> StateDirectory {
        let disk = MemoryDisk()
        return try StateDirectory(
            disk: disk, path: "/store", owner: try disk.status().owner,
            identity: ProcessIdentity(pid: 1, program: "store", bootID: "boot"),
            started: Timestamp(milliseconds: 0))
    }

    @Test("An order that arrives behind a request of the next owner is refused")
    func formerOwner() async throws {
        let served = try await ServedShop(try StoreSamples.sandbox())
        let former = try Self.owner(7, at: served)
        let present = try Self.owner(8, at: served)
        _ = try await former.logIn(account: "demo", credential: nil)
        _ = try await present.logIn(account: "demo", credential: nil)
        let first = try StoreSamples.request(1, account: "demo")
        #expect(try await former.submit(first).paid != nil)
        // The next owner finds the order of before.
        #expect(try await present.submit(first).paid != nil)
        let second = try StoreSamples.request(2, account: "demo")
        let refused = await #expect(throws: StoreFailure.self) { try await former.submit(second) }
        #expect(refused?.description.contains("later term 8") == true)
        let order = try #require(try await present.submit(second).paid)
        await #expect(throws: StoreFailure.self) {
            try await former.complete(order: order.order, account: "demo")
        }
        try await present.complete(order: order.order, account: "demo")
        // Other queues of the account are not meant, nor is one with a single node.
        let other = try Self.owner(1, of: "q2", at: served)
        let single = try served.client()
        for (number, store) in [(UInt64(3), other), (4, single)] {
            _ = try await store.logIn(account: "demo", credential: nil)
            let order = try StoreSamples.request(number, account: "demo")
            #expect(try await store.submit(order).paid != nil)
        }
        for store in [former, present, other, single] { await store.close() }
        try await served.stop()
    }

    @Test("A term is kept over a restart, and an account has a bounded number of them")
    func keptTerms() async throws {
        let state = try Self.state()
        let sandbox = try StoreSamples.sandbox()
        var served = try await ServedShop(sandbox, state: state)
        for number in 0..<UInt64(OwnerTerms.queuesPerAccount) + 3 {
            let store = try Self.owner(5, of: "q\(number)", at: served)
            _ = try await store.logIn(account: "demo", credential: nil)
            _ = try await store.submit(try StoreSamples.request(number + 1, account: "demo"))
            await store.close()
        }
        try await served.stop()
        let files = try SmallFiles("terms", in: state)
        #expect(try files.names().count == OwnerTerms.queuesPerAccount)
        served = try await ServedShop(sandbox, state: state)
        let former = try Self.owner(4, of: "q18", at: served)
        _ = try await former.logIn(account: "demo", credential: nil)
        let order = try StoreSamples.request(50, account: "demo")
        await #expect(throws: StoreFailure.self) { try await former.submit(order) }
        await former.close()
        try await served.stop()
    }

    @Test(
        "A queue or a term that cannot be read is refused",
        arguments: [
            ("q", 0), ("q", .max), ("", 7), ("q?", 7), (String(repeating: "q", count: 65), 7),
        ]
            as [(String, UInt64)])
    func badTerm(queue: String, term: UInt64) async throws {
        let served = try await ServedShop(try StoreSamples.sandbox())
        let store = try Self.owner(term, of: queue, at: served)
        _ = try await store.logIn(account: "demo", credential: nil)
        let order = try StoreSamples.request(1, account: "demo")
        await #expect(throws: StoreFailure.self) { try await store.submit(order) }
        await store.close()
        try await served.stop()
    }
}

extension OrderOutcome {
    fileprivate var paid: PaidOrder? {
        if case .purchased(let paid) = self { paid } else { nil }
    }
}
