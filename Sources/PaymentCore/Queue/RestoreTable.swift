/// The running restores, and the remembered restores that have ended.
struct RestoreTable: Sendable {
    /// One restore.
    struct Entry: Sendable {
        var restore: Restore
        var keys: [OpaqueText]
        /// The user whose call began it; nil without a client and in snapshots of older versions.
        var user: UInt32?
        var outcome: RestoreOutcome?
        var endedAt: Timestamp?
    }

    private(set) var entries: [RestoreID: Entry] = [:]
    /// The running restores, in the order of acceptance.
    private(set) var running: [RestoreID] = []
    /// The remembered restores that have ended, in the order of ending.
    private(set) var ended: [RestoreID] = []
    private(set) var keys: [OpaqueText: RestoreID] = [:]
    /// The time when the last restore of each account ended.
    private(set) var lastEnd: [AccountName: Timestamp] = [:]

    /// The running restores by user.
    private(set) var share = Share()

    subscript(id: RestoreID) -> Entry? { entries[id] }

    /// The running restores of an account, in the order of acceptance.
    func running(of account: AccountName?) -> [Restore] {
        running.compactMap { entries[$0]?.restore }.filter { $0.account == account }
    }

    /// The running restore of an account for the user whose turn comes next after a turn, and its
    /// turn.
    func next(of account: AccountName, after last: UInt64) -> (restore: Restore, turn: UInt64)? {
        running.lazy.compactMap { entries[$0] }.filter { $0.restore.account == account }
            .map { (restore: $0.restore, turn: UserTurn.of($0.user)) }
            .min { UserTurn.rank($0.turn, after: last) < UserTurn.rank($1.turn, after: last) }
    }

    /// Whether a remembered restore ended before a time.
    func hasEnded(before: Timestamp) -> Bool {
        ended.contains { (entries[$0]?.endedAt ?? before) < before }
    }

    /// Stores a restore; false if it or one of its keys exists.
    mutating func insert(_ restore: Restore, keys new: [OpaqueText], user: UInt32?) -> Bool {
        guard entries[restore.id] == nil, new.allSatisfy({ keys[$0] == nil }) else { return false }
        entries[restore.id] = Entry(restore: restore, keys: new, user: user)
        running.append(restore.id)
        share.take(for: user)
        for key in new { keys[key] = restore.id }
        return true
    }

    /// Adds a key to a restore; false if the restore is unknown or the key is in use.
    mutating func join(_ id: RestoreID, key: OpaqueText) -> Bool {
        guard entries[id] != nil, keys[key] == nil else { return false }
        entries[id]?.keys.append(key)
        keys[key] = id
        return true
    }

    /// Assigns the restores without an account to an account.
    mutating func claim(for account: AccountName) {
        // A restore without an account has not ended, so only running ones are searched.
        for id in running where entries[id]?.restore.account == nil {
            entries[id]?.restore.account = account
        }
    }

    /// Ends a restore; false if it is unknown or has ended before.
    @discardableResult
    mutating func end(_ id: RestoreID, _ outcome: RestoreOutcome, at time: Timestamp) -> Bool {
        guard let place = running.firstIndex(of: id) else { return false }
        running.remove(at: place)
        share.giveBack(of: entries[id]?.user)
        ended.append(id)
        entries[id]?.outcome = outcome
        entries[id]?.endedAt = time
        // The clock may have been set back. Without the maximum, transactions of one restore could
        // count for the next one.
        if let account = entries[id]?.restore.account { noteEnd(of: account, at: time) }
        return true
    }

    /// Notes the end of a restore that may be forgotten.
    mutating func noteEnd(of account: AccountName, at time: Timestamp) {
        lastEnd[account] = max(lastEnd[account] ?? time, time)
    }

    /// Removes restores that ended.
    mutating func remove(_ ids: Set<RestoreID>) {
        // Mostly the oldest are removed, so that the others need no search.
        let oldest = ended.prefix { ids.contains($0) }.count
        ended.removeFirst(oldest)
        if oldest < ids.count { ended.removeAll { ids.contains($0) } }
        for id in ids {
            for key in entries[id]?.keys ?? [] { keys[key] = nil }
            entries[id] = nil
        }
    }

