import PaymentCore
import PaymentStorage

/// Events to write, in every shape that a queue makes them.
enum Samples {
    static let time = Timestamp(milliseconds: 1_795_244_400_123)

    static func country(_ text: String) -> CountryCode {
        guard let country = CountryCode(text) else { preconditionFailure("\(text) is no country") }
        return country
    }

    static func price(_ amount: String, _ currency: String) -> Price {
        guard let amount = Amount(amount) else { preconditionFailure("\(amount) is no amount") }
        return Price(amount: amount, currencyCode: currency)
    }

    static let coins = RecordedProduct(
        number: 1,
        product: Product(
            productIdentifier: "coins.100", type: .consumable, localizedTitle: "100 \"Münzen\"",
            localizedDescription: "Für drei/vier\u{1} Spiele", price: price("9.90", "EUR")),
        country: country("DE"))

    static let pro = RecordedProduct(
        number: 2,
        product: Product(
            productIdentifier: "pro.monthly", type: .autoRenewableSubscription,
            localizedTitle: "Pro", localizedDescription: "", iconURL: "https://example.com/p.png",
            price: price("4.99", "USD"),
            subscriptionPeriod: SubscriptionPeriod(unit: .month, numberOfUnits: 1),
            subscriptionGroupIdentifier: "pro",
            introductoryPrice: PricePeriod(
                price: price("0", "USD"),
                period: SubscriptionPeriod(unit: .week, numberOfUnits: 1)),
            discountedPrice: PricePeriod(
                price: price("2.50", "USD"),
                period: SubscriptionPeriod(unit: .day, numberOfUnits: 3))),
        country: country("US"))

    static let origin = Origin(
        uid: 1000, client: "shop", connection: 12, request: 3, trace: "t-1")

    static func transactionID(_ number: UInt64) -> TransactionID {
        TransactionID(UniqueID(high: 0x0123_4567_89AB_4DEF, low: 0x8000_0000_0000_0000 | number))
    }

    static func orderID(_ number: UInt64) -> OrderID {
        OrderID(UniqueID(high: 0xFEDC_BA98_7654_4210, low: 0x9000_0000_0000_0000 | number))
    }

    static func transaction(
        _ number: UInt64, _ state: TransactionState = .waiting, revision: UInt32 = 1,
        origin: Origin? = nil, time: Timestamp = time
    ) -> Transaction {
        Transaction(
            id: transactionID(number), account: "demo",
            payment: Payment(product: coins, appAccountToken: nil), state: state,
            country: country("DE"), reason: .purchase, revision: revision, createdAt: time,
            updatedAt: time, origin: origin)
    }

    /// An `added` event with a key.
    static func added(_ number: UInt64) -> Event {
        .transaction(.added(key: OpaqueText("key-\(number)")), transaction(number))
    }

    /// One event of each kind and of each odd shape, in an order in which they can be read back.
    static let all = versionOne + versionTwo

    /// The events that version 1 of the format knew, as they were then.
    static let versionOne: [(event: Event, origin: Origin?)] = {
        var full = transaction(2, .purchased, revision: 3, origin: origin)
        full.payment = Payment(product: pro, appAccountToken: "user \\ 7")
        full.country = country("US")
        full.order = orderID(1)
        full.originalOrder = orderID(2)
        var ownerless = transaction(3, .restored, revision: 7)
        ownerless.account = nil
        let large = Origin(uid: .max, connection: .max, request: 1 << 53)
        return [
            (.started(incarnation: 1), nil),
            (.productRecorded(coins), nil),
            (.productRecorded(pro), origin),
            (.transaction(.added(key: nil), transaction(1)), nil),
            (.transaction(.added(key: "k/\u{7F}\"1"), transaction(2, origin: origin)), origin),
            (.transaction(.submitted(key: nil), transaction(2, .submitted, revision: 2)), nil),
            (.transaction(.refreshed, transaction(1, revision: 2)), nil),
            (.transaction(.deferred, transaction(1, .deferred, revision: 3)), nil),
            (.transaction(.purchased, full), origin),
            (.transaction(.failed, transaction(1, .failed(.declined), revision: 4)), nil),
            (
                .transaction(
                    .failed, transaction(1, .failed(PaymentFailure(.cancelled)), revision: 5)), nil
            ),
            (.transaction(.restored, ownerless), nil),
            (
                .transaction(.completing, transaction(2, .completing, origin: large)), large
            ),
            (
                .transaction(
                    .removed(.discardedByGate), transaction(1, .waiting, revision: 9)), nil
            ),
            (
                .sessionChanged(
                    from: nil, to: Session(account: "demo", country: country("DE"))), origin
            ),
            (
                .sessionChanged(
                    from: Session(account: "demo", country: country("DE")), to: nil), nil
            ),
            (.countryAssumed(country("FR")), origin),
            (.countryAssumed(nil), nil),
            (.forgotten(before: time), nil),
        ]
    }()

    /// One item of each kind, in an order in which they can be read back.
    static let items = versionOneItems + versionTwoItems

    /// The items that version 1 of the format knew, as they were then.
    static let versionOneItems: [SnapshotItem] = {
        var full = transaction(2, .purchased, revision: 3, origin: origin)
        full.payment = Payment(product: pro, appAccountToken: "user")
        full.updatedAt = time.advanced(bySeconds: 60)
        full.order = orderID(1)
        let finish = Finish(time: time.advanced(bySeconds: 90), reason: .finished, origin: origin)
        return [
            .counters(incarnation: 3),
            .session(Session(account: "demo", country: country("DE"))),
            .assumedCountry(nil),
            .product(coins),
            .product(pro),
            .transaction(transaction(1), key: "k1", newestEvent: 12, user: nil),
            .transaction(full, key: nil, newestEvent: 13, user: nil),
            .finished(
                transaction(3, .failed(.declined), revision: 2, origin: origin), key: "k3", finish),
            .order(orderID(1), transactionID(2)),
        ]
    }()
}

extension LocalLog {
    /// Appends events as one batch and commits them.
    @discardableResult
    func commit(_ events: [(event: Event, origin: Origin?)]) throws -> [SequenceNumber] {
        let sequences = events.map { append($0.event, time: Samples.time, origin: $0.origin) }
        try commit()
        return sequences
    }

    /// Appends a batch of small events, each telling its own number, and commits it.
    func commitNumbers(_ numbers: ClosedRange<UInt64>) throws {
        for number in numbers {
            _ = append(.started(incarnation: number), time: Samples.time, origin: nil)
        }
        try commit()
    }
}

extension [Record] {
    /// The numbers that `commitNumbers` wrote.
    var numbers: [UInt64] {
        compactMap { if case .started(let number) = $0.event { number } else { nil } }
    }
}
