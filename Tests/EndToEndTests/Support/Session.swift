import Foundation
import Testing

/// A page of documentation as a script: its `sh` blocks in order, and the files that it says to save.
///
/// A block in another language counts if the line before it ends in ``Save this as `name`:``. A `text`
/// block right behind an `sh` block is what that prints.
struct Session {
    /// Lines of shell, and what the page says that they print.
    private struct Step {
        var lines: String
        var printed: String?
        /// Where the printed lines are in the page.
        var place: Range<Int>?
    }

    /// The file of the page; nil for a part of one.
    private let page: URL?
    private let pageLines: [String]
    private let steps: [Step]

    /// The script, one block after the other.
    var script: String { steps.map(\.lines).joined(separator: "\nsettle\n") + "\n" }

    /// Reads a page of the checkout.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - replacements: What stands for a text of the page on this machine, such as a free port.
    /// - Throws: The failure to read it.
    init(page: String, replacing replacements: [String: String] = [:]) throws {
        let page = Built.root.appending(path: page)
        let text = try replacements.reduce(String(contentsOf: page, encoding: .utf8)) {
            $0.replacing($1.key, with: $1.value)
        }
        self.init(text: text, page: page)
    }

    /// Reads the text of a page, or of a part of one.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - page: The file to which what is recorded is written.
    init(text: String, page: URL? = nil) {
        self.page = page
        pageLines = text.components(separatedBy: "\n")
        steps = Self.steps(of: pageLines)
    }

    private static func steps(of lines: [String]) -> [Step] {
        var steps: [Step] = []
        var opening: (line: Int, language: String)?
        var before = ""
        for (number, line) in lines.enumerated() {
            if line.hasPrefix("```") {
                guard let (start, language) = opening else {
                    opening = (number, String(line.dropFirst(3)))
                    continue
                }
                let place = start + 1..<number
                let block = lines[place].joined(separator: "\n")
                if let file = fileName(in: before) {
                    steps.append(Step(lines: "cat > \(file) <<'END'\n\(block)\nEND"))
                } else if language == "sh" {
                    steps.append(Step(lines: block))
                } else if language == "text", before == "```", !steps.isEmpty {
                    steps[steps.count - 1].printed = block
                    steps[steps.count - 1].place = place
                }
                opening = nil
                before = "```"
            } else if opening == nil, !line.isEmpty {
                before = line
            }
        }
        return steps
    }

    /// Runs the script line by line in a copy of what a clone has, with the programs of this build.
    ///
    /// What the page says that a block prints is compared with what it does print; with `RECORD=1` it
    /// is written into the page instead.
    ///
    /// - Parameters:
    ///   - prelude: Lines of shell that go before the page's.
    ///   - check: Looks at what came of it while everything that was started still runs.
    /// - Throws: ``Trouble`` if a line fails or the session does not end; what the check throws.
    func run(
        after prelude: String = "", _ check: (Workplace, String) throws -> Void
    ) throws {
        let place = try Workplace()
        try Self.clone(into: place)
        let marked = steps.enumerated().map { "echo '\(Self.mark($0))'\n\($1.lines)\n" }
        let script = marked.joined(separator: "settle\n") + "echo session-done\nwait\n"
        try place.write(Self.prelude + prelude + script, to: "session.sh")
        let shell = try Child(
            ["setsid", "bash", "-eu", "-o", "pipefail", place("session.sh")], in: place,
            name: "session",
            environment: [
                "CLONE": place("clone"),
                "BUILT": URL(filePath: Built.control).deletingLastPathComponent().path,
                "HOME": place.path, "XDG_RUNTIME_DIR": place.path,
                "PYTHONDONTWRITEBYTECODE": "1",
            ])
        // Everything that the script left running is in its own process group.
        defer { kill(-shell.id, SIGKILL) }
        let isDone = try shell.hasPrinted("session-done", within: 180)
        #expect(isDone, "\(shell.standardOutput.suffix(2000))")
        try compare(shell.standardOutput)
        try check(place, shell.standardOutput)
    }

    private static func mark(_ step: Int) -> String { "=== step \(step) ===" }

    /// Compares what blocks print with what the page says.
    private func compare(_ output: String) throws {
        var lines = pageLines
        for (number, step) in steps.enumerated().reversed() {
            guard let printed = step.printed, let place = step.place else { continue }
            let rest = output.components(separatedBy: Self.mark(number) + "\n").last ?? ""
            let real = rest.prefix(
                upTo: rest.firstRange(of: "=== step")?.lowerBound ?? rest.endIndex
            )
            .replacing("session-done\n", with: "").split(separator: "\n")
            .map { $0.replacing(#/ +$/#, with: "") }.joined(separator: "\n")
            if ProcessInfo.processInfo.environment["RECORD"] == "1" {
                guard Self.masked(real) != Self.masked(printed) else { continue }
                lines.replaceSubrange(place, with: real.components(separatedBy: "\n"))
            } else {
                #expect(
                    Self.masked(real) == Self.masked(printed),
                    "\(step.lines)\nRun it with RECORD=1.")
            }
        }
        guard lines != pageLines, let page else { return }
        try Data(lines.joined(separator: "\n").utf8).write(to: page)
    }

    /// A text without what differs from run to run: identifiers, keys, times, ages, and the
    /// numbers of records, bytes and users.
    private static func masked(_ text: String) -> String {
        text.replacing(#/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/#, with: "ID")
            .replacing(#/ctl-[0-9a-f]{32}/#, with: "KEY")
            .replacing(#/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{3}Z)?/#, with: "TIME")
            .replacing(#/\d\d:\d\d:\d\d\.\d{3}/#, with: "TIME")
            .replacing(#/\b\d+[smhd]\b */#, with: "AGE")
            .replacing(#/#\d+|"seq":\d+|records \d+ to \d+|\d+ bytes|uid \d+/#, with: "NUMBER")
    }

    /// What a person does without noticing: wait until the daemon serves before going on. And the
    /// build was made before this test: `make debug` only has to put it in place.
    private static let prelude = """
        cd "$CLONE"
        settle() {
            [ -z "${PAYQUEUED_SOCKET:-}" ] || payqueuectl ping --wait 60 >/dev/null 2>&1 || true
        }
        make() {
            case $1 in
            binaries) mkdir -p .build/release && ln -sf "$BUILT"/payqueue* .build/release ;;
            debug) mkdir -p .build/debug && ln -sf "$BUILT"/payqueue* .build/debug ;;
            demo) make debug && .build/debug/payqueuectl demo --daemon .build/debug/payqueued --pace 0 ;;
            *) return 2 ;;
            esac
        }

        """

    private static func fileName(in line: String) -> String? {
        line.firstMatch(of: #/Save this as `([^`\/]+)`:$/#).map { String($0.1) }
    }

    private static func clone(into place: Workplace) throws {
        let files = FileManager.default
        try files.createDirectory(atPath: place("clone"), withIntermediateDirectories: true)
        for name in ["README.md", "Makefile", "clients"] {
            try files.copyItem(
                atPath: Built.root.appending(path: name).path, toPath: place("clone/\(name)"))
        }
    }
}
