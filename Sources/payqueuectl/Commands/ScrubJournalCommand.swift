import ArgumentParser
import PaymentStorage
import StrictJSON

/// Reads all files of a state directory and compares them with their checksums.
struct ScrubJournalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scrub",
        abstract: "Read all journal files and compare them with their checksums.",
        usage: "payqueuectl journal scrub --state-directory /var/lib/payqueued",
        discussion: """
            Reads every file, as the daemon does once a day: segments, snapshots, files of finished \
            transactions and their indexes. Damaged indexes are built again, unless a daemon runs, \
            which builds them itself. Other files are never changed. If all are whole, it also \
            says what 'verify' would find, such as a missing file.

            Exit status: 0 whole, 1 damaged, 2 unreadable.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var place: StatePlace

    func run() throws {
        let root = try place.path()
        var reports: [(path: String, report: ScrubReport, isRebuilt: Bool)] = []
        for path in StatePlace.journals(in: root) {
            let disk = try StatePlace.disk(path, failing: .unreadable)
            let line = ProgressLine(
                "reading \(path)", totalBytes: ProgressDisk.totalBytes(disk, below: []))
            var report = JournalScrub.run(ProgressDisk.watch(disk, line: line))
            line.end()
            if report.damage.isEmpty { report.damage = JournalScrub.gaps(in: disk) }
            reports.append((path, report, try rebuild(report, path)))
        }
        // A wrong path must not look like a whole journal.
        guard reports.contains(where: { $0.report.files > 0 || !$0.report.damage.isEmpty }) else {
            throw JournalText.missing(root, action: "scrub")
        }
        output.show(Self.json(reports)) { _ in reports.flatMap(Self.lines) }
        let damage = reports.flatMap(\.report.damage)
        guard !damage.isEmpty else { return }
        let isUnreadable = damage.contains(where: \.isUnreadable)
        throw JournalText.failure(
            exitCode: (isUnreadable ? ExitStatus.unreadable : .refused).rawValue, path: root)
    }

    /// Builds damaged indexes again. False if there are none, or a daemon is there to do it.
    private func rebuild(
        _ report: ScrubReport, _ path: String
    ) throws -> Bool {
        guard !report.damagedIndexes.isEmpty else { return false }
        do {
            let directory = try StateDirectory(
                path: path, identity: .current(program: "payqueuectl"),
                started: StorageEnvironment.system.now())
            defer { directory.release() }
            try JournalScrub.rebuildIndexes(in: directory)
            return true
        } catch StorageError.inUse {
            return false
        } catch {
            throw CommandFailure(
                .refused, "cannot build the indexes of '\(path)' again: \(error)",
                advice: "the next start builds them")
        }
    }

    private static func lines(
        _ path: String, _ report: ScrubReport, _ isRebuilt: Bool
    ) -> [String] {
        let verdict =
            report.damage.isEmpty
            ? Console.styled("whole", .good) : Console.styled("damaged", .bad)
        return ["\(ScreenText.plain(path)): \(verdict), \(Wording.count(report.files, "file"))"]
            + report.damage.map { damage in
                ScreenText.plain("  damaged  \(damage.file)  \(JournalText.words(damage.detail))")
            }
            + report.damage.flatMap(\.identifiers).map { "  named    \(ScreenText.plain($0))" }
            + report.damagedIndexes.map { name in
                ScreenText.plain(
                    "  index    \(name)  damaged; "
                        + (isRebuilt ? "built again" : "the daemon builds it again"))
            }
    }

    private static func json(
        _ reports: [(path: String, report: ScrubReport, isRebuilt: Bool)]
    ) -> JSONValue {
        let journals = reports.map { path, report, isRebuilt -> JSONValue in
            [
                "path": .string(path), "files": .integer(Int64(report.files)),
                "damage": .array(report.damage.map(json)),
                "damagedIndexes": .array(report.damagedIndexes.map { .string($0) }),
                "rebuilt": .bool(isRebuilt),
            ]
        }
        return [
            "whole": .bool(reports.allSatisfy { $0.report.damage.isEmpty }),
            "journals": .array(journals),
        ]
    }

    private static func json(_ damage: StorageDamage) -> JSONValue {
        .parameters([
            ("file", .string(damage.file)),
            ("offset", damage.offset.map { .integer(Int64($0)) }),
            ("from", damage.first.map { .integer(Int64(clamping: $0)) }),
            ("to", damage.last.map { .integer(Int64(clamping: $0)) }),
            ("identifiers", .texts(damage.identifiers)),
            ("detail", .string(damage.detail)),
        ]) ?? .null
    }
}
