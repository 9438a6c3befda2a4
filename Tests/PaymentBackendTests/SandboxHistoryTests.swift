import PaymentBackend
import PaymentCore
import PaymentHistory
import PaymentTesting
import Synchronization
import Testing

@Suite struct SandboxHistoryTests {
    private let account: AccountName = "alice"

    private func verified(_ sandbox: Sandbox, _ account: AccountName) async throws
        -> TransactionHistory
    {
        let signed = try #require(try await sandbox.signedHistory(of: account, HistoryQuery()))
        return try HistoryVerifier(keys: KeySet(try await sandbox.keys())).verify(signed.jws)
            .history
    }

    @Test func `slug, bundle, token and country are those of catalogue and order`() async throws {
        var store = StoreCatalogue.example
        store.bundleID = "com.example.other"
        store.products[0].slug = "hundred-coins"
        let sandbox = try Sample.sandbox(store: store)
        let product = store.products[0].productIdentifier
        _ = try await sandbox.submit(
            Sample.request(
                1, account: account, product: product.string, country: Sample.states,
                token: "user-1"))
        let purchase = try #require(try await verified(sandbox, account).transactions.first)
        #expect(purchase.bundleID == "com.example.other")
        #expect(purchase.productID == product.string && purchase.productSlug == "hundred-coins")
        #expect(purchase.appAccountToken == "user-1" && purchase.country == "US")
        #expect(purchase.currency == "USD" && purchase.quantity == 1)
    }

    @Test func `orders that were not paid are in no history`() async throws {
        let sandbox = try Sample.sandbox()
        _ = try await sandbox.applyTestSettings(Sample.change { $0.askToBuyEnabled = true })
        _ = try await sandbox.submit(Sample.request(1, account: account, country: Sample.states))
        _ = try await sandbox.applyTestSettings(
            Sample.change {
                $0.askToBuyEnabled = false
                $0.failTransactionsEnabled = true
            })
        _ = try await sandbox.submit(Sample.request(2, account: account, country: Sample.states))
        #expect(try await verified(sandbox, account).transactions.isEmpty)
        for order in try await sandbox.testOrders(page: nil, limit: 10).orders {
            let held = try await sandbox.signedHistory(holding: order.order, HistoryQuery())
            #expect(held == .noSuchOrder)
        }
    }

    @Test func `an order leads to the history of its account and to no other`() async throws {
        let sandbox = try Sample.sandbox()
        _ = try await sandbox.submit(Sample.request(1, account: account, country: Sample.states))
        _ = try await sandbox.submit(Sample.request(2, account: "demo"))
        let orders = try await sandbox.testOrders(page: nil, limit: 10).orders
        let keys = KeySet(try await sandbox.keys())
        for order in orders {
            let held = try await sandbox.signedHistory(holding: order.order, HistoryQuery())
            guard case .page(let signed) = held else { throw Unexpected("no page: \(held)") }
            let history = try HistoryVerifier(keys: keys).verify(signed.jws).history
            #expect(history.transactions.map(\.orderID) == [order.order])
        }
        let nobody = OrderID(UniqueID(high: 1, low: 2))
        #expect(
            try await sandbox.signedHistory(holding: nobody, HistoryQuery()) == .noSuchOrder)
    }

    @Test func `an account that is not there has no history`() async throws {
        let sandbox = try Sample.sandbox()
        let kind = await failure { () async throws(StoreFailure) in
            try await sandbox.signedHistory(of: "nobody", HistoryQuery())
        }
        #expect(kind == .unknownAccount)
    }

    @Test func `dates are those of the sandbox's own clock`() async throws {
        let sandbox = try Sample.sandbox()
        _ = try await sandbox.submit(Sample.request(1, account: account, country: Sample.states))
        let later = await sandbox.testClock().now.advanced(bySeconds: 7200)
        _ = try await sandbox.advanceTestClock(to: later)
        let purchase = try #require(try await verified(sandbox, account).transactions.first)
        #expect(purchase.fetchedAt == later)
        #expect(purchase.purchaseDate == later.advanced(bySeconds: -7200))
    }
}

@Suite struct HistoryKeyKeeperTests {
    /// A file in memory that can be told to fail.
    private final class File: Sendable {
        let bytes = Mutex<[UInt8]?>(nil)
        let writes = Mutex(0)
        let isBroken = Mutex(false)

        func keeper(_ algorithm: SignatureAlgorithm = .es256) -> HistoryKeyKeeper {
            HistoryKeyKeeper(
                algorithm: algorithm, now: { Samples.noon },
                load: { [self] in bytes.withLock { $0 } },
                save: { [self] new in
                    if isBroken.withLock({ $0 }) { throw Broken() }
                    bytes.withLock { $0 = new }
                    writes.withLock { $0 += 1 }
                })
        }
    }

    private struct Broken: Error {}

    @Test func `the pair is made once, when it is needed, whoever asks first`() async throws {
        let file = File()
        let keeper = file.keeper()
        #expect(file.writes.withLock { $0 } == 0)
        let ids = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 { group.addTask { try await keeper.ring().current.publicKey.id } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(ids.count == 1 && file.writes.withLock { $0 } == 1)
        #expect(try await Set([file.keeper().ring().current.publicKey.id]) == ids)
        #expect(file.writes.withLock { $0 } == 1)
    }

    @Test func `a pair that cannot be kept is not used`() async throws {
        let file = File()
        file.isBroken.withLock { $0 = true }
        let keeper = file.keeper()
        for _ in 0..<2 {
            await #expect(throws: StoreFailure.self) { try await keeper.ring() }
        }
        file.isBroken.withLock { $0 = false }
        #expect(try await keeper.ring().former.isEmpty)
    }

    @Test func `another algorithm rotates and keeps the old public key`() async throws {
        let file = File()
        let old = try await file.keeper(.es256).ring().current.publicKey
        let ring = try await file.keeper(.rs256).ring()
        #expect(ring.current.algorithm == .rs256)
        #expect(ring.keySet.keys.last == old)
        #expect(try await file.keeper(.rs256).ring().keySet == ring.keySet)
    }

    @Test func `a rotation is kept`() async throws {
        let file = File()
        let keeper = file.keeper()
        let first = try await keeper.ring().current.publicKey
        let second = try await keeper.rotate().current.publicKey
        #expect(first != second)
        #expect(try await file.keeper().ring().keySet.keys == [second, first])
    }

    @Test func `a damaged file is an error and stays as it is`() async throws {
        let file = File()
        file.bytes.withLock { $0 = Array("{}".utf8) }
        let failure = await #expect(throws: StoreFailure.self) { try await file.keeper().ring() }
        #expect(failure?.kind == .internalError)
        #expect(file.bytes.withLock { $0 } == Array("{}".utf8))
    }
}
