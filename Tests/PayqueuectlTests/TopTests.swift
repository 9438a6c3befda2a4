import StrictJSON
import Testing

@testable import payqueuectl

/// The live view, as text.
@Suite("The screen of top")
struct TopTests {
    private static func sample(transactions: Int, head: Int = 10) throws -> TopSample {
        let listed = (0..<transactions).map { number in
            #"{"id":"t\#(number)","transactionState":"purchased","updatedAt":"2026-01-05T10:00:00Z"}"#
        }
        let status = #"{"state":"running","since":"x","log":{"oldest":1,"head":\#(head)}}"#
        let metrics = """
            payqueued_requests_total{method="add"} 20
            payqueued_requests_total{method="finish"} 5
            payqueued_requests_total{method="status"} 3
            payqueued_turns_total 99
            """
        let answer = try JSONValue(parsing: status)
        return TopSample(
            status: answer, observers: try JSONValue(parsing: #"{"observers":[]}"#),
            transactions: try JSONValue(
                parsing: #"{"transactions":[\#(listed.joined(separator: ","))]}"#),
            counts: TopSample.counts(answer, metrics), time: .now)
    }

    @Test("Counters come from the metrics and the log")
    func counts() throws {
        let counts = try Self.sample(transactions: 0).counts
        #expect(counts == .init(records: 10, calls: 28, adds: 20, finishes: 5))
    }

    @Test("There is no rate over a restart of the daemon")
    func restarted() throws {
        let before = try Self.sample(transactions: 0)
        let status = try JSONValue(parsing: #"{"since":"y","log":{"head":4}}"#)
        let after = TopSample(
            status: status, observers: .null, transactions: .null,
            counts: TopSample.counts(status, ""), time: before.time + .seconds(1))
        #expect(after.rates(since: before) == nil)
    }

    @Test("A rate is growth by time")
    func rates() throws {
        let before = try Self.sample(transactions: 0)
        let later = try Self.sample(transactions: 0, head: 30)
        let after = TopSample(
            status: later.status, observers: .null, transactions: .null, counts: later.counts,
            time: before.time + .seconds(2))
        #expect(after.rates(since: before)?.records == 10)
    }

    @Test("The page never has more lines than the screen", arguments: [1, 5, 10, 16, 24, 60])
    func rows(rows: Int) throws {
        let screen = TopScreen(sample: try Self.sample(transactions: 100), rates: nil)
        let lines = screen.lines(size: .init(columns: 80, rows: rows), footer: true)
        let least = screen.lines(size: .init(columns: 80, rows: 0), footer: true).count
        #expect(lines.count <= max(rows, least))
        let shown = lines.count { $0.hasPrefix("purchased") }
        if rows >= 24 { #expect(lines.contains("and \(100 - shown) more")) }
    }

    @Test(
        "A line is cut by columns, and styles cost nothing",
        arguments: [
            ("abcdef", 4, "abcd"), ("abc", 4, "abc"),
            ("\u{1B}[1mabcdef\u{1B}[0m", 3, "\u{1B}[1mabc\u{1B}[0m"),
            ("日本語", 4, "日本"), ("", 3, ""),
        ])
    func clipped(text: String, columns: Int, expected: String) {
        #expect(ScreenText.clipped(text, to: columns) == expected)
    }

    @Test(
        "A sentence is broken between words, and a long word anywhere",
        arguments: [
            ("one two three", 7, ["one two", "three"]), ("one two", 80, ["one two"]),
            ("abcdefgh", 3, ["abc", "def", "gh"]), ("a bcdefg h", 3, ["a", "bcd", "efg", "h"]),
            ("日本 語", 4, ["日本", "語"]), ("", 5, []),
        ])
    func wrapped(text: String, columns: Int, expected: [String]) {
        #expect(ScreenText.wrapped(text, to: columns) == expected)
    }

    @Test(
        "A line of a stream is broken at a blank, and goes on behind an indentation",
        arguments: [
            ("short", 20, ["short"]),
            ("one two   three four", 11, ["one two", "   three", "   four"]),
            ("\u{1B}[32mone\u{1B}[0m two  three", 8, ["\u{1B}[32mone\u{1B}[0m two", "   three"]),
            ("12345678901234567890", 10, ["12345678901234567890"]),
            ("a 12345678901234567890", 10, ["a", "   12345678901234567890"]),
            ("one two three", 4, ["one two three"]),
        ])
    func folded(text: String, columns: Int, expected: [String]) {
        #expect(ScreenText.folded(text, to: columns, indentation: 3) == expected)
    }

    @Test("A table stands straight whatever is in it")
    func straight() {
        var table = TextTable("A", "B")
        table.add(["日本", "x"])
        table.add(["e\u{301}🙂", "y"])
        #expect(table.lines(ifEmpty: "") == ["A     B", "日本  x", "e\u{301}🙂   y"])
    }

    @Test("While the daemon is away the page says why, whole, and not that it runs")
    func away() throws {
        let reason = "cannot connect to '/run/payqueued/payqueued.sock': nobody listens there"
        let screen = TopScreen(
            sample: try Self.sample(transactions: 1), rates: nil, trouble: reason)
        let lines = screen.lines(size: .init(columns: 40, rows: 24))
        #expect(lines.dropFirst().prefix(3).joined(separator: " ").hasPrefix(reason))
        #expect(!lines.contains { $0.contains("running") })
    }

    @Test("Nobody's name moves the cursor")
    func harmless() {
        #expect(ScreenText.harmless("a\u{1B}[2Jb\u{7}c\rd") == "a?[2Jb?c?d")
        #expect(
            ScreenText.harmless("\u{1B}[31mred\u{1B}[0m\nline") == "\u{1B}[31mred\u{1B}[0m\nline")
        #expect(ScreenText.clipped("a\u{1B}[2Jb", to: 20) == "a?[2Jb")
        #expect(ScreenText.harmless("a\u{202E}b") == "a?b")
    }

    @Test(
        "A word of the wire is said in English",
        arguments: [
            ("discardedByGate", "rejected at the gate"), ("someNewWord", "some new word"),
            ("two words", "two words"), ("finished", "finished"),
        ])
    func wording(word: String, expected: String) {
        #expect(Wording.of(word) == expected)
    }
}
