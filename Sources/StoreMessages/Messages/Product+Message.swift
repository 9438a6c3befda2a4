package import PaymentCore
package import StrictJSON

/// Products in the Store API. They have the same members as in results of the daemon, with amounts
/// as strings only.
extension JSONWriter {
    /// Appends a product.
    package mutating func storeProduct(_ product: Product) {
        beginObject()
        member("productIdentifier", product.productIdentifier.string)
        member("type", product.type.rawValue)
        member("localizedTitle", product.localizedTitle)
        member("localizedDescription", product.localizedDescription)
        member("iconUrl", product.iconURL)
        name("price")
        storePrice(product.price)
        if let period = product.subscriptionPeriod {
            name("subscriptionPeriod")
            storePeriod(period)
        }
        member("subscriptionGroupIdentifier", product.subscriptionGroupIdentifier?.string)
        if let offer = product.introductoryPrice {
            name("introductoryPrice")
            storeOffer(offer)
        }
        member("introductoryOfferEligible", product.introductoryOfferEligible)
        if let offer = product.discountedPrice {
            name("discountedPrice")
            storeOffer(offer)
        }
        endObject()
    }

    /// Appends a price. The amount is a string, so that no reader turns it into a floating-point
    /// number.
    package mutating func storePrice(_ price: Price) {
        beginObject()
        member("amount", price.amount.text)
        member("currencyCode", price.currencyCode)
        endObject()
    }

    private mutating func storePeriod(_ period: SubscriptionPeriod) {
        beginObject()
        member("unit", period.unit.rawValue)
        member("numberOfUnits", period.numberOfUnits)
        endObject()
    }

    private mutating func storeOffer(_ offer: PricePeriod) {
        beginObject()
        name("price")
        storePrice(offer.price)
        name("period")
        storePeriod(offer.period)
        endObject()
    }
}

extension Product {
    /// Reads what `storeProduct` appends. The queue records products, and records have a size
    /// limit. Titles and descriptions are truncated; identifiers that are too long are refused.
    package init(_ fields: MessageFields) throws(MessageFault) {
        self.init(
            productIdentifier: try fields.identifier("productIdentifier"),
            type: try fields.required("type", Kind.init(rawValue:)),
            localizedTitle: try fields.required("localizedTitle") { RecordBounds.shortened($0) },
            localizedDescription: try fields.required("localizedDescription") {
                RecordBounds.shortened($0)
            },
            // A truncated URL would be useless, so a URL that is too long is dropped.
            iconURL: try fields.optional("iconUrl") { $0 }.flatMap { address in
                address.utf8.count <= RecordBounds.productTextBytes ? address : nil
            },
            price: try Price(try fields.requiredObject("price")))
        if let period = try fields.object("subscriptionPeriod") {
            subscriptionPeriod = try SubscriptionPeriod(period)
        }
        subscriptionGroupIdentifier = try fields.optionalIdentifier("subscriptionGroupIdentifier")
        if let offer = try fields.object("introductoryPrice") {
            introductoryPrice = try PricePeriod(offer)
        }
        if fields["introductoryOfferEligible"] != nil {
            introductoryOfferEligible = try fields.flag("introductoryOfferEligible")
        }
        if let offer = try fields.object("discountedPrice") {
            discountedPrice = try PricePeriod(offer)
        }
    }
}

extension MessageFields {
    /// Reads an identifier of at most `RecordBounds.identifierBytes` bytes.
    ///
    /// - Throws: It is missing, empty or too long.
    package func identifier(_ name: String) throws(MessageFault) -> OpaqueText {
        guard let text = try optionalIdentifier(name) else { throw fault(name, "is missing") }
        return text
    }

    fileprivate func optionalIdentifier(_ name: String) throws(MessageFault) -> OpaqueText? {
        guard let text = try optional(name, { OpaqueText($0) }) else { return nil }
        guard (1...RecordBounds.identifierBytes).contains(text.byteCount) else {
            throw fault(name, "is not 1 to \(RecordBounds.identifierBytes) bytes long")
        }
        return text
    }
}

extension Price {
    /// Reads what `storePrice` appends.
    package init(_ fields: MessageFields) throws(MessageFault) {
        let code = try fields.required("currencyCode") { $0 }
        guard code.utf8.count == 3, code.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
            throw fields.fault("currencyCode", "is not three capital letters")
        }
        self.init(amount: try fields.required("amount") { Amount($0) }, currencyCode: code)
    }
}

extension SubscriptionPeriod {
    fileprivate init(_ fields: MessageFields) throws(MessageFault) {
        let range = Int64(Self.unitsRange.lowerBound)...Int64(Self.unitsRange.upperBound)
        guard let count = try fields.number("numberOfUnits", in: range) else {
            throw fields.fault("numberOfUnits", "is missing")
        }
        self.init(
            unit: try fields.required("unit", Unit.init(rawValue:)), numberOfUnits: Int(count))
    }
}

extension PricePeriod {
    fileprivate init(_ fields: MessageFields) throws(MessageFault) {
        self.init(
            price: try Price(try fields.requiredObject("price")),
            period: try SubscriptionPeriod(try fields.requiredObject("period")))
    }
}
