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
        try terminal.wait { $0.contains("TRANSACTIONS") && $0.contains("waits for an observer") }
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

    @Test("watch shows lines in colour and leaves the terminal as it was")
    func watch() throws {
        guard Built.has("tmux") else { return Skip.because("tmux is not installed") }
        try Daemon.run { daemon in
            try daemon.connect().call("add", #"{"product":"coins.100"}"#)
            let terminal = try Terminal(daemon, columns: 80, rows: 24)
            terminal.type("'\(Built.control)' watch --after start")
            try terminal.wait { $0.contains("caught up") && $0.contains("waits for an observer") }
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

    func wait(
        _ location: SourceLocation = #_sourceLocation, until condition: (String) -> Bool
    ) throws {
        let isSo: Bool? = eventually(within: 60) { condition(screen) ? true : nil }
        #expect(isSo == true, "the screen shows: \(screen)", sourceLocation: location)
        if isSo != true { throw Trouble("the screen never became what it should be") }
    }

    @discardableResult
    private func tmux(_ words: [String]) throws -> String {
        try Child.run(["tmux", "-L", name] + words, in: place).output
    }
}
