import NIOCore
import PaymentCore
import PaymentEngine
import PaymentTesting
import StrictJSON
import Testing

@testable import PaymentServer

/// Named observers, agents and readers that are behind, over a connection.
@Suite struct ObserverTests {
    @Test func `a name comes back at what it acknowledged`() throws {
        let server = try SteppedServer()
        let buyer = try server.connect()
        let first = try server.connect()
        try first.send(Ask.line(1, "subscribe", ["name": "books", "passive": true]))
        let head = try #require(try first.messages().first?["result"]?["head"]?.intValue)
        _ = try buyer.ask(Ask.line(1, "add", ["product": "coins", "trace": "t-1"]))
        let event = try #require(try first.messages().last?.params(of: "event"))
        #expect(event["trace"] == "t-1")
        let seq = try #require(event["seq"])
        let acked = try first.ask(Ask.line(2, "ack", ["name": "books", "seq": seq]))
        #expect(acked["result"] == ["acked": seq])
        let again = try first.ask(Ask.line(3, "ack", ["name": "books", "seq": 0]))
        #expect(again["result"] == ["acked": seq])
        try first.channel.close().wait()
        _ = try buyer.ask(Ask.line(2, "add", ["product": "coins"]))
        let second = try server.connect()
        try second.send(Ask.line(1, "subscribe", ["name": "books", "passive": true]))
        let events = try second.messages().compactMap { $0.params(of: "event") }
        #expect(events.count == 1)
        #expect(events.first?["prev"] == seq)
        #expect(head < Int64(server.journal.head))
    }

    @Test func `a name has one live subscription, whose end frees it`() throws {
        let server = try SteppedServer()
        let first = try server.connect()
        let second = try server.connect()
        let wish = Ask.line(1, "subscribe", ["name": "books"])
        try first.send(wish)
        let refused = try second.ask(wish)
        #expect(refused.errorCode == 1304)
        #expect(refused["error"]?["data"]?["name"] == "books")
        try first.channel.close().wait()
        try second.send(wish)
        #expect(try second.messages().first?["result"] != nil)
    }

    @Test func `an acknowledgement of nobody, or ahead of the log, is refused`() throws {
        let server = try SteppedServer()
        let peer = try server.connect()
        let unknown = try peer.ask(Ask.line(1, "ack", ["name": "books", "seq": 0]))
        #expect(unknown.errorCode == 1305)
        try peer.send(Ask.line(2, "subscribe", ["name": "books"]))
        _ = try peer.messages()
        let ahead = try peer.ask(Ask.line(3, "ack", ["name": "books", "seq": 1_000_000]))
        #expect(ahead.errorCode == 1302)
    }

    @Test func `a name whose records were trimmed is refused where no gap is wanted`() throws {
        let server = try SteppedServer()
        let first = try server.connect()
        try first.send(Ask.line(1, "subscribe", ["name": "books", "passive": true]))
        try first.channel.close().wait()
        let buyer = try server.connect()
        for number in 1...4 {
            _ = try buyer.ask(Ask.line(number, "add", ["product": "coins"]))
        }
        server.journal.trim(upTo: server.journal.head - 1)
        let second = try server.connect()
        let refused = try second.ask(
            Ask.line(1, "subscribe", ["name": "books", "onGap": "error"]))
        #expect(refused.errorCode == 1301)
        let other = try second.ask(Ask.line(2, "subscribe", ["name": "books", "epoch": "other"]))
        #expect(other.errorCode == 1303)
        try second.send(Ask.line(3, "subscribe", ["name": "books", "passive": true]))
        #expect(try second.messages().compactMap { $0.params(of: "gap") }.count == 1)
    }

