public import NIOCore
public import PaymentCore
public import PaymentSandbox
public import PaymentStorage
import StrictJSON

extension SandboxEvent: JournalRecord {}

/// The journal of a store server in files, with the format and durability of the queue's journal.
///
/// Proof: all access is on the store's loop, where the sandbox runs.
public final class SandboxFileJournal: SandboxJournal, @unchecked Sendable {
    private static let idleDelay = TimeAmount.milliseconds(50)
    /// The directory of the journal within the state directory.
    private static let directory = "sandbox"
    private let journal: RecordJournal<SandboxEvent>
    private let loop: any EventLoop
    private var mark: Scheduled<Void>?
    private var isWriting = false
    private var commits: UInt64 = 0

    private init(
        _ journal: RecordJournal<SandboxEvent>, loop: any EventLoop
    ) {
        self.journal = journal
        self.loop = loop
    }

    /// Replays the store's journal.
    ///
    /// - Parameters:
    ///   - state: The state directory of the process; the journal gets a directory of its own in it.
    ///   - settings: Clocks, sizes and the name that segments carry.
    ///   - loop: Where the sandbox runs.
    ///   - progress: Called with the progress, about once per MiB.
    /// - Returns: The replayed state, and the journal for further events.
    /// - Throws: The files cannot be trusted, or the disk failed; `.unsuitable` if it is the directory of a
    ///   queue, whose log may have the records of a store.
    public static func open(
        in state: StateDirectory, settings: LogSettings, loop: any EventLoop,
        progress: @escaping (RecoveryProgress) -> Void = { _ in }
    ) throws -> (state: SandboxState, journal: SandboxFileJournal) {
        guard try !state.hasQueue() else {
            throw StorageError.unsuitable(
                "'\(state.path)' is the state directory of payqueued; its log has the orders of its "
                    + "embedded store, which a store server cannot take over")
        }
        let replay = Replay()
        let directory = try state.subdirectory(Self.directory)
        do {
            let (journal, _) = try RecordJournal<SandboxEvent>.open(
                in: directory, settings: settings,
                load: { word, payload in
                    try replay.state.load(SandboxSnapshotItem(typeWord: word, payload: payload))
                },
                replay: { event, _, _ in try replay.state.replay(event) },
                progress: progress)
            return (replay.state, SandboxFileJournal(journal, loop: loop))
        } catch StorageError.refused(var refusal) {
            // The prefix distinguishes the file from those of the queue, which have the same names.
            refusal.file = "\(Self.directory)/\(refusal.file)"
            throw StorageError.refused(refusal)
        }
    }

    /// A receiver of the journal's content, which objects to what a start objects to.
    public static func visitor() -> any RecoveryVisitor {
        let replay = Replay()
        return RecordJournal<SandboxEvent>.visitor(
            load: { word, payload in
                try replay.state.load(SandboxSnapshotItem(typeWord: word, payload: payload))
            },
            replay: { event, _, _ in try replay.state.replay(event) })
    }

    /// See ``PaymentSandbox/SandboxJournal``.
    public func append(_ event: SandboxEvent, time: Timestamp) {
        _ = journal.append(event, time: time)
    }

    /// See ``PaymentSandbox/SandboxJournal``.
    public func commit() throws(JournalFailure) {
        try journal.commit()
    }

    /// Begins a snapshot if one is due.
    public func didCommit(_ state: SandboxState) {
        mark?.cancel()
        mark = loop.assumeIsolated().scheduleTask(in: Self.idleDelay) { [journal] in
            // A failure poisons the journal; the next commit reports it.
            try? journal.markIdle()
        }
        // Checking costs about as much as a commit, so it happens once per 64 commits.
        commits &+= 1
        guard commits.isMultiple(of: 64), !isWriting, journal.log.isSnapshotDue else { return }
        takeSnapshot(state)
    }

    /// Writes a verified backup of a state directory with a sandbox and no queue to `backups/`. The
    /// owner of the directory may be running.
    ///
    /// - Parameters:
    ///   - state: The state directory.
    ///   - directories: Directories of small files to include in the backup.
    ///   - time: The time in the backup's name.
    /// - Returns: A report of the written backup.
    /// - Throws: The disk failed, there is no sandbox, or the owner trimmed segments during the
    ///   copy. A retry then copies the current segments.
    public static func backUp(
        _ state: any Disk, directories: [String], at time: Timestamp
    ) throws(BackupFailure) -> BackupReport {
        let inner: any Disk
        do {
            inner = try state.directory(directory, create: false)
        } catch {
            throw BackupFailure("there is no store: \(error)", .disk)
        }
        return try BackupWriter.write(
            BackupTicket(reading: inner), in: directory, of: state, directories: directories,
            at: time)
    }

    /// Closes the journal with a clean end mark.
    ///
    /// - Throws: The disk failed.
    public func close() throws(JournalFailure) {
        mark?.cancel()
        try journal.close()
    }

    private func takeSnapshot(_ state: SandboxState) {
        guard let ticket = try? journal.log.beginSnapshot() else { return }
        isWriting = true
        let bound = NIOLoopBound(self, eventLoop: loop)
        let loop = loop
        let pieces = state.pieces
        StorageEnvironment.system.background {
            let receipt = try? ticket.write(
                check: { content in
                    _ = try SandboxSnapshotItem(
                        typeWord: content.word, payload: content.payload)
                },
                items: { sink in
                    pieces.items { item in
                        sink.item(item.typeWord) { item.encodePayload(into: &$0) }
                    }
                })
            loop.execute { bound.value.end(receipt) }
        }
    }

    private func end(_ receipt: SnapshotReceipt?) {
        isWriting = false
        guard let receipt, let trim = try? journal.log.snapshotWasWritten(receipt) else { return }
        StorageEnvironment.system.background {
            // Files that cannot be removed now are removed after the next snapshot.
            try? trim.perform()
        }
    }

    private final class Replay {
        var state = SandboxState()
    }
}
