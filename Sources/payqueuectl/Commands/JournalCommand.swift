import ArgumentParser
import PaymentStorage

/// Reads the files of a daemon.
struct JournalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Verify, print or repair the files of a daemon.",
        usage: "payqueuectl journal verify --state-directory /var/lib/payqueued",
        subcommands: [
            VerifyJournalCommand.self, DumpJournalCommand.self, RepairJournalCommand.self,
        ])
}

/// Proves that the files are whole.
struct VerifyJournalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Prove that every line of the journals and snapshots is as it was written.",
        usage: "payqueuectl journal verify /var/lib/payqueued",
        discussion: """
            Changes nothing and may be used beside a running daemon, whose newest lines may count \
            as torn.

            Exit status: 0 whole, 1 damaged, 2 unreadable.
            """)

    @Argument(
        help: ArgumentHelp(
            "The state directory, instead of --state-directory.", valueName: "directory"),
        completion: .directory)
    var directory: String?

    @Flag(help: "Print each report as a line of JSON.")
    var json = false

    @OptionGroup var place: StatePlace

    func validate() throws {
        if directory != nil, place.stateDirectory != nil {
            throw ValidationError("The state directory is given twice.")
        }
    }

    func run() throws {
        let root = try directory ?? place.path()
        var worst: Int32 = 0
        for path in StatePlace.journals(in: root) {
            let report = JournalVerifier.verify(try StatePlace.disk(path, failing: .unreadable))
            worst = max(worst, report.exitCode)
            let lines = json ? [report.jsonText] : JournalText.lines(report, path: path)
            lines.forEach(Console.line)
        }
        if worst > 0 { throw JournalText.failure(exitCode: worst, path: root) }
    }
}

/// Prints the lines of the journal.
struct DumpJournalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump",
        abstract: "Print the records of the queue's journal, one line of JSON each.",
        usage: "payqueuectl journal dump --state-directory /var/lib/payqueued | jq .")

    @Option(help: ArgumentHelp("Only records after this one.", valueName: "seq"))
    var after: UInt64 = 0

    @Flag(help: "Also what the journal wrote for itself.")
    var all = false

    @OptionGroup var place: StatePlace

    func run() throws {
        let path = try place.path()
        let disk = try StatePlace.disk(path)
        let isStore: Bool
        let stop: (file: String, offset: Int)?
        do {
            isStore = try disk.list().contains("format.json")
            stop = try JournalDump.lines(disk, after: after, includesInternal: all) { line in
                Console.line(line.content.text)
            }
        } catch {
            throw CommandFailure(
                .refused, "cannot read '\(path)/\(error.name)': \(error.reason)",
                advice: "run it as the user that runs the daemon, or as root")
        }
        // A directory of something else would look like a journal without records.
        guard isStore else {
            throw CommandFailure(
                .refused, "cannot find a journal in '\(path)': 'format.json' is missing",
                advice: "name the state directory with --state-directory")
        }
        guard let stop else { return }
        throw CommandFailure(
            .refused,
            "cannot read '\(path)/\(stop.file)' further than byte \(stop.offset): it is damaged there",
            advice: "see 'payqueuectl journal verify --state-directory \(Shell.quoted(path))'")
    }
}
