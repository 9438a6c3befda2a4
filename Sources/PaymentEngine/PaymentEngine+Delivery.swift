import Logging
import PaymentCore

/// The delivery of records to subscribers. A slow reader holds a place in the log,
/// not a queue of its own: it reads on from there when it has room again.
extension PaymentEngine {
    /// Hands the records of a turn to everybody who is live, and lets the others read them later.
    ///
    /// - Parameters:
    ///   - batch: The turn, which is committed.
    ///   - position: The committed head before it; a subscription that has scanned that far is live.
    func publish(_ batch: TurnPipeline.Batch, after position: SequenceNumber) {
        // The ends that a change of session causes, committed or proposed, are still delivered: nothing
        // would deliver them again.
        var former = batch.changesSession || pipeline.changesSession ? publishedAccount : nil
        let visible = batch.records.compactMap { record -> (Record, EventKind)? in
            if case .sessionChanged(_, let session, _) = record.event {
                lastSessionChange = record.sequence
                publishedAccount = session?.account
                former = pipeline.changesSession ? session?.account : nil
            }
            guard !subscriptions.isEmpty, let kind = EventKind(of: record.event) else { return nil }
            guard isVisible(record) || former.map({ record.isEnd(of: $0) }) ?? false else {
                return nil
            }
            return (record, kind)
        }
        guard !subscriptions.isEmpty else { return }
        noteAsked(in: visible)
        // The list may change while deliveries are made: a sink that fails ends its subscriptions.
        for subscription in subscriptions {
            guard !subscription.isEnded else { continue }
            guard subscription.isLive, subscription.scanned >= position,
                subscription.sink.hasRoom
            else {
                catchUpLater(subscription)
                continue
            }
            let wasDelivered = deliver(visible, to: subscription)
            if wasDelivered { subscription.sink.flushDeliveries() }
            // Not everything fitted, or the session changed. A peer that has read what did fit by
            // now has room, and nobody will come to say so.
            if !subscription.isLive || subscription.scanned < durableHead {
                catchUpLater(subscription)
            }
        }
    }

    /// Sends the records of a turn to a subscription that is live, as far as it has room.
    ///
    /// - Returns: Whether anything was delivered.
    private func deliver(
        _ visible: [(Record, EventKind)], to subscription: Subscription
    ) -> Bool {
        let turnEnd = durableHead
        var wasDelivered = false
        for (record, kind) in visible where record.sequence > subscription.scanned {
            guard subscription.sink.hasRoom else { return wasDelivered }
            wasDelivered = send(record, kind, to: subscription) || wasDelivered
            subscription.scanned = record.sequence
        }
        subscription.scanned = turnEnd
        return wasDelivered
    }

    /// Sends a visible record to a subscription that wants it.
    ///
    /// - Returns: Whether it does.
    @discardableResult
    func send(_ record: Record, _ kind: EventKind, to subscription: Subscription) -> Bool {
        var wasSent = false
        if subscription.admits(kind, record) {
            if case .questionOpened(let question) = record.event {
                noteAsked(question, subscription)
            }
            tell(.record(record, previous: subscription.previous), to: subscription)
            subscription.previous = record.sequence
            wasSent = true
        }
        if kind == .storefrontChanged, record.sequence > subscription.began {
            // What the new session sees is told afresh, whatever was told to the old one. Changes
            // from before the subscription are history: it never saw with the eyes of another.
            subscription.baseline = record.sequence
            subscription.skipsRedelivery = false
            subscription.questionsShown = 0
            subscription.phase = .redelivering(position: 0)
        }
        return wasSent
    }

    /// Hands one delivery over.
    func tell(_ delivery: Delivery, to subscription: Subscription) {
        subscription.sink.deliver(delivery, to: subscription)
        if subscription.request.heartbeat != nil { subscription.lastTold = loop.now }
    }

    /// Whether the session may see a record. What belonged to nobody when it was recorded belongs
    /// to whoever claimed it since.
    func isVisible(_ record: Record) -> Bool {
        switch record.event {
        case .transaction(_, let transaction):
            let owner = queue.transaction(transaction.id)?.account ?? transaction.account
            return queue.isVisible(owner)
        case .restoreEnded(_, let account, _): return queue.isVisible(account)
        case .entitlementsRevoked(let revocation): return queue.isVisible(revocation.account)
        // A login question is asked while nobody is in session, and belongs to nobody.
        case .questionOpened(let question):
            return question.kind == .login || queue.isVisible(question.account)
        case .questionClosed(let closing):
            return closing.account == nil || queue.isVisible(closing.account)
        default: return true
        }
    }
}

extension Record {
    /// Whether it ends something of an account that leaves in the same turn. Such an end comes
    /// before the change of session and is told while the account is still there; nothing would
    /// tell of it again.
    func isEnd(of account: AccountName) -> Bool {
        switch event {
        case .restoreEnded(_, let owner, _): owner == account
        case .questionClosed(let closing): closing.account == account
        default: false
        }
    }
}
