import Foundation
import PaymentCore
import PaymentTesting
import SandboxControl
import StrictJSON
import Testing

@testable import PaymentSandbox

@Suite struct SandboxCodingTests {
    private static let paid: SandboxOrder = {
        var order = StoreOrder(
            order: StoreSamples.order(1), transaction: StoreSamples.transaction(2),
            original: StoreSamples.order(1),
            account: "demo \"é\"", product: "coins.100",
            price: Price(amount: Amount("1.990") ?? StoreSamples.zero, currencyCode: "EUR"),
            country: StoreSamples.germany, appAccountToken: "to\nken", state: .purchased,
            failure: nil,
            completed: true, placedAt: Timestamp(milliseconds: 1_700_000_000_123))
        order.charge = Charge(price: .zero(currencyCode: "EUR"), offer: .introductory)
        var paid = SandboxOrder(order: order)
        paid.group = "gro up"
        paid.agreed = order.price
        return paid
    }()

    private static let failed = SandboxOrder(
        order: StoreOrder(
            order: StoreSamples.order(3), transaction: nil, original: StoreSamples.order(1),
            account: "bob",
            product: "x", price: Price(amount: StoreSamples.zero, currencyCode: "JPY"),
            country: StoreSamples.japan, appAccountToken: nil, state: .failed, failure: .declined,
            completed: false, placedAt: Timestamp(milliseconds: 0)))

    private static let everything = StoreSamples.change {
        $0.failTransactionsEnabled = true
        $0.failureError = "cancelled"
        $0.askToBuyEnabled = false
        $0.paymentsAllowed = true
        $0.latencyMs = 250
        $0.storeDown = false
        $0.storefront = StoreSamples.france
        $0.interruptedPurchasesEnabled = true
        $0.timeRate = .apple(15)
        $0.locale = "de_DE"
        $0.billingGracePeriodIsEnabled = true
        $0.shouldEnterBillingRetryOnRenewal = false
        $0.simulatedErrors = [.products: .connectionError, .history: nil]
    }

    private static let subscription: SandboxSubscription = {
        var subscription = SandboxSubscription(
            key: SubscriptionKey(account: "demo", group: "pro"), original: StoreSamples.order(1),
            product: "pro.monthly", price: paid.order.price, country: StoreSamples.germany,
            period: SubscriptionPeriod(unit: .month, numberOfUnits: 1),
            from: Timestamp(milliseconds: 1_700_000_000_000))
        subscription.nextProduct = "pro.yearly"
        subscription.status = .retrying
        subscription.graceUntil = Timestamp(milliseconds: 1_710_000_000_000)
        subscription.retryUntil = Timestamp(milliseconds: 1_720_000_000_000)
        subscription.increase = .init(price: paid.order.price, isAgreed: true)
        subscription.introductory = .init(price: paid.order.price, left: 2)
        return subscription
    }()

    private static let renewal: SandboxOrder = {
        var renewal = paid
        renewal.kind = .autoRenewableSubscription
        renewal.attempt = 3
        renewal.order.charge = Charge(
            price: .zero(currencyCode: "EUR"), offer: .scheduled,
            effectiveAt: Timestamp(milliseconds: 10),
            revocation: OrderRevocation(at: Timestamp(milliseconds: 9)))
        renewal.settledAt = Timestamp(milliseconds: 7)
        renewal.order.isRenewal = true
        renewal.order.expiresAt = Timestamp(milliseconds: 8)
        return renewal
    }()

    private static let replaced: SandboxOrder = {
        var replaced = renewal
        replaced.order.state = .refunded
        replaced.order.charge?.revocation?.reason = OrderRevocation.replaced
        return replaced
    }()

    private static let unplanned: SandboxSubscription = {
        var unplanned = subscription
        unplanned.nextProduct = nil
        unplanned.dropped = .init(order: StoreSamples.order(2), at: Timestamp(milliseconds: 11))
        return unplanned
    }()

    private static let waiting: SandboxOrder = {
        var waiting = failed
        waiting.isFree = true
        return waiting
    }()

    private static let renewalCharge = Charge(
        price: paid.order.price, offer: .scheduled, effectiveAt: Timestamp(milliseconds: 10))

    private static let clock = SandboxClock(
        setAt: Timestamp(milliseconds: 1), shown: Timestamp(milliseconds: 2), monthSeconds: 30)
    private static let turnedDown = TurnedDown(
        transaction: StoreSamples.transaction(4), attempt: 2, price: paid.order.price)
    private static let offered: TurnedDown = {
        var offered = turnedDown
        offered.isIntroductory = true
        return offered
    }()
    private static let notSold = TurnedDown(
        transaction: StoreSamples.transaction(4), attempt: 5, price: nil)
    private static let elsewhere = TurnedDown(
        transaction: StoreSamples.transaction(4), attempt: 6, price: nil,
        country: StoreSamples.france)

