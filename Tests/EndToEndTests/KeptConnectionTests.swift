import Foundation
import PaymentTesting
import Testing

/// Connections outlive the process: the service manager keeps them, and the next process goes on.
@Suite("Connections that survive the daemon", .ownThreads)
struct KeptConnectionTests {
    private static let rounds = Built.number("PAYQUEUED_KEPT_ROUNDS", default: 3)
    private static let watchers = Built.number("PAYQUEUED_KEPT_WATCHERS", default: 24)

    @Test("A restart under load closes no connection, and nobody misses or sees twice anything")
    func restartUnderLoad() throws {
        let crowd = try Crowd(watchers: Self.watchers, buyers: 4)
        for _ in 0..<Self.rounds {
            try crowd.work(pairs: 20)
            try crowd.manager.restart()
        }
        try crowd.end()
        #expect(crowd.watchers.map(\.closingCount).reduce(0, +) == 0)
        #expect(crowd.buyers.map(\.closingCount).reduce(0, +) == 0)
        try crowd.checkStreams()
        try crowd.manager.stop()
    }

    @Test("kill -9 under load closes only who had a write under way, and nobody misses anything")
    func killUnderLoad() throws {
        let crowd = try Crowd(watchers: Self.watchers, buyers: 4)
        var writing = 0
        for _ in 0..<Self.rounds {
            try crowd.work(pairs: 20)
            try crowd.catchUp()
            try crowd.manager.killAndStart()
            let found = crowd.manager.resumption
            #expect(found.restored > 0)
            #expect(found.closed == found.writing, "somebody was closed who was at rest")
            writing += found.writing
        }
        try crowd.end()
        // How many watchers have a write under way depends on how fast they read, which a busy machine decides.
        let watchers = crowd.watchers.map(\.closingCount).reduce(0, +)
        // Each of them knows it, and nobody else was closed. Who was just connecting anew does not count.
        let closed = watchers + crowd.buyers.map(\.closingCount).reduce(0, +)
        let perhaps = crowd.cutShort
        #expect(
            closed <= writing && writing <= closed + perhaps, "\(closed), \(writing), \(perhaps)")
        try crowd.checkStreams()
        try crowd.manager.stop()
    }

    @Test(
        "Half a line and a call that waits go on in the next process",
        arguments: [SIGTERM, SIGKILL])
    func whatWaits(signal: Int32) throws {
        let manager = try ServiceManager()
        try manager.start()
        let line = try Line(to: manager.socket)
        let added = try line.call("add", #"{"product":"coins.100"}"#)
        let id = try #require(added["transaction"]?.string)
        let wait = #"{"transaction":"\#(id)","until":["removed"]}"#
        line.type(#"{"jsonrpc":"2.0","id":"w","method":"wait","params":\#(wait)}"#)
        try line.call("hello", #"{"client":{"name":"half","version":"1"}}"#)
        line.write(Array(#"{"jsonrpc":"2.0","id":"h","method":"status"#.utf8))
        try #require(eventually(within: 60) { manager.storedCount == 2 ? true : nil } == true)
        // Whoever is answered now was heard after what has just been written.
        try Line(to: manager.socket).call("ping")
        try end(manager, by: signal)
        line.write(Array("\"}\n".utf8))
        let status = try line.next()
        #expect(status["id"]?.string == "h")
        let clients = status["result"]?["connections"]?.array?.map { $0["client"]?.string }
        #expect(clients?.contains { $0?.hasPrefix("half") == true } == true)
        let finished = try line.call("finish", #"{"transaction":"\#(id)"}"#)
        #expect(finished["disposition"]?.string == "removed")
        #expect(try line.next()["id"]?.string == "w")
        try manager.stop()
    }

    @Test("Who still waits for a store that says nothing holds up no stop and breaks none")
    func asksStore() throws {
        // It listens, and nobody ever takes a connection.
        let deaf = try ServiceManager()
        let manager = try ServiceManager()
        manager.flags = ["--store", "http+unix://\(deaf.socket)"]
        let lines = 16
        for _ in 0..<Self.rounds {
            try manager.start()
            let asking = try (0..<lines).map { _ in try Line(to: manager.socket) }
            for line in asking { line.type(#"{"jsonrpc":"2.0","id":1,"method":"keys"}"#) }
            let isKept = eventually(within: 60) { manager.storedCount >= 2 * lines ? true : nil }
            try #require(isKept == true)
            // Whoever is answered now was heard after what they asked.
            try Line(to: manager.socket).call("ping")
            try manager.stop()
        }
    }

    @Test("A call that waits for a person is answered, not lost", arguments: [SIGTERM, SIGKILL])
    func interruptedCall(signal: Int32) throws {
        let manager = try ServiceManager()
        try manager.start()
        let agent = try Line(to: manager.socket)
        try agent.call("logout")
        try agent.call("subscribe", #"{"agent":["login"]}"#)
        let buyer = try Line(to: manager.socket)
        try buyer.call("ping")
        buyer.type(
            #"{"jsonrpc":"2.0","id":"a","method":"add","params":{"product":"coins.100"}}"#)
        _ = try agent.notifications { $0.kind == "questionOpened" }
        try #require(eventually(within: 60) { manager.storedCount == 4 ? true : nil } == true)
        // Asked by somebody else: whose reply has just come may still have its own state put down.
        try Line(to: manager.socket).call("ping")
        try end(manager, by: signal)
        let answer = try buyer.next()
        #expect(answer["id"]?.string == "a")
        #expect(answer["error"]?["data"]?["kind"]?.string == "restarted")
        #expect(try buyer.call("ping")["pong"]?.bool == true)
        _ = try agent.notifications { $0.kind == "questionClosed" }
        try manager.stop()
    }

    @Test("What a slow reader has not taken yet comes once, in order, from the next process")
    func slowReader() throws {
        let manager = try ServiceManager()
        try manager.start()
        let buyer = try Buyer(manager.socket, name: "fill")
        _ = eventually(within: 60) { buyer.pairCount >= 600 ? true : nil }
        buyer.end()
        let reader = try RawLine(to: manager.socket)
        try reader.send("subscribe", [#"{"after":0,"passive":true}"#])
        let head = try Line(to: manager.socket).call("hello")["head"]?.int ?? 0
        try manager.restart()
        try manager.restart()
        #expect(try reader.next().number(after: #""id":"#) == 1)
        var seen = StreamSum(after: 0)
        while seen.last < head {
            let text = try reader.next()
            if text.isNotification("event") { seen.take(text) }
        }
        #expect(seen.breaks == 0)
        #expect(buyer.error == nil)
        try manager.stop()
    }

    @Test("Who hangs up is kept no longer, and who is kept can be told from what is foreign")
    func lettingGo() throws {
        let manager = try ServiceManager()
        var ends: [Int32] = [0, 0]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        let foreign = open("/dev/null", O_RDONLY)
        manager.keep(ends[0], as: "client-1")
        manager.keep(foreign, as: "client-2")
        manager.keep(foreign, as: "somebody")
        [ends[0], foreign].forEach { close($0) }
        try manager.start()
        // Nothing is known of it: its memory is missing.
        #expect(
            eventually(within: 60) { manager.storedNames == ["client-2", "somebody"] ? 1 : nil }
                == 1)
        close(ends[1])
        do {
            let line = try Line(to: manager.socket)
            try line.call("subscribe", #"{"after":"now"}"#)
            let isKept = withExtendedLifetime(line) {
                eventually(within: 60) { manager.storedCount == 4 ? true : nil }
            }
            #expect(isKept == true)
        }
        #expect(eventually(within: 60) { manager.storedCount == 2 ? true : nil } == true)
        #expect(manager.log.contains("not a socket of this daemon"))
        try manager.stop()
    }

    @Test("A store that is full or missing is no reason to fail; who cannot be kept is told")
    func noRoom() throws {
        let manager = try ServiceManager(capacity: 2)
        try manager.start()
        let lines = try (0..<3).map { _ in
            let line = try Line(to: manager.socket)
            try line.call("subscribe", #"{"after":"now","passive":true}"#)
            _ = try line.notifications { $0.isCaughtUp }
            return line
        }
        try manager.hearOut()
        #expect(manager.storedCount == 2)
        try manager.restart()
        #expect(try lines[0].call("ping")["pong"]?.bool == true)
        for line in lines[1...] {
            #expect(try line.notification()["method"]?.string == "closing")
            #expect(throws: Line.End.closed) { try line.next() }
        }
        try manager.stop()
    }

    private func end(_ manager: ServiceManager, by signal: Int32) throws {
        if signal == SIGTERM { try manager.restart() } else { try manager.killAndStart() }
    }
}

/// Watchers and buyers on one daemon.
private final class Crowd {
    let manager: ServiceManager
    let watchers: [Watcher]
    let buyers: [Buyer]

    init(watchers: Int, buyers: Int) throws {
        let manager = try ServiceManager()
        manager.environment["PAYQUEUED_LOG_LEVEL"] = "notice"
        try manager.start()
        let head = try Line(to: manager.socket).call("hello")["head"]?.int ?? 0
        self.manager = manager
        self.watchers = try (0..<watchers).map { _ in try Watcher(manager.socket, after: head) }
        self.buyers = try (0..<buyers).map { try Buyer(manager.socket, name: "buyer-\($0)") }
    }

    /// How many connections ended that were still being made.
    var cutShort: Int {
        (watchers.map(\.cutShortCount) + buyers.map(\.cutShortCount)).reduce(0, +)
    }

    /// Lets every buyer buy so much more.
    func work(pairs: Int) throws {
        let goals = buyers.map { $0.pairCount + pairs }
        guard
            eventually(
                within: 60,
                { zip(buyers, goals).allSatisfy { $0.pairCount >= $1 } ? true : nil }) != nil
        else {
            throw Trouble(
                "buyers: \(buyers.map { "\($0.pairCount) \(String(describing: $0.error))" })")
        }
    }

    /// Waits until each watcher has read nearly as much as the first of them. A write to one whose socket is full is
    /// under way until it reads, and on a busy machine that takes long. A connection that asks how far the daemon is
    /// would itself be one that the kill may close.
    func catchUp() throws {
        let isNear = eventually(within: 60) {
            let last = watchers.map(\.seen.last)
            return last.allSatisfy { $0 + 100 >= last.max() ?? 0 } ? true : nil
        }
        try #require(isNear == true, "the watchers do not keep up")
    }

    /// Ends the work, and waits until everybody has been shown everything.
    func end() throws {
        buyers.forEach { $0.end() }
        try #require(
            eventually(within: 60) { buyers.allSatisfy(\.isDone) ? true : nil } == true,
            "a buyer waits for an answer that does not come")
        let line = try Line(to: manager.socket)
        let head = try line.call("hello")["head"]?.int ?? 0
        let last = try #require(try lastEvent(line, upTo: head))
        _ = eventually(within: 60) { watchers.allSatisfy { $0.seen.last >= last } ? true : nil }
        watchers.forEach { $0.end() }
        for error in watchers.map(\.error) + buyers.map(\.error) { #expect(error == nil) }
    }

    /// Everybody was shown the same, in one unbroken chain.
    func checkStreams() throws {
        let first = watchers[0].seen
        #expect(first.count >= buyers.map(\.pairCount).reduce(0, +) * 2)
        for watcher in watchers {
            #expect(watcher.seen.breaks == 0)
            #expect(watcher.seen == first)
        }
    }

    private func lastEvent(_ line: Line, upTo head: Int) throws -> Int? {
        let events = try line.call("events", #"{"after":\#(max(0, head - 20))}"#)
        return events["events"]?.array?.last?["seq"]?.int
    }
}
