import PaymentCore
import PaymentTesting
import SandboxControl
import Testing

@testable import PaymentSandbox

/// A subscription with a trial and a cheaper one that it may change to.
@Suite struct SandboxRenewalTests {
    private static let high: ProductIdentifier = "high"
    private static let low: ProductIdentifier = "low"
    private static let japan = Samples.country("JP")
    private static let day: Int64 = 86_400_000

    private var state = SandboxState()
    private var country = Samples.germany
    private var offer: CatalogueOffer? = CatalogueOffer(
        mode: .freeTrial, prices: .byCountry([Samples.germany: Self.price("0", "EUR")]),
        period: SubscriptionPeriod(unit: .week, numberOfUnits: 1))
    private var orders: UInt64 = 0
    private var real = Timestamp(milliseconds: 1_700_000_000_000)

    private var store: StoreCatalogue {
        let products = [
            (Self.high, SubscriptionPeriod.Unit.month, 1, "9.99", "1200"),
            (Self.low, .week, 2, "1.99", "250"),
        ].map { identifier, unit, level, euros, yen in
            var product = CatalogueProduct(
                productIdentifier: identifier, type: .autoRenewableSubscription, texts: [],
                prices: .byCountry([
                    Samples.germany: Self.price(euros, "EUR"), Self.japan: Self.price(yen, "JPY"),
                ]))
            product.subscriptionGroupIdentifier = "group"
            product.subscriptionLevel = level
            product.subscriptionPeriod = SubscriptionPeriod(unit: unit, numberOfUnits: 1)
            if identifier == Self.high {
                product.introductoryOffer = offer
            }
            return product
        }
        return StoreCatalogue(
            defaultCountry: Samples.germany,
            accounts: .listed([SandboxAccount(name: Samples.anna, country: country)]),
            products: products)
    }

    private static func price(_ amount: String, _ currency: String) -> Price {
        Samples.product("any", .consumable, amount, currency).price
    }

    /// Runs a control.
    ///
    /// - Returns: The order that it shows.
    @discardableResult
    private mutating func run(_ control: TestControl) throws -> OrderID {
        orders += 1
        real.milliseconds += 1
        let decision = try ControlRules(state: state, store: store).decide(
            control, account: Samples.anna, as: Samples.order(orders), at: real)
        for event in decision.events { state.apply(event) }
        return try #require(decision.order)
    }

    private mutating func advance(days: Int64) {
        let limit = Timestamp(milliseconds: state.now(at: real).milliseconds + days * Self.day)
        while state.now(at: real) < limit {
            orders += 1
            for event in SaleRules(state: state, store: store).decideAdvance(
                to: limit, as: Samples.order(orders), at: real)
            {
                state.apply(event)
            }
        }
    }

