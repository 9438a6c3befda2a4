import ArgumentParser
import StrictJSON

/// Lists the observers.
struct ObserversCommand: AnswerCommand {
    static let configuration = CommandConfiguration(
        commandName: "observers",
        abstract: "List observers and how far behind each is.",
        usage: """
            payqueuectl observers
            payqueuectl observers --filter '.observers[].lag'
            """,
        discussion: """
            An observer with a name ('watch --name', or a worker's own) stays listed while it is \
            disconnected. Its lag counts the records that it has not acknowledged.
            """)

    @OptionGroup var table: TableOptions
    @OptionGroup var options: AnswerOptions

    var method: String { "observers" }
    var action: String { "list the observers" }

    func lines(_ answer: JSONValue) -> [String] {
        ObserverText.lines(answer, width: table.columns)
    }
}
