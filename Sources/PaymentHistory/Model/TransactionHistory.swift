import PaymentCore
import StrictJSON

/// The payments of an account in one application, newest first. It is the payload of a page of the
/// signed history.
public struct TransactionHistory: Sendable, Hashable {
    /// The purchases and renewals.
    public var transactions: [InAppPurchase]

    /// Creates a history.
    public init(transactions: [InAppPurchase]) {
        self.transactions = transactions
    }

    /// The history as JSON, with a fixed order of members.
    public var jsonBytes: [UInt8] { jsonBytes(limit: .max).bytes }

    /// The history as JSON, with as many purchases as fit.
    ///
    /// - Parameter limit: The size limit in bytes; the first purchase may exceed it.
    /// - Returns: The bytes, and the number of purchases in them, counted from the first.
    func jsonBytes(limit: Int) -> (bytes: [UInt8], count: Int) {
        let ending = 2
        var writer = JSONWriter(capacity: max(0, min(limit, 64 + transactions.count * 768)))
        writer.beginObject()
        writer.name("transactions")
        writer.beginArray()
        var count = 0
        for purchase in transactions {
            let end = writer.bytes.count
            writer.element()
            writer.purchase(purchase)
            guard count == 0 || writer.bytes.count <= limit - ending else {
                writer.bytes.removeSubrange(end...)
                break
            }
            count += 1
        }
        writer.endArray()
        writer.endObject()
        return (writer.bytes, count)
    }
}

extension InAppPurchase {
    /// The smallest size of a purchase in a history, in bytes of JSON.
    public static let leastBytes = 500
}

extension JSONWriter {
    fileprivate mutating func purchase(_ purchase: InAppPurchase) {
        beginObject()
        member("app_account_token", purchase.appAccountToken)
        member("bundle_id", purchase.bundleID)
        member("currency", purchase.currency)
        member("expires_at", purchase.expiresAt?.description)
        member("order_id", purchase.orderID.description)
        member("original_order_id", purchase.originalOrderID.description)
        member("original_purchase_date", purchase.originalPurchaseDate.description)
        name("price")
        integer(purchase.price)
        member("product_id", purchase.productID)
        member("product_slug", purchase.productSlug)
        member("product_type", purchase.productType.rawValue)
        member("purchase_date", purchase.purchaseDate.description)
        name("quantity")
        integer(purchase.quantity)
        member("revocation_date", purchase.revocation?.date.description)
        member("revocation_reason", purchase.revocation?.reason)
        member("fetched_at", purchase.fetchedAt.description)
        member("subscription_id", purchase.subscriptionID)
        member("transaction_reason", purchase.reason.rawValue)
        member("user_country", purchase.country)
        endObject()
    }

    /// Appends a member with a string or an explicit null.
    private mutating func member(_ name: StaticString, _ text: String?) {
        self.name(name)
        if let text { string(text) } else { null() }
    }
}
