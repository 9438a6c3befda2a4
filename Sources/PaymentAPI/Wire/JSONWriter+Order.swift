import PaymentCore
import StrictJSON

extension JSONWriter {
    /// An order as the store knows it.
    mutating func order(_ order: StoreOrder) {
        beginObject()
        name("order")
        identifier(order.order)
        if let transaction = order.transaction {
            name("transaction")
            identifier(transaction)
        }
        name("original")
        identifier(order.original)
        name("account")
        string(order.account.string)
        name("product")
        string(order.product.string)
        name("price")
        price(order.price)
        if let charge = order.charge { chargeMembers(charge) }
        name("countryCode")
        string(order.country.description)
        if let token = order.appAccountToken {
            name("appAccountToken")
            string(token.string)
        }
        name("state")
        string(order.state.wireWord)
        if let failure = order.failure { self.failure(failure) }
        name("completed")
        bool(order.completed)
        name("placedAt")
        time(order.placedAt)
        laterMembers(of: order)
        endObject()
    }

    /// The members that an order has only after a renewal, while it lasts, or once it was revoked.
    private mutating func laterMembers(of order: StoreOrder) {
        if order.isRenewal {
            name("renewal")
            bool(true)
        }
        if let end = order.expiresAt {
            name("expiresAt")
            time(end)
        }
        if let end = order.charge?.revocation?.at {
            name("revokedAt")
            time(end)
        }
    }

    private mutating func failure(_ failure: PaymentFailure) {
        name("error")
        string(failure.kind.wireWord)
        if let reason = failure.reason {
            name("failureReason")
            string(reason)
        }
    }
}
