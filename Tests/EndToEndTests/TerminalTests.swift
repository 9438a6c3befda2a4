import Foundation
import PaymentTesting
import Testing

/// Screens in a real terminal, by tmux.
@Suite("In a terminal", .ownThreads)
struct TerminalTests {
    @Test("top fills the screen, follows its size and the daemon, and leaves no trace")
    func top() throws {
        guard Built.has("tmux") else { return Skip.because("tmux is not installed") }
        let daemon = try Daemon()
        try daemon.start()
        try daemon.connect().call("add", #"{"product":"coins.100"}"#)
        let terminal = try Terminal(daemon, columns: 80, rows: 24)
        terminal.type("stty -a >'\(daemon.place("before"))'")
        terminal.type("echo before; '\(Built.control)' top --interval 0.2")
        try terminal.wait { $0.contains("TRANSACTIONS") && $0.contains("waiting for an observer") }
        #expect(terminal.screen.split(separator: "\n").allSatisfy { $0.count <= 80 })
        try terminal.resize(columns: 200, rows: 60)
        try terminal.wait { $0.contains("q quits") && $0.contains(/[0-9a-f]{12}\n/) }
        try terminal.resize(columns: 40, rows: 12)
        try terminal.wait { $0.hasPrefix("payqueued") }
        #expect(terminal.screen.split(separator: "\n").allSatisfy { $0.count <= 40 })
        try terminal.resize(columns: 80, rows: 24)
        // It outlives the daemon, and says so.
        try daemon.killHard()
        try terminal.wait { $0.contains("cannot connect") || $0.contains("ended before") }
        try daemon.start()
        try terminal.wait { $0.contains("running") && !$0.contains("cannot connect") }
        terminal.press("q")
        try terminal.wait { $0.contains("before") && !$0.contains("TRANSACTIONS") }
        try terminal.expectItself(as: daemon.place("before"))
        try daemon.stop()
    }

    @Test("top leaves no trace when it is ended by a signal", arguments: [SIGTERM, SIGINT, SIGHUP])
    func signalled(number: Int32) throws {
        guard Built.has("tmux") else { return Skip.because("tmux is not installed") }
        try Daemon.run { daemon in
            try daemon.connect().call("add", #"{"product":"coins.100"}"#)
            let terminal = try Terminal(daemon, columns: 80, rows: 24)
            let note = daemon.place("id")
            terminal.type("stty -a >'\(daemon.place("before"))'")
            terminal.type("sh -c 'echo $$ >\(note); exec \(Built.control) top --interval 0.2'")
            try terminal.wait { $0.contains("TRANSACTIONS") && $0.contains("/s, ") }
            // The last column is part of the line, too.
            let row = terminal.screen.split(separator: "\n").first { $0.hasPrefix("purchasing") }
            #expect(row?.count == 80)
            let id = try #require(pid_t(text(of: note).trimmingCharacters(in: .newlines)))
            kill(id, number)
            try terminal.wait { !$0.contains("TRANSACTIONS") }
            try terminal.expectItself(as: daemon.place("before"))
        }
    }

    @Test("page says how it is stopped, and Ctrl-C stops it")
    func page() throws {
        guard Built.has("tmux") else { return Skip.because("tmux is not installed") }
        try Daemon.run { daemon in
            let terminal = try Terminal(daemon, columns: 120, rows: 24)
            terminal.type("'\(Built.control)' page")
            try terminal.wait {
                $0.contains("http://127.0.0.1:") && $0.contains("Press Ctrl-C to stop.")
            }
            terminal.press("C-c")
            terminal.type("echo left with $?")
            try terminal.wait { $0.contains("left with 0") }
        }
    }

    @Test("watch shows lines in colour and leaves the terminal as it was")
    func watch() throws {
        guard Built.has("tmux") else { return Skip.because("tmux is not installed") }
        try Daemon.run { daemon in
            try daemon.connect().call("add", #"{"product":"coins.100"}"#)
            let terminal = try Terminal(daemon, columns: 80, rows: 24)
            terminal.type("'\(Built.control)' watch --after start")
            try terminal.wait { $0.contains("caught up") && $0.contains("waiting for an observer") }
            try terminal.resize(columns: 200, rows: 60)
            try daemon.connect().call("logout")
            try terminal.wait { $0.contains("logged out") }
            terminal.press("C-c")
            terminal.type("echo left with $?")
            try terminal.wait { $0.contains("left with 130") }
            terminal.type("stty -a | grep -q ' icanon' && echo it is $((40 + 2)) again")
            try terminal.wait { $0.contains("it is 42 again") }
        }
    }

    @Test("Lists fit a terminal of 80 columns; pipes and --wide show whole ids")
    func lists() throws {
        guard Built.has("tmux") else { return Skip.because("tmux is not installed") }
        try Daemon.run { daemon in
            let added = try daemon.connect().call("add", #"{"product":"pro.monthly"}"#)
            let id = try #require(added["transaction"]?.string)
            let terminal = try Terminal(daemon, columns: 80, rows: 24)
            for (number, command) in ["list", "products", "observers", "test orders"].enumerated() {
                // The sum tells the line that ends this command from the one that is typed, and from
                // the one before.
                let end = "echo $((40 + \(number))) lines"
                terminal.type("clear; '\(Built.control)' \(command); \(end)")
                let screen = try terminal.wait { $0.contains("\n\(40 + number) lines") }
                // What wraps begins with something else than a heading or a name.
                let isWhole = screen.split(separator: "\n").allSatisfy {
                    $0.contains(/^(TRANSACTION|PRODUCT|No |Prices|4\d|\$|[0-9a-f]{8} |[a-z]+[.-])/)
                }
                #expect(isWhole, "\(command): \(screen)")
            }
            terminal.type("clear; '\(Built.control)' list")
            try terminal.wait { $0.contains("\n\(id.prefix(8))     purchasing") }
            #expect(terminal.screen.contains("waiting for"))
            terminal.type("clear; '\(Built.control)' list | cat")
            try terminal.wait { $0.contains("\n\(id)  purchasing") }
            terminal.type("clear; '\(Built.control)' list --wide")
            try terminal.wait { $0.contains("\n\(id)  purchasing") }
            terminal.type("clear; COLUMNS=60 '\(Built.control)' list")
            try terminal.wait { $0.contains("…") && $0.contains("purchasing") }
        }
    }

    @Test("finish --all shows what it would finish and asks; only yes does it")
    func finishAll() throws {
        guard Built.has("tmux") else { return Skip.because("tmux is not installed") }
        try Daemon.run { daemon in
            let line = try daemon.connect()
            try line.call("subscribe")
            let id = try line.call("add", #"{"product":"coins.100"}"#)["transaction"]?.string ?? ""
            try line.call("wait", #"{"transaction":"\#(id)"}"#)
            let terminal = try Terminal(daemon, columns: 80, rows: 24)
            var screen = ""
            for (number, (answer, status)) in [("n", 1), ("", 1), ("y", 0)].enumerated() {
                // The sums tell what is shown from what is typed, and from the turn before.
                let turn = "echo turn $((40 + \(number)))"
                let end = "echo left $((50 + \(number))) with $?"
                terminal.type("clear; \(turn); '\(Built.control)' finish --all; \(end)")
                screen = try terminal.wait {
                    $0.contains("turn \(40 + number)\n")
                        && $0.contains("Finish this transaction? [y/N]")
                }
                #expect(screen.contains("coins.100"), "\(screen)")
                terminal.type(answer)
                screen = try terminal.wait { $0.contains("left \(50 + number) with \(status)") }
            }
            #expect(screen.contains("1 finished."), "\(screen)")
        }
    }

    @Test(
        "Only a terminal gets colours, and only without NO_COLOR, unless --color says otherwise",
        arguments: [
            ("", [:], true), ("--color never", [:], false), ("", ["NO_COLOR": "1"], false),
            ("--color always", ["NO_COLOR": "1"], true), ("| cat", [:], false),
            ("--color always | cat", [:], true), ("--json", [:], false),
        ] as [(String, [String: String], Bool)])
    func colours(words: String, variables: [String: String], isColourful: Bool) throws {
        guard Built.has("script") else { return Skip.because("script is not installed") }
        try Daemon.run { daemon in
            let variables = variables.merging(["TERM": "xterm"]) { $1 }
            let shown = try Self.inTerminal(daemon, "status \(words)", variables)
            #expect(shown.contains("running"), "\(shown)")
            #expect(shown.contains("\u{1B}[32m") == isColourful, "\(shown)")
        }
    }

    @Test("Long work shows a line that moves on a terminal, and none for programs")
    func progress() throws {
        guard Built.has("script") else { return Skip.because("script is not installed") }
        let daemon = try Daemon()
        try daemon.start()
        try daemon.connect().call("add", #"{"product":"coins.100"}"#)
        let copy = try Self.inTerminal(daemon, "backup")
        #expect(copy.contains("\r\u{1B}[Kbacking up: 0 s\r\u{1B}[K"), "\(copy)")
        try daemon.stop()
        let commands = [
            ("journal verify '\(daemon.state)'", "verifying \(daemon.state): "),
            (
                "journal repair --state-directory '\(daemon.state)' --into '\(daemon.place("new"))'",
                "reading: "
            ),
            (
                "restore-backup '\(daemon.state)' --state-directory '\(daemon.place("other"))'",
                "verifying the backup: "
            ),
        ]
        for (command, line) in commands {
            let shown = try Self.inTerminal(daemon, command)
            #expect(shown.contains("\r\u{1B}[K" + line), "\(shown)")
            #expect(shown.contains(/: \d+ %, \d+ of \d+ MiB/), "\(shown)")
            // The line is taken away before the report.
            #expect(shown.contains("\r\u{1B}[K\(daemon.state)") || !command.contains("verify"))
        }
        for end in ["--json", "| cat"] {
            let shown = try Self.inTerminal(daemon, "journal verify '\(daemon.state)' \(end)")
            #expect(!shown.contains("verifying"), "\(shown)")
        }
    }

    /// What a command writes to a terminal, controls and all.
    private static func inTerminal(
        _ daemon: Daemon, _ words: String, _ variables: [String: String] = ["TERM": "xterm"]
    ) throws -> String {
        let shown = try Child.run(
            // Colours are as the test says, whatever the machine prefers.
            ["env", "-u", "NO_COLOR"] + variables.map { "\($0)=\($1)" }
                + ["script", "-qec", "'\(Built.control)' \(words)", "/dev/null"], in: daemon.place,
            environment: ["PAYQUEUED_SOCKET": daemon.socket])
        #expect(shown.ending == .exit(0), "\(words): \(shown.output)")
        return shown.output
    }
}

/// A terminal of its own with a shell in it.
private final class Terminal {
    private let place: Workplace
    private let name = "payqueued-\(UInt32.random(in: 0...UInt32.max))"

    init(_ daemon: Daemon, columns: Int, rows: Int) throws {
        place = daemon.place
        let shell = "env PAYQUEUED_SOCKET='\(daemon.socket)' PS1='$ ' bash --norc --noprofile"
        try tmux(["new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "-s", "t", shell])
        try wait { $0.contains("$") }
    }

    deinit {
        // The server goes with its last session; one that is gone already is no trouble.
        _ = try? tmux(["kill-server"])
    }

    /// What the screen shows, without the blanks at the ends of lines.
    var screen: String {
        let shown = (try? tmux(["capture-pane", "-t", "t", "-p"])) ?? ""
        return shown.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
    }

    func type(_ line: String) {
        _ = try? tmux(["send-keys", "-t", "t", "-l", line])
        press("Enter")
    }

    /// Expects the terminal in the modes that a file holds, on its own screen, with its cursor.
    func expectItself(as file: String, _ location: SourceLocation = #_sourceLocation) throws {
        type("stty -a | cmp - '\(file)' && echo it is $((40 + 2)) again")
        try wait(location) { $0.contains("it is 42 again") }
        let modes = try tmux(["display-message", "-p", "-t", "t", "#{alternate_on} #{cursor_flag}"])
        #expect(modes == "0 1\n", sourceLocation: location)
    }

    func press(_ key: String) {
        _ = try? tmux(["send-keys", "-t", "t", key])
    }

    func resize(columns: Int, rows: Int) throws {
        try tmux(["resize-window", "-t", "t", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// Waits until the screen is as wanted.
    ///
    /// - Returns: That screen.
    @discardableResult
    func wait(
        _ location: SourceLocation = #_sourceLocation, until condition: (String) -> Bool
    ) throws -> String {
        let found: String? = eventually(within: 60) {
            let screen = screen
            return condition(screen) ? screen : nil
        }
        #expect(found != nil, "the screen shows: \(screen)", sourceLocation: location)
        guard let found else { throw Trouble("the screen never became what it should be") }
        return found
    }

    @discardableResult
    private func tmux(_ words: [String]) throws -> String {
        try Child.run(["tmux", "-L", name] + words, in: place).output
    }
}
