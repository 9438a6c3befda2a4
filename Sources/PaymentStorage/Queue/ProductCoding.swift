internal import PaymentCore
internal import StrictJSON

extension JSONWriter {
    /// Appends a product with its number and country.
    mutating func recordedProduct(_ recorded: RecordedProduct) {
        raw("{\"country\":")
        country(recorded.country)
        raw(",\"number\":")
        integer(recorded.number)
        raw(",\"product\":")
        product(recorded.product)
        raw("}")
    }

    private mutating func product(_ product: Product) {
        beginObject()
        if let offer = product.discountedPrice {
            name("discountedPrice")
            self.offer(offer)
        }
        if let url = product.iconURL {
            name("iconUrl")
            string(url)
        }
        if let isEligible = product.introductoryOfferEligible {
            name("introductoryOfferEligible")
            bool(isEligible)
        }
        if let offer = product.introductoryPrice {
            name("introductoryPrice")
            self.offer(offer)
        }
        name("localizedDescription")
        string(product.localizedDescription)
        name("localizedTitle")
        string(product.localizedTitle)
        name("price")
        price(product.price)
        name("productIdentifier")
        string(product.productIdentifier.string)
        if let group = product.subscriptionGroupIdentifier {
            name("subscriptionGroupIdentifier")
            string(group.string)
        }
        if let period = product.subscriptionPeriod {
            name("subscriptionPeriod")
            self.period(period)
        }
        name("type")
        string(product.type.rawValue)
        endObject()
    }

    /// Appends a price. The amount is a string, so that money is never a floating-point number.
    private mutating func price(_ price: Price) {
        raw("{\"amount\":")
        string(price.amount.text)
        raw(",\"currencyCode\":")
        string(price.currencyCode)
        raw("}")
    }

    private mutating func period(_ period: SubscriptionPeriod) {
        raw("{\"numberOfUnits\":")
        integer(period.numberOfUnits)
        raw(",\"unit\":")
        string(period.unit.rawValue)
        raw("}")
    }

    private mutating func offer(_ offer: PricePeriod) {
        raw("{\"period\":")
        period(offer.period)
        raw(",\"price\":")
        price(offer.price)
        raw("}")
    }
}

extension LineContent {
    /// Reads the output of `recordedProduct`.
    func recordedProduct(_ offset: Int) throws(PayloadFault) -> RecordedProduct {
        var members = try MemberCursor(self, object: offset)
        let country = try country(members.require("country"))
        let number = try unsigned32(members.require("number"))
        let product = try product(members.require("product"))
        return RecordedProduct(number: number, product: product, country: country)
    }

    private func product(_ offset: Int) throws(PayloadFault) -> Product {
        var members = try MemberCursor(self, object: offset)
        let discounted = try optional(members.take("discountedPrice"), offer)
        let icon = try optional(members.take("iconUrl"), string)
        let isEligible = try optional(members.take("introductoryOfferEligible"), bool)
        let introductory = try optional(members.take("introductoryPrice"), offer)
        let description = try string(members.require("localizedDescription"))
        let title = try string(members.require("localizedTitle"))
        let price = try price(members.require("price"))
        let identifier = try opaque(members.require("productIdentifier"))
        let group = try optional(members.take("subscriptionGroupIdentifier"), opaque)
        let period = try optional(members.take("subscriptionPeriod"), period)
        let type = try word(members.require("type"), of: Product.Kind.self)
        var product = Product(
            productIdentifier: identifier, type: type, localizedTitle: title,
            localizedDescription: description, iconURL: icon, price: price,
            subscriptionPeriod: period, subscriptionGroupIdentifier: group,
            introductoryPrice: introductory, discountedPrice: discounted)
        if let isEligible { product.introductoryOfferEligible = isEligible }
        return product
    }

    private func price(_ offset: Int) throws(PayloadFault) -> Price {
        var members = try MemberCursor(self, object: offset)
        let text = try string(members.require("amount"))
        guard let amount = Amount(text) else { throw PayloadFault("'\(text)' is not an amount") }
        return Price(amount: amount, currencyCode: try string(members.require("currencyCode")))
    }

    private func period(_ offset: Int) throws(PayloadFault) -> SubscriptionPeriod {
        var members = try MemberCursor(self, object: offset)
        let count = try unsigned32(members.require("numberOfUnits"))
        let unit = try word(members.require("unit"), of: SubscriptionPeriod.Unit.self)
        return SubscriptionPeriod(unit: unit, numberOfUnits: Int(count))
    }

    private func offer(_ offset: Int) throws(PayloadFault) -> PricePeriod {
        var members = try MemberCursor(self, object: offset)
        let period = try period(members.require("period"))
        return PricePeriod(price: try price(members.require("price")), period: period)
    }

    /// Reads a member if the object has it.
    func optional<Value>(
        _ offset: Int?, _ read: (Int) throws(PayloadFault) -> Value
    ) throws(PayloadFault) -> Value? {
        guard let offset else { return nil }
        return try read(offset)
    }
}
