import PaymentCore
import StrictJSON

extension SandboxOrder {
    /// Writes the order, with the subscription that its record carries.
    func encode(with subscription: SandboxSubscription? = nil, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("account", order.account.string)
        writer.member("amount", order.price.amount.text)
        writer.member("attempt", attempt == 1 ? nil : Int(attempt))
        writer.member("completed", order.completed ? true : nil)
        writer.member("country", order.country.description)
        writer.member("currency", order.price.currencyCode)
        writer.member("error", order.failure?.kind.rawValue)
        writer.member("expiresAt", order.expiresAt?.description)
        writer.member("free", isFree ? true : nil)
        writer.member("kind", kind?.rawValue)
        writer.member("order", order.order.description)
        writer.member("original", order.original.description)
        writer.member("placedAt", order.placedAt.description)
        writer.member("product", order.product.string)
        writer.member("reason", order.failure?.reason)
        writer.member("renewal", order.isRenewal ? true : nil)
        writer.member("revokedAt", order.revokedAt?.description)
        writer.member("scheduled", isScheduled ? true : nil)
        writer.member("settledAt", settledAt?.description)
        writer.member("state", order.state.rawValue)
        writer.member("subscription", subscription)
        writer.member("token", order.appAccountToken?.string)
        writer.member("transaction", order.transaction?.description)
        writer.endObject()
    }

    init(_ fields: PayloadFields) throws(SandboxCodingFailure) {
        self.init(
            order: try StoreOrder(fields), isFree: try fields.bool("free") ?? false,
            kind: try fields.optional("kind", Product.Kind.init(rawValue:)))
        isScheduled = try fields.bool("scheduled") ?? false
        settledAt = try fields.optional("settledAt", Timestamp.init)
        if try fields.integer("attempt") != nil {
            attempt = UInt32(try fields.number("attempt", in: 0...Int(UInt32.max)))
        }
    }
}

extension StoreOrder {
    fileprivate init(_ fields: PayloadFields) throws(SandboxCodingFailure) {
        let price = Price(
            amount: try fields.required("amount", Amount.init),
            currencyCode: try fields.required("currency") { $0 })
        self.init(
            order: try fields.required("order", OrderID.init),
            transaction: try fields.optional("transaction", TransactionID.init),
            original: try fields.required("original", OrderID.init),
            account: try fields.required("account") { AccountName($0) },
            product: try fields.required("product") { ProductIdentifier($0) }, price: price,
            country: try fields.required("country", CountryCode.init),
            appAccountToken: try fields.optional("token") { OpaqueText($0) },
            state: try fields.required("state", State.init(rawValue:)),
            failure: try fields.failure(), completed: try fields.bool("completed") ?? false,
            placedAt: try fields.required("placedAt", Timestamp.init))
        isRenewal = try fields.bool("renewal") ?? false
        expiresAt = try fields.optional("expiresAt", Timestamp.init)
        revokedAt = try fields.optional("revokedAt", Timestamp.init)
    }
}
