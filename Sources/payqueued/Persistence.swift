import Logging
import PaymentAPI
import PaymentCore
import PaymentStorage

/// The queue as its files tell it, and the journal that continues from there.
struct Persistence {
    let queue: PaymentQueue
    let journal: LocalLog
    let recovery: RecoveryReport

    /// Replays the journal of a state directory without changing it.
    static func read(
        _ state: StateDirectory, limits: Limits, policy: JournalPolicy,
        progress: @escaping (RecoveryProgress) -> Void
    ) throws(StorageError) -> Reading {
        // What goes wrong in the quick way goes wrong again in the other one, which names the place.
        if let reading = try? read(state, limits, policy, quickly: true, progress) {
            return reading
        }
        return try read(state, limits, policy, quickly: false, progress)
    }

    private static func read(
        _ state: StateDirectory, _ limits: Limits, _ policy: JournalPolicy, quickly: Bool,
        _ progress: @escaping (RecoveryProgress) -> Void
    ) throws(StorageError) -> Reading {
        let replay = QueueReplay(limits: limits)
        let reading = try LocalLog.read(
            in: state, settings: settings(policy), replay, quickly: quickly, progress: progress)
        return Reading(replay: replay, reading: reading)
    }

    /// A queue read from valid, unchanged files.
    struct Reading {
        fileprivate let replay: QueueReplay
        fileprivate let reading: LocalLog.Reading

        /// Opens the journal for appending.
        func open() throws(StorageError) -> Persistence {
            let (journal, report) = try reading.open()
            let queue = replay.takeQueue(head: journal.head)
            return Persistence(queue: queue, journal: journal, recovery: report)
        }
    }

    /// The settings of the log: policy, system environment and the program name in segments.
    static func settings(_ policy: JournalPolicy) -> LogSettings {
        LogSettings(
            policy: policy, environment: .system, build: "payqueued \(Version.current)")
    }

    /// Logs the result of the recovery.
    func report(to log: Logger) {
        let facts: Logger.Metadata = [
            "events": .stringConvertible(recovery.events),
            "milliseconds": .stringConvertible(recovery.durationMilliseconds),
        ]
        if let file = recovery.quarantined {
            log.warning(
                "journal had a torn tail that was never acknowledged; cut it and kept a copy",
                metadata: ["copy": "\(file)", "bytes": .stringConvertible(recovery.bytesCut)])
        }
        for name in recovery.damagedSnapshots {
            log.warning(
                "snapshot is damaged; used an older one and the journal",
                metadata: ["snapshot": "\(name)"])
        }
        if recovery.isNew {
            log.info("created a new state directory")
        } else if recovery.wasClean {
            log.info("replayed the journal", metadata: facts)
        } else {
            log.notice("recovered after an unclean stop", metadata: facts)
        }
    }
}
