import StrictJSON

/// Products as a table.
enum ProductText {
    /// The lines for an answer to `products`.
    static func lines(_ answer: JSONValue, width: Int? = nil) -> [String] {
        var table = TextTable(
            .text("PRODUCT"), .text("TYPE"), "PRICE", "PERIOD", "FIRST", .text("TITLE"))
        for product in answer["products"]?.arrayValue ?? [] {
            table.add([
                .init(product["productIdentifier"]?.stringValue ?? "?", .strong),
                .init(Wording.of(product["type"]?.stringValue ?? "")),
                .init(PriceText.price(product["price"])),
                .init(PriceText.period(product["subscriptionPeriod"])),
                .init(introduction(product)),
                .init(product["localizedTitle"]?.stringValue ?? ""),
            ])
        }
        return table.lines(ifEmpty: "No products.", width: width) + remarks(answer)
    }

    /// The introductory price, and whether the account is eligible; empty if there is none.
    private static func introduction(_ product: JSONValue) -> String {
        guard let offer = product["introductoryPrice"] else { return "" }
        let words = "\(PriceText.price(offer["price"])) for \(PriceText.period(offer["period"]))"
        let isOver = product["introductoryOfferEligible"]?.boolValue == false
        return isOver ? words + ", used" : words
    }

    private static func remarks(_ answer: JSONValue) -> [String] {
        let invalid = answer["invalid"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let country = answer["storefront"]?["countryCode"]?.stringValue
        return invalid.map { Console.styled("not sold here: \($0)", .bad) }
            + (country.map { [Console.styled("Prices in \($0).", .quiet)] } ?? [])
    }
}
