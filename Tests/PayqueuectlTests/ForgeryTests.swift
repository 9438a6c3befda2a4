import PaymentClient
import StrictJSON
import Testing

@testable import payqueuectl

/// Names, notes and reasons come from any client; none may write on an administrator's screen.
@Suite("Text from elsewhere")
struct ForgeryTests {
    private static let evil =
        "x\u{1B}[31m\nforged\r\t\u{85}\u{2028}\u{2029}\u{202E}\u{2066}\u{200F}y"
    private static let shown = "x?[31m?forged????????y"

    @Test("Nothing in it ends a line, changes a colour or turns the writing around")
    func plain() {
        #expect(ScreenText.plain(Self.evil) == Self.shown)
        #expect(ScreenText.plain("a\u{0}\u{7F}\u{9B}31m\u{200E}\u{061C}b\r\n") == "a???31m??b??")
        for text in ["", "plain", "日本語", "👩\u{200D}💻 e\u{301}", "don't; \"x\" \\n"] {
            #expect(ScreenText.plain(text) == text)
        }
        #expect(ScreenText.plainLines("one\ntwo\u{1B}[0m\n") == "one\ntwo?[0m\n")
    }

    @Test("An answer for people keeps its shape, and loses what could forge")
    func answer() {
        let answer: JSONValue = [
            "list": [.string(Self.evil), 7, true, nil], "in\nside": ["name": .string(Self.evil)],
        ]
        let expected: JSONValue = [
            "list": [.string(Self.shown), 7, true, nil],
            "in?side": ["name": .string(Self.shown)],
        ]
        #expect(answer.plain == expected)
    }

    @Test("A table has one line for each row, whatever a client calls itself")
    func table() {
        let observer: JSONValue = [
            "name": .string(Self.evil), "uid": 7, "connected": true, "products": ["a\nb"],
        ]
        let lines = ObserverText.lines(["observers": [observer]])
        #expect(lines.count == 2)
        #expect(lines.last?.hasPrefix(Self.shown) == true)
        #expect(lines.allSatisfy(Self.isClean))
    }

    @Test(
        "An event is one clean line",
        arguments: [
            ["kind": "transactionsUpdated"], ["kind": "transactionsRemoved"],
            ["kind": "questionOpened"], ["kind": "entitlementsRevoked"],
            ["kind": .string(evil)],
        ] as [JSONValue])
    func event(kind: JSONValue) {
        let evil = JSONValue.string(Self.evil)
        let transaction: JSONValue = [
            "id": evil, "transactionState": evil,
            "payment": ["product": ["productIdentifier": evil]],
        ]
        let params: JSONValue = [
            "seq": 7, "kind": kind["kind"] ?? .null, "time": "2026-01-05T10:00:00.000Z",
            "transactions": [transaction], "reason": evil, "by": ["client": evil],
            "question": evil, "type": evil, "products": [evil], "orders": [],
        ]
        let lines = EventText.lines(method: "event", params: params)
        #expect(lines.count == 1)
        #expect(lines.allSatisfy(Self.isClean), "\(lines)")
    }

    @Test("The words of an error and of a purchase are clean")
    func errors() {
        let error = RPCError(
            [
                "code": 1102, "message": .string("the key '\(Self.evil)' is in use"),
                "data": ["transaction": .string(Self.evil)],
            ], method: "add")
        #expect(Self.isClean(ErrorText.sentence(for: error, action: "buy 'coins'")))
        var purchase = Purchase(answer: ["transaction": "t1", "state": "purchasing"])
        let snapshot: JSONValue = [
            "id": "t1", "transactionState": "failed", "error": ["internalError": [:]],
            "failureReason": .string(Self.evil),
        ]
        purchase.take(snapshot: snapshot)
        #expect(purchase.standing == .failed(Self.shown))
        let trouble = WaitingText.trouble(["state": "unreachable", "lastError": .string(Self.evil)])
        #expect(trouble.map(Self.isClean) == true)
    }

    @Test("The page of top is clean")
    func top() {
        let evil = JSONValue.string(Self.evil)
        let sample = TopSample(
            status: ["state": evil, "store": ["name": evil, "lastError": evil], "account": evil],
            observers: ["observers": [["name": evil]]],
            transactions: ["transactions": [["id": evil, "transactionState": evil]]],
            counts: .init(), time: .now)
        let lines = TopScreen(sample: sample, rates: nil, trouble: Self.evil).lines()
        #expect(lines.allSatisfy(Self.isClean), "\(lines)")
    }

    private static func isClean(_ line: String) -> Bool {
        ScreenText.plain(line) == line
    }
}
