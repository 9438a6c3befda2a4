import PaymentCore
import SandboxControl
import StrictJSON

extension SandboxOrder {
    /// Writes the order and the subscription of its record.
    func encode(with subscription: SandboxSubscription? = nil, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("account", order.account.string)
        writer.member("agreed", agreed?.words)
        writer.member("amount", order.price.amount.text)
        writer.member("attempt", attempt == 1 ? nil : Int(attempt))
        writer.member("charged", order.charge?.price.words)
        writer.member("completed", order.completed ? true : nil)
        writer.member("country", order.country.description)
        writer.member("currency", order.price.currencyCode)
        writer.member("effectiveAt", order.charge?.effectiveAt?.description)
        writer.member("error", order.failure?.kind.rawValue)
        writer.member("expiresAt", order.expiresAt?.description)
        writer.member("free", isFree ? true : nil)
        writer.member("group", group?.string)
        writer.member("kind", kind?.rawValue)
        writer.member("offer", order.charge?.offer?.rawValue)
        writer.member("order", order.order.description)
        writer.member("original", order.original.description)
        writer.member("placedAt", order.placedAt.description)
        writer.member("product", order.product.string)
        writer.member("reason", order.failure?.reason)
        writer.member("renewal", order.isRenewal ? true : nil)
        writer.member("revocationReason", order.charge?.revocation?.recordedReason)
        writer.member("revokedAt", order.charge?.revocation?.at.description)
        writer.member("settledAt", settledAt?.description)
        writer.member("state", order.state.rawValue)
        writer.member("subscription", subscription)
        writer.member("token", order.appAccountToken?.string)
        writer.member("transaction", order.transaction?.description)
        writer.endObject()
    }

    init(_ fields: PayloadFields) throws(SandboxCodingFailure) {
        self.init(
            order: try StoreOrder(fields),
            kind: try fields.optional("kind", Product.Kind.init(rawValue:)))
        agreed = try fields.optional("agreed", Price.init(words:))
        group = try fields.optional("group") { OpaqueText($0) }
        settledAt = try fields.optional("settledAt", Timestamp.init)
        // A paid order has its charge.
        if !isPaid { isFree = try fields.bool("free") ?? false }
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
        guard state == .purchased || state == .refunded else { return }
        let terms = try Settlement.Terms(fields)
        charge = Settlement(
            at: placedAt, original: original, expiresAt: expiresAt, terms: terms
        ).charge(of: price)
        let reason = try fields.optional("revocationReason") { $0 }
        charge?.revocation = try fields.optional("revokedAt", Timestamp.init)
            .map { OrderRevocation(at: $0, reason: reason ?? OrderRevocation.refund) }
    }
}

extension OrderRevocation {
    /// The reason to write; nil for a refund, which is the default.
    fileprivate var recordedReason: String? {
        reason == OrderRevocation.refund ? nil : reason
    }
}

extension Settlement.Terms {
    /// Decodes the terms of a payment. Older journals did not record charges.
    init(_ fields: PayloadFields) throws(SandboxCodingFailure) {
        guard let price = try fields.optional("charged", Price.init(words:)) else {
            self = .unrecorded(
                isFree: try fields.bool("free") ?? false,
                isScheduled: try fields.bool("scheduled") ?? false)
            return
        }
        self = .charge(
            Charge(
                price: price, offer: try fields.optional("offer", PurchaseOffer.init(rawValue:)),
                effectiveAt: try fields.optional("effectiveAt", Timestamp.init)))
    }
}

extension Price {
    /// The amount and the currency, such as `9.99 EUR`.
    var words: String { "\(amount.text) \(currencyCode)" }

    /// Decodes a value of ``words``.
    init?(words: String) {
        let parts = words.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, let amount = Amount(parts[0]) else { return nil }
        self.init(amount: amount, currencyCode: String(parts[1]))
    }
}
