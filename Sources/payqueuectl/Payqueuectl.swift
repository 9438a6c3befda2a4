import ArgumentParser
import PaymentAPI
import PaymentClient

/// The command-line client of the payment queue daemon.
@main
struct Payqueuectl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "payqueuectl",
        abstract: "Talk to payqueued, the payment queue daemon.",
        usage: "payqueuectl buy coins.100 --finish",
        discussion: """
            Exit: 0 done, 1 refused, 2 no connection, 3 usage, 4 timeout, 5 cursor gone.
            All take --color WHEN; calls take --socket PATH, --json. See 'help COMMAND'.
            """,
        version: Version.current,
        // Hidden in the help; `make man` uses it.
        subcommands: [ManualCommand.self],
        groupedSubcommands: [
            CommandGroup(
                name: "Buy and observe",
                subcommands: [
                    BuyCommand.self, RestoreCommand.self, FinishCommand.self, WaitCommand.self,
                    WatchCommand.self, ListCommand.self, ProductsCommand.self,
                ]),
            CommandGroup(
                name: "Account and questions",
                subcommands: [
                    LoginCommand.self, LogoutCommand.self, StorefrontCommand.self,
                    QuestionsCommand.self, AnswerQuestionCommand.self,
                ]),
            CommandGroup(
                name: "Inspect",
                subcommands: [
                    StatusCommand.self, DoctorCommand.self, PingCommand.self, TopCommand.self,
                    PageCommand.self, ObserversCommand.self, HistoryCommand.self,
                    MerchantCommand.self, CallCommand.self,
                ]),
            CommandGroup(
                name: "Operate",
                subcommands: [
                    DrainCommand.self, ReloadCommand.self, BackupCommand.self,
                    RestoreBackupCommand.self, JournalCommand.self, ClusterCommand.self,
                ]),
            CommandGroup(
                name: "Sandbox",
                subcommands: [DemoCommand.self, TestCommand.self, DecideCommand.self]),
        ])

    /// Parses and runs the command, and converts every outcome into a message and an exit status.
    static func main() async {
        var action: (any ReportedCommand)?
        let words = CommandWords.arranged(Array(CommandLine.arguments.dropFirst()))
        do {
            if let report = try CommandTree.report(words) { return Console.line(report) }
            if let page = try CommandTree.page(words) { return Console.line(page) }
            var command = try await asyncParseAsRoot(words)
            action = command as? any ReportedCommand
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            report(error, action, words).exit()
        }
    }

    /// Reports an error on standard error. Help and version are not errors and go to standard
    /// output.
    private static func report(
        _ error: any Error, _ action: (any ReportedCommand)?, _ words: [String]
    ) -> ExitStatus {
        if let code = error as? ExitCode {
            return ExitStatus(rawValue: code.rawValue) ?? .refused
        }
        let found = complaint(error, action) ?? parsing(error, words)
        guard let complaint = found else { return .done }
        Console.report(
            complaint.reaching(CommandWords.connection(words)).adding(action?.data))
        return complaint.status
    }

    /// The complaint for a failed command; nil for an error of the parser.
    private static func complaint(_ error: any Error, _ action: (any ReportedCommand)?)
        -> Complaint?
    {
        let what = action?.action ?? "do this"
        switch error {
        case let error as CommandFailure:
            return Complaint(error)
        case let error as ConnectionFailure:
            let isLost = error.kind == .lost
            return Complaint(error, action: what, advice: isLost ? action?.afterLoss : nil)
        case let error as RPCError:
            return Complaint(error, action: what, help: action?.help ?? "payqueuectl --help")
        default:
            return nil
        }
    }

    /// The complaint for an invalid command line. Nil for help, a version or a completion script,
    /// which is printed.
    private static func parsing(_ error: any Error, _ words: [String]) -> Complaint? {
        let text = fullMessage(for: error)
        guard exitCode(for: error) == .success else {
            let forms = [
                "seconds": Seconds.form, "path": AnswerFilter.form,
                "seq": "expected the number of a record",
            ]
            var found = CommandLineText.reason(text, program: "payqueuectl", forms: forms)
            if let sentence = CommandWords.familiarOption(words, complaint: text) {
                found.sentence = sentence
            }
            return Complaint(
                CommandFailure(
                    .usage, "cannot parse the command line: \(found.sentence)",
                    advice: found.advice))
        }
        Console.line(CommandLineText.help(text))
        return nil
    }
}
