import ArgumentParser
import PaymentClient
import StrictJSON

/// Says that goods are delivered.
struct FinishCommand: AsyncParsableCommand, Errand {
    static let configuration = CommandConfiguration(
        commandName: "finish",
        abstract: "Say that goods are delivered.",
        usage: "payqueuectl finish <transaction> ...",
        discussion: "The transaction leaves the queue. Finishing again is harmless.")

    @Argument(help: "The transactions.")
    var transactions: [String]

    @OptionGroup var options: AnswerOptions

    var errand: String { "finish \(quoted(transactions))" }

    func run() async throws {
        try await PaymentConnection.withConnection(to: options.connection.path) { daemon in
            for transaction in transactions {
                let answer = try await daemon.call(
                    "finish", ["transaction": .string(transaction)],
                    timeout: options.timeout.duration)
                options.show(answer, Self.lines)
            }
        }
    }

    /// The answer in words.
    static func lines(_ answer: JSONValue) -> [String] {
        let transaction = answer["transaction"]?.stringValue ?? "?"
        return ["\(transaction)  \(sentence(answer["disposition"]?.stringValue))"]
    }

    /// What became of a transaction that was finished.
    static func sentence(_ disposition: String?) -> String {
        switch disposition {
        case "removed": "removed from the queue"
        case "completing": "finished; the store is being told"
        case "ignoredInFlight": "left alone: the store has it and has not decided yet"
        case "alreadyFinished": "was finished before"
        default: disposition.map(Wording.of) ?? "accepted"
        }
    }
}
