import CBenchSupport
import Foundation
import FoundationXML
import Glibc
import Testing

@testable import BenchKit

@Suite("Figures and goals")
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

    @Test("A ratio is the median of the ratios within the rounds, with the lowest and the highest")
    func ratios() throws {
        let row = Row(.p1, "add", unit: "1/s", peer: "Redis", goal: .ratio(.atLeast, 2))
        var report = Report()
        for (own, peer) in [(10.0, 10.0), (30, 10), (20, 10)] {
            report.record(row, Reading(own, peer: peer))
        }
        let result = try #require(report.results.first)
        #expect(report.results.count == 1)
        #expect(result.own == 20 && result.peer == 10 && result.ratio == 2)
        #expect(result.spread == 1...3)
        #expect(result.isMet == true && report.missed.isEmpty)
    }

    @Test("The spread of a row without a peer is that of its values")
    func spreadOfValues() throws {
        var report = Report()
        let row = Row(.p9, "log", unit: "bytes", goal: .value(.atMost, 15))
        for own in [10.0, 20, 30] { report.record(row, Reading(own)) }
        let result = try #require(report.results.first)
        #expect(result.spread == 10...30 && result.ratio == nil)
        #expect(result.isMet == false && report.missed.count == 1)
    }

    @Test("A goal for a ratio is neither met nor missed without the peer")
    func goalWithoutPeer() throws {
        var report = Report()
        report.record(Row(.p1, "add", unit: "1/s", goal: .ratio(.atLeast, 2)), Reading(10))
        #expect(try #require(report.results.first).isMet == nil)
        #expect(report.missed.isEmpty)
    }

    @Test("Without a positive figure of the peer there is no ratio, and the report is complete")
    func idlePeer() throws {
        var report = Report()
        let row = Row(.p9, "calls", unit: "calls", peer: "Redis", goal: .ratio(.atMost, 2))
        for (own, peer) in [(0.0, 0.0), (1, 0), (1, -1)] {
            report.record(row, Reading(own, peer: peer))
        }
        let result = try #require(report.results.first)
        #expect(result.ratio == nil && result.isMet == nil && result.spread == 0...1)
        #expect(try report.jsonText().contains(#""row" : "P9""#))
        #expect(report.tableText().contains("Redis"))
        #expect(report.pictures().isEmpty)
    }

    @Test("A figure that JSON does not have is an error and no crash", arguments: [0, 1.0])
    func noNumber(dividend: Double) throws {
        var report = Report()
        report.record(Row(.p9, "calls", unit: "calls"), Reading(dividend / 0))
        #expect(throws: BenchFailure.self) { try report.jsonText() }
        #expect(report.tableText().contains("calls"))
    }

    @Test("A goal of whole numbers compares the rounded figure")
    func roundedGoals() {
        let goal = Goal.rounded(.atMost, 2)
        #expect(goal.isMet(by: 2.4) && !goal.isMet(by: 2.6))
        #expect(goal.score(of: 2.4) == 1 && goal.text == "<= 2")
        #expect(!Goal.value(.atMost, 2).isMet(by: 2.4))
    }

    @Test("A goal is met at its limit and missed behind it, on both sides")
    func goals() {
        #expect(Goal.ratio(.atLeast, 1.3).isMet(by: 1.3))
        #expect(!Goal.ratio(.atLeast, 1.3).isMet(by: 1.29))
        #expect(Goal.value(.atMost, 60).isMet(by: 60))
        #expect(!Goal.value(.atMost, 60).isMet(by: 60.1))
        #expect(Goal.ratio(.atLeast, 2).score(of: 1) == 0.5)
        #expect(Goal.value(.atMost, 30).score(of: 60) == 0.5)
        #expect(Goal.ratio(.atLeast, 1.3).text == ">= 1.3x")
        #expect(Goal.value(.atMost, 1_200).text == "<= 1200")
    }
}

@Suite("The command line")
struct OptionsTests {
    @Test("Without a mode, all rows are measured")
    func defaults() throws {
        let options = try Options(["--payqueued", "p"])
        #expect(options.mode == .all)
        #expect(options.rows == RowNumber.allCases)
        #expect(options.redis == "redis-server" && options.beanstalkd == "beanstalkd")
    }

    @Test("Every option is read")
    func everything() throws {
        let options = try Options([
            "all", "--payqueued", "p", "--payqueuectl", "c", "--payqueue-store", "s", "--redis",
            "none", "--beanstalkd", "b", "--rows", "P1,p10", "--rounds", "5", "--seconds", "0.5",
            "--records", "7", "--closed", "8", "--orders", "9", "--log-mib", "10", "--directory",
            "d", "--output", "json", "--json", "j", "--plots", "q", "--strict", "--counter", "l",
        ])
        #expect(options.payqueued == "p" && options.payqueuectl == "c" && options.store == "s")
        #expect(options.redis == nil && options.beanstalkd == "b")
        #expect(options.rows == [.p1, .p10])
        #expect(options.rounds == 5 && options.seconds == 0.5)
        #expect(options.records == 7 && options.closed == 8)
        #expect(options.orders == 9 && options.logMebibytes == 10)
        #expect(options.directory == "d" && options.counter == "l")
        #expect(options.output == .json && options.json == "j" && options.plots == "q")
        #expect(options.isStrict)
    }

