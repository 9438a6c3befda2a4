public import PaymentCore

/// Reads the committed log, and registers calls that wait for later records.
///
/// Proof: see ``QueueWriter``; work on the loop names it.
public final class QueueReader: @unchecked Sendable {
    /// The calls that wait.
    var waits = WaitRegistry()
    private let writer: QueueWriter

    init(writer: QueueWriter) {
        self.writer = writer
    }

    /// Reads the next page of the log for a search: about as much as a slice of the loop permits.
    ///
    /// - Parameter scan: The search, which advances. It is done when it is full or has reached the
    ///   committed head.
    /// - Throws: The log cannot be read.
    public func advance(_ scan: inout LogScan) throws(JournalFailure) {
        guard !scan.isFull else { return }
        let page: RecordPage
        do throws(JournalFailure) {
            page = try writer.journal.page(
                after: scan.position, count: SubscriptionCatchUp.pageOfRecords)
        } catch {
            guard let gap = error.unreadable else { throw error }
            return scan.pass(gap)
        }
        for record in page.records {
            if let kind = EventKind(of: record.event), scan.kinds?.contains(kind) ?? true,
                writer.isVisible(record), !scan.take(record)
            {
                return
            }
            scan.position = record.sequence
            guard !scan.isFull else { return }
        }
        let isAtEnd = page.records.isEmpty && page.position <= scan.position
        scan.position = max(scan.position, isAtEnd ? writer.durableHead : page.position)
    }

    /// Whether a search has nothing more to find now.
    public func isDone(_ scan: LogScan) -> Bool {
        scan.isFull || scan.position >= writer.durableHead
    }

    /// Waits until there is a record to read behind a position.
    ///
    /// - Parameters:
    ///   - position: The position of the caller.
    ///   - answer: Called once: in a later turn if there are records already, otherwise when the next
    ///     one is committed; never when the wait was cancelled before.
    /// - Returns: A number to cancel the wait by.
    public func waitForRecord(
        after position: SequenceNumber, _ answer: @escaping () -> Void
    ) -> UInt64 {
        let wait = waits.waitForRecord(answer)
        if position < writer.durableHead {
            writer.loop.executeAfterInput { [self] in waits.endRecordWait(wait)?() }
        }
        return wait
    }

    /// Waits until a transaction is in some state or has left the queue.
    ///
    /// - Parameters:
    ///   - id: A transaction that the session sees.
    ///   - condition: The end of the wait.
    ///   - answer: Called once in the turn that ends the wait, before its commit, with whether the
    ///     condition was reached; its reply must join that turn. Never called after ``cancel(_:)``.
    /// - Returns: Whether the wait is over already, or a number to cancel it by.
    public func wait(
        for id: TransactionID, until condition: WaitCondition, answer: @escaping (Bool) -> Void
    ) -> WaitStart {
        guard let transaction = writer.queue.transaction(id) else { return .now(reached: false) }
        if writer.queue.finish(of: id) != nil { return .now(reached: condition.removal) }
        if condition.phases.contains(transaction.state.phase) { return .now(reached: true) }
        return .later(waits.wait(for: id, until: condition, answer: answer))
    }

    /// Ends a wait without an answer.
    public func cancel(_ wait: UInt64) { waits.cancel(wait) }

    /// A transaction of any account, with its finish if it has left the queue.
    ///
    /// - Throws: `.historyUnknown`, only if it is not in memory.
    public func transaction(
        _ id: TransactionID
    ) throws(EngineRefusal) -> (transaction: Transaction, finish: Finish?)? {
        if let transaction = writer.queue.transaction(id) {
            return (transaction, writer.queue.finish(of: id))
        }
        let closed = try writer.closed([.transaction(id)])
        guard case .transaction(let transaction, _, let finish)? = closed[.transaction(id)] else {
            return nil
        }
        return (transaction, finish)
    }

    /// The last record whose closed transactions are in the history. Later ones are in memory; see
    /// ``PaymentQueue/forEachFinished(after:_:)``.
    public var historyEnd: SequenceNumber { writer.history.last }

    /// The visible transactions of the history that left the queue after a record.
    ///
    /// - Parameters:
    ///   - position: The record.
    ///   - limit: The maximum number of transactions to look at: once for the account in session,
    ///     and once for transactions that were closed without an account.
    /// - Returns: The transactions in the order of leaving.
    /// - Throws: `.historyUnknown`.
    public func finishedInHistory(
        after position: SequenceNumber, limit: Int
    ) throws(EngineRefusal) -> ClosedPage {
        do throws(ClosedHistoryFailure) {
            var page = try writer.history.page(of: nil, after: position, limit: limit)
            if let account = writer.queue.session?.account {
                page = page.merged(
                    with: try writer.history.page(of: account, after: position, limit: limit))
            }
            return writer.queue.visible(page)
        } catch {
            throw .unknownHistory(error, of: writer)
        }
    }

    /// Whether an idempotency key was used before.
    ///
    /// - Throws: `.historyUnknown`, only if it is not in memory.
    public func isKnown(_ key: OpaqueText) throws(EngineRefusal) -> Bool {
        let closed = try writer.closed([.key(key)])
        return writer.ask { queue in queue.isKnown(key, closed) }
    }

    /// A restore that is remembered and that the session sees.
    ///
    /// - Throws: `.historyUnknown`, only if it is not in memory.
    public func restoreReport(_ id: RestoreID) throws(EngineRefusal) -> RestoreReport? {
        let ended = RestoreReport(try writer.closed([.restore(id)])[.restore(id)])
        guard let report = ended ?? writer.queue.report(of: id),
            writer.queue.isVisible(report.restore.account)
        else { return nil }
        return report
    }

    /// The restores that have not ended and that the session sees, in the order of acceptance.
    public var visibleRestores: [RestoreReport] {
        writer.queue.visibleRestores.compactMap { writer.queue.report(of: $0.id) }
    }

    /// Waits until a restore has ended.
    ///
    /// - Parameters:
    ///   - id: A restore that the session sees.
    ///   - answer: As for a transaction.
    /// - Returns: A number to cancel the wait by; nil when it has ended, or is not known.
    public func wait(forRestore id: RestoreID, answer: @escaping () -> Void) -> UInt64? {
        guard let known = writer.queue.restore(id), known.outcome == nil else { return nil }
        return waits.wait(for: id, answer: answer)
    }
}
