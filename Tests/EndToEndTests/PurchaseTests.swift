import PaymentTesting
import Testing

/// The main job, by the tools that everybody has.
@Suite("A purchase over the socket", .ownThreads)
struct PurchaseTests {
    private static let conversation = #"""
        '{"jsonrpc":"2.0","id":1,"method":"subscribe"}' \
        '{"jsonrpc":"2.0","id":2,"method":"add","params":{"product":"coins.100","key":"k1"}}'
        """#

    @Test(
        "A piped subscribe and add show both replies in order and the events to purchased",
        arguments: [("socat", "socat -t60 - UNIX-CONNECT:"), ("nc", "timeout 60 nc -NU ")])
    func oneLiner(tool: String, command: String) throws {
        guard Built.has(tool) else { return Skip.because("\(tool) is not installed") }
        try Daemon.run { daemon in
            let script = "printf '%s\\n' \(Self.conversation) | \(command)\(daemon.socket)"
            let child = try Child(["sh", "-c", script], in: daemon.place, name: tool)
            // It stays for more events; nobody waits for that here, and the daemon's end is its end.
            let shown = eventually(within: 60) { () -> Substring? in
                let output = child.standardOutput
                guard let end = output.lastIndex(of: "\n") else { return nil }
                return output[..<end].contains(#""transactionState":"purchased""#)
                    ? output[..<end] : nil
            }
            let lines = try #require(shown, "\(child.standardOutput)").split(separator: "\n")
                .map { try JSON($0) }
            let replies = lines.filter { $0["id"] != nil }
            #expect(replies.map { $0["id"]?.int } == [1, 2])
            #expect(lines.first?["id"]?.int == 1)
            let transaction = replies.last?["result"]?["transaction"]?.string
            #expect(transaction != nil)
            let added = lines.firstIndex { $0["id"]?.int == 2 } ?? lines.count
            let purchased = lines.firstIndex { $0.shows(transaction, "purchased") }
            #expect(try #require(purchased) > added)
            #expect(!lines[..<added].contains { !$0.transactions.isEmpty })
        }
    }

    @Test(
        "A single line is answered at once and the tool ends by itself",
        arguments: [("socat", "socat -t600 - UNIX-CONNECT:"), ("nc", "nc -NU ")])
    func ping(tool: String, command: String) throws {
        guard Built.has(tool) else { return Skip.because("\(tool) is not installed") }
        try Daemon.run { daemon in
            let script =
                #"echo '{"jsonrpc":"2.0","id":"a","method":"ping"}' | \#(command)\#(daemon.socket)"#
            let shown = try Child.run(["sh", "-c", script], in: daemon.place, seconds: 60)
            #expect(shown.ending == .exit(0))
            let answer = try JSON(shown.output)
            #expect(answer["id"]?.string == "a")
            #expect(answer["result"]?["pong"]?.bool == true)
        }
    }

    @Test("A purchase goes from add over purchased and finish to its removal")
    func wholePurchase() throws {
        try Daemon.run { daemon in
            let line = try daemon.connect()
            try line.call("subscribe")
            let added = try line.call("add", #"{"product":"coins.100","key":"k1"}"#)
            let id = try #require(added["transaction"]?.string)
            let events = try line.notifications { $0.shows(id, "purchased") }
            let paid = try #require(events.last?.transactions.first)
            #expect(paid["transactionIdentifier"]?.string != nil)
            let finished = try line.call("finish", #"{"transaction":"\#(id)"}"#)
            #expect(finished["disposition"]?.string == "completing")
            let removal = try line.notifications { $0.removes(id) }
            #expect(removal.last?["params"]?["reason"]?.string == "finished")
            let again = try line.call("finish", #"{"transaction":"\#(id)"}"#)
            #expect(again["disposition"]?.string == "alreadyFinished")
            let orders = try line.call("test.orders")["orders"]?.array ?? []
            #expect(orders.map { $0["transaction"]?.string } == [id])
            #expect(orders.first?["completed"]?.bool == true)
        }
    }

    @Test("Without an observer the store hears nothing until somebody subscribes")
    func waitsForObserver() throws {
        try Daemon.run { daemon in
            let line = try daemon.connect()
            let added = try line.call("add", #"{"product":"coins.100"}"#)
            #expect(added["waitingFor"]?.string == "observer")
            #expect(try Self.staysWithoutOrders(line))
            let observer = try daemon.connect()
            try observer.call("subscribe")
            _ = try observer.notifications { $0.shows(added["transaction"]?.string, "purchased") }
            #expect(try line.call("test.orders")["orders"]?.array?.count == 1)
        }
    }

    @Test("Logged out the store hears nothing until somebody logs in")
    func waitsForLogin() throws {
        try Daemon.run { daemon in
            let line = try daemon.connect()
            try line.call("logout")
            try line.call("subscribe")
            let added = try line.call("add", #"{"product":"coins.100"}"#)
            #expect(added["waitingFor"]?.string == "login")
            #expect(try Self.staysWithoutOrders(line))
            try line.call("login", #"{"account":"demo"}"#)
            _ = try line.notifications { $0.shows(added["transaction"]?.string, "purchased") }
            let orders = try line.call("test.orders")["orders"]?.array
            #expect(orders?.map { $0["account"]?.string } == ["demo"])
        }
    }

    @Test("A passive subscription sees the transaction and sends nothing to the store")
    func passive() throws {
        try Daemon.run { daemon in
            let line = try daemon.connect()
            try line.call("subscribe", #"{"passive":true}"#)
            let added = try line.call("add", #"{"product":"coins.100"}"#)
            let id = added["transaction"]?.string
            #expect(added["waitingFor"]?.string == "observer")
            _ = try line.notifications { $0.shows(id, "purchasing") }
            #expect(try Self.staysWithoutOrders(line))
        }
    }

    @Test("An observer of another product sends nothing to the store")
    func filteredObserver() throws {
        try Daemon.run { daemon in
            let line = try daemon.connect()
            try line.call("subscribe", #"{"products":["remove-ads"]}"#)
            let added = try line.call("add", #"{"product":"coins.100"}"#)
            #expect(added["waitingFor"]?.string == "observer")
            #expect(try Self.staysWithoutOrders(line))
        }
    }

    /// Nothing is ordered, asked several times in a row so that a late order would show.
    private static func staysWithoutOrders(_ line: Line) throws -> Bool {
        for _ in 0..<10 {
            guard try line.call("test.orders")["orders"]?.array?.isEmpty == true else {
                return false
            }
        }
        return true
    }
}
