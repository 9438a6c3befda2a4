import PaymentCore
import PaymentStorage
import PaymentTesting

/// Makes events of every kind with odd texts, numbers and gaps, as a seed says.
struct EventMaker {
    private var generator: SeededGenerator

    /// How many kinds of events there are to choose from.
    static let kinds = 16

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// An event of a kind. Products that it names are `Samples.coins` and `Samples.pro`.
    mutating func event(kind: Int) -> Event {
        switch kind {
        case 0: .started(incarnation: number())
        case 1: .productRecorded(chance() ? Samples.coins : Samples.pro)
        case 2: transactionEvent()
        case 3:
            chance()
                ? .sessionChanged(from: session(), to: session())
                : .sessionChanged(from: session(), to: nil, cause: pick())
        case 4: .countryAssumed(maybe { $0.country() })
        case 5: .forgotten(before: time())
        case 6:
            .policyChanged(
                GatePolicy(
                    mode: pick(), timeoutMs: Int64(bitPattern: number()), fallback: chance(),
                    afterLogin: pick()))
        case 7: .questionOpened(question())
        case 8:
            .questionClosed(
                QuestionClosing(
                    id: QuestionID(identifier()), account: maybe { $0.text() },
                    value: maybe { $0.chance() }, reason: pick(), note: maybe { $0.text() }))
        case 9: .restoreRequested(restore(), key: maybe { $0.text() })
        case 10: .restoreJoined(RestoreID(identifier()), key: text())
        case 11:
            .restoreEnded(
                RestoreID(identifier()), account: maybe { $0.text() },
                chance() ? .completed(count: Int(number())) : .failed(pick()))
        case 12: .entitlementsRevoked(revocation())
        case 13: .productsChanged(revision: number())
        case 14: .observerForgotten(text())
        default: .acknowledged(observer: text(), upTo: number())
        }
    }

    private mutating func transactionEvent() -> Event {
        let states: [TransactionState] = [
            .waiting, .gated, .submitted, .deferred, .purchased, .completing, .restored,
            .failed(PaymentFailure(pick(), reason: maybe { $0.text().string })),
        ]
        let changes: [TransactionChange] = [
            .added(key: maybe { $0.text() }), .gated, .submitted(key: maybe { $0.text() }),
            .refreshed, .deferred,
            .purchased, .appeared, .failed, .restored, .redelivered, .revoked, .completing,
            .removed(pick()),
        ]
        let charge = maybe { $0.charge() }
        var transaction = Transaction(
            id: TransactionID(identifier()), account: maybe { $0.text() },
            payment: Payment(
                product: chance() ? Samples.coins : Samples.pro,
                appAccountToken: maybe { $0.text() }),
            state: one(of: states), country: country(),
            order: maybe { OrderID($0.identifier()) },
            originalOrder: maybe { OrderID($0.identifier()) }, charge: charge,
            requestedToken: charge?.offer == .alreadyOwned ? maybe { $0.text() } : nil,
            reason: pick(),
            revision: UInt32(truncatingIfNeeded: number()), createdAt: time(),
            updatedAt: Samples.time)
        transaction.attempt = chance() ? UInt32.random(in: 0...3, using: &generator) : .max
        transaction.isConfirmed = chance()
        return .transaction(one(of: changes), transaction)
    }

    private mutating func charge() -> Charge {
        Charge(
            price: Samples.pro.product.price, offer: maybe { $0.pick() },
            effectiveAt: maybe { $0.time() },
            revocation: maybe { OrderRevocation(at: $0.time(), reason: $0.text().string) })
    }

    private mutating func question() -> Question {
        Question(
            id: QuestionID(identifier()), kind: pick(), account: maybe { $0.text() },
            transaction: maybe { TransactionID($0.identifier()) }, cause: maybe { $0.pick() },
            product: maybe { $0.chance() ? Samples.coins : Samples.pro },
            country: maybe { $0.country() }, fallback: chance(),
            patienceMs: Int64(bitPattern: number()), openedAt: time())
    }

    private mutating func restore() -> Restore {
        Restore(
            id: RestoreID(identifier()), account: maybe { $0.text() },
            appAccountToken: maybe { $0.text() }, createdAt: time())
    }

    private mutating func revocation() -> Revocation {
        let count = Int.random(in: 0...RecordBounds.ordersPerRevocation, using: &generator)
        return Revocation(
            account: text(), products: (0..<count / 2).map { _ in text() },
            orders: (0..<count).map { _ in OrderID(identifier()) },
            revocations: chance()
                ? (0..<count).map { _ in OrderRevocation(at: time(), reason: text().string) } : [])
    }

    private mutating func session() -> Session? {
        maybe { Session(account: $0.text(), country: $0.country()) }
    }

    private mutating func text() -> OpaqueText {
        let pieces = ["", "a", "\"", "\\", "\n", "\u{1}", "/", "é", "e\u{301}", "{\"c\":\"", "🛒"]
        let count = Int.random(in: 0...12, using: &generator)
        return OpaqueText((0..<count).map { _ in one(of: pieces) }.joined())
    }

    private mutating func country() -> CountryCode {
        Samples.country(one(of: ["DE", "US", "ZZ", "AA"]))
    }

    private mutating func time() -> Timestamp {
        Timestamp(milliseconds: Int64.random(in: -1 << 40...1 << 45, using: &generator))
    }

    private mutating func identifier() -> UniqueID {
        UniqueID(high: generator.next(), low: generator.next())
    }

    /// Below 2^53, and often small.
    private mutating func number() -> UInt64 {
        generator.next() >> UInt64.random(in: 11...63, using: &generator)
    }

    private mutating func chance() -> Bool { Bool.random(using: &generator) }

    private mutating func one<Element>(of elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &generator)]
    }

    private mutating func pick<Word: CaseIterable>() -> Word {
        one(of: Array(Word.allCases))
    }

    private mutating func maybe<Value>(_ make: (inout EventMaker) -> Value) -> Value? {
        chance() ? make(&self) : nil
    }
}
