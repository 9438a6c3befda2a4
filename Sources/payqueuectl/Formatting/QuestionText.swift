import PaymentCore
import StrictJSON

/// Open questions as a table.
enum QuestionText {
    /// The lines for an answer to `questions`.
    static func lines(
        _ answer: JSONValue, width: Int? = nil, now: Timestamp = .now
    ) -> [String] {
        var table = TextTable(
            .id("QUESTION"), .text("TYPE"), .text("ABOUT"), "DEADLINE", "DEFAULT")
        for question in answer["questions"]?.arrayValue ?? [] {
            table.add([
                .init(question["question"]?.stringValue ?? "?", .strong),
                .init(Wording.of(question["type"]?.stringValue ?? "?")), .init(about(question)),
                .init(TimeText.age(question["deadline"], now: now)),
                .init(question["fallback"]?.boolValue.map { $0 ? "yes" : "no" } ?? ""),
            ])
        }
        return table.lines(ifEmpty: "No open questions.", width: width)
    }

    /// The subject of a question, as text.
    static func about(_ question: JSONValue) -> String {
        var parts: [String] = []
        let product = question["product"]
        if let name = product?["productIdentifier"]?.stringValue ?? product?.stringValue {
            parts.append(name)
        }
        let price = PriceText.price(question["price"] ?? product?["price"])
        if !price.isEmpty { parts.append(price) }
        let place = question["storefront"] ?? question["to"]
        if let country = place?["countryCode"]?.stringValue { parts.append("in \(country)") }
        if let transaction = question["transaction"]?.stringValue { parts.append(transaction) }
        return parts.joined(separator: " ")
    }
}
