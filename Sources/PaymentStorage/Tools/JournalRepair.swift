public import PaymentCore

/// Creates a new store from what is left of a damaged one.
///
/// The damaged directory is never written. The newest valid snapshot and every later line that verifies are
/// copied, also the lines after damage. The new store has a new identifier, a new epoch, and the same sequence
/// numbers. A mark takes the place of each lost line.
public enum JournalRepair {
    /// Closed things that cannot be copied, because their file is damaged or missing.
    public struct LostClosings: Sendable, Hashable {
        /// The file.
        public var file: String
        /// The number of lines that are lost.
        public var lines: UInt64
        /// The records that closed them are among these; each range may have some that are not lost.
        public var ranges: [ClosedRange<SequenceNumber>]
    }

    /// The lines that can be copied, and those that cannot.
    public struct Survey: Sendable, Hashable {
        /// The reason why a start refuses the journal; nil if it accepts it.
        public internal(set) var finding: RecoveryRefusal?
        /// The last sequence number of the new store; 0 if it has no line.
        public internal(set) var last: SequenceNumber = 0
        /// Whether the lock file says how far the log went. Otherwise an unknown number of lines after the last
        /// one may be missing as well.
        public internal(set) var isEndProven = true
        /// The sequence numbers of the lines that cannot be copied, in order.
        public internal(set) var lostRanges: [ClosedRange<SequenceNumber>] = []
        /// The closed things that cannot be copied, by their files.
        public internal(set) var lostClosings: [LostClosings] = []
        /// The identifiers of transactions, orders and other objects in those lines, as far as they
        /// can be read.
        public internal(set) var identifiers: [String] = []

        /// The store, and those in subdirectories that belong to it.
        var store: UniqueID?
        var parts: [String: UniqueID] = [:]

        init() {}

        /// The survey of a store that is missing. Its number of lines is unknown.
        init(missing name: String) {
            finding = .missingPart(name)
            isEndProven = false
        }

        /// Whether the store is gone.
        public var isMissing: Bool { finding?.reason == .missingPart }

        /// The number of lines that cannot be copied.
        public var lost: UInt64 {
            lostRanges.reduce(0) { $0 + UInt64($1.count) }
                + lostClosings.reduce(0) { $0 + $1.lines }
        }
    }

    /// Surveys a journal without changes.
    ///
    /// - Parameters:
    ///   - disk: The directory.
    ///   - visitor: Makes a receiver of the content. An event that it objects to is lost too, because
    ///     a start would object to it.
    /// - Returns: The survey.
    /// - Throws: There is no valid start, or the disk cannot read it.
    public static func survey(
        _ disk: any Disk, visitor: () -> any RecoveryVisitor = { AnyContent() }
    ) throws(BackupFailure) -> Survey {
        try translating("cannot read the journal") {
            try prepare(disk, visitor, .system).survey
        }
    }

    /// Writes the new store into an empty directory.
    ///
    /// - Parameters:
    ///   - source: The damaged journal.
    ///   - target: The new, empty directory.
    ///   - acceptedLoss: Exactly the number of lines that cannot be copied; with any other number
    ///     nothing is written.
    ///   - parts: The new stores that belong to this one, by the names of their directories.
    ///   - environment: The source of randomness for the new identifiers, and the clock.
    ///   - visitor: As for ``survey(_:visitor:)``.
    /// - Returns: The survey of copied and lost lines, and the identifier of the new store.
    /// - Throws: ``BackupFailure``.
    @discardableResult
    public static func repair(
        _ source: any Disk, into target: any Disk, acceptedLoss: UInt64,
        parts: [String: UniqueID] = [:], environment: StorageEnvironment = .system,
        visitor: () -> any RecoveryVisitor = { AnyContent() }
    ) throws(BackupFailure) -> (survey: Survey, store: UniqueID) {
        try translating("cannot write the new store") {
            let (survey, salvage) = try prepare(source, visitor, environment)
            guard survey.lost == acceptedLoss else {
                throw BackupFailure("\(survey.lost) lines would be lost, not \(acceptedLoss)")
            }
            guard try !Inventory(target).hasJournal else {
                throw BackupFailure("the directory for the new store holds a journal")
            }
            var format = StoreFormat.new(environment)
            format.version = max(format.version, salvage.plan.format.version)
            format.minimumReader = max(
                format.minimumReader, salvage.plan.format.minimumReader)
            format.parts = parts
            format.storeSince = salvage.plan.format.storeSince
            var writer = SalvageWriter(
                from: source, to: target, as: format, salvage, survey, environment)
            let mark = try writer.run()
            try target.replaceFile(FileName.lock, with: LockFile.bytes(mark))
            try target.replaceFile(FileName.format, with: format.bytes)
            return (survey, format.store)
        }
    }

