import Foundation
import PaymentTesting
import Testing

/// All parsing files of JSONTestSuite on the live socket. Each must get exactly the answers that
/// strict I-JSON and the framing give it, and the connection must be usable after it.
@Suite("JSONTestSuite on the live socket", .ownThreads)
struct JSONSuiteTests {
    private static let loneSurrogates: Set = [
        "i_object_key_lone_2nd_surrogate", "i_string_1st_surrogate_but_2nd_missing",
        "i_string_1st_valid_surrogate_2nd_invalid",
        "i_string_incomplete_surrogate_and_escape_valid",
        "i_string_incomplete_surrogate_pair", "i_string_incomplete_surrogates_escape_valid",
        "i_string_invalid_lonely_surrogate", "i_string_invalid_surrogate",
        "i_string_inverted_surrogates_U+1D11E", "i_string_lone_second_surrogate",
    ]
    /// Files with line feeds inside: each line stands for itself.
    private static let severalLines: [String: [Int]] = [
        "n_array_newlines_unclosed": [-32700, -32600, -32700],
        "n_array_unclosed_with_new_lines": [-32700, -32600, -32700],
        "n_string_unescaped_newline": [-32700, -32700],
        "y_array_with_1_and_newline": [-32700, -32700],
        "y_object_with_newlines": [-32700, -32700, -32700],
    ]
    private static let longerThanTheLimit: Set = [
        "n_structure_100000_opening_arrays", "n_structure_open_array_object",
    ]

    private static func files() -> [URL]? {
        guard let folder = Built.sharedData("JSONTestSuite/test_parsing") else { return nil }
        let found = try? FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        return found?.sorted { $0.lastPathComponent < $1.lastPathComponent }
    }

    @Test("All 318 files get the answers they must get, and the connection lives on")
    func allFiles() throws {
        guard let files = Self.files() else { return Skip.because("no JSONTestSuite beside") }
        #expect(files.count == 318)
        try Daemon.run { daemon in
            let line = try daemon.connect()
            for file in files {
                let name = file.deletingPathExtension().lastPathComponent
                let bytes = contents(of: file.path)
                let answer = try Self.exchange(line, bytes + [10])
                try Self.check(answer, name: name, bytes: bytes)
            }
        }
    }

    @Test("With spaces for line feeds the files of several lines are judged as a whole")
    func spacesForLineFeeds() throws {
        guard let files = Self.files() else { return Skip.because("no JSONTestSuite beside") }
        // What had only its line feed against it becomes a JSON text without it.
        let parses: Set = [
            "n_string_unescaped_newline", "y_array_with_1_and_newline", "y_object_with_newlines",
        ]
        try Daemon.run { daemon in
            let line = try daemon.connect()
            for file in files {
                let name = file.deletingPathExtension().lastPathComponent
                guard Self.severalLines[name] != nil else { continue }
                let bytes = contents(of: file.path).map { $0 == 10 ? 32 : $0 }
                let codes = try Self.exchange(line, bytes + [10]).flatMap(Self.codes)
                #expect((codes.first == -32700) == !parses.contains(name), "\(name)")
            }
        }
    }

    @Test("With the line limit raised the two longest files are too deep, not too long")
    func limitRaised() throws {
        guard let files = Self.files() else { return Skip.because("no JSONTestSuite beside") }
        let place = try Workplace()
        let configuration = try place.write(
            #"{"limits":{"requestLineBytes":1048576}}"#, to: "payqueued.json")
        try Daemon.run(["--demo", "--config", configuration]) { daemon in
            let line = try daemon.connect()
            for file in files {
                let name = file.deletingPathExtension().lastPathComponent
                guard Self.longerThanTheLimit.contains(name) else { continue }
                let bytes = contents(of: file.path).filter { $0 != 10 }
                let answers = try Self.exchange(line, bytes + [10])
                #expect(answers.map { $0["error"]?["code"]?.int } == [-32600], "\(name)")
                #expect(answers.first?["error"]?["data"]?["kind"]?.string == "tooDeep", "\(name)")
            }
        }
    }

    @Test("Wrapped into params only the two blank files change sides")
    func wrapped() throws {
        guard let files = Self.files() else { return Skip.because("no JSONTestSuite beside") }
        try Daemon.run { daemon in
            let line = try daemon.connect()
            for file in files {
                let name = file.deletingPathExtension().lastPathComponent
                var bytes = contents(of: file.path)
                if bytes.last == 10 { bytes.removeLast() }
                guard !bytes.contains(10), !Self.longerThanTheLimit.contains(name) else { continue }
                let start = Array(
                    #"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"payload":"#.utf8)
                let answers = try Self.exchange(line, start + bytes + Array("}}\n".utf8))
                let codes = answers.flatMap(Self.codes)
                let mustFail = name.hasPrefix("n_")
                let mustPass = name.hasPrefix("y_")
                if mustFail { #expect(codes == [-32700], "\(name)") }
                if mustPass { #expect(!codes.contains(-32700), "\(name)") }
            }
        }
    }

    /// Sends bytes, then a ping; returns what came before the answer to that.
    private static func exchange(_ line: Line, _ bytes: [UInt8]) throws -> [JSON] {
        line.write(bytes)
        line.type(#"{"jsonrpc":"2.0","id":"alive","method":"ping"}"#)
        var answers: [JSON] = []
        while true {
            let message = try line.next()
            if message["id"]?.string == "alive" { return answers }
            answers.append(message)
        }
    }

    private static func codes(_ answer: JSON) -> [Int] {
        (answer.array ?? [answer]).compactMap { $0["error"]?["code"]?.int }
    }

    private static func check(_ answers: [JSON], name: String, bytes: [UInt8]) throws {
        let codes = answers.flatMap(codes)
        let kind = answers.first?["error"]?["data"]?["kind"]?.string
        if let lines = severalLines[name] {
            #expect(codes == lines, "\(name)")
        } else if longerThanTheLimit.contains(name) {
            #expect(codes == [-32001], "\(name)")
        } else if bytes.allSatisfy({ $0 == 32 }) {
            #expect(answers.isEmpty, "\(name)")
        } else if loneSurrogates.contains(name) {
            #expect(codes == [-32600] && kind == "loneSurrogate", "\(name): \(answers)")
        } else if name == "i_structure_500_nested_arrays" {
            #expect(codes == [-32600] && kind == "tooDeep", "\(name): \(answers)")
        } else if name.hasPrefix("i_number") {
            #expect(!codes.isEmpty && !codes.contains(-32700), "\(name): \(answers)")
        } else if name.hasPrefix("i_") {
            #expect(codes == [-32700] && kind == "encoding", "\(name): \(answers)")
        } else if name.hasPrefix("n_") {
            #expect(codes == [-32700] && answers.first?["id"] == .null, "\(name): \(answers)")
        } else {
            #expect(!codes.isEmpty && !codes.contains(-32700), "\(name): \(answers)")
            if name.hasPrefix("y_object_duplicated_key") {
                #expect(kind == "duplicateName", "\(name): \(answers)")
            }
        }
    }
}
