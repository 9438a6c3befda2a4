import StrictJSON
import Testing

@testable import payqueuectl

/// Parts of answers.
@Suite("--filter")
struct FilterTests {
    private static let answer =
        #"{"a":{"b":[{"c":"x"},{"c":7},{"d":true}]},"n":null,"t":"two words"}"#

    @Test(
        "A path selects what it leads to; a text comes without quotation marks",
        arguments: [
            (".t", ["two words"]), (".a.b[].c", ["x", "7"]), (".a.b[1]", [#"{"c":7}"#]),
            (".a.b.[0].c", ["x"]), (".n", ["null"]), (".missing.more", []), (".a.b[9]", []),
            (".", [answer]), (".a[]", [#"[{"c":"x"},{"c":7},{"d":true}]"#]),
        ])
    func select(path: String, expected: [String]) throws {
        let filter = try #require(AnswerFilter(argument: path))
        let value = try JSONValue(parsing: Self.answer)
        #expect(filter.select(from: value).map(AnswerFilter.text) == expected)
    }

    @Test(
        "What is no path is refused",
        arguments: [
            "", "a", ".a..b", ".a[", ".a[x]", ".a[-1]", "[0]", ".a b[", ".a | length", ".a|length",
            ".a[] ", ".a, .b", ".a?", ".\"a\"", " .a",
        ])
    func refuse(path: String) {
        #expect(AnswerFilter(argument: path) == nil)
    }
}
