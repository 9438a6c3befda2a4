import Foundation
import Testing

/// The page on the life cycle of a purchase says what happens, at either store.
@Suite struct LifeCycleTests {
    @Test(arguments: LifeCycleCase.all)
    func `the embedded store does what the page says`(_ played: LifeCycleCase) async throws {
        try await Self.expectPage(of: played, ServerPlan())
    }

    @Test(arguments: LifeCycleCase.all)
    func `a store over HTTP does what the page says`(_ played: LifeCycleCase) async throws {
        var plan = ServerPlan()
        plan.hasRemoteStore = true
        try await Self.expectPage(of: played, plan)
    }

    @Test func `the page has a row for every case, in order, and no other`() throws {
        let page = try LifeCyclePage()
        #expect(page.rows.map(\.name) == LifeCycleCase.all.map(\.name))
        #expect(page.head == ["Case"] + LifeCycleRow.columns)
    }

    @Test(arguments: LifeCycleRow.columns.indices)
    func `a cell that says something else is found`(_ column: Int) throws {
        let written = try #require(try LifeCyclePage().rows.first?.row)
        var seen = written
        #expect(written.differences(from: seen).isEmpty)
        seen.cells[column] += "."
        #expect(written.differences(from: seen).count == 1)
    }

    private static func expectPage(of played: LifeCycleCase, _ plan: ServerPlan) async throws {
        let rows = try LifeCyclePage().rows
        let scenario = Scenario(played.name) { stage in
            let buyer = LifeCycleBuyer(try await stage.buyer())
            try await played.play(buyer)
            let seen = try await LifeCycleRow(of: buyer)
            let written = rows.first { $0.name == played.name }?.row
            let cells = seen.cells.joined(separator: " | ")
            guard let written else {
                Issue.record("the page has no such row: | \(played.name) | \(cells) |")
                return
            }
            #expect(written.differences(from: seen).isEmpty, "| \(played.name) | \(cells) |")
        }
        try await ServerStage.run(plan, scenario)
    }
}

/// The table in the page.
struct LifeCyclePage {
    /// The names of the columns.
    let head: [String]
    /// Its rows, in order.
    let rows: [(name: String, row: LifeCycleRow)]

    private static let file = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "Sources/payqueued/Documentation.docc/LifeCycle.md")

    /// Reads the table whose first column is headed `Case`.
    init() throws {
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let table = lines.drop { !$0.hasPrefix("| Case |") }.prefix { $0.hasPrefix("|") }
            .map(Self.cells)
        head = table.first ?? []
        rows = table.dropFirst(2).compactMap { cells in
            guard let name = cells.first, cells.count == LifeCycleRow.columns.count + 1 else {
                return nil
            }
            return (name, LifeCycleRow(cells: Array(cells.dropFirst())))
        }
    }

    /// The text between the bars; text that is set as code counts as plain text.
    private static func cells(of line: Substring) -> [String] {
        line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
            .map { $0.trimming(while: \.isWhitespace).filter { $0 != "`" } }
    }
}

extension Substring {
    fileprivate func trimming(while isDropped: (Character) -> Bool) -> String {
        var rest = self[...]
        while rest.first.map(isDropped) == true { rest.removeFirst() }
        while rest.last.map(isDropped) == true { rest.removeLast() }
        return String(rest)
    }
}
