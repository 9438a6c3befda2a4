import PaymentCore
import PaymentSandbox
import PaymentTesting
import SandboxControl
import StoreTesting
import Testing

@testable import PaymentSandbox

/// The lists of the operator's pages: what comes first, filters, search, and paging.
@Suite(.ownThreads) struct OperatorListTests {
    /// A sandbox with so many paid orders of two accounts.
    private static func sandbox(orders count: UInt64) async throws -> SandboxService {
        let sandbox = try StoreSamples.sandbox()
        for number in 0..<count {
            let isDemo = number.isMultiple(of: 3)
            let request = try StoreSamples.request(
                number, account: isDemo ? "demo" : "bob",
                country: isDemo ? StoreSamples.germany : StoreSamples.france,
                token: OpaqueText("user-\(number)"))
            _ = try await sandbox.submit(request)
        }
        return sandbox
    }

    /// Every order that there is, newest first.
    private static func all(_ sandbox: SandboxService) async throws -> [StoreOrder] {
        try await sandbox.testOrders(page: nil, limit: .max).orders.reversed()
    }

    @Test func `what needs action comes first, then the newest orders`() async throws {
        let sandbox = try await Self.sandbox(orders: 30)
        _ = try await sandbox.applyTestSettings(StoreSamples.change { $0.askToBuyEnabled = true })
        _ = try await sandbox.submit(try StoreSamples.request(100))
        _ = try await sandbox.applyTestSettings(StoreSamples.change { $0.askToBuyEnabled = false })
        for number in UInt64(200)..<220 {
            _ = try await sandbox.submit(try StoreSamples.request(number))
        }
        let waiting = try #require(await sandbox.order(of: StoreSamples.transaction(100)))
        let visitor = try await PageVisitor(sandbox)
        let page = try await visitor.get("/")
        #expect(page.status == 200)
        let newest = try await Self.all(sandbox).prefix(20).map(\.order.description)
        #expect(page.orders == [waiting.order.description] + newest)
        #expect(page.body.contains("<strong>1</strong><span>needs action</span>"))
        #expect(page.body.contains("<strong>51</strong><span>orders</span>"))
        #expect(page.questions.contains("/confirm?action=approve&order=\(waiting.order)"))
        let all = try await visitor.get("/orders?state=waiting")
        #expect(all.orders == [waiting.order.description])
        try await visitor.stop()
    }

    @Test func `an empty store says so, and nothing needs action`() async throws {
        let visitor = try await PageVisitor(try StoreSamples.sandbox())
        let page = try await visitor.get("/")
        #expect(page.body.contains("There are no orders yet."))
        #expect(page.body.contains("Nothing needs action."))
        for path in ["/orders", "/subscriptions", "/accounts", "/settings"] {
            #expect(try await visitor.get(path).status == 200)
        }
        #expect(try await visitor.get("/subscriptions").body.contains("no subscriptions yet"))
        try await visitor.stop()
    }

    @Test func `pages follow each other without a double, whatever is bought meanwhile`()
        async throws
    {
        let sandbox = try await Self.sandbox(orders: 120)
        let before = try await Self.all(sandbox).map(\.order.description)
        let visitor = try await PageVisitor(sandbox)
        var page = try await visitor.get("/orders")
        #expect(page.body.contains("120 orders, newest first"))
        var seen = page.orders
        _ = try await sandbox.submit(try StoreSamples.request(900))
        while let older = page.older {
            page = try await visitor.get(older)
            seen += page.orders
            #expect(page.body.contains(">Newest</a>"))
        }
        #expect(seen == before)
        try await visitor.stop()
    }

