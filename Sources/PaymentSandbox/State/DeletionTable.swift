import PaymentCore

/// The identifiers of deleted orders, and the newest deletions of each account.
struct DeletionTable: Sendable, Hashable {
    /// The maximum number of listed deletions of an account. A queue that misses more deletions than
    /// that keeps the transactions of the older ones.
    static let limitPerAccount = 10_000

    /// The identifiers of deleted orders and of their transactions.
    private(set) var names: Set<UniqueID> = []
    /// The newest deletions of each account, in order: each order with the transaction that requested
    /// it, and again with each transaction that was answered with it.
    private(set) var orders: [AccountName: [DeletedOrder]] = [:]

    /// Whether an order or a transaction with this identifier was deleted.
    func contains(_ name: UniqueID) -> Bool { names.contains(name) }

    /// Adds an order of an account, for one of its transactions.
    mutating func note(_ deleted: DeletedOrder, of account: AccountName) {
        names.insert(deleted.order.value)
        if let transaction = deleted.transaction { names.insert(transaction.value) }
        load([deleted], of: account)
    }

    /// Adds identifiers from a snapshot.
    mutating func load(_ names: [UniqueID]) { self.names.formUnion(names) }

    /// Adds deletions of an account, and removes the oldest beyond the limit.
    mutating func load(_ deleted: [DeletedOrder], of account: AccountName) {
        orders[account, default: []] += deleted
        let excess = orders[account, default: []].count - Self.limitPerAccount
        if excess > 0 { orders[account]?.removeFirst(excess) }
    }
}
