import PaymentCore
import PaymentTesting
import StrictJSON
import Testing

@testable import PaymentServer

/// Nothing that a client can see leaves before the records behind it are on stable storage.
@Suite struct TurnTests {
    @Test func `no byte leaves before the commit that covers it`() throws {
        let server = try SteppedServer()
        let buyers = try (1...3).map { _ in try server.connect() }
        let watcher = try server.connect()
        try watcher.send(Ask.line(1, "subscribe"))
        _ = try watcher.bytes()
        let early = Early()
        server.journal.onCommit = { records in
            guard records.contains(where: \.isAddition) else { return }
            for peer in buyers + [watcher] { early.bytes += (try? peer.bytes().count) ?? 1 }
            early.commits += 1
        }
        for buyer in buyers {
            try buyer.write((Ask.line(1, "add", ["product": "coins"]) + "\n").utf8)
            try buyer.write((Ask.line(2, "ping") + "\n").utf8)
        }
        server.run()
        #expect(early.commits == 1, "the three share a turn")
        #expect(early.bytes == 0)
        for buyer in buyers { #expect(try buyer.messages().map(\.idNumber) == [1, 2]) }
        #expect(try watcher.messages().count { $0.params(of: "event") != nil } >= 3)
    }

    @Test func `a commit that fails lets no byte out, then or later`() throws {
        let server = try SteppedServer()
        let buyer = try server.connect()
        let bystander = try server.connect()
        let watcher = try server.connect()
        try watcher.send(Ask.line(1, "subscribe", ["heartbeat": 1]))
        _ = try watcher.bytes()
        server.journal.ending = { _ in .failed }
        try buyer.write((Ask.line(1, "add", ["product": "coins"]) + "\n").utf8)
        try bystander.write((Ask.line(1, "ping") + "\n").utf8)
        server.run()
        try buyer.write((Ask.line(2, "ping") + "\n").utf8)
        try bystander.write((Ask.line(2, "transactions") + "\n").utf8)
        server.run()
        #expect(try buyer.bytes().isEmpty)
        #expect(try bystander.bytes().isEmpty)
        #expect(try watcher.bytes().isEmpty)
        #expect(server.failureCount == 1)
        #expect(server.gateway.submissions.isEmpty)
    }

    @Test func `replies of two turns leave each with its own commit`() throws {
        let server = try SteppedServer()
        let buyer = try server.connect()
        var commits: [() -> Void] = []
        server.journal.later = { commits.append($0) }
        try buyer.send(Ask.line(1, "add", ["product": "coins"]))
        // The first commit is under way: what comes now belongs to the next one.
        try buyer.send(Ask.line(2, "add", ["product": "coins"]))
        try buyer.send(Ask.line(3, "ping"))
        #expect(try buyer.bytes().isEmpty)
        #expect(commits.count == 1)
        commits[0]()
        server.run()
        #expect(try buyer.messages().map(\.idNumber) == [1])
        #expect(commits.count == 2)
        commits[1]()
        server.run()
        #expect(try buyer.messages().map(\.idNumber) == [2, 3])
    }

    @Test func `a stopped engine takes no request that was received before`() throws {
        let server = try SteppedServer()
        let buyer = try server.connect()
        try buyer.send(Ask.line(1, "ping"))
        _ = try buyer.bytes()
        for id in 2...65 {
            try buyer.write((Ask.line(id, "add", ["product": "coins"]) + "\n").utf8)
        }
        server.engine.stop()
        server.journal.onAppend = { Issue.record("appended behind the end: \($0)") }
        server.run()
        #expect(try buyer.bytes().isEmpty)
        #expect(server.engine.queue.unfinishedCount == 0)
    }

    @Test(arguments: [RecordingJournal.Ending.failed, .fenced])
    func `a late commit that does not come lets no byte out`(
        _ ending: RecordingJournal.Ending
    ) throws {
        let server = try SteppedServer()
        let buyer = try server.connect()
        let watcher = try server.connect()
        try watcher.send(Ask.line(1, "subscribe"))
        _ = try watcher.bytes()
        var commits: [() -> Void] = []
        server.journal.later = { commits.append($0) }
        server.journal.ending = { _ in ending }
        try buyer.send(Ask.line(1, "add", ["product": "coins"]))
        try buyer.send(Ask.line(2, "ping"))
        #expect(commits.count == 1)
        commits[0]()
        server.run()
        try buyer.send(Ask.line(3, "ping"))
        #expect(try buyer.bytes().isEmpty)
        #expect(try watcher.bytes().isEmpty)
        #expect(server.failureCount == 1)
        #expect(server.gateway.submissions.isEmpty)
    }

    @Test func `a reply comes before the events of its own call`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        try peer.send(Ask.line(1, "subscribe"))
        _ = try peer.bytes()
        for round in 2...20 {
            try peer.write((Ask.line(round, "add", ["product": "coins"]) + "\n").utf8)
            try peer.write((Ask.line(100 + round, "ping") + "\n").utf8)
            server.run()
            let messages = try peer.messages()
            #expect(messages.prefix(2).map(\.idNumber) == [round, 100 + round])
            let added = messages[0]["result"]?["seq"]?.intValue
            let events = messages.compactMap { $0.params(of: "event") }
            #expect(events.first?["seq"]?.intValue == added)
            #expect(events.allSatisfy { ($0["seq"]?.intValue ?? 0) >= (added ?? .max) })
        }
    }

