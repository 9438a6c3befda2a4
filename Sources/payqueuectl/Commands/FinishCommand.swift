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
        let refused = try await PaymentConnection.withConnection(to: options.connection.path) {
            daemon -> Int in
            var refused = 0
            for (index, transaction) in transactions.enumerated() {
                do {
                    try await finish(transaction, on: daemon)
                } catch let error as RPCError where transactions.count > 1 {
                    // The others are delivered all the same.
                    complain(error, of: transaction)
                    refused += 1
                } catch let failure as ConnectionFailure where transactions.count > 1 {
                    throw interrupted(failure, before: Array(transactions[index...]))
                }
            }
            return refused
        }
        guard refused == 0 else { throw ExitCode(ExitStatus.refused.rawValue) }
    }

    private func finish(_ transaction: String, on daemon: PaymentConnection) async throws {
        let answer = try await daemon.call(
            "finish", ["transaction": .string(transaction)], timeout: options.timeout.duration)
        options.show(answer, Self.lines)
    }

    private func complain(_ error: RPCError, of transaction: String) {
        Console.complain(
            ErrorText.sentence(for: error, errand: "finish '\(transaction)'"),
            advice: Advice.reaching(
                Advice.sentence(for: error, help: help),
                connection: options.connection.suggestion))
    }

    /// The way to the daemon failed, with these left to finish.
    private func interrupted(
        _ failure: ConnectionFailure, before left: [String]
    ) -> CommandFailure {
        CommandFailure(
            ExitStatus(failure),
            ErrorText.sentence(for: failure, errand: "finish \(quoted(left))"),
            advice: "finish them again, which is harmless; 'payqueuectl doctor' says how the "
                + "daemon is")
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
