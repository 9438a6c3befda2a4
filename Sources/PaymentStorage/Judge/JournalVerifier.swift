public import PaymentCore

/// Verifies a journal without changes, with the same judge as a start.
///
/// It takes no lock, so a daemon may write meanwhile. The end of the last segment may then be a batch that is
/// being written, which counts as torn and not as damage. A daemon that stops shortens the last segment, and a
/// running one deletes old files.
///
/// Damage therefore counts only if the lock file did not change during the reading. The daemon writes that file
/// once per second and when it stops. While a daemon runs, a second reading must find the same damage. One
/// reading may have met the first half of a batch and then lines after it.
public enum JournalVerifier {
    /// Verifies a directory.
    ///
    /// - Parameters:
    ///   - disk: The directory.
    ///   - isDeep: Whether also those files are read that a start does not need: the segments before
    ///     the newest snapshot, the other snapshots, the digests of all segments, the files of closed
    ///     things and their indexes. Without it a start accepts the directory exactly if the exit code
    ///     of the report is 0.
    ///   - lineLimitBytes: The maximum length of a line in bytes; a longer line is damage.
    ///   - visitor: Makes a receiver of the content, which may object to it as at a start.
    ///   - quick: Makes a receiver that reads quickly, and may object to valid content. After an objection or
    ///     damage everything is read again with `visitor`; only that reading counts.
    /// - Returns: The report.
    public static func verify(
        _ disk: any Disk, isDeep: Bool = false,
        lineLimitBytes: Int = JournalPolicy().lineLimitBytes,
        visitor: () -> any RecoveryVisitor = { AnyContent() },
        quick: (() -> any RecoveryVisitor)? = nil
    ) -> VerifyReport {
        var policy = JournalPolicy()
        policy.lineLimitBytes = lineLimitBytes
        if let receiver = quick?() {
            let report = judged(LogJudge(disk, policy: policy, visitor: receiver, isDeep: isDeep))
            let hasTakenAll = (try? receiver.end()) != nil
            if hasTakenAll, report.exitCode == 0 { return report }
        }
        var report = VerifyReport()
        for _ in 1...attempts {
            let (before, last) = (lockBytes(disk), report)
            report = judged(LogJudge(disk, policy: policy, visitor: visitor(), isDeep: isDeep))
            guard report.exitCode > 0 else { break }
            if lockBytes(disk) == before, !isInUse(disk) || report == last { break }
        }
        return report
    }

    /// The maximum number of readings of a directory that changes meanwhile.
    private static let attempts = 4

    private static func lockBytes(_ disk: any Disk) -> [UInt8]? {
        try? disk.open(FileName.lock, .read).readAll(limit: LockFile.wholeLength)
    }

    private static func isInUse(_ disk: any Disk) -> Bool {
        (try? disk.open(FileName.lock, .read).lockHolder()) != nil
    }

    private static func judged(_ judge: LogJudge) -> VerifyReport {
        var judge = judge
        var report = VerifyReport()
        do {
            switch try judge.judge() {
            case .empty: report.isEmpty = true
            case .sound(let inventory, let found):
                report.last = found.position.next - 1
                if found.tail.bytesInDoubt > 0 {
                    report.find(
                        .torn, FileName.segment(first: inventory.segments.last ?? 1),
                        "\(found.tail.bytesInDoubt) bytes from byte \(found.tail.end) on, which "
                            + (found.marks.last.isCopy
                                ? "are read from etcd again" : "were never acknowledged"))
                }
            case .damaged(let refusal):
                report.find(refusal)
                report.hasForeignRecords =
                    judge.replayedEvents == 0
                    && [.unknownType, .inconsistentRecord].contains(refusal.reason)
            }
        } catch {
            report.find(.unreadable, ".", error.description)
        }
        for name in judge.report.damagedSnapshots where !judge.isDeep {
            report.find(.remark, name, "it is damaged; a start passes over it")
        }
        for refusal in judge.furtherFindings { report.find(refusal) }
        for name in judge.damagedIndexes {
            report.find(.remark, name, "it is damaged; a start builds it again")
        }
        report.store = judge.store?.description
        report.files =
            judge.report.segments + judge.report.snapshots + judge.report.archives
        report.snapshots = judge.report.snapshots
        report.lines = judge.report.lines
        report.events = judge.report.events
        report.first = judge.firstLine
        return report
    }
}

/// A visitor that takes everything.
public final class AnyContent: RecoveryVisitor {
    /// Creates a visitor.
    public init() {}

    /// Takes any line of a snapshot.
    public func snapshotLine(_ content: LineContent) -> Bool { true }

    /// Takes the end of a snapshot.
    public func snapshotIsComplete(lastEvent: SequenceNumber) {}

    /// Takes any event.
    public func event(_ line: JournalLine) -> Bool { true }

    /// Ignores progress.
    public func progress(_ progress: RecoveryProgress) {}
}

/// The result of a verification.
public struct VerifyReport: Sendable, Hashable {
    /// The severity of a finding.
    public enum Severity: String, Sendable, Hashable, Comparable {
        /// A damaged file that a start does without.
        case remark
        /// The end of a batch that was never acknowledged, or of a copy; the next start cuts it.
        case torn
        /// A start refuses the journal, or a file that only a deep verification reads is damaged.
        case damaged
        /// The disk could not read the file.
        case unreadable

        /// Orders by severity.
        public static func < (left: Severity, right: Severity) -> Bool {
            let order: [Severity] = [.remark, .torn, .damaged, .unreadable]
            return (order.firstIndex(of: left) ?? 0) < (order.firstIndex(of: right) ?? 0)
        }
    }

    /// One problem.
    public struct Finding: Sendable, Hashable {
        /// The severity.
        public var severity: Severity
        /// The file.
        public var file: String
        /// A description of the problem.
        public var detail: String
    }

    /// Whether there is no journal yet: a start makes one.
    public internal(set) var isEmpty = false
    /// Whether the visitor did not understand the first record.
    public internal(set) var hasForeignRecords = false
    /// The identifier of the store, if known.
    public internal(set) var store: String?
    /// The number of segments, snapshots and files of closed things that verified.
    public internal(set) var files = 0
    /// The number of valid snapshots.
    public internal(set) var snapshots = 0
    /// The number of valid lines.
    public internal(set) var lines = 0
    /// The number of events among the valid lines.
    public internal(set) var events = 0
    /// The first sequence number that was read.
    public internal(set) var first: SequenceNumber?
    /// The last sequence number that was read.
    public internal(set) var last: SequenceNumber?
    /// The findings in the order of their discovery.
    public internal(set) var findings: [Finding] = []

    /// 0 if a start accepts the journal and, after a deep verification, all of it is intact; 1 for damage; 2
    /// for unreadable files.
    public var exitCode: Int32 {
        switch findings.map(\.severity).max() {
        case nil, .remark, .torn: 0
        case .damaged: 1
        case .unreadable: 2
        }
    }

    mutating func find(_ severity: Severity, _ file: String, _ detail: String) {
        findings.append(Finding(severity: severity, file: file, detail: detail))
    }

    mutating func find(_ refusal: RecoveryRefusal) {
        find(
            refusal.reason == .unreadable ? .unreadable : .damaged, refusal.file,
            refusal.findingText)
    }
}
