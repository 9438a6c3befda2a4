import PaymentAPI
import PaymentCore
import Testing

@Suite struct StatusTests {
    private static func report() -> StatusReport {
        StatusReport(
            state: .running, since: Sample.created, session: nil,
            queue: .init(counts: StateCounts(), waitingFor: [:]),
            log: .init(oldest: 1, head: 2, bytes: 300), connections: [],
            persistence: .init(lastCommit: nil, isVolatile: true, lastError: nil),
            store: .init(
                name: "sandbox", state: .unknown, since: Sample.created, lastError: nil,
                nextTryAt: nil),
            canMakePayments: .init(value: true, reason: nil))
    }

    @Test func `a session that the store ended is told with its account`() throws {
        var report = Self.report()
        let session = Session(account: "demo", country: try Sample.country())
        report.endedSession = EndedSession(session: session, endedAt: Sample.created)
        #expect(
            written(report).contains(
                #""storefront":null,"sessionEnded":{"account":"demo","storefront":"#
                    + #"{"id":"sf-de","countryCode":"DE"},"at":"2026-01-05T10:00:00.000Z"},"queue":"#
            ))
    }

    @Test func `an idle daemon has little to say`() {
        #expect(
            written(Self.report())
                == #"{"state":"running","since":"2026-01-05T10:00:00.000Z","account":null,"#
                + #""storefront":null,"#
                + #""queue":{"unfinished":0,"byState":{"purchasing":0,"purchased":0,"restored":0,"#
                + #""failed":0},"#
                + #""completing":0,"waitingFor":{}},"log":{"oldest":1,"head":2,"bytes":300},"#
                + #""connections":[],"#
                + #""questions":0,"persistence":{"volatile":true},"storage":{"readOnly":false,"#
                + #""archiveFiles":0,"archiveBytes":0,"unarchived":0,"indexed":true,"#
                + #""room":{"free":9007199254740991,"prefilled":0,"reserve":0,"claimed":0,"#
                + #""available":9007199254740991,"accepting":true},"damage":[]},"#
                + #""store":{"name":"sandbox","#
                + #""state":"unknown","#
                + #""since":"2026-01-05T10:00:00.000Z"},"restores":[],"#
                + #""canMakePayments":{"value":true}}"#
        )
    }

    @Test func `the seven states inside are four outside`() {
        var report = Self.report()
        report.queue.counts.waiting = 1
        report.queue.counts.submitted = 2
        report.queue.counts.deferred = 4
        report.queue.counts.purchased = 8
        report.queue.counts.completing = 16
        report.queue.counts.restored = 32
        report.queue.counts.failed = 64
        let queue = report.jsonValue["queue"]
        #expect(queue?["unfinished"] == 127)
        #expect(
            queue?["byState"] == ["purchasing": 7, "purchased": 24, "restored": 32, "failed": 64])
        #expect(queue?["completing"] == 16)
    }

    @Test func `only what is waited for is counted`() {
        var report = Self.report()
        report.queue.waitingFor = [.store: 2, .observer: 1, .gate: 0]
        let waiting = report.jsonValue["queue"]?["waitingFor"]
        #expect(waiting == ["observer": 1, "store": 2])
    }

    @Test func `trouble is told with its reason`() throws {
        var report = Self.report()
        report.state = .degraded
        report.session = Session(account: "demo", country: try Sample.country())
        report.connections = [
            .init(
                uid: 5, client: "shop", subscriptions: 2, lag: 9, bufferedBytes: 70, isPaused: true)
        ]
        report.persistence = .init(
            lastCommit: Sample.updated, isVolatile: false, lastError: "disk full")
        report.store = .init(
            name: "sandbox", state: .unavailable, since: Sample.updated,
            lastError: "no answer", nextTryAt: Sample.updated)
        report.canMakePayments = .init(value: false, reason: "paymentsNotAllowed")
        let value = report.jsonValue
        #expect(value["account"] == "demo")
        #expect(value["storefront"]?["countryCode"] == "DE")
        #expect(
            value["connections"]?[0]
                == [
                    "uid": 5, "client": "shop", "subscriptions": 2, "lag": 9, "bufferedBytes": 70,
                    "paused": true,
                ])
        #expect(
            value["persistence"] == [
                "lastCommit": "2026-01-05T10:00:01.250Z", "volatile": false,
                "lastError": "disk full",
            ])
        #expect(value["store"]?["lastError"] == "no answer")
        #expect(value["store"]?["nextTryAt"] == "2026-01-05T10:00:01.250Z")
        #expect(value["canMakePayments"] == ["value": false, "reason": "paymentsNotAllowed"])
    }

    @Test func `open questions and running restores are told`() {
        var report = Self.report()
        report.questions = 2
        report.restores = [
            RestoreRecord(id: Sample.restore, outcome: nil, waitingFor: .observer)
        ]
        let value = report.jsonValue
        #expect(value["questions"] == 2)
        #expect(
            value["restores"]
                == [
                    [
                        "id": .string(Sample.restoreText), "state": "running",
                        "waitingFor": "observer",
                    ]
                ])
    }
}
