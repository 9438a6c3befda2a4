import Logging
import NIOCore
import PaymentCore
import PaymentEngine
import PaymentStorage
import Systemd

/// Writes a checkpoint when the journal has grown or aged enough, and removes files that are older than
/// the retention period, in the background. It lives on the engine's loop. Other threads write, from a
/// copy of the queue.
final class Checkpointer {
    private static let secondsBetweenTrims: Int64 = 600
    private static let secondsAfterFailure: Int64 = 60

    let journal: LocalLog
    let engine: PaymentEngine
    let eventLoop: any EventLoop
    /// The number of backups that are kept.
    let backupsKept: Int
    /// The callers of the next backup, which begins when the running one ends; nil while none runs.
    var nextBackup: [@Sendable (Result<BackupReport, BackupFailure>) -> Void]?
    let log: Logger
    /// The state of the embedded store now.
    private let storeImage: () -> any StoreImage
    /// The closed things that are on disk.
    private(set) var history: Archives
    /// Makes the log end its segment with the next batch, if this node may. Nil for a log of local
    /// files, whose segment ends at once.
    var endSegment: (() -> Void)?
    /// Whether a checkpoint waits for the end of a segment.
    private var isWaiting = false
    /// Whether a checkpoint or an index is being written, or the closed things of a checkpoint are
    /// being removed from memory.
    private var isWriting = false
    private var nextSnapshotAt: Int64 = 0
    private var nextIndexAt: Int64 = 0
    private var nextTrimAt: Int64 = 0
    private var seconds: Int64 = 0

    init(
        persistence: Persistence, engine: PaymentEngine, log: Logger, eventLoop: any EventLoop,
        backupsKept: Int, storeImage: @escaping () -> any StoreImage
    ) {
        self.backupsKept = backupsKept
        self.storeImage = storeImage
        journal = persistence.journal
        history = persistence.journal.openedHistory
        self.engine = engine
        self.log = log
        self.eventLoop = eventLoop
    }

    /// The size of the kept journal in bytes.
    var logBytes: Int { journal.log.bytesKept }

    /// The last failure because of missing space: the file and the cause.
    var lastSpaceFailure: String? { journal.log.lastSpaceFailure }

    /// Checks the free space, and starts the work that is due: a missing index, a checkpoint, or a
    /// trim.
    func look(now: Duration) {
        journal.log.checkSpace(
            monotonicMilliseconds: now.wholeMilliseconds, beside: engine.queue.spaceClaims)
        seconds = now.components.seconds
        guard !isWriting, !journal.isReadOnly else { return }
        if history.needsIndex, seconds >= nextIndexAt { return index() }
        if seconds >= nextSnapshotAt {
            let isDue = journal.log.isSnapshotDue || journal.hasOldSnapshot
            if isDue, !isWaiting { return begin() }
        }
        // When space is short, old records are removed first.
        guard seconds >= nextTrimAt || journal.log.isPressed else { return }
        nextTrimAt = seconds + Self.secondsBetweenTrims
        perform { () throws(JournalFailure) in try journal.log.trim() }
    }

    /// Closes the journal so that the next start needs no recovery.
    func close() throws {
        engine.stop()
        try journal.close()
    }

    private func begin() {
        if let endSegment {
            isWaiting = true
            return endSegment()
        }
        let ticket: SnapshotTicket
        do throws(JournalFailure) {
            guard let given = try journal.log.beginSnapshot() else {
                nextSnapshotAt = seconds + Self.secondsAfterFailure
                return
            }
            ticket = given
        } catch {
            return engine.fail(error)
        }
        prepare(ticket)()
    }

    /// Begins a checkpoint at the end of a segment, if one is due. It has the state of the queue at
    /// that end.
    ///
    /// - Returns: A closure that writes the checkpoint. It must be called when the files have the end
    ///   of the segment. Nil if no checkpoint is due.
    func segmentEnds(_ ticket: SnapshotTicket) -> (() -> Void)? {
        guard isWaiting, !isWriting else { return nil }
        isWaiting = false
        return prepare(ticket)
    }

    private func prepare(_ ticket: SnapshotTicket) -> () -> Void {
        isWriting = true
        // The copy shares its storage with the live queue, and later changes do not affect it.
        let queue = engine.queue
        let store = storeImage()
        let builder = journal.archiveBuilder
        let history = history
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let loop = eventLoop
        return {
            StorageEnvironment.system.background {
                let result = Result<Checkpoint, SnapshotFailure> { () throws(SnapshotFailure) in
                    try LocalLog.writeCheckpoint(
                        ticket, of: queue, store: store, after: history, by: builder)
                }
                loop.execute { bound.value.end(result) }
            }
        }
    }

    private func end(_ result: Result<Checkpoint, SnapshotFailure>) {
        switch result {
        case .failure(let failure):
            // A failed checkpoint does not affect the journal. Its archive files are not needed.
            nextSnapshotAt = seconds + Self.secondsAfterFailure
            log.warning(
                "snapshot failed; the journal is complete", metadata: ["reason": "\(failure)"])
            removeOldFiles()
        case .success(let checkpoint):
            log.info("wrote a snapshot", metadata: ["snapshot": "\(checkpoint.receipt.name)"])
            use(checkpoint.history)
            perform { () throws(JournalFailure) in
                try journal.log.snapshotWasWritten(checkpoint.receipt)
            }
            let bound = NIOLoopBound(self, eventLoop: eventLoop)
            engine.removeClosed(checkpoint.moved[...]) { bound.value.removeOldFiles() }
        }
    }

    private func use(_ history: Archives) {
        self.history = history
        engine.use(history)
    }

    /// Removes the files that no snapshot needs.
    private func removeOldFiles() {
        guard nextBackup == nil else { return isWriting = false }
        inBackground { history, builder in
            try LocalLog.removeOldArchives(history, by: builder)
            return history
        }
    }

    /// Builds the indexes that are missing or damaged. Until then closed things cannot be looked up.
    private func index() {
        isWriting = true
        inBackground { history, builder in try builder.reindex(history) }
    }

    private func inBackground(
        _ work: @escaping @Sendable (Archives, ArchiveBuilder) throws -> Archives
    ) {
        let builder = journal.archiveBuilder
        let history = history
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let loop = eventLoop
        StorageEnvironment.system.background {
            let result = Result { try work(history, builder) }
            // The closed things of the checkpoint have just left the memory, so as much memory is free.
            ProcessMemory.releaseFreed()
            loop.execute { bound.value.ended(result) }
        }
    }

    private func ended(_ result: Result<Archives, any Error>) {
        isWriting = false
        switch result {
        case .success(let history):
            use(history)
            // An index that is damaged again is built later, so that snapshots and trims go on.
            if history.needsIndex { nextIndexAt = seconds + Self.secondsAfterFailure }
        case .failure(let failure):
            nextSnapshotAt = seconds + Self.secondsAfterFailure
            nextIndexAt = nextSnapshotAt
            log.warning(
                "cannot maintain the files of closed transactions; trying again later",
                metadata: ["reason": "\(failure)"])
        }
    }

    private func perform(_ plan: () throws(JournalFailure) -> Trim?) {
        do throws(JournalFailure) {
            guard let trim = try plan() else { return }
            let log = log
            StorageEnvironment.system.background {
                do throws(DiskFailure) {
                    try trim.perform()
                } catch {
                    log.warning(
                        "cannot remove old files; the next snapshot tries again",
                        metadata: ["reason": "\(error)"])
                }
            }
        } catch {
            log.warning(
                "cannot list old files; the next snapshot tries again",
                metadata: ["reason": "\(error)"])
        }
    }
}
