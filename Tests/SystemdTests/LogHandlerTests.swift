import Foundation
import Logging
import Synchronization
import Testing

@testable import Observability
@testable import Systemd

@Suite struct LogHandlerTests {
    private static let record = LogRecord(
        time: WallTime(seconds: 1_700_000_000, nanoseconds: 123_999_999), level: .warning,
        label: "example", message: "client refused, closed it",
        metadata: [
            ("clientUID", .stringConvertible(1000)),
            ("list", ["a", .dictionary(["z": "1", "b": .stringConvertible(true)])]),
            (LogKey.messageID, "0123456789abcdef0123456789abcdef"),
            ("reason", "say \"no\"\n"),
        ], file: "Example/File.swift", function: "run()", line: 7)

    private static func text(prefixesPriority: Bool) -> TextDestination {
        TextDestination(output: LineOutput(descriptor: -1), prefixesPriority: prefixesPriority)
    }

    @Test func `a text line is one line for people`() {
        #expect(
            Self.text(prefixesPriority: false).line(Self.record)
                == #"2023-11-14T22:13:20.123Z warning example: client refused, closed it "#
                + #"clientUID=1000 list="[\"a\",{\"b\":true,\"z\":\"1\"}]" reason="say \"no\"\n""#)
    }

    @Test func `a priority prefix takes the place of the time`() {
        #expect(
            Self.text(prefixesPriority: true).line(Self.record)
                .hasPrefix("<4>warning example: client refused, closed it clientUID=1000 "))
    }

    @Test(arguments: [
        ("plain", "plain"), ("/run/a.sock", "/run/a.sock"), ("größe", "größe"),
        ("", #""""#), ("two words", #""two words""#), ("a=b", #""a=b""#),
        ("a\\b", #""a\\b""#), ("\u{1B}[31m", #""\u{1b}[31m""#), ("a\u{202E}b", #""a\u{202e}b""#),
        ("a\u{2028}b", #""a\u{2028}b""#), ("a\u{9B}b", #""a\u{9b}b""#), ("\t\r", #""\t\r""#),
    ])
    func `a value can neither break its line nor command a terminal`(
        value: String, shown: String
    ) {
        var record = Self.record
        record.message = "m"
        record.metadata = [("k", .string(value))]
        #expect(
            Self.text(prefixesPriority: true).line(record) == "<4>warning example: m k=\(shown)")
    }

    @Test func `a JSON line is one object with its members in a fixed order`() {
        #expect(
            JSONDestination.line(Self.record)
                == #"{"time":"2023-11-14T22:13:20.123Z","level":"warning","logger":"example","#
                + #""message":"client refused, closed it","metadata":{"clientUID":1000,"#
                + #""list":["a",{"b":true,"z":"1"}],"#
                + #""messageID":"0123456789abcdef0123456789abcdef","reason":"say \"no\"\n"}}"#)
    }

    @Test func `a JSON line without metadata has no empty object`() {
        var record = Self.record
        record.metadata = []
        #expect(JSONDestination.line(record).hasSuffix(#""message":"client refused, closed it"}"#))
    }

    @Test(
        arguments: [
            (.string("1"), #""1""#), (.stringConvertible(UInt8(7)), "7"),
            (.stringConvertible((1 << 53) - 1), "9007199254740991"),
            (.stringConvertible(1 << 53), #""9007199254740992""#),
            (.stringConvertible(-(1 << 53)), #""-9007199254740992""#),
            (.stringConvertible(UInt64.max), #""18446744073709551615""#),
            (.stringConvertible(0.5), #""0.5""#), (.stringConvertible(false), "false"),
            (
                .string("\u{0}\u{1F}\u{7F}\t\r\n\\\"/€"),
                #""\u0000\u001F"# + "\u{7F}" + #"\t\r\n\\\"/€""#
            ),
            (.array([]), "[]"), (.dictionary([:]), "{}"),
        ] as [(Logger.MetadataValue, String)])
    func `a value is exact JSON`(value: Logger.MetadataValue, json: String) throws {
        #expect(JSONDestination.json(value) == json)
        _ = try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
    }

    @Test func `a journal entry has the values in its sentence and as fields`() throws {
        let destination = JournalDestination(fieldPrefix: "EXAMPLE", send: { _ in })
        #expect(
            destination.entry(Self.record).assignments == [
                #"MESSAGE=client refused, closed it clientUID=1000 "#
                    + #"list="[\"a\",{\"b\":true,\"z\":\"1\"}]" reason="say \"no\"\n""#,
                "PRIORITY=4", "MESSAGE_ID=0123456789abcdef0123456789abcdef",
                "CODE_FILE=Example/File.swift", "CODE_LINE=7", "CODE_FUNC=run()",
                "EXAMPLE_LOGGER=example", "EXAMPLE_CLIENT_UID=1000",
                #"EXAMPLE_LIST=["a",{"b":true,"z":"1"}]"#, "EXAMPLE_REASON=say \"no\"\n",
            ])
    }

    @Test(arguments: [
        ("uid", "E_UID"), ("clientUID", "E_CLIENT_UID"), ("client-uid", "E_CLIENT_UID"),
        ("http2Port", "E_HTTP2_PORT"), ("größe", "E_GR____E"), ("", "E_"),
        (String(repeating: "a", count: 80), "E_" + String(repeating: "A", count: 62)),
    ])
    func `a key becomes a field name that the journal keeps`(key: String, name: String) {
        let destination = JournalDestination(fieldPrefix: "E", send: { _ in })
        #expect(destination.fieldName(key) == name)
        #expect(JournalEntry.Field(name: name, value: "") != nil)
    }

    @Test(
        arguments: [
            (.trace, 7), (.debug, 7), (.info, 6), (.notice, 5), (.warning, 4), (.error, 3),
            (.critical, 2),
        ] as [(Logger.Level, Int)])
    func `each level has its syslog priority`(level: Logger.Level, priority: Int) {
        #expect(level.priority.rawValue == priority)
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (951_782_400, "2000-02-29T00:00:00.000Z"),
        (4_102_444_799, "2099-12-31T23:59:59.000Z"),
    ])
    func `a time is RFC 3339 in UTC`(seconds: Int, text: String) {
        #expect(WallTime(seconds: seconds, nanoseconds: 0).rfc3339 == text)
    }
}

/// Keeps what it is given.
private final class RecordingDestination: LogDestination {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    func write(_ record: LogRecord) {
        let line = TextDestination.sentence(record)
        kept.withLock { $0.append("\(record.label) \(record.level): \(line)") }
    }
}

@Suite struct LoggerTests {
    private let threshold = LogThreshold(.info)
    private let destination = RecordingDestination()

    private func logger() -> Logger {
        Logger(label: "example") { [threshold, destination] label in
            DestinationLogHandler(label: label, threshold: threshold, destination: destination)
        }
    }

    @Test func `a change of the threshold reaches loggers that exist already`() {
        let logger = logger()
        logger.debug("one")
        threshold.level = .trace
        logger.trace("two")
        threshold.level = .critical
        logger.error("three")
        #expect(destination.lines == ["example trace: two"])
        #expect(threshold.level == .critical)
    }

    @Test func `a level set by hand holds for that logger alone`() {
        var loud = logger()
        let quiet = loud
        loud.logLevel = .debug
        threshold.level = .error
        loud.debug("one")
        quiet.debug("two")
        #expect(destination.lines == ["example debug: one"])
    }

    @Test func `what is said nearest to the line wins`() {
        var logger = logger()
        logger[metadataKey: "a"] = "logger"
        logger[metadataKey: "b"] = "logger"
        logger.info("m", metadata: ["b": "line", "c": "line"])
        #expect(destination.lines == ["example info: m a=logger b=line c=line"])
    }

    @Test func `an error that is logged is shown under its key`() {
        logger().warning("m", error: InheritanceFault(errno: 22))
        #expect(
            destination.lines == [
                "example warning: m error=\"cannot take over sockets from the service manager: "
                    + "Invalid argument\""
            ])
    }
}

@Suite struct LineOutputTests {
    @Test func `lines of many threads are never mixed`() async throws {
        let pipe = Pipe()
        let output = LineOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        let line = String(repeating: "x", count: 9000)
        let reader = Task.detached { try pipe.fileHandleForReading.readToEnd() ?? Data() }
        await withTaskGroup { group in
            for _ in 0..<20 { group.addTask { output.write(line) } }
        }
        try pipe.fileHandleForWriting.close()
        let lines = try await String(decoding: reader.value, as: UTF8.self)
            .split(separator: "\n")
        #expect(lines.count == 20 && lines.allSatisfy { $0 == line })
    }

    /// The alarm is for a writer that waits for the reader: it would wait for ever.
    @Test
    func `a reader that is full or gone costs a line and nothing else`() async {
        await #expect(processExitsWith: .success) {
            alarm(60)
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
            _ = LogConfiguration(
                format: .text, threshold: LogThreshold(.info), fieldPrefix: "EXAMPLE"
            ).handlerFactory()
            let output = LineOutput(descriptor: ends[1])
            for _ in 0..<1000 { output.write(String(repeating: "x", count: 4000)) }
            close(ends[0])
            output.write("nobody reads")
            close(ends[1])
            output.write("closed")
        }
    }

    @Test(arguments: LogFormat.allCases)
    func `every format has a factory whose loggers write`(format: LogFormat) async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) { [name = format.rawValue as String] in
            let chosen = try #require(LogFormat(rawValue: name))
            let configuration = LogConfiguration(
                format: chosen, threshold: LogThreshold(.notice), fieldPrefix: "EXAMPLE",
                prefixesPriority: true)
            LoggingSystem.bootstrap(configuration.handlerFactory())
            Logger(label: "example").info("hidden")
            Logger(label: "example").notice("started", metadata: ["uid": "\(7)"])
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(!text.contains("hidden"))
        switch format {
        case .text: #expect(text.contains("<5>notice example: started uid=7\n"))
        case .json: #expect(text.contains(#""message":"started","metadata":{"uid":"7"}}"#))
        case .journald where Journald.isAvailable: break
        case .journald: #expect(text.contains("<5>notice example: started uid=7\n"))
        }
    }
}
