import PaymentAPI
import PaymentCore
import PaymentTesting
import SandboxControl
import StrictJSON
import Testing

@testable import PaymentServer

@Suite struct ControlTests {
    private let control = ScriptedControl()

    @Test(arguments: Contract.names.filter { $0.hasPrefix("test.") })
    func `a control is for administrators and for stores that have one`(name: String) throws {
        let spec = try #require(Contract.spec(named: name))
        let bare = try SteppedServer()
        let asked = try bare.connect().ask(Ask.line(1, name, spec.example.params))
        #expect(asked.errorCode == 1601)
        let server = try SteppedServer(testControl: control)
        let stranger = try server.connect(as: PeerCredentials(pid: 2, uid: 2000, gid: 2000))
        #expect(try stranger.ask(Ask.line(1, name, spec.example.params)).errorCode == -32007)
        #expect(control.calls.isEmpty)
    }

    @Test func `each control asks the store for what it says, for the account in session`() throws {
        let peer = try SteppedServer(testControl: control).connect()
        let id = Samples.transaction(7)
        let order = Samples.order(8)
        let lines: [(String, JSONValue)] = [
            ("test.buy", ["product": "coins", "appAccountToken": "u"]),
            ("test.refund", ["transaction": .string(id.description)]),
            ("test.resolve", ["order": .string(order.description)]),
            ("test.deleteOrder", ["order": .string(order.description)]),
            ("test.renew", ["product": "club"]), ("test.expire", ["product": "club"]),
            ("test.autoRenew", ["product": "club", "enabled": false]),
            ("test.priceIncrease", ["product": "club", "answer": "decline"]),
            ("test.clear", [:]), ("test.reset", [:]),
        ]
        for (name, params) in lines {
            #expect(try peer.ask(Ask.line(1, name, params))["result"] == [:])
        }
        let expected: [TestControl] = [
            .buy("coins", appAccountToken: "u"), .refund(.transaction(id)),
            .resolve(.order(order)), .deleteOrder(.order(order)), .renew("club"),
            .expire("club"), .autoRenew("club", false), .priceIncrease("club", .decline), .clear,
            .reset,
        ]
        #expect(control.calls == expected.map { "\($0) for anna" })
    }

    @Test(
        arguments: [
            (.noSuchOrder, 1602), (.notDecidable(.failed), 1204), (.unknownProduct("x"), 1101),
            (.notLoggedIn, 1504), (.store(StoreFailure(.connectionError, "no")), -32011),
        ] as [(TestFailure, Int64)])
    func `what a control fails with has a code`(failure: TestFailure, code: Int64) throws {
        let peer = try SteppedServer(testControl: control).connect()
        control.edit { $0.failure = failure }
        let line = Ask.line(1, "test.refund", ["order": .string(Samples.order(1).description)])
        #expect(try peer.ask(line).errorCode == code)
    }

    @Test func `an order that cannot exist is not looked for`() throws {
        let peer = try SteppedServer(testControl: control).connect()
        let reply = try peer.ask(Ask.line(1, "test.refund", ["order": "o-1"]))
        #expect(reply.errorCode == 1602)
        #expect(reply["error"]?["data"]?["order"] == "o-1")
        #expect(control.calls.isEmpty)
    }

    @Test func `orders come page by page`() throws {
        let peer = try SteppedServer(testControl: control).connect()
        let reply = try peer.ask(Ask.line(1, "test.orders", ["limit": 3, "page": "p"]))
        #expect(reply["result"] == ["orders": [], "next": "next"])
        #expect(control.calls == ["orders p 3"])
        control.edit { $0.failure = .pageExpired }
        #expect(try peer.ask(Ask.line(2, "test.orders", ["page": "q"])).errorCode == 1203)
    }

