import StrictJSON

/// The screen of `top`.
enum TopText {
    /// How many transactions fit on a screen that is looked at.
    static let rows = 15

    /// The lines: how the daemon is, then what is unfinished.
    static func lines(_ status: JSONValue, _ page: JSONValue) -> [String] {
        let transactions = page["transactions"]?.arrayValue ?? []
        let all = status["queue"]?["unfinished"]?.intValue ?? Int64(transactions.count)
        let more = all - Int64(transactions.count)
        return StatusText.lines(status) + [""] + TransactionText.lines(transactions)
            + (more > 0 ? [Console.styled("and \(more) more", .quiet)] : [])
    }
}
