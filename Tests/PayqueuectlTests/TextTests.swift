import PaymentCore
import StrictJSON
import Testing

@testable import payqueuectl

/// What people read, from what the daemon says. Standard output is no terminal here: no colours.
@Suite("The words of payqueuectl")
struct TextTests {
    private static func json(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: text)
    }

    private static let renewal = #"""
        {"id":"t2","transactionIdentifier":"o2","originalTransactionIdentifier":"o1",
        "payment":{"product":{"productIdentifier":"pro.monthly",
        "price":{"value":9.99,"amount":"9.99","currencyCode":"EUR"}}},
        "transactionState":"purchased","reason":"renewal","updatedAt":"2026-01-05T10:00:00.000Z"}
        """#

    @Test("A table is as wide as its widest cells, and no line ends with blanks")
    func table() {
        var table = TextTable("A", "LONG HEADING", "C")
        table.add(["1", "2", "three"])
        table.add(["four", "5", ""])
        #expect(
            table.lines(ifEmpty: "nothing") == [
                "A     LONG HEADING  C", "1     2             three", "four  5",
            ])
        #expect(TextTable("A").lines(ifEmpty: "nothing") == ["nothing"])
    }

    @Test("A renewal shows its time, product, state, order and the order it renews")
    func renewal() throws {
        let event = try Self.json(
            #"""
            {"seq":7,"kind":"transactionsUpdated","time":"2026-01-05T10:00:00.000Z","transactions":[
            """# + Self.renewal + "]}")
        let lines = EventText.lines(method: "event", params: event)
        #expect(
            lines == [
                "10:00:00.000  #7      purchased   pro.monthly      9.99 EUR     t2  "
                    + "renewal, order o2 of o1"
            ])
    }

    @Test("A list shows state, price and notes, and unknown states and members are let pass")
    func list() throws {
        let unknown = try Self.json(
            #"{"id":"t3","transactionState":"dancing","waitingFor":"rain","moon":[1]}"#)
        let lines = TransactionText.lines(
            [try Self.json(Self.renewal), unknown],
            now: Timestamp("2026-01-05T10:05:00.000Z") ?? .now)
        #expect(lines.count == 3)
        #expect(lines[1].contains("t2"))
        #expect(lines[1].contains("9.99 EUR  5m   renewal, order o2 of o1"))
        #expect(lines[2].contains("dancing"))
        #expect(lines[2].contains("waiting for rain"))
    }

    @Test("A change of storefront says whether somebody logged out or the store ended the session")
    func storefrontChanges() throws {
        func line(_ end: String) throws -> String? {
            let from = #"{"kind":"storefrontChanged","from":{"countryCode":"DE"},"to":null,"#
            return EventText.lines(method: "event", params: try Self.json(from + end)).first
        }
        #expect(try line(#""account":null}"#)?.hasSuffix("DE -> none  logged out") == true)
        #expect(
            try line(#""account":"anna","cause":"sessionEnded"}"#)?
                .hasSuffix("DE -> none  the store ended the session of anna: log in again") == true)
        #expect(
            try line(#""account":"anna","cause":"fullMoon"}"#)?.hasSuffix("anna: full moon")
                == true)
    }

    @Test(
        "What was charged instead of the price, and a refund, are told beside the goods",
        arguments: [
            (#""charged":{"amount":"9.99","currencyCode":"EUR"}"#, ""),
            (
                #""charged":{"amount":"0.00","currencyCode":"EUR"},"offer":"introductory""#,
                "introductory offer, charged 0.00 EUR"
            ),
            (
                #""charged":{"amount":"0.00","currencyCode":"EUR"},"offer":"alreadyOwned""#,
                "already owned, nothing charged"
            ),
            (
                #""charged":{"amount":"0.00","currencyCode":"EUR"},"offer":"scheduled","#
                    + #""effectiveAt":"2026-02-05T10:00:00.000Z""#,
                "changes on 2026-02-05 10:00:00, charged then"
            ),
            (#""charged":{"amount":"4.99","currencyCode":"EUR"}"#, "charged 4.99 EUR"),
            (#""offer":"moonPhase""#, "moon phase"),
            (
                #""revocation":{"at":"2026-01-06T10:00:00.000Z","reason":"refund"}"#,
                "refunded 2026-01-06 10:00:00: do not unlock; finish it"
            ),
            (
                #""revocation":{"at":"2026-01-06T10:00:00.000Z","reason":"refund"},"#
                    + #""finishedAt":"2026-01-06T10:01:00.000Z""#,
                "finished, refunded 2026-01-06 10:00:00"
            ),
        ])
    func charged(members: String, expected: String) throws {
        let transaction = try Self.json(
            #"""
            {"id":"t1","payment":{"product":{"productIdentifier":"pro.monthly",
            "price":{"value":9.99,"amount":"9.99","currencyCode":"EUR"}}},
            "transactionState":"purchased","reason":"purchase",
            """# + members + "}")
        #expect(TransactionText.notes(transaction).joined(separator: ", ") == expected)
    }

    @Test("An order tells what was charged for it and when it was refunded")
    func order() throws {
        let answer = try Self.json(
            #"""
            {"orders":[{"order":"o1","original":"o1","account":"demo","product":"pro.monthly",
            "price":{"amount":"9.99","currencyCode":"EUR"},
            "charged":{"amount":"0.00","currencyCode":"EUR"},"offer":"introductory",
            "revocation":{"at":"2026-01-06T10:00:00.000Z","reason":"refund"},
            "state":"refunded","completed":true,"placedAt":"2026-01-05T10:00:00.000Z"}]}
            """#)
        let now = try #require(Timestamp("2026-01-08T10:00:00.000Z"))
        let line = try #require(OrderText.lines(answer, now: now).last)
        #expect(
            line.hasSuffix(
                "9.99 EUR  demo     3d   delivered, introductory offer, "
                    + "charged 0.00 EUR, refunded 2026-01-06 10:00:00"), "\(line)")
    }

    @Test(
        "An event of any kind is one line",
        arguments: [
            (#"{"kind":"restoreCompleted","restore":"r1","count":2}"#, "restored    2 by r1"),
            (
                #"{"kind":"restoreFailed","restore":"r1","error":{"cancelled":{}}}"#,
                "restore     r1  failed: cancelled"
            ),
            (
                #"{"kind":"entitlementsRevoked","products":["a","b"],"orders":[]}"#,
                "revoked     a, b"
            ),
            (
                #"{"kind":"questionOpened","question":"q1","type":"payment","product":"coins"}"#,
                "question    confirm the payment  coins  q1"
            ),
            (
                #"{"kind":"questionClosed","question":"q1","value":false,"reason":"timeout"}"#,
                "answered    q1  no: timeout"
            ),
            (#"{"kind":"moonPhaseChanged","moon":"full"}"#, #"moon phase changed moon="full""#),
        ])
    func kinds(params: String, expected: String) throws {
        let lines = EventText.lines(method: "event", params: try Self.json(params))
        #expect(lines.count == 1)
        #expect(lines.first?.hasSuffix(expected) == true, "\(lines)")
    }

    @Test(
        "A store that does not answer is told with its reason and the next try",
        arguments: [
            (#"{"name":"sandbox","state":"available"}"#, nil), (#"{}"#, nil),
            (#"{"state":"unavailable"}"#, "the store is unavailable"),
            (
                #"{"state":"unreachable","lastError":"no route","nextTryAt":"12:00"}"#,
                "the store is unreachable: no route; next try at 12:00"
            ),
        ] as [(String, String?)])
    func storeTrouble(store: String, expected: String?) throws {
        #expect(WaitingText.trouble(try Self.json(store)) == expected)
    }

    @Test("Products show exact prices and periods, and what is not sold here")
    func products() throws {
        let answer = try Self.json(
            #"""
            {"products":[{"productIdentifier":"season","type":"nonRenewingSubscription",
            "localizedTitle":"Season","price":{"value":0.1,"amount":"0.10","currencyCode":"EUR"},
            "subscriptionPeriod":{"unit":"month","numberOfUnits":3}},
            {"productIdentifier":"pro","localizedTitle":"Pro","price":{"amount":"4.99"},
            "introductoryPrice":{"price":{"amount":"0.99","currencyCode":"EUR"},
            "period":{"unit":"week","numberOfUnits":1}},"introductoryOfferEligible":true},
            {"productIdentifier":"max","localizedTitle":"Max","price":{"amount":"5.99"},
            "introductoryPrice":{"price":{"amount":"0.00","currencyCode":"EUR"},
            "period":{"unit":"week","numberOfUnits":2}},"introductoryOfferEligible":false}],
            "invalid":["nope"],"storefront":{"id":"x","countryCode":"DE"}}
            """#)
        let lines = ProductText.lines(answer)
        #expect(lines[1].hasPrefix("season   non-renewing subscription  0.10 EUR  3 months  "))
        #expect(lines[1].hasSuffix("  Season"))
        #expect(lines[2].contains("  0.99 EUR for 1 week "))
        #expect(lines[3].hasSuffix("  0.00 EUR for 2 weeks, used  Max"))
        #expect(lines.dropFirst(4) == ["not sold here: nope", "Prices in DE."])
    }

    @Test("An open question says what it is about and what silence means")
    func questions() throws {
        let answer = try Self.json(
            #"""
            {"questions":[{"question":"q1","type":"shouldContinue","transaction":"t1",
            "product":{"productIdentifier":"coins","price":{"amount":"2","currencyCode":"EUR"}},
            "storefront":{"id":"x","countryCode":"FR"},"fallback":false}]}
            """#)
        let line = QuestionText.lines(answer).last ?? ""
        #expect(line.hasPrefix("q1        continue in this country or at this price  coins 2 EUR"))
        #expect(line.hasSuffix("no"))
        let none = try Self.json(#"{"questions":[]}"#)
        #expect(QuestionText.lines(none) == ["No open questions."])
    }
}
