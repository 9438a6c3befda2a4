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
        raw("{\"id\":\"sf-")
        let start = bytes.count
        country.append(to: &bytes)
        for position in start..<bytes.count { bytes[position] |= 0x20 }
        raw("\",\"countryCode\":\"")
        country.append(to: &bytes)
        raw("\"}")
    }

    /// Appends a storefront, or null.
    mutating func storefront(_ country: CountryCode?) {
        if let country { storefront(country) } else { null() }
    }

    /// Appends the origin of a record.
    public mutating func origin(_ origin: Origin) {
        raw("{\"uid\":")
        integer(origin.uid)
        if let client = origin.client {
            raw(",\"client\":")
            string(client.string)
        }
        raw("}")
    }

    /// Appends a price: the amount as a number with all its digits, as a string, and the currency.
    public mutating func price(_ price: Price) {
        raw("{\"value\":")
        bytes.append(contentsOf: price.amount.text.utf8)
        raw(",\"amount\":\"")
        bytes.append(contentsOf: price.amount.text.utf8)
        raw("\",\"currencyCode\":")
        string(price.currencyCode)
        raw("}")
    }

    /// Appends the length of a subscription period.
    mutating func period(_ period: SubscriptionPeriod) {
        raw("{\"unit\":")
        string(period.unit.rawValue)
        raw(",\"numberOfUnits\":")
        integer(period.numberOfUnits)
        raw("}")
    }

    /// Appends an offer.
    mutating func offer(_ offer: PricePeriod) {
        raw("{\"price\":")
        price(offer.price)
        raw(",\"period\":")
        period(offer.period)
        raw("}")
    }

    /// Appends a product, as sold in one country.
    public mutating func product(_ product: Product) {
        raw("{\"productIdentifier\":")
        string(product.productIdentifier.string)
        raw(",\"type\":")
        string(product.type.rawValue)
        raw(",\"localizedTitle\":")
        string(product.localizedTitle)
        raw(",\"localizedDescription\":")
        string(product.localizedDescription)
        if let icon = product.iconURL {
            raw(",\"iconUrl\":")
            string(icon)
        }
        raw(",\"price\":")
        price(product.price)
        subscriptionMembers(of: product)
        raw("}")
    }

    private mutating func subscriptionMembers(of product: Product) {
        if let subscriptionPeriod = product.subscriptionPeriod {
            raw(",\"subscriptionPeriod\":")
            period(subscriptionPeriod)
        }
        if let group = product.subscriptionGroupIdentifier {
            raw(",\"subscriptionGroupIdentifier\":")
            string(group.string)
        }
        if let introductory = product.introductoryPrice {
            raw(",\"introductoryPrice\":")
            offer(introductory)
        }
        if let isEligible = product.introductoryOfferEligible {
            raw(",\"introductoryOfferEligible\":")
            bool(isEligible)
        }
        if let discounted = product.discountedPrice {
            raw(",\"discountedPrice\":")
            offer(discounted)
        }
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
