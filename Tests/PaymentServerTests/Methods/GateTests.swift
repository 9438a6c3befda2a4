import PaymentAPI
import PaymentCore
import PaymentTesting
import StrictJSON
import Testing

@testable import PaymentServer

@Suite struct GateTests {
    private static let stranger = PeerCredentials(pid: 2, uid: 2000, gid: 2000)

    /// A server at which nobody is logged in, with a login agent.
    private func loggedOut() throws -> (SteppedServer, agent: SteppedPeer, client: SteppedPeer) {
        let server = try SteppedServer()
        let agent = try server.connect()
        try agent.send(Ask.line(1, "logout"))
        try agent.send(Ask.line(2, "subscribe", ["agent": ["login"]]))
        _ = try agent.messages()
        return (server, agent, try server.connect())
    }

    /// The question that an agent was told of.
    private func question(_ agent: SteppedPeer) throws -> JSONValue {
        let events = try agent.messages().compactMap { $0.params(of: "event") }
        let opened = events.first { $0["kind"] == "questionOpened" }
        return try #require(opened?["question"])
    }

    @Test func `everybody sees the policy and the gate sets it`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        let shown = try peer.ask(Ask.line(1, "delegate"))["result"]
        #expect(shown?["mode"] == "continue")
        #expect(shown?["timeout"] == 60)
        let set = try peer.ask(Ask.line(2, "delegate", ["mode": "ask", "timeout": .number("1.5")]))
        #expect(set["result"]?["mode"] == "ask")
        #expect(set["result"]?["timeout"] == .number("1.5"))
        let again = try peer.ask(Ask.line(3, "delegate"))["result"]
        #expect(again == set["result"])
        var access = AccessPolicy(ownUser: 1000)
        access.everybody = [.observe, .buy]
        server.core.use(Limits(), access)
        let other = try server.connect(as: Self.stranger)
        #expect(try other.ask(Ask.line(4, "delegate"))["result"]?["mode"] == "ask")
        #expect(try other.ask(Ask.line(5, "delegate", ["mode": "stop"])).errorCode == -32007)
        #expect(try other.ask(Ask.line(6, "delegate"))["result"]?["mode"] == "ask")
    }

    @Test func `a question that never was is unknown by the name that was given`() throws {
        let peer = try SteppedServer().connect()
        for name in ["q-1", Samples.order(3).description] {
            let line = Ask.line(1, "answer", ["question": .string(name), "value": true])
            let reply = try peer.ask(line)
            #expect(reply.errorCode == 1401)
            #expect(reply["error"]?["data"]?["question"] == .string(name))
        }
    }

    @Test func `a payment waits for the login that it asked for`() throws {
        let (_, agent, client) = try loggedOut()
        try client.send(Ask.line(7, "add", ["product": "coins"]))
        #expect(try client.ask(Ask.line(8, "questions"))["result"]?["questions"] != [])
        #expect(try client.ask(Ask.line(9, "status"))["result"]?["questions"] == 1)
        try agent.send(Ask.line(3, "login", ["account": "anna"]))
        let added = try client.messages().first { $0.idNumber == 7 }
        #expect(added?["result"]?["state"] == "purchasing")
        #expect(try client.ask(Ask.line(10, "questions"))["result"]?["questions"] == [])
    }

    @Test func `a login that is dismissed turns every call down that waits for it`() throws {
        let (_, agent, client) = try loggedOut()
        try client.send(Ask.line(7, "add", ["product": "coins"]))
        try client.send(Ask.line(8, "restore"))
        try client.send(Ask.line(9, "login"))
        #expect(try client.messages().isEmpty)
        let question = try question(agent)
        try agent.send(Ask.line(3, "answer", ["question": question, "value": false]))
        let replies = try client.messages()
        #expect(Set(replies.compactMap(\.idNumber)) == [7, 8, 9])
        #expect(replies.allSatisfy { $0.errorCode == 1104 })
        #expect(try client.ask(Ask.line(10, "transactions"))["result"]?["transactions"] == [])
        let late = try agent.messages().isEmpty
        #expect(!late)
        try agent.send(Ask.line(4, "answer", ["question": question, "value": true]))
        #expect(try agent.messages().first { $0.idNumber == 4 }?.errorCode == 1402)
    }

    @Test func `only the connection that answered may repeat it, with the same record`() throws {
        let (server, agent, client) = try loggedOut()
        try client.send(Ask.line(7, "add", ["product": "coins"]))
        let question = try question(agent)
        let yes = Ask.line(3, "answer", ["question": question, "value": true])
        try agent.send(yes)
        let first = try agent.messages().first { $0.idNumber == 3 }?["result"]
        let sequence = try #require(first?["seq"]?.intValue)
        let record = server.journal.durable.first { Int64($0.sequence) == sequence }
        guard case .questionClosed? = record?.event else {
            Issue.record("\(sequence) is no record of an answer")
            return
        }
        #expect(try agent.ask(yes)["result"] == first)
        let no = Ask.line(4, "answer", ["question": question, "value": false])
        #expect(try agent.ask(no).errorCode == 1402)
        for uid in [agent.connection.caller.peer.uid, 2000] {
            let other = try server.connect(as: PeerCredentials(pid: 2, uid: uid, gid: 2000))
            #expect(try other.ask(yes).errorCode == 1402)
        }
    }

    @Test func `in a batch nobody is asked to log in`() throws {
        let (_, _, client) = try loggedOut()
        let lines = [Ask.line(7, "add", ["product": "coins"]), Ask.line(8, "restore")]
        let replies = try client.ask("[" + lines.joined(separator: ",") + "]")
        #expect(replies[0]?["result"]?["waitingFor"] == "login")
        #expect(replies[1]?["result"]?["waitingFor"] == "login")
        #expect(try client.ask(Ask.line(9, "questions"))["result"]?["questions"] == [])
    }

    @Test func `at most eight calls of a connection wait`() throws {
        let (_, _, client) = try loggedOut()
        for number in 1...8 { try client.send(Ask.line(number, "add", ["product": "coins"])) }
        #expect(try client.messages().isEmpty)
        #expect(try client.ask(Ask.line(9, "add", ["product": "coins"])).errorCode == -32000)
    }

    @Test func `a call that is given up takes its question along`() throws {
        let (_, _, client) = try loggedOut()
        try client.send(Ask.line(7, "add", ["product": "coins"]))
        try client.send(Ask.line(8, "cancel", ["id": 7]))
        #expect(try client.messages().map(\.errorCode) == [-32010, nil])
        #expect(try client.ask(Ask.line(9, "questions"))["result"]?["questions"] == [])
    }

    @Test func `without an agent nobody is asked`() throws {
        let peer = try SteppedServer().connect()
        _ = try peer.ask(Ask.line(1, "logout"))
        #expect(try peer.ask(Ask.line(2, "login")).errorCode == 1104)
        let added = try peer.ask(Ask.line(3, "add", ["product": "coins"]))
        #expect(added["result"]?["waitingFor"] == "login")
    }

    @Test func `agents of two users are asked in turn, each with the end of its turn`() throws {
        let server = try SteppedServer()
        let wish = Ask.line(1, "subscribe", ["agent": ["payment"], "passive": true])
        let crowd = try (0..<3).map { _ in try server.connect() }
        for peer in crowd { try peer.send(wish) }
        let other = try server.connect(as: Self.stranger)
        try other.send(wish)
        let buyer = try server.connect()
        try buyer.send(Ask.line(1, "subscribe"))
        try buyer.send(Ask.line(2, "add", ["product": "coins"]))
        let told = try buyer.messages().compactMap { $0.params(of: "event") }
            .first { $0["kind"] == "questionOpened" }
        let first = try opened(crowd[0])
        #expect(first["redelivery"] == nil && first["seq"] == told?["seq"])
        #expect(try seconds(from: first, to: #require(told)) == 100)
        server.advance(seconds: 30)
        let second = try opened(other)
        #expect(second["question"] == first["question"] && second["redelivery"] == true)
        #expect(try seconds(from: second, to: #require(told)) == 50)
        var access = AccessPolicy(ownUser: 1000)
        access.everybody = [.observe]
        server.core.use(Limits(), access)
        server.run()
        let third = try opened(crowd[1])
        #expect(third["question"] == first["question"], "the other one may not answer")
        let last = try crowd[2].messages().compactMap { $0.params(of: "event")?["kind"] }
        #expect(!last.contains("questionOpened"))
    }

    /// The question that an agent was told of, as it was told.
    private func opened(_ agent: SteppedPeer) throws -> JSONValue {
        let events = try agent.messages().compactMap { $0.params(of: "event") }
        return try #require(events.first { $0["kind"] == "questionOpened" })
    }

    /// The time between the deadlines of two events, in seconds.
    private func seconds(from one: JSONValue, to other: JSONValue) throws -> Int64 {
        let times = try [one, other].map { event in
            try #require(event["deadline"]?.stringValue.flatMap { Timestamp($0) }).milliseconds
        }
        return (times[1] - times[0]) / 1000
    }
}
