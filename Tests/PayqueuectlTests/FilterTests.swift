import PaymentAPI
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
        "A member that a result never has is refused with the nearest; what can be there is not",
        arguments: [
            (".transactins", "transactions", ".transactins", ".transactions"),
            (".transactions[].idd", "transactions", ".transactions[].idd", ".transactions[].id"),
            (
                ".transactions[0].payment.produkt", "transactions",
                ".transactions[0].payment.produkt", ".transactions[0].payment.product"
            ),
            (".transactions.id", "transactions", ".transactions.id", nil),
            (".seq.more", "transactions", ".seq.more", nil),
            (".next", "transactions", nil, nil),
            (".transactions[].waitingFor", "transactions", nil, nil),
            (".", "transactions", nil, nil), (".account", "status", nil, nil),
            (".sessionEnded.at", "status", nil, nil), (".anything", "no.such.method", nil, nil),
        ] as [(String, String, String?, String?)])
    func unknown(path: String, method: String, member: String?, nearest: String?) throws {
        let filter = try #require(AnswerFilter(argument: path))
        let found = ResultShape(resultOf: method).flatMap(filter.unknownMember)
        #expect(found?.path == member)
        #expect(found?.nearest == nearest)
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
