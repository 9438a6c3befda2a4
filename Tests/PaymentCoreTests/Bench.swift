@testable import PaymentCore
import PaymentTesting

/// A queue on the bench: decides and applies at once, keeps the records, and counts time and
/// identifiers by itself.
struct Bench {
    var queue: PaymentQueue
    var records: [Record] = []
    var catalogues: [CountryCode: Catalogue]
    var paymentsAllowed = true
    var defaultCountry: CountryCode? = Samples.germany
    var time = Samples.noon
    var origin: Origin? = Samples.origin
    private var nextID: UInt64 = 0

    /// An empty queue that knows three catalogues.
    init(limits: Limits = Limits()) {
        queue = PaymentQueue(limits: limits)
        queue.limits.exemptUser = Samples.origin.uid
        let countries = [Samples.germany, Samples.france, Samples.norway]
        catalogues = Dictionary(
            uniqueKeysWithValues: countries.map { ($0, Samples.catalogue(of: $0)) })
    }

    /// A queue with an account in session and somebody who watches everything.
    static func busy(_ account: AccountName = Samples.anna) -> Bench {
        var bench = Bench()
        bench.logIn(account)
        bench.queue.activeObservers.everything = true
        return bench
    }

    /// The context of the next decision. Identifiers count on; unused ones are given out again.
    var context: DecisionContext {
        let catalogues = catalogues
        let id = nextID + 1
        return DecisionContext(
            now: time, origin: origin, catalogue: { catalogues[$0] },
            defaultCountry: defaultCountry, makeID: { Samples.transaction(id).value },
            paymentsAllowed: paymentsAllowed)
    }

    /// The context of the next decision, with what it needs of closed things.
    func context(closed keys: [ClosedKey]) -> DecisionContext {
        var context = context
        context.closed = queue.closedFacts(keys)
        return context
    }

    /// Leaves identifiers out, for a bench that goes on where another one left off.
    mutating func skipIDs(_ count: UInt64) {
        nextID += count
    }

    /// Applies what was decided; a decision that cannot be applied is a defect.
    @discardableResult
    mutating func apply(_ events: [Event]) -> [Event] {
        for event in events {
            time.milliseconds += 1
            let record = Record(
                sequence: queue.head + 1, time: time, origin: origin, event: event)
            do {
                try queue.apply(record)
            } catch {
                preconditionFailure("decided what cannot be applied: \(error)")
            }
            records.append(record)
            if case .questionOpened = event { nextID += 1 }
        }
        return events
    }

    mutating func tryAdd(
        _ product: ProductIdentifier, token: OpaqueText? = nil, key: OpaqueText? = nil
    ) throws(Refusal) -> AddDecision {
        var events: [Event] = []
        let request = AddRequest(productIdentifier: product, appAccountToken: token, key: key)
        let context = context(closed: request.closedKeys)
        let decision = try queue.decide(request, context, events: &events)
        if case .accepted = decision { nextID += 1 }
        apply(events)
        return decision
    }

    /// Adds what is known to be acceptable.
    @discardableResult
    mutating func add(
        _ product: ProductIdentifier = Samples.coins, token: OpaqueText? = nil,
        key: OpaqueText? = nil
    ) -> TransactionID {
        do throws(Refusal) {
            switch try tryAdd(product, token: token, key: key) {
            case .accepted(let id), .duplicate(let id): return id
            }
        } catch {
            preconditionFailure("the bench is refused: \(error)")
        }
    }

    /// What `add` is refused with, nil if it is accepted.
    mutating func refusal(
        of product: ProductIdentifier, token: OpaqueText? = nil, key: OpaqueText? = nil
    ) -> Refusal? {
        do throws(Refusal) {
            _ = try tryAdd(product, token: token, key: key)
            return nil
        } catch {
            return error
        }
    }

    @discardableResult
    mutating func finish(_ id: TransactionID) throws(Refusal) -> FinishDisposition {
        var events: [Event] = []
        let context = context(closed: [.transaction(id)])
        let disposition = try queue.decideFinish(id, context, events: &events)
        apply(events)
        return disposition
    }

