import PaymentCore
import StrictJSON
import Testing

@testable import payqueuectl

/// What is waited for, how long, and what is said of it.
@Suite("Waiting")
struct WaitTests {
    private static let withdrawn = #"""
        "transaction":{"id":"t1","transactionState":"purchasing","by":{"uid":0},
        "finishedAt":"2026-01-05T10:00:00.000Z","removalReason":"withdrawn"}
        """#

    @Test(
        "The daemon is asked again only after it has waited, and while waiting is not in vain",
        arguments: [
            (#"{"reached":true,"transaction":{"id":"t1"}}"#, 0, .reached),
            (#"{"reached":false,"transaction":{"id":"t1"}}"#, 60, .notYet),
            (#"{"reached":false,"transaction":{"id":"t1"}}"#, 59, .notYet),
            (#"{"reached":false,"transaction":{"id":"t1"}}"#, 0, .unasked),
            (#"{"reached":false}"#, 0, .unasked), ("{}", 0, .unasked),
            (#"{"reached":false,\#(withdrawn)}"#, 0, .left("withdrawn unpaid by uid 0")),
            (#"{"reached":true,\#(withdrawn)}"#, 0, .reached),
            (#"{"reached":true,"restore":{"id":"r1","state":"completed","count":1}}"#, 0, .reached),
            (#"{"reached":true,"restore":{"id":"r1","state":"failed"}}"#, 0, .failed),
            (#"{"reached":false,"restore":{"id":"r1","state":"running"}}"#, 60, .notYet),
        ] as [(String, Int, WaitVerdict)])
    func verdict(answer: String, waited: Int, expected: WaitVerdict) throws {
        let verdict = WaitVerdict(
            try JSONValue(parsing: answer), waited: .seconds(waited), asked: .seconds(60))
        #expect(verdict == expected)
    }

    @Test(
        "A restore is told with its end, or with what it waits for",
        arguments: [
            (#"{"id":"r1","state":"completed","count":1}"#, "r1  restored 1 transaction"),
            (#"{"id":"r1","state":"completed","count":0}"#, "r1  restored 0 transactions"),
            (
                #"{"id":"r1","state":"failed","error":{"connectionError":{}}}"#,
                "r1  failed: the store does not answer"
            ),
            (#"{"id":"r1","state":"failed"}"#, "r1  failed: no reason given"),
            (#"{"id":"r1","state":"running","waitingFor":"login"}"#, "r1  waiting for a login"),
            (#"{"id":"r1","state":"running"}"#, "r1  is running"),
        ])
    func restore(record: String, line: String) throws {
        #expect(RestoreText.line(try JSONValue(parsing: record)) == line)
    }

    @Test("A restore that had ended before is told with the members of its event")
    func ended() throws {
        let record = #"{"id":"r1","state":"completed","count":2}"#
        let ending = try #require(RestoreText.ending(try JSONValue(parsing: record)))
        #expect(ending.jsonText() == #"{"kind":"restoreCompleted","restore":"r1","count":2}"#)
        let failed = #"{"id":"r1","state":"failed","error":{"cancelled":{}}}"#
        let failure = try #require(RestoreText.ending(try JSONValue(parsing: failed)))
        #expect(failure["kind"] == "restoreFailed")
        #expect(RestoreText.reason(failure["error"]) == "cancelled")
        let running = try JSONValue(parsing: #"{"id":"r1","state":"running"}"#)
        #expect(RestoreText.ending(running)?.jsonText() == nil)
    }

    @Test("A key names one restore for ever: one that failed is not repeated with it")
    func failedWithKey() {
        let named = RestoreText.failure("restore", ["cancelled": [:]], hasKey: true)
        #expect(named.status == .refused)
        #expect(named.description == "cannot restore: cancelled")
        #expect(named.advice.hasSuffix("restore again with another key"))
        #expect(RestoreText.failure("restore", nil, hasKey: false).advice.hasSuffix("again"))
    }

    @Test(
        "A daemon that hangs is noticed after five seconds, or sooner if less is allowed",
        arguments: [(0.0, 1.0), (0.5, 1), (1, 1), (3, 3), (5, 5), (30, 5)] as [(Double, Double)])
    func patience(allowed: Double, expected: Double) {
        #expect(Patience.first(.seconds(allowed)) == .seconds(expected))
        #expect(Patience.later(.seconds(allowed)) == .seconds(max(allowed, 5)))
    }

    @Test("What left the queue says how, in a list and where it is waited for")
    func ending() throws {
        let finished = try JSONValue(
            parsing: #"""
                {"id":"t1","transactionState":"purchased","by":{"uid":7,"client":"shop"},
                "updatedAt":"2026-01-05T10:00:00.000Z","finishedAt":"2026-01-05T11:00:00.000Z",
                "removalReason":"finished"}
                """#)
        let now = try #require(Timestamp("2026-01-05T11:00:09.000Z"))
        let row = TransactionText.lines([finished], now: now).last ?? ""
        #expect(row.contains("purchased"))
        #expect(row.hasSuffix("  9s   finished by shop"))
        let line = EventText.transaction(finished)
        #expect(line.hasPrefix("removed "))
        #expect(line.hasSuffix("finished by shop"))
        let there = try JSONValue(parsing: #"{"id":"t1","transactionState":"purchased"}"#)
        #expect(TransactionText.ending(there) == nil)
    }

    @Test("Ids that are not in an answer are found")
    func absent() throws {
        let answer = try JSONValue(parsing: #"{"transactions":[{"id":"t1"},{"id":"t3"}]}"#)
        #expect(ListCommand.absent(["t1", "t2", "t3", "t4"], from: answer) == ["t2", "t4"])
        #expect(ListCommand.absent([], from: answer) == [])
        #expect(ListCommand.absent(["t1"], from: .null) == ["t1"])
    }

    @Test("A restore that is under way is named in the status")
    func status() throws {
        let status = try JSONValue(
            parsing: #"{"restores":[{"id":"r1","state":"running","waitingFor":"login"}]}"#)
        #expect(StatusText.lines(status).last == "restores  r1 waiting for a login")
    }
}
