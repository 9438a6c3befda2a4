import Logging
import NIOCore
import PaymentCore
import PaymentEngine
import PaymentStorage

/// Takes a snapshot whenever the journal has grown or aged enough, and removes what is older than
/// the retention asks for, in the background. Lives on the engine's loop; the writing happens
/// elsewhere, on a copy of the queue.
final class Checkpointer {
    private static let secondsBetweenTrims: Int64 = 600
    private static let secondsAfterFailure: Int64 = 60

    let journal: LocalLog
    let engine: PaymentEngine
    let eventLoop: any EventLoop
    /// Whether a backup is being written; only one runs at a time.
    var isBackingUp = false
    private let log: Logger
    private var isWriting = false
    private var nextSnapshotAt: Int64 = 0
    private var nextTrimAt: Int64 = 0
    private var seconds: Int64 = 0

    init(persistence: Persistence, engine: PaymentEngine, log: Logger, eventLoop: any EventLoop) {
        journal = persistence.journal
        self.engine = engine
        self.log = log
        self.eventLoop = eventLoop
    }

    /// The size of the kept journal in bytes.
    var logBytes: Int { journal.log.bytesKept }

    /// Checks the free space, and starts a due snapshot or trim.
    func look(now: Duration) {
        _ = journal.log.checkSpace(monotonicMilliseconds: now.wholeMilliseconds)
        seconds = now.components.seconds
        guard !isWriting else { return }
        if seconds >= nextSnapshotAt, journal.log.isSnapshotDue { return begin() }
        guard seconds >= nextTrimAt else { return }
        nextTrimAt = seconds + Self.secondsBetweenTrims
        perform { () throws(JournalFailure) in try journal.log.trim() }
    }

    /// Closes the journal so that the next start needs no recovery.
    func close() throws {
        engine.stop()
        try journal.close()
    }

    private func begin() {
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
        isWriting = true
        // A copy of the value: the live one is changed and shares what it does not change.
        let queue = engine.queue
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let loop = eventLoop
        StorageEnvironment.system.background {
            let result = Result<SnapshotReceipt, SnapshotFailure> { () throws(SnapshotFailure) in
                try LocalLog.writeSnapshot(ticket) { queue.snapshotItems($0) }
            }
            loop.execute { bound.value.end(result) }
        }
    }

    private func end(_ result: Result<SnapshotReceipt, SnapshotFailure>) {
        isWriting = false
        switch result {
        case .failure(let failure):
            // A failed snapshot does not affect the journal.
            nextSnapshotAt = seconds + Self.secondsAfterFailure
            log.warning(
                "snapshot failed; the journal is complete", metadata: ["reason": "\(failure)"])
        case .success(let receipt):
            log.info("wrote a snapshot", metadata: ["snapshot": "\(receipt.name)"])
            perform { () throws(JournalFailure) in try journal.log.snapshotWasWritten(receipt) }
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
