import Foundation

/// A figure with so many decimals.
func fixed(_ value: Double, _ decimals: Int) -> String {
    String(format: "%.\(decimals)f", value)
}

/// Rows under headings, the first two columns left-aligned, figures right-aligned.
public func table(_ headings: [String], _ rows: [[String]]) -> String {
    let lines = [headings] + rows
    let widths = headings.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { line in
        zip(line, widths).enumerated().map { column, cell in
            let padding = String(repeating: " ", count: cell.1 - cell.0.count)
            return column < 2 ? cell.0 + padding : padding + cell.0
        }.joined(separator: "  ")
    }.joined(separator: "\n")
}

extension ComparisonResult {
    /// The medians as a table for people; the ratio is to Redis in the same round.
    public func tableText() -> String {
        var rows: [[String]] = []
        for shape in shapes {
            for subject in shape.subjects {
                guard let summary = shape.summary(of: subject.name) else { continue }
                rows.append([
                    "\(shape.shape)", subject.name, fixed(summary.rate, 0),
                    shape.ratio(of: subject.name, to: "redis").map { fixed($0, 2) } ?? "",
                    fixed(summary.p50, 0), fixed(summary.p99, 0),
                    summary.serverCPU.map { fixed($0, 1) } ?? "",
                ])
            }
        }
        return table(
            ["shape", "what", "requests/s", "to Redis", "p50 us", "p99 us", "CPU us/request"],
            rows)
    }

    /// Every round, for programs.
    public func jsonText() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let document = shapes.map { shape in
            ShapeDocument(
                shape: "\(shape.shape)",
                ratioToRedis: shape.ratio(of: "payqueued", to: "redis"),
                rounds: Dictionary(
                    shape.subjects.map { ($0.name, $0.rounds) }, uniquingKeysWith: { $0 + $1 }))
        }
        return String(decoding: try encoder.encode(document), as: UTF8.self)
    }
}

private struct ShapeDocument: Encodable {
    var shape: String
    var ratioToRedis: Double?
    var rounds: [String: [Measurement]]
}
