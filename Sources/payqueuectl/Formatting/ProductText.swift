import StrictJSON

/// Products as a table.
enum ProductText {
    /// The lines for an answer to `products`.
    static func lines(_ answer: JSONValue) -> [String] {
        var table = TextTable("PRODUCT", "TYPE", "PRICE", "PERIOD", "TITLE")
        for product in answer["products"]?.arrayValue ?? [] {
            table.add([
                .init(product["productIdentifier"]?.stringValue ?? "?", .strong),
                .init(Wording.of(product["type"]?.stringValue ?? "")),
                .init(PriceText.price(product["price"])),
                .init(PriceText.period(product["subscriptionPeriod"])),
                .init(product["localizedTitle"]?.stringValue ?? ""),
            ])
        }
        let invalid = answer["invalid"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let country = answer["storefront"]?["countryCode"]?.stringValue
        return table.lines(ifEmpty: "No products.")
            + invalid.map { Console.styled("not sold here: \($0)", .bad) }
            + (country.map { [Console.styled("prices of \($0)", .quiet)] } ?? [])
    }
}
