import PaymentCore

extension InAppPurchase {
    /// The price for users: the amount in major units with the currency's number of decimals, and
    /// the currency code.
    public var priceText: String {
        let amount = Currency.text(smallestUnits: price.magnitude, of: currency)
        return "\(price < 0 ? "-" : "")\(amount) \(currency)"
    }
}
