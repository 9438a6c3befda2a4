import Logging
public import PaymentCore

/// What subscribers are told (PROTOCOL.md rules 2, 3 and 8). A slow reader holds a place in the log,
/// not a queue of its own: it reads on from there when it has room again.
extension PaymentEngine {
    /// Most records read from the log at a time for one subscription.
    static let pageOfRecords = 256
    /// Most transactions of one redelivery.
    static let pageOfTransactions = 50

    /// Begins a subscription. Its first delivery comes after the reply to the running turn.
    ///
    /// - Parameters:
    ///   - request: What the subscriber wants; a cursor must lie within the log.
    ///   - sink: Its connection.
    /// - Returns: The subscription.
    public func subscribe(
        _ request: SubscriptionRequest, sink: any SubscriptionSink
    ) -> Subscription {
        let subscription = Subscription(
            number: nextSubscription, request: request, head: queue.head, turn: turns, sink: sink)
        nextSubscription += 1
        subscriptions.append(subscription)
        observersDidChange()
        armHeartbeat(subscription)
        scheduleTurnEnd()
        return subscription
    }

    /// Ends a subscription; nothing more is delivered to it.
    public func unsubscribe(_ subscription: Subscription) {
        guard !subscription.isEnded else { return }
        subscription.isEnded = true
        subscription.heartbeatTimer?.cancel()
        subscriptions.removeAll { $0 === subscription }
        observersDidChange()
    }

    /// Goes on with a subscription whose connection has room again.
    public func resume(_ subscription: Subscription) {
        guard !subscription.isScheduled, !subscription.isEnded else { return }
        subscription.isScheduled = true
        loop.execute { [self] in
            subscription.isScheduled = false
            advance(subscription)
        }
    }

    /// Records behind a position that the session sees, oldest first, and how far was read.
    ///
    /// - Parameters:
    ///   - position: Where to begin.
    ///   - limit: Most records to return.
    ///   - kinds: The kinds wanted; nil for all.
    /// - Returns: The records and the position up to which there are no others.
    /// - Throws: The log cannot be read.
    public func visibleRecords(
        after position: SequenceNumber, limit: Int, kinds: Set<RecordKind>?
    ) throws(JournalFailure) -> (records: [Record], scanned: SequenceNumber) {
        var found: [Record] = []
        var scanned = position
        while found.count < limit, scanned < durableHead {
            let page = try journal.records(after: scanned, count: Self.pageOfRecords)
            guard !page.isEmpty else { return (found, durableHead) }
            for record in page {
                scanned = record.sequence
                guard let kind = RecordKind(record.event), kinds?.contains(kind) ?? true,
                    isVisible(record)
                else { continue }
                found.append(record)
                if found.count == limit { break }
            }
        }
        return (found, scanned)
    }

    /// Hands the records of a turn to everybody who is live, and lets the others read them later.
    ///
    /// - Parameters:
    ///   - records: All records of the turn.
    ///   - position: The durable head before the turn; who has scanned that far is live.
    func publish(_ records: [Record], after position: SequenceNumber) {
        guard !subscriptions.isEmpty else { return }
        var former = formerAccount(of: records)
        let visible = records.compactMap { record -> (Record, RecordKind)? in
            guard let kind = RecordKind(record.event) else { return nil }
            if kind == .storefrontChanged { former = nil }
            guard isVisible(record) || former.map({ record.isEnd(of: $0) }) ?? false else {
                return nil
            }
            return (record, kind)
        }
        // The list may change while deliveries are made: a sink that fails ends its subscriptions.
        for subscription in subscriptions {
            guard !subscription.isEnded else { continue }
            guard case .live = subscription.phase, subscription.scanned >= position,
                subscription.sink.hasRoom
            else {
                advance(subscription)
                continue
            }
            let wasDelivered = deliver(visible, to: subscription)
            if !subscription.isLive { advance(subscription) }
            if wasDelivered { subscription.sink.flushDeliveries() }
        }
    }

    /// The account that was in session when a turn began that changed that.
    private func formerAccount(of records: [Record]) -> AccountName? {
        guard sessionIsNews else { return nil }
        for record in records {
            if case .sessionChanged(let from, _) = record.event { return from?.account }
        }
        return nil
    }

