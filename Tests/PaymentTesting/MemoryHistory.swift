public import PaymentCore

/// Closed things in memory, as an archive of files would find them.
///
/// Proof: a test fills it and asks it on one thread.
public final class MemoryHistory: ClosedHistory, @unchecked Sendable {
    /// Whether every lookup fails, as it does while an index is missing.
    public var isFailing = false
    /// The keys that were looked up, in order.
    public private(set) var lookups: [ClosedKey] = []
    private var facts: [ClosedKey: ClosedFact] = [:]
    private var inOrder: [ClosedFact] = []

    /// Starts empty.
    public init() {}

    /// Adds a closed thing.
    public func add(_ fact: ClosedFact) {
        for key in fact.keys { facts[key] = fact }
        inOrder.append(fact)
    }

    /// Removes all closed things and returns them in the order of closing.
    public func takeAll() -> [ClosedFact] {
        defer {
            facts = [:]
            inOrder = []
        }
        return inOrder
    }

    /// Looks up a fact, and notes the key.
    public func find(_ key: ClosedKey) throws(ClosedHistoryFailure) -> ClosedFact? {
        lookups.append(key)
        guard !isFailing else { throw ClosedHistoryFailure("the index is missing") }
        return facts[key]
    }

    /// Always fails: tests of pages read archive files.
    public func page(
        of account: AccountName?, after position: SequenceNumber, limit: Int
    ) throws(ClosedHistoryFailure) -> ClosedPage {
        throw ClosedHistoryFailure("the history in memory has no pages")
    }
}

extension ClosedFact {
    fileprivate var keys: [ClosedKey] {
        switch self {
        case .transaction(let transaction, let key, _):
            let order = transaction.order
            let orders: [ClosedKey] =
                (transaction.purchasedOrder.map { [.order($0)] } ?? [])
                + (transaction.state == .restored ? order.map { [.restoredOrder($0)] } ?? [] : [])
            return [.transaction(transaction.id)] + (key.map { [.key($0)] } ?? []) + orders
        case .order(let order, _): return [.order(order)]
        case .revokedOrder(let order, _): return [.revokedOrder(order)]
        case .restore(let restore, let keys, _, _):
            return [.restore(restore.id)] + keys.map { .key($0) }
        }
    }
}

extension PaymentQueue {
    /// The facts for a decision, from memory alone.
    public func closedFacts(_ keys: [ClosedKey]) -> ClosedFacts {
        do throws(ClosedHistoryFailure) {
            return try closedFacts(keys, in: EmptyHistory())
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// The same queue without its closed things, which go to a history instead.
    ///
    /// Ended restores stay, because the time of the last one of each account counts. So do finished
    /// transactions without an account, which the next login claims.
    public func archived(to history: MemoryHistory) throws(IllegalRecord) -> PaymentQueue {
        var open = PaymentQueue(limits: limits)
        var live: Set<TransactionID> = []
        try snapshotItems { item throws(IllegalRecord) in
            switch item {
            case .finished(let transaction, let key, let finish) where transaction.account != nil:
                return history.add(.transaction(transaction, key: key, finish))
            case .revokedOrder(let order, let revocation):
                return history.add(.revokedOrder(order, revocation))
            case .order(let order, let transaction) where !live.contains(transaction):
                return history.add(.order(order, transaction))
            case .transaction(let transaction, _, _, _): live.insert(transaction.id)
            default: break
            }
            try open.load(item)
        }
        open.didLoad(upTo: head)
        open.activeObservers = activeObservers
        return open
    }

    /// The same queue with the closed things of a history, which loses them.
    public func unarchived(from history: MemoryHistory) throws(IllegalRecord) -> PaymentQueue {
        var full = PaymentQueue(limits: limits)
        let facts = history.takeAll()
        for fact in facts where fact.transaction != nil { try full.load(fact.item) }
        try snapshotItems { item throws(IllegalRecord) in try full.load(item) }
        for fact in facts where fact.transaction == nil { try full.load(fact.item) }
        full.didLoad(upTo: head)
        full.activeObservers = activeObservers
        return full
    }
}
