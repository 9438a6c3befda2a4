import Foundation
import PaymentTesting
import Testing

/// What reaches a client is on stable storage before. `kill -9` cannot show that, because the page
/// cache survives it; the system calls can.
@Suite("Before the reply comes the sync", .ownThreads)
struct DurabilityTests {
    private static let traced =
        "trace=fdatasync,fsync,write,writev,pwrite64,pwritev,pwritev2,sendmsg,sendto"

    @Test("No reply and no event leaves before the sync that covers it")
    func syncFirst() throws {
        if let obstacle = Trace.obstacle { return Skip.because(obstacle) }
        let daemon = try Self.tracedDaemon([])
        try daemon.start()
        let observer = try daemon.connect()
        try observer.call("subscribe")
        let clients = try (0..<4).map { _ in try daemon.connect() }
        var markers: [String] = []
        for round in 0..<5 {
            for (number, client) in clients.enumerated() {
                let names = (0..<8).map { "mark-\(round)-\(number)-\($0)-" }
                markers += names
                client.type(names.map(Self.add).joined(separator: "\n"))
            }
            for client in clients { for _ in 0..<8 { _ = try client.next() } }
        }
        var orders: Set<String> = []
        _ = try observer.notifications(within: 60) { event in
            orders.formUnion(event.transactions.compactMap { $0["transactionIdentifier"]?.string })
            return orders.count == markers.count
        }
        try daemon.stop()
        let trace = try Self.trace(of: daemon)
        for marker in markers {
            try Self.expectOrder(
                trace, marker, reply: #"\"id\":\"\#(marker)\",\"result\""#)
        }
        for order in orders { try Self.expectOrder(trace, order, reply: order) }
    }

    @Test(
        "A failed sync ends the daemon with 74, and nothing of that batch was acknowledged",
        arguments: 1...8)
    func failedSync(occasion: Int) throws {
        if let obstacle = Trace.obstacle { return Skip.because(obstacle) }
        let daemon = try Self.tracedDaemon(["-e", "inject=fdatasync:error=EIO:when=\(occasion)"])
        daemon.mayComplain = true
        let child = try daemon.launch()
        let acknowledged = Self.addUntilItEnds(daemon, child)
        #expect(try child.wait() == .exit(74), "log: \(daemon.log)")
        let trace = try Self.trace(of: daemon)
        #expect(trace.hasFailedSync)
        for marker in acknowledged.keys {
            try Self.expectOrder(
                trace, marker, reply: #"\"id\":\"\#(marker)\",\"result\""#)
        }
        daemon.wrapper = []
        try daemon.start()
        let line = try daemon.connect()
        for (marker, id) in acknowledged {
            let again = try line.call("add", #"{"product":"coins.100","key":"\#(marker)"}"#)
            #expect(again["transaction"]?.string == id)
            #expect(again["duplicate"]?.bool == true)
        }
        try daemon.killHard()
    }

    @Test("A failed sync ends the store server with 74, and it starts again with what it has saved")
    func failedStoreSync() throws {
        if let obstacle = Trace.obstacle { return Skip.because(obstacle) }
        let place = try Workplace()
        let store = StoreServer(in: place)
        store.flags = ["--demo"]
        store.wrapper = [
            "strace", "-D", "-f", "-e", "trace=fdatasync", "-e",
            "inject=fdatasync:error=EIO:when=25+", "-o", place("trace"),
        ]
        try store.start()
        let daemon = try Daemon(["--store", store.address])
        daemon.mayComplain = true
        try daemon.start()
        let client = try daemon.connect()
        try client.call("login", #"{"account":"demo"}"#)
        try client.call("subscribe")
        var bought = 0
        while store.child?.poll() == nil, bought < 60 {
            try client.call("add", #"{"product":"coins.100","key":"k\#(bought)"}"#)
            bought += 1
            usleep(20_000)
        }
        #expect(try store.child?.wait() == .exit(74))
        #expect(store.log.contains("input/output error"), "\(store.log)")
        #expect(!store.log.contains("command line"), "\(store.log)")
        store.wrapper = []
        try store.start()
        let isDone: Bool? = eventually(within: 60) {
            let open = try? client.call("transactions", #"{"states":["purchased"],"limit":100}"#)
            return open?["transactions"]?.array?.count == bought ? true : nil
        }
        #expect(isDone == true)
        try daemon.killHard()
        try store.killHard()
    }

    private static func tracedDaemon(_ extra: [String]) throws -> Daemon {
        let daemon = try Daemon()
        daemon.wrapper =
            ["strace", "-D", "-f", "-yy", "-s", "65536", "-e", traced] + extra
            + ["-o", daemon.place("trace")]
        return daemon
    }

    /// Adds one after the other until the daemon is gone; the answers by key.
    private static func addUntilItEnds(_ daemon: Daemon, _ child: Child) -> [String: String] {
        let line = eventually(within: 60) { () -> Line?? in
            if let line = try? daemon.connect() { return .some(line) }
            return child.poll() == nil ? nil : .some(nil)
        }
        guard case .some(.some(let client)) = line else { return [:] }
        var acknowledged: [String: String] = [:]
        _ = try? client.call("subscribe")
        for number in 0..<200 {
            let marker = "mark-\(number)-"
            client.type(add(marker))
            while true {
                guard let answer = try? client.next() else { return acknowledged }
                guard answer["id"]?.string == marker else { continue }
                guard let id = answer["result"]?["transaction"]?.string else { break }
                acknowledged[marker] = id
                break
            }
        }
        return acknowledged
    }

    private static func add(_ marker: String) -> String {
        #"{"jsonrpc":"2.0","id":"\#(marker)","method":"add","#
            + #""params":{"product":"coins.100","key":"\#(marker)"}}"#
    }

    private static func trace(of daemon: Daemon) throws -> Trace {
        let path = daemon.place("trace")
        let isWhole = eventually(within: 60) { () -> Bool? in
            let tail = String(decoding: contents(of: path).suffix(200), as: UTF8.self)
            return tail.contains("+++ exited") || tail.contains("+++ killed") ? true : nil
        }
        try #require(isWhole == true, "strace did not finish its file")
        return Trace(contents(of: path), state: daemon.state)
    }

    /// Written to the journal, then synced, then sent.
    private static func expectOrder(
        _ trace: Trace, _ text: String, reply: String,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let sent = try #require(
            trace.sent.first { $0.contains(reply) }, "\(text) was not sent",
            sourceLocation: location)
        let written = try #require(
            trace.journaled.first { $0.contains(text) }, "\(text) is not in the journal",
            sourceLocation: location)
        let isCovered = trace.syncs.contains { $0.start > written.end && $0.end < sent.start }
        #expect(isCovered, "\(text) was sent before its sync", sourceLocation: location)
    }
}
