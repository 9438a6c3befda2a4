/// The outcome of a restore for one purchase.
public enum RestoreStep: Sendable, Hashable {
    /// The purchase was returned, by these events or earlier, and counts.
    case given
    /// There is no space for another transaction.
    case full
    /// The restore has ended, or its account is not in session.
    case ended
}

extension PaymentQueue {
    /// Decides about `restore` with these checks in this order: the key, a running restore for the
    /// same purchases, the limit.
    ///
    /// - Parameters:
    ///   - request: The client's request.
    ///   - context: Time and identifiers.
    ///   - events: The acceptance is appended, or the key of a call that joins.
    /// - Returns: The restore, new or known.
    /// - Throws: The key has another use, or too many restores of the user or of all users are running.
    public func decide(
        _ request: RestoreRequest, _ context: DecisionContext, events: inout [Event]
    ) throws(Refusal) -> RestoreDecision {
        if let key = request.key, let use = use(of: key, context.closed) {
            switch use {
            case .transaction(let first): throw .keyReuse(key: key, transaction: first.id)
            case .restore(let first):
                let isSame =
                    first.appAccountToken == request.appAccountToken
                    && (session == nil || first.account == session?.account)
                guard isSame else { throw .keyReuseByRestore(key: key, restore: first.id) }
                return .duplicate(first.id)
            }
        }
        let mine = restores.running(of: session?.account)
        if let id = mine.first(where: { $0.appAccountToken == request.appAccountToken })?.id {
            if let key = request.key { events.append(.restoreJoined(id, key: key)) }
            return .joined(id)
        }
        try restores.share.require(for: context.origin?.uid, .unfinishedRestores, limits)
        let restore = Restore(
            id: RestoreID(context.makeID()), account: session?.account,
            appAccountToken: request.appAccountToken, createdAt: context.now)
        events.append(.restoreRequested(restore, key: request.key))
        return .accepted(restore.id)
    }

    /// Decides what a restore does with one purchase that the store reports. An unfinished
    /// transaction of the order is delivered again. A new purchase without completion becomes a
    /// purchased transaction, so that its completion is reported to the store. Any other purchase
    /// becomes a new restored transaction.
    ///
    /// - Parameters:
    ///   - purchase: The purchase; of a chain only the newest.
    ///   - id: The restore.
    ///   - context: Time and identifiers.
    ///   - mayAdd: Whether there is space for new transactions.
    ///   - events: The resulting events are appended. The caller applies them before the next
    ///     purchase.
    /// - Returns: Whether the purchase counts, and if not, the reason.
    public func decide(
        _ purchase: StorePurchase, restoring id: RestoreID, _ context: DecisionContext,
        mayAdd: Bool = true, events: inout [Event]
    ) -> RestoreStep {
        guard let entry = restores[id], entry.outcome == nil, let account = entry.restore.account,
            account == session?.account
        else { return .ended }
        if let live = liveTransaction(ofOrder: purchase.order) {
            events.append(change(live, .redelivered, context) { _ in })
            return .given
        }
        if decideMatch(purchase, of: account, context, events: &events) { return .given }
        let isGiven = wasGiven(purchase.order, by: entry.restore, context.closed)
        guard !isGiven else { return .given }
        guard mayAdd, unfinishedCount < limits.unfinishedTransactions else { return .full }
        if !purchase.isCompleted, buyer(of: purchase.order, context.closed) == nil {
            decideAppearance(of: purchase, for: account, context, events: &events)
        } else {
            decideReturn(of: purchase, to: account, context, events: &events)
        }
        return .given
    }

    /// Decides that a restore ended; changes nothing if it has ended before.
    public func decideEnd(
        _ id: RestoreID, _ outcome: RestoreOutcome, events: inout [Event]
    ) {
        guard let entry = restores[id], entry.outcome == nil else { return }
        events.append(.restoreEnded(id, account: entry.restore.account, outcome))
    }

    /// Ends the restores of an account that leaves the session. Their records precede that of the
    /// session, so that no cut batch leaves a running restore of an account without a session.
    func cancelRestores(before new: Session?, events: inout [Event]) {
        guard let old = session, old.account != new?.account else { return }
        for restore in restores.running(of: old.account) {
            events.append(
                .restoreEnded(restore.id, account: old.account, .failed(.cancelled)))
        }
    }

