import Foundation
import PaymentTesting
import Testing

/// Traces as a collector gets them, held to the schema of their protocol by a collector in Python.
@Suite("Traces", .ownThreads)
struct TraceTests {
    private static let client = "b7ad6b7169203331"
    private static let traced = "0af7651916cd43dd8448eb211c80319c"

    @Test("A payment is one span from add to removed, below the client's, across a kill")
    func payment() throws {
        guard let collector = try Collector() else {
            return Skip.because("Python's opentelemetry-proto is not available")
        }
        let daemon = try Daemon()
        daemon.environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.address
        try daemon.start()
        let line = try daemon.connect()
        try line.call("subscribe")
        let id = try Self.add(line, trace: "00-\(Self.traced)-\(Self.client)-01")
        let other = try Self.add(line, trace: "")
        let silent = try Self.add(line, trace: "00-\(Self.traced)-\(Self.client)-00")
        for id in [id, other, silent] {
            // Whichever comes first, the others may have come before it.
            try line.call("wait", #"{"transaction":"\#(id)"}"#)
        }
        // What ended in the last second before a kill is lost with the process.
        let isSent = eventually(within: 60) {
            let spans = (try? collector.spans()) ?? []
            return spans.contains {
                $0["name"]?.string == "payment store" && $0["traceId"]?.string == Self.traced
            } ? true : nil
        }
        #expect(isSent == true)
        try daemon.killHard()
        try daemon.start()
        let next = try daemon.connect()
        try next.call("subscribe")
        let finisher = "00-11111111111111111111111111111111-2222222222222222-01"
        for id in [id, other, silent] {
            try next.call("finish", #"{"transaction":"\#(id)","trace":"\#(finisher)"}"#)
            try next.call("wait", #"{"transaction":"\#(id)","until":["removed"]}"#)
        }
        // A stop sends what there is.
        try daemon.stop()

        let spans = try collector.spans()
        #expect(spans.allSatisfy { $0["refused"] == nil }, "\(spans)")
        #expect(spans.allSatisfy { $0["service"]?.string == "payqueued" })
        let own = spans.filter { $0["traceId"]?.string == Self.traced }
        let root = try #require(own.first { $0["name"]?.string == "payment" }, "\(spans)")
        #expect(root["parentSpanId"]?.string == Self.client)
        #expect(root["kind"]?.int == 2)
        #expect(root["links"]?[0]?["traceId"]?.string == String(repeating: "1", count: 32))
        #expect(Self.attribute("payqueued.transaction", of: root) == id)
        #expect(Self.attribute("payqueued.removal", of: root) == "finished")
        let parts = own.filter { $0["parentSpanId"] == root["spanId"] }
        let names = Set(parts.compactMap { $0["name"]?.string })
        #expect(names.isSuperset(of: ["payment store", "payment delivery"]), "\(names)")
        #expect(parts.count + 1 == own.count, "the trace that is not sampled has spans")
        for part in parts {
            #expect(Self.start(part) >= Self.start(root) && Self.end(part) <= Self.end(root))
        }
        let untraced = try #require(
            spans.first { Self.attribute("payqueued.transaction", of: $0) == other })
        #expect(untraced["parentSpanId"] == nil)
        #expect(untraced["traceId"]?.string == other.replacing("-", with: ""))
        #expect(spans.allSatisfy { Self.attribute("payqueued.transaction", of: $0) != silent })
    }

    @Test("A collector that is busy is tried again; what one refuses is counted and given up")
    func retry() throws {
        guard let collector = try Collector(statuses: [503, 400]) else {
            return Skip.because("Python's opentelemetry-proto is not available")
        }
        let daemon = try Daemon()
        let file = try daemon.place.write(
            #"{"otlpEndpoint":"\#(collector.address)/"}"#, to: "config.json")
        daemon.flags += ["--config", file]
        try daemon.start()
        let line = try daemon.connect()
        try line.call("subscribe")
        try Self.buy(line)
        let dropped = eventually(within: 60) {
            let text = (try? line.call("metrics")["text"]?.string) ?? ""
            let found = text.firstMatch(of: #/payqueued_trace_spans_dropped_total ([1-9]\d*)\n/#)
            return found.map { String($0.1) }
        }
        #expect(dropped != nil)
        try Self.buy(line)
        let sent = eventually(within: 60) {
            let text = (try? line.call("metrics")["text"]?.string) ?? ""
            return text.contains(#/payqueued_trace_spans_sent_total [1-9]/#) ? true : nil
        }
        #expect(sent == true)
        #expect(daemon.log.contains("it answers with status 503"), "\(daemon.log)")
        try daemon.stop()
        #expect(try collector.spans().contains { $0["name"]?.string == "payment" })
    }

    @Test("Payments go on while there is no collector, and a stop does not wait for one")
    func away() throws {
        let daemon = try Daemon()
        daemon.environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://127.0.0.1:9"
        try daemon.start()
        let line = try daemon.connect()
        try line.call("subscribe")
        for _ in 0..<20 { try Self.buy(line) }
        try daemon.stop()
    }

    @Test(
        "An address that spans cannot be sent to is refused",
        arguments: [
            "https://localhost:4318", "localhost:4318", "http://", "http://a:0", "http://a?b",
        ])
    func refused(address: String) throws {
        let place = try Workplace()
        let checked = try Child.run(
            [Built.daemon, "--check-config"], in: place,
            environment: ["OTEL_EXPORTER_OTLP_ENDPOINT": address, "HOME": place.path])
        #expect(checked.ending == .exit(78))
        #expect(checked.errors.contains("expected http://HOST:PORT"), "\(checked.errors)")
    }

    private static func add(_ line: Line, trace: String) throws -> String {
        let added = try line.call("add", #"{"product":"coins.100","trace":"\#(trace)"}"#)
        return try #require(added["transaction"]?.string)
    }

    private static func buy(_ line: Line) throws {
        let id = try add(line, trace: "")
        try line.call("wait", #"{"transaction":"\#(id)"}"#)
        try line.call("finish", #"{"transaction":"\#(id)"}"#)
        try line.call("wait", #"{"transaction":"\#(id)","until":["removed"]}"#)
    }

    private static func attribute(_ name: String, of span: JSON) -> String? {
        span["attributes"]?.array?.first { $0["key"]?.string == name }?["value"]?["stringValue"]?
            .string
    }

    private static func start(_ span: JSON) -> UInt64 {
        span["startTimeUnixNano"]?.string.flatMap(UInt64.init) ?? 0
    }

    private static func end(_ span: JSON) -> UInt64 {
        span["endTimeUnixNano"]?.string.flatMap(UInt64.init) ?? 0
    }
}

/// The collector in Python, ended with the test.
private final class Collector {
    let address: String
    private let place: Workplace
    private let child: Child

    /// Starts one; nil where its packages are not available.
    init?(statuses: [Int] = []) throws {
        guard let programs = PythonTools.telemetry else { return nil }
        place = try Workplace()
        let script = Built.root.appending(path: "Tests/EndToEndTests/Reference/collector.py").path
        child = try Child(
            ["\(programs)/python", script, place("port"), place("spans")]
                + statuses.map(String.init), in: place, name: "collector")
        let file = place("port")
        let port = eventually(within: 60) { text(of: file).isEmpty ? nil : text(of: file) }
        address = "http://127.0.0.1:\(try #require(port, "\(child.standardError)"))"
    }

    deinit {
        child.send(SIGKILL)
    }

    /// The spans that came so far.
    func spans() throws -> [JSON] {
        try text(of: place("spans")).split(separator: "\n").map { try JSON($0) }
    }
}