    /// Verifies a new store as a start will.
    static func check(
        _ target: any Disk, visitor: () -> any RecoveryVisitor
    ) throws(BackupFailure) {
        let report = JournalVerifier.verify(target, isDeep: true, visitor: visitor)
        if let finding = report.findings.first {
            throw BackupFailure("'\(finding.file)' of the new store: \(finding.detail)")
        }
    }

    private static func prepare(
        _ disk: any Disk, _ visitor: () -> any RecoveryVisitor, _ environment: StorageEnvironment
    ) throws -> (survey: Survey, salvage: Salvage) {
        let policy = JournalPolicy()
        var judge = LogJudge(disk, policy: policy, visitor: visitor())
        // A damaged part can be repaired as well, so it is compared when all are surveyed.
        judge.checksParts = false
        var finding: RecoveryRefusal?
        switch try judge.judge() {
        case .empty: throw BackupFailure("there is no journal")
        case .sound: break
        case .damaged(let refusal): finding = refusal
        }
        var best: (survey: Survey, salvage: Salvage)?
        var limit = SequenceNumber.max
        // The records of closed things that a damaged file has lost may be after an older snapshot.
        while best.map({ !$0.survey.lostClosings.isEmpty }) ?? true {
            let salvage: Salvage
            do {
                salvage = try Salvage(
                    disk, isSound: finding == nil, before: limit, policy: policy,
                    environment: environment)
            } catch {
                guard best == nil else { break }
                throw error
            }
            let survey = try survey(salvage, finding, visitor())
            if survey.lost < best?.survey.lost ?? .max { best = (survey, salvage) }
            guard let base = salvage.plan.base else { break }
            limit = base.header.position.next - 1
        }
        guard let best else { preconditionFailure("a salvage without a survey") }
        return best
    }

    private static func survey(
        _ salvage: Salvage, _ finding: RecoveryRefusal?, _ receiver: any RecoveryVisitor
    ) throws -> Survey {
        let plan = salvage.plan
        var survey = Survey()
        survey.finding = finding ?? plan.damagedHistory.first?.finding
        survey.store = plan.format.store
        survey.parts = plan.format.parts
        survey.isEndProven = finding == nil || plan.isEndProven
        try salvage.forEachDamagedArchive { left in
            guard let lost = left.lost else { return }
            survey.lostClosings.append(lost)
            survey.note(left.doubtful[...])
        }
        let withStore = try plan.format.storeIsInLog(on: salvage.disk)
        try plan.base?.forEachItem { content in
            if withStore || !content.isOfStore { _ = try receiver.snapshotLine(content) }
        }
        let first = plan.base?.header.position.next ?? 1
        if let base = plan.base {
            try receiver.snapshotIsComplete(lastEvent: base.header.position.lastEvent)
        }
        var next = first
        // The first line of a segment is its header, and the line before it the seal of another. The name of
        // a segment that nothing proves may be wrong.
        var boundaries = Set(plan.proven.flatMap { [$0, $0 &- 1] })
        func lose(_ range: Range<SequenceNumber>) {
            guard !range.isEmpty else { return }
            var from = range.lowerBound
            for boundary in boundaries.filter({ range.contains($0) }).sorted() + [range.upperBound]
            {
                if from < boundary { survey.lose(from...boundary - 1) }
                from = boundary + 1
            }
        }
        let (end, doubtful) = try salvage.read { line, _ in
            lose(next..<line.sequence)
            next = line.sequence + 1
            if line.content.isWord("seal") { boundaries.insert(next) }
            guard !line.isInternal else { return }
            if (try? receiver.event(line)) != true, !line.isOptional {
                lose(line.sequence..<next)
                survey.note(line.content.bytes[line.content.range])
            }
        }
        if next <= end { lose(next..<end + 1) }
        survey.last = max(end, first - 1)
        if !survey.lostRanges.isEmpty { survey.note(doubtful[...]) }
        return survey
    }

    static func translating<Result>(
        _ attempt: String, _ body: () throws -> Result
    ) throws(BackupFailure) -> Result {
        do {
            return try body()
        } catch let failure as BackupFailure {
            throw failure
        } catch {
            throw BackupFailure("\(attempt): \(error)")
        }
    }
}

extension JournalRepair.Survey {
    /// Adds lines after those that are named already.
    fileprivate mutating func lose(_ range: ClosedRange<SequenceNumber>) {
        if let last = lostRanges.last, last.upperBound + 1 == range.lowerBound {
            lostRanges[lostRanges.count - 1] = last.lowerBound...range.upperBound
        } else {
            lostRanges.append(range)
        }
    }

    /// Notes the identifiers in bytes that are lost.
    fileprivate mutating func note(_ bytes: ArraySlice<UInt8>) {
        for identifier in TailJudge.identifiers(in: Array(bytes), limit: .max)
        where !identifiers.contains(identifier) {
            identifiers.append(identifier)
        }
    }
}
