internal import Crypto
public import PaymentCore
internal import StrictJSON

/// Verifies every file of a journal without changes, and reports the findings.
///
/// Takes no lock: next to a running daemon the end of the last segment may be a batch that is being
/// written, which counts as torn and not as damage.
public enum JournalVerifier {
    /// Verifies a directory.
    ///
    /// It checks everything that a start checks, and also the digest of every kept segment and
    /// every snapshot.
    public static func verify(
        _ disk: any Disk, lineLimitBytes: Int = JournalPolicy().lineLimitBytes
    ) -> VerifyReport {
        var report = VerifyReport()
        do {
            let inventory = try Inventory(disk)
            guard inventory.hasFormat else {
                report.find(.damaged, FileName.format, "it is missing")
                return report
            }
            let format = try StoreFormat(disk.open(FileName.format, .read).readAll(limit: 1 << 16))
            report.store = format.store.description
            let snapshots = inventory.snapshots.filter { snapshot($0, disk, format, &report) }
            let first = inventory.segments.first ?? 1
            if first > 1, !snapshots.contains(where: { $0 + 1 >= first }) {
                report.find(
                    .damaged, FileName.segment(first: first),
                    "the log begins here and no valid snapshot covers earlier records")
            }
            var walk = SegmentWalk(disk: disk, format: format, lineLimit: lineLimitBytes)
            for first in inventory.segments {
                walk.segment(first, isLast: first == inventory.segments.last, &report)
            }
            // A start requires the last line of a recorded clean stop.
            if report.findings.isEmpty, let stop = try Self.cleanStop(disk), let end = walk.end,
                stop.sequence >= end.next
            {
                report.find(
                    .damaged, end.file,
                    "lines \(end.next) to \(stop.sequence) are missing at the end")
            }
            if inventory.segments.isEmpty {
                report.find(.damaged, FileName.segment(first: 1), "there is no segment")
            }
        } catch let refusal as RecoveryRefusal {
            report.find(.damaged, refusal.file, refusal.description)
        } catch {
            report.find(.unreadable, ".", "\(error)")
        }
        return report
    }

    private static func cleanStop(_ disk: any Disk) throws -> LockFile.CleanStop? {
        guard try disk.status(of: FileName.lock) != nil else { return nil }
        return try LockFile(file: disk.open(FileName.lock, .read)).read()?.cleanStop
    }

    private static func snapshot(
        _ last: SequenceNumber, _ disk: any Disk, _ format: StoreFormat,
        _ report: inout VerifyReport
    ) -> Bool {
        let name = FileName.snapshot(last: last)
        report.files += 1
        do {
            let file = try SnapshotFile(verifying: name, on: disk)
            guard file.header.store == format.store, file.header.position.next == last + 1 else {
                report.find(.damaged, name, "it belongs to another store or position")
                return false
            }
            try file.forEachItem { _ in }
            report.snapshots += 1
            return true
        } catch {
            report.find(.damaged, name, "\(error)")
            return false
        }
    }
}

/// Verifies the segments in order.
private struct SegmentWalk {
    let disk: any Disk
    let format: StoreFormat
    let lineLimit: Int
    var previous: (header: SegmentHeader, end: SegmentHeader.Previous, next: SequenceNumber)?
    /// The end of the log.
    private(set) var end: (file: String, next: SequenceNumber)?

    /// Verifies one segment.
    mutating func segment(_ first: SequenceNumber, isLast: Bool, _ report: inout VerifyReport) {
        let name = FileName.segment(first: first)
        report.files += 1
        do {
            let file = try disk.open(name, .read)
            let length = try file.length()
            var scanner = SegmentScanner(
                file: file, limit: length, expected: first, lineLimit: lineLimit)
            var digest = SHA256()
            var seal: SegmentSeal?
            var header: SegmentHeader?
            scan: while true {
                let digestBefore = digest
                switch try scanner.next() {
                case .line(let line):
                    scanner.withLastLine { digest.update(bufferPointer: $0) }
                    report.count(line)
                    if header == nil { header = try check(line, first, name, &report) }
                    if line.content.isWord("seal") {
                        seal = try SegmentSeal(line)
                        if seal?.digest != digestBefore.hex {
                            report.find(.damaged, name, "the seal has another digest")
                        }
                    }
                case .end:
                    break scan
                case .damaged(let reason):
                    try doubt(reason, scanner, file, length, name, isLast, &report)
                    break scan
                }
            }
            end = (name, scanner.expected)
            if !isLast, seal == nil { report.find(.damaged, name, "the seal is missing") }
            guard let header else { return }
            previous = (
                header, .init(checksum: scanner.chain, digest: digest.hex), scanner.expected
            )
        } catch let failure as DiskFailure {
            report.find(.unreadable, name, failure.description)
        } catch {
            report.find(.damaged, name, "\(error)")
        }
    }

    private func check(
        _ line: JournalLine, _ first: SequenceNumber, _ name: String,
        _ report: inout VerifyReport
    ) throws -> SegmentHeader {
        let header = try SegmentHeader(line)
        if header.store != format.store {
            report.find(
                .damaged, name,
                """
                it belongs to another store
                """)
        }
        guard let previous else { return header }
        if previous.next != first {
            report.find(.damaged, name, "lines \(previous.next) to \(first - 1) are missing")
        } else if header.previous != previous.end || header.number != previous.header.number + 1 {
            report.find(.damaged, name, "the header names another segment before it")
        }
        return header
    }

    private func doubt(
        _ reason: RecoveryRefusal.Reason, _ scanner: SegmentScanner, _ file: any DiskFile,
        _ length: Int, _ name: String, _ isLast: Bool, _ report: inout VerifyReport
    ) throws {
        let rest = try file.readBytes(at: scanner.offset, count: length - scanner.offset)
        let verdict = TailJudge.judge(rest, expected: scanner.expected)
        let place = "\(reason.rawValue) at byte \(scanner.offset), sequence \(scanner.expected)"
        report.find(verdict == .torn && isLast ? .torn : .damaged, name, place)
    }
}

/// The result of a verification.
public struct VerifyReport: Sendable, Hashable {
    /// The severity of a finding.
    public enum Severity: String, Sendable, Hashable, Comparable {
        /// The end of a batch that was never acknowledged; the next start cuts it.
        case torn
        /// A start refuses the journal, or may refuse it.
        case damaged
        /// The disk could not read the file.
        case unreadable

        /// Orders by severity.
        public static func < (left: Severity, right: Severity) -> Bool {
            let order: [Severity] = [.torn, .damaged, .unreadable]
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

    /// The identifier of the store, if known.
    public internal(set) var store: String?
    /// The number of examined segments and snapshots.
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

    /// 0 without damage (a torn end included), 1 for damage, 2 for unreadable files.
    public var exitCode: Int32 {
        switch findings.map(\.severity).max() {
        case nil, .torn: 0
        case .damaged: 1
        case .unreadable: 2
        }
    }

    mutating func find(_ severity: Severity, _ file: String, _ detail: String) {
        findings.append(Finding(severity: severity, file: file, detail: detail))
    }

    mutating func count(_ line: JournalLine) {
        lines += 1
        if !line.isInternal { events += 1 }
        first = first ?? line.sequence
        last = line.sequence
    }
}
