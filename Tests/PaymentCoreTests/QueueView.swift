@testable import PaymentCore
import PaymentTesting

/// Everything of a queue that can be seen, to tell whether two are the same.
struct QueueView: Equatable {
    var head: SequenceNumber
    var unfinishedCount: Int
    var visible: StateCounts
    var waiting: [WaitingFor: Int]
    var unfinished: [Seen] = []
    var finished: [Gone] = []
    var items: [SnapshotItem] = []
    var effects: [Effect]
    var keys: [OpaqueText: TransactionID] = [:]
    /// How many keys name a transaction.
    var keyCount = 0

    struct Seen: Equatable {
        var transaction: Transaction
        var newest: SequenceNumber
    }

    struct Gone: Equatable {
        var transaction: Transaction
        var finish: Finish
    }

    init(_ queue: PaymentQueue) {
        head = queue.head
        unfinishedCount = queue.unfinishedCount
        visible = queue.visibleCounts
        waiting = queue.waitingCounts
        effects = queue.pendingEffects()
        var unfinished: [Seen] = []
        queue.forEachUnfinished { transaction, _, newest in
            unfinished.append(Seen(transaction: transaction, newest: newest))
            return true
        }
        self.unfinished = unfinished
        var finished: [Gone] = []
        queue.forEachFinished { transaction, finish, _ in
            finished.append(Gone(transaction: transaction, finish: finish))
            return true
        }
        self.finished = finished
        var items: [SnapshotItem] = []
        queue.snapshotItems { items.append($0) }
        self.items = items
        var keys: [OpaqueText: TransactionID] = [:]
        for item in items {
            switch item {
            case .transaction(_, let key?, _, _), .finished(_, let key?, _, _):
                keys[key] = queue.locate(key: key).map { queue.table[$0].transaction.id }
            default: break
            }
        }
        self.keys = keys
        keyCount = queue.indexByKey.count
    }
}
