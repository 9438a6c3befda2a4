import PaymentCore
import PaymentSandbox
import PaymentTesting

/// What survives the process: the place that a journal is kept in.
protocol Medium: AnyObject {
    /// The closed things that are not in the queue of the process that runs.
    var history: any ClosedHistory { get }

    /// Whether the power is off. The process is dead, although it does not know it yet.
    var isOff: Bool { get }

    /// Opens the journal for a new process and replays it.
    func open() throws -> OpenedMedium

    /// Makes the next commit fail, in whatever way this medium can.
    func armFailure(_ dice: inout SeededGenerator)

    /// The process has died: what it did not commit may or may not survive.
    func processDied(_ dice: inout SeededGenerator)

    /// Drops old records from what can be read, as retention does, if the medium can.
    func trim(_ dice: inout SeededGenerator)
}

/// What a new process begins with.
struct OpenedMedium {
    var journal: any RecordLog
    var queue: PaymentQueue
    /// The state of the embedded store.
    var store: SandboxState
    /// The records that were replayed, oldest first; those before may be in a snapshot.
    var replayed: [Record]
}

/// Records in memory, with a clear line between what is durable and what is not.
final class RecordingMedium: Medium {
    /// A change of the records between two lives, to prove that the checks see it.
    var corrupt: ([Record]) -> [Record] = { $0 }
    let history: any ClosedHistory = EmptyHistory()
    let isOff = false
    /// The same for the records of the store.
    var corruptStore: ([RecordingJournal.StoreLine]) -> [RecordingJournal.StoreLine] = { $0 }
    private var all: [Record] = []
    private var allOfStore: [RecordingJournal.StoreLine] = []
    private var trimmedTo: SequenceNumber = 0
    private var journal = RecordingJournal()
    /// Whether a commit of this life has failed: nothing is written behind that.
    private var hasFailed = false
    private let limits: Limits
    private var holes: SeededGenerator

    init(limits: Limits, seed: UInt64) {
        self.limits = limits
        holes = SeededGenerator(seed: seed)
    }

    func open() throws -> OpenedMedium {
        all = corrupt(all)
        allOfStore = corruptStore(allOfStore)
        hasFailed = false
        journal = RecordingJournal(durable: all, store: allOfStore)
        journal.onCommit = { [unowned self] in
            all += $0
            allOfStore = journal.durableStore
        }
        journal.hole = { [unowned self] in holes.chance(5) ? 1 : 0 }
        if trimmedTo > 0 { journal.trim(upTo: trimmedTo) }
        var queue = PaymentQueue(limits: limits)
        // Every other life begins with a snapshot of the first half.
        let cut = holes.chance(50) ? all.count / 2 : 0
        for record in all[..<cut] { try queue.apply(record) }
        if cut > 0 {
            var loaded = PaymentQueue(limits: limits)
            try queue.snapshotItems { try loaded.load($0) }
            loaded.didLoad(upTo: queue.head)
            queue = loaded
        }
        for record in all[cut...] { try queue.apply(record) }
        if cut > 0, all.count < 400 { try compare(queue) }
        let sandbox = SandboxReplay()
        for line in allOfStore { try sandbox.replay(line.record) }
        return OpenedMedium(
            journal: journal, queue: queue, store: sandbox.takeState(), replayed: all)
    }

    /// A snapshot and what came after it are the same as everything from the beginning.
    private func compare(_ queue: PaymentQueue) throws {
        var replayed = PaymentQueue(limits: limits)
        for record in all { try replayed.apply(record) }
        if replayed.items() != queue.items() { throw Difference() }
    }

    /// The same records came to two states.
    private struct Difference: Error, CustomStringConvertible {
        let description = "a snapshot and the records come to different states"
    }

    func armFailure(_ dice: inout SeededGenerator) {
        let isTorn = dice.chance(50)
        let draw = dice.below(1000)
        journal.ending = { [unowned self] count in
            hasFailed = true
            return isTorn ? .torn(draw % (count + 1)) : .failed
        }
    }

    func processDied(_ dice: inout SeededGenerator) {
        // Some of what was not committed may have reached the disk all the same.
        let batch = journal.batch
        let ofStore = journal.storeBatch
        guard !hasFailed, !batch.isEmpty || !ofStore.isEmpty, dice.chance(40) else { return }
        let count = dice.below(batch.count + 1)
        let end = batch.dropFirst(count).first?.sequence ?? .max
        all += batch.prefix(count)
        allOfStore += ofStore.filter { $0.sequence < end }
    }

    func trim(_ dice: inout SeededGenerator) {
        guard let position = dice.pick(all)?.sequence else { return }
        trimmedTo = max(trimmedTo, position)
        journal.trim(upTo: trimmedTo)
    }
}

extension PaymentQueue {
    /// The whole state in memory, piece by piece.
    func items(withClosed: Bool = true) -> [SnapshotItem] {
        var items: [SnapshotItem] = []
        snapshotItems(withClosed: withClosed) { items.append($0) }
        return items
    }
}
