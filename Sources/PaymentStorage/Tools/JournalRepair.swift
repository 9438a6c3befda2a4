public import PaymentCore
internal import StrictJSON

/// Creates a new store from the intact part of a damaged one.
///
/// The damaged directory is never written. The newest valid snapshot and every later line are
/// copied, up to the first line that fails verification. Lines after it cannot be trusted. The new
/// store has a new identifier and a new epoch.
public enum JournalRepair {
    /// The lines that can be copied, and those that cannot.
    public struct Survey: Sendable, Hashable {
        /// The file with the first damage; nil if everything is valid.
        public internal(set) var damagedFile: String?
        /// The byte offset of the damage in that file.
        public internal(set) var offset = 0
        /// The last line that can be copied; 0 if there is none.
        public internal(set) var lastCarried: SequenceNumber = 0
        /// The highest sequence number that is readable after that line.
        public internal(set) var lastSeen: SequenceNumber = 0
        /// The identifiers of transactions, orders and other objects in lines that cannot be
        /// copied.
        public internal(set) var identifiers: [String] = []

        /// The number of lines that cannot be copied, as far as it is known.
        public var lost: UInt64 { lastSeen > lastCarried ? lastSeen - lastCarried : 0 }
        /// The sequence numbers of those lines; nil if there are none.
        public var lostRange: ClosedRange<SequenceNumber>? {
            lost == 0 ? nil : lastCarried + 1...lastSeen
        }

        var snapshot: SequenceNumber?
        var segments: [SequenceNumber] = []
    }

    /// Surveys a journal without changes.
    ///
    /// - Throws: There is no valid start, or the disk cannot read it.
    public static func survey(_ disk: any Disk) throws(BackupFailure) -> Survey {
        do {
            return try examine(disk)
        } catch let failure as BackupFailure {
            throw failure
        } catch {
            throw BackupFailure("cannot read the journal: \(error)")
        }
    }

    /// Writes the new store into an empty directory.
    ///
    /// - Parameters:
    ///   - source: The damaged journal.
    ///   - target: The new, empty directory.
    ///   - acceptedLoss: Exactly the number of lines that cannot be copied; with any other number
    ///     nothing is written.
    ///   - environment: The source of randomness for the new identifiers, and the clock.
    /// - Returns: The survey of copied and lost lines.
    /// - Throws: ``BackupFailure``.
    public static func repair(
        _ source: any Disk, into target: any Disk, acceptedLoss: UInt64,
        environment: StorageEnvironment = .system
    ) throws(BackupFailure) -> Survey {
        let survey = try survey(source)
        guard survey.lost == acceptedLoss else {
            throw BackupFailure(
                "\(survey.lost) lines would be lost, not \(acceptedLoss)")
        }
        do {
            guard try Inventory(target).segments.isEmpty else {
                throw BackupFailure("the directory for the new store holds a journal")
            }
            let bytes = try source.open(FileName.format, .read).readAll(limit: 1 << 16)
            let old = try StoreFormat(bytes)
            var format = StoreFormat.new(environment)
            format.version = old.version
            format.minimumReader = old.minimumReader
            var rewriter = StoreRewriter(
                from: source, to: target, as: format, lineLimit: JournalPolicy().lineLimitBytes)
            try rewriter.run(
                segments: survey.segments, snapshots: survey.snapshot.map { [$0] } ?? [])
            try target.replaceFile(FileName.format, with: format.bytes)
            let report = JournalVerifier.verify(target, isDeep: true)
            if let finding = report.findings.first {
                throw BackupFailure("'\(finding.file)' of the new store: \(finding.detail)")
            }
            return survey
        } catch let failure as BackupFailure {
            throw failure
        } catch {
            throw BackupFailure("cannot write the new store: \(error)")
        }
    }

    private static func examine(_ disk: any Disk) throws -> Survey {
        let inventory = try Inventory(disk)
        var survey = Survey()
        survey.snapshot = inventory.snapshots.last { last in
            let file = try? SnapshotFile(verifying: FileName.snapshot(last: last), on: disk)
            return file?.header.position.next == last + 1
        }
        var next = (survey.snapshot ?? 0) + 1
        guard inventory.segments.contains(next) else {
            throw BackupFailure(
                "there is neither a valid snapshot nor the beginning of the log; restore a backup "
                    + "with 'restore-backup'")
        }
        survey.lastCarried = next - 1
        for first in inventory.segments where first >= next {
            let name = FileName.segment(first: first)
            guard survey.damagedFile == nil, first == next else {
                if survey.damagedFile == nil { survey.damagedFile = name }
                try look(at: first, from: 0, disk, &survey)
                continue
            }
            let file = try disk.open(name, .read)
            var scanner = SegmentScanner(
                file: file, limit: try file.length(), expected: first,
                lineLimit: JournalPolicy().lineLimitBytes)
            var isSealed = false
            var isDamaged = false
            scan: while true {
                switch try scanner.next() {
                case .line(let line): isSealed = line.content.isWord("seal")
                case .end: break scan
                case .damaged:
                    isDamaged = true
                    break scan
                }
            }
            if scanner.expected > first { survey.segments.append(first) }
            next = scanner.expected
            survey.lastCarried = max(survey.lastCarried, next - 1)
            let isLast = first == inventory.segments.last
            if isDamaged || !(isSealed || isLast) {
                survey.damagedFile = name
                survey.offset = scanner.offset
                try look(at: first, from: scanner.offset, disk, &survey)
            }
        }
        return survey
    }

    /// Reads identifiers and sequence numbers from bytes that fail verification.
    private static func look(
        at first: SequenceNumber, from offset: Int, _ disk: any Disk, _ survey: inout Survey
    ) throws {
        let file = try disk.open(FileName.segment(first: first), .read)
        let rest = try file.readBytes(at: offset, count: try file.length() - offset)
        var place = 0
        rest.withUnsafeBytes { bytes in
            while place < bytes.count {
                if bytes[place] == UInt8(ascii: "{"),
                    let start = LineFormat.start(in: bytes, at: place)
                {
                    survey.lastSeen = max(survey.lastSeen, start.sequence)
                }
                place += 1
            }
        }
        for identifier in LogJudge.identifiers(in: rest, limit: .max)
        where !survey.identifiers.contains(identifier) {
            survey.identifiers.append(identifier)
        }
    }
}
