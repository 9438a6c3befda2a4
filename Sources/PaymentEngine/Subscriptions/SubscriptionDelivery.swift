import PaymentCore

/// Delivers committed records to live subscriptions. A slow reader has no queue of its own: it keeps
/// its place in the log, and reads from there when it has room again.
final class SubscriptionDelivery {
    private let writer: QueueWriter
    private let hub: SubscriptionHub
    private let catchUp: SubscriptionCatchUp
    private let clocks: QuestionClocks
    /// The account in session as of the last delivery.
    private var account: AccountName?

    init(hub: SubscriptionHub, catchUp: SubscriptionCatchUp, clocks: QuestionClocks) {
        writer = hub.writer
        self.hub = hub
        self.catchUp = catchUp
        self.clocks = clocks
        account = writer.queue.session?.account
    }

    /// Delivers the records of a batch to the live subscriptions, and lets the others read them later.
    ///
    /// - Parameters:
    ///   - batch: A batch that is committed.
    ///   - position: The committed head before it; a subscription that has scanned that far is live.
    func deliver(_ batch: TurnPipeline.Batch, after position: SequenceNumber) {
        let visible = visibleRecords(of: batch)
        catchUp.keep(batch.records, after: position)
        guard !hub.all.isEmpty else { return }
        startClocks(of: visible)
        // The list may change while deliveries are made: a target that fails ends its subscriptions.
        for subscription in hub.all where !subscription.isEnded {
            guard subscription.isLive, subscription.scanned >= position,
                subscription.target.hasRoom
            else {
                catchUp.enqueue(subscription)
                continue
            }
            if deliver(visible, to: subscription) { subscription.target.flushDeliveries() }
            // If the peer has freed its output meanwhile, no later event would resume the
            // subscription.
            if !subscription.isLive || subscription.scanned < writer.durableHead {
                catchUp.enqueue(subscription)
            }
        }
    }

    /// The records that the session sees, with their kinds. Restores and questions that a change of
    /// session ends are visible to the account that leaves, whether the change is committed or
    /// proposed. No later delivery repeats these records.
    private func visibleRecords(of batch: TurnPipeline.Batch) -> [(Record, EventKind)] {
        guard batch.changesSession || !hub.all.isEmpty else { return [] }
        var former = batch.changesSession || writer.pipeline.changesSession ? account : nil
        return batch.records.compactMap { record in
            if case .sessionChanged(_, let session, _) = record.event {
                hub.lastSessionChange = record.sequence
                account = session?.account
                former = writer.pipeline.changesSession ? session?.account : nil
            }
            guard !hub.all.isEmpty, let kind = EventKind(of: record.event),
                writer.isVisible(record) || former.map({ record.isEnd(of: $0) }) ?? false
            else { return nil }
            return (record, kind)
        }
    }

    /// Sends records to a live subscription, as far as it has room.
    ///
    /// - Returns: Whether anything was sent.
    private func deliver(
        _ visible: [(Record, EventKind)], to subscription: Subscription
    ) -> Bool {
        var wasSent = false
        for (record, kind) in visible where record.sequence > subscription.scanned {
            guard subscription.target.hasRoom else { return wasSent }
            let result = catchUp.send(record, kind, to: subscription)
            subscription.scanned = record.sequence
            if result != .skipped { wasSent = true }
            // If another change of session is proposed, a later read of the log would not show the ends of
            // this session's restores and questions.
            if result == .changesSession, !writer.pipeline.changesSession { return wasSent }
        }
        subscription.scanned = writer.durableHead
        return wasSent
    }

    /// Starts the clocks of questions that are about to reach a subscriber which may answer, so that
    /// every subscriber receives the deadline.
    private func startClocks(of visible: [(Record, EventKind)]) {
        for case (let record, .questionOpened) in visible {
            guard case .questionOpened(let question) = record.event, question.kind.agent == nil
            else { continue }
            for subscription in hub.all
            where subscription.isLive && subscription.target.hasRoom
                && subscription.admits(question)
            {
                clocks.isShown(question, to: subscription)
            }
        }
    }
}

extension QueueWriter {
    /// Whether the session sees a record.
    func isVisible(_ record: Record) -> Bool {
        ask { queue in
            switch record.event {
            case .transaction(_, let transaction):
                queue.isVisible(queue.owner(of: transaction, recordedBy: record.sequence))
            case .restoreEnded(_, let account, _): queue.isVisible(account)
            case .entitlementsRevoked(let revocation): queue.isVisible(revocation.account)
            case .questionOpened(let question): queue.isVisible(question)
            case .questionClosed(let closing):
                closing.account == nil || queue.isVisible(closing.account)
            default: true
            }
        }
    }
}

extension Record {
    /// Whether it ends a restore or a question of an account that leaves in the same turn. Such an end
    /// precedes the change of session and is delivered while the account is still in session.
    fileprivate func isEnd(of account: AccountName) -> Bool {
        switch event {
        case .restoreEnded(_, let owner, _): owner == account
        case .questionClosed(let closing): closing.account == account
        default: false
        }
    }
}
