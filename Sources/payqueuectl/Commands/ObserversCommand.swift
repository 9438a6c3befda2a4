import ArgumentParser
import StrictJSON

/// Lists who observes.
struct ObserversCommand: AnswerCommand {
    static let configuration = CommandConfiguration(
        commandName: "observers",
        abstract: "List who observes, and how far behind each is.",
        usage: """
            payqueuectl observers
            payqueuectl observers --filter '.observers[].lag'
            """,
        discussion: """
            A name that 'watch --name' or a worker gave itself is kept while it is away: its lag \
            says how many records it has not acknowledged yet.
            """)

    @OptionGroup var options: AnswerOptions

    var method: String { "observers" }
    var errand: String { "list the observers" }

    func lines(_ answer: JSONValue) -> [String] { ObserverText.lines(answer) }
}