    private var last: StoreOrder { get throws { try #require(state.orders.last).order } }

    @Test("A renewal that is paid late by buying after the trial pays for a whole period")
    mutating func lateAfterTrial() throws {
        try run(.buy(Self.high, appAccountToken: nil))
        state.apply(
            .settingsChanged(StoreSamples.change { $0.shouldEnterBillingRetryOnRenewal = true }))
        advance(days: 8)
        let late = try run(.buy(Self.high, appAccountToken: nil))
        let paid = try #require(state.order(late)).order
        #expect(paid.charge == Charge(price: Self.price("9.99", "EUR")))
        let end = try #require(paid.expiresAt)
        #expect(end.milliseconds - paid.placedAt.milliseconds >= 28 * Self.day)
    }

    @Test("A due renewal that is paid by buying again elsewhere is one of the subscription")
    mutating func dueElsewhere() throws {
        offer = nil
        let first = try run(.buy(Self.high, appAccountToken: nil))
        state.apply(
            .settingsChanged(StoreSamples.change { $0.shouldEnterBillingRetryOnRenewal = true }))
        advance(days: 32)
        country = Self.japan
        let before = state
        let lateOrder = try run(.buy(Self.high, appAccountToken: nil))
        let late = try #require(state.order(lateOrder)).order
        #expect(late.price == Self.price("9.99", "EUR") && late.country == Samples.germany)
        #expect(late.charge == Charge(price: late.price) && late.original == first)

        state = before
        let sold = try #require(store.product(Self.high, in: Self.japan))
        var request = OrderRequest(
            transaction: Samples.transaction(1), account: Samples.anna, product: sold,
            country: Self.japan, appAccountToken: nil)
        guard case .record(let refusal, .priceChanged(let offered)) = try decide(request) else {
            Issue.record("the price of the subscription is not that of the catalogue")
            return
        }
        state.apply(refusal)
        request.product = offered
        request.attempt = 2
        guard case .record(let event, .purchased(let paid)) = try decide(request) else {
            Issue.record("the price that was asked for is refused")
            return
        }
        state.apply(event)
        let known = try #require(state.order(of: Samples.transaction(1))).order
        #expect(known.price == Self.price("9.99", "EUR") && known.country == Samples.germany)
        #expect(known.charge == paid.charge && paid.charge == Charge(price: known.price))
        #expect(try decide(request) == .answer(.purchased(paid)))
    }

    @Test("A price that was raised without consent ends what is due, and buying again begins anew")
    mutating func raisedWhileDue() throws {
        offer = nil
        let first = try run(.buy(Self.high, appAccountToken: nil))
        state.apply(
            .settingsChanged(StoreSamples.change { $0.shouldEnterBillingRetryOnRenewal = true }))
        advance(days: 32)
        try run(.priceIncrease(Self.high, .pending))
        let newOrder = try run(.buy(Self.high, appAccountToken: nil))
        let again = try #require(state.order(newOrder)).order
        #expect(again.charge == Charge(price: Self.price("9.99", "EUR")))
        #expect(again.original == first)
        #expect(state.subscription(ofChain: first)?.increase == nil)
        try run(.priceIncrease(Self.high, .consent))
    }

    private func decide(_ request: OrderRequest) throws -> OrderRules.SubmitDecision {
        try OrderRules(state: state, store: store).decide(request, as: Samples.order(99), at: real)
    }

    /// Ways in which a change is given up, after which it must not look as if it were to come.
    private static let waysBack: [@Sendable (inout SandboxRenewalTests) throws -> Void] = [
        { try $0.run(.buy(high, appAccountToken: nil)) },
        { try $0.run(.buy(low, appAccountToken: nil)) },
        { try $0.run(.expire(high)) },
        { try $0.run(.refund(.order(Samples.order(1)))) },
        {
            try $0.run(.autoRenew(high, false))
            $0.advance(days: 8)
        },
        {
            $0.state.apply(
                .settingsChanged(StoreSamples.change { $0.shouldEnterBillingRetryOnRenewal = true })
            )
            $0.advance(days: 8)
            try $0.run(.buy(high, appAccountToken: nil))
        },
        {
            $0.state.apply(
                .settingsChanged(StoreSamples.change { $0.shouldEnterBillingRetryOnRenewal = true })
            )
            $0.advance(days: 70)
        },
    ]

    @Test(
        "The order of a change that was given up is revoked, and no money moves", arguments: 0..<7)
    mutating func droppedPlan(way: Int) throws {
        try run(.buy(Self.high, appAccountToken: nil))
        let plan = try run(.buy(Self.low, appAccountToken: nil))
        let planned = try #require(state.order(plan)).order
        #expect(planned.state == .purchased && planned.charge?.offer == .scheduled)
        try Self.waysBack[way](&self)
        let dropped = try #require(state.order(plan)).order
        #expect(dropped.state == .refunded)
        #expect(dropped.charge?.price == Price.zero(currencyCode: "EUR"))
        #expect(dropped.charge?.effectiveAt == planned.charge?.effectiveAt)
        #expect(dropped.charge?.revocation?.reason == OrderRevocation.replaced)
        let told = try PurchasePages(state: state, store: store).purchases(
            .unfinished, of: Samples.anna, page: nil
        ).revoked
        let revoked = try #require(told.first { $0.order == plan })
        #expect(revoked.revocation == dropped.charge?.revocation)
        #expect(revoked.keepsProduct, "it never gave the product")
        let history = PurchasePages(state: state, store: store).history(of: Samples.anna, at: real)?
            .history
        #expect(history?.transactions.contains { $0.orderID == plan } == false)
        var loaded = SandboxState()
        try state.pieces.items { try loaded.load($0) }
        #expect(loaded == state)
    }

    @Test("The refund of an older period leaves the product, that of the newest takes it")
    mutating func refundOfPeriods() throws {
        let first = try run(.buy(Self.low, appAccountToken: nil))
        advance(days: 8)
        let newest = try last.order
        #expect(newest != first)
        func keeps(_ order: OrderID) throws -> Bool? {
            let pages = PurchasePages(state: state, store: store)
            return try pages.purchases(.unfinished, of: Samples.anna, page: nil).revoked
                .first { $0.order == order }?.keepsProduct
        }
        try run(.refund(.order(first)))
        #expect(try keeps(first) == true)
        try run(.refund(.order(newest)))
        #expect(try keeps(newest) == false)
        #expect(try keeps(first) == false)
    }

    @Test("The refund of what an upgrade has replaced, or of a plan, takes no product")
    mutating func refundBesideTheLatest() throws {
        let low = try run(.buy(Self.low, appAccountToken: nil))
        try run(.buy(Self.high, appAccountToken: nil))
        let plan = try run(.buy(Self.low, appAccountToken: nil))
        for order in [low, plan] { try run(.refund(.order(order))) }
        let revoked = try PurchasePages(state: state, store: store).purchases(
            .unfinished, of: Samples.anna, page: nil
        ).revoked
        #expect(Set(revoked.map(\.order)) == [low, plan])
        #expect(revoked.map(\.keepsProduct) == [true, true])
    }

    @Test("The order of a change that took effect is not revoked")
    mutating func keptPlan() throws {
        try run(.buy(Self.high, appAccountToken: nil))
        let plan = try run(.buy(Self.low, appAccountToken: nil))
        advance(days: 8)
        try run(.buy(Self.high, appAccountToken: nil))
        #expect(try #require(state.order(plan)).order.state == .purchased)
    }

    @Test("A change takes effect in the country that it was bought in")
    mutating func countryOfChange() throws {
        try run(.buy(Self.high, appAccountToken: nil))
        country = Self.japan
        try run(.buy(Self.low, appAccountToken: "moved"))
        advance(days: 8)
        #expect(try last.charge == Charge(price: Self.price("250", "JPY")))
        #expect(try last.country == Self.japan)
        #expect(try last.appAccountToken == "moved")
    }

    @Test("A refund of a change that was given up leaves the one in force alone")
    mutating func refundOfOldChange() throws {
        try run(.buy(Self.high, appAccountToken: nil))
        let first = try run(.buy(Self.low, appAccountToken: "first"))
        try run(.buy(Self.high, appAccountToken: nil))
        try run(.buy(Self.low, appAccountToken: "second"))
        try run(.refund(.order(first)))
        advance(days: 8)
        #expect(try last.product == Self.low)
        #expect(try last.appAccountToken == "second")
    }

    @Test("What one is subscribed to is sold again where its order was deleted")
    mutating func deletedOrderOfAnUpgrade() throws {
        try run(.buy(Self.low, appAccountToken: nil))
        let upgrade = try run(.buy(Self.high, appAccountToken: nil))
        try run(.deleteOrder(.order(upgrade)))
        let again = try run(.buy(Self.high, appAccountToken: "again"))
        #expect(again != upgrade)
        #expect(try last.product == Self.high)
        #expect(try last.appAccountToken == "again")
    }

    @Test("A change whose order is deleted does not happen")
    mutating func deletedChange() throws {
        try run(.buy(Self.high, appAccountToken: "buyer"))
        let change = try run(.buy(Self.low, appAccountToken: "changer"))
        try run(.deleteOrder(.order(change)))
        advance(days: 8)
        #expect(try last.product == Self.high)
        #expect(try last.appAccountToken == "buyer")
    }

    @Test("Who has agreed to a higher price pays it with the next renewal, forced or not")
    mutating func forcedAfterConsent() throws {
        offer = nil
        try run(.buy(Self.high, appAccountToken: nil))
        try run(.priceIncrease(Self.high, .consent))
        try run(.renew(Self.high))
        #expect(try last.charge == Charge(price: Self.price("10.99", "EUR")))
        try run(.priceIncrease(Self.high, .pending))
        try run(.renew(Self.high))
        #expect(try last.charge == Charge(price: Self.price("10.99", "EUR")))
    }

    @Test("A higher price that was agreed to is paid when the introductory offer is over")
    mutating func higherAfterOffer() throws {
        offer = CatalogueOffer(
            mode: .payAsYouGo, prices: .byCountry([Samples.germany: Self.price("0.99", "EUR")]),
            period: SubscriptionPeriod(unit: .month, numberOfUnits: 1), periods: 2)
        try run(.buy(Self.high, appAccountToken: nil))
        try run(.priceIncrease(Self.high, .consent))
        advance(days: 32)
        #expect(
            try last.charge
                == Charge(price: Self.price("0.99", "EUR"), offer: .introductory))
        advance(days: 31)
        #expect(try last.charge == Charge(price: Self.price("10.99", "EUR")))
    }
}
