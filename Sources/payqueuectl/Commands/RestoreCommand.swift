import ArgumentParser
import PaymentClient
import StrictJSON

/// Restores the purchases of the account.
struct RestoreCommand: AsyncParsableCommand, ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore the purchases of the account.",
        usage: """
            payqueuectl restore --finish
            payqueuectl restore [--key <key>] [--token <text>] [--finish]
            """,
        discussion: """
            Without --finish the restored transactions stay in the queue. This command observes \
            the queue: purchases that wait for an observer go to the store as well.

            Exit status: 0 completed, 1 failed, 4 still running.
            """)

    @Option(help: ArgumentHelp("Names this restore (default: a random one).", valueName: "key"))
    var key: String?

    @Option(help: ArgumentHelp("Only what was bought with this token.", valueName: "text"))
    var token: String?

    @Flag(help: "Finish what is restored as delivered.")
    var finish = false

    @OptionGroup var options: AnswerOptions

    var action: String { "restore the purchases of the account" }

    private var patience: Duration { Patience.later(options.timeout.duration) }

    func run() async throws {
        let result = try await PaymentConnection.withConnection(to: options.connection.path) {
            daemon in
            let first = Patience.first(options.timeout.duration)
            try await daemon.introduce(as: OwnProgram.name, timeout: first)
            _ = try await daemon.call(
                "subscribe",
                ["kinds": ["transactionsUpdated", "restoreCompleted", "restoreFailed"]],
                timeout: first)
            let started = try await daemon.call(
                "restore",
                .parameters([
                    ("key", .string(key ?? BuyCommand.freshKey())),
                    ("appAccountToken", token.map(JSONValue.string)),
                ]), timeout: patience)
            return try await follow(started, on: daemon)
        }
        options.show(result) { result in
            [RestoreText.restored(result["count"]?.intValue ?? 0)]
                + (result["finished"]?.arrayValue ?? []).flatMap(FinishCommand.lines)
        }
    }

    /// Follows a restore to its end.
    ///
    /// - Returns: The event of its end, and the finished transactions.
    private func follow(
        _ started: JSONValue, on daemon: PaymentConnection
    ) async throws -> JSONValue {
        let restore = started["restore"]?.stringValue ?? ""
        if !options.isForPrograms {
            let waiting = started.plain["waitingFor"]?.stringValue.map(WaitingText.short)
            Console.line("restore \(restore)" + (waiting.map { "  \($0)" } ?? ""))
        }
        // Restores of other calls may end too, so the id is compared. The events of a restore that
        // had already ended are not delivered again.
        var ending = try await ended(restore, started)
        if ending == nil { ending = try await listen(for: restore, on: daemon) }
        guard let ending else {
            throw CommandFailure(
                .timeRanOut,
                "cannot wait for the restore '\(restore)': timed out, it is still running",
                advice: "follow it with 'payqueuectl wait --restore \(restore)'",
                data: ["restore": .string(restore)])
        }
        guard ending["kind"]?.stringValue != "restoreFailed" else {
            throw RestoreText.failure(action, ending["error"], hasKey: key != nil)
        }
        guard finish, let members = ending.members else { return ending }
        let finished = JSONMember(
            name: "finished", value: .array(try await finishRestored(on: daemon)))
        return .object(members + [finished])
    }

    /// The end of a restore that had already ended when a repeated key joined it; nil if it is
    /// running.
    ///
    /// The answer to `restore` contains only the state, so the outcome comes from `wait`. That call
    /// uses a separate connection, because notifications on this one are not read yet.
    private func ended(_ restore: String, _ started: JSONValue) async throws -> JSONValue? {
        let ends = ["completed", "failed"]
        guard ends.contains(started["state"]?.stringValue ?? "") else { return nil }
        let answer = try await PaymentConnection.withConnection(to: options.connection.path) {
            try await $0.call(
                "wait", ["restore": .string(restore), "timeout": 0], timeout: patience)
        }
        return RestoreText.ending(answer["restore"] ?? .null)
    }

    private func listen(
        for restore: String, on daemon: PaymentConnection
    ) async throws -> JSONValue? {
        try await withThrowingTaskGroup(of: Void.self) { group in
            // The timeout closes the connection, which ends the wait below.
            group.addTask {
                try await Task.sleep(for: options.timeout.duration)
                await daemon.close()
            }
            defer { group.cancelAll() }
            for try await notification in daemon.notifications {
                let params = notification.params
                if !options.isForPrograms {
                    EventText.lines(method: notification.method, params: params)
                        .forEach(Console.foldedLine)
                }
                if params["restore"]?.stringValue == restore { return params }
            }
            return nil
        }
    }

    private func finishRestored(on daemon: PaymentConnection) async throws -> [JSONValue] {
        var answers: [JSONValue] = []
        let restored = try await ListCommand.all(
            daemon, timeout: patience, [("states", ["restored"])])
        for transaction in restored["transactions"]?.arrayValue ?? [] {
            answers.append(
                try await daemon.call("finish", ["transaction": transaction["id"] ?? .null]))
        }
        return answers
    }
}
