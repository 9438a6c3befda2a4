import ArgumentParser
import StrictJSON

/// Shows the state of the daemon, and the conditions that transactions wait for.
struct StatusCommand: AnswerCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show daemon status and what transactions are waiting for.",
        usage: """
            payqueuectl status
            payqueuectl status --filter .queue
            """)

    @OptionGroup var options: AnswerOptions

    var method: String { "status" }
    var action: String { "show the status" }

    func lines(_ answer: JSONValue) -> [String] {
        StatusText.lines(answer).map {
            Advice.reaching($0, connection: options.connection.suggestion)
        }
    }
}
