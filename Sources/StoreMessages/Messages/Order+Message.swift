package import PaymentCore
package import StrictJSON

/// The body of `PUT /orders/{transaction}`: the product and the price that was shown. The session
/// determines the account.
package struct OrderBody: Sendable, Hashable {
    /// The identifier of the product.
    package var product: ProductIdentifier
    /// The price that was shown. The store charges exactly this price or refuses.
    package var price: Price
    /// The country of the purchase.
    package var country: CountryCode
    /// The application's own account token.
    package var appAccountToken: OpaqueText?
    /// The number of times the transaction was sent to the store, from 1.
    package var attempt: UInt32

    /// Creates the body of an order.
    package init(_ request: OrderRequest) {
        product = request.product.productIdentifier
        price = request.product.expectedPrice
        country = request.country
        appAccountToken = request.appAccountToken
        attempt = request.attempt
    }

    /// Reads a body.
    ///
    /// - Throws: A member is missing, invalid or unknown.
    package init(_ fields: MessageFields) throws(MessageFault) {
        try fields.only(["product", "price", "country", "appAccountToken", "attempt"])
        product = try fields.required("product") { ProductIdentifier($0) }
        let length = product.string.unicodeScalars.count
        guard (1...StoreAPI.productLimitCodePoints).contains(length) else {
            throw fields.fault(
                "product", "is not 1 to \(StoreAPI.productLimitCodePoints) characters long")
        }
        price = try Price(try fields.requiredObject("price"))
        country = try fields.required("country") { CountryCode($0) }
        appAccountToken = try fields.optional("appAccountToken") { OpaqueText($0) }
        let limit = StoreAPI.textLimitCodePoints
        guard (appAccountToken?.string.unicodeScalars.count ?? 0) <= limit else {
            throw fields.fault("appAccountToken", "is longer than \(limit) characters")
        }
        attempt = UInt32(try fields.number("attempt", in: 1...Int64(UInt32.max)) ?? 1)
    }

    /// The bytes of the body.
    package var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("product", product.string)
        writer.name("price")
        writer.storePrice(price)
        writer.member("country", country.description)
        writer.member("appAccountToken", appAccountToken?.string)
        writer.member("attempt", Int(attempt))
        writer.endObject()
        return writer.bytes
    }

    /// The order of an account with this body.
    package func request(_ transaction: TransactionID, account: AccountName) -> OrderRequest {
        OrderRequest(
            transaction: transaction, account: account,
            product: Product(
                productIdentifier: product, type: .consumable, localizedTitle: product.string,
                localizedDescription: "", price: price),
            country: country, appAccountToken: appAccountToken, attempt: attempt)
    }
}

/// The answers of `PUT` and `GET /orders/{transaction}`.
extension JSONWriter {
    /// Appends an outcome and its members.
    package mutating func storeOutcome(_ outcome: OrderOutcome) {
        beginObject()
        switch outcome {
        case .purchased(let paid):
            member("outcome", "purchased")
            member("order", paid.order.description)
            member("original", paid.original.description)
            member("appAccountToken", paid.appAccountToken?.string)
            storeCharge(paid.charge)
        case .deferred(let order):
            member("outcome", "deferred")
            member("order", order.description)
        case .failed(let failure, let order):
            member("outcome", "failed")
            member("order", order?.description)
            member("error", failure.kind.rawValue)
            member("reason", failure.reason)
        case .priceChanged(let product):
            member("outcome", "priceChanged")
            name("product")
            storeProduct(product)
        case .notSold:
            member("outcome", "notSold")
        case .countryChanged(let country):
            member("outcome", "countryChanged")
            member("country", country.description)
        }
        endObject()
    }
}

extension OrderOutcome {
    /// Reads what `storeOutcome` appends.
    package init(_ fields: MessageFields) throws(MessageFault) {
        switch try fields.required("outcome", { $0 }) {
        case "purchased":
            self = .purchased(
                PaidOrder(
                    order: try fields.required("order") { OrderID($0) },
                    original: try fields.required("original") { OrderID($0) },
                    appAccountToken: try fields.appAccountToken(), charge: try Charge(fields)))
        case "deferred":
            self = .deferred(order: try fields.required("order") { OrderID($0) })
        case "failed":
            self = .failed(
                PaymentFailure(
                    try fields.required("error", PaymentFailure.Kind.init(rawValue:)),
                    reason: try fields.optional("reason") { RecordBounds.shortened($0) }),
                order: try fields.optional("order") { OrderID($0) })
        case "priceChanged":
            self = .priceChanged(try Product(try fields.requiredObject("product")))
        case "notSold": self = .notSold
        case "countryChanged":
            self = .countryChanged(try fields.required("country", CountryCode.init))
        default: throw fields.fault("outcome", "is not a known value")
        }
    }
}
