import ArgumentParser
import StrictJSON

/// Says how the daemon is, and why nothing moves if nothing does.
struct StatusCommand: AnswerCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Say how the daemon is, and why nothing moves.",
        usage: "payqueuectl status --filter .queue")

    @OptionGroup var options: AnswerOptions

    var method: String { "status" }
    var errand: String { "ask how the daemon is" }

    func lines(_ answer: JSONValue) -> [String] {
        StatusText.lines(answer).map {
            Advice.reaching($0, connection: options.connection.suggestion)
        }
    }
}
