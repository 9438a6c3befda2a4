import PaymentCore
import PaymentEngine
import PaymentTesting

/// Whether everybody says the same of what was charged, to whom, and whether it was taken back.
extension World {
    /// After each step: all views of the store say what they should.
    func compareViews() {
        guard store.hasNews, findings.isEmpty else { return }
        store.viewsWereCompared()
        if let finding = store.disagreement() { find("the views disagree: \(finding)") }
    }

    /// A transaction that names a paid order says the same of it as the store.
    func checkFacts(_ transaction: Transaction) {
        switch transaction.state {
        case .purchased, .completing, .restored: break
        case .waiting, .gated, .submitted, .deferred, .failed: return
        }
        guard let order = transaction.order, let entry = store.ledger.entries[order] else {
            return find("\(transaction.id) names an order that was never placed")
        }
        guard let charge = transaction.charge else {
            return find("\(transaction.id) does not say what it was charged")
        }
        var known = entry
        // Until the queue hears of a refund, it knows of none.
        if charge.revocation == nil { known.revocation = nil }
        // A transaction is of the country that its buyer was in. A store that forgets what it turned down
        // may charge an earlier attempt, in the country of that.
        let isOfOrder = entry.paysDue || store.forgetsRefusals
        var country = isOfOrder ? entry.country : transaction.country
        if charge.offer == .alreadyOwned {
            known.charged = Money(units: 0, currency: entry.price.currency)
            known.offer = .alreadyOwned
            known.effectiveAt = nil
            country = entry.country
        }
        let payment = transaction.payment
        let finding = store.difference(
            from: known, payment.product.product.productIdentifier, country,
            payment.appAccountToken, transaction.originalOrder ?? order, charge)
        if let finding { find("\(transaction.id) says that \(finding)") }
    }

    /// A purchase left because the store had deleted its order.
    func checkDeletion(_ entry: Model.Entry) {
        let order =
            entry.transaction.order ?? store.ledger.claims[entry.id]
            ?? store.ledger.entries.values.first { $0.transaction == entry.id }?.order
        if order.flatMap({ store.ledger.entries[$0]?.deletedAt }) == nil {
            find("\(entry.id) left, and its order was not deleted")
        }
    }

    /// Asks for a reconciliation; once it has come to a good end, the queue knows everything that was
    /// taken back or deleted before.
    func reconcile(_ life: Life) {
        guard let account = model.session?.account else { return }
        let (mark, changes) = (store.ledger.count, sessionChanges)
        life.engine.store.reconciliation.want { [unowned self, unowned life] in
            guard !life.isOver, changes == sessionChanges else { return }
            checkRevocations(of: account, until: mark)
        }
    }

    /// What was taken back or deleted by a moment is known to be so.
    func checkRevocations(of account: AccountName, until mark: Int) {
        for entry in model.visible where entry.account == account {
            guard let order = entry.transaction.order, let known = store.ledger.entries[order]
            else { continue }
            let isRevoked = known.revokedAt.map { $0 <= mark } ?? false
            let isDeleted = known.deletedAt.map { $0 <= mark } ?? false
            if entry.stage == .completing {
                if isRevoked { find("\(entry.id) is not completed, and its order was taken back") }
                continue
            }
            if isDeleted { find("\(entry.id) is there, and its order was deleted") }
            if isRevoked, entry.stage == .purchased || entry.stage == .restored,
                entry.transaction.charge?.revocation == nil, !isDeleted,
                known.deletedAt == nil
            {
                find("\(entry.id) does not say that its order was taken back")
            }
        }
    }
}
