extension PaymentQueue {
    /// Decides about a paid purchase that the store reports. A known order changes nothing.
    /// Otherwise the purchase is assigned to the unsettled transaction that requested it. Without
    /// such a transaction it becomes a new one, unless its completion is already reported.
    ///
    /// - Parameters:
    ///   - purchase: The purchase; of a chain only the newest.
    ///   - account: The account of the purchase.
    ///   - context: Time and identifiers.
    ///   - mayAdd: Whether there is space for new transactions.
    ///   - events: The resulting events are appended. The caller applies them before the next
    ///     purchase.
    /// - Returns: True if the purchase was processed; false if there was no space for it.
    public func decide(
        _ purchase: StorePurchase, of account: AccountName, _ context: DecisionContext,
        mayAdd: Bool = true, events: inout [Event]
    ) -> Bool {
        guard buyer(of: purchase.order, context.closed) == nil, !isGivenBack(purchase.order),
            !decideMatch(purchase, of: account, context, events: &events), !purchase.isCompleted
        else { return true }
        guard mayAdd, unfinishedCount < limits.unfinishedTransactions else { return false }
        decideAppearance(of: purchase, for: account, context, events: &events)
        return true
    }

    /// Decides about orders that the store revoked. Each revocation is announced once, with the
    /// products that the account has lost by it. An unfinished transaction of the order shows the
    /// revocation.
    public func decideRevoked(
        _ revoked: [RevokedOrder], of account: AccountName, _ context: DecisionContext,
        events: inout [Event]
    ) {
        var seen: Set<OrderID> = []
        let news = revoked.filter {
            context.closed[.revokedOrder($0.order)] == nil && seen.insert($0.order).inserted
        }
        // The marks of the transactions come first, so that no cut batch has the announcement
        // without them. An order that becomes a purchase later is marked at that time.
        for order in news { decideMarks(of: order, account, context, events: &events) }
        // Orders without a lost product are announced separately. A product filter admits an
        // announcement without products, and one with a selected product.
        announce(news.filter { !$0.keepsProduct }, of: account, &events)
        announce(news.filter(\.keepsProduct), of: account, &events)
    }

    /// The transactions in completion whose orders the store revoked, in the sequence of the orders.
    public func transactions(
        completingOrdersOf revoked: [RevokedOrder], of account: AccountName
    ) -> [TransactionID] {
        revoked.flatMap { liveTransactions(ofOrder: $0.order) }
            .filter { $0.state == .completing && $0.account == account }.map(\.id)
    }

    private func announce(
        _ revoked: [RevokedOrder], of account: AccountName, _ events: inout [Event]
    ) {
        for start in stride(from: 0, to: revoked.count, by: RecordBounds.ordersPerRevocation) {
            let part = revoked[start...].prefix(RecordBounds.ordersPerRevocation)
            var named: Set<ProductIdentifier> = []
            let lost = part.filter { !$0.keepsProduct && named.insert($0.product).inserted }
            events.append(
                .entitlementsRevoked(
                    Revocation(
                        account: account, products: lost.map(\.product),
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

    /// Removes transactions whose orders the store has deleted. A transaction in completion leaves
    /// at the end of its completion.
    public func decideDeleted(
        _ deleted: [DeletedOrder], of account: AccountName, _ context: DecisionContext,
        events: inout [Event]
    ) {
        var removed: Set<TransactionID> = []
        for order in deleted {
            let named = liveTransactions(ofOrder: order.order).map(\.id)
            for id in named + (order.transaction.map { [$0] } ?? []) {
                guard let place = locate(id), table.isLive(place) else { continue }
                let transaction = table[place].transaction
                // A transaction that requested this order may have received another order since.
                guard transaction.account == account, transaction.state != .completing,
                    transaction.order == nil || transaction.order == order.order,
                    removed.insert(id).inserted
                else { continue }
                events.append(change(transaction, .removed(.deleted), context) { _ in })
                if transaction.state == .gated {
                    closeQuestions(of: id, because: .withdrawn, context, events: &events)
                }
            }
        }
    }

    /// The charge of a new purchase of an order. It includes a revocation that was announced
    /// earlier, because the store's answer may be older than the announcement.
    func charge(
        _ charge: Charge, ofOrder order: OrderID, _ context: DecisionContext
    ) -> Charge {
        guard charge.revocation == nil,
            case .revokedOrder(_, let known)? = context.closed[.revokedOrder(order)]
        else { return charge }
        var revoked = charge
        revoked.revocation = known ?? OrderRevocation(at: context.now)
        return revoked
    }

    /// Decides that the catalogue of the store has changed.
    public func decideProductsChanged(events: inout [Event]) {
        events.append(.productsChanged(revision: productsRevision + 1))
    }

    /// The store requests for the account in session's transactions that wait for an approval, in
    /// the order of acceptance.
    public func deferredEffects() -> [Effect] {
        guard let index = accounts[session?.account] else { return [] }
        return index.deferred.all.compactMap { pendingEffect(of: table.id(at: $0.place)) }
    }

    /// Assigns a purchase to the transaction that requested it, if that is unsettled. The
    /// transaction may already wait again after a changed price or a question when the charge of an
    /// earlier attempt arrives. It must not be charged again.
    ///
    /// - Returns: Whether there is such a transaction.
    func decideMatch(
        _ purchase: StorePurchase, of account: AccountName, _ context: DecisionContext,
        events: inout [Event]
    ) -> Bool {
        guard let place = purchase.transaction.flatMap({ locate($0) }),
            table.isLive(place), buyer(of: purchase.order, context.closed) == nil
        else { return false }
        let transaction = table[place].transaction
        let shown = transaction.payment.product
        guard !transaction.state.isTerminal, transaction.account == account,
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

    /// Whether an unfinished restored transaction has this order.
    private func isGivenBack(_ order: OrderID) -> Bool {
        place(of: order, .restorer).map { table.isLive($0) } ?? false
    }

    /// Creates a transaction for a purchase that no unsettled transaction requested.
    func decideAppearance(
        of purchase: StorePurchase, for account: AccountName, _ context: DecisionContext,
        events: inout [Event]
    ) {
        // The requesting transaction may have failed or been withdrawn before the charge. It stays
        // unchanged, and the purchase gets a new id.
        let own = purchase.transaction.flatMap { self.transaction($0, context.closed) }
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
