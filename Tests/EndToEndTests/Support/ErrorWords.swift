import Foundation
import Testing

/// What programs say when something goes wrong, as a page that a person can review.
struct ErrorWords {
    /// The subcommands that ask a daemon, with what they need.
    static let asking = [
        ["buy", "coins.100", "--key", "k1"], ["restore"], ["finish", "t1"], ["products"],
        ["list"], ["watch"], ["wait", "t1"], ["top", "--once"], ["login", "ann"], ["logout"],
        ["storefront"], ["questions"], ["answer", "q1", "yes"], ["observers"], ["status"],
        ["doctor"], ["ping"], ["drain"], ["reload"], ["backup"], ["history", "verify"],
        ["cluster", "status"], ["cluster", "handover"],
        ["test", "set"], ["decide", "t1", "approve"], ["call", "add", "product=coins.100"],
    ]
    /// The ones that ask nobody, or a daemon of their own.
    static let others = ["journal", "cluster", "merchant", "restore-backup", "demo", "page"]

    /// A few of the ones that ask, others for every number: each start of a program takes its time.
    static func some(_ number: Int) -> [[String]] {
        [0, 7, 13].map { asking[(number + $0) % asking.count] }
    }

    /// What one program said.
    struct Said {
        let words: String
        let ending: Child.Ending
        let text: String

        /// The status in words.
        var status: String {
            if case .exit(let code) = ending { "exit \(code)" } else { "\(ending)" }
        }
    }

    private(set) var text = ""
    private let place: Workplace

    init(in place: Workplace) {
        self.place = place
    }

    /// Begins a section.
    mutating func section(_ title: String) {
        text += (text.isEmpty ? "" : "\n") + "== \(title)\n"
    }

    /// Adds what programs said; those that said the same stand together.
    mutating func add(_ said: [Said], rewritten rewrite: (Said) -> String = { $0.text }) {
        var kinds: [(key: String, words: [String])] = []
        for one in said {
            let key = "\(one.status)\n" + rewrite(one)
            if let known = kinds.firstIndex(where: { $0.key == key }) {
                kinds[known].words.append(one.words)
            } else {
                kinds.append((key, [one.words]))
            }
        }
        for kind in kinds { text += kind.words.joined(separator: " · ") + ": " + kind.key }
    }

    /// Runs programs beside one another, each to its end.
    ///
    /// - Parameters:
    ///   - commands: Programs and arguments.
    ///   - environment: Variables for all of them.
    ///   - name: What stands for a command on the page; the words after the program if not given.
    /// - Returns: What each wrote to standard error, without what differs from run to run.
    /// - Throws: ``Trouble`` if one cannot be started or does not end.
    func run(
        _ commands: [[String]], environment: [String: String] = [:],
        name: ([String]) -> String = { $0.dropFirst().joined(separator: " ") }
    ) throws -> [Said] {
        let children = try commands.map { command in
            try Child(
                command, in: place, name: "run-\(UInt64.random(in: 0...UInt64.max))",
                environment: environment)
        }
        return try zip(commands, children).map { command, child in
            let ending = try child.wait()
            return Said(
                words: name(command).replacing(place.path, with: "PLACE"), ending: ending,
                text: child.standardError.replacing(place.path, with: "PLACE"))
        }
    }

    /// Who cannot do what, what to do, and nothing that only programs understand.
    static func inspect(_ said: Said, program: String = "payqueuectl") {
        let (words, errors) = (said.words, said.text)
        #expect(said.ending != .exit(0), "\(words) takes it for success")
        let lines = errors.split(separator: "\n")
        #expect(lines.first?.hasPrefix("\(program): cannot ") == true, "\(words): \(errors)")
        #expect(lines.contains { $0.hasPrefix("  Next: ") }, "\(words) gives no advice: \(errors)")
        for trace in ["Fatal error", "Swift.", "RPCError", "NIO", "Optional(", "Error Domain"] {
            #expect(!errors.contains(trace), "\(words) shows '\(trace)': \(errors)")
        }
        // Names in quotes are what a person typed or may type, and so is an example.
        let prose = lines.map { line in
            line.replacing(/; an example: .*/, with: "").replacing(/'[^']*'/, with: "")
        }
        for line in prose {
            #expect(
                line.firstMatch(of: /\b[a-z]+[A-Z][A-Za-z]*/) == nil,
                "\(words) shows a word of programs: \(line)")
        }
    }

    /// Compares the page with the reviewed one; RECORD=1 writes it.
    func compare(with file: String, _ location: SourceLocation = #_sourceLocation) throws {
        let url = Built.root.appending(path: "Tests/EndToEndTests/Recorded/\(file)")
        if ProcessInfo.processInfo.environment["RECORD"] == "1" {
            try Data(text.utf8).write(to: url)
        }
        let kept = EndToEndTests.text(of: url.path)
        guard kept != text else { return }
        let known = Set(kept.split(separator: "\n"))
        let news = text.split(separator: "\n").filter { !known.contains($0) }
        Issue.record(
            "the words changed; if they should, record them with RECORD=1: \(news.prefix(8))",
            sourceLocation: location)
    }
}
