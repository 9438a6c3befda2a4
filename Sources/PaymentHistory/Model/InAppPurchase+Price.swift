import PaymentCore

extension InAppPurchase {
    /// The price for people: major units with as many digits as the currency has, and the currency.
    public var priceText: String {
        let amount = Currency.text(smallestUnits: price.magnitude, of: currency)
        return "\(price < 0 ? "-" : "")\(amount) \(currency)"
    }
}
