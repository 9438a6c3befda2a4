/// Closed things: their lookup in memory, and how decisions read them.
///
/// A decision reads open things in the queue, and closed things in its ``ClosedFacts`` only.
extension PaymentQueue {
    /// The state of a key in memory.
    private enum Known {
        /// An open thing has the key, so that no closed thing matters.
        case open
        case closed(ClosedFact)
        case nothing
    }

    /// The first use of an idempotency key.
    enum KeyUse {
        case transaction(Transaction)
        case restore(Restore)
    }

    /// Looks up the facts for a decision. Memory comes first, so that an open thing needs no read
    /// of the disk.
    ///
    /// - Parameters:
    ///   - keys: The keys that the decision depends on.
    ///   - history: The closed things that memory does not have any more.
    /// - Returns: An answer for each key. A transaction without an account gets the account of a
    ///   later login.
    /// - Throws: An answer is unknown.
    public func closedFacts(
        _ keys: [ClosedKey], in history: any ClosedHistory
    ) throws(ClosedHistoryFailure) -> ClosedFacts {
        var facts = ClosedFacts(of: keys)
        for key in keys {
            switch known(key) {
            case .open: break
            case .closed(let fact): facts.note(fact, for: key)
            case .nothing:
                if let found = try history.find(key), let fact = current(found, for: key) {
                    facts.note(fact, for: key)
                }
            }
        }
        return facts
    }

    private func known(_ key: ClosedKey) -> Known {
        switch key {
        case .transaction(let id): return locate(id).map(known) ?? .nothing
        case .key(let key):
            return locate(key: key).map(known)
                ?? restores.keys[key].map(known) ?? .nothing
        case .order(let order):
            guard let place = place(of: order, .owner) else { return .nothing }
            guard table.marks(of: place).contains(.transaction) else {
                return .closed(.order(order, table.id(at: place)))
            }
            return known(place)
        case .restoredOrder(let order): return place(of: order, .restorer).map(known) ?? .nothing
        case .revokedOrder(let order):
            return revokedOrders[order].map { .closed(.revokedOrder(order, $0)) } ?? .nothing
        case .restore(let id): return known(id)
        }
    }

    private func known(_ place: Int32) -> Known {
        guard !table.isLive(place) else { return .open }
        let stored = record(at: place)
        guard let finish = stored.finished else { return .open }
        return .closed(.transaction(stored.transaction, key: stored.key, finish))
    }

    private func known(_ id: RestoreID) -> Known {
        guard let entry = restores[id] else { return .nothing }
        guard let outcome = entry.outcome, let end = entry.endedAt else { return .open }
        return .closed(.restore(entry.restore, keys: entry.keys, outcome, at: end))
    }

    /// The transactions of a history page that the session sees: without forgotten ones, and
    /// without those that another account owns by a later login.
    public func visible(_ page: ClosedPage) -> ClosedPage {
        var visible = ClosedPage(entries: [], next: page.next)
        for var entry in page.entries
        where !forgotten.contains(entry.finish.time, closedBy: entry.sequence) {
            let owner = entry.transaction.account ?? claims.owner(of: entry.sequence)
            guard isVisible(owner) else { continue }
            entry.transaction.account = owner
            visible.entries.append(entry)
        }
        return visible
    }

    /// A closed thing from the history, adapted to the present state. A forgotten thing is absent,
    /// but its order still names its transaction.
    private func current(_ closed: ClosedEntry, for key: ClosedKey) -> ClosedFact? {
        switch closed.fact {
        case .transaction(var transaction, let used, let finish):
            guard !forgotten.contains(finish.time, closedBy: closed.sequence) else {
                guard case .order(let order) = key else { return nil }
                return .order(order, transaction.id)
            }
            transaction.account = transaction.account ?? claims.owner(of: closed.sequence)
            return .transaction(transaction, key: used, finish)
        case .restore(_, _, _, let end):
            return forgotten.contains(end, closedBy: closed.sequence) ? nil : closed.fact
        case .order, .revokedOrder: return closed.fact
        }
    }

    /// Whether a key names a transaction or a restore. A call with such a key creates nothing; it
    /// gets the outcome of its first use, or a refusal.
    public func isKnown(_ key: OpaqueText, _ closed: ClosedFacts) -> Bool {
        use(of: key, closed) != nil
    }

    /// The first use of an idempotency key; nil if the key is free.
    func use(of key: OpaqueText, _ closed: ClosedFacts) -> KeyUse? {
        if let place = locate(key: key), table.isLive(place) {
            return .transaction(table[place].transaction)
        }
        if let entry = restores.keys[key].flatMap({ restores[$0] }), entry.outcome == nil {
            return .restore(entry.restore)
        }
        return switch closed[.key(key)] {
        case .transaction(let transaction, _, _): .transaction(transaction)
        case .restore(let restore, _, _, _): .restore(restore)
        case .order, .revokedOrder, nil: nil
        }
    }

    /// The transaction that an order became, in the queue or not; nil if the order is unknown.
    func buyer(of order: OrderID, _ closed: ClosedFacts) -> TransactionID? {
        if let place = place(of: order, .owner), table.isLive(place) { return table.id(at: place) }
        return closed[.order(order)]?.buyer
    }

    /// A transaction, in the queue or not; nil if it is unknown.
    func transaction(_ id: TransactionID, _ closed: ClosedFacts) -> Transaction? {
        if let place = locate(id), table.isLive(place) { return table[place].transaction }
        return closed[.transaction(id)]?.transaction
    }
}
