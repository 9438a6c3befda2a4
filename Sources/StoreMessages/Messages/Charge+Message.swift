package import PaymentCore
package import StrictJSON

/// The members of the charge of a paid order: `charged`, `offer`, `effectiveAt`, `revocation` and
/// `appAccountToken`.
extension JSONWriter {
    /// Appends the members of a charge, without `appAccountToken`.
    package mutating func storeCharge(_ charge: Charge) {
        name("charged")
        storePrice(charge.price)
        member("offer", charge.offer?.rawValue)
        member("effectiveAt", charge.effectiveAt?.description)
        guard let revocation = charge.revocation else { return }
        name("revocation")
        storeRevocation(revocation)
    }

    /// Appends the time and reason of a revocation.
    mutating func storeRevocation(_ revocation: OrderRevocation) {
        beginObject()
        member("at", revocation.at.description)
        member("reason", revocation.reason)
        endObject()
    }
}

extension Charge {
    /// Reads what `storeCharge` appends. An unknown offer counts as none.
    package init(_ fields: MessageFields) throws(MessageFault) {
        self.init(
            price: try Price(try fields.requiredObject("charged")),
            offer: try fields.optional("offer") { $0 }.flatMap(PurchaseOffer.init(rawValue:)),
            effectiveAt: try fields.optional("effectiveAt") { Timestamp($0) },
            revocation: try fields.object("revocation").map(OrderRevocation.init))
    }
}

extension OrderRevocation {
    /// Reads what `storeRevocation` appends.
    init(_ fields: MessageFields) throws(MessageFault) {
        self.init(
            at: try fields.required("at") { Timestamp($0) },
            reason: try fields.required("reason") {
                RecordBounds.shortened($0, to: RecordBounds.revocationReasonBytes)
            })
    }
}

extension MessageFields {
    /// The application's account token of an order. A token longer than this client could have sent
    /// counts as missing.
    func appAccountToken() throws(MessageFault) -> OpaqueText? {
        guard let token = try optional("appAccountToken", { OpaqueText($0) }),
            token.byteCount <= RecordBounds.configurableTextBytes
        else { return nil }
        return token
    }
}