    /// Sends the records of a turn to a subscription that is live, as far as it has room.
    ///
    /// - Returns: Whether anything was delivered.
    private func deliver(
        _ visible: [(Record, RecordKind)], to subscription: Subscription
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

    /// Starts the subscriptions that were made in the turn that has just become durable.
    func advanceNewSubscriptions() {
        for subscription in subscriptions {
            if case .replaying = subscription.phase { advance(subscription) }
        }
    }

    /// Moves one subscription on: a page of the log, or a page of redelivery, then the next in a
    /// later turn, so that one reader does not hold up the others.
    ///
    /// Only between turns: what the running one changed may not be seen yet, and a subscription
    /// made in it has no reply yet. The end of the turn comes back to both.
    private func advance(_ subscription: Subscription) {
        guard !subscription.isEnded, !subscription.isScheduled, turnRecords.isEmpty,
            subscription.turn < turns, subscription.sink.hasRoom
        else { return }
        let isAtHead = replayPage(subscription)
        if isAtHead, !subscription.isEnded { redeliverPage(subscription) }
        subscription.sink.flushDeliveries()
        if case .live = subscription.phase, subscription.scanned >= durableHead { return }
        resume(subscription)
    }

    /// Sends a page of records from the log.
    ///
    /// - Returns: Whether the subscription has seen the whole log.
    private func replayPage(_ subscription: Subscription) -> Bool {
        guard subscription.scanned < durableHead else { return true }
        guard subscription.scanned + 1 >= journal.oldest else {
            passGap(subscription)
            return !subscription.isEnded
        }
        let page: [Record]
        do throws(JournalFailure) {
            page = try journal.records(after: subscription.scanned, count: Self.pageOfRecords)
        } catch {
            log.error(
                "cannot read the log for a subscriber; its subscription ends",
                metadata: ["reason": "\(error)"])
            end(subscription)
            return false
        }
        for record in page {
            guard subscription.sink.hasRoom else { return false }
            subscription.scanned = record.sequence
            guard let kind = RecordKind(record.event), isVisible(record) else { continue }
            send(record, kind, to: subscription)
        }
        if page.isEmpty { subscription.scanned = durableHead }
        return subscription.scanned >= durableHead
    }

    /// Sends a page of what is unfinished, or says that everything was sent.
    private func redeliverPage(_ subscription: Subscription) {
        var position: UInt64 = 0
        switch subscription.phase {
        case .live: return
        case .replaying: break
        case .redelivering(let reached): position = reached
        }
        guard !subscription.skipsRedelivery,
            subscription.request.kinds?.contains(.transactionsUpdated) ?? true
        else { return becomeLive(subscription) }
        var batch: [Transaction] = []
        var isComplete = true
        queue.forEachUnfinished(after: position) { transaction, place, newest in
            guard batch.count < Self.pageOfTransactions else {
                isComplete = false
                return false
            }
            position = place
            guard newest <= subscription.baseline, transaction.state != .completing else {
                return true
            }
            let product = transaction.payment.product.product.productIdentifier
            guard subscription.admits(.transactionsUpdated, product: product) else { return true }
            batch.append(transaction)
            return true
        }
        if !batch.isEmpty {
            let delivery = Delivery.redelivery(batch, position: subscription.previous)
            subscription.sink.deliver(delivery, to: subscription)
        }
        subscription.phase = .redelivering(position: position)
        if isComplete { becomeLive(subscription) }
    }

    private func becomeLive(_ subscription: Subscription) {
        subscription.phase = .live
        let delivery = Delivery.caughtUp(position: subscription.previous)
        subscription.sink.deliver(delivery, to: subscription)
        guard subscription.observes else { return }
        readiness = observation { $0.isLive }
        scheduleTurnEnd()
    }

    @discardableResult
    private func send(
        _ record: Record, _ kind: RecordKind, to subscription: Subscription
    ) -> Bool {
        var wasSent = false
        if subscription.admits(kind, product: record.product) {
            let delivery = Delivery.record(record, previous: subscription.previous)
            subscription.sink.deliver(delivery, to: subscription)
            subscription.previous = record.sequence
            wasSent = true
        }
        if kind == .storefrontChanged, record.sequence > subscription.began {
            // What the new session sees is told afresh, whatever was told to the old one. Changes
            // from before the subscription are history: it never saw with the eyes of another.
            subscription.baseline = record.sequence
            subscription.skipsRedelivery = false
            subscription.phase = .redelivering(position: 0)
        }
        return wasSent
    }

    /// The records behind the cursor were trimmed: says so, and begins again with what is there.
    private func passGap(_ subscription: Subscription) {
        guard subscription.request.onGap == .snapshot else { return end(subscription) }
        let delivery = Delivery.gap(from: subscription.scanned + 1, to: durableHead)
        subscription.sink.deliver(delivery, to: subscription)
        subscription.scanned = durableHead
        subscription.previous = durableHead
        subscription.baseline = durableHead
        subscription.skipsRedelivery = false
        subscription.phase = .redelivering(position: 0)
    }

    private func end(_ subscription: Subscription) {
        subscription.sink.deliver(.ended(last: subscription.previous), to: subscription)
        subscription.sink.flushDeliveries()
        unsubscribe(subscription)
    }

    /// Whether the session may see a record. What belonged to nobody when it was recorded belongs
    /// to whoever claimed it since.
    private func isVisible(_ record: Record) -> Bool {
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

    /// The turn that changed the session was told to everybody who keeps up. Work goes on for those
    /// who have caught up by now, and for each of the others when it has.
    func observersHeardOfSession() {
        sessionIsNews = false
        readiness = observation { $0.isLive }
        scheduleTurnEnd()
    }

    private func observersDidChange() {
        queue.observation = observation { _ in true }
        if queue.observation.isNobody { reconciliation.wasObserved = false }
        readiness = observation { $0.isLive }
    }

    private func observation(of isCounted: (Subscription) -> Bool) -> Observation {
        var observation = Observation()
        for subscription in subscriptions where subscription.observes && isCounted(subscription) {
            if let products = subscription.request.products {
                observation.products.formUnion(products)
            } else {
                observation.everything = true
            }
        }
        return observation
    }

    private func armHeartbeat(_ subscription: Subscription) {
        guard let interval = subscription.request.heartbeat else { return }
        subscription.heartbeatTimer = loop.schedule(after: interval) { [self] in
            guard !subscription.isEnded else { return }
            if subscription.sink.hasRoom {
                let delivery = Delivery.heartbeat(position: subscription.scanned)
                subscription.sink.deliver(delivery, to: subscription)
                subscription.sink.flushDeliveries()
            }
            armHeartbeat(subscription)
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

    /// The product of the transaction that the record is about, if it is about one.
    var product: ProductIdentifier? {
        guard case .transaction(_, let transaction) = event else { return nil }
        return transaction.payment.product.product.productIdentifier
    }
}
