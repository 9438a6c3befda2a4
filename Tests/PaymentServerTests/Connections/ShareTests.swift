import JSONRPC
import PaymentAPI
import PaymentCore
import PaymentTesting
import StrictJSON
import Testing

@testable import PaymentServer

@Suite struct ShareTests {
    private static func server(_ change: (inout Limits) -> Void) throws -> SteppedServer {
        var limits = Limits()
        change(&limits)
        return try SteppedServer(limits: limits, access: AccessPolicy(ownUser: 7))
    }

    private static func peer(_ uid: UInt32) -> PeerCredentials {
        PeerCredentials(pid: 1, uid: uid, gid: uid)
    }

    private static func expectShare(
        _ reply: JSONValue?, _ limit: String, _ number: Int, _ share: Int
    ) {
        #expect(reply?.errorCode == -32013)
        let data = reply?["error"]?["data"]
        #expect(data?["kind"] == "shareExceeded")
        #expect(data?["limit"] == .string(limit))
        #expect(data?["number"] == .integer(number))
        #expect(data?["share"] == .integer(share))
        #expect(data?["effect"] == "none")
    }

    /// The error that a peer is refused with.
    private static func refusal(of uid: UInt32, by server: SteppedServer) throws -> JSONValue? {
        guard case .failure(let refusal) = server.core.accept(peer(uid)) else { return nil }
        return try JSONValue(parsing: refusal.line.dropLast())
    }

    @Test func `a user has its share of the connections, below the limit for each`() throws {
        let server = try Self.server { $0.connections = 16 }
        let peers = try (0..<7).map { _ in try server.connect(as: Self.peer(1000)) }
        Self.expectShare(try Self.refusal(of: 1000, by: server), "connections", 16, 7)
        for _ in 0..<2 { _ = try server.connect(as: Self.peer(1001)) }
        Self.expectShare(try Self.refusal(of: 1001, by: server), "connections", 16, 2)
        #expect(server.core.context.counters.refused == 2)
        for uid: UInt32 in 1002..<1008 { _ = try server.connect(as: Self.peer(uid)) }
        Self.expectShare(try Self.refusal(of: 1009, by: server), "connections", 16, 0)
        _ = try server.connect(as: Self.peer(0))
        #expect(try Self.refusal(of: 0, by: server)?.errorCode == -32005)
        try peers[0].channel.close().wait()
        #expect(server.core.context.share(of: .connections).held[1000] == 6)
    }

    @Test func `a user has its share of the subscriptions over all its connections`() throws {
        let server = try Self.server { $0.subscriptions = 8 }
        let peers = try (0..<2).map { _ in try server.connect(as: Self.peer(1000)) }
        for number in 0..<3 {
            try peers[number % 2].send(Ask.line(number, "subscribe"))
            #expect(try peers[number % 2].messages().first?["result"] != nil)
        }
        Self.expectShare(try peers[0].ask(Ask.line(4, "subscribe")), "subscriptions", 8, 3)
        let other = try server.connect(as: Self.peer(1001))
        try other.send(Ask.line(1, "subscribe"))
        #expect(try other.messages().first?["result"] != nil)
        let root = try server.connect(as: Self.peer(0))
        for number in 0..<4 {
            try root.send(Ask.line(number, "subscribe"))
            #expect(try root.messages().first?["result"] != nil)
        }
        #expect(try root.ask(Ask.line(5, "subscribe")).errorCode == -32004)
        try peers[1].channel.close().wait()
        let end = Ask.line(6, "unsubscribe", ["subscription": "s1"])
        #expect(try peers[0].ask(end)["result"]?["unsubscribed"] == true)
        #expect(server.core.context.share(of: .subscriptions).held == [0: 4, 1000: 1, 1001: 1])
    }

    @Test func `a user has its share of the waiting calls over all its connections`() throws {
        let server = try Self.server { $0.waitingCallsInAll = 8 }
        let peers = try (0..<2).map { _ in try server.connect(as: Self.peer(1000)) }
        func wait(_ number: Int) -> String {
            Ask.line(number, "events", ["after": "now", "wait": 5])
        }
        for number in 0..<3 { try peers[number % 2].send(wait(number)) }
        Self.expectShare(try peers[1].ask(wait(4)), "waitingCallsInAll", 8, 3)
        try peers[1].send(Ask.line(5, "cancel", ["id": 1]))
        #expect(try peers[1].messages().count == 2)
        try peers[1].send(wait(6))
        #expect(server.core.context.share(of: .waitingCallsInAll).held == [1000: 3])
        try peers[0].channel.close().wait()
        #expect(server.core.context.share(of: .waitingCallsInAll).held == [1000: 1])
        server.advance(seconds: 6)
        #expect(server.core.context.share(of: .waitingCallsInAll) == Share())
    }