    @Test("A quick run is one round, and an option behind it overrides it")
    func quick() throws {
        let options = try Options(["--quick", "--payqueued", "p", "--rounds", "2"])
        #expect(options.rounds == 2 && options.seconds == 0.5 && options.records == 100_000)
    }

    @Test("The mode restart stands for its rows")
    func restart() throws {
        #expect(try Options(["restart", "--payqueued", "p"]).rows == [.p6])
    }

    @Test(
        "Invalid command lines are refused",
        arguments: [
            ["fast"], ["--payqueued"], ["--nothing", "1"], ["--rows", "P11"], ["--rows", "add"],
            ["--seconds", "0"], ["--seconds", "nan"], ["--output", "xml"], ["--rounds", "0.5"],
            ["--rounds", "1e30"], ["--rows", ","], ["history", "--rows", "P1"],
            ["--rounds", "1", "history"], ["history", "--strict"],
        ])
    func nonsense(arguments: [String]) {
        #expect(throws: BenchFailure.self) { try Options(["--payqueued", "p"] + arguments) }
    }

    @Test("The history takes what it uses, and the options that the Makefile always gives")
    func history() throws {
        let options = try Options([
            "--payqueued", "p", "--payqueuectl", "c", "--payqueue-store", "s", "--json", "j",
            "--plots", "q", "history", "--quick", "--closed", "5", "--directory", "d",
        ])
        #expect(options.mode == .history && options.closed == 5 && options.records == 100_000)
    }

    @Test("The daemon is required")
    func daemon() {
        #expect(throws: BenchFailure.self) { try Options(["all"]) }
    }
}

@Suite("Requests")
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

