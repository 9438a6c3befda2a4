public import PaymentCore

/// Closed things in memory, as an archive of files would find them.
///
/// Proof: a test fills it and asks it on one thread.
public final class MemoryHistory: ClosedHistory, @unchecked Sendable {
    /// Whether every lookup fails, as it does while an index is missing.
    public var isFailing = false
    /// The keys that were looked up, in order.
    public private(set) var lookups: [ClosedKey] = []
    /// The last record whose closed things are here.
    public private(set) var last: SequenceNumber = 0
    private var entries: [ClosedKey: ClosedEntry] = [:]
    private var inOrder: [ClosedEntry] = []

    /// Starts empty.
    public init() {}

    /// Adds the closed things in the memory of a queue.
    public func addClosings(of queue: PaymentQueue) {
        queue.closings { entry, _ in
            for key in entry.fact.keys { entries[key] = entry }
            inOrder.append(entry)
        }
        last = queue.head
    }

    /// The bytes on a disk.
    public var bytesByUser: [UInt32: Int] = [:]

    /// Whether a closed thing is older than a time, and was not forgotten earlier.
    public func hasPart(before time: Timestamp, notBefore mark: Timestamp?) -> Bool {
        inOrder.contains { entry in
            guard let end = entry.fact.end else { return false }
            return end < time && mark.map { end >= $0 } ?? true
        }
    }

    /// Looks up a fact, and notes the key.
    public func find(_ key: ClosedKey) throws(ClosedHistoryFailure) -> ClosedEntry? {
        lookups.append(key)
        guard !isFailing else {
            throw ClosedHistoryFailure("the index is missing", isMissingIndex: true)
        }
        return entries[key]
    }

    /// Looks at the next transactions of the account.
    public func page(
        of account: AccountName?, after position: SequenceNumber, limit: Int
    ) throws(ClosedHistoryFailure) -> ClosedPage {
        guard !isFailing else {
            throw ClosedHistoryFailure("the index is missing", isMissingIndex: true)
        }
        let later = inOrder.compactMap { entry -> ClosedPage.Entry? in
            guard case .transaction(let transaction, _, let finish) = entry.fact,
                transaction.account == account, entry.sequence > position
            else { return nil }
            return ClosedPage.Entry(
                sequence: entry.sequence, transaction: transaction, finish: finish)
        }
        let page = Array(later.prefix(limit))
        return ClosedPage(
            entries: page, next: page.count < later.count ? page.last?.sequence : nil)
    }
}

extension ClosedFact {
    /// The time after which the thing is forgotten; nil for things that never are.
    fileprivate var end: Timestamp? {
        switch self {
        case .transaction(_, _, let finish): finish.time
        case .restore(_, _, _, let end): end
        case .order, .revokedOrder: nil
        }
    }

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

    /// The same queue without its closed things, which go to a history instead, as after a checkpoint
    /// and a restart.
    public func archived(to history: MemoryHistory) throws(IllegalRecord) -> PaymentQueue {
        history.addClosings(of: self)
        var open = PaymentQueue(limits: limits)
        try snapshotItems(withClosed: false) { item throws(IllegalRecord) in try open.load(item) }
        open.didLoad(upTo: head)
        open.activeObservers = activeObservers
        return open
    }
}
