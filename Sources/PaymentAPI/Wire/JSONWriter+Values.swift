public import PaymentCore
public import StrictJSON

/// The small values of the contract. All methods append bytes only, without intermediate strings.
extension JSONWriter {
    /// An identifier, as a string.
    public mutating func identifier(_ id: some TypedIdentifier) {
        raw(id.value.quoted.span)
    }

    /// A moment: RFC 3339, UTC, milliseconds.
    public mutating func time(_ time: Timestamp) {
        raw(time.quoted.span)
    }

    /// A storefront. The `id` is opaque and compared by nobody; the country code decides.
    public mutating func storefront(_ country: CountryCode) {
        onStack { $0.storefront(country) }
    }

    /// Appends a storefront, or null.
    mutating func storefront(_ country: CountryCode?) {
        if let country { storefront(country) } else { null() }
    }

    /// Appends the origin of a record.
    public mutating func origin(_ origin: Origin) {
        onStack { $0.origin(origin) }
    }

    /// Appends a price: the amount as a number with all its digits, as a string, and the currency.
    public mutating func price(_ price: Price) {
        onStack { $0.price(price) }
    }

    /// Appends the length of a subscription period.
    mutating func period(_ period: SubscriptionPeriod) {
        onStack { $0.period(period) }
    }

    /// Appends an offer.
    mutating func offer(_ offer: PricePeriod) {
        onStack { $0.offer(offer) }
    }

    /// Appends a product, as sold in one country.
    public mutating func product(_ product: Product) {
        onStack { $0.product(product) }
    }
}

extension JSONWriter {
    /// Appends an array of strings.
    mutating func strings(_ texts: [String]) {
        beginArray()
        for text in texts {
            element()
            string(text)
        }
        endArray()
    }
}

/// The same values on the stack.
extension StackText {
    /// Appends an identifier, as a string.
    mutating func identifier(_ id: some TypedIdentifier) {
        raw(id.value.quoted.span)
    }

    /// Appends a moment.
    mutating func time(_ time: Timestamp) {
        raw(time.quoted.span)
    }

    /// Appends a storefront.
    mutating func storefront(_ country: CountryCode) {
        literal("{\"id\":\"sf-")
        byte(country.first | 0x20)
        byte(country.second | 0x20)
        literal("\",\"countryCode\":\"")
        byte(country.first)
        byte(country.second)
        literal("\"}")
    }

    /// Appends the origin of a record.
    mutating func origin(_ origin: Origin) {
        literal("{\"uid\":")
        decimal(UInt64(origin.uid))
        if let client = origin.client {
            literal(",\"client\":")
            string(client.string)
        }
        literal("}")
    }

    /// Appends a price.
    mutating func price(_ price: Price) {
        let amount = price.amount.text
        literal("{\"value\":")
        raw(amount.utf8.span)
        literal(",\"amount\":\"")
        raw(amount.utf8.span)
        literal("\",\"currencyCode\":")
        string(price.currencyCode)
        literal("}")
    }

    /// Appends the length of a subscription period.
    mutating func period(_ period: SubscriptionPeriod) {
        literal("{\"unit\":")
        string(period.unit.rawValue)
        literal(",\"numberOfUnits\":")
        decimal(UInt64(clamping: period.numberOfUnits))
        literal("}")
    }

    /// Appends an offer.
    mutating func offer(_ offer: PricePeriod) {
        literal("{\"price\":")
        price(offer.price)
        literal(",\"period\":")
        period(offer.period)
        literal("}")
    }

    /// Appends a product, as sold in one country.
    mutating func product(_ product: Product) {
        literal("{\"productIdentifier\":")
        string(product.productIdentifier.string)
        literal(",\"type\":")
        string(product.type.rawValue)
        literal(",\"localizedTitle\":")
        string(product.localizedTitle)
        literal(",\"localizedDescription\":")
        string(product.localizedDescription)
        if let icon = product.iconURL {
            literal(",\"iconUrl\":")
            string(icon)
        }
        literal(",\"price\":")
        price(product.price)
        subscriptionMembers(of: product)
        literal("}")
    }

    private mutating func subscriptionMembers(of product: Product) {
        if let subscriptionPeriod = product.subscriptionPeriod {
            literal(",\"subscriptionPeriod\":")
            period(subscriptionPeriod)
        }
        if let group = product.subscriptionGroupIdentifier {
            literal(",\"subscriptionGroupIdentifier\":")
            string(group.string)
        }
        if let introductory = product.introductoryPrice {
            literal(",\"introductoryPrice\":")
            offer(introductory)
        }
        if let isEligible = product.introductoryOfferEligible {
            literal(",\"introductoryOfferEligible\":")
            literal(isEligible ? "true" : "false")
        }
        if let discounted = product.discountedPrice {
            literal(",\"discountedPrice\":")
            offer(discounted)
        }
    }
}
