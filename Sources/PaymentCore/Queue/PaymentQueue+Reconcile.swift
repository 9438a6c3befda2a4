extension PaymentQueue {
    /// Decides what becomes of a purchase that the store says is paid and not completed:
    /// nothing if its order is known, a purchase of the transaction that asked
    /// for it if that is under way, and a new transaction otherwise.
    ///
    /// - Parameters:
    ///   - purchase: The purchase; of a chain only the newest.
    ///   - account: Whose it is.
    ///   - context: Time and identifiers.
    ///   - mayAdd: Whether there is room to keep new transactions.
    ///   - events: What happens is appended; apply it before deciding about the next purchase.
    /// - Returns: Whether it is dealt with; false when there was no room for it.
    public func decide(
        _ purchase: StorePurchase, of account: AccountName, _ context: DecisionContext,
        mayAdd: Bool = true, events: inout [Event]
    ) -> Bool {
        guard orders[purchase.order] == nil, !isGivenBack(purchase.order),
            !decideMatch(purchase, of: account, context, events: &events), !purchase.isCompleted
        else { return true }
        guard mayAdd, unfinishedCount < limits.unfinishedTransactions else { return false }
        decideAppearance(of: purchase, for: account, context, events: &events)
        return true
    }

    /// Decides what becomes of orders that the store took back. Each is announced once, and a
    /// transaction that is not finished is shown with the revocation.
    public func decideRevoked(
        _ revoked: [RevokedOrder], of account: AccountName, _ context: DecisionContext,
        events: inout [Event]
    ) {
        var seen: Set<OrderID> = []
        let news = revoked.filter {
            revokedOrders[$0.order] == nil && seen.insert($0.order).inserted
        }
        // First, so that the announcement is never on disk without them: what becomes a purchase after
        // it is marked when it does.
        for order in news { decideMarks(of: order, account, context, events: &events) }
        for start in stride(from: 0, to: news.count, by: RecordBounds.ordersPerRevocation) {
            let part = news[start..<min(start + RecordBounds.ordersPerRevocation, news.count)]
            var named: Set<ProductIdentifier> = []
            events.append(
                .entitlementsRevoked(
                    Revocation(
                        account: account,
                        products: part.map(\.product).filter { named.insert($0).inserted },
                        orders: part.map(\.order), revocations: part.map(\.revocation))))
        }
    }

    private func decideMarks(
        of revoked: RevokedOrder, _ account: AccountName, _ context: DecisionContext,
        events: inout [Event]
    ) {
        for transaction in liveTransactions(ofOrder: revoked.order)
        where transaction.account == account && transaction.charge?.revocation == nil {
            guard transaction.state == .purchased || transaction.state == .restored else {
                continue
            }
            events.append(
                change(transaction, .revoked, context) {
                    var charge = $0.charge ?? Charge(price: $0.payment.product.product.price)
                    charge.revocation = revoked.revocation
                    $0.charge = charge
                })
        }
    }

    /// Decides that transactions leave whose orders the store has deleted. One whose completion is
    /// under way leaves with that.
    public func decideDeleted(
        _ deleted: [DeletedOrder], of account: AccountName, _ context: DecisionContext,
        events: inout [Event]
    ) {
        var seen: Set<TransactionID> = []
        for order in deleted {
            let named = liveTransactions(ofOrder: order.order).map(\.id)
            for id in named + (order.transaction.map { [$0] } ?? []) {
                guard seen.insert(id).inserted, let place = locate(id), table[place].isLive else {
                    continue
                }
                let transaction = table[place].transaction
                // One that asked for the order may have been given another since.
                guard transaction.account == account, transaction.state != .completing,
                    transaction.order == nil || transaction.order == order.order
                else { continue }
                events.append(change(transaction, .removed(.deleted), context) { _ in })
                if transaction.state == .gated {
                    closeQuestions(of: id, because: .withdrawn, context, events: &events)
                }
            }
        }
    }

    /// Whether observers were told that the store took an order back.
    public func isRevoked(_ order: OrderID) -> Bool {
        revokedOrders[order] != nil
    }

    /// The charge of an order as a purchase of it begins with it: with the revocation, if that was
    /// announced before. The store's answer may be older than the announcement, which is not repeated.
    func charge(
        _ charge: Charge, ofOrder order: OrderID, _ context: DecisionContext
    ) -> Charge {
        guard charge.revocation == nil, let known = revokedOrders[order] else { return charge }
        var revoked = charge
        revoked.revocation = known ?? OrderRevocation(at: context.now)
        return revoked
    }

    /// Decides that the store sells something else than before.
    public func decideProductsChanged(events: inout [Event]) {
        events.append(.productsChanged(revision: productsRevision + 1))
    }

    /// The requests to the store about transactions of the account in session that wait for an
    /// approval, in the order of acceptance.
    public func deferredEffects() -> [Effect] {
        guard let index = accounts[session?.account] else { return [] }
        return index.deferred.sorted { table[$0].position < table[$1].position }
            .compactMap { pendingEffect(of: table[$0].transaction.id) }
    }

    /// Gives a purchase to the transaction that asked for it, if that is not settled: also one that
    /// was on its way back from a price or a question when the charge of an earlier attempt came
    /// through. It must not be charged again.
    ///
    /// - Returns: Whether there is such a transaction.
    func decideMatch(
        _ purchase: StorePurchase, of account: AccountName, _ context: DecisionContext,
        events: inout [Event]
    ) -> Bool {
        guard let place = purchase.transaction.flatMap({ locate($0) }),
            table[place].isLive, !table[place].transaction.state.isTerminal,
            orders[purchase.order] == nil
        else { return false }
        let transaction = table[place].transaction
        let shown = transaction.payment.product
        guard transaction.account == account,
            shown.product.productIdentifier == purchase.product.productIdentifier
        else { return false }
        if transaction.state == .gated {
            closeQuestions(of: transaction.id, because: .withdrawn, context, events: &events)
        }
        let isAsShown =
            shown.product.price == purchase.product.price && shown.country == purchase.country
        let paid =
            isAsShown
            ? shown : recorded(purchase.product, in: purchase.country, events: &events)
        let charge = charge(purchase.charge, ofOrder: purchase.order, context)
        events.append(
            change(transaction, .purchased, context) {
                $0.state = .purchased
                $0.order = purchase.order
                $0.originalOrder = purchase.original
                $0.charge = charge
                $0.payment.product = paid
                $0.country = purchase.country
            })
        return true
    }

    /// Whether an order is unfinished as one that a restore gave back.
    private func isGivenBack(_ order: OrderID) -> Bool {
        restoredOrders[order].flatMap { locate($0) }.map { table[$0].isLive } ?? false
    }

    /// Makes a transaction of a purchase that no unsettled transaction asked for.
    func decideAppearance(
        of purchase: StorePurchase, for account: AccountName, _ context: DecisionContext,
        events: inout [Event]
    ) {
        // One of ours that had failed, or was withdrawn, and was paid all the same: it stays as it
        // ended, and the purchase gets an id of its own.
        let own = purchase.transaction.flatMap { locate($0) }.map { table[$0].transaction }
        let asked = own?.account == account ? own : nil
        let recorded = recorded(purchase.product, in: purchase.country, events: &events)
        let transaction = Transaction(
            id: TransactionID(context.makeID()), account: account,
            payment: Payment(product: recorded, appAccountToken: purchase.appAccountToken),
            state: .purchased, country: purchase.country, order: purchase.order,
            originalOrder: purchase.original,
            charge: charge(purchase.charge, ofOrder: purchase.order, context),
            reason: asked != nil ? .purchase : purchase.isRenewal ? .renewal : .external,
            revision: 1, createdAt: context.now, updatedAt: context.now, origin: context.origin)
        events.append(.transaction(.appeared, transaction))
    }
}
