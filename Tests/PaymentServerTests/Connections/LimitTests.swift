import Glibc
import PaymentAPI
import PaymentCore
import StrictJSON
import Testing

@testable import PaymentServer

/// Everything that a client can make grow has a limit: both sides of each.
@Suite struct LimitTests {
    @Test func `eight calls wait, the ninth is refused, and no other request is held up`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        for number in 1...8 {
            try peer.send(Ask.line(number, "events", ["after": "now", "wait": 5]))
        }
        #expect(try peer.lines().isEmpty)
        let ninth = try peer.ask(Ask.line(9, "events", ["after": "now", "wait": 5]))
        #expect(ninth.errorCode == -32000)
        #expect(ninth["error"]?["data"]?["limit"] == 8)
        let pings = (10..<74).map { Ask.line($0, "ping") + "\n" }
        try peer.write(pings.joined().utf8)
        server.run()
        #expect(try peer.messages().map(\.idNumber) == Array(10..<74))
        server.advance(seconds: 6)
        #expect(try Set(peer.messages().compactMap(\.idNumber)) == Set(1...8))
        try peer.send(Ask.line(80, "events", ["after": "now", "wait": 5]))
        #expect(try peer.lines().isEmpty, "there is room again")
    }

    @Test func `a batch of a hundred is run, one more is refused as a whole`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        let adds = (1...101).map { Ask.line($0, "add", ["product": "coins"]) }
        let whole = try peer.ask("[" + adds.dropLast().joined(separator: ",") + "]")
        #expect(whole.arrayValue?.map(\.idNumber) == Array(1...100))
        let head = server.journal.head
        let refused = try peer.ask("[" + adds.joined(separator: ",") + "]")
        #expect(refused.errorCode == -32600)
        #expect(refused.errorKind == "batchTooLarge")
        #expect(refused["id"] == .some(.null))
        #expect(server.journal.head == head)
    }

    @Test func `in a batch a call that would have to wait is refused, one that need not is run`()
        throws
    {
        let server = try SteppedServer()
        let peer = try server.connect()
        let added = try peer.ask(Ask.line(1, "add", ["product": "coins"]))
        let id = try #require(added["result"]?["transaction"])
        let answer = try peer.ask(
            "["
                + [
                    Ask.line(2, "wait", ["transaction": id, "until": ["purchased"]]),
                    Ask.line(3, "wait", ["transaction": id, "until": ["purchasing"]]),
                    Ask.line(4, "events", ["after": "now", "wait": 5]),
                    Ask.line(5, "events", ["after": 0, "wait": 5]),
                    Ask.line(6, "login", ["account": "bert"]),
                ].joined(separator: ",") + "]")
        let replies = try #require(answer.arrayValue)
        #expect(replies.map(\.errorCode) == [-32602, nil, -32602, nil, -32602])
        #expect(replies[0].errorKind == "waitInBatch")
        #expect(peer.connection.requests.calls.isEmpty)
        server.run()
        #expect(server.engine.queue.session?.account.string == "anna")
    }

    @Test func `an empty batch is refused, one of notifications is not answered`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        #expect(try peer.ask("[]").errorKind == "emptyBatch")
        let add = Ask.notification("add", ["product": "coins"])
        try peer.send("[\(add),\(add)]")
        #expect(try peer.lines().isEmpty)
        #expect(server.journal.durable.count { $0.isAddition } == 2)
        let mixed = try peer.ask("[\(add),7,\(Ask.line(1, "ping")),\(Ask.notification("nothing"))]")
        #expect(mixed.arrayValue?.count == 2)
        #expect(mixed[0]?.errorKind == "notAnObject")
        #expect(mixed[1]?.idNumber == 1)
    }

    @Test func `sixteen subscriptions of a connection, not seventeen`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        for number in 1...16 {
            try peer.send(Ask.line(number, "subscribe"))
            #expect(try peer.messages().first?["result"] != nil)
        }
        let refused = try peer.ask(Ask.line(17, "subscribe"))
        #expect(refused.errorCode == -32004)
        #expect(refused["error"]?["data"]?["limit"] == 16)
        let end = Ask.line(18, "unsubscribe", ["subscription": "s1"])
        #expect(try server.connect().ask(end)["result"]?["unsubscribed"] == false, "not theirs")
        #expect(try peer.ask(end)["result"]?["unsubscribed"] == true)
        try peer.send(Ask.line(19, "subscribe"))
        #expect(try peer.messages().first?["result"] != nil)
    }

    @Test func `subscriptions of all connections are counted together`() throws {
        var limits = Limits()
        limits.subscriptions = 3
        let server = try SteppedServer(limits: limits)
        let peers = try (0..<4).map { _ in try server.connect() }
        for peer in peers { try peer.send(Ask.line(1, "subscribe")) }
        #expect(try peers.map { try $0.messages().first?.errorCode } == [nil, nil, nil, -32004])
        try peers[0].channel.close().wait()
        server.run()
        try peers[3].send(Ask.line(2, "subscribe"))
        #expect(try peers[3].messages().first?["result"] != nil)
    }

    @Test func `connections of one user are limited, those of the daemon's own and root are not`()
        throws
    {
        var limits = Limits()
        limits.connectionsPerUser = 2
        limits.connections = 9
        let server = try SteppedServer(limits: limits, access: AccessPolicy(ownUser: 7))
        let anna = PeerCredentials(pid: 1, uid: 1000, gid: 1000)
        let first = try server.connect(as: anna)
        _ = try server.connect(as: anna)
        #expect(throws: ConnectionRefusal.self) { try server.connect(as: anna) }
        _ = try server.connect(as: PeerCredentials(pid: 1, uid: 1001, gid: 1000))
        for uid: UInt32 in [0, 0, 0, 7, 7, 7] {
            _ = try server.connect(as: PeerCredentials(pid: 1, uid: uid, gid: 0))
        }
        #expect(server.core.connections.count == 9)
        #expect(throws: ConnectionRefusal.self) {
            try server.connect(as: PeerCredentials(pid: 1, uid: 0, gid: 0))
        }
        try first.channel.close().wait()
        _ = try server.connect(as: PeerCredentials(pid: 1, uid: 1002, gid: 1000))
    }

    @Test func `who lacks a role is refused before anything is read`() throws {
        var access = AccessPolicy(ownUser: 7)
        access.users = [1001: [.observe]]
        access.groups = [50: [.observe, .admin]]
        let server = try SteppedServer(access: access)
        let everybody = try server.connect(as: PeerCredentials(pid: 1, uid: 1000, gid: 1))
        let watcher = try server.connect(as: PeerCredentials(pid: 1, uid: 1001, gid: 50))
        let keeper = try server.connect(as: PeerCredentials(pid: 1, uid: 1002, gid: 50))
        let owner = try server.connect(as: PeerCredentials(pid: 1, uid: 7, gid: 1))
        let buy = Ask.line(1, "add", ["product": "coins"])
        let control = Ask.line(2, "test.get", ["nonsense": 1])
        let assume = Ask.line(3, "storefront", ["assume": "FR"])
        func codes(_ peer: SteppedPeer) throws -> [Int64?] {
            try [buy, control, assume].map { try peer.ask($0).errorCode }
        }
        #expect(try codes(everybody) == [nil, -32007, nil])
        #expect(try codes(watcher) == [-32007, -32007, -32007])
        #expect(try codes(keeper) == [-32007, -32602, -32007])
        #expect(try codes(owner) == [nil, -32602, nil])
        #expect(try watcher.ask(buy)["error"]?["data"]?["need"] == "buy")
        #expect(try watcher.ask(Ask.line(4, "check", ["method": "add"])).errorCode == -32007)
        #expect(try watcher.ask(Ask.line(5, "hello"))["result"]?["roles"] == ["observe"])
    }

    @Test func `a member of several groups has the roles of all of them`() {
        var access = AccessPolicy(ownUser: 7)
        access.users = [1001: []]
        access.groups = [50: [.observe], 60: [.admin], 70: []]
        func roles(_ uid: UInt32, _ gid: UInt32, _ others: [UInt32] = []) -> Set<Role> {
            access.roles(of: PeerCredentials(pid: 1, uid: uid, gid: gid, others: others))
        }
        #expect(roles(1000, 1) == access.everybody)
        #expect(roles(1000, 50) == [.observe])
        #expect(roles(1000, 1, [60]) == [.admin])
        #expect(roles(1000, 50, [4, 60]) == [.observe, .admin])
        #expect(roles(1000, 1, [70]) == [])
        #expect(roles(1001, 60, [50]) == [], "named by itself")
        #expect(roles(7, 70, [70]) == Set(Role.allCases))
    }

    @Test func `the kernel names all groups of a peer, however many`() throws {
        let own = try Stranger.pair()
        defer { [own.0, own.1].forEach { close($0) } }
        let peer = try #require(PeerCredentials(descriptor: own.0))
        #expect(peer.uid == geteuid())
        #expect(peer.groups.contains(getegid()))
        // The kernel does not have the option.
        let primary = try #require(PeerCredentials(descriptor: own.0, groupsOption: 9999))
        #expect(primary.uid == peer.uid)
        #expect(primary.groups == [getegid()])
        guard Stranger.isPossible else { return }
        let groups = (5000..<5300).map { gid_t($0) }
        let ends = try Stranger.pair(61233, groups: groups)
        defer { [ends.0, ends.1].forEach { close($0) } }
        let many = try #require(PeerCredentials(descriptor: ends.0))
        #expect(many.uid == 61233)
        #expect(many.groups == (groups + [getegid()]).sorted())
    }

    @Test func `a result beyond the reply line is refused and nothing of it is sent`() throws {
        var limits = Limits()
        limits.replyLineBytes = 20_000
        let server = try SteppedServer(limits: limits)
        let peer = try server.connect()
        let discovered = try peer.ask(Ask.line(1, "rpc.discover"))
        #expect(discovered.errorCode == -32003)
        #expect(discovered["error"]?["data"]?["limit"] == 20_000)
        #expect(try peer.ask(Ask.line(2, "ping"))["result"] != nil)
    }

    @Test func `a result that comes late is measured as well`() throws {
        var limits = Limits()
        limits.replyLineBytes = 400
        let server = try SteppedServer(limits: limits)
        let peer = try server.connect()
        try peer.send(Ask.line(1, "events", ["after": "now", "wait": 5]))
        #expect(try peer.lines().isEmpty)
        let added = try server.connect().ask(Ask.line(2, "add", ["product": "coins"]))
        #expect(added["result"] != nil)
        let late = try #require(try peer.messages().first)
        #expect(late.errorCode == -32003)
        #expect(late.idNumber == 1)
        #expect(late["error"]?["data"]?["limit"] == 400)
        #expect(try peer.ask(Ask.line(3, "ping"))["result"] != nil)
    }

    @Test func `a result that holds up the line is measured as well`() throws {
        var limits = Limits()
        limits.replyLineBytes = 100
        let peer = try SteppedServer(limits: limits).connect()
        #expect(try peer.ask(Ask.line(1, "keys")).errorCode == -32003)
    }

    @Test func `the replies of a batch share one reply line`() throws {
        var limits = Limits()
        limits.replyLineBytes = 100_000
        let server = try SteppedServer(limits: limits)
        let peer = try server.connect()
        let size = try {
            try peer.send(Ask.line(1, "help"))
            return try peer.bytes().count
        }()
        let asked = (1...100).map { Ask.line($0, "help") }
        try peer.send("[" + asked.joined(separator: ",") + "]")
        let bytes = try peer.bytes()
        #expect(bytes.count <= 100_000)
        #expect(bytes.count > 100_000 - 2 * size - 100 * 250)
        let replies = try #require(try JSONValue(parsing: bytes).arrayValue)
        #expect(replies.map(\.idNumber) == Array(1...100))
        #expect(replies.first?["result"] != nil)
        #expect(replies.contains { $0.errorCode == -32003 })
        #expect(replies.allSatisfy { $0["result"] != nil || $0.errorCode == -32003 })
    }

    @Test func `a result that does not fit says whether the call had an effect`() throws {
        var limits = Limits()
        limits.replyLineBytes = 50
        let server = try SteppedServer(limits: limits)
        let peer = try server.connect()
        let asked = try peer.ask(Ask.line(1, "help"))
        #expect(asked["error"]?["data"]?["effect"] == "none")
        let added = try peer.ask(Ask.line(2, "add", ["product": "coins"]))
        #expect(added.errorCode == -32003)
        #expect(added["error"]?["data"]?["effect"] == "done")
        #expect(server.journal.durable.count { $0.isAddition } == 1)
        // Requests that only ask are not refused before they have run.
        limits.replyLineBytes = 1000
        let second = try SteppedServer(limits: limits).connect()
        let batch = try second.ask("[" + Ask.line(3, "ping") + "]").arrayValue
        #expect(batch?.first?["result"] != nil)
        let subscribing = try second.ask("[" + Ask.line(4, "subscribe") + "]").arrayValue
        #expect(subscribing?.first?.errorCode == -32003)
    }

    @Test func `what is refused for want of room in the reply was not done`() throws {
        var limits = Limits()
        limits.replyLineBytes = 100_000
        let server = try SteppedServer(limits: limits)
        let peer = try server.connect()
        let asked =
            (1...99).map { Ask.line($0, "help") } + [Ask.line(100, "add", ["product": "coins"])]
        let replies = try peer.ask("[" + asked.joined(separator: ",") + "]").arrayValue
        #expect(replies?.last?.errorCode == -32003)
        #expect(server.journal.durable.count { $0.isAddition } == 0)
    }

    @Test func `a connection holds no more answers than its output buffer and one reply`() throws {
        var limits = Limits()
        limits.outputBufferBytes = 10_000
        let server = try SteppedServer(limits: limits)
        let peer = try server.connect()
        try peer.send(Ask.line(0, "help"))
        let size = try peer.bytes().count
        try peer.write((1...32).map { Ask.line($0, "help") + "\n" }.joined().utf8)
        #expect(peer.connection.output.held.bytes.count <= 10_000 + size)
        server.run()
        #expect(try peer.messages().map(\.idNumber) == Array(1...32))
    }

    @Test func `deep and long requests are refused with their limit`() throws {
        var limits = Limits()
        limits.depth = 4
        limits.tokens = 40
        let server = try SteppedServer(limits: limits)
        let peer = try server.connect()
        let deep = try peer.ask(Ask.line("1", "ping", #"{"payload":[[[1]]]}"#))
        #expect(deep.errorKind == "tooDeep")
        #expect(deep["error"]?["data"]?["limit"] == 4)
        let long = try peer.ask(
            Ask.line(
                "2", "ping", "[" + Array(repeating: "1", count: 50).joined(separator: ",") + "]"))
        #expect(long.errorKind == "tooManyTokens")
        #expect(long["error"]?["data"]?["limit"] == 40)
        #expect(try peer.ask(Ask.line(3, "ping"))["result"] != nil)
    }
}