    static let events: [SandboxEvent] = [
        .orderPlaced(paid, nil), .orderPlaced(failed, nil), .orderPaid(StoreSamples.order(1), nil),
        .orderRefused(StoreSamples.order(1), PaymentFailure(.cancelled)),
        .orderRefused(StoreSamples.order(1), .declined), .orderCompleted(StoreSamples.order(1)),
        .settingsChanged(StoreTestSettingsChange()), .settingsChanged(everything),
        .orderPlaced(renewal, subscription),
        .orderPaid(
            StoreSamples.order(1),
            Settlement(
                at: Timestamp(milliseconds: 3), original: StoreSamples.order(2),
                expiresAt: Timestamp(milliseconds: 4),
                terms: .unrecorded(isFree: true, isScheduled: true), subscription: subscription)),
        .orderPaid(
            StoreSamples.order(1),
            Settlement(
                at: Timestamp(milliseconds: 3), original: StoreSamples.order(2),
                terms: .charge(renewalCharge))),
        .alreadyOwned(StoreSamples.transaction(7), StoreSamples.order(1), nil),
        .alreadyOwned(StoreSamples.transaction(7), StoreSamples.order(1), subscription),
        .orderRefunded(StoreSamples.order(1), Timestamp(milliseconds: 5), nil),
        .orderRefunded(StoreSamples.order(1), Timestamp(milliseconds: 5), subscription),
        .ordersDeleted([StoreSamples.order(1), StoreSamples.order(2)]),
        .subscriptionChanged(subscription),
        .orderTurnedDown(turnedDown), .orderTurnedDown(notSold), .orderTurnedDown(offered),
        .orderTurnedDown(elsewhere), .settingsReset, .clockSet(clock),
        .settingsChanged(StoreSamples.change { $0.timeRate = .monthSeconds(300) }),
        .orderPlaced(replaced, unplanned), .orderPlaced(waiting, nil),
    ]

    static let items: [SandboxSnapshotItem] = [
        .settings(everything), .order(paid), .order(failed), .clock(clock), .order(renewal),
        .subscription(subscription), .turnedDown(turnedDown),
        .claim(StoreSamples.transaction(7), StoreSamples.order(1)),
        .deleted(
            "demo",
            [
                DeletedOrder(
                    order: StoreSamples.order(8), transaction: StoreSamples.transaction(9)),
                DeletedOrder(order: StoreSamples.order(10)),
            ]),
        .forgotten([StoreSamples.order(1).value, StoreSamples.transaction(2).value]),
    ]

