import Foundation
import PaymentTesting
import Testing

/// What scrapers and the journal are told.
@Suite("Measurements", .ownThreads)
struct MeasurementTests {
    private static let parser = """
        import sys
        from prometheus_client.openmetrics.parser import text_string_to_metric_families
        families = list(text_string_to_metric_families(sys.stdin.read()))
        print(" ".join(f.name + ":" + f.type for f in families))
        for family in families:
            for sample in family.samples:
                if sample.exemplar:
                    print(family.name + "=" + sample.exemplar.labels["trace_id"])
        """

    @Test("GET /metrics answers what the method answers, and nothing else is there")
    func http() throws {
        let daemon = try Daemon()
        daemon.flags += ["--metrics-socket", daemon.place("m")]
        try daemon.start()
        try Self.buy(daemon)
        let reply = try Self.get("/metrics", from: daemon.place("m"))
        #expect(reply.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(reply.lowercased().contains("content-type: application/openmetrics-text"))
        #expect(reply.hasSuffix("# EOF\n"))
        let text = try daemon.connect().call("metrics")["text"]?.string ?? ""
        let names = { (text: String) in
            text.split(separator: "\n").filter { $0.hasPrefix("# TYPE") }
        }
        #expect(names(String(reply.drop { $0 != "#" })) == names(text))
        #expect(try Self.get("/", from: daemon.place("m")).hasPrefix("HTTP/1.1 404 "))
        #expect(
            try Self.get("/metrics", by: "POST", from: daemon.place("m")).hasPrefix(
                "HTTP/1.1 405 "))
        try daemon.stop()
        #expect(!FileManager.default.fileExists(atPath: daemon.place("m")))
    }

    @Test("GET /healthz says that the daemon lives, GET /readyz whether it takes new payments")
    func health() throws {
        try Daemon.run(
            configure: { $0.flags += ["--metrics-socket", $0.place("m")] }
        ) { daemon in
            let place = daemon.place("m")
            #expect(eventually(within: 60) { try? Line(to: place) } != nil)
            #expect(try Self.get("/healthz", from: place).hasSuffix("\r\n\r\nok\n"))
            let ready = try Self.get("/readyz", from: place)
            #expect(ready.hasPrefix("HTTP/1.1 200 ") && ready.hasSuffix("\r\n\r\nrunning\n"))
            try daemon.connect().call("drain", #"{"on":true}"#)
            let drained = try Self.get("/readyz", from: place)
            #expect(drained.hasPrefix("HTTP/1.1 503 ") && drained.hasSuffix("\r\n\r\ndraining\n"))
            #expect(try Self.get("/healthz", from: place).hasPrefix("HTTP/1.1 200 "))
            try daemon.connect().call("drain", #"{"on":false}"#)
            #expect(try Self.get("/readyz", from: place).hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("So many scrapers may be there at once, and the next come when those have gone")
    func scraperLimit() throws {
        let daemon = try Daemon()
        daemon.flags += ["--metrics-socket", daemon.place("m")]
        try daemon.start()
        #expect(eventually(within: 60) { try? Line(to: daemon.place("m")) } != nil)
        var scrapers = try (0..<16).map { _ in try Line(to: daemon.place("m")) }
        let surplus = try Line(to: daemon.place("m"))
        #expect(throws: Line.End.closed) { try surplus.bytes() }
        // Nobody else is the worse for it.
        #expect(try daemon.connect().call("ping")["pong"]?.bool == true)
        scrapers.removeAll()
        let isServed = eventually(within: 60) {
            (try? Self.get("/metrics", from: daemon.place("m")).hasPrefix("HTTP/1.1 200")) == true
                ? true : nil
        }
        #expect(isServed == true)
        try daemon.stop()
    }

    @Test("The parser of prometheus_client understands every line, histograms among them")
    func parser() throws {
        guard let programs = PythonTools.telemetry else {
            return Skip.because("Python's prometheus_client is not available")
        }
        let place = try Workplace()
        let trace = "0af7651916cd43dd8448eb211c80319c"
        try Daemon.run { daemon in
            try Self.buy(daemon, trace: "00-\(trace)-b7ad6b7169203331-01")
            let text = try #require(try daemon.connect().call("metrics")["text"]?.string)
            let parsed = try Child.run(
                ["\(programs)/python", "-c", Self.parser], in: place, input: text)
            #expect(parsed.ending == .exit(0), "\(parsed.errors)")
            let families = Set(
                parsed.output.split { $0.isWhitespace }.map(String.init))
            for name in ["turn_duration", "sync_duration", "store_call_duration"] {
                #expect(families.contains("payqueued_\(name)_seconds:histogram"))
                #expect(families.contains("payqueued_\(name)_seconds=\(trace)"), "\(parsed.output)")
            }
            #expect(families.contains("payqueued_requests:counter"))
            #expect(text.contains("\npayqueued_adds_without_key_total 1\n"))
            #expect(families.contains("payqueued_transactions:gauge"))
        }
    }

    @Test(
        "A disk that hangs is named in the log, and the watchdog is told nothing any more",
        arguments: ["while a payment is added", "while nobody asks for anything"])
    func hangingDisk(when: String) throws {
        let manager = try ServiceManager()
        if let obstacle = Trace.obstacle { return Skip.because(obstacle) }
        manager.environment["WATCHDOG_USEC"] = "2000000"
        try manager.start()
        let child = try #require(manager.child)
        let line = try Line(to: manager.socket)
        let number = { manager.messages.count { $0.contains("WATCHDOG=1") } }
        // Before the disk hangs: a daemon at rest has its next sign of life answered by the disk as well.
        #expect(eventually(within: 60) { number() > 0 ? true : nil } == true)
        let tracer = try Child(
            [
                "strace", "-f", "-p", "\(child.id)", "-e", "trace=fdatasync",
                "-e", "inject=fdatasync:delay_enter=60000000", "-o", manager.place("trace"),
            ], in: manager.place, name: "strace")
        // The tracer is there when its file is.
        #expect(
            eventually(within: 60) {
                tracer.standardError.contains("attached") ? true : nil
            } == true)
        if when.contains("added") {
            line.type(
                #"{"jsonrpc":"2.0","id":1,"method":"add","params":{"product":"coins.100"}}"#)
        }
        #expect(
            eventually(within: 60) { manager.log.contains("sync of the journal") ? true : nil }
                == true, "\(manager.log)")
        try manager.hearOut()
        let pings = number()
        child.send(SIGKILL)
        tracer.send(SIGKILL)
        _ = try child.wait()
        try manager.hearOut()
        #expect(number() == pings)
    }

    private static func buy(_ daemon: Daemon, trace: String = "") throws {
        let line = try daemon.connect()
        try line.call("subscribe")
        let id = try line.call("add", #"{"product":"coins.100","trace":"\#(trace)"}"#)[
            "transaction"]?.string
        _ = try line.notifications { $0.shows(id, "purchased") }
        try line.call("finish", #"{"transaction":"\#(id ?? "")"}"#)
        _ = try line.notifications { $0.removes(id) }
    }

    /// Everything that comes until the other side closes.
    private static func get(
        _ path: String, by method: String = "GET", from socket: String
    ) throws -> String {
        let line = try Line(to: socket)
        line.write(
            Array("\(method) \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8))
        var bytes: [UInt8] = []
        while true {
            do {
                bytes += try line.bytes() + [10]
            } catch Line.End.closed {
                return String(decoding: bytes + line.unread, as: UTF8.self)
            }
        }
    }
}
