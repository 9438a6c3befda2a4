import ArgumentParser
import PaymentStorage
import StrictJSON

/// Makes a new store of what is left of a damaged one.
struct RepairJournalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Make a new state directory of what is left of a damaged one.",
        usage: """
            payqueuectl journal repair --state-directory ./state --into ./repaired
            payqueuectl journal repair --into <directory> [--accept-loss <lines>]
            """,
        discussion: """
            Writes nothing into the damaged directory. Carries everything up to the first damage \
            and lists what it cannot carry; that loss has to be accepted by its exact number. A \
            backup usually has more: see 'payqueuectl restore-backup'.

            Exit status: 0 written, 1 not written.
            """)

    @Option(
        help: ArgumentHelp("The new state directory.", valueName: "directory"),
        completion: .directory)
    var into: String

    @Option(help: ArgumentHelp("How many lines may be lost.", valueName: "lines"))
    var acceptLoss: UInt64?

    @Flag(help: "Print each journal's report as a line of JSON.")
    var json = false

    @OptionGroup var place: StatePlace

    func run() throws {
        let path = try place.path()
        let source = try StatePlace.disk(path)
        do {
            let surveys = try JournalRepair.surveyAll(source)
            for (name, survey) in surveys {
                let lines =
                    json ? [RepairText.json(name, survey)] : RepairText.lines(name, survey)
                lines.forEach(Console.line)
            }
            let lost = surveys.reduce(0) { $0 + $1.survey.lost }
            guard let accepted = acceptLoss ?? (lost == 0 ? 0 : nil) else {
                throw CommandFailure(
                    .refused, "cannot carry \(lost) lines of '\(path)'; nothing was written",
                    advice: "look for them in a backup first; then repeat this with "
                        + "'--accept-loss \(lost)'")
            }
            let target: SystemDisk
            do {
                target = try SystemDisk(path: into, create: true)
            } catch {
                throw CommandFailure(
                    .refused, "cannot make '\(into)': \(error.reason)",
                    advice: "name a new directory that this user may make")
            }
            try JournalRepair.repairAll(source, into: target, acceptedLoss: accepted)
        } catch let failure as BackupFailure {
            throw CommandFailure(
                .refused, "cannot repair '\(path)': \(JournalText.words(failure.description))",
                advice: "nothing was changed; name a new directory with --into, or see "
                    + "'payqueuectl journal verify'")
        }
        guard !json else { return }
        Console.line("'\(into)' is a store of its own, with a new epoch")
        Console.line("next: payqueued --state-directory \(Shell.quoted(into))")
    }
}

/// What a repair carries and what not.
enum RepairText {
    /// The lines for people.
    static func lines(_ name: String, _ survey: JournalRepair.Survey) -> [String] {
        let title = name.isEmpty ? "queue" : name
        let carried = "\(title): lines up to \(survey.lastCarried) are good"
        guard let file = survey.damagedFile else { return [carried + ", nothing is lost"] }
        let range = survey.lostRange.map { "\($0.lowerBound) to \($0.upperBound)" } ?? "none"
        return [
            carried, "  damaged  \(file) at byte \(survey.offset)",
            "  lost     \(survey.lost) lines: \(range)",
        ] + survey.identifiers.map { "  named    \(ScreenText.plain($0))" }
    }

    /// A line of JSON for programs.
    static func json(_ name: String, _ survey: JournalRepair.Survey) -> String {
        let value = JSONValue.parameters([
            ("journal", .string(name.isEmpty ? "queue" : name)),
            ("lastCarried", .integer(Int64(clamping: survey.lastCarried))),
            ("lost", .integer(Int64(clamping: survey.lost))),
            ("damagedFile", survey.damagedFile.map(JSONValue.string)),
            ("offset", survey.damagedFile.map { _ in .integer(survey.offset) }),
            ("identifiers", .texts(survey.identifiers)),
        ])
        return (value ?? .null).jsonText()
    }
}
