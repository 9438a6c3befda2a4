import Glibc
import Logging
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentStorage
import Synchronization

/// Reads all files of the queue's journal once a day and compares them with their checksums. A
/// separate thread reads, and yields to the threads that serve clients. The scrubber itself lives
/// on the engine's loop.
final class Scrubber {
    /// The maximum read rate, in bytes per second.
    private static let bytesPerSecond = 10 << 20
    /// The seconds between the start of the daemon and the first scrub.
    private static let secondsAfterStart: Int64 = 600
    /// The seconds between two scrubs.
    private static let secondsBetween: Int64 = 86_400

    /// The time of the end of the last scrub.
    private(set) var endedAt: Timestamp?
    private let checkpointer: Checkpointer
    private let log: Logger
    /// The damage that the last scrub found.
    private var found: [StorageDamage] = []
    /// The damage that was logged already.
    private var told: Set<StorageDamage> = []
    private var isRunning = false
    private var nextAt: Int64?

    init(checkpointer: Checkpointer, log: Logger) {
        self.checkpointer = checkpointer
        self.log = log
    }

    /// The known damage: from the last scrub, and from reads since.
    var damage: [StorageDamage] {
        found
            + checkpointer.journal.log.damage.filter { met in
                !found.contains { $0.file == met.file && $0.first == met.first }
            }
            + checkpointer.history.damage.filter { met in
                !found.contains { $0.file == met.file }
            }
    }

    /// The files as `status` shows them.
    var report: StatusReport.Storage {
        var report = StatusReport.Storage()
        report.isReadOnly = checkpointer.journal.isReadOnly
        report.archiveFiles = checkpointer.history.manifest.files.count
        report.archiveBytes = checkpointer.history.bytes
        report.isIndexed = checkpointer.history.isIndexed
        report.damage = damage.map { damage in
            StatusReport.Storage.Damage(
                file: damage.file, offset: damage.offset, first: damage.first, last: damage.last,
                detail: damage.detail)
        }
        report.checkedAt = endedAt
        return report
    }

    /// Logs damage that is new, and starts a scrub if one is due.
    func look(now: Duration) {
        tell()
        let seconds = now.components.seconds
        let due = nextAt ?? seconds + Self.secondsAfterStart
        nextAt = due
        guard seconds >= due, !isRunning else { return }
        nextAt = seconds + Self.secondsBetween
        begin()
    }

    /// Reads all files in the background.
    ///
    /// - Parameter done: Called on the engine's loop after all files were read.
    func begin(_ done: @escaping @Sendable () -> Void = {}) {
        isRunning = true
        let bytes = Mutex(0)
        let disk = ObservedDisk(checkpointer.journal.log.disk) { _, _, count in
            bytes.withLock { $0 += count }
            usleep(UInt32(clamping: count * 1_000_000 / Self.bytesPerSecond))
        }
        let bound = NIOLoopBound(self, eventLoop: checkpointer.eventLoop)
        let loop = checkpointer.eventLoop
        StorageEnvironment.system.background {
            let report = JournalScrub.run(disk)
            let count = bytes.withLock { $0 }
            loop.execute {
                bound.value.end(report, bytes: count)
                done()
            }
        }
    }

    private func end(_ report: ScrubReport, bytes: Int) {
        isRunning = false
        endedAt = .now
        found = report.damage
        // Damage that persists was found again by this scrub, unless the directory could not be
        // read.
        if !found.contains(where: { $0.file == "." }) {
            checkpointer.history.forgetDamage(besides: Set(found.map(\.file)))
        }
        tell()
        if !report.damagedIndexes.isEmpty {
            log.warning(
                "an index of finished transactions is damaged; building it again",
                metadata: ["files": "\(report.damagedIndexes.joined(separator: " "))"])
            checkpointer.history.noteDamagedIndex()
        }
        log.info(
            "read all files of the journal",
            metadata: [
                "files": .stringConvertible(report.files), "bytes": .stringConvertible(bytes),
                "damaged": .stringConvertible(report.damage.count),
            ])
    }

    private func tell() {
        for damage in damage where told.insert(damage).inserted {
            let doubt = damage.first.map { first in
                "\(first) to \(damage.last ?? first)"
            }
            log.error(
                "a file of the state directory is damaged; repair it or restore a backup",
                metadata: [
                    "file": "\(damage.file)", "reason": "\(damage.detail)",
                    "records": "\(doubt ?? "unknown")",
                    "named": "\(damage.identifiers.joined(separator: " "))",
                ])
        }
    }
}
