import PaymentClient
import StrictJSON
import Testing

@testable import payqueuectl

/// What programs read, and what tells them from people.
@Suite("Output for programs")
struct OutputTests {
    @Test("An error of the daemon keeps its kind, code, retry, effect and data")
    func daemonError() throws {
        let error = RPCError(
            try JSONValue(
                parsing: #"""
                    {"code":1107,"message":"There is one","data":{"kind":"alreadyLive",
                    "retry":"no","effect":"none","transaction":"t1"}}
                    """#), method: "add")
        let json = Complaint(error, action: "buy 'x'", help: "h").reaching(" --socket /s").json
        #expect(json["kind"] == "alreadyLive")
        #expect(json["code"]?.intValue == 1107)
        #expect(json["retry"] == "no")
        #expect(json["effect"] == "none")
        #expect(json["exitStatus"]?.intValue == 1)
        #expect(json["data"] == ["transaction": "t1"])
        #expect(json["message"]?.stringValue?.hasPrefix("cannot buy 'x': there is one") == true)
        #expect(json["advice"]?.stringValue?.contains("finish t1 --socket /s'") == true)
    }

    @Test("A connection that breaks leaves an unknown effect; one that was never made leaves none")
    func connections() {
        let lost = Complaint(
            ConnectionFailure(.lost, "it ended", advice: "a"), action: "buy 'x'",
            advice: "repeat it")
        #expect(lost.json["kind"] == "connectionLost")
        #expect(lost.json["code"] == .null)
        #expect(lost.json["effect"] == "unknown")
        #expect(lost.json["retry"] == "same")
        #expect(lost.json["exitStatus"]?.intValue == 2)
        let absent = Complaint(ConnectionFailure(.notConnected, "no", advice: "a"), action: "x")
        #expect(absent.json["effect"] == "none")
        #expect(absent.json["retry"] == "later")
    }

    @Test("A failure of this side has the word of its status unless it has its own")
    func ownFailures() {
        let plain = Complaint(CommandFailure(.usage, "cannot", advice: "a")).json
        #expect(plain["kind"] == "usage")
        #expect(plain["data"] == nil)
        let own = Complaint(
            CommandFailure(.refused, "cannot", advice: "a", kind: "ambiguous", data: ["n": 1])
        ).adding(["n": 2, "key": "k"]).json
        #expect(own["kind"] == "ambiguous")
        #expect(own["data"] == ["n": 1, "key": "k"])
    }

    @Test(
        "Colour is for terminals, unless it is asked for or declined",
        arguments: [
            (ColourChoice.auto, true, "xterm", nil, true), (.auto, false, "xterm", nil, false),
            (.auto, true, "dumb", nil, false), (.auto, true, "xterm", "1", false),
            (.auto, true, "xterm", "", true), (.always, false, "dumb", "1", true),
            (.never, true, "xterm", nil, false),
        ] as [(ColourChoice, Bool, String, String?, Bool)])
    func colours(
        choice: ColourChoice, isTerminal: Bool, term: String, noColour: String?, expected: Bool
    ) {
        let variables = ["TERM": term, "NO_COLOR": noColour]
        #expect(
            choice.isColourful(isTerminal: isTerminal) { variables[$0] ?? nil } == expected)
    }

    @Test(
        "The command line tells of JSON and colours before it is parsed",
        arguments: [
            (["list", "--json", "--color=never"], true, ColourChoice.never),
            (["list", "--color", "always"], false, .always),
            (["call", "add", "--", "--json", "--color=never"], false, .auto),
            (["list", "--color", "sometimes"], false, .auto), ([], false, .auto),
        ])
    func words(words: [String], isForPrograms: Bool, colour: ColourChoice) {
        #expect(CommandWords.isForPrograms(words) == isForPrograms)
        #expect(ColourChoice.named(in: words) == colour)
    }

    @Test("A purchase for programs names its key, transaction and outcome")
    func purchase() throws {
        var purchase = Purchase(
            answer: try JSONValue(parsing: #"{"transaction":"t1","state":"failed"}"#))
        let failed = purchase.summary(key: "k")
        #expect(failed["key"] == "k")
        #expect(failed["transaction"] == "t1")
        #expect(failed["outcome"] == "failed")
        #expect(failed["reason"] != nil)
        purchase.take(
            snapshot: try JSONValue(parsing: #"{"id":"t1","transactionState":"purchased"}"#))
        #expect(purchase.summary(key: "k")["outcome"] == "purchased")
        #expect(purchase.summary(key: "k")["snapshot"]?["id"] == "t1")
    }
}
