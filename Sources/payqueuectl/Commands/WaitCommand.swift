import ArgumentParser
import PaymentAPI
import PaymentClient
import StrictJSON

/// Waits until a transaction is decided or a restore has ended.
struct WaitCommand: AsyncParsableCommand, ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Wait until a transaction or a restore has ended.",
        usage: """
            payqueuectl wait 7ab4537c --until purchased --timeout 60
            payqueuectl wait (<transaction> | --restore <id>) [--until <state> ...]
            """,
        discussion: "Exit status: 0 reached, 1 it ended in another way, 4 the time ran out first.")

    @Argument(help: "The transaction.", completion: .transactions)
    var transaction: String?

    @Option(
        help: ArgumentHelp("Wait for this restore instead.", valueName: "id"),
        completion: .restores)
    var restore: String?

    @Option(
        help: ArgumentHelp(
            "Wait for this (default: any but purchasing).", valueName: "state"))
    var until: [WaitForTransaction.Goal] = []

    @OptionGroup var options: AnswerOptions

    var action: String {
        "wait for the end of '\(transaction ?? restore ?? "")'"
    }

    func validate() throws {
        guard (transaction == nil) != (restore == nil) else {
            throw ValidationError("Name a transaction or, with --restore, a restore.")
        }
    }

    func run() async throws {
        try options.checkFilter(of: "wait")
        let deadline = ContinuousClock.now + options.timeout.duration
        let (answer, verdict) = try await PaymentConnection.withConnection(
            to: options.connection.path
        ) {
            try await wait(on: $0, until: deadline)
        }
        options.show(answer, lines)
        if let failure = failure(verdict, answer) { throw failure }
    }

    /// Repeats the call until the goal is reached or the timeout passes, because the daemon waits
    /// at most one minute per call.
    private func wait(
        on daemon: PaymentConnection, until deadline: ContinuousClock.Instant
    ) async throws -> (answer: JSONValue, verdict: WaitVerdict) {
        let known = Identifiers(daemon, timeout: options.timeout.duration)
        let subject = try await known.resolved(
            .parameters([
                ("transaction", transaction.map(JSONValue.string)),
                ("restore", restore.map(JSONValue.string)),
            ]), of: "wait", action: action)
        while true {
            let start = ContinuousClock.now
            let left = min(60, Seconds(max(.zero, deadline - start)).value)
            let answer = try await daemon.call(
                "wait",
                .parameters([
                    ("transaction", subject?["transaction"]), ("restore", subject?["restore"]),
                    ("until", .texts(until.map(\.rawValue))), ("timeout", .number("\(left)")),
                ]), timeout: .seconds(left + 10))
            let now = ContinuousClock.now
            let verdict = WaitVerdict(answer, waited: now - start, asked: .seconds(left))
            // The remaining time may be too short for another call.
            let isOver = now + .milliseconds(50) >= deadline
            if verdict == .unasked, isOver { return (answer, .notYet) }
            if verdict != .notYet || isOver { return (answer, verdict) }
        }
    }

    private func failure(_ verdict: WaitVerdict, _ answer: JSONValue) -> CommandFailure? {
        switch verdict {
        case .reached:
            return nil
        case .failed:
            return RestoreText.failure(
                "call the restore '\(restore ?? "")' a success", answer["restore"]?["error"],
                hasKey: true)
        case .left(let ending):
            let state = answer["transaction"]?["transactionState"]?.stringValue
            // The decision came before the removal, and the decision was the goal.
            if until.isEmpty, state != "purchasing" { return nil }
            let aim = until.isEmpty ? "decided" : until.map(\.rawValue).joined(separator: " or ")
            return CommandFailure(
                .refused,
                "cannot wait for '\(transaction ?? "")' to be \(aim): "
                    + "it has left the queue: \(ending)",
                advice: "list what is in the queue with 'payqueuectl list'")
        case .unasked:
            return CommandFailure(
                .refused, "cannot \(action): the daemon answered before the timeout",
                advice: "try again; 'payqueuectl doctor' checks the daemon")
        case .notYet:
            let record = answer["transaction"] ?? answer["restore"]
            return CommandFailure(
                .timeRanOut,
                "cannot \(action): timed out after \(options.timeout.defaultValueDescription) s",
                advice: WaitingText.advice(
                    record?["waitingFor"]?.stringValue, transaction: record?["id"]?.stringValue,
                    connection: options.connection.suggestion))
        }
    }

    private func lines(_ answer: JSONValue) -> [String] {
        if let restore = answer["restore"] { return [RestoreText.line(restore)] }
        return [EventText.transaction(answer["transaction"] ?? .null)]
    }
}
