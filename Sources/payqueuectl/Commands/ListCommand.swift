import ArgumentParser
import PaymentClient
import StrictJSON

/// Lists transactions.
struct ListCommand: AsyncParsableCommand, Errand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the unfinished transactions, or those named.",
        usage: """
            payqueuectl list --state purchased
            payqueuectl list [<transaction> ...] [--state <state> ...] [--json]
            """)

    @Argument(help: "Only these.")
    var transactions: [String] = []

    @Option(
        help: ArgumentHelp(
            "Only in this state: purchasing, purchased, restored, failed, finished.",
            valueName: "state"),
        completion: .list(["purchasing", "purchased", "restored", "failed", "finished"]))
    var state: [String] = []

    @OptionGroup var options: AnswerOptions

    var errand: String {
        transactions.isEmpty ? "list the transactions" : "look up \(quoted(transactions))"
    }

    func run() async throws {
        let answer = try await PaymentConnection.withConnection(to: options.connection.path) {
            try await Self.all(
                $0, timeout: options.timeout.duration,
                [("ids", .texts(transactions)), ("states", .texts(state))])
        }
        options.show(answer) { TransactionText.lines($0["transactions"]?.arrayValue ?? []) }
    }

    /// All pages as one answer.
    static func all(
        _ daemon: PaymentConnection, timeout: Duration, _ wanted: [(String, JSONValue?)] = []
    ) async throws -> JSONValue {
        var found: [JSONValue] = []
        var page: JSONValue?
        var last: JSONValue
        repeat {
            last = try await daemon.call(
                "transactions", .parameters(wanted + [("page", page)]), timeout: timeout)
            found += last["transactions"]?.arrayValue ?? []
            page = last["next"]
        } while page != nil
        return .parameters([("transactions", .array(found)), ("seq", last["seq"])]) ?? .null
    }
}
