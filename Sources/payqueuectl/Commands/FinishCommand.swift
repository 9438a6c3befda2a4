import ArgumentParser
import PaymentAPI
import PaymentClient
import StrictJSON

/// Finishes transactions whose goods are delivered.
struct FinishCommand: AsyncParsableCommand, ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "finish",
        abstract: "Finish transactions whose goods are delivered.",
        usage: """
            payqueuectl finish 7ab4537c
            payqueuectl finish (<transaction> ... | --all) [--yes]
            """,
        discussion: """
            A finished transaction leaves the queue. Finishing twice is harmless. --all finishes \
            what is purchased or restored; failed ones only with --state failed.
            """)

    @Argument(help: "The transactions.", completion: .transactions)
    var transactions: [String] = []

    @Flag(help: "Finish all; asks on a terminal.")
    var all = false

    @Option(
        help: ArgumentHelp("With --all: only in this state.", valueName: "state"))
    var state: [Settled] = []

    @Option(
        help: ArgumentHelp("With --all: only this product.", valueName: "id"),
        completion: .products)
    var product: [String] = []

    @Flag(help: "With --all: do not ask.")
    var yes = false

    @OptionGroup var options: AnswerOptions

    /// The states that `--all` can finish.
    enum Settled: String, ExpressibleByArgument, CaseIterable {
        case purchased
        case restored
        case failed
    }

    var action: String { all ? "finish all transactions" : "finish \(quoted(transactions))" }

    func validate() throws {
        guard all || !transactions.isEmpty else {
            throw ValidationError("Name transactions, or finish all with --all.")
        }
        guard transactions.isEmpty || !all else {
            throw ValidationError("Name transactions or give --all, not both.")
        }
        guard all || state.isEmpty && product.isEmpty else {
            throw ValidationError("--state and --product require --all.")
        }
    }

    func run() async throws {
        try options.checkFilter(of: "finish")
        let refused = try await PaymentConnection.withConnection(to: options.connection.path) {
            daemon -> Int in
            let chosen = all ? try await Self.confirmed(self, on: daemon) : transactions
            return try await finish(chosen, on: daemon)
        }
        guard refused == 0 else { throw ExitCode(ExitStatus.refused.rawValue) }
    }

    /// Finishes transactions one after another.
    ///
    /// - Returns: The number of refused transactions.
    private func finish(_ chosen: [String], on daemon: PaymentConnection) async throws -> Int {
        var refused = 0
        var finished: [JSONValue] = []
        // One object for programs, also of what was finished before a failure.
        let isList = options.output.json && options.filter == nil && (all || chosen.count > 1)
        defer { if isList { options.show(["transactions": .array(finished)], Self.lines) } }
        for (index, transaction) in chosen.enumerated() {
            do {
                let answer = try await finish(transaction, on: daemon)
                if isList { finished.append(answer) } else { options.show(answer, Self.lines) }
            } catch let error as RPCError where chosen.count > 1 {
                // The other transactions are still finished.
                complain(error, of: transaction)
                refused += 1
            } catch let failure as ConnectionFailure where chosen.count > 1 {
                throw interrupted(failure, before: Array(chosen[index...]))
            }
        }
        if all {
            Console.remark(
                "\(chosen.count - refused) finished" + (refused > 0 ? ", \(refused) refused." : ".")
            )
        }
        return refused
    }

    private func finish(
        _ transaction: String, on daemon: PaymentConnection
    ) async throws -> JSONValue {
        let id = try await Identifiers(daemon, timeout: options.timeout.duration)
            .resolve(transaction, .transaction, action: "finish '\(transaction)'")
        return try await daemon.call(
            "finish", ["transaction": .string(id)], timeout: options.timeout.duration)
    }

    private func complain(_ error: RPCError, of transaction: String) {
        Console.report(
            Complaint(error, action: "finish '\(transaction)'", help: help)
                .reaching(options.connection.suggestion))
    }

    /// The failure of the connection, with the transactions that are left.
    private func interrupted(
        _ failure: ConnectionFailure, before left: [String]
    ) -> CommandFailure {
        CommandFailure(
            ExitStatus(failure),
            ErrorText.sentence(for: failure, action: "finish \(quoted(left))"),
            advice: "finish them again, which is harmless; 'payqueuectl doctor' checks the daemon",
            data: .parameters([("transactions", .texts(left))]))
    }

    /// The answer as text.
    static func lines(_ answer: JSONValue) -> [String] {
        let transaction = answer["transaction"]?.stringValue ?? "?"
        return ["\(transaction)  \(sentence(answer["disposition"]?.stringValue))"]
    }

    /// The result of a finish as text.
    static func sentence(_ disposition: String?) -> String {
        switch disposition {
        case "removed": "removed from the queue"
        case "completing": "finished; being reported to the store"
        case "ignoredInFlight": "not finished: the store has not decided yet"
        case "alreadyFinished": "already finished"
        default: disposition.map(Wording.of) ?? "accepted"
        }
    }
}

extension FinishCommand {
    /// The transactions that `--all` finishes, after the user's confirmation.
    ///
    /// - Throws: ``CommandFailure`` if confirmation is impossible or refused.
    private static func confirmed(
        _ command: FinishCommand, on daemon: PaymentConnection
    ) async throws -> [String] {
        let timeout = command.options.timeout.duration
        try await ProductNames.check(
            command.product, on: daemon, timeout: timeout, action: command.action)
        let states = command.state.isEmpty ? [.purchased, .restored] : command.state
        let answer = try await ListCommand.all(
            daemon, timeout: timeout, [("states", .texts(states.map(\.rawValue)))])
        let chosen = (answer["transactions"]?.arrayValue ?? []).filter { transaction in
            let product = transaction["payment"]?["product"]?["productIdentifier"]?.stringValue
            return transaction["completing"]?.boolValue != true
                && (command.product.isEmpty || command.product.contains(product ?? ""))
        }
        if !chosen.isEmpty, !command.yes { try command.ask(chosen) }
        return chosen.compactMap { $0["id"]?.stringValue }
    }

    private func ask(_ chosen: [JSONValue]) throws(CommandFailure) {
        guard Console.canAsk, !options.isForPrograms else {
            throw CommandFailure(
                .usage,
                "cannot \(action): it needs confirmation, and standard input is not a terminal",
                advice: "add '--yes' to finish \(chosen.count) without a question",
                kind: "notConfirmed")
        }
        TransactionText.lines(chosen.map(\.plain), width: Console.columns).forEach(Console.line)
        let what = chosen.count == 1 ? "this transaction" : "these \(chosen.count) transactions"
        guard Console.agrees("Finish \(what)? [y/N] ") else {
            throw CommandFailure(
                .refused, "cannot \(action): not confirmed", advice: "nothing was changed",
                kind: "notConfirmed")
        }
    }
}
