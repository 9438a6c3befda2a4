import PaymentCore
import SandboxControl

extension SandboxEvent {
    /// The reason that forbids this event in a state; nil if there is none.
    func objection(in state: SandboxState) -> String? {
        switch self {
        case .orderPlaced(let placed, let subscription):
            return Self.objection(to: placed, subscription, in: state)
        case .orderPaid(let id, let settlement):
            guard let known = state.order(id), known.order.state == .deferred || known.isInterrupted
            else { return "order \(id) needs no resolution" }
            return Self.objection(to: settlement?.subscription, besides: id, in: state)
        case .orderRefused(let id, _):
            return state.order(id)?.order.state == .deferred ? nil : "order \(id) is not deferred"
        case .alreadyOwned(let transaction, let id, let subscription):
            return Self.objection(toClaimOf: id, by: transaction, in: state)
                ?? Self.objection(to: subscription, besides: nil, in: state)
        case .orderCompleted(let id):
            return state.order(id)?.isPaid == true ? nil : "order \(id) is not paid"
        case .orderRefunded(let id, _, let subscription):
            guard state.order(id)?.order.state == .purchased else {
                return "order \(id) is not paid"
            }
            return Self.objection(to: subscription, besides: nil, in: state)
        case .ordersDeleted(let ids):
            return ids.first { state.order($0) == nil }.map { "order \($0) does not exist" }
        case .subscriptionChanged(let subscription):
            return Self.objection(to: subscription, besides: nil, in: state)
        case .orderTurnedDown(let answer):
            return Self.objection(to: answer, in: state)
        case .settingsChanged, .settingsReset, .clockSet:
            return nil
        }
    }

    private static func objection(
        toClaimOf id: OrderID, by transaction: TransactionID, in state: SandboxState
    ) -> String? {
        if state.order(id)?.isPaid != true { return "order \(id) is not paid" }
        let own = state.order(of: transaction)?.order.state
        guard state.claims[transaction] == nil, !state.deletions.contains(transaction.value),
            own == nil || own == .deferred
        else { return "transaction \(transaction) already has an order" }
        return nil
    }

    private static func objection(
        to placed: SandboxOrder, _ subscription: SandboxSubscription?, in state: SandboxState
    ) -> String? {
        if state.isUsed(placed.order.order) { return "order \(placed.order.order) already exists" }
        if let transaction = placed.order.transaction {
            if state.order(of: transaction) != nil || state.claims[transaction] != nil {
                return "transaction \(transaction) already has an order"
            }
            if state.deletions.contains(transaction.value) {
                return "the order of transaction \(transaction) was deleted"
            }
        }
        return objection(to: subscription, besides: placed.order.order, in: state)
    }

    private static func objection(
        to subscription: SandboxSubscription?, besides new: OrderID?, in state: SandboxState
    ) -> String? {
        guard let original = subscription?.original, original != new, state.order(original) == nil
        else {
            return nil
        }
        return "the chain of order \(original) does not exist"
    }

    private static func objection(
        to answer: TurnedDown, in state: SandboxState
    ) -> String? {
        if state.order(of: answer.transaction) != nil {
            return "transaction \(answer.transaction) already has an order"
        }
        if let newest = state.refusals[answer.transaction]?.last?.attempt, newest >= answer.attempt
        {
            return "transaction \(answer.transaction) already has its answer"
        }
        return nil
    }
}
