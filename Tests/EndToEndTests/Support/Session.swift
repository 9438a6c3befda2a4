import Foundation
import Testing

/// A page of documentation as a script: its `sh` blocks in order, and the files that it says to save.
///
/// A block in another language counts if the line before it ends in ``Save this as `name`:``.
struct Session {
    /// The script, one block after the other.
    let script: String

    /// Reads a page of the checkout.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - replacements: What stands for a text of the page on this machine, such as a free port.
    /// - Throws: The failure to read it.
    init(page: String, replacing replacements: [String: String] = [:]) throws {
        self.init(
            text: try replacements.reduce(
                String(contentsOf: Built.root.appending(path: page), encoding: .utf8)
            ) { $0.replacing($1.key, with: $1.value) })
    }

    /// Reads the text of a page, or of a part of one.
    init(text: String) {
        var blocks: [String] = []
        var block: [Substring]?
        var language = ""
        var file: String?
        var before: Substring = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                guard let lines = block else {
                    block = []
                    language = String(line.dropFirst(3))
                    file = Self.fileName(in: before)
                    continue
                }
                if let file {
                    let saved = lines.joined(separator: "\n")
                    blocks.append("cat > \(file) <<'END'\n\(saved)\nEND")
                } else if language == "sh" {
                    blocks.append(lines.joined(separator: "\n"))
                }
                block = nil
                before = ""
            } else if block != nil {
                block?.append(line)
            } else if !line.isEmpty {
                before = line
            }
        }
        script = blocks.joined(separator: "\nsettle\n") + "\n"
    }

    /// Runs the script line by line in a copy of what a clone has, with the programs of this build.
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
        try place.write(
            Self.prelude + prelude + script + "echo session-done\nwait\n", to: "session.sh")
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
        let isDone: Bool? = try eventually(within: 180) {
            if shell.standardOutput.contains("session-done") { return true }
            if let ending = shell.poll() {
                let said = shell.standardOutput.suffix(2000) + shell.standardError.suffix(2000)
                throw Trouble("the session ended with \(ending): \(said)")
            }
            return nil
        }
        #expect(isDone == true, "\(shell.standardOutput.suffix(2000))")
        try check(place, shell.standardOutput)
    }

    /// What a person does without noticing: wait until the daemon serves before going on. And the
    /// build was made before this test: `make binaries` only has to put it in place.
    private static let prelude = """
        cd "$CLONE"
        settle() {
            local tries=0
            while [ -n "${PAYQUEUED_SOCKET:-}" ] && ! payqueuectl ping >/dev/null 2>&1; do
                tries=$((tries + 1)) && [ "$tries" -lt 600 ] && sleep 0.1
            done
        }
        make() {
            case $1 in
            binaries) mkdir -p .build/release && ln -sf "$BUILT"/payqueue* .build/release ;;
            demo) "$BUILT/payqueuectl" demo --daemon "$BUILT/payqueued" ;;
            *) return 2 ;;
            esac
        }

        """

    private static func fileName(in line: Substring) -> String? {
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
