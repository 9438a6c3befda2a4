internal import Crypto
internal import PaymentCore

/// Reads the journal of a directory and decides whether it can be trusted. Changes nothing.
///
/// A start executes the verdict: it opens a sound journal, and refuses a damaged one with the finding.
/// `journal verify` prints the same verdict, and a repair begins from it. No other code decides which bytes
/// count.
struct LogJudge {
    let disk: any Disk
    let policy: JournalPolicy
    let visitor: any RecoveryVisitor
    /// Whether all files that the directory keeps are read, and not only those that a start needs.
    let isDeep: Bool
    /// Whether the checksum of the newest snapshot is verified while its items are passed on, if it has one. A
    /// finding is then not final, because the visitor may have received invalid items.
    var verifiesWhileReading = false
    /// Whether the stores in subdirectories are compared with what the format file names.
    var checksParts = true
    var report = RecoveryReport()
    /// The snapshot with which replay began.
    var loadedSnapshot: SnapshotMark?
    /// The first failure of the disk to read a snapshot.
    var snapshotFailure: DiskFailure?
    /// Findings about files that a start does not need. Empty unless the judge reads deep.
    var furtherFindings: [RecoveryRefusal] = []
    /// The indexes that are damaged. Empty unless the judge reads deep.
    var damagedIndexes: [String] = []
    /// Whether a daemon may remove files meanwhile.
    var isLive = false
    /// The store, once its format file was read.
    var store: UniqueID?
    /// The number of events that the visitor took.
    var replayedEvents = 0
    /// The first line that was read.
    var firstLine: SequenceNumber?
    var progress = RecoveryProgress(bytesDone: 0, bytesTotal: 0)

    /// The position in the log after the lines read so far.
    struct Position {
        /// The sequence number that the next line must have.
        var next: SequenceNumber = 1
        /// The sequence number of the last event.
        var lastEvent: SequenceNumber = 0
        /// The bytes of all lines of the embedded store so far.
        var storeBytes: UInt64 = 0
        /// The number of the last segment, 0 before the first.
        var segmentNumber: UInt64 = 0
        /// The end of the last segment, as far as it is known; the digest may be missing.
        var previous: SegmentHeader.Previous?
    }

    /// The result of judging a directory.
    enum Verdict {
        /// There is no store here yet; a start makes one.
        case empty(Inventory)
        /// All that a start reads can be trusted. A start continues from it.
        case sound(Inventory, Found)
        /// A start refuses the directory for this reason.
        case damaged(RecoveryRefusal)
    }

    init(
        _ disk: any Disk, policy: JournalPolicy, visitor: any RecoveryVisitor, isDeep: Bool = false
    ) {
        self.disk = disk
        self.policy = policy
        self.visitor = visitor
        self.isDeep = isDeep
    }

    /// Reads the directory and passes its content to the visitor. Called once.
    ///
    /// - Throws: The directory cannot be listed.
    mutating func judge() throws(DiskFailure) -> Verdict {
        let inventory = try Inventory(disk)
        do {
            guard let format = try StoreFormat.find(inventory, disk, checksParts: checksParts)
            else { return .empty(inventory) }
            store = format.store
            // The marks are read before the files are listed. So they name no line of an unlisted file while a
            // daemon writes.
            let marks = try LogMarks(disk, format)
            let listed = try Inventory(disk)
            return .sound(listed, try readJournal(listed, format, marks))
        } catch let refusal as RecoveryRefusal {
            return .damaged(refusal)
        } catch let failure as DiskFailure {
            throw failure
        } catch {
            preconditionFailure("a judge throws refusals and failures of the disk only: \(error)")
        }
    }

    /// Counts bytes read, and reports the progress about once per MiB.
    mutating func didRead(_ bytes: Int) {
        let before = progress.bytesDone >> 20
        progress.bytesDone += bytes
        report.bytesRead += bytes
        if progress.bytesDone >> 20 != before { visitor.progress(progress) }
    }
}
