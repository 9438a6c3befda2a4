import ArgumentParser
import PaymentCore
import PaymentStorage
import SandboxStorage
import StrictJSON

/// Counts the contents of a state directory.
struct StatsJournalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Count files, bytes and transactions of the journal.",
        usage: "payqueuectl journal stats --state-directory /var/lib/payqueued",
        discussion: """
            Reads what a start reads and changes nothing. Transactions are counted as of the newest \
            line.

            Exit status: 0 counted, 1 a start would refuse the journal, 2 unreadable.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var place: StatePlace

    func run() throws {
        let root = try place.path()
        let disk = try StatePlace.disk(root, failing: .unreadable)
        let stats: JournalStats
        do {
            stats = try JournalStats(disk)
        } catch {
            throw CommandFailure(
                .unreadable, "cannot read '\(root)/\(error.name)': \(error.reason)",
                advice: "run this as the daemon's user or as root",
                kind: ExitStatus.unreadableKind)
        }
        let line = ProgressLine(
            "reading \(root)", totalBytes: ProgressDisk.totalBytes(disk, below: []))
        var replay = QueueReplay.withSandbox()
        let report = JournalVerifier.verify(ProgressDisk.watch(disk, line: line)) {
            // The files are read again if a daemon changes them meanwhile.
            replay = QueueReplay.withSandbox()
            return LocalLog.visitor(replay)
        }
        line.end()
        guard report.exitCode == 0 else {
            throw JournalText.failure(exitCode: report.exitCode, path: root)
        }
        guard !report.isEmpty else { throw JournalText.missing(root, action: "count") }
        let queue = replay.takeQueue(head: report.last ?? 0)
        var closedInMemory = 0
        queue.closings { _, _ in closedInMemory += 1 }
        let counts = Counts(
            open: queue.unfinishedCount, closedInMemory: closedInMemory, head: report.last ?? 0)
        output.show(Self.json(stats, counts)) { _ in Self.lines(stats, counts) }
    }

    /// The numbers of the queue.
    private struct Counts {
        let open: Int
        /// The closed things that are in no archive file yet.
        let closedInMemory: Int
        /// The last line.
        let head: SequenceNumber
    }

    private static func kinds(_ stats: JournalStats) -> [(String, JournalStats.Files)] {
        [
            ("segments", stats.segments), ("snapshots", stats.snapshots),
            ("archives", stats.archives), ("ledgers", stats.ledgers), ("indexes", stats.indexes),
        ]
    }

    private static func lines(_ stats: JournalStats, _ counts: Counts) -> [String] {
        var rows = kinds(stats).map { name, files in
            (name, "\(Wording.count(files.count, "file")), \(files.bytes) bytes")
        }
        let began = stats.began.map { ", kept since \($0)" } ?? ""
        rows.append(("records", "\(stats.oldest ?? 1) to \(counts.head)\(began)"))
        rows.append(("snapshot", stats.snapshot.map { "as of record \($0)" } ?? "none"))
        rows.append(("open", Wording.count(counts.open, "transaction")))
        let times = stats.closed.map { ", of \($0.lowerBound) to \($0.upperBound)" } ?? ""
        rows.append(
            (
                "closed",
                "\(Wording.count(stats.closedLines, "line")) in files\(times), \(counts.closedInMemory) since the snapshot"
            ))
        rows.append(
            (
                "index",
                stats.unindexed.isEmpty
                    ? "whole" : "missing for " + stats.unindexed.joined(separator: ", ")
            ))
        return rows.map { name, text in
            let space = String(repeating: " ", count: max(1, 10 - name.count))
            return Console.styled(name + space, .quiet) + ScreenText.plain(text)
        }
    }

    private static func json(_ stats: JournalStats, _ counts: Counts) -> JSONValue {
        let files = kinds(stats).map { name, files in
            JSONMember(
                name: name,
                value: [
                    "files": .integer(Int64(files.count)),
                    "bytes": .integer(Int64(files.bytes)),
                ])
        }
        let numbers = JSONValue.parameters([
            ("oldest", .integer(Int64(clamping: stats.oldest ?? 1))),
            ("head", .integer(Int64(clamping: counts.head))),
            ("began", stats.began.map { .string($0.description) }),
            ("snapshot", stats.snapshot.map { .integer(Int64(clamping: $0)) }),
            ("open", .integer(Int64(counts.open))),
            ("closedLines", .integer(Int64(clamping: stats.closedLines))),
            ("closedInMemory", .integer(Int64(counts.closedInMemory))),
            ("oldestClosed", stats.closed.map { .string($0.lowerBound.description) }),
            ("newestClosed", stats.closed.map { .string($0.upperBound.description) }),
            ("unindexed", .texts(stats.unindexed)),
        ])
        return .object(files + (numbers?.members ?? []))
    }
}
