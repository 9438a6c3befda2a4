import StrictJSON

/// The purchases acknowledged in the demonstration, compared with those found at the end.
struct DemoTally: CustomStringConvertible {
    /// An acknowledged purchase, by the name that its buyer was given.
    enum Acknowledged: Hashable {
        /// The reply to `add` named this transaction.
        case transaction(String)
        /// The store sold this order past the queue.
        case order(String)
    }

    /// How many purchases were acknowledged.
    let acknowledged: Int
    /// How many of them have a charge at the store and a purchase in the queue.
    let found: Int
    /// How many charges or purchases there are beyond one for each acknowledged purchase.
    let doubled: Int

    /// How many acknowledged purchases lack the charge or the purchase.
    var lost: Int { acknowledged - found }
    /// Whether every acknowledged purchase is there once.
    var isSound: Bool { lost == 0 && doubled == 0 }

    var description: String {
        "acknowledged \(acknowledged), found \(found), lost \(lost), doubled \(doubled)"
    }

    /// The count for programs.
    var json: JSONValue {
        [
            "acknowledged": .integer(acknowledged), "found": .integer(found),
            "lost": .integer(lost), "doubled": .integer(doubled),
        ]
    }

    /// Counts.
    ///
    /// - Parameters:
    ///   - acknowledged: What the buyers were told.
    ///   - transactions: Everything in the queue, finished or not. Restored ones are no purchases.
    ///   - orders: Everything that the store has sold; what it did not charge does not count.
    init(acknowledged: [Acknowledged], transactions: [JSONValue], orders: [JSONValue]) {
        let purchases = transactions.filter { $0["transactionState"]?.stringValue == "purchased" }
        let charges = orders.filter {
            ["purchased", "refunded"].contains($0["state"]?.stringValue ?? "")
        }
        var found = 0
        var doubled = 0
        for purchase in acknowledged {
            let entries = purchases.count { purchase.isTransaction($0) }
            let charged = charges.count { purchase.isOrder($0) }
            if entries > 0, charged > 0 { found += 1 }
            doubled += max(entries, charged, 1) - 1
        }
        // No call caused these.
        let entries = purchases.count { entry in !acknowledged.contains { $0.isTransaction(entry) }
        }
        let charged = charges.count { order in !acknowledged.contains { $0.isOrder(order) } }
        self.acknowledged = acknowledged.count
        self.found = found
        self.doubled = doubled + max(entries, charged)
    }
}

extension DemoTally.Acknowledged {
    fileprivate func isTransaction(_ transaction: JSONValue) -> Bool {
        switch self {
        case .transaction(let id): transaction["id"]?.stringValue == id
        case .order(let id): transaction["transactionIdentifier"]?.stringValue == id
        }
    }

    fileprivate func isOrder(_ order: JSONValue) -> Bool {
        switch self {
        case .transaction(let id): order["transaction"]?.stringValue == id
        case .order(let id): order["order"]?.stringValue == id
        }
    }
}
