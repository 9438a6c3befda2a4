/// The transactions of orders. One index finds the transaction that an order became, and the
/// transaction that last restored it.
extension PaymentQueue {
    /// The transaction of an order; nil if the order is unknown.
    public func transaction(ofOrder order: OrderID) -> TransactionID? {
        place(of: order, .owner).map { table.id(at: $0) }
    }

    /// The place of an order that has a mark; nil if there is none. The place may be without a
    /// transaction.
    func place(of order: OrderID, _ mark: TransactionTable.Marks) -> Int32? {
        indexByOrder.place(order.spreadHash) {
            table.marks(of: $0).contains(mark) && table.order(at: $0) == order
        }
    }

    /// Sets or removes a mark of the order of a place.
    mutating func mark(_ place: Int32, _ mark: TransactionTable.Marks, _ isSet: Bool) {
        guard let order = table.order(at: place) else {
            preconditionFailure("place \(place) has no order")
        }
        let wasIndexed = isIndexed(place)
        table.mark(place, mark, isSet)
        if !wasIndexed, isSet { indexByOrder.insert(place, order.spreadHash) }
        if wasIndexed, !isIndexed(place) { indexByOrder.remove(place, order.spreadHash) }
    }

    /// Whether the index of orders contains a place. The order of its transaction then never
    /// changes.
    func isIndexed(_ place: Int32) -> Bool {
        !table.marks(of: place).isDisjoint(with: [.owner, .restorer])
    }

    /// Records that an order became a purchase. While a snapshot is loaded, the transaction may
    /// already be forgotten.
    mutating func own(_ order: OrderID, by id: TransactionID) {
        if let place = locate(id), table.order(at: place) == order {
            mark(place, .owner, true)
        } else {
            mark(table.insert(order, of: id), .owner, true)
        }
    }

    /// Records which transaction last restored an order. A transaction that has left the queue does
    /// not replace one that is still in it.
    mutating func noteRestored(_ place: Int32, _ transaction: Transaction, isLive: Bool) {
        guard transaction.state == .restored, let order = transaction.order else { return }
        if let known = self.place(of: order, .restorer) {
            if !isLive, table.isLive(known) { return }
            mark(known, .restorer, false)
        }
        mark(place, .restorer, true)
    }

    /// Forgets a transaction that has left the queue. Its order is never forgotten.
    mutating func forget(_ place: Int32) {
        let stored = table[place]
        removeNames(of: stored, at: place)
        if table.marks(of: place).contains(.owner), let order = stored.transaction.order {
            table.reduce(place, to: order)
        } else {
            table.remove(place)
        }
    }

    /// Removes a transaction that has left the queue, with its order.
    mutating func remove(_ place: Int32) {
        removeNames(of: table[place], at: place)
        if table.marks(of: place).contains(.owner) { mark(place, .owner, false) }
        table.remove(place)
    }

    private mutating func removeNames(of stored: TransactionRecord, at place: Int32) {
        claimed.giveBack(SpaceClaims(stored), of: stored.user)
        indexByID.remove(place, stored.transaction.id.spreadHash)
        if let key = stored.key { indexByKey.remove(place, key.spreadHash) }
        if table.marks(of: place).contains(.restorer) { mark(place, .restorer, false) }
    }

    /// The orders that became purchases, sorted by the bits of their identifiers, and whether the
    /// transaction is in the queue.
    var orderedOrders: [(OrderID, TransactionID, isOpen: Bool)] {
        table.places(with: .owner)
            .compactMap { place in
                table.order(at: place).map { ($0, table.id(at: place), table.isLive(place)) }
            }
            .sorted { UniqueID.precedes($0.0.value, $1.0.value) }
    }

    /// The announced revocations, sorted by the bits of the orders' identifiers.
    var orderedRevocations: [(OrderID, OrderRevocation?)] {
        revokedOrders.map { ($0.key, $0.value) }
            .sorted { UniqueID.precedes($0.0.value, $1.0.value) }
    }
}
