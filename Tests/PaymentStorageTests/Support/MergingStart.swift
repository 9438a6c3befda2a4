import PaymentCore
import PaymentTesting

@testable import PaymentStorage

/// A start on a state directory whose store may have a journal of its own.
struct MergingStart {
    let journal: LocalLog
    let report: RecoveryReport
    let queue: PaymentQueue
    /// The texts in the store.
    let texts: [String]

    init(_ rig: StorageRig) throws {
        let store = NoteReplay()
        let replay = QueueReplay(limits: Limits(), store: store)
        let reading = try LocalLog.read(in: rig.stateDirectory(), settings: rig.settings, replay)
        (journal, report) = try reading.open()
        queue = replay.takeQueue(head: journal.head)
        texts = store.items + store.texts
    }

    /// Merges the journal of the store. Returns the reason why files of it were left.
    @discardableResult
    func merge() throws -> String? {
        try journal.mergeSeparateStore(queue: queue, store: NoteImage(texts: texts))
    }
}