    @Test(
        arguments: [
            ("account=demo", 14), ("account=dem", 0), ("state=purchased", 38),
            ("state=refunded", 1),
            ("state=failed", 1), ("state=deferred", 0), ("product=coins.100", 40),
            ("product=remove-ads", 0), ("q=user-3", 10), ("q=USER-38", 1), ("q=bob", 26),
            ("q=coins", 40), ("q=%20demo+", 14), ("q=nothing", 0), ("from=2023-11-14", 40),
            ("from=2023-11-15", 0), ("to=2023-11-14", 40), ("to=2023-11-13", 0),
            ("q=user-3&account=demo", 4), ("account=demo&state=refunded", 1),
            ("q=&state=&account=&product=&from=&to=", 40),
        ])
    func `a filter shows what meets every condition`(query: String, count: Int) async throws {
        let sandbox = try await Self.sandbox(orders: 39)
        let first = try #require(await sandbox.order(of: StoreSamples.transaction(0)))
        _ = try await sandbox.run(.refund(.order(first.order)), account: nil)
        _ = try await sandbox.applyTestSettings(
            StoreSamples.change { $0.failTransactionsEnabled = true })
        _ = try await sandbox.submit(try StoreSamples.request(1000, token: "user-x"))
        let visitor = try await PageVisitor(sandbox)
        let page = try await visitor.get("/orders?\(query)")
        #expect(page.status == 200)
        #expect(page.orders.count == count, "\(query)")
        #expect(page.body.contains("No order matches.") == (count == 0))
        try await visitor.stop()
    }

    @Test func `an order is found by the beginning of its identifier and of its transaction`()
        async throws
    {
        let sandbox = try await Self.sandbox(orders: 20)
        let all = try await Self.all(sandbox)
        let visitor = try await PageVisitor(sandbox)
        let wanted = try #require(all.dropFirst(7).first)
        let id = wanted.order.description
        for length in [8, 12, 20, 36] {
            let found = try await visitor.get("/orders?q=\(id.prefix(length).uppercased())")
            #expect(found.orders == [id], "\(length)")
        }
        let transaction = try #require(wanted.transaction).description
        #expect(try await visitor.get("/orders?q=\(transaction)").orders == [id])
        let none = try await visitor.get("/orders?q=\(id.prefix(30))000000")
        #expect(none.orders.isEmpty)
        try await visitor.stop()
    }