@Suite("Output of other programs")
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

    @Test("Calls that sync are counted, others are not")
    func syncs() {
        let count = SystemCallCount(calls: ["fdatasync": 3, "pwritev2": 2, "write": 9])
        #expect(count.syncs == 5 && count.total == 14)
    }

    @Test("The counter of instructions is read, and missing where the processor has none")
    func instructions() {
        #expect(InstructionCount.parse("# started\n\n1234,,instructions:u,100,100.00,,\n") == 1234)
        #expect(
            InstructionCount.parse("<not supported>,,instructions:u,0,100.00,,\n") == nil)
    }

    @Test("The checksum is CRC-32C, by instruction and by table, also in two parts")
    func checksum() {
        let bytes = Array("123456789".utf8)
        for checksum in [bench_crc32c, bench_crc32c_by_table] {
            #expect(checksum(0, bytes, 9) == 0xE306_9283)
            let half = checksum(0, bytes, 4)
            #expect(
                Array(bytes[4...]).withUnsafeBytes { checksum(half, $0.baseAddress, 5) }
                    == 0xE306_9283)
        }
        let long = (0..<1_003).map { UInt8(truncatingIfNeeded: $0 * 7) }
        #expect(
            bench_crc32c(5, long, long.count) == bench_crc32c_by_table(5, long, long.count))
    }

    @Test("The line feeds that fill a file do not count, but the end of the last line does")
    func fill() throws {
        let scratch = try TemporaryDirectory(in: "/tmp")
        let path = scratch.path + "/journal-1"
        let fill = String(repeating: "\n", count: 200_000)
        for (text, bytes) in [("", 0), (fill, 0), ("ab", 2), ("ab\n", 3), ("a\nb\n" + fill, 4)] {
            try write(text, toFile: path)
            #expect(try endOfLines(ofFile: path, bytes: text.utf8.count) == bytes)
        }
        #expect(try logFiles(in: scratch.path).map(\.bytes) == [4])
    }

    @Test("Text and numbers are found behind a label, and nothing without it")
    func labels() {
        let reply = #"{"id":"a","count":12,"next":null}"#
        #expect(reply.withBytes { $0.text(after: #""id":""#) } == "a")
        #expect(reply.withBytes { $0.text(after: #""page":""#) } == nil)
        #expect(reply.withBytes { $0.number(after: #""count":"#) } == 12)
        #expect(reply.withBytes { $0.number(after: #""next":"#) } == nil)
    }

    @Test("A number ends at the first byte that is not a digit")
    func numbers() {
        #expect(Array("1000000386xx".utf8).withUnsafeBytes { $0.leadingNumber } == 1_000_000_386)
        #expect(Array("x".utf8).withUnsafeBytes { $0.leadingNumber } == 0)
    }

    @Test("A closed connection is told from an error, and the server is named")
    func closedConnection() throws {
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        close(ends[1])
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 8)
        defer { buffer.deallocate() }
        #expect(throws: BenchFailure("redis closed a connection")) {
            try receive(buffer, from: ends[0], of: "redis")
        }
        close(ends[0])
        #expect(throws: BenchFailure("cannot read from redis: Bad file descriptor")) {
            try receive(buffer, from: -1, of: "redis")
        }
    }

    @Test("A directory is removed with everything that can be removed")
    func removal() throws {
        let path = try TemporaryDirectory.withNew(in: "/tmp") { path throws(BenchFailure) in
            guard mkdir(path + "/a", 0o700) == 0 else { throw failure("make a directory") }
            try write("x", toFile: path + "/a/b")
            return path
        }
        #expect(access(path, F_OK) != 0)
        #expect(bench_remove_tree(path) > 0)
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

@Suite("Reports")
struct ReportTests {
    private static var report: Report {
        var report = Report()
        report.record(
            Row(
                .p7, "add, <large> & \"old\"", unit: "1/s", peer: "small",
                goal: .ratio(.atLeast, 0.9)),
            Reading(80, peer: 100))
        var timed = Reading(200, peer: 100)
        timed.ownLatency = Reading.Latency(p50: 10, p99: 20)
        timed.peerLatency = Reading.Latency(p50: 30, p99: 40)
        timed.driverShare = 0.25
        report.record(
            Row(.p1, "add, 1x1", unit: "1/s", peer: "Redis", goal: .ratio(.atLeast, 1.3)), timed)
        report.record(Row(.p9, "calls", unit: "calls", decimals: 2), Reading(1.5))
        report.note("A note.")
        report.note("A note.")
        report.sort()
        return report
    }

    @Test(
        "The table has the rows in the order of their groups, a verdict for each goal, and each note once"
    )
    func table() {
        let lines = Self.report.tableText().split(separator: "\n").map {
            $0.split(separator: " ").map(String.init)
        }
        #expect(lines.map { $0[0] } == ["row", "P1", "P7", "P9", "1", "A"])
        #expect(lines[1].contains("yes") && lines[1].contains("25%"))
        #expect(lines[2].contains("NO") && lines[2].contains("0.80"))
        #expect(!lines[3].contains("yes") && !lines[3].contains("NO"))
    }

    @Test("The JSON document has medians, ratio, target and every round")
    func json() throws {
        let text = try Self.report.jsonText()
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let rows = try #require(document["rows"] as? [[String: Any]])
        #expect(rows.map { $0["row"] as? String } == ["P1", "P7", "P9"])
        #expect(rows[0]["ratio"] as? Double == 2)
        #expect(rows[0]["isMet"] as? Bool == true)
        #expect((rows[0]["target"] as? [String: Any])?["limit"] as? Double == 1.3)
        #expect((rows[0]["rounds"] as? [Any])?.count == 1)
        #expect(rows[2]["target"] == nil)
    }

    @Test("Each picture is well-formed XML, whatever the names of the rows")
    func pictures() throws {
        let pictures = Self.report.pictures()
        #expect(
            pictures.map(\.name) == ["bench-goals.svg", "bench-latency.svg", "bench-growth.svg"])
        for (name, picture) in pictures {
            let parser = XMLParser(data: Data(picture.svg.utf8))
            #expect(parser.parse(), "\(name): \(picture.svg)")
        }
        #expect(pictures[0].picture.svg.contains("add, &lt;large&gt; &amp; &quot;old&quot;"))
        #expect(pictures[0].picture.svg.contains(#"class="missed""#))
    }

    @Test("A report without latencies and growth has the picture of the goals alone")
    func fewPictures() {
        var report = Report()
        report.record(Row(.p9, "log", unit: "bytes", goal: .value(.atMost, 10)), Reading(5))
        #expect(report.pictures().map(\.name) == ["bench-goals.svg"])
    }

    @Test("The longest bar takes the whole width, and the others their part of it")
    func bars() {
        let chart = BarChart(
            title: "t", mark: 1,
            groups: [("a", [.init(2, "two", .own)]), ("b", [.init(0.5, "half", .peer)])])
        #expect(chart.picture.svg.contains(#"class="own" x="440.0" y="41.0" width="340.0""#))
        #expect(chart.picture.svg.contains(#"class="peer" x="440.0" y="61.0" width="85.0""#))
        #expect(chart.picture.svg.contains(#"<line x1="610.0""#))
    }

    @Test("A logarithmic bar of ten times the figure is one step longer")
    func logarithms() {
        let chart = BarChart(
            title: "t", isLogarithmic: true,
            groups: [("a", [.init(100, "", .own)]), ("b", [.init(10, "", .own)])])
        #expect(chart.picture.svg.contains(#"y="41.0" width="340.0""#))
        #expect(chart.picture.svg.contains(#"y="61.0" width="170.0""#))
    }
}
