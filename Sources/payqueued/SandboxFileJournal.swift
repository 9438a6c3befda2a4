import NIOCore
public import PaymentBackend
import PaymentCore
public import PaymentStorage
import StrictJSON

extension SandboxEvent: JournalRecord {}

/// Keeps the embedded store beside the queue, with the same care: same format, own sequence.
///
/// Proof: touched on the store's loop only, where the sandbox runs; whoever makes backups goes there.
final class SandboxFileJournal: SandboxJournal, @unchecked Sendable {
    private static let idleDelay = TimeAmount.milliseconds(50)
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
    ///   - state: The state directory of the daemon.
    ///   - loop: Where the sandbox runs.
    /// - Returns: What the journal says, and the journal to go on with.
    /// - Throws: The files cannot be trusted, or the disk failed.
    static func open(
        in state: StateDirectory, loop: any EventLoop
    ) throws -> (state: SandboxState, journal: SandboxFileJournal) {
        let replay = Replay()
        let directory = try state.subdirectory("sandbox")
        let (journal, _) = try RecordJournal<SandboxEvent>.open(
            in: directory, settings: Persistence.settings(JournalPolicy()),
            load: { word, payload in
                try replay.state.load(SandboxSnapshotItem(typeWord: word, payload: payload))
            },
            replay: { event, _, _ in try replay.state.replay(event) })
        return (replay.state, SandboxFileJournal(journal, loop: loop))
    }

    func append(_ event: SandboxEvent, time: Timestamp) {
        _ = journal.append(event, time: time)
    }

    func commit() throws(JournalFailure) {
        try journal.commit()
    }

    func didCommit(_ state: SandboxState) {
        mark?.cancel()
        mark = loop.assumeIsolated().scheduleTask(in: Self.idleDelay) { [journal] in
            // A failure poisons the journal; the next commit says so to whoever needs to know.
            try? journal.markIdle()
        }
        // Looked at once for so many commits: asking costs about as much as one of them.
        commits &+= 1
        guard commits.isMultiple(of: 64), !isWriting, journal.log.isSnapshotDue else { return }
        takeSnapshot(state)
    }

    /// Fixes what a backup of this moment consists of; see `SegmentedLog.beginBackup()`.
    func beginBackup() throws(JournalFailure) -> BackupTicket {
        try journal.log.beginBackup()
    }

    /// Lets files go again.
    func endBackup() {
        journal.log.endBackup()
    }

    func close() throws(JournalFailure) {
        mark?.cancel()
        try journal.close()
    }

    private func takeSnapshot(_ state: SandboxState) {
        guard let ticket = try? journal.log.beginSnapshot() else { return }
        isWriting = true
        let bound = NIOLoopBound(self, eventLoop: loop)
        let loop = loop
        StorageEnvironment.system.background {
            let receipt = try? ticket.write(
                check: { content in
                    _ = try SandboxSnapshotItem(
                        typeWord: content.word, payload: content.payload)
                },
                items: { sink in
                    state.snapshotItems { item in
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
            // What cannot be removed now is removed after the next snapshot.
            try? trim.perform()
        }
    }

    private final class Replay {
        var state = SandboxState()
    }
}
