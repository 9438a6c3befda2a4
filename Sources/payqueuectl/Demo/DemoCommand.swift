import ArgumentParser

/// Tells the story of a few purchases with a daemon of its own.
struct DemoCommand: AsyncParsableCommand, ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show purchases, a crash, a restore and a refund.",
        usage: """
            payqueuectl demo --daemon .build/debug/payqueued
            payqueuectl demo [--daemon <path>] [--pace <seconds>]
            """,
        discussion: """
            Starts the daemon in a new directory below /tmp and leaves nothing behind.

            Exit status: 0 if no purchase was lost or doubled, 1 otherwise.
            """)

    @Option(
        help: ArgumentHelp("The daemon's program.", valueName: "path"), completion: .file())
    var daemon = "payqueued"

    @Option(help: ArgumentHelp("The pause after each line.", valueName: "seconds"))
    var pace = Seconds(0.5)

    var action: String { "show the demo" }
    var afterLoss: String { "start '\(daemon) --demo' by hand and check its output" }

    /// The demo takes some seconds; this is for a daemon that hangs.
    private static let patience = Duration.seconds(60)

    func run() async throws {
        Interruption.remember()
        let daemon = daemon
        let pace = pace.duration
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await DemoStory.tell(daemon: daemon, pace: pace) }
                group.addTask { try await Self.watch() }
                // The story ends its daemon before the group ends.
                defer { group.cancelAll() }
                _ = try await group.next()
            }
        } catch is DemoStory.ReaderGone {
            // With the daemon ended, this ends the process the way every filter ends.
            return Console.line("")
        } catch  where Interruption.isRequested {
            // Ctrl-C on a terminal ends the daemon as well, and its connections with it.
            throw CancellationError()
        }
        DemoCommands(daemon: daemon).lines.forEach(Console.line)
    }

    /// Throws when a signal or the end of the patience shall end the demo.
    private static func watch() async throws {
        let deadline = ContinuousClock.now + patience
        while !Interruption.isRequested {
            guard ContinuousClock.now < deadline else {
                throw CommandFailure(
                    .timeRanOut,
                    "cannot finish the demo within \(patience.components.seconds) s",
                    advice: "run it again when the machine is less busy")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw CancellationError()
    }
}
