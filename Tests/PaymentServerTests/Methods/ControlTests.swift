import PaymentAPI
import PaymentCore
import PaymentTesting
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

    @Test func `a control in a batch is told that batches do not wait`() throws {
        let peer = try SteppedServer(testControl: control).connect()
        let reply = try peer.ask("[" + Ask.line(1, "test.clear") + "]")
        #expect(reply[0]?.errorKind == "waitInBatch")
        #expect(control.calls.isEmpty)
    }
}
