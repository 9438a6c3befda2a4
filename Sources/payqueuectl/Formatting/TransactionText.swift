import PaymentCore
import StrictJSON

/// Transactions as a table, and their parts as text.
enum TransactionText {
    /// The table of a list.
    ///
    /// - Parameters:
    ///   - transactions: The transactions in the daemon's format.
    ///   - width: The maximum width of the table in columns; nil for any width.
    ///   - now: The time for ages.
    /// - Returns: The lines of the table, the headings first.
    static func lines(
        _ transactions: [JSONValue], width: Int? = nil, now: Timestamp = .now
    ) -> [String] {
        var table = TextTable(
            .id("TRANSACTION"), "STATE", .text("PRODUCT"), "PRICE", "AGE", .text("NOTES"))
        for transaction in transactions {
            let product = transaction["payment"]?["product"]
            table.add([
                .init(transaction["id"]?.stringValue ?? "?"), state(transaction),
                .init(product?["productIdentifier"]?.stringValue ?? "?"),
                .init(PriceText.price(product?["price"])),
                .init(
                    TimeText.age(
                        transaction["finishedAt"] ?? transaction["updatedAt"], now: now)),
                .init(notes(transaction).joined(separator: ", ")),
            ])
        }
        return table.lines(ifEmpty: "No transactions.", width: width)
    }

    /// The table of a live screen, which may cut off line ends; the important columns come first.
    static func screenLines(_ transactions: [JSONValue]) -> [String] {
        var table = TextTable("STATE", "PRODUCT", "PRICE", "TIME", "NOTES", "TRANSACTION")
        for transaction in transactions {
            let product = transaction["payment"]?["product"]
            table.add([
                state(transaction), .init(product?["productIdentifier"]?.stringValue ?? "?"),
                .init(PriceText.price(product?["price"])),
                .init(String(TimeText.short(transaction["updatedAt"]).suffix(8))),
                .init(notes(transaction).joined(separator: ", ")),
                .init(transaction["id"]?.stringValue ?? "?", .quiet),
            ])
        }
        return table.lines(ifEmpty: "No transactions.")
    }

    /// The state with its style; an unknown state has the style of a busy one.
    static func state(_ transaction: JSONValue) -> TextTable.Cell {
        let state = transaction["transactionState"]?.stringValue ?? "?"
        return TextTable.Cell(state, style(ofState: state))
    }

    /// The style of a state.
    static func style(ofState state: String) -> Console.Style {
        switch state {
        case "purchased", "restored": .good
        case "failed": .bad
        default: .busy
        }
    }

    /// The notes next to state and goods.
    static func notes(_ transaction: JSONValue) -> [String] {
        var notes: [String] = []
        if let ending = ending(transaction) { notes.append(ending) }
        if let waiting = transaction["waitingFor"]?.stringValue {
            notes.append(WaitingText.short(waiting))
        }
        if transaction["completing"]?.boolValue == true {
            notes.append("finished, waiting for the store to confirm")
        }
        if let failure = failure(transaction) { notes.append(failure) }
        notes += ChargeText.notes(transaction, price: transaction["payment"]?["product"]?["price"])
        if isUnfinished(transaction), ChargeText.refund(transaction) != nil {
            notes[notes.count - 1] += ": do not unlock; finish it"
        }
        // A purchase is the usual reason and needs no note.
        if let reason = transaction["reason"]?.stringValue, reason != "purchase" {
            notes.append(Wording.of(reason) + order(transaction))
        }
        return notes
    }

    private static func isUnfinished(_ transaction: JSONValue) -> Bool {
        ending(transaction) == nil && transaction["completing"]?.boolValue != true
    }

    /// The removal of a transaction from the queue, as text; nil while it is in the queue.
    static func ending(_ transaction: JSONValue) -> String? {
        let isOver = transaction["finishedAt"]?.stringValue != nil
        guard let reason = transaction["removalReason"]?.stringValue ?? (isOver ? "finished" : nil)
        else { return nil }
        return Wording.of(reason) + EventText.by(transaction["by"])
    }

    /// The failure of a transaction, in one or two words.
    static func failure(_ transaction: JSONValue) -> String? {
        guard let error = transaction["error"] else { return nil }
        let name = error.members?.first?.name ?? error.stringValue ?? "failed"
        // The reason is more specific than the error name of the interface.
        return Wording.of(transaction["failureReason"]?.stringValue ?? name)
    }

    private static func order(_ transaction: JSONValue) -> String {
        guard let order = transaction["transactionIdentifier"]?.stringValue else { return "" }
        let original = transaction["originalTransactionIdentifier"]?.stringValue
        let of = original.map { $0 == order ? "" : " of \($0)" } ?? ""
        return ", order \(order)\(of)"
    }
}

/// Prices as text.
enum PriceText {
    /// Amount and currency, with the daemon's digits.
    static func price(_ price: JSONValue?) -> String {
        let amount = price?["amount"]?.stringValue ?? price?["value"]?.numberText ?? ""
        let currency = price?["currencyCode"]?.stringValue ?? ""
        return currency.isEmpty ? amount : "\(amount) \(currency)"
    }

    /// A period such as `1 month`; several as `3 months`.
    static func period(_ period: JSONValue?) -> String {
        guard let unit = period?["unit"]?.stringValue else { return "" }
        let count = period?["numberOfUnits"]?.intValue ?? 1
        return Wording.count(count, unit)
    }
}
