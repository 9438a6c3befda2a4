/// A table of text. Each column is as wide as its widest cell, and the table is at most as wide as
/// the terminal.
struct TextTable {
    /// A column: its heading and its way of shrinking.
    struct Column: ExpressibleByStringLiteral {
        /// The way in which a column shrinks.
        enum Kind {
            /// The column never shrinks.
            case fixed
            /// An id is cut to a prefix that is unique in the column.
            case id
            /// The end of the text is cut off.
            case text
        }

        let heading: String
        let kind: Kind

        init(stringLiteral heading: String) {
            self.init(heading, .fixed)
        }

        private init(_ heading: String, _ kind: Kind) {
            (self.heading, self.kind) = (heading, kind)
        }

        static func id(_ heading: String) -> Column { Column(heading, .id) }
        static func text(_ heading: String) -> Column { Column(heading, .text) }
    }

    /// One cell: its text and its style.
    struct Cell: ExpressibleByStringLiteral {
        var text: String
        let style: Console.Style?

        init(_ text: String, _ style: Console.Style? = nil) {
            self.text = ScreenText.plain(text)
            self.style = style
        }

        init(stringLiteral text: String) {
            self.init(text)
        }
    }

    /// The minimum length of a displayed id prefix.
    private static let shortestID = 8
    private static let gap = 2

    private let columns: [Column]
    private var rows: [[Cell]] = []

    /// Creates a table without rows.
    init(_ columns: Column...) {
        self.columns = columns
    }

    /// Adds a row; missing cells are empty.
    mutating func add(_ cells: [Cell]) {
        rows.append(cells)
    }

    /// The lines, the headings first.
    ///
    /// - Parameters:
    ///   - sentence: The replacement for a table without rows.
    ///   - width: The maximum width of a line in columns; nil for any width.
    /// - Returns: The lines, without line ends.
    func lines(ifEmpty sentence: String, width: Int? = nil) -> [String] {
        guard !rows.isEmpty else { return [Console.styled(sentence, .quiet)] }
        var table = [columns.map { Cell($0.heading, .quiet) }] + rows
        if let width {
            shortenIDs(&table, to: width)
            cutTexts(&table, to: width)
        }
        let widths = widths(table)
        return table.map { row in
            let line = line(row, widths)
            return width.map { ScreenText.clipped(line, to: $0) } ?? line
        }
    }

    private func widths(_ table: [[Cell]]) -> [Int] {
        columns.indices.map { column in
            table.reduce(0) { widest, row in
                max(widest, column < row.count ? ScreenText.columns(of: row[column].text) : 0)
            }
        }
    }

    /// The number of columns by which the table is too wide.
    private func excess(_ table: [[Cell]], _ width: Int) -> Int {
        widths(table).reduce(0, +) + Self.gap * (columns.count - 1) - width
    }

    private func shortenIDs(_ table: inout [[Cell]], to width: Int) {
        guard excess(table, width) > 0 else { return }
        for column in columns.indices where columns[column].kind == .id {
            let ids = Set(
                table.dropFirst().compactMap { column < $0.count ? $0[column].text : nil })
            var length = Self.shortestID
            while Set(ids.map { $0.prefix(length) }).count < ids.count { length += 1 }
            for row in table.indices.dropFirst() where column < table[row].count {
                table[row][column].text = String(table[row][column].text.prefix(length))
            }
        }
    }

    /// Shortens the widest texts first, but none below the width of its heading.
    private func cutTexts(_ table: inout [[Cell]], to width: Int) {
        var excess = excess(table, width)
        guard excess > 0 else { return }
        var widths = widths(table)
        let texts = columns.indices.filter { columns[$0].kind == .text }
        while excess > 0 {
            let open = texts.filter { widths[$0] > max(8, columns[$0].heading.count) }
            guard let widest = open.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            excess -= 1
        }
        for column in texts {
            for row in table.indices.dropFirst() where column < table[row].count {
                let text = table[row][column].text
                guard ScreenText.columns(of: text) > widths[column] else { continue }
                table[row][column].text =
                    ScreenText.clipped(text, to: widths[column] - 1) + "…"
            }
        }
    }

    private func line(_ row: [Cell], _ widths: [Int]) -> String {
        let cells = row.enumerated().map { column, cell in
            let text = cell.style.map { Console.styled(cell.text, $0) } ?? cell.text
            // The last column is not padded.
            let missing =
                column == row.count - 1 ? 0 : widths[column] - ScreenText.columns(of: cell.text)
            return text + String(repeating: " ", count: max(0, missing))
        }
        var line = cells.joined(separator: String(repeating: " ", count: Self.gap))
        while line.last == " " { line.removeLast() }
        return line
    }
}
