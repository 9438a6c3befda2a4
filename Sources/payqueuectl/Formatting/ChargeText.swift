import StrictJSON

/// The charge of an order, if it differs from the price.
enum ChargeText {
    /// The notes for a transaction or an order: the offer, a charge that differs from the price and
    /// is not clear from the offer, and last the refund.
    static func notes(_ order: JSONValue, price: JSONValue?) -> [String] {
        var notes: [String] = []
        let offer = order["offer"]?.stringValue
        if let offer { notes.append(words(offer, order)) }
        // The text of these offers already shows that nothing was charged.
        let isSaid = offer == "alreadyOwned" || offer == "scheduled"
        if let charged = order["charged"], !isSaid {
            let amount = PriceText.price(charged)
            if amount != PriceText.price(price) { notes.append("charged \(amount)") }
        }
        if let refund = refund(order) { notes.append(refund) }
        return notes
    }

    /// The time and reason of a revocation; nil if the order was not revoked.
    static func refund(_ order: JSONValue) -> String? {
        guard let revocation = order["revocation"] else { return nil }
        let reason = revocation["reason"]?.stringValue.map(Wording.of) ?? "revoked"
        return "\(reason) \(TimeText.short(revocation["at"]))"
    }

    private static func words(_ offer: String, _ order: JSONValue) -> String {
        guard offer == "scheduled" else { return Wording.of(offer) }
        return "changes on \(TimeText.short(order["effectiveAt"])), charged then"
    }
}