    @Test func `a batch is answered as a whole before its events`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        let batch = [
            Ask.line(1, "subscribe"), Ask.line(2, "add", ["product": "coins"]),
            Ask.line(3, "add", ["product": "pass"]), Ask.line(4, "transactions"),
        ]
        try peer.send("[" + batch.joined(separator: ",") + "]")
        let messages = try peer.messages()
        let replies = try #require(messages.first?.arrayValue)
        #expect(replies.map(\.idNumber) == [1, 2, 3, 4])
        #expect(replies[3]["result"]?["transactions"]?.arrayValue?.count == 2)
        #expect(messages.dropFirst().allSatisfy { $0["method"] != nil })
        let products = messages.compactMap { $0.params(of: "event")?["transactions"]?[0] }
            .map { $0["payment"]?["product"]?["productIdentifier"] }
        #expect(Set(products) == ["coins", "pass"])
    }

    @Test func `what is refused is not recorded and what is recorded is answered`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        let head = server.journal.head
        #expect(try peer.ask(Ask.line(1, "add", ["product": "nothing"])).errorCode == 1101)
        #expect(try peer.ask(Ask.line(2, "add", ["produkt": "coins"])).errorCode == -32602)
        #expect(server.journal.head == head)
        let added = try peer.ask(Ask.line(3, "add", ["product": "coins"]))
        #expect(added["result"]?["seq"]?.intValue == Int64(server.journal.head))
    }

    @Test func `a record says who caused it`() throws {
        let server = try SteppedServer()
        let peer = try server.connect(as: PeerCredentials(pid: 9, uid: 1234, gid: 5))
        _ = try peer.ask(Ask.line(1, "hello", ["client": ["name": "till"]]))
        _ = try peer.ask(Ask.line(2, "add", ["product": "coins", "trace": "abc"]))
        let origin = try #require(server.journal.durable.last { $0.isAddition }?.origin)
        #expect(origin.uid == 1234)
        #expect(origin.client?.string == "till")
        #expect(origin.connection == peer.connection.caller.number)
        #expect(origin.request == 2)
        #expect(origin.trace?.string == "abc")
    }

    @Test func `who waits for one kind of event sleeps through the others`() throws {
        let server = try SteppedServer()
        let waiter = try server.connect()
        let buyer = try server.connect()
        let kinds: JSONValue = ["after": "now", "wait": 9, "kinds": ["storefrontChanged"]]
        try waiter.send(Ask.line(1, "events", kinds))
        try waiter.send(Ask.line(2, "events", ["after": "now", "wait": 9]))
        for number in 1...3 { _ = try buyer.ask(Ask.line(number, "add", ["product": "coins"])) }
        #expect(try waiter.messages().map(\.idNumber) == [2])
        _ = try buyer.ask(Ask.line(4, "logout"))
        let reply = try #require(try waiter.messages().first)
        #expect(reply.idNumber == 1)
        #expect(reply["result"]?["events"]?[0]?["kind"] == "storefrontChanged")
        #expect(reply["result"]?["next"]?.intValue == Int64(server.journal.head))
    }

    @Test func `what the store answers after the stop is left to the next start`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        try peer.send(Ask.line(1, "subscribe"))
        server.gateway.isAnswering = false
        try peer.send(Ask.line(2, "add", ["product": "coins"]))
        server.engine.stop()
        let head = server.journal.head
        server.gateway.endAll()
        server.advance(seconds: 5)
        #expect(server.journal.head == head)
        #expect(server.engine.queue.pendingEffects().count == 1)
    }

    @Test func `who asked before the stop is answered before the last words`() throws {
        let server = try SteppedServer()
        let asking = try server.connect()
        let idle = try server.connect()
        try asking.write((Ask.line(1, "add", ["product": "coins"]) + "\n").utf8)
        server.core.closeAll(reason: .shutdown, graceMs: 5_000)
        try asking.write((Ask.line(2, "add", ["product": "coins"]) + "\n").utf8)
        let first = try #require(try idle.messages().first?.params(of: "closing"))
        #expect(first["reason"] == "shutdown")
        #expect(first["graceMs"] == 5_000)
        #expect(idle.isClosed)
        server.run()
        let messages = try asking.messages()
        #expect(messages.map { $0["result"]?["state"] } == ["purchasing", nil])
        #expect(messages.last?.params(of: "closing") != nil)
        #expect(asking.isClosed)
        #expect(server.journal.durable.count { $0.isAddition } == 1)
    }

    @Test func `who waits for somebody at a stop is told so before the last words`() throws {
        let server = try SteppedServer()
        server.engine.store.sessions.logOut(origin: nil)
        let agent = try server.connect()
        try agent.send(Ask.line(1, "subscribe", ["agent": ["login"]]))
        let peer = try server.connect()
        try peer.send(Ask.line(1, "add", ["product": "coins"]))
        // Whoever only asks finds the connection gone, and asks again elsewhere.
        try peer.send(Ask.line(2, "events", ["after": "now", "wait": 30]))
        #expect(try peer.messages().isEmpty)
        server.core.closeAll(reason: .shutdown, graceMs: 5_000)
        server.run()
        let messages = try peer.messages()
        #expect(messages.first?.errorCode == -32006 && messages.first?.idNumber == 1)
        #expect(messages.count { $0.errorCode != nil } == 1)
        #expect(messages.last?.params(of: "closing") != nil)
        #expect(peer.isClosed)
        #expect(server.journal.durable.allSatisfy { !$0.isAddition })
    }

    @Test func `a line that is not finished in time ends the connection behind held replies`()
        throws
    {
        let server = try SteppedServer()
        let peer = try server.connect()
        var commits: [() -> Void] = []
        server.journal.later = { commits.append($0) }
        try peer.send(Ask.line(1, "add", ["product": "coins"]))
        try peer.write("{".utf8)
        server.advance(seconds: 31)
        #expect(try peer.bytes().isEmpty)
        #expect(!peer.isClosed)
        commits[0]()
        server.run()
        let messages = try peer.messages()
        #expect(messages.count == 2)
        #expect(messages.first?["result"] != nil)
        #expect(messages.last?.errorCode == -32002)
        #expect(peer.isClosed)
    }

    @Test func `all that was received before the stop is answered before the closing line`() throws
    {
        let server = try SteppedServer()
        let peer = try server.connect()
        let adds = (1...100).map { Ask.line($0, "add", ["product": "coins"]) + "\n" }
        try peer.write((adds.joined() + "{").utf8)
        server.core.closeAll(reason: .shutdown, graceMs: 5_000)
        #expect(server.core.context.state == .draining)
        server.run()
        let messages = try peer.messages()
        #expect(messages.dropLast().map(\.idNumber) == Array(1...100))
        #expect(messages.dropLast().allSatisfy { $0["result"]?["state"] == "purchasing" })
        #expect(messages.last?.params(of: "closing") != nil)
        #expect(peer.isClosed)
        #expect(server.journal.durable.count { $0.isAddition } == 100)
    }

    private final class Early {
        var bytes = 0
        var commits = 0
    }
}