    /// Logs an account in, in its own country unless another is named; nil logs out.
    @discardableResult
    mutating func logIn(_ account: AccountName?, in country: CountryCode? = nil) -> [Event] {
        var events: [Event] = []
        let home = account == Samples.bert ? Samples.france : Samples.germany
        queue.decideSession(
            account.map { Session(account: $0, country: country ?? home) }, events: &events)
        return apply(events)
    }

    /// The store ends the session.
    @discardableResult
    mutating func endSession() -> [Event] {
        var events: [Event] = []
        queue.decideSessionEnd(events: &events)
        return apply(events)
    }

    /// Starts whatever may start, and says what was started, in order.
    @discardableResult
    mutating func start() -> [Event] {
        var started: [Event] = []
        for _ in 0..<1000 {
            var events: [Event] = []
            queue.decideNextStart(context, events: &events)
            guard !events.isEmpty else { return started }
            started += apply(events)
        }
        preconditionFailure("starting does not come to rest")
    }

    /// Takes the store's answer.
    @discardableResult
    mutating func resolve(_ id: TransactionID, _ outcome: OrderOutcome) -> [Event] {
        var events: [Event] = []
        let context = context(closed: outcome.closedKeys)
        queue.decide(outcome, for: id, context, events: &events)
        return apply(events)
    }

    /// Takes the store's word that an order is completed.
    @discardableResult
    mutating func complete(_ id: TransactionID) -> [Event] {
        var events: [Event] = []
        queue.decideCompleted(id, context, events: &events)
        return apply(events)
    }

    @discardableResult
    mutating func forget(before: Timestamp) -> [Event] {
        var events: [Event] = []
        queue.decideForget(before: before, events: &events)
        return apply(events)
    }

    func state(_ id: TransactionID) -> TransactionState? {
        queue.transaction(id)?.state
    }

    func waitingFor(_ id: TransactionID) -> WaitingFor? {
        queue.transaction(id).flatMap { queue.waitingFor($0) }
    }

    /// The visible unfinished transactions in queue order.
    var unfinished: [TransactionID] {
        var ids: [TransactionID] = []
        queue.forEachUnfinished { transaction, _, _ in
            ids.append(transaction.id)
            return true
        }
        return ids
    }

    /// The visible finished transactions in the order of leaving.
    var finished: [TransactionID] {
        var ids: [TransactionID] = []
        queue.forEachFinished { transaction, _, _ in
            ids.append(transaction.id)
            return true
        }
        return ids
    }
}

/// The states that a transaction can be brought into on the bench.
enum Stage: String, CaseIterable, Sendable {
    case waiting, gated, submitted, deferred, purchased, completing, restored, failed, removed

    /// A busy queue with one transaction in this state.
    func bench() -> (Bench, TransactionID) {
        var bench = Bench.busy()
        if self == .restored {
            let transaction = bench.restoredTransaction()
            return (bench, transaction.id)
        }
        let id = bench.add(key: "the key")
        if self == .waiting { return (bench, id) }
        if self == .gated {
            bench.queue.activeObservers.hasPaymentAgent = true
            bench.start()
            return (bench, id)
        }
        bench.start()
        let order = Samples.order(1)
        switch self {
        case .waiting, .gated, .submitted, .restored: break
        case .deferred: bench.resolve(id, .deferred(order: order))
        case .failed: bench.resolve(id, .failed(.declined, order: nil))
        case .purchased, .completing, .removed:
            bench.resolve(id, .purchased(order: order, original: order))
        }
        if self == .completing || self == .removed { _ = try? bench.finish(id) }
        if self == .removed { bench.complete(id) }
        return (bench, id)
    }
}

extension Bench {
    /// Puts a restored transaction into the queue, as a snapshot would.
    mutating func restoredTransaction() -> Transaction {
        let id = add(Samples.book)
        start()
        resolve(id, .failed(.declined, order: nil))
        guard let failed = queue.transaction(id), let account = failed.account else {
            preconditionFailure("the bench lost \(id)")
        }
        let restored = Transaction(
            id: Samples.transaction(9999), account: account, payment: failed.payment,
            state: .restored, country: failed.country, order: Samples.order(1),
            originalOrder: Samples.order(1), reason: .restore, revision: 1, createdAt: time,
            updatedAt: time)
        do {
            try queue.load(.transaction(restored, key: nil, newestEvent: queue.head, user: nil))
        } catch {
            preconditionFailure("the bench cannot restore: \(error)")
        }
        return restored
    }
}
