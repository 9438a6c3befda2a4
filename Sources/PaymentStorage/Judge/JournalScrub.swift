internal import PaymentCore

/// Reads all files of a journal and compares them with their checksums, with the code of a deep
/// verification, also while a daemon writes the journal.
public enum JournalScrub {
    /// Reads a journal.
    ///
    /// - Parameters:
    ///   - disk: The directory. An ``ObservedDisk`` can slow the reading down.
    ///   - lineLimitBytes: The maximum length of a line in bytes; a longer line is damage.
    /// - Returns: The damage. The end of a batch that is being written is none, nor is a file that a
    ///   daemon removes meanwhile.
    public static func run(
        _ disk: any Disk, lineLimitBytes: Int = JournalPolicy().lineLimitBytes
    ) -> ScrubReport {
        var policy = JournalPolicy()
        policy.lineLimitBytes = lineLimitBytes
        var judge = LogJudge(disk, policy: policy, visitor: AnyContent(), isDeep: true)
        judge.isLive = true
        var findings: [RecoveryRefusal] = []
        do {
            let inventory = try Inventory(disk)
            if let format = try StoreFormat.find(inventory, disk, checksParts: false) {
                // A start judges the lock file itself, and a daemon may be writing it.
                let marks = (try? LogMarks(disk, format)) ?? LogMarks(of: format.store)
                try judge.readKept(
                    LogJudge.Kept(
                        segments: inventory.segments, active: inventory.segments.last,
                        snapshots: inventory.snapshots),
                    LogJudge.Found(format, marks))
            }
        } catch let refusal as RecoveryRefusal {
            findings.append(refusal)
        } catch {
            findings.append(RecoveryRefusal(.unreadable, file: ".", detail: "\(error)"))
        }
        findings += judge.furtherFindings
        let report = judge.report
        return ScrubReport(
            files: report.segments + report.snapshots + report.archives,
            damage: findings.map { StorageDamage($0) }, damagedIndexes: judge.damagedIndexes)
    }
}

extension JournalScrub {
    /// The reasons why a start would refuse a directory although all its files are intact, such as a missing
    /// file.
    ///
    /// - Parameter disk: The directory; a daemon may be writing it.
    /// - Returns: The reasons, each with the file that it concerns.
    public static func gaps(in disk: any Disk) -> [StorageDamage] {
        JournalVerifier.verify(disk).findings.filter { $0.severity >= .damaged }.map { finding in
            StorageDamage(
                file: finding.file, isUnreadable: finding.severity == .unreadable,
                detail: finding.detail)
        }
    }

    /// Builds indexes again that are missing or damaged.
    ///
    /// - Parameter directory: The state directory, which no daemon owns.
    /// - Throws: A file of closed things is damaged, so that it cannot be indexed, or an index cannot be written.
    public static func rebuildIndexes(
        in directory: StateDirectory
    ) throws(ArchiveFailure) {
        let disk = directory.disk
        for last in try onDisk(try Inventory(disk)).snapshots.reversed() {
            let name = FileName.snapshot(last: last)
            guard let snapshot = try? SnapshotFile(verifying: name, on: disk) else { continue }
            guard let history = snapshot.header.history else { return }
            // Building an index needs no products: only reading lines does.
            let builder = ArchiveBuilder(on: disk, of: history.id, products: ArchiveProducts())
            let archives = try builder.reindex(builder.open(history.manifest))
            if let damage = archives.damage.first {
                throw .damaged(
                    file: damage.file, offset: damage.offset ?? 0, reason: damage.detail)
            }
            return
        }
    }
}

/// The result of a scrub.
public struct ScrubReport: Sendable, Hashable {
    /// The number of intact files, without indexes.
    public var files: Int
    /// The damaged files.
    public var damage: [StorageDamage]
    /// The damaged indexes, which are built again.
    public var damagedIndexes: [String]

    /// Creates a report.
    public init(files: Int, damage: [StorageDamage], damagedIndexes: [String]) {
        self.files = files
        self.damage = damage
        self.damagedIndexes = damagedIndexes
    }
}

extension StorageDamage {
    init(_ finding: RecoveryRefusal) {
        self.init(
            file: finding.file, offset: finding.offset, first: finding.firstInDoubt,
            last: finding.lastInDoubt, identifiers: finding.identifiers,
            isUnreadable: finding.reason == .unreadable, detail: finding.findingText)
    }
}
