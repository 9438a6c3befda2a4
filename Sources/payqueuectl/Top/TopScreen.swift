import StrictJSON

/// The screen of `top`: how the daemon is, who observes, what is unfinished.
struct TopScreen {
    let sample: TopSample
    let rates: TopSample.Rates?
    /// What stands in the first line beside the title; nil if all is well.
    var trouble: String?
    var isPaused = false

    /// The lines for a screen of so many rows; as long as it takes if nil.
    ///
    /// When there is little room the observers give way first, then the transactions.
    func lines(rows: Int? = nil, footer: Bool = false) -> [String] {
        let head = [title] + StatusText.lines(sample.status) + [rateLine]
        let foot = footer ? ["", Console.styled("q quits, p pauses", .quiet)] : []
        var observers = section("OBSERVERS", ObserverText.lines(sample.observers))
        var transactions = section("TRANSACTIONS", transactionLines)
        if let rows {
            let room = max(0, rows - head.count - foot.count)
            // Half of the room at most, unless the transactions need less.
            let share = max(room / 2, room - transactions.count)
            observers = Self.shortened(observers, to: min(share, room))
            transactions = Self.shortened(transactions, to: max(0, room - observers.count))
        }
        return head + observers + transactions + foot
    }

    private var title: String {
        let words = trouble.map { Console.styled($0, .bad) } ?? (isPaused ? "paused" : "")
        return Console.styled("payqueued", .strong) + (words.isEmpty ? "" : "  \(words)")
    }

    private var rateLine: String {
        let name = Console.styled("rates     ", .quiet)
        guard let rates else { return name + "are known at the next look" }
        func shown(_ rate: Double) -> String {
            rate >= 100 ? "\(Int(rate))" : "\((rate * 10).rounded() / 10)"
        }
        return name + "\(shown(rates.adds)) add/s, \(shown(rates.finishes)) finish/s, "
            + "\(shown(rates.calls)) calls/s, \(shown(rates.records)) records/s"
    }

    private var transactionLines: [String] {
        let transactions = sample.transactions["transactions"]?.arrayValue ?? []
        let all =
            sample.status["queue"]?["unfinished"]?.intValue ?? Int64(transactions.count)
        let more = all - Int64(transactions.count)
        return TransactionText.screenLines(transactions)
            + (more > 0 ? [Console.styled("and \(more) more", .quiet)] : [])
    }

    private func section(_ title: String, _ lines: [String]) -> [String] {
        ["", Console.styled(title, .strong)] + lines
    }

    /// As many lines as there is room for; the last says how many are not shown.
    private static func shortened(_ lines: [String], to room: Int) -> [String] {
        guard lines.count > room else { return lines }
        // Less than a title, headings and a row would say nothing.
        guard room >= 4 else { return [] }
        let hidden = lines.count - room + 1
        return lines.prefix(room - 1) + [Console.styled("and \(hidden) more lines", .quiet)]
    }
}