    @Test func `observers lists who watches and the names whose observers are away`() throws {
        let server = try SteppedServer()
        let gone = try server.connect()
        try gone.send(Ask.line(1, "subscribe", ["name": "away", "passive": true]))
        try gone.channel.close().wait()
        let peer = try server.connect()
        _ = try peer.ask(Ask.line(1, "hello", ["client": ["name": "shop", "version": "1"]]))
        try peer.send(
            Ask.line(2, "subscribe", ["name": "here", "products": ["coins"], "agent": ["payment"]]))
        _ = try peer.messages()
        let list = try #require(
            try server.connect().ask(Ask.line(1, "observers"))["result"]?["observers"]?.arrayValue)
        #expect(list.map { $0["name"] } == ["here", "away"])
        #expect(list.map { $0["connected"] } == [true, false])
        #expect(list[0]["client"] == "shop")
        #expect(list[0]["uid"] == 1000)
        #expect(list[0]["products"] == ["coins"])
        #expect(list[0]["agent"] == ["payment"])
        #expect(list[0]["acked"] != nil)
        #expect(list[1]["uid"] == 1000, "whose name it is")
        #expect(list[1]["acked"] != nil)
    }

    @Test func `more names than there may be are refused with their limit`() throws {
        var limits = Limits()
        limits.namedObservers = 1
        let server = try SteppedServer(limits: limits)
        let peer = try server.connect()
        try peer.send(Ask.line(1, "subscribe", ["name": "one"]))
        _ = try peer.messages()
        let refused = try peer.ask(Ask.line(2, "subscribe", ["name": "two"]))
        #expect(refused.errorCode == -32013)
        #expect(refused["error"]?["data"]?["limit"] == "namedObservers")
        #expect(refused["error"]?["data"]?["number"] == 1)
    }

    @Test func `an agent must be allowed to answer what it is asked`() throws {
        var access = AccessPolicy(ownUser: 7)
        access.users = [1001: [.observe], 1002: [.observe, .gate]]
        let server = try SteppedServer(access: access)
        let watcher = try server.connect(as: PeerCredentials(pid: 1, uid: 1001, gid: 1))
        let keeper = try server.connect(as: PeerCredentials(pid: 1, uid: 1002, gid: 1))
        let payment = Ask.line(1, "subscribe", ["agent": ["payment"]])
        #expect(try watcher.ask(payment).errorCode == -32007)
        try keeper.send(Ask.line(2, "subscribe", ["agent": ["payment", "login"]]))
        #expect(try keeper.messages().first?["result"] != nil)
    }

    @Test func `who waits for rare events is told of one beyond many others`() throws {
        let server = try SteppedServer()
        let buyer = try server.connect()
        let adds = (1...100).map { Ask.line($0, "add", ["product": "coins"]) }
        let batch = "[" + adds.joined(separator: ",") + "]"
        for _ in 1...60 { try buyer.send(batch) }
        let seller = try server.connect()
        _ = try seller.ask(Ask.line(1, "logout"))
        let peer = try server.connect()
        let after = 10
        let wish: JSONValue = ["after": .integer(after), "kinds": ["storefrontChanged"]]
        let once = try peer.ask(Ask.line(1, "events", wish))
        #expect(once["result"]?["events"]?.arrayValue?.count == 1)
        #expect(once["result"]?["next"]?.intValue == Int64(server.journal.head))
        // A batch cannot wait for further slices of the loop.
        try peer.send("[" + Ask.line(1, "events", wish) + "]")
        let inBatch = try peer.messages().first?[0]?["result"]
        let next = try #require(inBatch?["next"]?.intValue)
        #expect(inBatch?["events"]?.arrayValue?.isEmpty == true)
        #expect(next > 100)
        #expect(next < Int64(server.journal.head))
        let waited = try peer.ask(
            Ask.line(
                2, "events",
                ["after": .integer(after), "kinds": ["storefrontChanged"], "wait": 5]))
        #expect(waited["result"]?["events"]?.arrayValue?.count == 1)
        #expect(waited["result"]?["next"]?.intValue == Int64(server.journal.head))
    }

    @Test func `a reader that takes nothing holds no more than its output, and loses nothing`()
        async throws
    {
        var plan = ServerPlan()
        plan.limits.outputBufferBytes = 32 * 1024
        plan.account = "anna"
        try await LiveServer.run(plan) { server in
            let silent = try await server.connect(reads: false)
            await silent.send(Ask.line(1, "subscribe", ["passive": true]))
            let buyer = try await server.connect()
            let adds = (1...100).map { Ask.line($0, "add", ["product": "coins"]) }
            for _ in 1...20 {
                _ = try await buyer.ask("[" + adds.joined(separator: ",") + "]")
            }
            #expect(try await server.bufferedBytes() < 34 * 1024)
            silent.startReading()
            var count = 0
            var last: Int64?
            while count < 2000 {
                let message = try await silent.message(within: 60)
                guard let event = message.params(of: "event"), event["redelivery"] == nil else {
                    continue
                }
                if let last { #expect(event["prev"]?.intValue == last) }
                last = event["seq"]?.intValue
                count += 1
            }
        }
    }

    @Test func `work in many pieces lets the sockets be heard between them`() async throws {
        try await LiveServer.run { server in
            let peer = try await server.connect()
            let loop = try await server.onLoop { [core = server.server.core] in
                NIOEngineLoop(core.value.context.eventLoop)
            }
            let chain = Chain()
            chain.goOn(loop)
            let reply = try await peer.ask(Ask.line(1, "ping"))
            #expect(reply["result"] != nil)
            #expect(!chain.isOver, "the reply came only after all of the work")
            chain.end()
        }
    }
}

/// Work that goes on and on, until it is ended or has gone on for long enough to be noticed.
private final class Chain: Sendable {
    private let ends = ContinuousClock.now + .seconds(8)
    private let over = Counter()

    var isOver: Bool { over.value > 0 }

    func end() {
        over.increment()
    }

    func goOn(_ loop: NIOEngineLoop) {
        loop.executeAfterInput { [self] in
            guard !isOver else { return }
            guard ContinuousClock.now < ends else { return end() }
            goOn(loop)
        }
    }
}
