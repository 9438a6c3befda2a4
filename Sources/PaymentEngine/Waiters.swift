public import PaymentCore

/// The end of a wait: a transaction in one of some states, or out of the queue.
public struct WaitCondition: Sendable, Hashable {
    /// The states that end the waiting.
    public var phases: Set<TransactionState.Phase>
    /// Whether leaving the queue ends it; it always does, but only then counts as reached.
    public var removal: Bool

    /// Makes a condition.
    public init(phases: Set<TransactionState.Phase>, removal: Bool) {
        self.phases = phases
        self.removal = removal
    }

    /// Every end that the store can bring about.
    public static let settled = WaitCondition(
        phases: [.purchased, .restored, .failed], removal: false)
}

/// Calls that wait for records of the future.
struct Waiters {
    struct Waiter {
        var id: UInt64
        var condition: WaitCondition
        var answer: (Bool) -> Void
    }

    private var transactions: [TransactionID: [Waiter]] = [:]
    private var restores: [RestoreID: [(id: UInt64, answer: () -> Void)]] = [:]
    private var records: [(id: UInt64, answer: () -> Void)] = []
    private var nextID: UInt64 = 1

    mutating func wait(
        for id: TransactionID, until condition: WaitCondition, answer: @escaping (Bool) -> Void
    ) -> UInt64 {
        nextID += 1
        transactions[id, default: []].append(
            Waiter(id: nextID, condition: condition, answer: answer))
        return nextID
    }

    mutating func wait(for id: RestoreID, answer: @escaping () -> Void) -> UInt64 {
        nextID += 1
        restores[id, default: []].append((nextID, answer))
        return nextID
    }

    mutating func waitForRecord(_ answer: @escaping () -> Void) -> UInt64 {
        nextID += 1
        records.append((nextID, answer))
        return nextID
    }

    /// Ends the waiting of somebody who waits for any record.
    ///
    /// - Returns: The answer to give; nil if the waiting has ended.
    mutating func take(_ waiter: UInt64) -> (() -> Void)? {
        guard let index = records.firstIndex(where: { $0.id == waiter }) else { return nil }
        return records.remove(at: index).answer
    }

    mutating func cancel(_ waiter: UInt64) {
        records.removeAll { $0.id == waiter }
        for (id, list) in transactions where list.contains(where: { $0.id == waiter }) {
            transactions[id] = list.count == 1 ? nil : list.filter { $0.id != waiter }
        }
        for (id, list) in restores where list.contains(where: { $0.id == waiter }) {
            restores[id] = list.count == 1 ? nil : list.filter { $0.id != waiter }
        }
    }

    /// Ends the waiting that the durable records of a turn end.
    ///
    /// - Returns: The answers to give. Whoever gets one may wait again at once, which is why they
    ///   are not given from here.
    mutating func notice(_ turn: [Record]) -> [() -> Void] {
        guard !turn.isEmpty, !transactions.isEmpty || !records.isEmpty || !restores.isEmpty else {
            return []
        }
        var answers = records.map(\.answer)
        records.removeAll()
        for record in turn {
            if case .restoreEnded(let id, _, _) = record.event {
                answers += restores.removeValue(forKey: id)?.map(\.answer) ?? []
            }
            guard case .transaction(let change, let transaction) = record.event,
                let list = transactions[transaction.id]
            else { continue }
            var rest: [Waiter] = []
            for waiter in list {
                if let reached = waiter.condition.result(of: change, transaction) {
                    answers.append { waiter.answer(reached) }
                } else {
                    rest.append(waiter)
                }
            }
            transactions[transaction.id] = rest.isEmpty ? nil : rest
        }
        return answers
    }
}

extension WaitCondition {
    /// Whether a record ends the waiting, and whether what was waited for was reached.
    func result(of change: TransactionChange, _ transaction: Transaction) -> Bool? {
        if case .removed = change { return removal }
        return phases.contains(transaction.state.phase) ? true : nil
    }
}

extension PaymentEngine {
    /// Waits until a transaction is as asked for, or left the queue.
    ///
    /// - Parameters:
    ///   - id: A transaction that the session sees.
    ///   - condition: What to wait for.
    ///   - answer: Called once in the turn that ends the waiting, with whether the condition was
    ///     reached; never when ``cancelWait(_:)`` was called before.
    /// - Returns: Whether it was so already, or a number to cancel the waiting by.
    public func wait(
        for id: TransactionID, until condition: WaitCondition, answer: @escaping (Bool) -> Void
    ) -> WaitStart {
        guard let transaction = queue.transaction(id) else { return .now(reached: false) }
        if queue.finish(of: id) != nil { return .now(reached: condition.removal) }
        if condition.phases.contains(transaction.state.phase) { return .now(reached: true) }
        return .later(waiters.wait(for: id, until: condition, answer: answer))
    }

    /// Ends a waiting without an answer.
    public func cancelWait(_ waiter: UInt64) {
        waiters.cancel(waiter)
    }
}

/// How a waiting began.
public enum WaitStart: Sendable, Hashable {
    /// Nothing is left to wait for.
    case now(reached: Bool)
    /// It is waited for; the number cancels it.
    case later(UInt64)
}
