import ArgumentParser
import PaymentClient
import StrictJSON

/// Waits until something is decided.
struct WaitCommand: AsyncParsableCommand, Errand {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Wait until a transaction or a restore has ended.",
        usage: """
            payqueuectl wait <transaction> --until purchased --timeout 60
            payqueuectl wait (<transaction> | --restore <id>) [--until <state> ...]
            """,
        discussion: "Exit status: 0 reached, 4 the time ran out first.")

    @Argument(help: "The transaction.")
    var transaction: String?

    @Option(help: ArgumentHelp("A restore instead.", valueName: "id"))
    var restore: String?

    @Option(
        help: ArgumentHelp(
            "Wait for this: a state, or 'removed'. Any but purchasing if not given.",
            valueName: "state"),
        completion: .list(["purchasing", "purchased", "restored", "failed", "removed"]))
    var until: [String] = []

    @OptionGroup var options: AnswerOptions

    var errand: String {
        "wait for the end of '\(transaction ?? restore ?? "")'"
    }

    func validate() throws {
        guard (transaction == nil) != (restore == nil) else {
            throw ValidationError("Name a transaction or, with --restore, a restore.")
        }
    }

    func run() async throws {
        let deadline = ContinuousClock.now + options.timeout.duration
        let answer = try await PaymentConnection.withConnection(to: options.connection.path) {
            try await wait(on: $0, until: deadline)
        }
        options.show(answer, lines)
        guard answer["reached"]?.boolValue == true else {
            let seconds = options.timeout.defaultValueDescription
            throw CommandFailure(
                .timeRanOut, "cannot \(errand) any longer: \(seconds) s are over",
                advice: WaitingText.advice(
                    answer["transaction"]?["waitingFor"]?.stringValue,
                    connection: options.connection.suggestion))
        }
    }

    /// The daemon waits a minute at most; asks again until the time is over.
    private func wait(
        on daemon: PaymentConnection, until deadline: ContinuousClock.Instant
    ) async throws -> JSONValue {
        while true {
            let left = min(60, Seconds(max(.zero, deadline - .now)).value)
            let answer = try await daemon.call(
                "wait",
                .parameters([
                    ("transaction", transaction.map(JSONValue.string)),
                    ("restore", restore.map(JSONValue.string)), ("until", .texts(until)),
                    ("timeout", .number("\(left)")),
                ]), timeout: .seconds(left + 10))
            let isOver = ContinuousClock.now >= deadline
            if answer["reached"]?.boolValue == true || isOver { return answer }
        }
    }

    private func lines(_ answer: JSONValue) -> [String] {
        guard let transaction = answer["transaction"], transaction.members != nil else {
            return ["\(restore ?? "?")  \(answer["state"]?.stringValue ?? "under way")"]
        }
        return [EventText.transaction(transaction)]
    }
}
