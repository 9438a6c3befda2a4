public import PaymentCore

/// The condition that ends a wait: the transaction is in one of some states, or out of the queue.
public struct WaitCondition: Sendable, Hashable {
    /// The states that end the wait.
    public var phases: Set<TransactionState.Phase>
    /// Whether the condition is reached when the transaction leaves the queue, which ends every wait.
    public var removal: Bool

    /// Creates a condition.
    public init(phases: Set<TransactionState.Phase>, removal: Bool) {
        self.phases = phases
        self.removal = removal
    }

    /// The states that the store decides: purchased, restored and failed.
    public static let settled = WaitCondition(
        phases: [.purchased, .restored, .failed], removal: false)

    /// Whether the condition is reached by a record that ends the wait; nil if the record does not
    /// end it.
    func result(of change: TransactionChange, _ transaction: Transaction) -> Bool? {
        if case .removed = change { return removal }
        return phases.contains(transaction.state.phase) ? true : nil
    }
}

/// The result of beginning a wait.
public enum WaitStart: Sendable, Hashable {
    /// Nothing is left to wait for.
    case now(reached: Bool)
    /// The wait has begun; the number cancels it.
    case later(UInt64)
}

/// The calls that wait for later records. The caller invokes the answers that a method returns,
/// because an answer may register a new wait.
struct WaitRegistry {
    private struct TransactionWait {
        var id: UInt64
        var condition: WaitCondition
        var answer: (Bool) -> Void
    }

    private typealias Wait = (id: UInt64, answer: () -> Void)

    private var transactions: [TransactionID: [TransactionWait]] = [:]
    private var restores: [RestoreID: [Wait]] = [:]
    private var records: [Wait] = []
    private var lastID: UInt64 = 0

    /// Waits for a transaction.
    ///
    /// - Returns: A number to cancel the wait by.
    mutating func wait(
        for id: TransactionID, until condition: WaitCondition, answer: @escaping (Bool) -> Void
    ) -> UInt64 {
        lastID += 1
        transactions[id, default: []].append(
            TransactionWait(id: lastID, condition: condition, answer: answer))
        return lastID
    }

    /// Waits for the end of a restore.
    ///
    /// - Returns: A number to cancel the wait by.
    mutating func wait(for id: RestoreID, answer: @escaping () -> Void) -> UInt64 {
        lastID += 1
        restores[id, default: []].append((lastID, answer))
        return lastID
    }

    /// Waits for the next record, whatever it is.
    ///
    /// - Returns: A number to cancel the wait by.
    mutating func waitForRecord(_ answer: @escaping () -> Void) -> UInt64 {
        lastID += 1
        records.append((lastID, answer))
        return lastID
    }

    /// Ends one wait for any record, without waiting for the next record.
    ///
    /// - Returns: The answer to invoke; nil if the wait has ended.
    mutating func endRecordWait(_ id: UInt64) -> (() -> Void)? {
        guard let index = records.firstIndex(where: { $0.id == id }) else { return nil }
        return records.remove(at: index).answer
    }

    /// Ends a wait without an answer.
    mutating func cancel(_ wait: UInt64) {
        records.removeAll { $0.id == wait }
        for (id, list) in transactions where list.contains(where: { $0.id == wait }) {
            transactions[id] = list.count == 1 ? nil : list.filter { $0.id != wait }
        }
        for (id, list) in restores where list.contains(where: { $0.id == wait }) {
            restores[id] = list.count == 1 ? nil : list.filter { $0.id != wait }
        }
    }

    /// Ends the waits for any record.
    ///
    /// - Returns: The answers to invoke.
    mutating func endRecordWaits() -> [() -> Void] {
        defer { records.removeAll() }
        return records.map(\.answer)
    }

    /// Ends the waits for transactions and restores that some records end.
    ///
    /// - Returns: The answers to invoke.
    mutating func endWaits(by news: some Sequence<Record>) -> [() -> Void] {
        guard !transactions.isEmpty || !restores.isEmpty else { return [] }
        var answers: [() -> Void] = []
        for record in news {
            switch record.event {
            case .restoreEnded(let id, _, _):
                answers += restores.removeValue(forKey: id)?.map(\.answer) ?? []
            case .transaction(let change, let transaction):
                transactions[transaction.id]?.removeAll { wait in
                    guard let isReached = wait.condition.result(of: change, transaction) else {
                        return false
                    }
                    answers.append { wait.answer(isReached) }
                    return true
                }
                if transactions[transaction.id]?.isEmpty ?? false {
                    transactions[transaction.id] = nil
                }
            default: break
            }
        }
        return answers
    }
}
