import Logging
import PaymentAPI
import PaymentCore
import PaymentStorage

/// The queue as its files tell it, and the journal that continues from there.
struct Persistence {
    let queue: PaymentQueue
    let journal: LocalLog
    let recovery: RecoveryReport

    /// Replays the journal of a state directory, and changes nothing in it.
    static func read(
        _ state: StateDirectory, limits: Limits, policy: JournalPolicy,
        progress: @escaping (RecoveryProgress) -> Void
    ) throws(StorageError) -> Reading {
        let replay = Replay(limits: limits)
        let reading = try LocalLog.read(
            in: state, settings: settings(policy),
            load: { try replay.queue.load($0) }, replay: { try replay.queue.apply($0) },
            progress: progress)
        return Reading(replay: replay, reading: reading)
    }

    /// A queue whose files can be trusted and are as they were.
    struct Reading {
        fileprivate let replay: Replay
        fileprivate let reading: LocalLog.Reading

        /// Opens the journal for what comes next.
        func open() throws(StorageError) -> Persistence {
            let (journal, report) = try reading.open()
            // The owner of this value must not hold the queue a second time: each change would copy
            // what it touches.
            var queue = PaymentQueue(limits: Limits())
            swap(&queue, &replay.queue)
            queue.didLoad(upTo: journal.head)
            return Persistence(queue: queue, journal: journal, recovery: report)
        }
    }

    /// Clocks, sizes and the name that segments carry.
    static func settings(_ policy: JournalPolicy) -> LogSettings {
        LogSettings(
            policy: policy, environment: .system, build: "payqueued \(Version.current)")
    }

    /// Tells people what was found.
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

    fileprivate final class Replay {
        var queue: PaymentQueue

        init(limits: Limits) {
            queue = PaymentQueue(limits: limits)
        }
    }
}
