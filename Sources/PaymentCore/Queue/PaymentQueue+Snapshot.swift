extension PaymentQueue {
    /// Passes the whole state in memory to `body` in items, in an order that ``load(_:)`` accepts.
    ///
    /// Equal states always give the same sequence of items.
    ///
    /// - Parameters:
    ///   - withClosed: Whether closed things are among the items, or only what is open. See
    ///     ``closings(_:)``.
    ///   - body: Receives an item.
    /// - Throws: The error of `body`.
    public func snapshotItems<Failure>(
        withClosed: Bool = true, _ body: (SnapshotItem) throws(Failure) -> Void
    ) throws(Failure) {
        try body(
            .counters(incarnation: incarnation, claimsUnknownUpTo: claims.unknownUpTo))
        try body(.session(session))
        if let endedSession { try body(.endedSession(endedSession)) }
        try body(.assumedCountry(assumedCountry))
        for product in products { try body(.product(product)) }
        for index in orderedIndexes {
            for entry in index.live.all {
                let stored = table[entry.place]
                try body(
                    .transaction(
                        stored.transaction, key: stored.key, newestEvent: stored.lastEvent,
                        user: stored.user))
            }
            for entry in index.finished.all where withClosed {
                let stored = table[entry.place]
                guard let finish = stored.finished else { continue }
                try body(
                    .finished(
                        stored.transaction, key: stored.key, finish, closed: stored.position))
            }
        }
        for (order, transaction, isOpen) in orderedOrders where withClosed || isOpen {
            try body(.order(order, transaction))
        }
        if policy != GatePolicy() { try body(.policy(policy)) }
        try questions.snapshotItems(body)
        try restores.snapshotItems(withClosed: withClosed, body)
        if withClosed {
            for (order, revocation) in orderedRevocations {
                try body(.revokedOrder(order, revocation))
            }
        }
        for claim in claims.all { try body(.claim(claim.account, at: claim.sequence)) }
        for mark in forgotten.all {
            try body(.forgotten(before: mark.before, by: mark.sequence))
        }
        if productsRevision > 0 { try body(.productsRevision(productsRevision)) }
        try observers.snapshotItems(body)
    }

    /// Loads an item of ``snapshotItems(_:)``.
    ///
    /// - Parameter item: The next item, in the same order.
    /// - Throws: The item contradicts earlier ones.
    public mutating func load(_ item: SnapshotItem) throws(IllegalRecord) {
        switch item {
        case .counters(let incarnation, let unknown):
            self.incarnation = incarnation
            claims.unknownUpTo = unknown ?? .max
        case .session(let session):
            self.session = session
        case .endedSession(let ended):
            endedSession = ended
        case .assumedCountry(let country):
            assumedCountry = country
        case .product(let product):
            try keep(product)
        case .transaction(let transaction, let key, let newestEvent, let user):
            try insert(transaction, key: key, lastEvent: newestEvent, user: user)
        case .finished(let transaction, let key, let finish, let closed):
            try insertFinished(transaction, key: key, finish, closed: closed)
        case .order(let order, let transaction):
            guard self.transaction(ofOrder: order) == nil else {
                throw IllegalRecord("order \(order) exists twice")
            }
            own(order, by: transaction)
        case .policy(let policy):
            self.policy = policy
        case .question(let question, let opened):
            try load(question, opened: opened)
        case .closedQuestion(let id, let account, let time):
            questions.remember(id, account: account, closedAt: time)
        case .restore(let restore, let keys, let user):
            try load(restore, keys: keys, user: user)
        case .endedRestore(let restore, let keys, let outcome, let time):
            try load(restore, keys: keys, user: nil)
            restores.end(restore.id, outcome, at: time)
        case .lastRestoreEnd(let account, let time):
            restores.noteEnd(of: account, at: time)
        case .claim(let account, let sequence):
            claims.add(account, at: sequence)
        case .forgotten(let before, let sequence):
            forgotten.add(before, at: sequence)
        case .revokedOrder(let order, let revocation):
            revokedOrders.updateValue(revocation, forKey: order)
        case .productsRevision(let revision):
            productsRevision = revision
        case .observer(let name, let position, let time, let owner):
            observers.acknowledge(name, upTo: position, at: time, by: owner)
        }
    }

    /// Sets the last record that the loaded items include; later records can then be applied.
    public mutating func didLoad(upTo head: SequenceNumber) {
        precondition(unindexed == nil, "batches are finished before the end of the items")
        self.head = head
        claims.unknownUpTo = min(claims.unknownUpTo, head)
    }

    private mutating func insertFinished(
        _ transaction: Transaction, key: OpaqueText?, _ finish: Finish, closed: SequenceNumber?
    ) throws(IllegalRecord) {
        // Without the record, the position keeps the order. It is less than later records, because
        // each transaction has a record.
        let position = closed ?? nextPosition
        oldestFinish = min(oldestFinish ?? finish.time, finish.time)
        let place = try register(
            TransactionRecord(
                transaction: transaction, key: key, lastEvent: 0, position: position, user: nil,
                finished: finish))
        accounts[transaction.account, default: AccountIndex()].finished.insert(
            place, position: position)
        noteRestored(place, transaction, isLive: false)
    }

    /// The indexes in the order of a snapshot: the account whose session the store has ended, no
    /// account, then the other accounts by the bytes of their names. The first precedes no account,
    /// because its transactions are older.
    private var orderedIndexes: [AccountIndex] {
        let ended = endedSession?.session.account
        let names = accounts.keys.sorted { left, right in
            if let ended, left == ended || right == ended { return left == ended && left != right }
            guard let first = left else { return right != nil }
            guard let second = right else { return false }
            return OpaqueText.precedes(first, second)
        }
        return names.compactMap { accounts[$0] }
    }
}