    @Test func `controls reach the store in the order of the requests`() throws {
        let server = try SteppedServer(testControl: control)
        let peer = try server.connect()
        let lines = [
            Ask.line(1, "test.renew", ["product": "a"]), Ask.line(2, "test.get"),
            Ask.line(3, "test.set", ["latencyMs": 5]), Ask.line(4, "test.renew", ["product": "b"]),
        ]
        try peer.write(Array((lines.joined(separator: "\n") + "\n").utf8))
        server.run()
        #expect(
            control.calls
                == [
                    "\(TestControl.renew("a")) for anna", "get", "set",
                    "\(TestControl.renew("b")) for anna",
                ])
        #expect(try peer.messages().map(\.idNumber) == [1, 2, 3, 4])
    }

    @Test func `what the store tells of a control is told behind the reply`() throws {
        let server = try SteppedServer(testControl: control)
        server.core.feed.beginControl()
        let before = server.gateway.purchaseQuestions.count
        server.core.feed.take(.orders(Samples.anna))
        server.core.feed.take(.orders(Samples.anna))
        server.run()
        #expect(server.gateway.purchaseQuestions.count == before)
        server.core.feed.endControl()
        server.run()
        #expect(server.gateway.purchaseQuestions.count == before + 1)
        server.core.feed.take(.orders(Samples.anna))
        server.run()
        #expect(server.gateway.purchaseQuestions.count == before + 2)
    }

    @Test func `requests behind a control are answered behind it, however many there are`() throws {
        let server = try SteppedServer(testControl: control)
        let peer = try server.connect()
        let lines = (1...40).map { Ask.line($0, $0 % 2 == 0 ? "ping" : "test.get") }
        try peer.write((lines.joined(separator: "\n") + "\n").utf8)
        server.run()
        #expect(try peer.messages().map(\.idNumber) == Array(1...40))
    }

    @Test func `what comes to pass during a control is told behind its reply`() throws {
        let server = try SteppedServer(testControl: control)
        let peer = try server.connect()
        try peer.send(Ask.line(1, "subscribe", ["passive": true]))
        _ = try peer.messages()
        let other = try server.connect()
        try peer.write((Ask.line(2, "test.get") + "\n").utf8)
        try other.write((Ask.line(3, "add", ["product": "coins"]) + "\n").utf8)
        for asking in [peer, other] { asking.connection.runSlice(until: .distantFuture) }
        server.engineLoop.runUntilIdle()
        #expect(try other.messages().map(\.idNumber) == [3])
        #expect(try peer.messages().isEmpty)
        server.run()
        let messages = try peer.messages()
        #expect(messages.first?.idNumber == 2)
        #expect(messages.dropFirst().contains { $0.params(of: "event") != nil })
    }

    @Test func `a control in a batch holds up the rest of the batch`() throws {
        let server = try SteppedServer(testControl: control)
        let peer = try server.connect()
        let batch = [
            Ask.line(1, "add", ["product": "coins"]), Ask.notification("test.reset"),
            Ask.line(2, "test.get"), Ask.line(3, "test.nothing"), "7", Ask.line(4, "test.clear"),
            Ask.line(5, "ping"), Ask.notification("test.clear"),
        ]
        let lines = ["[" + batch.joined(separator: ",") + "]", Ask.line(6, "ping")]
        try peer.write((lines.joined(separator: "\n") + "\n").utf8)
        server.run()
        let replies = try peer.messages()
        try #require(replies.count == 2)
        let answers = try #require(replies[0].arrayValue)
        #expect(answers.map(\.idNumber) == [1, 2, 3, nil, 4, 5])
        #expect(answers.map(\.errorCode) == [nil, nil, -32601, -32600, nil, nil])
        #expect(replies[1].idNumber == 6)
        #expect(
            control.calls == ["reset for anna", "get", "clear for anna", "clear for anna"])
        #expect(server.journal.durable.count { $0.isAddition } == 1)
    }

    @Test func `a batch of unanswered controls is not answered, and nothing stays held up`() throws
    {
        let server = try SteppedServer(testControl: control)
        let peer = try server.connect()
        let batch = [Ask.notification("test.clear"), Ask.notification("test.reset")]
        try peer.send("[" + batch.joined(separator: ",") + "]")
        try peer.send(Ask.notification("test.clear"))
        #expect(try peer.ask(Ask.line(1, "ping")).idNumber == 1)
        #expect(control.calls.count == 3)
    }

    @Test func `answers of controls keep a batch to the limit of a line`() throws {
        // One answer has room, and not in the first place, where room for the others has to be left.
        control.edit { $0.settings.locale = OpaqueText(String(repeating: "x", count: 6500)) }
        var limits = Limits()
        limits.replyLineBytes = 10_000
        let server = try SteppedServer(limits: limits, testControl: control)
        let peer = try server.connect()
        let batch = (1...10).map { Ask.line($0, "test.get") }
        try peer.send("[" + batch.joined(separator: ",") + "]")
        let line = try #require(try peer.lines().first)
        #expect(line.utf8.count <= limits.replyLineBytes)
        let answers = try #require(try JSONValue(parsing: line).arrayValue)
        #expect(answers.map(\.idNumber) == Array(1...10))
        #expect(answers.first?.errorCode == -32003)
        #expect(answers.count { $0["result"] != nil } == 1)
        #expect(answers.count { $0.errorCode == -32003 } == 9)
    }

    @Test(arguments: [false, true])
    func `a call that a batch ends is answered on a line of its own`(isNotified: Bool) throws {
        let server = try SteppedServer(testControl: control)
        let peer = try server.connect()
        try peer.send(Ask.line(1, "events", ["after": "now", "wait": 60]))
        let cancel = JSONValue.object([JSONMember(name: "id", value: 1)])
        let batch = [
            Ask.line(2, "ping"),
            isNotified ? Ask.notification("cancel", cancel) : Ask.line(3, "cancel", cancel),
            Ask.line(4, "test.get"), Ask.line(5, "ping"),
        ]
        try peer.send("[" + batch.joined(separator: ",") + "]")
        let replies = try peer.messages()
        try #require(replies.count == 2)
        #expect(replies[0].idNumber == 1)
        #expect(replies[0].errorCode == -32010)
        #expect(
            replies[1].arrayValue?.map(\.idNumber) == (isNotified ? [2, 4, 5] : [2, 3, 4, 5]))
    }

    @Test func `a batch is answered though its peer has sent all and others are answered first`()
        throws
    {
        let server = try SteppedServer(testControl: control)
        let watcher = try server.connect()
        try watcher.send(Ask.line(1, "subscribe"))
        server.gateway.isAnswering = false
        let added = try server.connect().ask(Ask.line(1, "add", ["product": "coins"]))
        let id = try #require(added["result"]?["transaction"])
        let peer = try server.connect()
        let batch = [
            Ask.line(3, "decide", ["transaction": id, "outcome": "approve"]), Ask.line(4, "ping"),
        ]
        try peer.send(Ask.line(2, "wait", ["transaction": id]))
        try peer.write(("[" + batch.joined(separator: ",") + "]\n").utf8)
        peer.endInput()
        server.run()
        #expect(try peer.messages().isEmpty)
        server.gateway.endAll()
        server.run()
        let replies = try peer.messages()
        #expect(replies.first?.idNumber == 2)
        #expect(replies.last?.arrayValue?.map(\.idNumber) == [3, 4])
        #expect(peer.isClosed)
    }

    @Test func `a stop lets a batch end that has begun`() throws {
        let server = try SteppedServer(testControl: control)
        let peer = try server.connect()
        let batch = [
            Ask.line(1, "add", ["product": "coins"]), Ask.line(2, "test.get"), Ask.line(3, "ping"),
        ]
        try peer.write(("[" + batch.joined(separator: ",") + "]\n").utf8)
        server.core.closeAll(reason: .shutdown, graceMs: 5)
        server.run()
        let messages = try peer.messages()
        #expect(messages.first?.arrayValue?.map(\.idNumber) == [1, 2, 3])
        #expect(messages.last?.params(of: "closing") != nil)
        #expect(peer.isClosed)
    }

    @Test func `who may not look any more is told so behind the reply to his subscribing`() throws {
        let server = try SteppedServer(testControl: control)
        let peer = try server.connect()
        let batch = [Ask.line(1, "subscribe"), Ask.line(2, "test.get")]
        try peer.write(("[" + batch.joined(separator: ",") + "]\n").utf8)
        peer.connection.runSlice(until: .distantFuture)
        server.core.give([.buy], to: peer.connection)
        server.run()
        let messages = try peer.messages()
        #expect(messages.first?.arrayValue?.map(\.idNumber) == [1, 2])
        #expect(messages.contains { $0.params(of: "ended")?["reason"] == "roleWithdrawn" })
    }

    @Test func `a batch that limits have overtaken is answered all the same`() throws {
        let server = try SteppedServer(testControl: control)
        let peer = try server.connect()
        let batch = [Ask.line(1, "test.get"), Ask.line(2, "ping"), Ask.line(3, "ping")]
        try peer.write(("[" + batch.joined(separator: ",") + "]\n").utf8)
        peer.connection.runSlice(until: .distantFuture)
        var lower = Limits()
        lower.batchElements = 2
        server.core.use(lower, server.core.access)
        server.run()
        let answers = try #require(try peer.messages().first?.arrayValue)
        #expect(answers.map(\.idNumber) == [1, nil])
        #expect(answers.last?.errorCode == -32600)
        #expect(try peer.ask(Ask.line(4, "ping")).idNumber == 4)
    }
}
