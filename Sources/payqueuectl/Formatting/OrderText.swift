import PaymentCore
import StrictJSON

/// The sandbox's orders as a table.
enum OrderText {
    /// The lines for an answer to `test.orders`.
    static func lines(
        _ answer: JSONValue, width: Int? = nil, now: Timestamp = .now
    ) -> [String] {
        var table = TextTable(
            .id("ORDER"), "STATE", .text("PRODUCT"), "PRICE", .text("ACCOUNT"), "AGE",
            .text("NOTES"))
        for order in answer["orders"]?.arrayValue ?? [] {
            let state = order["state"]?.stringValue ?? "?"
            let isChained = order["original"]?.stringValue != order["order"]?.stringValue
            var notes = order["completed"]?.boolValue == true ? ["delivered"] : ["not delivered"]
            if isChained, let original = order["original"]?.stringValue {
                notes.append("renews \(original)")
            }
            notes += ChargeText.notes(order, price: order["price"])
            table.add([
                .init(order["order"]?.stringValue ?? "?"),
                .init(state, TransactionText.style(ofState: state)),
                .init(order["product"]?.stringValue ?? "?"),
                .init(PriceText.price(order["price"])),
                .init(order["account"]?.stringValue ?? "?"),
                .init(TimeText.age(order["placedAt"], now: now)),
                .init(notes.joined(separator: ", ")),
            ])
        }
        return table.lines(ifEmpty: "No orders.", width: width)
    }
}

/// An answer without a special format: one line per member.
enum DetailText {
    static func lines(_ answer: JSONValue) -> [String] {
        guard let members = answer.members else { return [answer.jsonText()] }
        guard !members.isEmpty else { return ["done"] }
        let width = members.map(\.name.count).max() ?? 0
        return members.map { member in
            let missing = String(repeating: " ", count: width - member.name.count)
            let value = AnswerFilter.text(member.value)
            return Console.styled(member.name, .quiet) + "\(missing)  \(value)"
        }
    }
}
