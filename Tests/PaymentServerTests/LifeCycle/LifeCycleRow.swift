import PaymentCore
import PaymentHistory
import StrictJSON
import Testing

/// A row of the table of the life cycle, written in the page or seen in a queue.
struct LifeCycleRow {
    /// The columns beside the name of the case.
    static let columns = [
        "Transaction", "charged", "offer", "Token", "Orders", "History", "Entitlements",
    ]

    /// What stands in each column.
    var cells: [String]

    /// Every column in which another row says something else, with both texts.
    func differences(from other: LifeCycleRow) -> [String] {
        zip(Self.columns, zip(cells, other.cells)).compactMap { column, cells in
            cells.0 == cells.1 ? nil : "\(column): '\(cells.0)' is not '\(cells.1)'"
        }
    }
}

extension LifeCycleRow {
    /// What a case has come to, by every view that there is of it.
    init(of buyer: LifeCycleBuyer) async throws {
        try await buyer.settle()
        let (transactions, news) = Self.told(buyer.events)
        let orders = try await buyer.client.orders()
        let history = try await buyer.client.history().transactions
        let owned =
            try await buyer.client.call("entitlements").get()["entitlements"]?.arrayValue ?? []
        Self.expectOneTruth(transactions, orders, history)
        cells = [
            Self.list(transactions.map(\.0) + news),
            Self.list(transactions.map { $0.1.amount }),
            Self.list(transactions.map { $0.1["offer"]?.stringValue ?? Self.nothing }),
            Self.list(transactions.map { $0.1["payment"]?["appAccountToken"].word ?? "none" }),
            Self.list(orders.map(Self.order)),
            Self.list(
                orders.compactMap { order in
                    history.first { .string($0.orderID.description) == order["order"] }
                        .map(Self.entry)
                }),
            Self.list(owned.map { $0["productIdentifier"].word }),
        ]
    }

    private static let nothing = "–"

    private static func list(_ words: [String]) -> String {
        words.isEmpty ? nothing : words.joined(separator: "; ")
    }

    /// What events say: each transaction that they name in a sentence and as it was shown last, and
    /// whatever else they tell.
    private static func told(_ events: [JSONValue]) -> ([(String, JSONValue)], [String]) {
        var shown: [(String, JSONValue)] = []
        var news: [String] = []
        for event in events {
            switch event["kind"] {
            case "transactionsUpdated":
                for transaction in event["transactions"]?.arrayValue ?? [] {
                    let entry = (state(of: transaction), transaction)
                    if let place = shown.firstIndex(where: { $0.1["id"] == transaction["id"] }) {
                        shown[place] = entry
                    } else {
                        shown.append(entry)
                    }
                }
            case "transactionsRemoved":
                for transaction in event["transactions"]?.arrayValue ?? [] {
                    let entry = ("removed, \(event["reason"].word)", transaction)
                    shown.removeAll { $0.1["id"] == transaction["id"] }
                    shown.append(entry)
                }
            case "restoreCompleted": break
            default: news.append(event["kind"].word)
            }
        }
        return (shown, news)
    }

    private static func state(of transaction: JSONValue) -> String {
        var words = [transaction["transactionState"].word]
        if transaction["reason"] == "renewal" { words.append("renewal") }
        if let reason = transaction["waitingFor"] { words.append("waits for \(reason.text)") }
        if let failure = transaction["failureReason"] {
            words.append(failure.text)
        } else if case .object(let error)? = transaction["error"] {
            words += error.map(\.name)
        }
        if let revocation = transaction["revocation"] {
            words.append("revoked by \(revocation["reason"].word)")
        }
        return words.joined(separator: ", ")
    }

    private static func order(_ order: JSONValue) -> String {
        var words = [order["product"].word, order.amount, order["appAccountToken"]?.text ?? "none"]
        if order["renewal"] == true { words.append("renewal") }
        if let offer = order["offer"] { words.append(offer.text) }
        if order["state"] != "purchased" { words.append(order["state"].word) }
        return words.joined(separator: " ")
    }

    private static func entry(_ purchase: InAppPurchase) -> String {
        var words = [purchase.productID, purchase.amount, purchase.appAccountToken ?? "none"]
        if purchase.reason == .renewal { words.append("renewal") }
        if purchase.revocation != nil { words.append("refunded") }
        return words.joined(separator: " ")
    }

    /// Whatever names an order says the same of it.
    private static func expectOneTruth(
        _ transactions: [(String, JSONValue)], _ orders: [JSONValue], _ history: [InAppPurchase]
    ) {
        for (_, transaction) in transactions {
            let known = orders.first { $0["order"] == transaction["transactionIdentifier"] }
            guard let known, transaction["charged"] != nil else { continue }
            #expect(transaction.product == known["product"])
            #expect(transaction["payment"]?["appAccountToken"] == known["appAccountToken"])
            guard transaction["offer"] != "alreadyOwned" else { continue }
            #expect(transaction["charged"] == known["charged"])
            #expect(transaction["offer"] == known["offer"])
        }
        for purchase in history {
            let name = JSONValue.string(purchase.orderID.description)
            let known = orders.first { $0["order"] == name }
            #expect(known?["product"] == .string(purchase.productID))
            #expect(known?.amount == purchase.amount)
            #expect(known?["charged"]?["currencyCode"] == .string(purchase.currency))
            #expect(known?["appAccountToken"]?.stringValue == purchase.appAccountToken)
        }
    }
}

extension InAppPurchase {
    /// The price in major units, without the currency.
    fileprivate var amount: String {
        Currency.text(smallestUnits: UInt64(max(0, price)), of: currency)
    }
}

extension JSONValue {
    /// The amount that was charged.
    fileprivate var amount: String { self["charged"]?["amount"]?.text ?? "–" }
    /// A string's content, and anything else as it is written.
    fileprivate var text: String { stringValue ?? jsonText() }
}

extension JSONValue? {
    /// The text of a member that has to be there.
    fileprivate var word: String { self?.text ?? "missing" }
}
