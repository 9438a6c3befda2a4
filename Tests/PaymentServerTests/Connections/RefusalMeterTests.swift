import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentTesting
import StrictJSON
import Testing

@testable import PaymentServer

@Suite struct RefusalMeterTests {
    private static func second(_ number: Int64) -> NIODeadline {
        NIODeadline.uptimeNanoseconds(0) + .seconds(number)
    }

    @Test func `a user and a reason are news once, until a minute without them`() {
        var meter = RefusalMeter()
        #expect(meter.note(.subscriptions, of: 1, at: Self.second(0)) == true)
        #expect(meter.note(.subscriptions, of: 1, at: Self.second(50)) == false)
        #expect(meter.note(.subscriptions, of: 1, at: Self.second(100)) == false)
        #expect(meter.note(.subscriptions, of: 2, at: Self.second(100)) == true)
        #expect(meter.note(.connections, of: 1, at: Self.second(100)) == true)
        #expect(meter.note(nil, of: 1, at: Self.second(100)) == true)
        #expect(meter.note(nil, of: 1, at: Self.second(101)) == false)
        #expect(meter.note(.subscriptions, of: 1, at: Self.second(160)) == true)
        #expect(meter.byLimit == [.subscriptions: 5, .connections: 1])
        #expect(meter.denied == 2)
    }

    @Test func `only so many subjects are remembered, and those beyond are counted`() {
        var meter = RefusalMeter()
        let most = UInt32(RefusalMeter.mostSubjects)
        for user in 0..<most { #expect(meter.note(nil, of: user, at: Self.second(0)) == true) }
        #expect(meter.note(nil, of: most, at: Self.second(1)) == false)
        #expect(meter.note(nil, of: 0, at: Self.second(59)) == false)
        #expect(meter.note(nil, of: most, at: Self.second(60)) == true)
        #expect(meter.denied == UInt64(most) + 3)
    }

    @Test func `an administrator sees what each user holds, and how often users were refused`()
        throws
    {
        var limits = Limits()
        limits.subscriptions = 4
        let server = try SteppedServer(limits: limits, access: AccessPolicy(ownUser: 7))
        let anna = try server.connect(as: PeerCredentials(pid: 1, uid: 1000, gid: 1000))
        try anna.send(Ask.line(1, "subscribe", ["name": "books"]))
        _ = try anna.messages()
        #expect(try anna.ask(Ask.line(2, "subscribe")).errorCode == -32013)
        #expect(try anna.ask(Ask.line(3, "drain", ["on": true])).errorCode == -32007)
        try anna.send(Ask.line(4, "add", ["product": "coins"]))
        _ = try anna.messages()
        try anna.send(Ask.line(5, "events", ["after": "now", "wait": 5]))
        #expect(try anna.ask(Ask.line(6, "status"))["result"]?["shares"] == nil)
        let root = try server.connect(as: PeerCredentials(pid: 1, uid: 0, gid: 0))
        let shares = try root.ask(Ask.line(1, "status"))["result"]?["shares"]
        #expect(shares?.members?.map(\.name) == ["0", "1000"])
        #expect(
            shares?["1000"] == [
                "connections": 1, "subscriptions": 1, "namedObservers": 1,
                "unfinishedTransactions": 1, "unfinishedRestores": 0, "waitingCallsInAll": 1,
                "diskBytes": .integer(
                    Int64(server.engine.queue.share(of: .diskBytes)?.held[1000] ?? 0)),
            ])
        #expect(shares?["1000"]?["diskBytes"]?.intValue ?? 0 > 1000)
        #expect(shares?["0"]?["connections"] == 1)
        #expect(shares?["0"]?["subscriptions"] == 0)
        let metrics = MetricsReport(core: server.core).text
        for line in [
            #"share_users{limit="connections"} 2"#,
            #"share_held_max{limit="subscriptions"} 1"#,
            #"share_refusals_total{limit="subscriptions"} 1"#,
            #"share_refusals_total{limit="connections"} 0"#,
            "denied_calls_total 1",
        ] {
            #expect(metrics.contains("payqueued_" + line + "\n"), "\(line)")
        }
    }
}
