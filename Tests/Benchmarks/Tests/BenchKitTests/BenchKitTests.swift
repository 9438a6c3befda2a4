import Glibc
import Testing

@testable import BenchKit

@Suite("Figures are what they say")
struct FigureTests {
    @Test("A histogram answers small values exactly and large ones to within 1.6 %")
    func histogram() {
        for value: UInt64 in [0, 1, 63, 64, 65, 127, 128, 1_000, 123_456_789, .max / 32] {
            var histogram = Histogram()
            histogram.record(value)
            let answer = histogram.percentile(0.5)
            #expect(answer <= value)
            #expect(Double(value - answer) <= Double(value) / 64, "\(value)")
        }
    }

    @Test("p50 and p99 of 1 to 100 are 50 and 99 to within a bucket")
    func percentiles() {
        var histogram = Histogram()
        for value: UInt64 in 1...100 { histogram.record(value) }
        #expect(histogram.percentile(0.5) == 50)
        #expect(histogram.percentile(0.99) == 99)
        #expect(histogram.percentile(1) == 100)
        #expect(Histogram().percentile(0.5) == 0)
    }

    @Test("A median is the middle one, the lower middle of an even number")
    func medians() {
        #expect(median([3, 1, 2]) == 2)
        #expect(median([4, 1, 2, 3]) == 2)
        #expect(median([7]) == 7)
    }

    @Test("A ratio is the median of the ratios within the rounds")
    func ratios() {
        var result = ShapeResult(shape: Shape(connections: 1, depth: 1))
        for (own, other) in [(10.0, 10.0), (30, 10), (20, 10)] {
            result.add(Measurement(requests: 1, rate: own, p50: 1, p99: 1), of: "payqueued")
            result.add(Measurement(requests: 1, rate: other, p50: 1, p99: 1), of: "redis")
        }
        #expect(result.ratio(of: "payqueued", to: "redis") == 2)
        #expect(result.ratio(of: "payqueued", to: "nobody") == nil)
        let all = ComparisonResult(shapes: [result])
        #expect(all.shortfalls(below: 2).isEmpty)
        #expect(all.shortfalls(below: 2.1).count == 1)
    }
}

@Suite("The command line means what it says")
struct OptionsTests {
    @Test("Without a mode, durable add is compared")
    func defaults() throws {
        let options = try Options(["--payqueued", "p"])
        #expect(options.mode == .add)
        #expect(options.shapes == Shape.promised)
        #expect(options.redis == "redis-server")
    }

    @Test("Every option is read")
    func everything() throws {
        let options = try Options([
            "full", "--payqueued", "p", "--redis", "none", "--shapes", "1x1,50x16", "--rounds", "5",
            "--seconds", "0.5", "--directory", "d", "--output", "json", "--require", "1.2",
        ])
        #expect(options.mode == .full)
        #expect(options.redis == nil)
        #expect(
            options.shapes == [Shape(connections: 1, depth: 1), Shape(connections: 50, depth: 16)])
        #expect(options.rounds == 5 && options.seconds == 0.5 && options.required == 1.2)
    }

    @Test(
        "What makes no sense is refused",
        arguments: [
            ["fast"], ["--payqueued"], ["--nothing", "1"], ["--shapes", "1x"], ["--shapes", "0x1"],
            ["--seconds", "0"], ["--seconds", "nan"], ["--output", "xml"], ["full"],
            ["--rounds", "0.5"], ["--rounds", "1e30"],
        ])
    func nonsense(arguments: [String]) {
        #expect(throws: BenchFailure.self) { try Options(arguments) }
    }
}

@Suite("Requests are what a server expects")
struct RequestTests {
    private func rendered(_ workload: Workload, _ number: UInt64) -> String {
        var bytes = workload.request.bytes
        bytes.withUnsafeMutableBytes { workload.request.stamp(number, into: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("An add is one line with an id and a key of 36 bytes, both the request's own")
    func add() {
        #expect(
            rendered(.add, 1_234_567_890)
                == #"{"jsonrpc":"2.0","id":1234567890,"method":"add","params":{"product":"#
                + #""coins.100","key":"benchmark-purchase-number-1234567890"}}"# + "\n")
    }

    @Test("A push carries 280 bytes")
    func push() {
        let parts = rendered(.push(bytes: 280), 1_000_000_007).split(separator: "\r\n")
        #expect(parts[5] == "$280")
        #expect(parts[6].utf8.count == 280)
        #expect(parts[6].hasPrefix("1000000007x"))
    }
}

@Suite("What others print is read right")
struct ReadingTests {
    @Test("The summary of strace is read with and without a column of errors")
    func summary() {
        let calls = SystemCallCount.parse(
            """
            % time     seconds  usecs/call     calls    errors syscall
            ------ ----------- ----------- --------- --------- ----------------
             69.13    0.137121         137      1000           pwritev2
             20.00    0.010000           5      2001         1 read
            ------ ----------- ----------- --------- --------- ----------------
            100.00    0.198339          66      3001         1 total
            """)
        #expect(calls == ["pwritev2": 1000, "read": 2001])
    }

    @Test("A request cut in two by a read is one request, and a refusal cut in two is seen")
    func cutRefusal() throws {
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        let connection = LoadConnection(descriptor: ends[0], workload: .add, depth: 2)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 8)
        defer { buffer.deallocate() }
        var latencies = Histogram()
        try connection.send(2, from: RequestTemplate.firstNumber)
        try sendAll(
            Array(#"{"id":1,"result":{}}"#.utf8) + [10] + Array(#"{"id":1,"err"#.utf8), to: ends[1])
        #expect(try connection.receive(into: buffer, latencies: &latencies) == 1)
        #expect(connection.inFlight == 1 && latencies.count == 1)
        try sendAll(Array(#"or":{}}"#.utf8) + [10], to: ends[1])
        #expect(throws: BenchFailure.self) {
            try connection.receive(into: buffer, latencies: &latencies)
        }
    }
}
