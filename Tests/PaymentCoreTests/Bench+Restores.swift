@testable import PaymentCore
import PaymentTesting

/// Restores and purchases that the store names, on the bench.
extension Bench {
    /// A context whose identifier no other decision got: every decision that uses one leaves records.
    private func freshContext(closed keys: [ClosedKey]) -> DecisionContext {
        var context = context(closed: keys)
        let number = UInt64(10_000 + records.count)
        context.makeID = { Samples.transaction(number).value }
        return context
    }

    mutating func tryRestore(
        token: OpaqueText? = nil, key: OpaqueText? = nil
    ) throws(Refusal) -> RestoreDecision {
        var events: [Event] = []
        let request = RestoreRequest(appAccountToken: token, key: key)
        let decision = try queue.decide(
            request, freshContext(closed: request.closedKeys), events: &events)
        apply(events)
        return decision
    }

    /// Asks for a restore that is known to be acceptable.
    @discardableResult
    mutating func restore(token: OpaqueText? = nil, key: OpaqueText? = nil) -> RestoreID {
        do throws(Refusal) {
            switch try tryRestore(token: token, key: key) {
            case .accepted(let id), .joined(let id), .duplicate(let id): return id
            }
        } catch {
            preconditionFailure("the bench is refused: \(error)")
        }
    }

    /// What a restore is refused with, nil if it is not.
    mutating func restoreRefusal(
        token: OpaqueText? = nil, key: OpaqueText? = nil
    ) -> Refusal? {
        do throws(Refusal) {
            _ = try tryRestore(token: token, key: key)
            return nil
        } catch {
            return error
        }
    }

    @discardableResult
    mutating func give(
        _ purchase: StorePurchase, by id: RestoreID, mayAdd: Bool = true
    ) -> RestoreStep {
        var events: [Event] = []
        let step = queue.decide(
            purchase, restoring: id, freshContext(closed: purchase.closedKeys), mayAdd: mayAdd,
            events: &events)
        apply(events)
        return step
    }

    @discardableResult
    mutating func end(_ id: RestoreID, _ outcome: RestoreOutcome) -> [Event] {
        var events: [Event] = []
        queue.decideEnd(id, outcome, events: &events)
        return apply(events)
    }

    @discardableResult
    mutating func reconcile(
        _ purchase: StorePurchase, of account: AccountName = Samples.anna, mayAdd: Bool = true
    ) -> Bool {
        var events: [Event] = []
        let isDone = queue.decide(
            purchase, of: account, freshContext(closed: purchase.closedKeys), mayAdd: mayAdd,
            events: &events)
        apply(events)
        return isDone
    }

    /// Tells the queue of revoked orders; the number of records that this made.
    @discardableResult
    mutating func revoke(_ orders: [RevokedOrder]) -> Int {
        var events: [Event] = []
        queue.decideRevoked(
            orders, of: Samples.anna, freshContext(closed: orders.map(\.closedKey)),
            events: &events)
        apply(events)
        return events.count
    }

    /// Tells the queue of deleted orders; the number of records that this made.
    mutating func delete(_ orders: OrderID..., askedBy transaction: TransactionID) -> Int {
        var events: [Event] = []
        queue.decideDeleted(
            orders.map { DeletedOrder(order: $0, transaction: transaction) }, of: Samples.anna,
            freshContext(closed: []), events: &events)
        apply(events)
        return events.count
    }

    /// The last record's change and transaction.
    var lastChange: (TransactionChange, Transaction)? {
        guard case .transaction(let change, let transaction)? = records.last?.event else {
            return nil
        }
        return (change, transaction)
    }
}
