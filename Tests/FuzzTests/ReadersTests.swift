import Foundation
import StrictJSON
import Testing

/// The strict reader of JSON, compared with other readers where those are right. The known differences, each
/// with a name, are listed in `Tests/Fuzz/readers.py`.
@Suite("Other readers of JSON")
struct ReadersTests {
    /// Targets whose inputs are JSON; those with catalogues would add long texts of the same kind.
    private static let targets = ["json", "scanner", "configuration"]

    /// Texts in which the other readers are known to differ, and some in which they might.
    private static let special = [
        "", " ", "1 2", "{} []", "nan", "NaN", "-Infinity", "[nan]", "01", "-01", "1.", ".5", "+1",
        "1e5",
        "1E+5", "1e400", "-0", "0.1e-9", "12345678901234567890", "\"a\nb\"", "\"\u{1}\"",
        "\"\\u0000\"",
        #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#, #""\ud800""#, #""\udc00\ud800""#,
        #""\ud83d\ude00""#, "\u{FEFF}1", "[1,]", "{\"a\":1,}", "[,1]", "'a'", "{a:1}", "tru",
        "nulll",
        "\"\\x41\"", "\"\\u12\"", "\u{A0}1", "1\u{C}", "// a\n1", "\"\u{7F}\"", "\"é\u{301}\"",
    ]

    private static func isThere(_ program: String) -> Bool {
        let places = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return places.split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
    }

    @Test(
        "Python accepts the same texts and reads the same values",
        .enabled(if: isThere("python3"), "skipped: python3 is missing"))
    func python() throws { try compare(with: "python") }

    @Test(
        "jq accepts the same texts and reads the same values",
        .enabled(
            if: isThere("python3") && isThere("jq"), "skipped: python3 or jq is missing"))
    func jq() throws { try compare(with: "jq") }

    private func compare(with reader: String) throws {
        let texts = try Self.lines()
        let file = FileManager.default.temporaryDirectory
            .appending(
                path: "payqueued-readers-\(ProcessInfo.processInfo.processIdentifier)-\(reader)")
        try Data(texts.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let script = CorpusFiles.folder.deletingLastPathComponent().appending(path: "readers.py")
        process.arguments = ["python3", script.path, reader]
        process.standardInput = try FileHandle(forReadingFrom: file)
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(String(decoding: output, as: UTF8.self))")
    }

    /// Every text with the verdict of the strict reader, a JSON object for each.
    private static func lines() throws -> String {
        var texts = special.map { (name: "special", bytes: Array($0.utf8)) }
        texts += [
            ("special", [0xFF]), ("special", [0x22, 0xC3, 0x22]),
            ("special", [0x22, 0xED, 0xA0, 0x80, 0x22]),
        ]
        texts.append(("special", Array(String(repeating: "[", count: 65).utf8)))
        texts.append(
            (
                "special",
                Array((String(repeating: "[", count: 65) + String(repeating: "]", count: 65)).utf8)
            ))
        for target in targets {
            texts += try CorpusFiles.inputs(of: target).map { ("\(target)/\($0.name)", $0.bytes) }
        }
        return texts.map { line($0.name, $0.bytes) + "\n" }.joined()
    }

    private static func line(_ name: String, _ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        let hex = String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
        var object: [JSONMember] = [
            JSONMember(name: "name", value: .string(name)),
            JSONMember(name: "hex", value: .string(hex)),
        ]
        do throws(JSONFault) {
            let value = try JSONValue(parsing: bytes.span)
            object.append(JSONMember(name: "fault", value: .null))
            object.append(JSONMember(name: "json", value: .string(value.jsonText())))
        } catch {
            object.append(JSONMember(name: "fault", value: .string(error.kind.rawValue)))
        }
        return JSONValue.object(object).jsonText()
    }
}
