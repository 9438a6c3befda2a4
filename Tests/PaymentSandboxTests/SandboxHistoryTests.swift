import PaymentCore
import PaymentHistory
import PaymentTesting
import SandboxControl
import Synchronization
import Testing

@testable import PaymentSandbox

@Suite struct SandboxHistoryTests {
    private let account: AccountName = "alice"

    private func verified(_ sandbox: SandboxService, _ account: AccountName) async throws
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
        let sandbox = try StoreSamples.sandbox(store: store)
        let product = store.products[0].productIdentifier
        _ = try await sandbox.submit(
            StoreSamples.request(
                1, account: account, product: product.string, country: StoreSamples.states,
                token: "user-1"))
        let purchase = try #require(try await verified(sandbox, account).transactions.first)
        #expect(purchase.bundleID == "com.example.other")
        #expect(purchase.productID == product.string && purchase.productSlug == "hundred-coins")
        #expect(purchase.appAccountToken == "user-1" && purchase.country == "US")
        #expect(purchase.currency == "USD" && purchase.quantity == 1)
    }

    @Test(arguments: [
        ("JPN", "0.99", "1", 1), ("CHL", "0.99", "1", 1), ("KOR", "1.49", "1", 1),
        ("VNM", "1.50", "2", 2), ("KWT", "0.99", "0.990", 990), ("DEU", "0.99", "0.99", 99),
        ("DEU", "0.995", "1.00", 100),
    ])
    func `a .storekit price has the digits of the country's currency, listed and in history`(
        storefront: String, written: String, listed: String, units: Int64
    ) async throws {
        let text = """
            {"identifier": "x", "version": {"major": 4}, "settings": {"_storefront": "\(storefront)"},
             "products": [{"productID": "a", "type": "Consumable", "displayPrice": "\(written)"}]}
            """
        let store = try CatalogueFile.load(bytes: Array(text.utf8), path: "x.storekit")
        let product = try #require(store.product("a", in: store.defaultCountry))
        #expect(product.price.amount.text == listed)
        let sandbox = try StoreSamples.sandbox(store: store)
        _ = try await sandbox.logIn(account: account, credential: nil)
        let outcome = try await sandbox.submit(
            OrderRequest(
                transaction: StoreSamples.transaction(1), account: account, product: product,
                country: store.defaultCountry, appAccountToken: nil))
        guard case .purchased = outcome else {
            Issue.record("it ended as \(outcome)")
            return
        }
        let order = try #require(await sandbox.testOrders().first)
        #expect(order.price == product.price)
        let purchase = try #require(try await verified(sandbox, account).transactions.first)
        #expect(purchase.price == units)
        #expect(purchase.currency == product.price.currencyCode)
    }

    @Test func `orders that were not paid are in no history`() async throws {
        let sandbox = try StoreSamples.sandbox()
        _ = try await sandbox.applyTestSettings(StoreSamples.change { $0.askToBuyEnabled = true })
        _ = try await sandbox.submit(
            StoreSamples.request(1, account: account, country: StoreSamples.states))
        _ = try await sandbox.applyTestSettings(
            StoreSamples.change {
                $0.askToBuyEnabled = false
                $0.failTransactionsEnabled = true
            })
        _ = try await sandbox.submit(
            StoreSamples.request(2, account: account, country: StoreSamples.states))
        #expect(try await verified(sandbox, account).transactions.isEmpty)
        for order in try await sandbox.testOrders(page: nil, limit: 10).orders {
            let held = try await sandbox.signedHistory(holding: order.order, HistoryQuery())
            #expect(held == .noSuchOrder)
        }
    }

    @Test func `an order leads to the history of its account and to no other`() async throws {
        let sandbox = try StoreSamples.sandbox()
        _ = try await sandbox.submit(
            StoreSamples.request(1, account: account, country: StoreSamples.states))
        _ = try await sandbox.submit(StoreSamples.request(2, account: "demo"))
        let orders = try await sandbox.testOrders(page: nil, limit: 10).orders
        let keys = KeySet(try await sandbox.keys())
        for order in orders {
            let held = try await sandbox.signedHistory(holding: order.order, HistoryQuery())
            guard case .page(let signed) = held else {
                Issue.record("there is no page: \(held)")
                continue
            }
            let history = try HistoryVerifier(keys: keys).verify(signed.jws).history
            #expect(history.transactions.map(\.orderID) == [order.order])
        }
        let nobody = OrderID(UniqueID(high: 1, low: 2))
        #expect(
            try await sandbox.signedHistory(holding: nobody, HistoryQuery()) == .noSuchOrder)
    }

    @Test func `an account that is not there has no history`() async throws {
        let sandbox = try StoreSamples.sandbox()
        let kind = await failure { () async throws(StoreFailure) in
            try await sandbox.signedHistory(of: "nobody", HistoryQuery())
        }
        #expect(kind == .unknownAccount)
    }

    @Test func `an order leads to pages of its account and to no other's`() async throws {
        let sandbox = try StoreSamples.sandbox()
        for number: UInt64 in 1...2 {
            _ = try await sandbox.submit(StoreSamples.request(number, account: "demo"))
        }
        _ = try await sandbox.submit(
            StoreSamples.request(3, account: account, country: StoreSamples.states))
        let orders = try await sandbox.testOrders(page: nil, limit: 10).orders.map(\.order)
        func page(_ order: OrderID, _ page: OpaqueText?) async throws -> HeldHistory {
            try await sandbox.signedHistory(
                holding: order, HistoryQuery(page: page, limit: 1))
        }
        guard case .page(let first) = try await page(orders[0], nil), let next = first.next else {
            Issue.record("there is no next page")
            return
        }
        guard case .page(let second) = try await page(orders[1], next) else {
            Issue.record("the page is gone")
            return
        }
        #expect(second.next == nil)
        #expect(try await page(orders[2], next) == .noSuchPage)
        #expect(try await page(OrderID(UniqueID(high: 1, low: 2)), next) == .noSuchOrder)
    }

    /// Payments that come in another order than the orders, deletions in between.
    @Test func `pages of any length give the payments of an account by their time`() throws {
        var numbers = SeededGenerator(seed: 7)
        var state = SandboxState()
        var waiting: [OrderID] = []
        var paid: [AccountName: [(at: Timestamp, place: Int, order: OrderID)]] = [:]
        for place in 0..<3000 {
            let account: AccountName = numbers.next() % 3 == 0 ? "bert" : "anna"
            let id = StoreSamples.order(UInt64(place))
            // Few moments for many orders.
            let at = Timestamp(milliseconds: Int64(1_700_000_000_000 + numbers.next() % 500))
            let order = StoreOrder(
                order: id, transaction: nil, original: id, account: account, product: "coins.100",
                price: Price(amount: StoreSamples.zero, currencyCode: "EUR"),
                country: StoreSamples.germany,
                appAccountToken: nil, state: .deferred, failure: nil, completed: false,
                placedAt: at)
            state.apply(.orderPlaced(SandboxOrder(order: order), nil))
            waiting.append(id)
            guard numbers.next() % 2 == 0 else { continue }
            let due = waiting.remove(at: Int(numbers.next() % UInt64(waiting.count)))
            let owner = try #require(state.order(due)).order.account
            if numbers.next() % 8 == 0 {
                state.apply(.ordersDeleted([due]))
                continue
            }
            state.apply(
                .orderPaid(
                    due,
                    Settlement(at: at, original: due, terms: .charge(Charge(price: order.price)))))
            let place = try #require(Int(exactly: due.value.low & 0xFFFF))
            paid[owner, default: []].append((at, place, due))
            if numbers.next() % 8 == 0, let gone = paid[owner]?.randomElement(using: &numbers) {
                state.apply(.ordersDeleted([gone.order]))
                paid[owner]?.removeAll { $0.order == gone.order }
            }
        }
        for (account, list) in paid {
            let expected = list.sorted { ($0.at, $0.place) > ($1.at, $1.place) }.map(\.order)
            for limit in [1, 7, 400, .max] {
                var found: [OrderID] = []
                var page: OpaqueText?
                repeat {
                    let part = try #require(
                        PurchasePages(state: state, store: .example).history(
                            of: account, page: page, limit: limit, at: Samples.noon))
                    let orders = part.history.transactions.map(\.orderID)
                    #expect(part.isLast || orders.count == limit)
                    found += orders
                    page = part.isLast ? nil : orders.last.map { OpaqueText($0.description) }
                } while page != nil
                #expect(found == expected, "in pages of \(limit)")
            }
        }
    }

    @Test func `dates are those of the sandbox's own clock`() async throws {
        let sandbox = try StoreSamples.sandbox()
        _ = try await sandbox.submit(
            StoreSamples.request(1, account: account, country: StoreSamples.states))
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
