import PaymentCore

/// The orders that were deleted, as far as they are remembered.
struct DeletionTable: Sendable, Hashable {
    /// Most deleted orders that are listed per account. A queue that was away while more were deleted
    /// keeps the transactions of the older ones.
    static let limitPerAccount = 10_000

    /// Names of orders that were deleted, and of their transactions.
    private(set) var names: Set<UniqueID> = []
    /// The newest orders of each account that were deleted, in the order of deletion: each with the
    /// transaction that asked for it, and once more with each that was given it.
    private(set) var orders: [AccountName: [DeletedOrder]] = [:]

    /// Whether an order or a transaction of that name was deleted.
    func contains(_ name: UniqueID) -> Bool { names.contains(name) }

    /// Adds an order of an account, for one of its transactions.
    mutating func note(_ deleted: DeletedOrder, of account: AccountName) {
        names.insert(deleted.order.value)
        if let transaction = deleted.transaction { names.insert(transaction.value) }
        load([deleted], of: account)
    }

    /// Adds names from a snapshot.
    mutating func load(_ names: [UniqueID]) { self.names.formUnion(names) }

    /// Adds orders of an account, and forgets the oldest beyond the limit.
    mutating func load(_ deleted: [DeletedOrder], of account: AccountName) {
        orders[account, default: []] += deleted
        let excess = orders[account, default: []].count - Self.limitPerAccount
        if excess > 0 { orders[account]?.removeFirst(excess) }
    }
}
