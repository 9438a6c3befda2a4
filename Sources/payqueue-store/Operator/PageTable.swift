import PaymentCore

/// A table that becomes a list of cards in a narrow window. Explicit roles keep it a table for
/// screen readers, because browsers drop the roles with the layout.
struct PageTable {
    struct Column {
        let name: String
        var isNumber = false
        /// Whether its cells take a separate line on a card.
        var isWide = false
    }

    /// The caption of the table; for screen readers only if `isCaptionShown` is false.
    let caption: String
    var isCaptionShown = true
    let columns: [Column]
    /// The cells of each row, nil for an empty one.
    let rows: [[HTML?]]

    var html: HTML {
        let captionClass: HTML = isCaptionShown ? "" : " class=\"unseen\""
        let heads: [HTML] = columns.map { column in
            "<th role=\"columnheader\" scope=\"col\"\(Self.kind(of: column))>\(column.name)</th>"
        }
        let lines: [HTML] = rows.map { row in
            let cells: [HTML] = zip(columns, row).map { column, cell in
                guard let cell else { return "<td role=\"cell\"></td>" }
                return """
                    <td role="cell" data-label="\(column.name)"\(Self.kind(of: column))>\
                    <div>\(cell)</div></td>
                    """
            }
            return "<tr role=\"row\">\(cells)</tr>\n"
        }
        return """
            <table role="table">
            <caption\(captionClass)>\(caption)</caption>
            <thead role="rowgroup"><tr role="row">\(heads)</tr></thead>
            <tbody role="rowgroup">
            \(lines)</tbody></table>

            """
    }

    private static func kind(of column: Column) -> HTML {
        if column.isNumber { return " class=\"number\"" }
        return column.isWide ? " class=\"wide\"" : ""
    }
}
