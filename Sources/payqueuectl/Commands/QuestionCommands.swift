import ArgumentParser
import StrictJSON

/// Lists the open questions.
struct QuestionsCommand: AnswerCommand {
    static let configuration = CommandConfiguration(
        commandName: "questions", abstract: "List open questions, such as a price to confirm.",
        usage: "payqueuectl questions")

    @OptionGroup var table: TableOptions
    @OptionGroup var options: AnswerOptions

    var method: String { "questions" }
    var action: String { "list the questions" }

    func lines(_ answer: JSONValue) -> [String] {
        QuestionText.lines(answer, width: table.columns)
    }
}

/// Answers a question.
struct AnswerQuestionCommand: AnswerCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer",
        abstract: "Answer a question; the first answer wins.",
        usage: """
            payqueuectl answer 5e0c41d2 yes
            payqueuectl answer <question> (yes | no) [--reason <text>]
            """)

    enum Word: String, ExpressibleByArgument, CaseIterable {
        case yes
        case no

        init?(argument: String) {
            switch argument {
            case "yes", "true", "y": self = .yes
            case "no", "false", "n": self = .no
            default: return nil
            }
        }
    }

    @Argument(help: "The question.", completion: .questions)
    var question: String

    @Argument(help: "yes or no.")
    var value: Word

    @Option(help: ArgumentHelp("The reason, kept in the journal.", valueName: "text"))
    var reason: String?

    @OptionGroup var options: AnswerOptions

    var method: String { "answer" }
    var action: String { "answer question '\(question)'" }

    func parameters() -> JSONValue? {
        .parameters([
            ("question", .string(question)), ("value", .bool(value == .yes)),
            ("reason", reason.map(JSONValue.string)),
        ])
    }

    func lines(_ answer: JSONValue) -> [String] { ["\(question)  answered with \(value)"] }
}
