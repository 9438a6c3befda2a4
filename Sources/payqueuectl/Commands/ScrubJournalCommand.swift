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
            transactions and their indexes. Missing and damaged indexes are built, unless a daemon uses \
            the directory; an index that stays damaged counts as damage. Other files are never changed. \
            If all are whole, it also says what 'verify' would find, such as a missing file.

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
        /// The reason why their indexes were not built; nil if they were built or are not needed.
        var obstacle: String?

        var needsIndexes: Bool { !report.damagedIndexes.isEmpty || !unindexed.isEmpty }

        /// Whether no file is damaged. A missing index is not damage.
        var isWhole: Bool {
            report.damage.isEmpty && (report.damagedIndexes.isEmpty || obstacle == nil)
        }
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
            if scrubbed.needsIndexes { scrubbed.obstacle = Self.buildIndexes(of: scrubbed) }
            reports.append(scrubbed)
        }
        // A wrong path must not look like an intact journal.
        guard reports.contains(where: { $0.report.files > 0 || !$0.report.damage.isEmpty }) else {
            throw JournalText.missing(root, action: "scrub")
        }
        output.show(Self.json(reports)) { _ in reports.flatMap(Self.lines) }
        guard !reports.allSatisfy(\.isWhole) else { return }
        let isUnreadable = reports.flatMap(\.report.damage).contains(where: \.isUnreadable)
        throw JournalText.failure(
            exitCode: (isUnreadable ? ExitStatus.unreadable : .refused).rawValue, path: root)
    }

    /// Builds missing and damaged indexes.
    ///
    /// - Returns: The reason why they were not built; nil if they were built.
    private static func buildIndexes(of scrubbed: Scrubbed) -> String? {
        guard scrubbed.report.damage.isEmpty else { return "files are damaged" }
        do {
            let directory = try StateDirectory(
                path: scrubbed.path, identity: .current(program: "payqueuectl"),
                started: StorageEnvironment.system.now())
            defer { directory.release() }
            try JournalScrub.rebuildIndexes(in: directory)
            return nil
        } catch StorageError.inUse {
            return "a daemon uses the directory"
        } catch {
            return "\(error)"
        }
    }

    private static func lines(_ scrubbed: Scrubbed) -> [String] {
        let report = scrubbed.report
        let result = scrubbed.obstacle.map { "not built: \($0)" } ?? "built"
        let verdict =
            scrubbed.isWhole
            ? Console.styled("whole", .good) : Console.styled("damaged", .bad)
        return [
            "\(ScreenText.plain(scrubbed.path)): \(verdict), \(Wording.count(report.files, "file"))"
        ]
            + report.damage.map { damage in
                ScreenText.plain("  damaged  \(damage.file)  \(JournalText.words(damage.detail))")
            }
            + report.damage.flatMap(\.identifiers).map { "  named    \(ScreenText.plain($0))" }
            + report.damagedIndexes.map { ScreenText.plain("  index    \($0)  damaged") }
            + scrubbed.unindexed.map { ScreenText.plain("  index    of \($0)  missing or damaged") }
            + (scrubbed.needsIndexes ? [ScreenText.plain("  indexes  \(result)")] : [])
    }

    private static func json(_ reports: [Scrubbed]) -> JSONValue {
        let journals = reports.map { scrubbed -> JSONValue in
            let report = scrubbed.report
            return [
                "path": .string(scrubbed.path), "files": .integer(Int64(report.files)),
                "damage": .array(report.damage.map(json)),
                "damagedIndexes": .array(report.damagedIndexes.map { .string($0) }),
                "unindexed": .array(scrubbed.unindexed.map { .string($0) }),
                "rebuilt": .bool(scrubbed.needsIndexes && scrubbed.obstacle == nil),
            ]
        }
        return [
            "whole": .bool(reports.allSatisfy(\.isWhole)),
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
