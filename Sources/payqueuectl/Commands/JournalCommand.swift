import ArgumentParser
import PaymentStorage
import StrictJSON

/// Works with the journal files of a daemon.
struct JournalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Verify, count, print or repair journal files.",
        usage: "payqueuectl journal verify /var/lib/payqueued",
        subcommands: [
            VerifyJournalCommand.self, ScrubJournalCommand.self, StatsJournalCommand.self,
            DumpJournalCommand.self, RepairJournalCommand.self,
        ])
}

/// Verifies the files.
struct VerifyJournalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify the journals and snapshots.",
        usage: "payqueuectl journal verify /var/lib/payqueued",
        discussion: """
            Reads what a start reads, and exits with 0 exactly if a start accepts it; --deep reads \
            also the older records and snapshots that are still kept. Changes nothing. While a \
            daemon runs, its newest lines may be reported as torn.

            Exit status: 0 whole, 1 damaged or without a journal, 2 unreadable.
            """)

    @Flag(help: "Read also what a start does not need.")
    var deep = false

    @Argument(
        help: ArgumentHelp(
            "The state directory, instead of --state-directory.", valueName: "directory"),
        completion: .directory)
    var directory: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var place: StatePlace

    func run() throws {
        // The check comes after parsing, because the parser must first report an unknown option.
        if directory != nil, place.stateDirectory != nil {
            throw CommandFailure(
                .usage, "cannot verify the journal: the state directory is given twice",
                advice: "see 'payqueuectl journal verify --help'")
        }
        let root = try directory ?? place.path()
        var reports: [(path: String, report: VerifyReport)] = []
        for path in StatePlace.journals(in: root) {
            let disk = try StatePlace.disk(path, failing: .unreadable)
            let line = ProgressLine(
                "verifying \(path)", totalBytes: ProgressDisk.totalBytes(disk, below: []))
            let report = JournalKind.verify(
                ProgressDisk.watch(disk, line: line), at: path, isDeep: deep)
            reports.append((path, report))
            line.end()
        }
        let worst = reports.map(\.report.exitCode).max() ?? 0
        // A start would create a journal here, but a wrong path must not look like an intact
        // journal.
        guard worst > 0 || reports.contains(where: { !$0.report.isEmpty }) else {
            throw JournalText.missing(root, action: "verify")
        }
        output.show(Self.json(reports, isWhole: worst == 0)) { _ in
            reports.flatMap { JournalText.lines($0.report, path: $0.path) }
        }
        if worst > 0 { throw JournalText.failure(exitCode: worst, path: root) }
    }

    private static func json(
        _ reports: [(path: String, report: VerifyReport)], isWhole: Bool
    ) -> JSONValue {
        let journals = reports.map { path, report in
            let members = (try? JSONValue(parsing: report.jsonText.utf8))?.members ?? []
            return JSONValue.object([JSONMember(name: "path", value: .string(path))] + members)
        }
        return ["whole": .bool(isWhole), "journals": .array(journals)]
    }
}

/// Prints the lines of the journal.
struct DumpJournalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump",
        abstract: "Print the records of the journal as lines of JSON.",
        usage: "payqueuectl journal dump --state-directory /var/lib/payqueued | jq .")

    @Option(help: ArgumentHelp("Only records after this number.", valueName: "seq"))
    var after: UInt64 = 0

    @Flag(help: "Print the journal's internal lines, too.")
    var all = false

    // The records are always JSON; `--json` affects only errors.
    @OptionGroup var output: OutputOptions
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
                advice: "run this as the daemon's user or as root")
        }
        // Another directory would look like a journal without records.
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