    @Test func `a call that the process before had accepted is not refused by the share`() throws {
        let server = try Self.server { $0.waitingCallsInAll = 8 }
        let peer = try server.connect(as: Self.peer(1000))
        func wait(_ number: Int) -> String {
            Ask.line(number, "events", ["after": "now", "wait": 5])
        }
        for number in 0..<3 { try peer.send(wait(number)) }
        peer.connection.requests.linesToRepeat = 2
        for number in 3..<5 { try peer.send(wait(number)) }
        #expect(try peer.messages().isEmpty)
        #expect(server.core.context.share(of: .waitingCallsInAll).held == [1000: 5])
        #expect(try peer.ask(wait(5)).errorCode == -32013)
    }

    @Test func `a user has its share of the unfinished transactions`() throws {
        let server = try Self.server { $0.unfinishedTransactions = 8 }
        let peer = try server.connect(as: Self.peer(1000))
        let add = Ask.line(1, "add", ["product": "coins"])
        let first = try peer.ask(add)["result"]?["transaction"]
        for _ in 0..<2 { #expect(try peer.ask(add)["result"] != nil) }
        Self.expectShare(try peer.ask(add), "unfinishedTransactions", 8, 3)
        let check = Ask.line(2, "check", ["method": "add", "params": ["product": "coins"]])
        Self.expectShare(try peer.ask(check), "unfinishedTransactions", 8, 3)
        #expect(server.journal.durable.count { $0.isAddition } == 3)
        #expect(try server.connect(as: Self.peer(1001)).ask(add)["result"] != nil)
        let root = try server.connect(as: Self.peer(0))
        for _ in 0..<4 { #expect(try root.ask(add)["result"] != nil) }
        #expect(try root.ask(add).errorCode == 1105)
        let finish = Ask.line(3, "finish", ["transaction": try #require(first)])
        #expect(try peer.ask(finish)["result"]?["disposition"] == "removed")
        #expect(server.engine.queue.share(of: .unfinishedTransactions)?.held[1000] == 2)
    }

    @Test func `a user has its share of the disk, until its work ends`() throws {
        let server = try Self.server { _ in }
        server.journal.roomBytes = 400_000
        let add = Ask.line(1, "add", ["product": "coins"])
        func fill(_ uid: UInt32) throws -> (added: [JSONValue], refusal: JSONValue) {
            let peer = try server.connect(as: Self.peer(uid))
            var added: [JSONValue] = []
            while added.count < 100 {
                let reply = try peer.ask(add)
                guard let transaction = reply["result"]?["transaction"] else {
                    return (added, reply)
                }
                added.append(transaction)
            }
            return (added, .null)
        }
        func bytes(_ uid: UInt32) -> Int {
            server.engine.queue.share(of: .diskBytes)?.held[uid] ?? 0
        }
        let anna = try fill(1000)
        #expect(anna.refusal.errorCode == -32013)
        let data = anna.refusal["error"]?["data"]
        #expect(data?["limit"] == "diskBytes" && data?["effect"] == "none")
        let (number, share) = (data?["number"]?.intValue ?? 0, data?["share"]?.intValue ?? 0)
        // The rule: half of all but a sixteenth.
        #expect(Int(share) == (Int(number) - Int(number) / 16 - overhead(server)) / 2)
        #expect(bytes(1000) <= Int(share) && anna.added.count > 5)
        let peer = try server.connect(as: Self.peer(1000))
        let check = Ask.line(2, "check", ["method": "add", "params": ["product": "coins"]])
        #expect(try peer.ask(check).errorCode == -32013)
        let bert = try fill(1001)
        #expect(bert.refusal.errorCode == -32013)
        #expect(!bert.added.isEmpty && bert.added.count < anna.added.count)
        #expect(try server.connect(as: Self.peer(0)).ask(add)["result"] != nil)
        for transaction in anna.added {
            let finish = Ask.line(3, "finish", ["transaction": transaction])
            #expect(try peer.ask(finish)["result"]?["disposition"] == "removed")
        }
        #expect(try peer.ask(add)["result"] != nil)
    }

    /// The bytes of claims that no user is charged for.
    private func overhead(_ server: SteppedServer) -> Int {
        let share = server.engine.queue.share(of: .diskBytes) ?? Share()
        return share.total - share.held.values.reduce(0, +)
    }

    @Test func `a user has its share of the names`() throws {
        let server = try Self.server { $0.namedObservers = 4 }
        let peer = try server.connect(as: Self.peer(1000))
        try peer.send(Ask.line(1, "subscribe", ["name": "one"]))
        _ = try peer.messages()
        let refused = try peer.ask(Ask.line(2, "subscribe", ["name": "two"]))
        Self.expectShare(refused, "namedObservers", 4, 1)
        #expect(server.core.context.share(of: .subscriptions).held == [1000: 1])
    }

    @Test func `other limits and another own user hold at once`() throws {
        let server = try Self.server { $0.subscriptions = 4 }
        let peer = try server.connect(as: Self.peer(1000))
        try peer.send(Ask.line(1, "subscribe"))
        _ = try peer.messages()
        #expect(try peer.ask(Ask.line(2, "subscribe")).errorCode == -32013)
        server.core.use(server.core.limits, AccessPolicy(ownUser: 1000))
        try peer.send(Ask.line(3, "subscribe"))
        #expect(try peer.messages().first?["result"] != nil)
    }
}
