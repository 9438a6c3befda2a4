import PaymentAPI
import PaymentCore
import PaymentTesting
import StrictJSON
import Testing

@testable import PaymentServer

@Suite struct AdminTests {
    private static let stranger = PeerCredentials(pid: 2, uid: 2000, gid: 2000)

    @Test(arguments: ["drain", "reload", "backup", "decide"])
    func `administration is for administrators`(name: String) throws {
        let spec = try #require(Contract.spec(named: name))
        let server = try SteppedServer(daemon: ScriptedDaemon())
        let peer = try server.connect(as: Self.stranger)
        let reply = try peer.ask(Ask.line(1, name, spec.example.params))
        #expect(reply.errorCode == -32007)
        #expect(reply["error"]?["data"]?["need"] == "admin")
    }

    @Test func `work of a session that the store ended is counted for all and shown to admins`()
        throws
    {
        let server = try SteppedServer()
        let (admin, other) = (try server.connect(), try server.connect(as: Self.stranger))
        let id = try #require(
            try other.ask(Ask.line(1, "add", ["product": "coins"]))["result"]?["transaction"])
        server.gateway.purchaseAnswers = .failing(.sessionRevoked)
        server.engine.store.reconciliation.want()
        server.run()
        for peer in [admin, other] {
            let status = try peer.ask(Ask.line(2, "status"))["result"]
            #expect(status?["sessionEnded"]?["account"] == "anna")
            #expect(status?["queue"]?["unfinished"] == 1)
            #expect(status?["queue"]?["waitingFor"] == ["login": 1])
        }
        let own = try other.ask(Ask.line(3, "add", ["product": "pass"]))["result"]?["transaction"]
        func seen(by peer: SteppedPeer, _ params: JSONValue = [:]) throws -> [JSONValue?]? {
            try peer.ask(Ask.line(4, "transactions", params))["result"]?["transactions"]?
                .arrayValue?.map { $0["id"] }
        }
        #expect(try seen(by: admin) == [id, own])
        #expect(try seen(by: admin, ["ids": [id]]) == [id])
        #expect(try seen(by: other) == [own])
        #expect(try seen(by: other, ["ids": [id]]) == [])
        let metrics = try admin.ask(Ask.line(5, "metrics"))["result"]?["text"]?.stringValue
        #expect(metrics?.contains("\npayqueued_session_ended 1\n") == true)
        #expect(metrics?.contains("\npayqueued_session_ends_total 1\n") == true)
        server.gateway.purchaseAnswers = .none
        _ = try admin.ask(Ask.line(6, "login", ["account": "anna"]))
        #expect(try seen(by: other) == [id, own])
        #expect(try other.ask(Ask.line(7, "status"))["result"]?["sessionEnded"] == nil)
    }

    @Test func `a drained daemon refuses new work and does the rest`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        let added = try peer.ask(Ask.line(1, "add", ["product": "coins"]))
        #expect(try peer.ask(Ask.line(2, "drain", [true]))["result"] == ["state": "draining"])
        #expect(try peer.ask(Ask.line(3, "status"))["result"]?["state"] == "draining")
        for line in [Ask.line(4, "add", ["product": "coins"]), Ask.line(4, "restore")] {
            #expect(try peer.ask(line).errorCode == -32006)
        }
        let id = try #require(added["result"]?["transaction"])
        let finished = try peer.ask(Ask.line(5, "finish", [id]))
        #expect(finished["result"]?["disposition"] == "removed")
        #expect(try peer.ask(Ask.line(6, "drain", [false]))["result"] == ["state": "running"])
        #expect(try peer.ask(Ask.line(7, "add", ["product": "coins"])).errorCode == nil)
        #expect(try peer.ask(Ask.line(8, "status"))["result"]?["state"] == "running")
    }

    @Test func `a drain that does not run is not ended again`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        let before = try peer.ask(Ask.line(1, "status"))["result"]?["since"]
        server.advance(seconds: 5)
        #expect(try peer.ask(Ask.line(2, "drain", [false]))["result"] == ["state": "running"])
        #expect(try peer.ask(Ask.line(3, "status"))["result"]?["since"] == before)
    }

    @Test func `a drained daemon still tells what a known key came to`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        let add = Ask.line(1, "add", ["product": "coins", "key": "k"])
        let first = try peer.ask(add)["result"]
        let restore = try peer.ask(Ask.line(2, "restore", ["key": "r"]))["result"]
        try peer.send(Ask.line(3, "drain", [true]))
        _ = try peer.messages()
        let again = try peer.ask(add)["result"]
        #expect(again?["transaction"] == first?["transaction"])
        #expect(again?["duplicate"] == true)
        let restoredAgain = try peer.ask(Ask.line(4, "restore", ["key": "r"]))["result"]
        #expect(restoredAgain?["restore"] == restore?["restore"])
        let other = Ask.line(5, "add", ["product": "club", "key": "k"])
        #expect(try peer.ask(other).errorCode == 1102)
        let new = Ask.line(6, "add", ["product": "coins", "key": "n"])
        #expect(try peer.ask(new).errorCode == -32006)
        func checked(_ method: JSONValue, _ key: JSONValue) throws -> Int64? {
            let params: JSONValue =
                method == "add" ? ["product": "coins", "key": key] : ["key": key]
            return try peer.ask(Ask.line(7, "check", ["method": method, "params": params]))
                .errorCode
        }
        #expect(try checked("add", "k") == nil)
        #expect(try checked("add", "n") == -32006)
        #expect(try checked("restore", "r") == nil)
        #expect(try checked("restore", "k") == 1102)
        #expect(try checked("restore", "n") == -32006)
        #expect(server.journal.durable.count { $0.isAddition } == 1)
    }

    @Test(arguments: ["entitlements", "signedHistory"])
    func `what needs an account is refused as the method refuses it`(method: String) throws {
        let peer = try SteppedServer().connect()
        func check() throws -> Int64? {
            try peer.ask(Ask.line(1, "check", ["method": .string(method)])).errorCode
        }
        #expect(try check() == nil)
        _ = try peer.ask(Ask.line(2, "logout"))
        #expect(try check() == Int64(ErrorCode.notLoggedIn.rawValue))
        #expect(try peer.ask(Ask.line(3, method)).errorCode == check())
    }

    @Test func `a login without an account is refused as login refuses it without an agent`() throws
    {
        let server = try SteppedServer()
        let peer = try server.connect()
        func check(_ params: JSONValue) throws -> Int64? {
            try peer.ask(Ask.line(1, "check", ["method": "login", "params": params])).errorCode
        }
        #expect(try check([:]) == nil)
        _ = try peer.ask(Ask.line(2, "logout"))
        let refused = Int64(ErrorCode.loginDiscarded.rawValue)
        #expect(try check([:]) == refused)
        #expect(try peer.ask(Ask.line(3, "login")).errorCode == refused)
        #expect(try check(["account": "demo"]) == nil)
        try peer.send(Ask.line(4, "subscribe", ["agent": ["login"]]))
        _ = try peer.messages()
        #expect(try check([:]) == nil)
    }

    @Test func `a page of products that has expired is refused as products refuses it`() throws {
        let peer = try SteppedServer().connect()
        func check(_ page: JSONValue) throws -> Int64? {
            let params: JSONValue = ["limit": 1, "page": page]
            let line = Ask.line(1, "check", ["method": "products", "params": params])
            let code = try peer.ask(line).errorCode
            #expect(try peer.ask(Ask.line(2, "products", params)).errorCode == code)
            return code
        }
        let next = try peer.ask(Ask.line(3, "products", ["limit": 1]))["result"]?["next"]
        #expect(try check(#require(next)) == nil)
        #expect(try check("USA-0-0-1") == Int64(ErrorCode.pageExpired.rawValue))
    }

    @Test func `drain is answered when no order is under way any more`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        try peer.send(Ask.line(1, "subscribe", ["kinds": ["transactionsUpdated"]]))
        server.gateway.isAnswering = false
        try peer.send(Ask.line(2, "add", ["product": "coins"]))
        #expect(server.gateway.submissions.count == 1)
        _ = try peer.messages()
        try peer.send(Ask.line(3, "drain", [true]))
        #expect(try peer.messages().isEmpty)
        server.gateway.endAll()
        server.run()
        let drained = try peer.messages().first { $0.idNumber == 3 }
        #expect(drained?["result"] == ["state": "draining"])
    }

    @Test func `taking a drain back answers those who wait for it`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        try peer.send(Ask.line(1, "subscribe"))
        server.gateway.isAnswering = false
        try peer.send(Ask.line(2, "add", ["product": "coins"]))
        try peer.send(Ask.line(3, "drain", [true]))
        _ = try peer.messages()
        try peer.send(Ask.line(4, "drain", [false]))
        let replies = try peer.messages()
        #expect(replies.map(\.idNumber) == [3, 4])
        #expect(replies.allSatisfy { $0["result"] == ["state": "running"] })
    }

    @Test func `a drain in a batch that would have to wait changes nothing`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        try peer.send(Ask.line(1, "subscribe"))
        server.gateway.isAnswering = false
        try peer.send(Ask.line(2, "add", ["product": "coins"]))
        _ = try peer.messages()
        let reply = try peer.ask("[" + Ask.line(3, "drain", [true]) + "]")
        #expect(reply[0]?.errorKind == "waitInBatch")
        #expect(try peer.ask(Ask.line(4, "status"))["result"]?["state"] == "running")
    }

    @Test func `reload and backup are done by the daemon`() throws {
        let peer = try SteppedServer(daemon: ScriptedDaemon()).connect()
        #expect(try peer.ask(Ask.line(1, "reload"))["result"] == ["changed": ["roles"]])
        #expect(
            try peer.ask(Ask.line(2, "backup"))["result"]
                == ["path": "/copy", "seq": 4, "bytes": 99])
    }

    @Test(
        arguments: [
            (.configuration(file: "f", path: "/p", reason: "r"), 1701), (.disk("full"), -32008),
            (.failed("oh"), -32603),
        ] as [(DaemonRefusal, Int64)])
    func `what the daemon refuses has a code`(refusal: DaemonRefusal, code: Int64) throws {
        let peer = try SteppedServer(daemon: ScriptedDaemon(refusal: refusal)).connect()
        #expect(try peer.ask(Ask.line(1, "reload")).errorCode == code)
        #expect(try peer.ask(Ask.line(2, "backup")).errorCode == code)
    }

    @Test func `metrics are OpenMetrics text`() throws {
        let peer = try SteppedServer().connect()
        _ = try peer.ask(Ask.line(1, "ping"))
        _ = try peer.ask(Ask.line(2, "nothing"))
        let result = try peer.ask(Ask.line(3, "metrics"))["result"]
        #expect(result?["format"]?.stringValue?.hasPrefix("application/openmetrics-text") == true)
        let text = try #require(result?["text"]?.stringValue)
        #expect(text.hasSuffix("\n# EOF\n"))
        var types: Set<Substring> = []
        for line in text.split(separator: "\n") where !line.hasPrefix("# HELP") {
            if line.hasPrefix("# TYPE ") {
                // A name comes once, with all that is known of it behind it.
                #expect(types.insert(line.split(separator: " ")[2]).inserted)
            } else if line != "# EOF" {
                let parts = line.split(separator: " ")
                #expect(parts.count == 2 && parts[0].hasPrefix("payqueued_"))
                #expect(Double(String(parts[1])) != nil)
            }
        }
        #expect(text.contains("\npayqueued_requests_total{method=\"ping\"} 1\n"))
        #expect(text.contains("\npayqueued_error_replies_total 1\n"))
        #expect(text.contains("\npayqueued_connections 1\n"))
        #expect(text.contains("\npayqueued_store_up 1\n"))
    }

    @Test func `other limits and roles hold at once`() throws {
        let server = try SteppedServer()
        let peer = try server.connect(as: Self.stranger)
        try peer.send(Ask.line(1, "subscribe"))
        _ = try peer.messages()
        var limits = Limits()
        limits.batchElements = 1
        var access = AccessPolicy(ownUser: 1000)
        access.everybody = [.buy]
        server.core.use(limits, access)
        server.run()
        let ended = try peer.messages().first { $0.params(of: "ended") != nil }
        #expect(ended?["params"]?["reason"] == "roleWithdrawn")
        #expect(server.engine.subscriptions.all.isEmpty)
        #expect(try peer.ask(Ask.line(2, "status")).errorCode == -32007)
        #expect(try peer.ask(Ask.line(3, "add", ["product": "coins"])).errorCode == nil)
        let batch = "[" + Ask.line(4, "logout") + "," + Ask.line(5, "logout") + "]"
        #expect(try peer.ask(batch).errorKind == "batchTooLarge")
    }
}