    private func decideReturn(
        of purchase: StorePurchase, to account: AccountName, _ context: DecisionContext,
        events: inout [Event]
    ) {
        let recorded = recorded(purchase.product, in: purchase.country, events: &events)
        let transaction = Transaction(
            id: TransactionID(context.makeID()), account: account,
            payment: Payment(product: recorded, appAccountToken: purchase.appAccountToken),
            state: .restored, country: purchase.country, order: purchase.order,
            originalOrder: purchase.original,
            charge: charge(purchase.charge, ofOrder: purchase.order, context), reason: .restore,
            revision: 1, createdAt: context.now, updatedAt: context.now, origin: context.origin)
        events.append(.transaction(.restored, transaction))
    }

    /// Whether this restore has already returned an order that a client finished since. A restart
    /// or a loss of observers can make a restore begin again.
    private func wasGiven(
        _ order: OrderID, by restore: Restore, _ closed: ClosedFacts
    ) -> Bool {
        guard let last = closed[.restoredOrder(order)]?.transaction else { return false }
        // Restores of an account run one after another. A transaction created after the end of the
        // previous restore therefore belongs to this one.
        let before = restore.account.flatMap { restores.lastEnd[$0] }
        return last.createdAt >= restore.createdAt
            && before.map { last.createdAt > $0 } ?? true
    }
}

extension PaymentQueue {
    /// The next restore to process for the account in session. Users take turns, and the restores
    /// of one user come in the order of acceptance.
    ///
    /// - Parameter last: The turn of the previous restore; 0 before the first.
    /// - Returns: The restore and its turn; nil if none is running.
    public func nextRestore(after last: UInt64 = 0) -> (restore: Restore, turn: UInt64)? {
        session.flatMap { restores.next(of: $0.account, after: last) }
    }

    /// The running restores that the session sees, in the order of acceptance.
    public var visibleRestores: [Restore] { restores.running(of: session?.account) }

    /// Whether no restore of any account is running.
    public var hasNoRestores: Bool { restores.running.isEmpty }

    /// A restore of any account that is running or remembered, with its outcome if it has ended.
    public func restore(_ id: RestoreID) -> (restore: Restore, outcome: RestoreOutcome?)? {
        restores[id].map { ($0.restore, $0.outcome) }
    }

    /// The condition that a running restore waits for now.
    public func waitingFor(_ restore: Restore) -> WaitingFor {
        guard let session, restore.account == session.account else { return .login }
        return activeObservers.isEmpty ? .observer : .store
    }

    /// The unfinished transaction of an order: its purchase, a restored transaction, or a purchase
    /// of a product that was already owned.
    public func liveTransaction(ofOrder order: OrderID) -> Transaction? {
        liveTransactions(ofOrder: order).first { $0.state == .purchased || $0.state == .restored }
    }

    /// The unfinished transactions of a paid order, in this order: its purchase, the last restored
    /// transaction, and purchases of an already owned product by acceptance.
    func liveTransactions(ofOrder order: OrderID) -> [Transaction] {
        let named = [place(of: order, .owner), place(of: order, .restorer)].compactMap { $0 }
        let again = repeats[order, default: []].compactMap { locate($0) }
        let live = { [self] (places: [Int32]) in
            places.filter { table.isLive($0) }.map { table[$0] }
        }
        return (live(named) + live(again).sorted { $0.position < $1.position })
            .map(\.transaction)
    }

    /// Adds or removes an unfinished purchase of a product that the account already owned.
    mutating func noteRepeat(_ transaction: Transaction, isLive: Bool) {
        guard transaction.charge?.offer == .alreadyOwned, let order = transaction.order else {
            return
        }
        if isLive {
            repeats[order, default: []].append(transaction.id)
        } else {
            repeats[order]?.removeAll { $0 == transaction.id }
            if repeats[order]?.isEmpty == true { repeats[order] = nil }
        }
    }
}

extension ActiveObservers {
    /// Whether no observer is active.
    public var isEmpty: Bool { !everything && products.isEmpty }
}
