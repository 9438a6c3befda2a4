import StrictJSON

/// The screen of `top`: the daemon's state, the observers and the unfinished transactions.
struct TopScreen {
    let sample: TopSample
    let rates: TopSample.Rates?
    /// The reason why the daemon does not answer; nil if it does.
    var trouble: String?
    var isPaused = false

    /// The lines for a screen size; all lines if it is nil.
    ///
    /// With little space the observers are shortened first, then the transactions.
    func lines(size: FullScreen.Size? = nil, footer: Bool = false) -> [String] {
        let head = [title] + troubleLines(columns: size?.columns) + statusLines + [rateLine]
        let foot = footer ? ["", Console.styled("q quits, p pauses", .quiet)] : []
        let observers = Section(
            "OBSERVERS", ObserverText.lines(sample.observers),
            total: sample.observers["observers"]?.arrayValue?.count ?? 0)
        let transactions = Section(
            "TRANSACTIONS", TransactionText.screenLines(listed), total: unfinished)
        guard let rows = size?.rows else {
            return head + observers.lines(rows: .max) + transactions.lines(rows: .max) + foot
        }
        let room = max(0, rows - head.count - foot.count)
        // The observers get at most half of the space, unless the transactions need less.
        let share = max(room / 2, room - transactions.lines(rows: .max).count)
        let first = observers.lines(rows: share)
        return head + first + transactions.lines(rows: max(0, room - first.count)) + foot
    }

    private var listed: [JSONValue] { sample.transactions["transactions"]?.arrayValue ?? [] }

    /// The number of unfinished transactions; the sample contains only the first ones.
    private var unfinished: Int {
        let known = sample.status["queue"]?["unfinished"]?.intValue.flatMap(Int.init(exactly:))
        return max(known ?? 0, listed.count)
    }

    private var title: String {
        let paused = isPaused ? Console.styled("  paused", .busy) : ""
        return Console.styled("payqueued", .strong) + paused
    }

    /// The reason why the daemon does not answer, wrapped to the screen.
    private func troubleLines(columns: Int?) -> [String] {
        guard let trouble else { return [] }
        let sentence = ScreenText.plain("\(trouble); retrying. The last known state is below.")
        return ScreenText.wrapped(sentence, to: columns ?? 80).map { Console.styled($0, .bad) }
    }

    /// The state of the daemon; the current activity is omitted while it does not answer.
    private var statusLines: [String] {
        let lines = StatusText.lines(sample.status)
        return trouble == nil ? lines : Array(lines.dropFirst())
    }

    private var rateLine: String {
        let name = Console.styled("rates     ", .quiet)
        guard let rates else { return name + "are shown from the next update on" }
        func shown(_ rate: Double) -> String {
            rate >= 100 ? "\(Int(rate))" : "\((rate * 10).rounded() / 10)"
        }
        return name + "\(shown(rates.adds)) add/s, \(shown(rates.finishes)) finish/s, "
            + "\(shown(rates.calls)) calls/s, \(shown(rates.records)) records/s"
    }

    /// A section with a title, headings and rows.
    private struct Section {
        private let title: String
        private let table: [String]
        /// The number of rows in a complete list.
        private let total: Int

        init(_ title: String, _ table: [String], total: Int) {
            self.title = title
            self.table = table
            self.total = total
        }

        /// As many lines as fit; the last line gives the number of omitted rows.
        func lines(rows: Int) -> [String] {
            let start = ["", Console.styled(title, .strong)]
            let hasAll = total == 0 || total < table.count
            if hasAll, start.count + table.count <= rows { return start + table }
            // A useful section needs at least title, headings, one row and the number of omitted
            // rows.
            guard rows >= 5, total > 0 else { return [] }
            let shown = min(table.count - 1, rows - start.count - 2)
            return start + table.prefix(1 + shown)
                + [Console.styled("and \(total - shown) more", .quiet)]
        }
    }
}
