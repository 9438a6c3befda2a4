import StrictJSON

/// A comparison of the acknowledged purchases of the demonstration with those found at the end.
struct DemoTally: CustomStringConvertible {
    /// An acknowledged purchase, by its identifier for the buyer.
    enum Acknowledged: Hashable {
        /// A transaction, from the answer to `add`.
        case transaction(String)
        /// An order that the store sold outside of the queue.
        case order(String)
    }

    /// The number of acknowledged purchases.
    let acknowledged: Int
    /// The number of those with a charge at the store and a purchase in the queue.
    let found: Int
    /// The number of charges or purchases in excess of one for each acknowledged purchase.
    let doubled: Int

    /// The number of acknowledged purchases without a charge or without a purchase.
    var lost: Int { acknowledged - found }
    /// Whether every acknowledged purchase exists exactly once.
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
    ///   - acknowledged: The acknowledged purchases.
    ///   - transactions: All transactions of the queue, finished ones included. Restored ones do
    ///     not count as purchases.
    ///   - orders: All orders of the store. Orders without a charge do not count.
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
        // These were never acknowledged.
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
