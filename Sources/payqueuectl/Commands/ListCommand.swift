import ArgumentParser
import PaymentAPI
import PaymentClient
import StrictJSON

/// Lists transactions.
struct ListCommand: AsyncParsableCommand, ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List unfinished transactions, or the ones named.",
        usage: """
            payqueuectl list --state purchased
            payqueuectl list [<transaction> ...] [--state <state>] [--wide] [--json]
            """,
        discussion: """
            An id can be shortened to its first 6 characters or more. A terminal shows short ids \
            where whole ones do not fit; --wide and pipes show them whole.
            """)

    @Argument(help: "Only these transactions.", completion: .transactions)
    var transactions: [String] = []

    @Option(
        help: ArgumentHelp("Only in this state.", valueName: "state"))
    var state: [Transactions.StateFilter] = []

    @OptionGroup var table: TableOptions
    @OptionGroup var options: AnswerOptions

    var action: String {
        transactions.isEmpty ? "list the transactions" : "look up \(quoted(transactions))"
    }

    func run() async throws {
        try options.checkFilter(of: "transactions")
        let (answer, unknown, status) = try await options.withDaemon {
            daemon -> (JSONValue, [String], JSONValue) in
            var ids: [String] = []
            let known = Identifiers(daemon, timeout: options.timeout.duration)
            for id in transactions {
                ids.append(try await known.resolve(id, .transaction, action: action))
            }
            let answer = try await Self.all(
                daemon, timeout: options.timeout.duration,
                [("ids", .texts(ids)), ("states", .texts(state.map(\.rawValue)))])
            let unknown = try await missing(ids, from: answer, on: daemon)
            let status = try await daemon.call("status", timeout: options.timeout.duration)
            return (answer, unknown, status)
        }
        options.show(answer) { answer in
            // The note explains why earlier purchases are missing.
            TransactionText.lines(
                answer["transactions"]?.arrayValue ?? [], width: table.columns)
                + [EndedText.sentence(status.plain).map { "Note: \($0)." }].compactMap(\.self)
        }
        guard unknown.isEmpty else {
            let such =
                unknown.count == 1
                ? "there is no such transaction" : "there are no such transactions"
            throw CommandFailure(
                .refused, "cannot look up \(quoted(unknown)): \(such)",
                advice:
                    "list the transactions with 'payqueuectl list'; six characters of an id are enough",
                kind: "unknownTransaction")
        }
    }

    /// The ids without a transaction in any state.
    private func missing(
        _ ids: [String], from answer: JSONValue, on daemon: PaymentConnection
    ) async throws -> [String] {
        let absent = Self.absent(ids, from: answer)
        guard !absent.isEmpty, !state.isEmpty else { return absent }
        // They may have a state that the filter excludes.
        let others = try await Self.all(
            daemon, timeout: options.timeout.duration, [("ids", .texts(absent))])
        return Self.absent(absent, from: others)
    }

    /// The ids that are missing in an answer.
    static func absent(_ ids: [String], from answer: JSONValue) -> [String] {
        let listed = (answer["transactions"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
        return ids.filter { !listed.contains($0) }
    }

    /// All pages, combined into one answer.
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
