import Logging
import NIOCore
import PaymentCore
import PaymentEngine
import PaymentStorage

/// Takes a snapshot whenever the journal has grown enough, beside the work. Lives on the engine's
/// loop; the writing happens elsewhere, on a copy of the queue.
final class SnapshotKeeper {
    /// How many lines the journal grows between snapshots: a replay of them takes well under a
    /// second.
    static let linesBetween: SequenceNumber = 250_000

    private let journal: QueueJournal
    private let engine: PaymentEngine
    private let log: Logger
    private let eventLoop: any EventLoop
    private var covered: SequenceNumber
    private var isWriting = false

    init(persistence: Persistence, engine: PaymentEngine, log: Logger, eventLoop: any EventLoop) {
        journal = persistence.journal
        self.engine = engine
        self.log = log
        self.eventLoop = eventLoop
        covered =
            persistence.journal.head
            - min(
                persistence.journal.head, SequenceNumber(persistence.recovery.events))
    }

    /// Bytes of the journal that are kept.
    var logBytes: Int { journal.log.bytesKept }

    /// Looks whether it is time, and at the room that is left.
    func look(now: Duration) {
        let (seconds, attoseconds) = now.components
        _ = journal.log.checkSpace(
            monotonicMilliseconds: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
        guard !isWriting, journal.head >= covered + Self.linesBetween else { return }
        begin()
    }

    /// Ends the journal so that the next start has nothing to recover.
    func close() throws {
        engine.stop()
        try journal.close()
    }

    private func begin() {
        let ticket: SnapshotTicket
        do throws(JournalFailure) {
            guard let given = try journal.log.beginSnapshot() else { return }
            ticket = given
        } catch {
            return engine.fail(error)
        }
        isWriting = true
        // A copy of the value: the live one goes on and shares what it does not change.
        let queue = engine.queue
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let loop = eventLoop
        StorageEnvironment.system.background {
            let result = Result<SnapshotReceipt, SnapshotFailure> { () throws(SnapshotFailure) in
                try QueueJournal.writeSnapshot(ticket) { queue.snapshotItems($0) }
            }
            loop.execute { bound.value.end(result) }
        }
    }

    private func end(_ result: Result<SnapshotReceipt, SnapshotFailure>) {
        isWriting = false
        // A failed one is tried again after as many lines more; the journal is as good as before.
        covered = journal.head
        switch result {
        case .failure(let failure):
            log.warning(
                "snapshot failed; the journal keeps everything", metadata: ["reason": "\(failure)"])
        case .success(let receipt):
            log.info("wrote a snapshot", metadata: ["snapshot": "\(receipt.name)"])
            trim(receipt)
        }
    }

    private func trim(_ receipt: SnapshotReceipt) {
        do throws(JournalFailure) {
            guard let trim = try journal.log.snapshotWasWritten(receipt) else { return }
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
                "cannot look for old files; the next snapshot tries again",
                metadata: ["reason": "\(error)"])
        }
    }
}
