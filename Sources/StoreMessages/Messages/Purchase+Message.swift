package import PaymentCore
package import StrictJSON

/// The answer of `GET /purchases`: a page of the purchases of an account.
extension JSONWriter {
    /// Appends a page.
    package mutating func storePage(_ page: PurchasePage) {
        beginObject()
        name("purchases")
        beginArray()
        for purchase in page.purchases {
            element()
            storePurchase(purchase)
        }
        endArray()
        name("revoked")
        beginArray()
        for order in page.revoked {
            element()
            beginObject()
            member("order", order.order.description)
            member("product", order.product.string)
            name("revocation")
            storeRevocation(order.revocation)
            if order.keepsProduct {
                name("keepsProduct")
                bool(true)
            }
            endObject()
        }
        endArray()
        name("deleted")
        beginArray()
        for order in page.deleted {
            element()
            beginObject()
            member("order", order.order.description)
            member("transaction", order.transaction?.description)
            endObject()
        }
        endArray()
        member("next", page.next?.string)
        endObject()
    }

    private mutating func storePurchase(_ purchase: StorePurchase) {
        beginObject()
        member("order", purchase.order.description)
        member("original", purchase.original.description)
        member("transaction", purchase.transaction?.description)
        name("product")
        storeProduct(purchase.product)
        member("country", purchase.country.description)
        member("appAccountToken", purchase.appAccountToken?.string)
        storeCharge(purchase.charge)
        member("isRenewal", purchase.isRenewal)
        member("isCompleted", purchase.isCompleted)
        member("purchasedAt", purchase.purchasedAt.description)
        member("expiresAt", purchase.expiresAt?.description)
        endObject()
    }
}

extension PurchasePage {
    /// Reads what `storePage` appends.
    package init(_ fields: MessageFields) throws(MessageFault) {
        self.init()
        for purchase in try fields.objects("purchases") {
            purchases.append(try StorePurchase(purchase))
        }
        for order in try fields.objects("revoked") {
            revoked.append(
                RevokedOrder(
                    order: try order.required("order") { OrderID($0) },
                    product: try order.identifier("product"),
                    revocation: try OrderRevocation(try order.requiredObject("revocation")),
                    keepsProduct: try order.flag("keepsProduct")))
        }
        for order in try fields.objects("deleted") {
            deleted.append(
                DeletedOrder(
                    order: try order.required("order") { OrderID($0) },
                    transaction: try order.optional("transaction") { TransactionID($0) }))
        }
        next = try fields.optional("next") { OpaqueText($0) }
    }
}

extension StorePurchase {
    /// Reads a purchase. The offer `alreadyOwned` counts as none: it is valid only in the answer to
    /// an order, and a purchase with it would never be completed.
    fileprivate init(_ fields: MessageFields) throws(MessageFault) {
        var charge = try Charge(fields)
        if charge.offer == .alreadyOwned { charge.offer = nil }
        self.init(
            order: try fields.required("order") { OrderID($0) },
            original: try fields.required("original") { OrderID($0) },
            transaction: try fields.optional("transaction") { TransactionID($0) },
            product: try Product(try fields.requiredObject("product")),
            country: try fields.required("country") { CountryCode($0) },
            appAccountToken: try fields.appAccountToken(), charge: charge,
            isRenewal: try fields.flag("isRenewal"), isCompleted: try fields.flag("isCompleted"),
            purchasedAt: try fields.required("purchasedAt") { Timestamp($0) },
            expiresAt: try fields.optional("expiresAt") { Timestamp($0) })
    }
}
