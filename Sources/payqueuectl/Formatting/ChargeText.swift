import StrictJSON

/// The amount that the store took for an order, where it is not simply the price.
enum ChargeText {
    /// The notes for a transaction or an order: the offer, the amount where it is not the price and the
    /// offer does not say so, and the refund, which comes last.
    static func notes(_ order: JSONValue, price: JSONValue?) -> [String] {
        var notes: [String] = []
        let offer = order["offer"]?.stringValue
        if let offer { notes.append(words(offer, order)) }
        // The offers whose words tell that nothing was charged.
        let isSaid = offer == "alreadyOwned" || offer == "scheduled"
        if let charged = order["charged"], !isSaid {
            let amount = PriceText.price(charged)
            if amount != PriceText.price(price) { notes.append("charged \(amount)") }
        }
        if let refund = refund(order) { notes.append(refund) }
        return notes
    }

    /// When the store took an order back, and how it calls that; nil if it did not.
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
