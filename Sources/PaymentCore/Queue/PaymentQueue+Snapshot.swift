extension PaymentQueue {
    /// Hands out the whole state piece by piece, in an order that ``load(_:)`` can take.
    ///
    /// The same state is always handed out in the same order.
    public func snapshotItems<Failure>(
        _ body: (SnapshotItem) throws(Failure) -> Void
    ) throws(Failure) {
        try body(.counters(incarnation: incarnation))
        try body(.session(session))
        try body(.assumedCountry(assumedCountry))
        for product in products { try body(.product(product)) }
        for book in orderedBooks {
            for entry in book.live.all where isLive(entry) {
                let slot = slots[entry.place]
                try body(.transaction(slot.transaction, key: slot.key, newestEvent: slot.lastEvent))
            }
            for entry in book.finished.all where isFinished(entry) {
                let slot = slots[entry.place]
                guard let finish = slot.finished else { continue }
                try body(.finished(slot.transaction, key: slot.key, finish))
            }
        }
        for (order, transaction) in orderedOrders { try body(.order(order, transaction)) }
    }

    /// Takes a piece that ``snapshotItems(_:)`` handed out.
    ///
    /// - Parameter item: The next piece; the order counts.
    /// - Throws: The piece contradicts those before it.
    public mutating func load(_ item: SnapshotItem) throws(IllegalRecord) {
        switch item {
        case .counters(let incarnation):
            self.incarnation = incarnation
        case .session(let session):
            self.session = session
        case .assumedCountry(let country):
            assumedCountry = country
        case .product(let product):
            try keep(product)
        case .transaction(let transaction, let key, let newestEvent):
            try checkNew(transaction, key: key)
            insert(transaction, key: key, lastEvent: newestEvent)
        case .finished(let transaction, let key, let finish):
            try checkNew(transaction, key: key)
            insertFinished(transaction, key: key, finish)
        case .order(let order, let transaction):
            guard orders[order] == nil else {
                throw IllegalRecord("order \(order) is there twice")
            }
            orders[order] = transaction
        }
    }

    /// Says up to which record the loaded pieces hold; records behind it may be applied then.
    public mutating func didLoad(upTo head: SequenceNumber) {
        self.head = head
    }

    private func checkNew(_ transaction: Transaction, key: OpaqueText?) throws(IllegalRecord) {
        guard places[transaction.id] == nil else {
            throw IllegalRecord("transaction \(transaction.id) is there twice")
        }
        if let key, keys[key] != nil {
            throw IllegalRecord("the key of transaction \(transaction.id) is there twice")
        }
    }

    private mutating func insertFinished(
        _ transaction: Transaction, key: OpaqueText?, _ finish: Finish
    ) {
        let position = nextPosition
        nextPosition += 1
        let place = slots.insert(
            Slot(
                transaction: transaction, key: key, lastEvent: 0, position: position,
                finished: finish))
        places[transaction.id] = place
        if let key { keys[key] = place }
        accounts[transaction.account, default: AccountBook()].finished.append(
            place, position: position)
    }

    /// Nobody first, then the accounts by the bytes of their names.
    private var orderedBooks: [AccountBook] {
        accounts.sorted { left, right in
            guard let first = left.key else { return right.key != nil }
            guard let second = right.key else { return false }
            return OpaqueText.precedes(first, second)
        }.map(\.value)
    }

    private var orderedOrders: [(OrderID, TransactionID)] {
        var pairs: [(OrderID, TransactionID)] = []
        orders.forEach { pairs.append(($0, $1)) }
        return pairs.sorted { UniqueID.precedes($0.0.value, $1.0.value) }
    }
}
