import Foundation

/// All rows of a run, in the order of their first reading.
public struct Report: Sendable {
    /// The rows.
    public private(set) var results: [RowResult] = []
    /// Sentences about the run, such as a row that was left out and why.
    public private(set) var notes: [String] = []

    /// Creates an empty report.
    public init() {}

    /// Adds the reading of the next round of a row.
    public mutating func record(_ row: Row, _ reading: Reading) {
        if let index = results.firstIndex(where: { $0.row == row }) {
            results[index].readings.append(reading)
        } else {
            results.append(RowResult(row: row, readings: [reading]))
        }
    }

    /// Adds a note; a second one with the same words is dropped.
    public mutating func note(_ text: String) {
        if !notes.contains(text) { notes.append(text) }
    }

    /// Sorts the rows by their groups. Within a group the order stays.
    public mutating func sort() {
        results = RowNumber.allCases.flatMap { number in
            results.filter { $0.row.number == number }
        }
    }

    /// The rows whose goal is not met.
    public var missed: [RowResult] { results.filter { $0.isMet == false } }

    /// A sentence with the number of goals that are met.
    private var verdict: [String] {
        let judged = results.filter { $0.isMet != nil }.count
        return judged == 0 ? [] : ["\(judged - missed.count) of \(judged) targets are met."]
    }

    /// The medians as a table, and the verdict and the notes below it.
    public func tableText() -> String {
        let headings = [
            "row", "load", "unit", "ours", "peer", "ratio", "spread", "target", "met", "CPU us",
            "peer CPU", "driver", "peer is",
        ]
        let text = table(headings, results.map(Self.cells), leading: 3)
        return ([text] + verdict + notes).joined(separator: "\n")
    }

    private static func cells(_ result: RowResult) -> [String] {
        let row = result.row
        let decimals = result.ratio == nil ? row.decimals : 2
        let (low, high) = (result.spread.lowerBound, result.spread.upperBound)
        let met = result.isMet.map { $0 ? "yes" : "NO" }
        return [
            row.number.rawValue, row.name, row.unit, fixed(result.own, row.decimals),
            result.peer.map { fixed($0, row.decimals) } ?? "",
            result.ratio.map { fixed($0, 2) } ?? "",
            result.readings.count > 1 ? "\(fixed(low, decimals))-\(fixed(high, decimals))" : "",
            row.goal?.text ?? "", met ?? (row.goal == nil ? "" : "?"),
            result.middle(\.ownCPU).map { fixed($0, 1) } ?? "",
            result.middle(\.peerCPU).map { fixed($0, 1) } ?? "",
            result.middle(\.driverShare).map { fixed($0 * 100, 0) + "%" } ?? "",
            result.peer == nil ? "" : row.peer ?? "",
        ]
    }

    /// Every row with every round, for programs.
    ///
    /// - Returns: A JSON document.
    /// - Throws: A figure is infinite or not a number.
    public func jsonText() throws(BenchFailure) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            let document = ReportDocument(rows: results.map(RowDocument.init), notes: notes)
            return String(decoding: try encoder.encode(document), as: UTF8.self)
        } catch {
            throw BenchFailure("cannot write the report as JSON: \(error)")
        }
    }
}

/// A report as JSON.
private struct ReportDocument: Encodable {
    var rows: [RowDocument]
    var notes: [String]
}

/// A row as JSON.
private struct RowDocument: Encodable {
    /// A goal as JSON.
    struct GoalDocument: Encodable {
        var subject: String
        var bound: String
        var limit: Double
        var isRounded: Bool
    }

    var row: String
    var name: String
    var unit: String
    var peerName: String?
    var own: Double
    var peer: Double?
    var ratio: Double?
    var lowest: Double
    var highest: Double
    var target: GoalDocument?
    var isMet: Bool?
    var rounds: [Reading]

    init(_ result: RowResult) {
        row = result.row.number.rawValue
        name = result.row.name
        unit = result.row.unit
        peerName = result.row.peer
        own = result.own
        peer = result.peer
        ratio = result.ratio
        lowest = result.spread.lowerBound
        highest = result.spread.upperBound
        target = result.row.goal.map {
            GoalDocument(
                subject: $0.subject.rawValue, bound: $0.bound.rawValue, limit: $0.limit,
                isRounded: $0.isRounded)
        }
        isMet = result.isMet
        rounds = result.readings
    }
}
