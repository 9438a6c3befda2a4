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
            transactions and their indexes. Missing and damaged indexes are built, unless a daemon runs, \
            which builds them itself. Other files are never changed. If all are whole, it also \
            says what 'verify' would find, such as a missing file.

            Exit status: 0 whole, 1 damaged, 2 unreadable.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var place: StatePlace

    /// The result for one journal.
    private struct Scrubbed {
        let path: String
        let report: ScrubReport
        /// The files of finished transactions that no index covered.
        var unindexed: [String] = []
        var isRebuilt = false
    }

    func run() throws {
        let root = try place.path()
        var reports: [Scrubbed] = []
        for path in StatePlace.journals(in: root) {
            let disk = try StatePlace.disk(path, failing: .unreadable)
            let line = ProgressLine(
                "reading \(path)", totalBytes: ProgressDisk.totalBytes(disk, below: []))
            var report = JournalScrub.run(ProgressDisk.watch(disk, line: line))
            line.end()
            if report.damage.isEmpty { report.damage = JournalScrub.gaps(in: disk) }
            var scrubbed = Scrubbed(path: path, report: report)
            scrubbed.unindexed = (try? JournalStats(disk))?.unindexed ?? []
            scrubbed.isRebuilt = try rebuild(scrubbed)
            reports.append(scrubbed)
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

    /// Builds missing and damaged indexes. False if there are none, or a daemon is there to do it.
    private func rebuild(_ scrubbed: Scrubbed) throws -> Bool {
        guard scrubbed.report.damage.isEmpty,
            !scrubbed.report.damagedIndexes.isEmpty || !scrubbed.unindexed.isEmpty
        else {
            return false
        }
        let path = scrubbed.path
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

    private static func lines(_ scrubbed: Scrubbed) -> [String] {
        let report = scrubbed.report
        let result = scrubbed.isRebuilt ? "built again" : "the daemon builds it again"
        let verdict =
            report.damage.isEmpty
            ? Console.styled("whole", .good) : Console.styled("damaged", .bad)
        return [
            "\(ScreenText.plain(scrubbed.path)): \(verdict), \(Wording.count(report.files, "file"))"
        ]
            + report.damage.map { damage in
                ScreenText.plain("  damaged  \(damage.file)  \(JournalText.words(damage.detail))")
            }
            + report.damage.flatMap(\.identifiers).map { "  named    \(ScreenText.plain($0))" }
            + report.damagedIndexes.map { ScreenText.plain("  index    \($0)  damaged; \(result)") }
            + scrubbed.unindexed.map { ScreenText.plain("  index    of \($0)  missing; \(result)") }
    }

    private static func json(_ reports: [Scrubbed]) -> JSONValue {
        let journals = reports.map { scrubbed -> JSONValue in
            let report = scrubbed.report
            return [
                "path": .string(scrubbed.path), "files": .integer(Int64(report.files)),
                "damage": .array(report.damage.map(json)),
                "damagedIndexes": .array(report.damagedIndexes.map { .string($0) }),
                "unindexed": .array(scrubbed.unindexed.map { .string($0) }),
                "rebuilt": .bool(scrubbed.isRebuilt),
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
