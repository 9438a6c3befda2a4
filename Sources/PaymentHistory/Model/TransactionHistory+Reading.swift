import PaymentCore
import StrictJSON

extension TransactionHistory {
    /// Most purchases in a history that is read.
    public static let limitPurchases = 100_000

    /// Reads the payload of a signed history.
    ///
    /// A missing member counts as null, and unknown members are ignored, for histories of other
    /// stores and later releases.
    ///
    /// - Throws: The payload does not conform to the schema.
    public init(parsing bytes: [UInt8]) throws(HistoryFault) {
        let limits = JSONLimits(maximumDepth: 16, maximumTokens: Self.limitPurchases * 64)
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes.span, limits: limits)
        } catch {
            throw .notJSON(error.description)
        }
        guard let list = value["transactions"]?.arrayValue else {
            throw .member("/transactions", "a list")
        }
        guard list.count <= Self.limitPurchases else { throw .tooLong }
        var transactions: [InAppPurchase] = []
        transactions.reserveCapacity(list.count)
        for (index, entry) in list.enumerated() {
            transactions.append(try PurchaseReader(entry: entry, index: index).read())
        }
        self.init(transactions: transactions)
    }
}

/// The reasons why a payload is not a history.
public enum HistoryFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The payload is not strict JSON; the value is the cause.
    case notJSON(String)
    /// The history has more purchases than allowed.
    case tooLong
    /// A member is missing or invalid; the values are its path and the expected form.
    case member(String, String)

    /// A phrase for users.
    public var description: String {
        switch self {
        case .notJSON(let reason): "the payload is not valid: \(reason)"
        case .tooLong: "it has more than \(TransactionHistory.limitPurchases) purchases"
        case .member(let place, let expected): "\(place) is not \(expected)"
        }
    }
}

/// The reader of one purchase.
private struct PurchaseReader {
    let entry: JSONValue
    let index: Int

    func read() throws(HistoryFault) -> InAppPurchase {
        guard entry.members != nil else { throw fault("", "an object") }
        var purchase = InAppPurchase(
            bundleID: try text("bundle_id"), order: try order("order_id"),
            price: try integer("price"),
            currency: try currency(), productID: try text("product_id"),
            productType: try productType(), purchaseDate: try moment("purchase_date"),
            fetchedAt: try moment("fetched_at"), country: try text("user_country"))
        purchase.originalOrderID = try order("original_order_id")
        purchase.originalPurchaseDate = try moment("original_purchase_date")
        purchase.appAccountToken = try optionalText("app_account_token")
        purchase.productSlug = try optionalText("product_slug")
        purchase.expiresAt = try optionalMoment("expires_at")
        purchase.subscriptionID = try optionalText("subscription_id")
        purchase.revocation = try revocation()
        guard let quantity = Int(exactly: try integer("quantity")), quantity >= 1 else {
            throw fault("/quantity", "a number of at least 1")
        }
        purchase.quantity = quantity
        guard let reason = InAppPurchase.Reason(rawValue: try text("transaction_reason")) else {
            throw fault("/transaction_reason", "PURCHASE or RENEWAL")
        }
        purchase.reason = reason
        return purchase
    }

    private func revocation() throws(HistoryFault) -> InAppPurchase.Revocation? {
        guard let date = try optionalMoment("revocation_date") else {
            guard try optionalText("revocation_reason") == nil else {
                throw fault("/revocation_date", "there, although there is a reason")
            }
            return nil
        }
        return InAppPurchase.Revocation(date: date, reason: try text("revocation_reason"))
    }

    private func productType() throws(HistoryFault) -> InAppPurchase.ProductType {
        guard let type = InAppPurchase.ProductType(rawValue: try text("product_type")) else {
            let known = InAppPurchase.ProductType.allCases.map(\.rawValue).joined(separator: ", ")
            throw fault("/product_type", "one of \(known)")
        }
        return type
    }

    private func currency() throws(HistoryFault) -> String {
        let text = try text("currency")
        guard text.utf8.count == 3,
            text.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else { throw fault("/currency", "three capital letters") }
        return text
    }

    private func order(_ name: String) throws(HistoryFault) -> OrderID {
        guard let order = OrderID(try text(name)) else {
            throw fault("/\(name)", "a lower-case UUID")
        }
        return order
    }

    private func moment(_ name: String) throws(HistoryFault) -> Timestamp {
        guard let moment = try optionalMoment(name) else { throw fault("/\(name)", "a date-time") }
        return moment
    }

    private func optionalMoment(_ name: String) throws(HistoryFault) -> Timestamp? {
        guard let text = try optionalText(name) else { return nil }
        guard let moment = Timestamp(rfc3339: text) else { throw fault("/\(name)", "a date-time") }
        return moment
    }

    private func integer(_ name: String) throws(HistoryFault) -> Int64 {
        guard let number = entry[name]?.intValue else { throw fault("/\(name)", "an integer") }
        return number
    }

    private func text(_ name: String) throws(HistoryFault) -> String {
        guard let text = entry[name]?.stringValue else { throw fault("/\(name)", "a string") }
        return text
    }

    private func optionalText(_ name: String) throws(HistoryFault) -> String? {
        guard let value = entry[name], !value.isNull else { return nil }
        guard let text = value.stringValue else { throw fault("/\(name)", "a string or null") }
        return text
    }

    private func fault(_ member: String, _ expected: String) -> HistoryFault {
        .member("/transactions/\(index)\(member)", expected)
    }
}
