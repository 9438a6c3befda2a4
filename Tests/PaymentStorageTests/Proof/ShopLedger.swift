import PaymentCore
import PaymentStorage
import PaymentTesting

/// What a queue promised, kept outside of the disk: which records are acknowledged, and what became of
/// each transaction.
struct ShopLedger {
    /// The place of a transaction.
    enum Status: Hashable {
        /// In the queue, in this state and revision.
        case open(TransactionState, revision: UInt32)
        /// Finished; found by its identifier and its key, and by its order if it had one.
        case closed(hasOrder: Bool)
        /// Dropped by retention: only its order is known.
        case forgotten
        /// Never added, or dropped without an order.
        case unknown
    }

    /// A change of a transaction by a record.
    private struct Change {
        let sequence: SequenceNumber
        let number: UInt64
        let status: Status
    }

    /// What was promised from an operation of the disk on.
    struct Promise {
        var operation: Int
        var acknowledged: SequenceNumber
        var attempted: SequenceNumber
    }

    private var changes: [Change] = []
    private var promises: [Promise] = []
    /// The backups that were written, with the operations behind which each is whole.
    private var backups: [(name: String, operation: Int)] = []
    /// The highest number of a transaction.
    private(set) var numbers: UInt64 = 0
    /// The last record whose commit returned.
    private(set) var acknowledged: SequenceNumber = 0
    /// The last record that was appended.
    private(set) var attempted: SequenceNumber = 0

    /// A number that no transaction had.
    mutating func nextNumber() -> UInt64 {
        numbers += 1
        return numbers
    }

    /// Notes a record.
    mutating func note(_ sequence: SequenceNumber, _ status: Status? = nil, of number: UInt64 = 0) {
        attempted = max(attempted, sequence)
        if let status {
            changes.append(Change(sequence: sequence, number: number, status: status))
        }
    }

    /// Notes that everything is dropped that was closed before a record.
    mutating func noteForgotten(before last: SequenceNumber, by sequence: SequenceNumber) {
        let current = transactions(at: last)
        for change in changes {
            guard case .closed(let hasOrder) = change.status, change.sequence < last,
                current[change.number] == change.status
            else { continue }
            note(sequence, hasOrder ? .forgotten : .unknown, of: change.number)
        }
        attempted = max(attempted, sequence)
    }

    /// Notes that all records are on stable storage, and that somebody was told so.
    mutating func acknowledge(after operation: Int) {
        acknowledged = attempted
        promise(after: operation)
    }

    /// Notes that records are about to be written.
    mutating func promise(after operation: Int) {
        promises.append(
            Promise(operation: operation, acknowledged: acknowledged, attempted: attempted))
    }

    /// What was promised when so many operations had happened.
    func promise(at operation: Int) -> Promise {
        promises.last { $0.operation <= operation }
            ?? Promise(operation: 0, acknowledged: 0, attempted: 0)
    }

    /// Notes that a backup is whole.
    mutating func noteBackup(_ name: String, after operation: Int) {
        backups.append((name, operation))
    }

    /// The backups that were whole when so many operations had happened.
    func backups(at operation: Int) -> Set<String> {
        Set(backups.filter { $0.operation <= operation }.map(\.name))
    }

    /// Counts operations from now on.
    mutating func beginRecording() {
        promises = []
        backups = backups.map { ($0.name, 0) }
        promise(after: 0)
    }

    /// Continues from what a start has found, and has made certain.
    mutating func continueFrom(_ head: SequenceNumber, after operation: Int) {
        changes.removeAll { $0.sequence > head }
        attempted = head
        acknowledge(after: operation)
    }

    /// The transactions as of a record.
    func transactions(at head: SequenceNumber) -> [UInt64: Status] {
        var result: [UInt64: Status] = [:]
        for change in changes where change.sequence <= head {
            result[change.number] = change.status
        }
        return result
    }

    /// What is wrong with the content that a start has found; nil if nothing is.
    func fault(in shop: Shop) -> String? {
        let head = shop.queue.head
        guard head >= acknowledged else {
            return "\(acknowledged) was acknowledged, \(head) is left"
        }
        guard head <= attempted else { return "\(head) was never written" }
        return contentFault(in: shop)
    }

    /// What is wrong with a content as of its last record; nil if nothing is.
    func contentFault(in shop: Shop) -> String? {
        let expected = transactions(at: shop.queue.head)
        let open = expected.values.count { if case .open = $0 { true } else { false } }
        guard shop.queue.unfinishedCount == open else {
            return "\(shop.queue.unfinishedCount) transactions are open, not \(open)"
        }
        do {
            for number in 0..<numbers {
                let found = try shop.status(of: number + 1)
                let wanted = expected[number + 1] ?? .unknown
                guard found == wanted else {
                    return "transaction \(number + 1) is \(found), not \(wanted)"
                }
            }
            let closed = try shop.closedNumbers()
            let wanted = expected.keys.filter { expected[$0]?.isClosed == true }.sorted()
            guard closed == wanted else { return "\(closed) are closed, not \(wanted)" }
        } catch {
            return "a lookup failed: \(error)"
        }
        return nil
    }
}

extension ShopLedger.Status {
    fileprivate var isClosed: Bool { if case .closed = self { true } else { false } }
}