    @Test func `a search says how many match, and a page how many are older`() async throws {
        let visitor = try await PageVisitor(try await Self.sandbox(orders: 180))
        let first = try await visitor.get("/orders?account=bob")
        #expect(first.orders.count == 50 && first.body.contains("120 orders match, newest first"))
        let second = try await visitor.get(try #require(first.older))
        #expect(second.body.contains("70 older orders match"))
        #expect(second.orders.count == 50)
        let third = try await visitor.get(try #require(second.older))
        #expect(third.orders.count == 20 && third.older == nil)
        try await visitor.stop()
    }

    @Test func `a search compares so many orders at a time, and lets others have their turn`()
        async throws
    {
        var state = SandboxState()
        let count = EmbeddedStore.comparedOrders + 10
        for number in 0..<count {
            state.apply(.orderPlaced(Self.order(number), nil))
        }
        let sandbox = SandboxService(
            store: .example, state: state, journal: MemorySandboxJournal(),
            environment: .init(
                executor: QueueExecutor(), clock: StandingClock(),
                now: { Timestamp(milliseconds: 1_700_000_000_000) }))
        var filter = OrderFilter()
        filter.text = SearchText("user-3.")
        let ended = Shared(false)
        let search = Task {
            defer { ended.withLock { $0 = true } }
            return try await sandbox.list(.orders(filter), before: nil, limit: 50)
        }
        // The search has a hundred stretches, and each of these calls one turn.
        for _ in 1...20 { _ = await sandbox.summary() }
        #expect(ended.withLock { !$0 })
        let first = try await search.value
        #expect(first.items.isEmpty && first.searchedTo != nil)
        let second = try await sandbox.list(.orders(filter), before: first.next, limit: 50)
        #expect(second.items.map(\.order.appAccountToken) == ["user-3."])
        #expect(second.next == nil && second.searchedTo == nil)
    }

    private static func order(_ number: Int) -> SandboxOrder {
        let id = OrderID(UniqueID(randomHigh: 3, randomLow: UInt64(number)))
        return SandboxOrder(
            order: StoreOrder(
                order: id, transaction: nil, original: id, account: "demo", product: "coins.100",
                price: Price(amount: StoreSamples.zero, currencyCode: "EUR"),
                country: StoreSamples.germany,
                appAccountToken: OpaqueText("user-\(number)."), state: .purchased, failure: nil,
                completed: true, placedAt: Timestamp(milliseconds: 1_600_000_000_000)),
            kind: .consumable)
    }

    @Test func `accounts come by their newest order, and those without one behind`() async throws {
        let sandbox = try await Self.sandbox(orders: 9)
        let visitor = try await PageVisitor(sandbox)
        let page = try await visitor.get("/accounts")
        let names = page.body.matches(of: #/<a href="\/account\?account=([^"]*)">/#).map {
            String($0.1)
        }
        #expect(names == ["bob", "demo", "alice", "carol", "dora"])
        let found = try await visitor.get("/accounts?q=AR")
        #expect(found.body.contains(">carol</a>") && !found.body.contains(">alice</a>"))
        try await visitor.stop()
    }

    @Test func `counts and lists stay those of the orders, whatever happens to them`() async throws
    {
        let sandbox = try StoreSamples.sandbox()
        var random = SeededGenerator(seed: 11)
        for number in UInt64(0)..<400 {
            let roll = Int.random(in: 0..<10, using: &random)
            _ = try await sandbox.applyTestSettings(
                StoreSamples.change {
                    $0.askToBuyEnabled = roll == 1
                    $0.interruptedPurchasesEnabled = roll == 2
                    $0.failTransactionsEnabled = roll == 3
                })
            let product = ["coins.100", "remove-ads", "pro.monthly"][Int(number % 3)]
            _ = try await sandbox.submit(try StoreSamples.request(number, product: product))
            let known = try await sandbox.testOrders(page: nil, limit: .max).orders
            guard let chosen = known.randomElement(using: &random) else { continue }
            let control: TestControl =
                switch roll {
                case 4: .decide(.order(chosen.order), approved: true)
                case 5: .decide(.order(chosen.order), approved: false)
                case 6: .refund(.order(chosen.order))
                case 7: .resolve(.order(chosen.order))
                case 8: .deleteOrder(.order(chosen.order))
                default: .renew("pro.monthly")
                }
            // Most of them cannot be done to that order, which is as good.
            _ = try? await sandbox.run(control, account: "demo")
            try await Self.compare(sandbox)
        }
        _ = try await sandbox.run(.clear, account: nil)
        try await Self.compare(sandbox)
    }

    /// Holds what is kept for lists to what the orders themselves say.
    private static func compare(_ sandbox: SandboxService) async throws {
        let state = try await sandbox.durableState()
        let summary = await sandbox.summary()
        for word in StoreOrder.State.allCases {
            let count = state.orders.count { $0.order.state == word }
            #expect(summary.orders[word] ?? 0 == count)
        }
        #expect(summary.waitingOrders == state.orders.count(where: \.waitsForPerson))
        let subscriptions = Array(state.subscriptions.values)
        for status in SandboxSubscription.Status.allCases {
            let count = subscriptions.count { $0.status == status }
            #expect(summary.subscriptions[status] ?? 0 == count)
        }
        #expect(summary.waitingSubscriptions == subscriptions.count(where: \.waitsForPerson))
        var filter = OrderFilter()
        let newestFirst = Array(state.orders.reversed())
        #expect(
            try await sandbox.list(.orders(filter), before: nil, limit: .max).items == newestFirst)
        filter.isWaiting = true
        #expect(
            try await sandbox.list(.orders(filter), before: nil, limit: .max).items
                == newestFirst.filter(\.waitsForPerson))
        filter = OrderFilter()
        filter.account = "demo"
        #expect(
            try await sandbox.list(.orders(filter), before: nil, limit: .max).items == newestFirst)
    }
}
