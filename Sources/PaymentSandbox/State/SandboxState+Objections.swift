import PaymentCore
import SandboxControl

extension SandboxState {
    /// The reason why an event is impossible in this state; nil if it is possible.
    func objection(to event: SandboxEvent) -> String? {
        switch event {
        case .orderPlaced(let placed, let subscription):
            return objection(to: placed, subscription)
        case .orderPaid(let id, let settlement):
            guard let known = order(id), known.order.state == .deferred || known.isInterrupted
            else { return "order \(id) needs no resolution" }
            return objection(to: settlement?.subscription, besides: id)
        case .orderRefused(let id, _):
            return order(id)?.order.state == .deferred ? nil : "order \(id) is not deferred"
        case .alreadyOwned(let transaction, let id, let subscription):
            return objection(toClaimOf: id, by: transaction)
                ?? objection(to: subscription, besides: nil)
        case .orderCompleted(let id):
            return order(id)?.isPaid == true ? nil : "order \(id) is not paid"
        case .orderRefunded(let id, _, let subscription):
            guard order(id)?.order.state == .purchased else { return "order \(id) is not paid" }
            return objection(to: subscription, besides: nil)
        case .ordersDeleted(let ids):
            return ids.first { order($0) == nil }.map { "order \($0) does not exist" }
        case .subscriptionChanged(let subscription):
            return objection(to: subscription, besides: nil)
        case .orderTurnedDown(let answer):
            return objection(to: answer)
        case .settingsChanged, .settingsReset, .clockSet:
            return nil
        }
    }

    private func objection(toClaimOf id: OrderID, by transaction: TransactionID) -> String? {
        if order(id)?.isPaid != true { return "order \(id) is not paid" }
        let own = order(of: transaction)?.order.state
        guard claims[transaction] == nil, !forgotten.contains(transaction.value),
            own == nil || own == .deferred
        else { return "transaction \(transaction) already has an order" }
        return nil
    }

    private func objection(
        to placed: SandboxOrder, _ subscription: SandboxSubscription?
    ) -> String? {
        if isUsed(placed.order.order) { return "order \(placed.order.order) already exists" }
        if let transaction = placed.order.transaction {
            if order(of: transaction) != nil || claims[transaction] != nil {
                return "transaction \(transaction) already has an order"
            }
            if forgotten.contains(transaction.value) {
                return "the order of transaction \(transaction) was deleted"
            }
        }
        return objection(to: subscription, besides: placed.order.order)
    }

    private func objection(
        to subscription: SandboxSubscription?, besides new: OrderID?
    ) -> String? {
        guard let original = subscription?.original, original != new, order(original) == nil else {
            return nil
        }
        return "the chain of order \(original) does not exist"
    }

    private func objection(to answer: TurnedDown) -> String? {
        if order(of: answer.transaction) != nil {
            return "transaction \(answer.transaction) already has an order"
        }
        if let newest = refusals[answer.transaction]?.last?.attempt, newest >= answer.attempt {
            return "transaction \(answer.transaction) already has its answer"
        }
        return nil
    }
}
