import ArgumentParser
import PaymentAPI
import PaymentClient

/// Talks to a payment queue daemon from the shell.
@main
struct Payqueuectl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "payqueuectl",
        abstract: "Talk to payqueued, the payment queue daemon.",
        usage: """
            payqueuectl buy coins.100 --finish
            payqueuectl <command> [--socket PATH] [options]
            """,
        discussion: """
            The socket: --socket, else $PAYQUEUED_SOCKET, else the user's or the system's.
            Exit: 0 done, 1 refused, 2 no connection, 3 usage, 4 timeout, 5 cursor gone.
            """,
        version: Version.current,
        subcommands: [
            // What a buyer does, what a person looks at, and what whoever runs the daemon does.
            BuyCommand.self, RestoreCommand.self, FinishCommand.self, ProductsCommand.self,
            ListCommand.self, WatchCommand.self, WaitCommand.self, TopCommand.self,
            PageCommand.self,
            LoginCommand.self, LogoutCommand.self, StorefrontCommand.self,
            QuestionsCommand.self, AnswerQuestionCommand.self, ObserversCommand.self,
            StatusCommand.self, DoctorCommand.self, PingCommand.self, DrainCommand.self,
            ReloadCommand.self, BackupCommand.self, RestoreBackupCommand.self,
            JournalCommand.self, HistoryCommand.self, MerchantCommand.self,
            DemoCommand.self, TestCommand.self, DecideCommand.self, CallCommand.self,
            ManualCommand.self,
        ])

    /// Parses, runs, and turns every outcome into a sentence and an exit status.
    static func main() async {
        var errand: (any Errand)?
        let words = CommandWords.arranged(Array(CommandLine.arguments.dropFirst()))
        if words.first == "help", let found = explanation(words.dropFirst()) {
            Console.line(found)
            return
        }
        do {
            var command = try parseAsRoot(words)
            errand = command as? any Errand
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            report(error, errand, words).exit()
        }
    }

    /// Says what went wrong, on standard error; help and version are no errors and go to standard
    /// output.
    private static func report(
        _ error: any Error, _ errand: (any Errand)?, _ words: [String]
    ) -> ExitStatus {
        let what = errand?.errand ?? "do this"
        func complain(_ sentence: String, advice: String) {
            let connection = CommandWords.connection(words)
            Console.complain(sentence, advice: Advice.reaching(advice, connection: connection))
        }
        switch error {
        case let error as CommandFailure:
            complain(error.description, advice: error.advice)
            return error.status
        case let error as ConnectionFailure:
            let isLost = error.kind == .lost
            complain(
                ErrorText.sentence(for: error, errand: what),
                advice: isLost ? errand?.afterLoss ?? error.advice : error.advice)
            return ExitStatus(error)
        case let error as RPCError:
            complain(
                ErrorText.sentence(for: error, errand: what),
                advice: Advice.sentence(
                    for: error, help: errand?.help ?? "payqueuectl --help"))
            return ExitStatus(error)
        case let code as ExitCode:
            return ExitStatus(rawValue: code.rawValue) ?? .refused
        case is CancellationError:
            Console.complain(
                "cannot \(what) to the end: it was interrupted", advice: "start it again")
            return .timeRanOut
        default:
            return reportParsing(error, words)
        }
    }

    /// The names of the commands; the parser has one of its own beside ours.
    private static let commands =
        configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]

    /// The answer of `help` to a name of StoreKit or OnsideKit; nil for everything else.
    private static func explanation(_ words: ArraySlice<String>) -> String? {
        guard words.count == 1, let name = words.first, !commands.contains(name) else { return nil }
        return CommandWords.familiar(name, commands: commands)
            .map { "\($0.sentence)\n  Next: \($0.advice)" }
    }

    private static func reportParsing(_ error: any Error, _ words: [String]) -> ExitStatus {
        let text = fullMessage(for: error)
        guard exitCode(for: error) == .success else {
            if let found = CommandWords.correction(words, commands: commands) {
                Console.complain(
                    "cannot follow the command line: \(found.sentence)", advice: found.advice)
                return .usage
            }
            if let sentence = CommandWords.familiarOption(words, complaint: text) {
                Console.complain(
                    "cannot follow the command line: \(sentence)",
                    advice: "see '\(program(of: words)) --help'")
                return .usage
            }
            let forms = [
                "seconds": Seconds.form, "path": AnswerFilter.form,
                "seq": "it takes the number of a record",
            ]
            Console.error(
                CommandLineText.complaint(text, program: "payqueuectl", forms: forms))
            return .usage
        }
        Console.line(CommandLineText.help(text))
        return .done
    }

    /// The words of the command line that name the command.
    private static func program(of words: [String]) -> String {
        let command = words.first.flatMap { commands.contains($0) ? $0 : nil }
        return (["payqueuectl"] + (command.map { [$0] } ?? [])).joined(separator: " ")
    }
}
