import ArgumentParser
import PaymentStorage
import StrictJSON

/// Recovers the intact part of a damaged state directory.
struct RepairJournalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Save what is left of a damaged state directory.",
        usage: """
            payqueuectl journal repair --state-directory ./state --into ./repaired
            payqueuectl journal repair --into <directory> [--accept-loss <lines>]
            """,
        discussion: """
            Writes a new directory and leaves the damaged one as it is. Copies every line that \
            can be proven, also behind damage, and names those that are lost by their sequence \
            numbers; accept that loss by its exact number of lines. A backup may have more: see \
            'payqueuectl restore-backup'.

            Exit status: 0 written, 1 not written.
            """)

    @Option(
        help: ArgumentHelp("The new state directory.", valueName: "directory"),
        completion: .directory)
    var into: String

    @Option(help: ArgumentHelp("The number of lines that may be lost.", valueName: "lines"))
    var acceptLoss: UInt64?

    @OptionGroup var output: OutputOptions
    @OptionGroup var place: StatePlace

    func run() throws {
        let path = try place.path()
        let disk = try StatePlace.disk(path)
        let places = (source: BackupPlace.resolved(path), target: BackupPlace.resolved(into))
        guard places.source != places.target,
            BackupPlace.inside(places.source, places.target) == nil
        else {
            throw CommandFailure(
                .refused, "cannot repair '\(path)': '\(into)' is inside it",
                advice: "name a new directory elsewhere with --into")
        }
        let progress = ProgressLine("reading", totalBytes: ProgressDisk.totalBytes(disk))
        let source = ProgressDisk.watch(disk, line: progress)
        defer { progress.end() }
        let surveys: [(name: String, survey: JournalRepair.Survey)]
        do {
            surveys = try JournalRepair.surveyAll(source, visitor: JournalKind.visitor)
            progress.end()
            if !output.json {
                surveys.flatMap { RepairText.lines($0.name, $0.survey) }.forEach(Console.line)
            }
            let lost = surveys.reduce(0) { $0 + $1.survey.lost }
            let isEndProven = surveys.allSatisfy(\.survey.isEndProven)
            guard let accepted = acceptLoss ?? (lost == 0 && isEndProven ? 0 : nil) else {
                let missing = surveys.first(where: \.survey.isMissing)?.name
                let problem =
                    lost > 0
                    ? "cannot save \(Wording.count(lost, "line")) of '\(path)'"
                    : missing.map { "cannot save '\(path)/\($0)', which is missing" }
                        ?? "nothing proves that the log of '\(path)' is complete"
                throw CommandFailure(
                    .refused, "\(problem); nothing was written",
                    advice: "look in a backup first; then repeat this with "
                        + "'--accept-loss \(lost)'", kind: "lossNotAccepted",
                    data: RepairText.json(surveys))
            }
            guard accepted == lost else {
                throw BackupFailure("\(lost) lines would be lost, not \(accepted)")
            }
            let target: SystemDisk
            do {
                target = try SystemDisk(path: into, create: true)
            } catch {
                throw CommandFailure(
                    .refused, "cannot make '\(into)': \(error.reason)",
                    advice: "name a new directory that this user may make")
            }
            progress.begin("writing")
            try JournalRepair.repairAll(
                source, into: target, acceptedLoss: accepted, visitor: JournalKind.visitor)
        } catch let failure as BackupFailure {
            throw CommandFailure(
                .refused, "cannot repair '\(path)': \(JournalText.words(failure.description))",
                advice:
                    "'\(path)' was not changed; correct that, remove what is in '\(into)', and repeat "
                    + "the command")
        }
        progress.end()
        let report = JSONValue.object(
            [JSONMember(name: "into", value: .string(into))]
                + (RepairText.json(surveys).members ?? []))
        output.show(report) { _ in
            [
                "'\(into)' is a new state directory with a new epoch",
                "next: payqueued --state-directory \(Shell.quoted(into))",
            ]
        }
    }
}

/// The result of a repair: the recovered and the lost lines.
enum RepairText {
    /// The lines for users.
    static func lines(_ name: String, _ survey: JournalRepair.Survey) -> [String] {
        let title = name.isEmpty ? "queue" : name
        guard let finding = survey.finding else { return ["\(title): whole, nothing is lost"] }
        let problem = "\(title): \(JournalText.words(finding.description))"
        guard !survey.isMissing else {
            return [problem, "  unknown  how many lines are lost with it"]
        }
        let ranges = text(survey.lostRanges)
        return [
            problem,
            "  lost     \(Wording.count(survey.lost, "line"))"
                + (ranges.isEmpty ? "" : ": " + ranges.joined(separator: ", ")),
        ]
            + survey.lostClosings.map { lost in
                "  closed   \(Wording.count(lost.lines, "line")) of '\(lost.file)', closed by "
                    + Self.text(lost.ranges).joined(separator: ", ")
            }
            + (survey.isEndProven
                ? [] : ["  unknown  whether lines after \(survey.last) are missing"])
            + survey.identifiers.map { "  named    \(ScreenText.plain($0))" }
    }

    private static func text(_ ranges: [ClosedRange<UInt64>]) -> [String] {
        ranges.map { range in
            range.count == 1
                ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
        }
    }

    /// All surveys as JSON.
    static func json(_ surveys: [(name: String, survey: JournalRepair.Survey)]) -> JSONValue {
        ["journals": .array(surveys.map { json($0.name, $0.survey) })]
    }

    private static func json(_ name: String, _ survey: JournalRepair.Survey) -> JSONValue {
        .parameters([
            ("journal", .string(name.isEmpty ? "queue" : name)),
            ("last", .integer(Int64(clamping: survey.last))),
            ("endProven", .bool(survey.isEndProven)),
            ("lost", .integer(Int64(clamping: survey.lost))),
            ("lostRanges", json(survey.lostRanges)),
            (
                "lostClosings",
                .array(
                    survey.lostClosings.map { lost in
                        [
                            "file": .string(lost.file),
                            "lines": .integer(Int64(clamping: lost.lines)),
                            "ranges": json(lost.ranges),
                        ]
                    })
            ),
            ("finding", survey.finding.map { .string($0.description) }),
            ("identifiers", .texts(survey.identifiers)),
        ]) ?? .null
    }

    private static func json(_ ranges: [ClosedRange<UInt64>]) -> JSONValue {
        .array(
            ranges.map { range in
                [
                    "first": .integer(Int64(clamping: range.lowerBound)),
                    "last": .integer(Int64(clamping: range.upperBound)),
                ]
            })
    }
}
