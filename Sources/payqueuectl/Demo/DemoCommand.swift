import ArgumentParser

/// Runs a demonstration with a temporary daemon.
struct DemoCommand: AsyncParsableCommand, ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show purchases, a crash, a restore and a refund.",
        usage: """
            payqueuectl demo --daemon .build/debug/payqueued
            payqueuectl demo [--daemon <path>] [--pace <seconds>]
            """,
        discussion: """
            Starts the daemon in a new directory below /tmp and leaves nothing behind. With --json \
            each step is an object with actor and text, and the last line is the count.

            Exit status: 0 if no purchase was lost or doubled, 1 otherwise. A signal ends it as \
            usual, after the daemon has ended.
            """)

    @Option(
        help: ArgumentHelp("The daemon's program.", valueName: "path"), completion: .file())
    var daemon = "payqueued"

    @Option(
        help: ArgumentHelp(
            "The pause after each line (default: 0.5, with --json 0).", valueName: "seconds"))
    var pace: Seconds?

    @OptionGroup var output: OutputOptions

    var action: String { "show the demo" }
    var afterLoss: String { "start '\(daemon) --demo' by hand and check its output" }

    /// The timeout for an unresponsive daemon; the demo itself takes some seconds.
    private static let patience = Duration.seconds(60)

    func run() async throws {
        Interruption.remember()
        let daemon = daemon
        let isForPrograms = output.json
        let pace = (pace ?? Seconds(isForPrograms ? 0 : 0.5)).duration
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await DemoStory.tell(
                        daemon: daemon, isForPrograms: isForPrograms, pace: pace)
                }
                group.addTask { try await Self.watch() }
                // The story ends its daemon before the group ends.
                defer { group.cancelAll() }
                _ = try await group.next()
            }
        } catch is DemoStory.ReaderGone {
            // The daemon has ended; this write ends the process by SIGPIPE, as for every filter.
            return Console.line("")
        } catch  where Interruption.isRequested {
            // Ctrl-C on a terminal also ends the daemon, which closes its connections.
            Interruption.endProcess()
        }
        guard !isForPrograms else { return }
        DemoCommands(daemon: daemon).lines.forEach(Console.line)
    }

    /// Throws after a signal or the timeout.
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
