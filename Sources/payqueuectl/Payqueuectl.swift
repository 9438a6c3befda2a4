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
            Exit status: 0 done, 1 the daemon said no, 2 no connection, 3 usage, 4 time ran out, \
            5 cursor no longer usable.
            """,
        version: Version.current,
        subcommands: [
            // What a buyer does, what a person looks at, and what whoever runs the daemon does.
            BuyCommand.self, RestoreCommand.self, FinishCommand.self, ProductsCommand.self,
            ListCommand.self, WatchCommand.self, WaitCommand.self, TopCommand.self,
            LoginCommand.self, LogoutCommand.self, StorefrontCommand.self,
            QuestionsCommand.self, AnswerQuestionCommand.self,
            StatusCommand.self, DoctorCommand.self, PingCommand.self, DrainCommand.self,
            ReloadCommand.self, BackupCommand.self, RestoreBackupCommand.self,
            JournalCommand.self, HistoryCommand.self, MerchantCommand.self,
            DemoCommand.self, TestCommand.self, DecideCommand.self, CallCommand.self,
            ManualCommand.self,
        ])

    /// Parses, runs, and turns every outcome into a sentence and an exit status.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            report(error).exit()
        }
    }

    /// Says what went wrong, on standard error; help and version are no errors and go to standard
    /// output.
    private static func report(_ error: any Error) -> ExitStatus {
        switch error {
        case let error as CommandFailure:
            Console.complain(error.description, advice: error.advice)
            return error.status
        case let error as ConnectionFailure:
            Console.complain(error.description, advice: error.advice)
            return ExitStatus(error)
        case let error as RPCError:
            Console.complain(
                ErrorText.sentence(for: error), advice: Advice.sentence(for: error))
            return ExitStatus(error)
        case let code as ExitCode:
            return ExitStatus(rawValue: code.rawValue) ?? .refused
        case is CancellationError:
            Console.complain("interrupted before the end", advice: nil)
            return .timeRanOut
        default:
            return reportParsing(error)
        }
    }

    private static func reportParsing(_ error: any Error) -> ExitStatus {
        let text = fullMessage(for: error)
        guard exitCode(for: error) == .success else {
            Console.error(HelpText.complaint(text))
            return .usage
        }
        Console.line(HelpText.leadingWithExample(text))
        return .done
    }
}
