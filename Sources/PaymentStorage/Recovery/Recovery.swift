internal import Crypto
internal import PaymentCore

/// Reads and judges the journal of a directory, and changes nothing: a refusal leaves the directory as it
/// was found. Opening the ``Reading`` writes, so a caller with several journals reads all of them first.
struct Recovery {
    let directory: StateDirectory
    let settings: LogSettings
    let visitor: any RecoveryVisitor
    var report = RecoveryReport()
    /// The snapshot that the state was begun from.
    var loadedSnapshot: SnapshotMark?
    var progress = RecoveryProgress(bytesDone: 0, bytesTotal: 0)

    var disk: any Disk { directory.disk }
    var policy: JournalPolicy { settings.policy }

    /// Where the log has come to after the lines read so far.
    struct Position {
        /// The sequence number that the next line must have.
        var next: SequenceNumber = 1
        /// The sequence number of the last event.
        var lastEvent: SequenceNumber = 0
        /// The number of the last segment, 0 before the first.
        var segmentNumber: UInt64 = 0
        /// How the last segment ended, as far as is known; the digest may be missing.
        var previous: SegmentHeader.Previous?
    }

    /// The verdict after reading.
    enum Verdict {
        /// There is no store here yet.
        case unborn(Inventory)
        /// All that is there can be trusted.
        case sound(Inventory, Found)
    }

    /// A journal that was read and can be continued. Nothing was changed yet.
    struct Reading {
        fileprivate var opener: LogOpener
        fileprivate let verdict: Verdict
        /// When reading began, by the clock that never steps.
        fileprivate let began: UInt64

        /// Makes the journal ready to be appended to. Once for each reading.
        func open() throws(StorageError) -> (OpenedLog, RecoveryReport) {
            var opener = opener
            let opened = try Recovery.translating { try opener.open(verdict) }
            let ended = opener.settings.environment.monotonicNanoseconds()
            opener.report.durationMilliseconds = (ended &- began) / 1_000_000
            return (opened, opener.report)
        }
    }

    /// Opens the journal of a directory.
    static func run(
        _ directory: StateDirectory, settings: LogSettings, visitor: any RecoveryVisitor
    ) throws(StorageError) -> (OpenedLog, RecoveryReport) {
        try read(directory, settings: settings, visitor: visitor).open()
    }

    /// Reads and judges the journal of a directory, and changes nothing.
    static func read(
        _ directory: StateDirectory, settings: LogSettings, visitor: any RecoveryVisitor
    ) throws(StorageError) -> Reading {
        var recovery = Recovery(directory: directory, settings: settings, visitor: visitor)
        let began = settings.environment.monotonicNanoseconds()
        let verdict = try translating { try recovery.judge() }
        let opener = LogOpener(
            directory: directory, settings: settings, newestSnapshot: recovery.loadedSnapshot,
            report: recovery.report)
        return Reading(opener: opener, verdict: verdict, began: began)
    }

    /// Takes a step, and throws what goes wrong in it as one type.
    private static func translating<Result>(
        _ step: () throws -> Result
    ) throws(StorageError) -> Result {
        do {
            return try step()
        } catch let refusal as RecoveryRefusal {
            throw .refused(refusal)
        } catch let failure as DiskFailure {
            throw StorageError(failure)
        } catch let error as StorageError {
            throw error
        } catch {
            throw .failed(JournalFailure("cannot open journal: \(error)"))
        }
    }

    private mutating func judge() throws -> Verdict {
        let inventory = try Inventory(disk)
        guard let format = try readFormat(inventory) else { return .unborn(inventory) }
        return .sound(inventory, try readJournal(inventory, format))
    }

    /// The format of the store; nil if there is no store here yet.
    private func readFormat(_ inventory: Inventory) throws -> StoreFormat? {
        guard inventory.hasFormat else {
            try checkUnborn(inventory)
            return nil
        }
        let file = try reading(FileName.format) { () throws(DiskFailure) in
            try disk.open(FileName.format, .read).readAll(limit: 1 << 16)
        }
        return try StoreFormat(file)
    }

    /// `format.json` is the last file that a new store gets. Without it there may be a first
    /// segment with nothing in it but its header; anything more was a store once.
    private func checkUnborn(_ inventory: Inventory) throws {
        let refusal = RecoveryRefusal(
            .badFormatFile, file: FileName.format,
            detail: """
                it is missing, although there is a journal
                """)
        guard inventory.snapshots.isEmpty else { throw refusal }
        guard let first = inventory.segments.first else { return }
        guard first == 1, inventory.segments.count == 1 else { throw refusal }
        let name = FileName.segment(first: 1)
        let bytes = try reading(name) { () throws(DiskFailure) in
            try disk.open(name, .read).readAll(limit: policy.lineLimitBytes + 2)
        }
        let lines = bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == 0 })
        guard lines.count <= 1 else { throw refusal }
    }

    /// Runs a read of a file. A read error refuses the start, because what was not read may have been
    /// acknowledged.
    func reading<Result>(
        _ name: String, _ body: () throws(DiskFailure) -> Result
    ) throws(RecoveryRefusal) -> Result {
        do {
            return try body()
        } catch {
            throw RecoveryRefusal(.unreadable, file: name, detail: error.description)
        }
    }

    /// Adds to the bytes read, and tells about once for every MiB.
    mutating func didRead(_ bytes: Int) {
        let before = progress.bytesDone >> 20
        progress.bytesDone += bytes
        report.bytesRead += bytes
        if progress.bytesDone >> 20 != before { visitor.progress(progress) }
    }
}
