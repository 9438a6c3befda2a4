import ArgumentParser
import Glibc

/// Shows a whole purchase with a daemon of its own.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show a whole purchase with a daemon of its own.",
        usage: """
            payqueuectl demo --daemon .build/release/payqueued
            payqueuectl demo [--daemon <path>] [--pace <seconds>]
            """,
        discussion: """
            Starts the daemon in a new directory, types four lines into socat, prints what comes \
            back, and leaves nothing behind.
            """)

    @Option(
        help: ArgumentHelp("The daemon's program.", valueName: "path"), completion: .file())
    var daemon = "payqueued"

    @Option(help: ArgumentHelp("The pause between two lines.", valueName: "seconds"))
    var pace = Seconds(0.7)

    func run() throws {
        Interruption.remember()
        let place = try DemoPlace()
        defer { place.remove() }
        Console.line("socket: \(place.socket)")
        let log = try place.openLog()
        defer { close(log) }
        let child = try ChildProcess(
            daemon, ["--demo", "--socket", place.socket],
            environment: ChildProcess.inheritedEnvironment(
                without: ["PAYQUEUED_", "NOTIFY_SOCKET=", "LISTEN_", "WATCHDOG_"]),
            descriptors: [(log, STDOUT_FILENO), (log, STDERR_FILENO)])
        do {
            try waitUntilItServes(child, place)
            try show(place)
        } catch {
            child.terminate(within: .seconds(5))
            throw place.explained(error)
        }
        child.terminate(within: .seconds(5))
        Console.line("")
        DemoCommands(daemon: daemon).lines.forEach(Console.line)
    }

    private func waitUntilItServes(_ child: borrowing ChildProcess, _ place: DemoPlace) throws {
        let deadline = ContinuousClock.now + .seconds(15)
        while !place.accepts() {
            guard !child.hasEnded() else {
                throw CommandFailure(
                    .refused, "cannot show a purchase: '\(daemon)' ended before it served",
                    advice: "start '\(daemon) --demo' by hand and see what it says")
            }
            guard ContinuousClock.now < deadline else {
                throw CommandFailure(
                    .timeRanOut, "cannot show a purchase: '\(daemon)' does not serve after 15 s",
                    advice: "start '\(daemon) --demo' by hand and see what it says")
            }
            try Interruption.sleep(.milliseconds(20))
        }
    }

    private func show(_ place: DemoPlace) throws {
        let follow = "\(OwnProgram.path) watch --socket \(place.socket)"
        Console.line("To follow it in a second terminal:  \(follow)")
        Console.line("")
        Console.line("A purchase as `\(DemoTransport.command(place.socket))` sees it;")
        Console.line("lines with > are typed, lines with < come back.")
        Console.line("")
        try Interruption.sleep(pace.duration * 4)
        let transport = try DemoTransport(socket: place.socket)
        var conversation = DemoConversation(transport: transport, pace: pace.duration)
        try conversation.run()
    }
}
