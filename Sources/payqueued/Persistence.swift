import Logging
import PaymentAPI
import PaymentCore
import PaymentSandbox
import PaymentStorage

/// The queue as it was read from its files, and the journal that continues it.
struct Persistence {
    let queue: PaymentQueue
    let journal: LocalLog
    let recovery: RecoveryReport
    /// The state of the embedded store, which stays in the log while a store server is used.
    let store: SandboxState

    /// Replays the journal of a state directory without changing it.
    static func read(
        _ state: StateDirectory, limits: Limits, policy: JournalPolicy,
        progress: @escaping (RecoveryProgress) -> Void
    ) throws(StorageError) -> Reading {
        // A problem in the quick mode occurs in the other mode as well, which names the place.
        if let reading = try? read(state, limits, policy, quickly: true, progress) {
            return reading
        }
        return try read(state, limits, policy, quickly: false, progress)
    }

    private static func read(
        _ state: StateDirectory, _ limits: Limits, _ policy: JournalPolicy, quickly: Bool,
        _ progress: @escaping (RecoveryProgress) -> Void
    ) throws(StorageError) -> Reading {
        let store = SandboxReplay()
        let replay = QueueReplay(limits: limits, store: store)
        let reading = try LocalLog.read(
            in: state, settings: settings(policy), replay, quickly: quickly, progress: progress)
        return Reading(replay: replay, store: store, reading: reading)
    }

    /// A queue read from valid, unchanged files.
    struct Reading {
        fileprivate let replay: QueueReplay
        fileprivate let store: SandboxReplay
        fileprivate let reading: LocalLog.Reading

        /// Opens the journal for appending. An embedded store that had a journal of its own is merged
        /// into it.
        ///
        /// - Parameter progress: Called repeatedly during the merge.
        /// - Returns: The queue, its journal and the state of the store.
        /// - Throws: `.failed` if the disk failed; `.unsuitable` if there is no room for the merge.
        func open(progress: @escaping () -> Void) throws(StorageError) -> Persistence {
            var (journal, report) = try reading.open()
            let queue = replay.takeQueue(head: journal.head)
            let state = store.takeState()
            let left = try journal.mergeSeparateStore(
                queue: queue, store: SandboxImage(state: state), progress: progress)
            report.separateStoreLeft = left ?? report.separateStoreLeft
            return Persistence(queue: queue, journal: journal, recovery: report, store: state)
        }

        /// Opens the journal as a copy of a cluster's journal.
        ///
        /// - Parameter seed: The beginning of the copy in an empty directory.
        /// - Returns: The queue, its journal, the state of the store, and the copy.
        /// - Throws: `.failed` if the disk failed; `.unsuitable` if the directory cannot become a copy
        ///   of that journal.
        func openCopy(
            from seed: StoreSeed?
        ) throws(StorageError) -> (persistence: Persistence, copy: CopiedLog) {
            let (copy, report) = try reading.openCopy(from: seed)
            let queue = replay.takeQueue(head: copy.journal.head)
            let persistence = Persistence(
                queue: queue, journal: copy.journal, recovery: report, store: store.takeState())
            return (persistence, copy)
        }
    }

    /// The state of the embedded store at the time of each call. With a store server it never changes.
    func image(of store: DaemonStore) -> () -> any StoreImage {
        if case .sandbox(let sandbox) = store { return { sandbox.image } }
        let kept: any StoreImage =
            self.store == SandboxState() ? NoStoreImage() : SandboxImage(state: self.store)
        return { kept }
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
                "journal had a torn tail; cut it and kept a copy",
                metadata: ["copy": "\(file)", "bytes": .stringConvertible(recovery.bytesCut)])
        }
        if let reason = recovery.separateStoreLeft {
            log.warning(
                "cannot move the former journal of the embedded store to quarantine/; nothing needs it",
                metadata: ["reason": "\(reason)"])
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