    private static func line(_ word: StaticString, _ payload: (inout JSONWriter) -> Void) -> String
    {
        var writer = JSONWriter()
        writer.raw("{\"t\":\"")
        writer.raw(word)
        writer.raw("\",\"d\":")
        payload(&writer)
        writer.raw("}\n")
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `records of before charges were recorded say what was charged`() throws {
        let text = try TestFiles.fixture("sandbox-records-before-charges.ndjson")
        let events = try String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap {
            line -> SandboxEvent? in
            let value = try JSONValue(parsing: String(line))
            let word = try #require(value["t"]?.stringValue)
            let payload = try #require(value["d"])
            guard SandboxEvent.typeWords.contains(word) else { return nil }
            return try SandboxEvent(typeWord: word, payload: payload)
        }
        let placed = events.compactMap { event -> Charge? in
            if case .orderPlaced(let placed, _) = event { placed.order.charge } else { nil }
        }
        let nothing = Price.zero(currencyCode: "EUR")
        #expect(placed.map(\.price) == [nothing, nothing])
        #expect(placed.map(\.offer) == [nil, .scheduled])
        #expect(placed.last?.revocation == OrderRevocation(at: Timestamp(milliseconds: 9)))
        let settled = events.compactMap { event -> Charge? in
            guard case .orderPaid(_, let settlement?) = event else { return nil }
            return settlement.charge(of: Self.paid.order.price)
        }
        #expect(settled.map(\.price) == [nothing, Self.paid.order.price])
        #expect(settled.map(\.offer) == [.scheduled, nil])
    }

    @Test func `what was placed as free before charges were recorded is free when it is paid`()
        throws
    {
        let text = try TestFiles.fixture("sandbox-waiting-before-charges.ndjson")
        var state = SandboxState()
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
            let value = try JSONValue(parsing: String(line))
            let word = try #require(value["t"]?.stringValue)
            try state.replay(
                SandboxEvent(typeWord: word, payload: try #require(value["d"])))
            var copy = SandboxState()
            try state.pieces.items { item in
                let line = try JSONValue(parsing: Self.line(item.typeWord, item.encodePayload))
                try copy.load(
                    SandboxSnapshotItem(
                        typeWord: "\(item.typeWord)", payload: try #require(line["d"])))
            }
            #expect(copy == state)
        }
        #expect(
            state.orders.map { $0.order.charge?.price.amount.text } == ["0.00", "0.00", "9.99"])
    }

    @Test func `records are written exactly as the fixture has them`() throws {
        let text =
            Self.events.map { Self.line($0.typeWord, $0.encodePayload) }.joined()
            + Self.items.map { Self.line($0.typeWord, $0.encodePayload) }.joined()
        if ProcessInfo.processInfo.environment["RECORD"] == "1" {
            let folder = URL(filePath: #filePath).deletingLastPathComponent()
            try Data(text.utf8).write(to: folder.appending(path: "Fixtures/sandbox-records.ndjson"))
        }
        let golden = try TestFiles.fixture("sandbox-records.ndjson")
        #expect(text == String(decoding: golden, as: UTF8.self))
    }

    @Test(arguments: events)
    func `an event is read back as it was written`(event: SandboxEvent) throws {
        let line = try JSONValue(parsing: Self.line(event.typeWord, event.encodePayload))
        let read = try SandboxEvent(
            typeWord: "\(event.typeWord)", payload: try #require(line["d"]))
        #expect(read == event)
        #expect(SandboxEvent.typeWords.contains("\(event.typeWord)"))
    }

    @Test(arguments: items)
    func `a snapshot item is read back as it was written`(item: SandboxSnapshotItem) throws {
        let line = try JSONValue(parsing: Self.line(item.typeWord, item.encodePayload))
        let read = try SandboxSnapshotItem(
            typeWord: "\(item.typeWord)", payload: try #require(line["d"]))
        #expect(read == item)
    }

    @Test(arguments: events)
    func `the names of a record are sorted`(event: SandboxEvent) throws {
        let line = try JSONValue(parsing: Self.line(event.typeWord, event.encodePayload))
        let names = try #require(line["d"]?.members).map(\.name)
        #expect(names == names.sorted())
    }

    @Test func `a record with a member missing or wrong is refused`() throws {
        let line = try JSONValue(
            parsing: Self.line(
                "orderPlaced", SandboxEvent.orderPlaced(Self.paid, nil).encodePayload))
        let members = try #require(line["d"]?.members)
        let optional: Set = [
            "agreed", "charged", "completed", "group", "offer", "token", "transaction",
        ]
        for (index, member) in members.enumerated() {
            var missing = members
            missing.remove(at: index)
            var wrong = members
            wrong[index].value = .array([])
            if !optional.contains(member.name) {
                #expect(throws: SandboxCodingFailure.self, "\(member.name)") {
                    try SandboxEvent(typeWord: "orderPlaced", payload: .object(missing))
                }
            }
            #expect(throws: SandboxCodingFailure.self, "\(member.name)") {
                try SandboxEvent(typeWord: "orderPlaced", payload: .object(wrong))
            }
        }
    }

    @Test func `an unknown record is refused and an unknown member is not`() throws {
        #expect(throws: SandboxCodingFailure.self) {
            try SandboxEvent(typeWord: "orderStolen", payload: .object([]))
        }
        #expect(throws: SandboxCodingFailure.self) {
            try SandboxSnapshotItem(typeWord: "orderPlaced", payload: .object([]))
        }
        let event = try SandboxEvent(
            typeWord: "settingsChanged", payload: ["latencyMs": 3, "tomorrow": [true]])
        #expect(event == .settingsChanged(StoreSamples.change { $0.latencyMs = 3 }))
    }

    @Test func `all snapshot items together are the state`() throws {
        var state = SandboxState()
        let now = Timestamp(milliseconds: 5)
        state.apply(.settingsChanged(Self.everything))
        state.apply(.settingsChanged(StoreSamples.change { $0.askToBuyEnabled = true }))
        let working = StoreSamples.change {
            $0.failTransactionsEnabled = false
            $0.interruptedPurchasesEnabled = false
        }
        state.apply(.settingsChanged(working))
        for number: UInt64 in 1...3 {
            let decision = try OrderRules(state: state, store: .example).decide(
                try StoreSamples.request(
                    number, product: "remove-ads", country: StoreSamples.france),
                as: StoreSamples.order(number), at: now)
            if case .record(let event, _) = decision { state.apply(event) }
        }
        state.apply(.orderPaid(StoreSamples.order(1), nil))
        state.apply(.orderCompleted(StoreSamples.order(1)))
        state.apply(.orderRefused(StoreSamples.order(2), PaymentFailure(.cancelled)))
        var copy = SandboxState()
        try state.pieces.items { try copy.load($0) }
        #expect(copy == state)
        #expect(copy.orders.count == 3)
        #expect(copy.owns("remove-ads", account: "demo"))
    }
}