    /// Forgets restores that ended before a time.
    mutating func forget(before: Timestamp) {
        remove(Set(ended.filter { id in (entries[id]?.endedAt ?? before) < before }))
    }

    func snapshotItems<Failure>(
        withClosed: Bool, _ body: (SnapshotItem) throws(Failure) -> Void
    ) throws(Failure) {
        for id in running {
            guard let entry = entries[id] else { continue }
            try body(.restore(entry.restore, keys: entry.keys, user: entry.user))
        }
        for id in ended where withClosed {
            guard let entry = entries[id], let outcome = entry.outcome, let at = entry.endedAt
            else { continue }
            try body(.endedRestore(entry.restore, keys: entry.keys, outcome, at: at))
        }
        let last = lastEnd.sorted { OpaqueText.precedes($0.key, $1.key) }
        for (account, time) in last { try body(.lastRestoreEnd(account, at: time)) }
    }
}

extension PaymentQueue {
    mutating func accept(
        _ restore: Restore, key: OpaqueText?, user: UInt32?
    ) throws(IllegalRecord) {
        guard restore.account == session?.account else {
            throw IllegalRecord("restore \(restore.id) cannot be accepted")
        }
        try load(restore, keys: key.map { [$0] } ?? [], user: user)
    }

    mutating func load(
        _ restore: Restore, keys new: [OpaqueText], user: UInt32?
    ) throws(IllegalRecord) {
        guard new.allSatisfy({ locate(key: $0) == nil }),
            restores.insert(restore, keys: new, user: user)
        else {
            throw IllegalRecord("restore \(restore.id) or its key already exists")
        }
    }

    mutating func join(_ id: RestoreID, key: OpaqueText) throws(IllegalRecord) {
        guard locate(key: key) == nil, restores.join(id, key: key) else {
            throw IllegalRecord("restore \(id) cannot be joined")
        }
    }

    mutating func end(
        _ id: RestoreID, _ outcome: RestoreOutcome, _ record: Record
    ) throws(IllegalRecord) {
        guard restores.end(id, outcome, at: record.time) else {
            throw IllegalRecord("restore \(id) is not under way")
        }
    }

    mutating func revoke(
        _ revocation: Revocation, _ record: Record
    ) throws(IllegalRecord) {
        let reasons = revocation.revocations
        guard reasons.isEmpty || reasons.count == revocation.orders.count else {
            throw IllegalRecord("record \(record.sequence) does not explain each revocation")
        }
        for (index, order) in revocation.orders.enumerated() {
            guard revokedOrders[order] == nil else {
                throw IllegalRecord("order \(order) is revoked twice")
            }
            revokedOrders[order] =
                reasons.isEmpty ? OrderRevocation(at: record.time) : reasons[index]
        }
    }

    mutating func changeProducts(to revision: UInt64) throws(IllegalRecord) {
        guard revision > productsRevision else {
            throw IllegalRecord("catalogue \(revision) does not follow \(productsRevision)")
        }
        productsRevision = revision
    }

    /// Adds a transaction that the store reported.
    mutating func takeIn(
        _ transaction: Transaction, _ change: TransactionChange, _ record: Record
    ) throws(IllegalRecord) {
        let isLegal =
            switch (change, transaction.state) {
            case (.appeared, .purchased):
                transaction.order.map { self.transaction(ofOrder: $0) == nil } ?? false
            case (.restored, .restored):
                transaction.order.map { liveTransaction(ofOrder: $0) == nil } ?? false
            default: false
            }
        guard isLegal, transaction.revision == 1, transaction.account != nil else {
            throw IllegalRecord("transaction \(transaction.id) cannot come from the store")
        }
        try insert(transaction, key: nil, lastEvent: record.sequence, user: nil)
        if case .appeared = change, let order = transaction.order {
            own(order, by: transaction.id)
        }
    }
}
