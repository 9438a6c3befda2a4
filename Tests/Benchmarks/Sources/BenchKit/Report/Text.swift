import Foundation

/// A figure with this number of decimals.
func fixed(_ value: Double, _ decimals: Int) -> String {
    String(format: "%.\(decimals)f", value)
}

/// A figure with as few digits as it needs, at most six.
func shortest(_ value: Double) -> String {
    String(format: "%g", value)
}

/// A table with headings: the first columns are left-aligned, the others right-aligned.
///
/// - Parameters:
///   - headings: The first line.
///   - rows: One array for each line, as long as the headings.
///   - leading: The number of left-aligned columns.
/// - Returns: The lines, without spaces at their ends.
public func table(_ headings: [String], _ rows: [[String]], leading: Int = 2) -> String {
    let lines = [headings] + rows
    let widths = headings.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { line in
        let cells = zip(line, widths).enumerated().map { column, cell in
            let padding = String(repeating: " ", count: cell.1 - cell.0.count)
            return column < leading ? cell.0 + padding : padding + cell.0
        }
        let text = cells.joined(separator: "  ")
        return String(text.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
}
