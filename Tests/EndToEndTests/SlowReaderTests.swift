import Foundation
import PaymentTesting
import Testing

/// A subscriber that reads nothing costs the daemon a cursor and the others nothing.
///
/// `make slow-reader` runs it with a million events on the release build; a commit with a few.
@Suite("Silent readers", .serialized, .ownThreads)
struct SlowReaderTests {
    private static let variable = "PAYQUEUED_SLOW_READER_EVENTS"
    private static let events = Built.number(variable, default: 2000)
    /// Whether it is a measurement and not only a test.
    private static let isMeasured = ProcessInfo.processInfo.environment[variable] != nil
    /// What a silent reader may cost beside the load: its socket's buffers, its output, a page.
    private static let allowedGrowth = 8 << 20
    /// What the daemon may hold for a peer that reads nothing: its buffer, and the message that was
    /// begun when it was all but full.
    private static let allowedBuffer = (256 + 2) << 10

    @Test("It costs no memory and no latency, and loses nothing when it reads again")
    func silence() throws {
        let alone = try run(withSilentReader: false)
        let beside = try run(withSilentReader: true)
        print("without a silent reader: \(alone.text)")
        print("beside a silent reader:  \(beside.text)")
        let ratio = Double(beside.latency(99)) / Double(max(1, alone.latency(99)))
        print("p99 beside a silent reader over p99 without: \(ratio)")
        #expect(beside.growth - alone.growth < Self.allowedGrowth)
        if Self.isMeasured { #expect(ratio < 2) }
    }

    @Test("After the stall limit it is closed, and its cursor brings back what is kept")
    func closed() throws {
        let daemon = try Self.daemon(
            stallSeconds: Self.isMeasured ? 60 : 1, logBytes: 64 << 20)
        try daemon.start()
        let buyer = try daemon.connect()
        let unfinished = try (0..<20).map { _ in
            try buyer.call("add", #"{"product":"coins.100"}"#)["transaction"]?.string
        }
        let cursor = try Self.head(buyer)
        let silent = try RawLine(to: daemon.socket)
        try silent.send("subscribe", [#"{"after":\#(cursor),"passive":true}"#])
        let load = try EventLoad(daemon, events: Self.events)
        #expect(eventually(within: 3600) { load.isDone ? true : nil } == true)
        try load.finish()
        #expect(eventually(within: 300) { silent.isClosedByPeer ? true : nil } == true)
        // Who reads now may be kept from it by the machine for longer than the silent one was.
        try Self.configure(daemon, stallSeconds: 600, logBytes: 64 << 20)
        try buyer.call("reload")
        let again = try RawLine(to: daemon.socket)
        try again.send("subscribe", [#"{"after":\#(cursor)}"#])
        let oldest = try #require(try again.next().number(after: #""oldest":"#))
        let seen = try Self.known(by: again)
        #expect(seen.gaps == (oldest > cursor + 1 ? 1 : 0))
        #expect(seen.unfinished == Set(unfinished.compactMap { $0 }))
        print("oldest \(oldest), cursor \(cursor), gaps \(seen.gaps)")
        try daemon.stop()
    }

    /// What one run came to.
    private struct Outcome {
        var growth: Int
        /// Most bytes that were held for one connection.
        var mostHeld: Int
        var latencies: [Int]

        func latency(_ percent: Int) -> Int {
            latencies.isEmpty ? 0 : latencies[(latencies.count - 1) * percent / 100]
        }

        var text: String {
            "grew by \(growth >> 10) KiB; at most \(mostHeld >> 10) KiB held for one connection; "
                + "event latency p50 \(latency(50)) µs, "
                + "p99 \(latency(99)) µs of \(latencies.count)"
        }
    }

    private func run(withSilentReader isBesideSilent: Bool) throws -> Outcome {
        let daemon = try Self.daemon(stallSeconds: 600, logBytes: 4 << 30)
        try daemon.start()
        let head = try Self.head(try daemon.connect())
        let wish = #"{"after":\#(head),"passive":true}"#
        let silent = isBesideSilent ? try RawLine(to: daemon.socket) : nil
        try silent?.send("subscribe", [wish])
        let honest = Honest(try RawLine(to: daemon.socket), after: head)
        try honest.begin(wish)
        let before = try Self.memory(of: daemon)
        let load = try EventLoad(daemon, events: Self.events)
        let onlooker = try daemon.connect()
        var mostHeld = 0
        while !load.isDone {
            try honest.probe()
            if honest.latencies.count % 10 == 0 {
                mostHeld = max(mostHeld, try Self.mostHeld(onlooker))
            }
        }
        try load.finish()
        mostHeld = max(mostHeld, try Self.mostHeld(onlooker))
        #expect(mostHeld <= Self.allowedBuffer)
        try honest.probe()
        let growth = try Self.memory(of: daemon) - before
        #expect(honest.stream.breaks == 0)
        #expect(honest.stream.count >= Self.events)
        if let silent {
            #expect(try Self.readUp(silent, from: head, to: honest.stream.last) == honest.stream)
        }
        try daemon.stop()
        return Outcome(growth: growth, mostHeld: mostHeld, latencies: honest.latencies.sorted())
    }

    /// Reads everything that a silent reader was spared.
    private static func readUp(
        _ silent: RawLine, from head: Int, to last: Int
    ) throws -> StreamSum {
        var stream = StreamSum(after: head)
        while stream.last < last {
            let line = try silent.next()
            if line.isNotification("gap") || line.isNotification("ended") {
                Issue.record("the silent reader lost something")
                break
            }
            let isRecord = line.isNotification("event") && !line.contains(#""redelivery":true"#)
            if isRecord { stream.take(line) }
        }
        return stream
    }

    /// What a subscriber knows to be unfinished when it has caught up.
    private static func known(by line: RawLine) throws -> (unfinished: Set<String>, gaps: Int) {
        var unfinished: Set<String> = []
        var gaps = 0
        while true {
            let message = try line.next()
            if message.isNotification("caughtUp") { return (unfinished, gaps) }
            if message.isNotification("gap") { gaps += 1 }
            if message.contains(#""redelivery":true"#) {
                unfinished.formUnion(
                    try message.parsed().transactions.compactMap { $0["id"]?.string })
            } else if let id = message.word(after: #""transactions":[{"id":""#) {
                if message.contains(#""kind":"transactionsRemoved""#) {
                    unfinished.remove(id)
                } else {
                    unfinished.insert(id)
                }
            }
        }
    }

    private static func daemon(stallSeconds: Int, logBytes: Int) throws -> Daemon {
        let daemon = try Daemon()
        daemon.flags += [
            "--config", try configure(daemon, stallSeconds: stallSeconds, logBytes: logBytes),
        ]
        return daemon
    }

    @discardableResult
    private static func configure(
        _ daemon: Daemon, stallSeconds: Int, logBytes: Int
    ) throws -> String {
        try daemon.place.write(
            #"{"limits":{"stallSeconds":\#(stallSeconds)},"retention":{"logBytes":\#(logBytes)}}"#,
            to: "payqueued.json")
    }

    /// The most bytes that are held for any connection.
    private static func mostHeld(_ line: Line) throws -> Int {
        let connections = try line.call("status")["connections"]?.array ?? []
        return connections.compactMap { $0["bufferedBytes"]?.int }.max() ?? 0
    }

    private static func head(_ line: Line) throws -> Int {
        try #require(try line.call("hello")["head"]?.int)
    }

    /// Bytes of memory that are the daemon's own, not those of mapped files.
    private static func memory(of daemon: Daemon) throws -> Int {
        let id = try #require(daemon.child?.id)
        // An allocator keeps what a moment needed; the lowest of some looks is what is held.
        let looks = (0..<20).map { _ in
            usleep(10_000)
            let status = RawText(bytes: contents(of: "/proc/\(id)/status"))
            let digits = status.word(upToLineAfter: "RssAnon:") ?? ""
            return (Int(digits) ?? 0) << 10
        }
        return looks.min() ?? 0
    }
}

/// A subscriber that reads all it is sent, and now and then makes an event to see how long it takes.
private final class Honest {
    private(set) var stream: StreamSum
    /// In microseconds.
    private(set) var latencies: [Int] = []
    private let line: RawLine

    init(_ line: RawLine, after head: Int) {
        self.line = line
        stream = StreamSum(after: head)
    }

    /// Subscribes and catches up.
    func begin(_ wish: String) throws {
        try line.send("subscribe", [wish])
        _ = try read { $0.isNotification("caughtUp") }
    }

    /// Makes an event and reads up to it.
    func probe() throws {
        let began = ContinuousClock.now
        let id = try line.send("add", [#"{"product":"coins.100"}"#])
        let reply = try read { $0.contains(#""id":\#(id),"#) && !$0.isNotification("event") }
        guard let transaction = reply.word(after: #""transaction":""#) else {
            throw Trouble("an add was answered by \(try reply.parsed())")
        }
        _ = try read { $0.isNotification("event") && $0.contains(transaction) }
        let taken = (ContinuousClock.now - began).components
        latencies.append(
            Int(taken.seconds) * 1_000_000 + Int(taken.attoseconds / 1_000_000_000_000))
        try line.send("finish", [#"{"transaction":"\#(transaction)"}"#])
        _ = try read { $0.isNotification("event") && $0.contains(transaction) }
    }

    private func read(until condition: (RawText) -> Bool) throws -> RawText {
        while true {
            let message = try line.next()
            if message.isNotification("event") { stream.take(message) }
            if condition(message) { return message }
        }
    }
}

extension RawText {
    /// The first word behind a text, up to a space or the end of the line.
    fileprivate func word(upToLineAfter text: String) -> String? {
        let whole = String(decoding: bytes, as: UTF8.self)
        guard let line = whole.split(separator: "\n").first(where: { $0.hasPrefix(text) }) else {
            return nil
        }
        return line.dropFirst(text.count).split(whereSeparator: \.isWhitespace).first.map(
            String.init)
    }
}
