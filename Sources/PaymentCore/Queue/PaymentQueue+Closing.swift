/// Closed things on their way from memory to a history.
extension PaymentQueue {
    /// Passes the closed things in memory to `body`: first transactions in the order of leaving, then
    /// other things, which count as closed by the last record.
    ///
    /// - Parameter body: Receives a closed thing and the time of its closing; nil if that is unknown.
    /// - Throws: The error of `body`.
    public func closings<Failure>(
        _ body: (ClosedEntry, Timestamp?) throws(Failure) -> Void
    ) throws(Failure) {
        let left = accounts.values.flatMap { $0.finished.all }
            .sorted { $0.position < $1.position }
        for entry in left {
            let stored = table[entry.place]
            guard let finish = stored.finished else { continue }
            let fact = ClosedFact.transaction(stored.transaction, key: stored.key, finish)
            let closed = ClosedEntry(sequence: entry.position, fact: fact, user: stored.user)
            try body(closed, finish.time)
        }
        for place in table.places(with: .owner) {
            guard !table.marks(of: place).contains(.transaction),
                let order = table.order(at: place)
            else { continue }
            let fact = ClosedFact.order(order, table.id(at: place))
            try body(ClosedEntry(sequence: head, fact: fact), nil)
        }
        try restores.snapshotItems(withClosed: true) { item throws(Failure) in
            guard case .endedRestore(let restore, let keys, let outcome, let end) = item else {
                return
            }
            let fact = ClosedFact.restore(restore, keys: keys, outcome, at: end)
            try body(ClosedEntry(sequence: head, fact: fact), end)
        }
        for (order, revocation) in orderedRevocations {
            let fact = ClosedFact.revokedOrder(order, revocation)
            try body(ClosedEntry(sequence: head, fact: fact), revocation?.at)
        }
    }

    /// The number of transactions in memory that have left the queue.
    public var closedInMemory: Int { accounts.values.reduce(0) { $0 + $1.finished.count } }

    /// Whether a thing is forgotten that was closed at a time by a record.
    public func isForgotten(_ time: Timestamp, closedBy sequence: SequenceNumber) -> Bool {
        forgotten.contains(time, closedBy: sequence)
    }

    /// Removes closed things that a history now contains. Things that were forgotten meanwhile are
    /// skipped.
    ///
    /// - Parameter keys: An identifier, an order or a revoked order of each thing.
    public mutating func removeClosed(_ keys: some Sequence<ClosedKey>) {
        var ended: Set<RestoreID> = []
        for key in keys {
            switch key {
            case .transaction(let id): removeClosed(id)
            case .order(let order): removeOrder(order)
            case .revokedOrder(let order): revokedOrders[order] = nil
            case .restore(let id): ended.insert(id)
            case .key, .restoredOrder: preconditionFailure("\(key) is not the name of one thing")
            }
        }
        if !ended.isEmpty { restores.remove(ended) }
        if accounts.values.allSatisfy({ $0.finished.count == 0 }) { oldestFinish = nil }
    }

    private mutating func removeClosed(_ id: TransactionID) {
        guard let place = locate(id) else { return }
        let stored = table[place]
        precondition(!stored.isLive, "transaction \(id) is in the queue")
        accounts[stored.transaction.account, default: AccountIndex()].finished
            .remove(position: stored.position)
        remove(place)
    }

    /// Removes an order whose transaction has no record.
    private mutating func removeOrder(_ order: OrderID) {
        guard let place = place(of: order, .owner),
            !table.marks(of: place).contains(.transaction)
        else { return }
        mark(place, .owner, false)
        table.remove(place)
    }
}

extension ClosedFact {
    /// The key that names this thing alone.
    public var name: ClosedKey {
        switch self {
        case .transaction(let transaction, _, _): .transaction(transaction.id)
        case .order(let order, _): .order(order)
        case .revokedOrder(let order, _): .revokedOrder(order)
        case .restore(let restore, _, _, _): .restore(restore.id)
        }
    }
}
