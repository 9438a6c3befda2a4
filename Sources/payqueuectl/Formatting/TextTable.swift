/// Rows under headings, each column as wide as its widest cell.
struct TextTable {
    /// One cell: what it says and how it stands out.
    struct Cell: ExpressibleByStringLiteral {
        let text: String
        let style: Console.Style?

        init(_ text: String, _ style: Console.Style? = nil) {
            self.text = ScreenText.plain(text)
            self.style = style
        }

        init(stringLiteral text: String) {
            self.init(text)
        }
    }

    private let headings: [String]
    private var rows: [[Cell]] = []

    /// A table without rows.
    init(_ headings: String...) {
        self.headings = headings
    }

    /// Adds a row; missing cells are empty.
    mutating func add(_ cells: [Cell]) {
        rows.append(cells)
    }

    /// The lines, the headings first; what to say instead if there are no rows.
    func lines(ifEmpty sentence: String) -> [String] {
        guard !rows.isEmpty else { return [Console.styled(sentence, .quiet)] }
        let widths = headings.indices.map { column in
            rows.reduce(headings[column].count) { widest, row in
                max(widest, column < row.count ? ScreenText.columns(of: row[column].text) : 0)
            }
        }
        let top = headings.map { Cell($0, .quiet) }
        return ([top] + rows).map { row in line(row, widths) }
    }

    private func line(_ row: [Cell], _ widths: [Int]) -> String {
        let cells = row.enumerated().map { column, cell in
            let text = cell.style.map { Console.styled(cell.text, $0) } ?? cell.text
            // Nothing stands behind the last column.
            let missing =
                column == row.count - 1 ? 0 : widths[column] - ScreenText.columns(of: cell.text)
            return text + String(repeating: " ", count: max(0, missing))
        }
        return cells.joined(separator: "  ")
    }
}
